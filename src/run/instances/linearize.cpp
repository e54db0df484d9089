// The linearized model, and the jobs that run on its formulations.
#include "jobs/linearize.hpp"
#include "jobs/coriolis.hpp"
#include "jobs/damping.hpp"
#include "jobs/response.hpp"
#include "jobs/stiffness.hpp"
#include "run/instances/scalar.hpp"

namespace catena {
template struct RunnersOf<LinearizeJob, InstanceScalar>;
template struct RunnersOf<DampingJob, InstanceScalar>;
template struct RunnersOf<StiffnessJob, InstanceScalar>;
template struct RunnersOf<ResponseJob, InstanceScalar>;
template struct RunnersOf<CoriolisJob, InstanceScalar>;
}  // namespace catena

// Inverse dynamics, and the jobs that run on its formulations.
#include "jobs/inverse.hpp"
#include "jobs/bias.hpp"
#include "jobs/gravity.hpp"
#include "run/instances/scalar.hpp"

namespace catena {
template struct RunnersOf<InverseJob, InstanceScalar>;
template struct RunnersOf<GravityJob, InstanceScalar>;
template struct RunnersOf<BiasJob, InstanceScalar>;
}  // namespace catena

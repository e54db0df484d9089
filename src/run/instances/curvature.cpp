// Second derivatives of inverse and forward dynamics.
#include "jobs/curvature.hpp"
#include "jobs/response_curvature.hpp"
#include "run/instances/scalar.hpp"

namespace catena {
template struct RunnersOf<CurvatureJob, InstanceScalar>;
template struct RunnersOf<ResponseCurvatureJob, InstanceScalar>;
}  // namespace catena

// The regressor.
#include "jobs/regressor.hpp"
#include "run/instances/scalar.hpp"

namespace catena {
template struct RunnersOf<RegressorJob, InstanceScalar>;
}  // namespace catena

// The factors of the inertia matrix.
#include "jobs/factor.hpp"
#include "run/instances/scalar.hpp"

namespace catena {
template struct RunnersOf<FactorJob, InstanceScalar>;
}  // namespace catena

// The inverse of the inertia matrix.
#include "jobs/inverse_inertia.hpp"
#include "run/instances/scalar.hpp"

namespace catena {
template struct RunnersOf<InverseInertiaJob, InstanceScalar>;
}  // namespace catena

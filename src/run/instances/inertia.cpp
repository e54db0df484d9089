// The inertia matrix.
#include "jobs/inertia.hpp"
#include "run/instances/scalar.hpp"

namespace catena {
template struct RunnersOf<InertiaJob, InstanceScalar>;
}  // namespace catena

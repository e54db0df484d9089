// Hybrid dynamics.
#include "jobs/hybrid.hpp"
#include "run/instances/scalar.hpp"

namespace catena {
template struct RunnersOf<HybridJob, InstanceScalar>;
}  // namespace catena

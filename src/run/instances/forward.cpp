// Forward dynamics.
#include "jobs/forward.hpp"
#include "run/instances/scalar.hpp"

namespace catena {
template struct RunnersOf<ForwardJob, InstanceScalar>;
}  // namespace catena

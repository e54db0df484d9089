// Torques with a reference velocity, their regressor, and momenta.
#include "jobs/inverse_two.hpp"
#include "jobs/observer.hpp"
#include "jobs/regressor_two.hpp"
#include "run/instances/scalar.hpp"

namespace catena {
template struct RunnersOf<InverseTwoJob, InstanceScalar>;
template struct RunnersOf<RegressorTwoJob, InstanceScalar>;
template struct RunnersOf<ObserverJob, InstanceScalar>;
}  // namespace catena

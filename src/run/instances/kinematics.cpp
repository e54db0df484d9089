// The jobs that are read off placed links.
#include "jobs/centroidal.hpp"
#include "jobs/drift.hpp"
#include "jobs/energy.hpp"
#include "jobs/jacobian.hpp"
#include "jobs/loop_forces.hpp"
#include "jobs/momentum.hpp"
#include "jobs/place.hpp"
#include "jobs/pose.hpp"
#include "run/instances/scalar.hpp"

namespace catena {
template struct RunnersOf<PlaceJob, InstanceScalar>;
template struct RunnersOf<LoopForcesJob, InstanceScalar>;
template struct RunnersOf<PoseJob, InstanceScalar>;
template struct RunnersOf<JacobianJob, InstanceScalar>;
template struct RunnersOf<DriftJob, InstanceScalar>;
template struct RunnersOf<EnergyJob, InstanceScalar>;
template struct RunnersOf<MomentumJob, InstanceScalar>;
template struct RunnersOf<CentroidalJob, InstanceScalar>;
}  // namespace catena

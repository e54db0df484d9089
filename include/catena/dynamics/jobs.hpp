// Every job, listed once. A new one: a descriptor in dynamics/jobs/, its name here.
#pragma once

#include "catena/dynamics/jobs/bias.hpp"
#include "catena/dynamics/jobs/centroidal.hpp"
#include "catena/dynamics/jobs/coriolis.hpp"
#include "catena/dynamics/jobs/damping.hpp"
#include "catena/dynamics/jobs/drift.hpp"
#include "catena/dynamics/jobs/energy.hpp"
#include "catena/dynamics/jobs/factor.hpp"
#include "catena/dynamics/jobs/forward.hpp"
#include "catena/dynamics/jobs/gravity.hpp"
#include "catena/dynamics/jobs/hybrid.hpp"
#include "catena/dynamics/jobs/inertia.hpp"
#include "catena/dynamics/jobs/inverse.hpp"
#include "catena/dynamics/jobs/jacobian.hpp"
#include "catena/dynamics/jobs/linearize.hpp"
#include "catena/dynamics/jobs/momentum.hpp"
#include "catena/dynamics/jobs/pose.hpp"
#include "catena/dynamics/jobs/regressor.hpp"
#include "catena/dynamics/jobs/response.hpp"
#include "catena/dynamics/jobs/stiffness.hpp"

namespace catena {

template <class... Job>
struct JobList {
  // Calls visit(Job{}) for each job.
  template <class Visitor>
  static void for_each(Visitor&& visit) {
    (visit(Job{}), ...);
  }
};

using AllJobs = JobList<InverseJob, GravityJob, InertiaJob, BiasJob, CoriolisJob, FactorJob, ForwardJob, HybridJob,
                        PoseJob, JacobianJob, DriftJob, EnergyJob, MomentumJob, CentroidalJob, LinearizeJob, DampingJob,
                        StiffnessJob, ResponseJob, RegressorJob>;

}  // namespace catena

// Every job, listed once, in the order in which users see them. To add a job: write a descriptor jobs/NAME.hpp, include
// it in all_jobs.hpp, name it here, and add an instance (run/instances/).
#pragma once

#include <array>
#include <cstddef>

namespace catena {

template <class... Job>
struct JobList {
  static constexpr std::size_t size = sizeof...(Job);
  // Calls visit(Job{}) for each job; all_jobs.hpp has their descriptors.
  template <class Visitor>
  static void for_each(Visitor&& visit) {
    (visit(Job{}), ...);
  }
  // Of<Job>::value for each job; the descriptors need not be included here.
  template <template <class> class Of>
  static constexpr auto each() {
    return std::array{Of<Job>::value...};
  }
};

struct InverseJob;
struct GravityJob;
struct InertiaJob;
struct InverseInertiaJob;
struct BiasJob;
struct CoriolisJob;
struct FactorJob;
struct ForwardJob;
struct HybridJob;
struct PlaceJob;
struct PoseJob;
struct JacobianJob;
struct DriftJob;
struct EnergyJob;
struct MomentumJob;
struct CentroidalJob;
struct LinearizeJob;
struct DampingJob;
struct StiffnessJob;
struct ResponseJob;
struct RegressorJob;
struct LoopForcesJob;
struct CurvatureJob;
struct ResponseCurvatureJob;
struct InverseTwoJob;
struct RegressorTwoJob;
struct ObserverJob;

using AllJobs = JobList<InverseJob, GravityJob, InertiaJob, InverseInertiaJob, BiasJob, CoriolisJob, FactorJob,
                        ForwardJob, HybridJob, PlaceJob, PoseJob, JacobianJob, DriftJob, EnergyJob, MomentumJob,
                        CentroidalJob, LinearizeJob, DampingJob, StiffnessJob, ResponseJob, RegressorJob, LoopForcesJob,
                        CurvatureJob, ResponseCurvatureJob, InverseTwoJob, RegressorTwoJob, ObserverJob>;

}  // namespace catena

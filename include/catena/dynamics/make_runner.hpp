// make_runner and Runner on a scalar: instantiated once for each, beside make_runner_of of every job.
#pragma once

#include <concepts>

#include "catena/dynamics/free_base_runner.hpp"
#include "catena/dynamics/jobs.hpp"
#include "catena/dynamics/level.hpp"
#include "catena/dynamics/projected_runner.hpp"
#include "catena/dynamics/runner_base.hpp"

namespace catena {

// By the instances of make_runner_of that this is linked with. Nothing where there is no such job or formulation.
template <class S>
std::unique_ptr<Runner<S>> make_linked_runner(std::string_view job, const MechanismFor<S>& robot,
                                              std::string_view formulation) {
  std::unique_ptr<Runner<S>> made;
  AllJobs::for_each([&](auto described) {
    using Job = decltype(described);
    if (Job::describe().name == job) made = make_runner_of<Job, S>(robot, formulation);
  });
  return made;
}

template <class S>
std::unique_ptr<Runner<S>> make_runner(std::string_view job, const MechanismFor<S>& robot,
                                       std::string_view formulation) {
  if constexpr (std::floating_point<S>) {
    return make_runner_at<S>(level(), job, robot, formulation);
  } else {
    job_info(job).formulation(formulation);  // throws when there is none
    if (robot.free_base) return make_free_base_runner<S>(job, robot, formulation, make_runner<S>);
    if (robot.is_coupled()) return make_projected_runner<S>(job, robot, formulation, make_runner<S>);
    return make_linked_runner<S>(job, robot, formulation);
  }
}

}  // namespace catena

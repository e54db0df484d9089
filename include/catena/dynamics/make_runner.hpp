// make_runner and Runner on a scalar: instantiated once for each, beside make_runner_of of every job.
#pragma once

#include "catena/dynamics/jobs.hpp"
#include "catena/dynamics/runner_base.hpp"

namespace catena {

template <class S>
std::unique_ptr<Runner<S>> make_runner(std::string_view job, const MechanismFor<S>& robot,
                                       std::string_view formulation) {
  const JobInfo& info = job_info(job);
  info.formulation(formulation);  // throws when there is none
  std::unique_ptr<Runner<S>> made;
  const JobInfo* next = jobs().data();
  AllJobs::for_each([&](auto described) {
    if (next++ == &info) made = make_runner_of<decltype(described), S>(robot, formulation);
  });
  return made;
}

}  // namespace catena

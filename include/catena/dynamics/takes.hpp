// Which formulations of a job take a robot: all, but where joints are coupled and the job divides by M, and where the
// base is free and the job is found by inverse dynamics.
#pragma once

#include <algorithm>
#include <string_view>

#include "catena/dynamics/jobs/job.hpp"
#include "catena/model/mechanism.hpp"

namespace catena {

inline bool takes_free_base(const JobInfo& job, std::string_view formulation) {
  if (job.on_free_base != OnFreeBase::by_inverse) return job.on_free_base != OnFreeBase::none;
  const auto& inverse = job_info("inverse").formulations;
  return std::any_of(inverse.begin(), inverse.end(), [&](const auto& f) { return f.name == formulation; });
}

inline bool takes(const JobInfo& job, std::string_view formulation, const Mechanism& robot) {
  if (robot.free_base && !takes_free_base(job, formulation)) return false;
  return !robot.is_coupled() || !job.inverts_inertia || formulation == job.by_matrix;
}

}  // namespace catena

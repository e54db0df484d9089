// Which formulations of a job take a robot: all, but where joints are coupled and the job divides by M.
#pragma once

#include <string_view>

#include "catena/dynamics/jobs/job.hpp"
#include "catena/model/mechanism.hpp"

namespace catena {

inline bool takes(const JobInfo& job, std::string_view formulation, const Mechanism& robot) {
  return !robot.is_coupled() || !job.inverts_inertia || formulation == job.by_matrix;
}

}  // namespace catena

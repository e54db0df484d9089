// The code generation for one job of a robot, independent of the compiler.
#pragma once

#include <string>

#include "catena/program.hpp"
#include "formulations/shared/pivots.hpp"

namespace catena::engines {

inline ProgramRequest request_of(const JobInfo& job, const std::string& formulation, int frame) {
  ProgramRequest request;
  request.jobs = {std::string(job.name)};
  if (!formulation.empty()) request.formulations = {formulation};
  request.frame = frame;
  return request;
}

// Why straight-line code cannot compute the job: it cannot detect where M is singular, nor repeat a search until loops
// are closed. Empty: it can.
inline std::string why_only_generic(const Mechanism& robot, const JobInfo& job) {
  if (job.gives(Kind::positions) && robot.coordinates.is_closed())
    return "only the generic engine solves for positions in closed loops";
  if (job.takes(Input::lambda) && robot.coordinates.is_closed())
    return "only the generic engine has second derivatives through closed loops";
  const std::string joint = job.inverts_inertia ? joint_in_doubt(robot, job.only_passive) : std::string();
  if (joint.empty()) return "";
  return "joint '" + joint +
         "' moves no inertia of its own, and only the generic engine detects where the robot is singular";
}

}  // namespace catena::engines

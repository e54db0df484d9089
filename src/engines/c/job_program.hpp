// What is generated for one job of a robot, whoever compiles it.
#pragma once

#include <string>

#include "catena/program.hpp"

namespace catena::jit {

inline ProgramRequest request_of(const JobInfo& job, const std::string& formulation, int frame) {
  ProgramRequest request;
  request.jobs = {std::string(job.name)};
  if (!formulation.empty()) request.formulations = {formulation};
  request.frame = frame;
  return request;
}

}  // namespace catena::jit

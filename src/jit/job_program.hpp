// What is generated for one job of a robot, whoever compiles it.
#pragma once

#include <stdexcept>
#include <string>

#include "catena/codegen/program.hpp"

namespace catena::jit {

inline ProgramRequest request_of(const JobInfo& job, const std::string& formulation, int frame) {
  ProgramRequest request;
  request.jobs = {std::string(job.name)};
  if (!formulation.empty()) request.formulations = {formulation};
  request.frame = frame;
  return request;
}

inline Program usual_program(const Mechanism& robot, const ProgramRequest& request) {
  Choices choices = usual_choices(robot, request);
  try {
    return make_program(robot, request, choices);
  } catch (const std::domain_error&) {  // the formulation wants constants where shared frames have functions of q
    choices.frames = SharedFrames::none;
    return make_program(robot, request, choices);
  }
}

}  // namespace catena::jit

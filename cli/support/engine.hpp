// --engine: whether a job runs on the generic path or on code compiled for the robot.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "catena/jit/compile.hpp"
#include "support/output.hpp"

namespace catena::cli {

struct EngineOption {
  std::string name = "generic";

  void add(CLI::App& command);

  // What the command line says beside the robot.
  struct Work {
    std::string job, method;
    std::string table;     // file of states; empty: one state
    std::string obstacle;  // why compiled code cannot serve; empty: it can
  };
  // Says on stderr, in one line, when compiled code was asked for and the generic path serves.
  RobotCalls make(const Mechanism& robot, const Work& work) const;
  void explain_generic(const std::string& why) const;
};

// The results with "method", "engine" and, for compiled code, "compile_seconds".
Json with_engine(Json results, const RobotCalls& calls);

inline constexpr const char* wrenches_are_generic = "external wrenches are not part of compiled code";

}  // namespace catena::cli

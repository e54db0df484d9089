// --engine: whether a job runs on the generic engine or on code compiled for the robot.
#pragma once

#include <functional>
#include <string>

#include "catena/batch.hpp"
#include "options/app.hpp"
#include "output/output.hpp"

namespace catena::cli {

struct EngineOption {
  std::string name{batch_engine_name(default_engine)};

  void add(CLI::App& command);

  // What the command line specifies besides the robot.
  struct Work {
    std::string job, formulation;
    std::string table;  // file of states; empty: one state
    int frame = tool_frame;
  };
  // Says on stderr, in one line, when compiled code was asked for and the generic engine is used instead.
  Call<double> make(const Mechanism& robot, const Work& work) const;
  void explain_generic(const std::string& why) const;
};

// For CompileOptions::progress: where compiling takes long, says how long and shows a progress bar.
std::function<void(const CompileProgress&)> compile_watch();

// "method", "engine" and, for compiled code, "compile_seconds".
Json engine_json(const Call<double>& call);

}  // namespace catena::cli

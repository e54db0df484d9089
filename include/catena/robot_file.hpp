// Robot files: TOML (ours) and URDF (as others write it), read and written. docs/robot-files.md describes both.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "catena/robot.hpp"
#include "catena/validate.hpp"
#include "catena/write_error.hpp"

namespace catena {

struct LoadOptions {
  bool strict = false;   // warnings become errors
  bool lenient = false;  // an inertia that no body can have is taken as written, with a warning: Robot::lenient
};

// Reads a .toml or .urdf file (by its ending, else by its first bytes); "-" is standard input. Throws ModelError whose
// what() holds one line a problem, "FILE:LINE: what is wrong and what would be right". Warnings end up in
// Robot::warnings in the same form.
Robot load_robot(const std::string& path, const LoadOptions& options = {});

// The same for a text in memory; `file` only names it in messages.
Robot parse_toml(std::string_view text, const std::string& file, const LoadOptions& options = {});
Robot parse_urdf(std::string_view text, const std::string& file, const LoadOptions& options = {});

// Text that reads back to the same robot: names, order of q, frames, limits, and the dynamics to 1e-12.
std::string to_toml(const Robot& robot);
std::string to_urdf(const Robot& robot);

// Writes .toml or .urdf by the path's ending, through a temporary file beside it: never half a file. Throws
// WriteError where it cannot be written.
void save_robot(const Robot& robot, const std::string& path);

// An installed package says here, to the programs that are built with it, where its models are.
#ifndef CATENA_PACKAGE_MODELS
#define CATENA_PACKAGE_MODELS ""
#endif

// A path to read for MODEL as typed: a file or "-" as it is, or a bare name looked up among the shipped models: in the
// folder CATENA_MODELS of the environment, in ../share/catena/models beside the running program, in `package_models`,
// in the source tree. Throws ModelError naming what was tried and what ships.
std::string find_model(const std::string& model, const std::string& package_models = CATENA_PACKAGE_MODELS);
std::vector<std::string> shipped_models(const std::string& package_models = CATENA_PACKAGE_MODELS);

}  // namespace catena

// Reading and writing robot files: TOML (our format), URDF (the common one), MJCF (MuJoCo's); SDF and xacro are read.
// docs/robot-files.md describes them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "catena/dh_rows.hpp"
#include "catena/robot.hpp"
#include "catena/validate.hpp"
#include "catena/write_error.hpp"

namespace catena {

struct LoadOptions {
  bool strict = false;   // warnings become errors
  bool lenient = false;  // an inertia that no body can have is accepted as written, with a warning: Robot::lenient
  std::vector<std::string> xacro{};         // arguments of a xacro file, "ur_type:=ur5e"
  std::vector<std::string> package_path{};  // folders with ROS packages, beside those of ROS_PACKAGE_PATH
  std::string python{};  // an interpreter that has the package xacro; empty: the program xacro in PATH, else python3
  std::vector<std::string>* notes = nullptr;  // "FILE:LINE: note: …": what the file has and dynamics do not need
};

// Reads a robot file (its format by its extension, else by its first bytes); "-" is standard input. A .xacro file is
// first given to the program xacro, which evaluates Python expressions in it: load only files that you trust. Throws
// ModelError whose what() has one line per problem, "FILE:LINE: what is wrong and what would be right". Warnings are
// stored in Robot::warnings in the same form.
Robot load_robot(const std::string& path, const LoadOptions& options = {});

// The same for text in memory; `file` is used in messages, by parse_robot also to choose the format.
Robot parse_robot(std::string_view text, const std::string& file, const LoadOptions& options = {});
Robot parse_toml(std::string_view text, const std::string& file, const LoadOptions& options = {});
Robot parse_urdf(std::string_view text, const std::string& file, const LoadOptions& options = {});

// Text that reads back to the same robot: names, order of q, frames, limits, and the dynamics to 1e-12. TOML keeps the
// rows of a robot that was read from rows, exactly: rows_as_written(). MJCF throws ModelError for what MuJoCo cannot
// take: loops that are not spherical, revolute or fixed, and inertias of no body.
std::string to_toml(const Robot& robot);
std::string to_urdf(const Robot& robot);
std::string to_mjcf(const Robot& robot);
// The same dynamics and named frames, in rows: to_toml(dh_form(robot, DhConvention::modified)).
std::string to_toml(const DhForm& rows);

// Writes the format of the path's extension (.xml: MJCF), or the one with this name, "urdf", through a temporary file
// beside it: never half a file. Throws WriteError if it cannot be written.
void save_robot(const Robot& robot, const std::string& path, std::string_view format = "");

// An installed package defines this for programs built with it: the path of its models.
#ifndef CATENA_PACKAGE_MODELS
#define CATENA_PACKAGE_MODELS ""
#endif

// The path to read for MODEL as typed: a file or "-" unchanged, or a bare name looked up among the shipped models: in
// the folder given by the environment variable CATENA_MODELS, in ../share/catena/models beside the running program, in
// `package_models` or, without one, the source tree. Throws ModelError that names what was tried and which models are
// shipped.
std::string find_model(const std::string& model, const std::string& package_models = CATENA_PACKAGE_MODELS);
std::vector<std::string> shipped_models(const std::string& package_models = CATENA_PACKAGE_MODELS);

}  // namespace catena

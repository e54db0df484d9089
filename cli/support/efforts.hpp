// Efforts at joints and wrenches on frames: how they are typed and how they are shown.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "catena/dynamics/inverse_dynamics.hpp"

namespace catena::cli {

// --wrench, --wrench-axes
struct WrenchOptions {
  std::vector<std::string> texts;
  std::string axes = "frame";

  void add(CLI::App& command);
  std::vector<ExternalWrench<double>> parse(const Mechanism& robot) const;
};

// --method: a formulation of the job, as `catena methods` lists them; empty stands for the fastest.
void add_method(CLI::App& command, std::string& method);
void require_method(const std::string& method, std::string_view job);

// One line a joint, with its unit. `title` heads the numbers: "torque".
std::string effort_text(const Robot& robot, const std::vector<double>& efforts, const std::string& title);

const char* effort_unit(const Robot& robot, std::size_t q);  // "N m" or "N"

}  // namespace catena::cli

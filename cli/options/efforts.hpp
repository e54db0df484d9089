// Efforts at joints and wrenches on frames: how they are typed and displayed.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "catena/job.hpp"
#include "options/app.hpp"

namespace catena::cli {

// --wrench, --wrench-axes; for a run also --wrench-table
struct WrenchOptions {
  std::vector<std::string> texts, tables;
  std::string axes = "frame";

  void add(CLI::App& command, bool over_time = false);
  bool given() const { return !texts.empty() || !tables.empty(); }
  std::vector<ExternalWrench<double>> parse(const Mechanism& robot) const;
};

// --method: a formulation of the job, as `catena methods` lists them; empty means the fastest.
void add_method(CLI::App& command, std::string& method);
void require_method(const std::string& method, std::string_view job);

// One line per joint, with its unit. `title` is the heading of the numbers: "torque".
std::string joint_text(const Robot& robot, std::span<const double> values, const std::string& title, const Unit& unit);
std::string tree_text(const Mechanism& robot, std::span<const double> values, const std::string& title,
                      const Unit& unit);  // for every joint of the tree

std::string_view unit_of(const Robot& robot, std::size_t q, const Unit& unit);

}  // namespace catena::cli

// The linearized model in a page: its matrices and poles at a state, or along a motion where that begins.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "catena/call.hpp"
#include "pages/report_option.hpp"

namespace catena::cli {

struct LinearReport {
  const JobInfo& job;  // that gives the matrices
  const ModelOptions& options;
  const Robot& robot;
  const Mechanism& mechanism;
  const std::vector<ExternalWrench<double>>& wrenches;
  const std::vector<double>& base;  // its motion, where it moves
  std::string formulation;
  std::optional<double> rate;  // of a table without times
  bool degrees = false;
  std::string path{};                     // of a motion; empty: at one state,
  std::vector<std::vector<double>> at{};  // q, qd, qdd

  // Throws InputError where the table has no positions.
  report::Scene scene() const;

 private:
  report::Json matrices(const std::vector<std::vector<double>>& in, std::vector<std::string>& notes) const;
};

}  // namespace catena::cli

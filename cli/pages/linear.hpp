// The linearized model on a page: its matrices and poles at a state, or at the start of a motion.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "catena/call.hpp"
#include "output/output.hpp"
#include "pages/report_option.hpp"

namespace catena::cli {

struct LinearReport {
  const JobInfo& job;  // the job that computes the matrices
  const ModelOptions& options;
  const Robot& robot;
  const Mechanism& mechanism;
  const std::vector<ExternalWrench<double>>& wrenches;
  const std::vector<double>& base;  // its motion, where it moves
  std::string formulation;
  std::optional<double> rate;  // for a table without times
  bool degrees = false;
  std::string path{};                     // file of a motion; empty: one state, given by `at`
  std::vector<std::vector<double>> at{};  // q, qd, qdd
  Json state_space{};                     // what --state-space printed; null: it was not asked

  // Throws InputError where the table has no positions.
  report::Scene scene() const;

 private:
  report::Json matrices(const std::vector<std::vector<double>>& in, std::vector<std::string>& notes) const;
};

}  // namespace catena::cli

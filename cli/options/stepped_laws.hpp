// Control laws that run step by step (catena/laws.hpp), as typed: their parameters, and what they follow in a run.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "catena/control.hpp"
#include "catena/laws.hpp"
#include "options/app.hpp"

namespace catena::cli {

struct SteppedLawOptions {
  std::vector<std::string> gains;  // "kp=100", "kd=1,2,3"
  std::optional<double> period;
  std::optional<std::string> force, directions;

  void add_gains(CLI::App& command, const std::string& companion);
  void add_run(CLI::App& command);
  // The parameters as typed. Throws UsageError.
  std::map<std::string, std::vector<double>> parameters() const;
  // What is given to the law. Directions are those typed, else these.
  catena::LawOptions options(const std::string& law, const Mechanism& robot, const std::string& frame,
                             Directions otherwise) const;
};

std::vector<std::string> stepped_law_names();
// Null if there is none.
const LawInfo* stepped_law(const std::string& name);

}  // namespace catena::cli

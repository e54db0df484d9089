// Equations for commands: turns the library's errors into messages that name the option at fault.
#pragma once

#include <string>
#include <vector>

#include "catena/equations.hpp"
#include "options/model_options.hpp"

namespace catena::cli {

// The options of commands that print equations.
struct EquationsWork {
  const ModelOptions& model;
  std::vector<std::string> jobs;
  std::string symbols;         // the list of symbols
  std::string symbols_option;  // the option that supplied it
  std::string frame{};         // by its name; empty: the tool
  TermLimit limit{};
  MoreResults more{};                                 // results that belong to no job
  std::map<std::string, std::string> formulations{};  // by job
};

// Throws UsageError. Right angles given with few digits are taken as exact, with a note on stderr: formulas with angles
// that are nearly right have thousands of negligible terms.
Equations equations_of(const EquationsWork& work);

// The names of all formats, and a format by its name.
std::vector<std::string> format_names();
const EquationFormat* find_format(const std::string& name);

}  // namespace catena::cli

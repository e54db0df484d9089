// Equations for commands: what the library refuses, with the option that asked for it.
#pragma once

#include <string>
#include <vector>

#include "catena/equations.hpp"
#include "options/model_options.hpp"

namespace catena::cli {

// What asks for equations, whichever command it is.
struct EquationsWork {
  const ModelOptions& model;
  std::vector<std::string> jobs;
  std::string symbols;         // the list, and
  std::string symbols_option;  // the option that has it
  std::string frame{};         // by its name; empty: the tool
  TermLimit limit{};
  MoreResults more{};  // results that are no job's
};

// Throws UsageError. Right angles of few digits are taken as exact, which is said on stderr: formulas of angles that
// are nearly right have thousands of terms that nobody can see.
Equations equations_of(const EquationsWork& work);

// The names of all formats, and one by its name.
std::vector<std::string> format_names();
const EquationFormat* find_format(const std::string& name);

}  // namespace catena::cli

// What an FMU computes and which variables it has. All its numbers are one array; a variable's value reference is its
// place there:
//   time | tau | reference, more of the measurement, period (with a law) | parameters | rest speed | q, q̇ | results
// and the results are the derivatives of q and q̇, then the outputs.
#pragma once

#include <string>
#include <vector>

#include "catena/code.hpp"
#include "catena/fmu.hpp"

namespace catena::fmu {

enum class Role { hidden, time, input, parameter, fixed_parameter, state, rate, output, torque };

struct Variable {
  std::string name, words, unit;
  Role role = Role::output;
  double start = 0.0;
  int derivative_of = -1;  // place of the state
};

struct Model {
  std::vector<Variable> variables;  // by place
  int tau = 0, reference = 0, more = 0, period = 0, parameters = 0, rest_speed = 0, q = 0, results = 0;
  int nq = 0, nv = 0, measured_more = 0, law_states = 0;
  Program program;            // from q, q̇, tau, parameters and rest speed to the results
  std::optional<Code> law{};  // NAME_law_step and NAME_law_reset
  int states() const { return nq + nv; }
};

Model make_model(const Mechanism& robot, const FmuOptions& options);

std::string description_text(const Model& model, const Mechanism& robot, const FmuOptions& options,
                             const std::string& token);
std::string build_text(const FmuOptions& options);

// The C shell around the generated functions: what both versions of the standard share, and each of them.
std::string source_text(const Model& model, const FmuOptions& options, const std::string& token);
extern const char* const shell_text;
extern const char* const shell_fmi2_text;
extern const char* const shell_fmi3_text;

}  // namespace catena::fmu

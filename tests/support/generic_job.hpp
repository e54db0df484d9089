// A job of generated code by the library's own run-time path: what generated code is held against.
#pragma once

#include <string_view>
#include <vector>

#include "catena/call.hpp"
#include "catena/program.hpp"
#include "support/random_robot.hpp"

namespace catena::test {

// Results in rows, full matrices. `tau` drives forward dynamics.
inline std::vector<double> generic_job(std::string_view job, const Mechanism& robot, const State& x,
                                       const std::vector<double>& tau, int frame) {
  Call<double> call(robot, job);
  std::vector<double> out(call.size());
  call(with_others<double>({.q = x.q, .qd = x.qd, .qdd = x.qdd, .tau = tau, .frame = frame}, x.qdd), out);
  return out;
}

// The values of an input of a job, by its name.
inline const std::vector<double>& input_of(std::string_view name, const State& x, const std::vector<double>& tau) {
  for (const InputInfo& info : all_inputs)
    if (info.name == name && info.by_joint())
      return info.input == Input::q ? x.q : info.input == Input::qd ? x.qd : info.input == Input::tau ? tau : x.qdd;
  throw std::invalid_argument("no input '" + std::string(name) + "' in a state");
}
// The values of a program's inputs in a row.
inline std::vector<double> input_values(const Program& program, const State& x, const std::vector<double>& tau) {
  std::vector<double> values;
  for (const Argument& input : program.inputs) {
    const std::vector<double>& source = input_of(input.name, x, tau);
    values.insert(values.end(), source.begin(), source.end());
  }
  return values;
}

}  // namespace catena::test

// What tests of simulations share: sample times, tolerances, and a job at a state.
#pragma once

#include <string_view>
#include <vector>

#include "catena/call.hpp"
#include "catena/simulation.hpp"

namespace catena::test {

inline std::vector<double> grid(double end, int count) {
  std::vector<double> times;
  for (int k = 0; k <= count; ++k) times.push_back(end * k / count);
  return times;
}

// Absolute errors a tenth of the relative ones.
inline SimulationOptions tight(double rtol) {
  SimulationOptions options;
  options.rtol = rtol, options.atol = 0.1 * rtol;
  return options;
}

inline std::vector<double> result_of(const Mechanism& robot, std::string_view job, const Inputs<double>& in,
                                     std::string_view method = {}) {
  Call<double> call(robot, job, method);
  std::vector<double> out(call.size());
  call(in, out);
  return out;
}

}  // namespace catena::test

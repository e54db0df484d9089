#include "engines/c/self_test.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "jobs/checks.hpp"

namespace catena::jit {
namespace {

constexpr int most_states = 16;

// All inputs in a row at the k-th state, nothing special about it; later states are smaller.
std::vector<double> state_of(const Program& program, int k) {
  std::vector<double> values;
  const double size = 1.0 / (1 + k);
  for (const Argument& input : program.inputs)
    for (int entry = 0; entry < input.size(); ++entry)
      values.push_back(size * std::remainder(0.7 + 0.31 * k + 1.3 * double(values.size()), 3.0));
  return values;
}

// Loose: an inertia matrix may be ill-conditioned, and a wrong sign or constant shows in the first digits.
bool close(const std::vector<double>& actual, const std::vector<double>& expected) {
  double scale = 1e-3, difference = 0.0;
  for (std::size_t k = 0; k < expected.size(); ++k) {
    scale = std::max(scale, std::abs(expected[k]));
    difference = std::max(difference, std::abs(actual[k] - expected[k]));
  }
  return all_finite<double>(actual) && difference <= 1e-6 * scale;
}

}  // namespace

void require_agreement(const Program& program, const CompiledFunction<double>& code) {
  for (int k = 0; k < most_states; ++k) {
    const std::vector<double> values = state_of(program, k);
    const std::vector<double> expected = program.evaluate(values);
    if (!all_finite<double>(expected)) continue;
    std::vector<const double*> arrays;
    std::size_t start = 0;
    for (const Argument& input : program.inputs) {
      arrays.push_back(values.data() + start);
      start += index(input.size());
    }
    std::vector<double> actual(expected.size(), std::nan(""));
    code.function(arrays.data(), actual.data());
    if (close(actual, expected)) return;
    throw CompileError("compiled code for " + program.jobs.front() + " gives other results than it should");
  }
  throw CompileError("compiled code for " + program.jobs.front() + " has finite results at no state that was tried");
}

}  // namespace catena::jit

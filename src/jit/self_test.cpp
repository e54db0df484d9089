#include "self_test.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace catena::jit {

bool agrees_with(const Program& program, void* function) {
  std::vector<double> values;
  std::array<std::size_t, 3> starts{};
  for (std::size_t i = 0; i < program.inputs.size(); ++i) {
    starts[i] = values.size();
    for (int k = 0; k < program.inputs[i].size(); ++k)
      values.push_back(std::remainder(0.7 + 1.3 * double(values.size()), 3.0));
  }
  const std::vector<double> expected = program.evaluate(values);
  std::vector<double> actual(expected.size());
  const auto at = [&](std::size_t i) { return values.data() + starts[i]; };
  double* out = actual.data();
  using In = const double*;
  switch (program.inputs.size()) {
    case 1:
      reinterpret_cast<void (*)(In, double*)>(function)(at(0), out);
      break;
    case 2:
      reinterpret_cast<void (*)(In, In, double*)>(function)(at(0), at(1), out);
      break;
    default:
      reinterpret_cast<void (*)(In, In, In, double*)>(function)(at(0), at(1), at(2), out);
  }
  // Loose: an inertia matrix may be ill-conditioned, and a wrong sign or constant shows in the first digits.
  double scale = 1e-3, difference = 0.0;
  for (std::size_t k = 0; k < expected.size(); ++k) {
    if (!std::isfinite(expected[k])) return true;  // nothing to compare with
    scale = std::max(scale, std::abs(expected[k]));
    if (!std::isfinite(actual[k])) return false;
    difference = std::max(difference, std::abs(actual[k] - expected[k]));
  }
  return difference <= 1e-6 * scale;
}

}  // namespace catena::jit

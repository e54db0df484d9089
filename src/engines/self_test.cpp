#include "engines/self_test.hpp"

#include <algorithm>
#include <cmath>
#include <concepts>

#include "jobs/checks.hpp"

namespace catena::engines {
namespace {

// Loose: an inertia matrix may be ill-conditioned, while a wrong sign or constant shows in the first digits.
template <class S>
constexpr double allowed = std::same_as<S, float> ? 1e-2 : 1e-6;

template <class S>
bool close(const std::vector<double>& actual, const std::vector<double>& expected) {
  double scale = 1e-3, difference = 0.0;
  for (std::size_t k = 0; k < expected.size(); ++k) {
    scale = std::max(scale, std::abs(expected[k]));
    difference = std::max(difference, std::abs(actual[k] - expected[k]));
  }
  return all_finite<double>(actual) && difference <= allowed<S> * scale;
}

}  // namespace

template <class S>
StateRows test_states(const Program& program, std::size_t count) {
  StateRows states(count);
  for (std::size_t k = 0; k < count; ++k)
    for (const Argument& input : program.inputs)
      for (int entry = 0; entry < input.size(); ++entry) {
        const double x = std::remainder(0.7 + 0.31 * double(k) + 1.3 * double(states[k].size()), 3.0);
        const std::size_t smaller = 1 + k / 4;  // every four states
        const double nominal = input.nominal.empty() ? 0.0 : input.nominal[index(entry)];
        states[k].push_back(double(S(input.nominal.empty() ? x / double(smaller) : nominal * (1.0 + 0.1 * x))));
      }
  return states;
}

template <class S>
std::string disagreement(const Program& program, const StateRows& states, const StateRows& results,
                         std::size_t enough) {
  std::size_t compared = 0;
  for (std::size_t k = 0; k < states.size() && compared < enough; ++k) {
    const std::vector<double> expected = program.evaluate(states[k]);
    if (!all_finite<double>(expected)) continue;
    ++compared;
    if (!close<S>(results[k], expected)) return "gives wrong results";
  }
  return compared == 0 ? "has no finite result at any state that was tried" : "";
}

template StateRows test_states<double>(const Program&, std::size_t);
template StateRows test_states<float>(const Program&, std::size_t);
template std::string disagreement<double>(const Program&, const StateRows&, const StateRows&, std::size_t);
template std::string disagreement<float>(const Program&, const StateRows&, const StateRows&, std::size_t);

}  // namespace catena::engines

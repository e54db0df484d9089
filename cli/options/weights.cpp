#include "options/weights.hpp"

#include <fmt/format.h>

#include "options/numbers.hpp"
#include "terminal/errors.hpp"

namespace catena::cli {

QuadraticCost cost_of_weights(const std::string& text, const StateSpace& model) {
  const std::vector<double> w = parse_numbers(text, "--weights");
  if (w.size() != 3) throw UsageError("--weights takes three numbers, for positions, speeds and torques");
  if (w[0] < 0.0 || w[1] < 0.0 || !(w[2] > 0.0))
    throw UsageError(fmt::format(
        "--weights {}: the weights of positions and speeds must not be negative, and that of torques must be positive",
        printable(text)));
  const auto one = [&](std::size_t k) { return std::span<const double>(w).subspan(k, 1); };
  return diagonal_cost(model, one(0), one(1), one(2));
}

}  // namespace catena::cli

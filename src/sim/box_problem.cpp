#include "sim/box_problem.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "formulations/shared/ldlt.hpp"

namespace catena {

// An active-set method. The function decreases from one set of active bounds to the next, so no set recurs, and their
// number is finite: the method terminates. Slopes that are only rounding errors count as zero; otherwise the method
// could cycle.
void BoxProblem::solve(std::span<const double> A, std::span<const double> b, std::span<const double> low,
                       std::span<const double> high, std::span<double> x) {
  k_ = x.size();
  A_ = A, b_ = b, low_ = low, high_ = high, x_ = x;
  start();
  std::size_t rounds = 0;
  do {
    while (!move_to_minimum()) {
    }
    if (++rounds > 100 * (k_ + 1)) throw std::domain_error("the joints could not be held at rest");
  } while (free_worst());
}

void BoxProblem::start() {
  place_.resize(k_);
  barred_.assign(k_, false);
  for (std::size_t i = 0; i < k_; ++i) {
    x_[i] = std::clamp(std::isfinite(x_[i]) ? x_[i] : 0.0, low_[i], high_[i]);
    place_[i] = x_[i] == low_[i] ? Place::low : x_[i] == high_[i] ? Place::high : Place::between;
  }
}

// w_i = (A x + b)_i: the slope of the function along x_i; 0 where it is only rounding.
double BoxProblem::slope(std::size_t i) const {
  double sum = b_[i], size = std::abs(b_[i]);
  for (std::size_t j = 0; j < k_; ++j) {
    const double term = A_[i * k_ + j] * x_[j];
    sum += term;
    size += std::abs(term);
  }
  return std::abs(sum) > 1e-14 * size ? sum : 0.0;
}

// Moves to the minimum over the free entries, or towards it as far as the box allows; false when it meets a bound on
// the way.
bool BoxProblem::move_to_minimum() {
  free_.clear();
  for (std::size_t i = 0; i < k_; ++i)
    if (place_[i] == Place::between) free_.push_back(i);
  const std::size_t m = free_.size();
  reduced_.resize(m * m), inverse_pivots_.resize(m), step_.resize(m);
  for (std::size_t r = 0; r < m; ++r) {
    for (std::size_t c = r; c < m; ++c) reduced_[r * m + c] = A_[free_[r] * k_ + free_[c]];
    step_[r] = -slope(free_[r]);
  }
  const MatrixView<double> factors{reduced_, static_cast<int>(m)};
  factor_ldlt<double>(factors, inverse_pivots_);
  for (const double inverse : inverse_pivots_)
    if (!(inverse > 0.0)) throw std::domain_error("the torques of the held joints are not unique");
  solve_ldlt<double>(factors, inverse_pivots_, step_);

  double part = 1.0;
  for (std::size_t r = 0; r < m; ++r) {
    const std::size_t i = free_[r];
    const double room = (step_[r] < 0.0 ? low_[i] : high_[i]) - x_[i];
    if (std::abs(step_[r]) > std::abs(room)) part = std::min(part, room / step_[r]);
  }
  bool inside = true;
  for (std::size_t r = 0; r < m; ++r) {
    const std::size_t i = free_[r];
    const double bound = step_[r] < 0.0 ? low_[i] : high_[i], room = bound - x_[i];
    if (std::abs(step_[r]) > std::abs(room) && room / step_[r] <= part) {
      x_[i] = bound;
      place_[i] = step_[r] < 0.0 ? Place::low : Place::high;
      inside = false;
      if (part == 0.0) barred_[i] = true;  // no step was made: freeing the bound again would repeat this
    } else {
      x_[i] += part * step_[r];
    }
  }
  if (part > 0.0) std::fill(barred_.begin(), barred_.end(), false);
  return inside;
}

// Frees the bound with the steepest descent; false at the solution.
bool BoxProblem::free_worst() {
  double steepest = 0.0;
  std::size_t worst = k_;
  for (std::size_t i = 0; i < k_; ++i) {
    if (place_[i] == Place::between || barred_[i] || low_[i] == high_[i]) continue;
    const double downhill = place_[i] == Place::low ? -slope(i) : slope(i);
    const double gain = downhill / std::sqrt(A_[i * k_ + i]);
    if (gain > steepest) steepest = gain, worst = i;
  }
  if (worst == k_) return false;
  place_[worst] = Place::between;
  return true;
}

}  // namespace catena

// The box complementarity problem of held joints: w = A x + b with A symmetric positive definite,
//
//   low <= x <= high,   x_i = low_i where w_i > 0,   x_i = high_i where w_i < 0,   w_i = 0 where x_i lies between.
//
// x are torques or impulses, w accelerations or speeds. The solution minimises ½ xᵀA x + bᵀx within the box, so it is
// unique. Bounds may be infinite. Equations: docs/equations/friction_and_stops.md (3).
#pragma once

#include <span>
#include <vector>

namespace catena {

class BoxProblem {
 public:
  // Solves for x, k entries; A is k x k, row-major. The search starts from the contents of x: a good guess saves work.
  // Throws std::domain_error when A is not positive definite.
  void solve(std::span<const double> A, std::span<const double> b, std::span<const double> low,
             std::span<const double> high, std::span<double> x);

 private:
  enum class Place { low, between, high };

  void start();
  bool move_to_minimum();
  bool free_worst();
  double slope(std::size_t i) const;

  std::size_t k_ = 0;
  std::span<const double> A_, b_, low_, high_;
  std::span<double> x_;
  std::vector<Place> place_;
  std::vector<bool> barred_;  // freed and met again at once, due to rounding: not freed again at this point
  std::vector<std::size_t> free_;
  std::vector<double> reduced_, inverse_pivots_, step_;
};

}  // namespace catena

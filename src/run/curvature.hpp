// Second derivatives of inverse dynamics contracted with a vector, Σ λ_i ∂²τ_i, as differential dynamic programming
// needs them: the recursion of D, V and P on dual numbers, once per position and once per speed. Exact to rounding.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "catena/mechanism.hpp"

namespace catena {

class Curvature {
 public:
  explicit Curvature(const Mechanism& robot);
  ~Curvature();
  Curvature(Curvature&&) noexcept;
  Curvature& operator=(Curvature&&) noexcept;

  // n x n each, row-major: entry (j, k) is Σ λ_i ∂²τ_i with respect to entry j of the first and k of the second. Second
  // derivatives by an acceleration and a speed or another acceleration are zero. Friction and rotors add nothing.
  struct Result {
    std::vector<double> q_q, q_qd, q_qdd, qd_qd;
  };
  // Throws std::invalid_argument on a wrong length and std::domain_error if a result is not finite.
  void operator()(std::span<const double> q, std::span<const double> qd, std::span<const double> qdd,
                  std::span<const double> lambda, Result& out);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace catena

// The change of the torques for a small change of a motion, δτ = D δq̈ + V δq̇ + P δq, in one O(n) sweep without the
// matrices: the fastest inverse dynamics on dual numbers. Also the transposed products, the gradient of λᵀτ, in two
// sweeps: docs/equations/transposed_perturbation.md. Exact to rounding; friction, rotors and wrenches included.
#pragma once

#include <memory>
#include <span>

#include "catena/mechanism.hpp"
#include "forces/generalized_forces.hpp"

namespace catena {

class Perturbation {
 public:
  explicit Perturbation(const Mechanism& robot);
  ~Perturbation();
  Perturbation(Perturbation&&) noexcept;
  Perturbation& operator=(Perturbation&&) noexcept;

  // All spans have n entries; up to 16 wrenches allocate nothing. tau may be empty if only the change is needed. Throws
  // std::invalid_argument on a wrong length and std::domain_error if a result is not finite.
  struct Motion {
    std::span<const double> q, qd, qdd;
  };
  void operator()(const Motion& at, const Motion& change, std::span<double> tau, std::span<double> tau_change,
                  std::span<const ExternalWrench<double>> wrenches = {});

  // Pᵀλ, Vᵀλ and Dᵀλ.
  struct Gradient {
    std::span<double> q, qd, qdd;
  };
  void transposed(const Motion& at, std::span<const double> lambda, const Gradient& out,
                  std::span<const ExternalWrench<double>> wrenches = {});

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace catena

// The equations of motion M q̈ = φ + λ with some joints held: q̈ of the others, and the holding torques λ. M and φ are
// computed at one state; any set of joints can then be held there. Equations: docs/equations/friction_and_stops.md (1),
// (2).
#pragma once

#include <span>
#include <vector>

#include "catena/call.hpp"

namespace catena {

class HeldDynamics {
 public:
  explicit HeldDynamics(const Mechanism& robot);

  // φ = τ - b at (q, q̇), and M(q) unless all joints are held.
  void accelerate(std::span<const double> q, std::span<const double> qd, std::span<const double> tau,
                  std::span<const std::size_t> held, std::span<double> qdd, std::span<double> hold);

  // The same where what is held are rows R of q̇, R q̈ + drift = 0, which may depend on each other: each gives way a
  // little.
  struct Rows {
    std::span<const double> R, drift, compliance;
  };
  void accelerate_by_rows(std::span<const double> q, std::span<const double> qd, std::span<const double> tau,
                          const Rows& held, std::span<double> qdd, std::span<double> hold);

 private:
  Mechanism robot_;
  Call<double> inertia_, bias_;
  std::vector<double> M_, b_, reduced_, inverse_pivots_, moving_qdd_, columns_, right_, pivots_;
  std::vector<std::size_t> moving_;
  std::vector<bool> is_held_;
};

}  // namespace catena

// The base of a run, which moves as a law says: what that does to the joints, and how the base turns under gravity,
// which keeps its direction. Equations (7), (8): docs/equations/moving_base.md.
#pragma once

#include <span>
#include <vector>

#include "catena/call.hpp"
#include "catena/simulation.hpp"

namespace catena {

class CarriedBase {
 public:
  using Turned = std::span<const double, 4>;  // a quaternion (x, y, z, w) of any length but 0

  CarriedBase(const Mechanism& robot, BaseLaw law);

  // δ at (t, q, q̇) where the base stands as ξ says. Throws std::domain_error where the law gives no finite number.
  void forces(double t, std::span<const double> q, std::span<const double> qd, Turned xi, std::span<double> delta);
  // ξ̇ at the t of the latest forces().
  void turn(Turned xi, std::span<double, 4> rate) const;

  static Quaternion unit(Turned xi);

 private:
  BaseLaw law_;
  Call<double> moving_, still_;  // bias on that base, and on one at rest
  std::vector<double> alone_;
  Vec3<double> gravity_;  // along the axes of the base link as it stands at the identity
  Vec3<double> omega_{};
};

}  // namespace catena

// The base of a run, which moves as prescribed by a law: its effect on the joints, and how the base turns relative to
// gravity, which keeps its direction. Equations (7), (8): docs/equations/moving_base.md.
#pragma once

#include <span>
#include <vector>

#include "catena/call.hpp"
#include "catena/simulation.hpp"

namespace catena {

class CarriedBase {
 public:
  using Turned = std::span<const double, 4>;  // a quaternion (x, y, z, w) of any nonzero length

  CarriedBase(const Mechanism& robot, BaseLaw law);

  // δ at (t, q, q̇) with the base oriented as ξ. Throws std::domain_error where the law returns a number not finite.
  void forces(double t, std::span<const double> q, std::span<const double> qd, Turned xi, std::span<double> delta);
  // ξ̇ at the t of the latest forces().
  void turn(Turned xi, std::span<double, 4> rate) const;

  static Quaternion unit(Turned xi);

 private:
  BaseLaw law_;
  Call<double> moving_, still_;  // bias on the moving base, and on a base at rest
  std::vector<double> alone_;
  Vec3<double> gravity_;  // along the axes of the base link at the identity orientation
  Vec3<double> omega_{};
};

}  // namespace catena

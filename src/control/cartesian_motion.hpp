// χ̇ = J q̇ with its rates J̇ and J̈ along a motion: one run on dual numbers of dual numbers has all three.
// Equations (1)-(3), (14), (15): docs/equations/cartesian_models.md.
#pragma once

#include <span>
#include <vector>

#include "catena/control.hpp"
#include "catena/scalar/dual.hpp"
#include "dense/dense.hpp"
#include "run/kinematics_of.hpp"

namespace catena::control {

class CoordinateRates {
 public:
  CoordinateRates(const Mechanism& robot, int frame, FrameCoordinates coordinates, std::vector<int> rows);

  // Throws std::domain_error where angles have no rates.
  void update(std::span<const double> q, std::span<const double> qd, std::span<const double> qdd);

  dense::Matrix J, J_dot, J_ddot;
  Pose<double> pose;

 private:
  using Twice = Dual<Dual<double>>;

  Kinematics<Twice> kinematics_;
  int frame_;
  FrameCoordinates coordinates_;
  std::vector<int> rows_;
  std::vector<Twice> q_;
  std::vector<JacobianColumn<Twice>> columns_;
};

}  // namespace catena::control

// How a motion under given torques answers a change of the links' parameters θ: accelerations at one state, and
// positions and speeds along a recorded run. Equations (8)-(10): docs/equations/regressor.md.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "catena/dynamics/wrenches.hpp"
#include "catena/model/mechanism.hpp"

namespace catena {

class ParameterSensitivity {
 public:
  // Of these parameters, by their places in parameter_names(); none: all of them. Throws std::invalid_argument for a
  // place that does not exist.
  explicit ParameterSensitivity(const Mechanism& robot, std::vector<int> parameters = {});
  ~ParameterSensitivity();
  ParameterSensitivity(ParameterSensitivity&&) noexcept;
  ParameterSensitivity& operator=(ParameterSensitivity&&) noexcept;

  std::size_t parameters() const;

  // ∂q̈/∂θ under torques, n x p by rows. Throws std::domain_error where the robot cannot be accelerated.
  void accelerations(std::span<const double> q, std::span<const double> qd, std::span<const double> tau,
                     std::span<double> out, std::span<const ExternalWrench<double>> wrenches = {});

  // Starts with a state that does not depend on θ.
  void start(double t, std::span<const double> q, std::span<const double> qd, std::span<const double> tau);
  // On to the next sample of the run, the torques on a straight line between. Steps of `step` at most; 1 ms is below
  // 1e-9 of the result for an arm that moves as arms do.
  void advance(double t, std::span<const double> q, std::span<const double> qd, std::span<const double> tau,
               double step = 1e-3);
  // ∂q/∂θ, then ∂q̇/∂θ at the sample last given: 2n x p by rows.
  std::span<const double> values() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace catena

// The robot left to itself, in real time: the library's right-hand side with the fixed-step solver.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "session.hpp"
#include "sim/base_path.hpp"
#include "sim/impacts.hpp"
#include "sim/joint_events.hpp"
#include "sim/right_hand_side.hpp"
#include "sim/solver.hpp"

namespace catena::wasm {

class Fall {
 public:
  // Starts from q, q̇ of the session's state.
  explicit Fall(Session& session);

  // Advances by dt under τ and the wrenches of the session's state and a damping -damping q̇. Where there is no
  // acceleration, the state is unchanged and std::domain_error says why.
  void step(double dt, double damping, std::size_t wrenches);

  // t, kinetic, potential, work, balance, q, q̇ and, on a base that moves, where that is (BasePath)
  std::span<const double> told() const { return told_; }

 private:
  void tell();
  void settle();
  bool turned(std::span<const double> y) const;
  double before_turning(double dt, const std::vector<double>& before);

  Session& session_;
  std::vector<double> tau_;
  std::vector<ExternalWrench<double>> acting_;
  double damping_ = 0.0, t_ = 0.0, first_ = 0.0;
  std::unique_ptr<RightHandSide> rhs_;
  std::unique_ptr<JointEvents> events_;
  std::unique_ptr<Impacts> impacts_;
  std::unique_ptr<Solver> solver_;
  std::optional<BasePath> base_;
  std::vector<double> y_, told_;
};

}  // namespace catena::wasm

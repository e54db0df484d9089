// The right-hand side ẏ = f(t, y) of a run: what acts on the joints, and how they accelerate while some are held. The
// state is y = (q, q̇, work, losses), then the work of external wrenches where there are any, then the work and the
// orientation of the base where it moves. f depends on the modes of the joints, which change only at events, and is
// smooth between them. Equations: docs/equations/friction_and_stops.md (1), (2), (6), (7).
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "catena/call.hpp"
#include "catena/simulation.hpp"
#include "coordinates/pushes.hpp"
#include "sim/carried_base.hpp"
#include "sim/held_dynamics.hpp"
#include "sim/simulated_joint.hpp"
#include "sim/watched_joints.hpp"

namespace catena {

class RightHandSide {
 public:
  RightHandSide(const Mechanism& robot, TorqueLaw law, const SimulationOptions& options);

  const Mechanism& robot() const { return *robot_; }  // without dry friction
  // The user's coordinates come first; with closed loops, joints that depend on them may follow.
  const std::string& name(std::size_t j) const { return watched_.name(j); }
  const JointLimits& limits(std::size_t j) const { return watched_.limits(j); }

  void replace_law(TorqueLaw law) { law_ = std::move(law); }
  // After a change of the robot: speeds are kept, the energy that parts bring or remove is not accounted for; see
  // docs/simulation.md.
  void replace_robot(const Mechanism& robot);
  // Friction by modes and located events (true) or only by the sign of q̇ (fixed steps).
  void use_modes(bool on) { modes_ = on; }

  std::size_t size() const { return base_at() + (base_ ? 1 + std::tuple_size_v<Quaternion> : 0); }
  // In the user's coordinates again.
  void start_again() {
    if (robot_ != user_) use(user_);
  }
  std::vector<double> start(std::span<const double> q, std::span<const double> qd) const;
  std::span<const double> q(std::span<const double> y) const { return y.first(rates_at()); }
  std::span<const double> qd(std::span<const double> y) const { return y.subspan(rates_at(), nv()); }
  std::span<double> speeds(std::span<double> y) const { return y.subspan(rates_at(), nv()); }
  double& losses(std::span<double> y) const { return y[work_at() + 1]; }
  // q and q̇ in the user's coordinates. Valid until the next call.
  std::span<const double> users_q(std::span<const double> y);
  std::span<const double> users_qd(std::span<const double> y);
  // Of joint j. In closed loops, y is changed as little as possible.
  double position(std::span<const double> y, std::size_t j) const;
  double speed(std::span<const double> y, std::size_t j) const;
  void set_position(std::span<double> y, std::size_t j, double value) const;
  void set_speed(std::span<double> y, std::size_t j, double value) const;
  // ∂(speed of joint j)/∂q̇, and its acceleration under acceleration().
  void copy_row(std::span<const double> y, std::size_t j, std::span<double> row) const;
  double acceleration_of(std::span<const double> y, std::size_t j) const;
  double compliance(std::size_t j) const;  // so that loads on redundant joints are shared; 0 without loops
  bool has_loops() const { return !watched_.all_coordinates(); }
  // Positive while the present coordinates are fit to describe the loops; and other ones, for the same state. Returns
  // what changed.
  double fitness(std::span<const double> y) const;
  std::string refit(std::span<double> y);

  // ẏ. Throws std::domain_error when the law's torque or the acceleration is not finite.
  void derivative(double t, std::span<const double> y, std::span<double> ydot);
  Sample sample(double t, std::span<const double> y);

  // derivative() in steps, for settling events: torques, then accelerations, with held joints kept in place or
  // released, and the bounds of what could hold them.
  void find_torques(double t, std::span<const double> y);
  void find_held();
  void accelerate(std::span<const double> y);
  void accelerate_released(std::span<const double> y);
  void find_bounds(double t, std::span<const double> y);

  std::vector<SimulatedJoint>& joints() { return joints_; }
  const std::vector<SimulatedJoint>& joints() const { return joints_; }
  std::span<const std::size_t> held() const { return held_; }   // from the latest find_held() or accelerate()
  std::span<const double> applied() const { return applied_; }  // from the latest find_torques()
  std::span<const double> acceleration() const { return qdd_; }
  // The direction in which dry friction is overcome: +1, -1, or 0 where it does not act or holds.
  double direction(const SimulatedJoint& joint, double speed) const;

 private:
  std::size_t nv() const { return index(robot_->nv()); }
  std::size_t rates_at() const { return index(robot_->nq()); }
  std::size_t work_at() const { return rates_at() + nv(); }
  void use(std::shared_ptr<const Mechanism> robot);
  void see(std::span<const double> y) const { watched_.see(q(y), qd(y)); }
  std::size_t base_at() const { return work_at() + (wrenches_ ? 3 : 2); }

  void ask_law(double t, std::span<const double> y, std::span<double> tau);
  void ask_at_rest(double t, std::span<const double> y, std::size_t joint, double side, std::span<double> tau);
  void drive(double t, std::span<const double> y);
  void find_external(double t, std::span<const double> y);
  void hold_by_rows(std::span<const double> y);
  void gather_torques(std::span<const double> y);
  double smooth_loss(std::span<const double> y) const;
  void set_friction();
  void look_at_loops(std::span<const double> y, Sample& s);
  void require_finite(std::span<const double> values, const char* what, double t) const;

  std::shared_ptr<const Mechanism> robot_;       // without the dry friction of rest, which the modes add
  std::shared_ptr<const Mechanism> user_;        // the same in the user's coordinates
  ByCoordinate<DriveConstants<double>> drives_;  // with dry friction
  TorqueLaw law_;
  SimulationOptions options_;
  ForwardCall forward_;
  Call<double> energy_, loop_forces_;
  WrenchLaw wrenches_;  // empty: none
  Pushes<double> pushes_;
  std::vector<ExternalWrench<double>> acting_;
  std::optional<CarriedBase> base_;  // where the base moves
  HeldDynamics held_dynamics_;
  WatchedJoints watched_;
  std::vector<SimulatedJoint> joints_;
  bool modes_ = true;
  std::vector<double> asked_, near_, far_;  // speeds passed to the law; its torques on both sides of rest
  std::vector<double> tau_, external_, carried_, applied_, qdd_, hold_;
  std::vector<double> users_q_, users_qd_, row_, rows_, drifts_, compliance_;
  std::vector<std::size_t> held_, coordinates_;  // coordinates_: those that the held joints are
};

}  // namespace catena

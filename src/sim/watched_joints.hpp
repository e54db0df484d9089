// The joints of a run that friction or stops may hold: those of the user's coordinates, and in closed loops those that
// depend on them and have friction or limits. Each moves as its row of G says; a robot without loops has rows of the
// unit matrix, and nothing is computed. Where the loops become singular in the present coordinates, others are chosen.
// Equations: docs/equations/friction_and_stops.md (1), docs/equations/closed_loops.md (15).
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "catena/mechanism.hpp"
#include "coordinates/charts.hpp"
#include "model/loop_equations.hpp"

namespace catena {

class WatchedJoints {
 public:
  // In the user's coordinates; `with_friction` still has the dry friction.
  WatchedJoints(std::shared_ptr<const Mechanism> robot, const Mechanism& with_friction);
  // The same joints in other coordinates, or of a changed robot.
  void use(std::shared_ptr<const Mechanism> robot);

  std::size_t count() const { return joints_.size(); }
  bool all_coordinates() const { return !chart_; }  // no loops: joint k is coordinate k
  const std::string& name(std::size_t k) const { return robot_->joint_names[joints_[k]]; }
  const JointLimits& limits(std::size_t k) const {
    return k < limits_.size() ? limits_[k] : robot_->coordinates.joint_limits[joints_[k]];
  }
  TreeJoint joint(std::size_t k) const { return joints_[k]; }
  double coulomb(std::size_t k) const { return coulomb_[k]; }  // at rest, of those beyond the coordinates

  // With loops only: the state that the functions below are about.
  void see(std::span<const double> q, std::span<const double> qd) const;
  double position(std::size_t k) const { return q_tree_[index(joints_[k])]; }
  double speed(std::size_t k) const { return qd_tree_[index(joints_[k])]; }
  double drift(std::size_t k) const { return drift_[index(joints_[k])]; }
  std::span<const double> row(std::size_t k) const;
  int coordinate(std::size_t k) const { return coordinate_[k]; }  // which of the present ones it is, -1: none
  // Of all joints of the tree.
  std::span<const double> positions_of_tree() const { return q_tree_; }
  std::span<const double> speeds_of_tree() const { return qd_tree_; }

  // The wrenches that hold the loops against forces at the tree's joints.
  void loop_forces(std::span<const double> tau, std::span<double> out) const { chart_->loops().loop_forces(tau, out); }

  // Positive while the present coordinates are fit to describe the loops.
  double fitness() const;
  // The robot in better coordinates here; `what` says which joints change.
  Mechanism refit(std::string& what) const;

 private:
  std::shared_ptr<const Mechanism> robot_;
  std::vector<TreeJoint> joints_;
  std::vector<JointLimits> limits_;  // of the user's coordinates
  std::vector<double> coulomb_;
  std::vector<int> coordinate_;
  mutable std::optional<Chart<double>> chart_;  // with loops
  mutable std::vector<LoopEquations<double>> equations_;
  mutable std::vector<double> seen_, q_tree_, qd_tree_, drift_, rows_;
};

}  // namespace catena

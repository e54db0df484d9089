// What the forces at the joints add to a job, for any formulation: what is added to a result depends on its kind. Runs
// only if some force acts. Equations: docs/equations/joint_forces.md.
#pragma once

#include <span>

#include "catena/job.hpp"
#include "forces/joint_forces.hpp"

namespace catena {

template <class S>
class AroundFormulation {
 public:
  AroundFormulation(const TreeFor<S>& tree, const JobInfo& job) {
    if (!tree.has_drives) return;
    if (job.takes(Input::tau) && (!job.only_passive || tree.has_passive)) tau_.resize(index(tree.joints()));
    const Sizes sizes = sizes_of(tree);
    for (const OutputInfo& output : job.outputs) outputs_.push_back({output.kind, index(output.size(sizes))});
  }

  // The torques that remain to accelerate the robot: (4). Each formulation's pivots include what forces add to inertia.
  const Inputs<S>& before(const TreeFor<S>& tree, const Inputs<S>& in) {
    if (tau_.empty()) return in;
    for (const TreeJoint j : tree.all_joints())
      tau_[index(j)] = in.tau[index(j)] - joint_torque<S>(tree, j, {in.q, in.qd, {}});
    in_ = in;
    in_.tau = tau_;
    return in_;
  }

  void after(const TreeFor<S>& tree, const Inputs<S>& in, std::span<S> out) const {
    for (const auto& [kind, size] : outputs_) {
      add(tree, kind, in, out.first(size));
      out = out.subspan(size);
    }
  }

 private:
  static void add(const TreeFor<S>& tree, Kind kind, const Inputs<S>& in, std::span<S> out) {
    switch (kind) {
      case Kind::torque:
        return add_joint_torques<S>(tree, {in.q, in.qd, in.qdd}, out);
      case Kind::bias:
        return add_joint_torques<S>(tree, {in.q, in.qd, {}}, out);
      case Kind::weight:
        return add_joint_torques<S>(tree, {in.q, {}, {}}, out);
      case Kind::form:
      case Kind::damping:
      case Kind::stiffness:
      case Kind::curvature_q_q:
      case Kind::curvature_qd_qd:
        return add_matrix(tree, kind, in, {out, tree.joints()});
      case Kind::momenta:
      case Kind::momenta_rate:
        return add_momenta(tree, kind, in, out);
      case Kind::kinetic:
      case Kind::potential:
        return add_energy(tree, kind, in, out);
      case Kind::found_torque:
        return add_to_found(tree, in, out);
      case Kind::acceleration:  // accounted for in the torques and in the pivots
      case Kind::factors:
      case Kind::response_to_q:
      case Kind::response_to_qd:
      case Kind::response_to_tau:
      case Kind::response_curvature:
      case Kind::curvature_q_qd:  // no force has terms of two of these
      case Kind::curvature_q_qdd:
      case Kind::rows:  // forces have columns of their own
      case Kind::connection:
      case Kind::columns:
      case Kind::drift:
      case Kind::momentum:
      case Kind::point:
      case Kind::tensor:
      case Kind::pose:
      case Kind::scalar:
      case Kind::positions:
      case Kind::loop_force:
        return;
    }
  }

  static void add_matrix(const TreeFor<S>& tree, Kind kind, const Inputs<S>& in, const MatrixView<S>& matrix) {
    if (kind == Kind::form) return add_joint_inertia<S>(tree, matrix);
    if (kind == Kind::damping) return add_joint_damping<S>(tree, in.qd, matrix);
    if (kind == Kind::stiffness) return add_joint_stiffness<S>(tree, in.q, matrix);
    if (kind == Kind::curvature_q_q) return add_joint_curvature<S>(tree, in.q, in.lambda, matrix);
    add_joint_rate_curvature<S>(tree, in.qd, in.lambda, matrix);
  }
  static void add_energy(const TreeFor<S>& tree, Kind kind, const Inputs<S>& in, std::span<S> out) {
    out[0] += kind == Kind::kinetic ? joint_kinetic_energy<S>(tree, in.qd) : joint_potential_energy<S>(tree, in.q);
  }
  static void add_momenta(const TreeFor<S>& tree, Kind kind, const Inputs<S>& in, std::span<S> out) {
    if (kind == Kind::momenta) return add_joint_momenta<S>(tree, in.qd, out);
    for (const TreeJoint j : tree.all_joints()) out[index(j)] -= joint_torque<S>(tree, j, {in.q, in.qd, {}});
  }
  // A given torque stays unchanged.
  static void add_to_found(const TreeFor<S>& tree, const Inputs<S>& in, std::span<S> out) {
    for (const TreeJoint j : tree.all_joints())
      out[index(j)] =
          tree.is_passive(j) ? in.tau[index(j)] : out[index(j)] + joint_torque<S>(tree, j, {in.q, in.qd, in.qdd});
  }

  struct Result {
    Kind kind;
    std::size_t size;
  };
  Array<Result> outputs_;
  Array<S> tau_;
  Inputs<S> in_{};
};

}  // namespace catena

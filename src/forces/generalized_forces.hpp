// The generalized force Jᵀ w of external wrenches at the joints. It is subtracted from the torques that the drives must
// apply, or added to the torques that accelerate the robot. Applied outside every formulation.
#pragma once

#include <span>

#include "catena/formulation/formulation.hpp"
#include "catena/wrenches.hpp"

namespace catena {

// Owns its workspace: calls allocate nothing.
template <class S>
class GeneralizedForces {
 public:
  explicit GeneralizedForces(const TreeFor<S>& robot)
      : turns_(robot.joints()),
        on_link_(index(robot.joints())),
        in_world_(index(robot.joints())),
        forces_(index(robot.joints())) {}

  // In the order of q. Valid until the next call. Throws std::invalid_argument for a frame that does not exist.
  std::span<const S> find(const TreeFor<S>& robot, std::span<const S> q, std::span<const ExternalWrench<S>> wrenches) {
    joint_turns<S>(robot, q, turns_);
    gather(robot, wrenches);
    carry_inward(robot, q);
    return forces_;
  }

  // P -= ∂(Jᵀw)/∂q: docs/equations/tensor_linearized.md (13), (14).
  void lower_stiffness(const TreeFor<S>& robot, std::span<const S> q, std::span<const ExternalWrench<S>> wrenches,
                       const MatrixView<S>& P) {
    joint_turns<S>(robot, q, turns_);
    gather(robot, wrenches);
    carry_inward(robot, q);
    for (int j = robot.joints() - 1; j >= 0;
         --j) {  // everything beyond joint j moves with it, and so do the wrenches there (13)
      const auto& link = robot.link(j);
      const auto& [force, moment] = on_link_[index(j)];
      const Vec3<S> turned{-force.y, force.x, S{}};
      Wrench<S> change = link.revolute ? Wrench<S>{turned, {-moment.y, moment.x, S{}}} : Wrench<S>{{}, turned};
      for (int i = j; robot.link(i).parent != base_link; i = robot.link(i).parent) {
        const auto& step = robot.link(i);
        change = to_parent(step.tilt, turns_[i], joint_offset(step, q[index(step.q)]), change);
        const auto& ancestor = robot.link(step.parent);
        P(ancestor.q, link.q) -= felt_by_joint(ancestor.revolute, change);
      }
    }
    for (int j = 0; j < robot.joints(); ++j) {  // but those along the world's axes do not rotate (14)
      if (!robot.link(j).revolute || !gather_turned_by(robot, j, wrenches)) continue;
      carry_inward(robot, q);
      for (int i = 0; i < robot.joints(); ++i) P(i, robot.link(j).q) += forces_[index(i)];
    }
  }

 private:
  // Each joint feels the wrenches on everything beyond it.
  void carry_inward(const TreeFor<S>& robot, std::span<const S> q) {
    for (int i = robot.joints() - 1; i >= 0; --i) {
      const auto& link = robot.link(i);
      const Wrench<S>& own = on_link_[index(i)];
      forces_[index(link.q)] = link.revolute ? own.moment.z : own.force.z;
      if (link.parent == base_link) continue;
      Wrench<S>& parent = on_link_[index(link.parent)];
      const Vec3<S> force = to_parent(link.tilt, turns_[i], own.force);
      parent.force += force;
      parent.moment = add_cross(parent.moment + to_parent(link.tilt, turns_[i], own.moment),
                                joint_offset(link, q[index(link.q)]), force);
    }
  }
  // (14) The rate at which joint j would rotate the world-axes wrenches beyond it; false if there are none.
  bool gather_turned_by(const TreeFor<S>& robot, int j, std::span<const ExternalWrench<S>> wrenches) {
    for (auto& wrench : on_link_) wrench = {};
    bool any = false;
    for (const ExternalWrench<S>& w : wrenches) {
      const auto& frame = robot.frames[index(w.frame)];
      int carrier = frame.link;
      while (carrier != base_link && carrier > j) carrier = robot.link(carrier).parent;
      if (w.axes != Axes::world || carrier != j) continue;
      any = true;
      const Mat3<S> to_link = in_world_[index(frame.link)].transpose();
      const Mat3<S> to_base = static_cast<Mat3<S>>(robot.world_from_base.R.transpose());
      const Vec3<S> axis = in_world_[index(j)].column_z();
      const Vec3<S> force = to_link * cross(axis, to_base * w.force);
      on_link_[index(frame.link)].force += force;
      on_link_[index(frame.link)].moment += to_link * cross(axis, to_base * w.moment) + cross(frame.in_link.p, force);
    }
    return any;
  }
  // The wrenches in the frames of the mechanism's links, about their origins.
  void gather(const TreeFor<S>& robot, std::span<const ExternalWrench<S>> wrenches) {
    for (auto& wrench : on_link_) wrench = {};
    bool placed = false;
    for (const ExternalWrench<S>& w : wrenches) {
      require_frame(robot, w.frame, "external wrench: ");
      const auto& frame = robot.frames[index(w.frame)];
      if (frame.link == base_link) continue;  // forces on the base move nothing
      if (w.axes == Axes::world && !placed) turn_links(robot);
      placed = placed || w.axes == Axes::world;
      const Mat3<S> to_link = w.axes == Axes::world
                                  ? in_world_[index(frame.link)].transpose() * robot.world_from_base.R.transpose()
                                  : static_cast<Mat3<S>>(frame.in_link.R);
      const Vec3<S> force = to_link * w.force;
      on_link_[index(frame.link)].force += force;
      on_link_[index(frame.link)].moment += to_link * w.moment + cross(frame.in_link.p, force);
    }
  }
  // R_base_from_link of every link.
  void turn_links(const TreeFor<S>& robot) {
    for (int i = 0; i < robot.joints(); ++i) {
      const auto& link = robot.link(i);
      const Mat3<S> turn = matrix(link.tilt, turns_[i]);
      in_world_[index(i)] = link.parent == base_link ? turn : in_world_[index(link.parent)] * turn;
    }
  }

  JointTurns<S> turns_;
  Array<Wrench<S>> on_link_;
  Array<Mat3<S>> in_world_;
  Array<S> forces_;
};

}  // namespace catena

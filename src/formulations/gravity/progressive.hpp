// The weight of the links, link by link (Laus, Simoni and Martins, eq. 36): each link adds to the torques of the joints
// that move it, and no link's contribution depends on another's. Equations (1)-(3):
// docs/equations/progressive_gravity.md. In the base frame.
#pragma once

#include "formulations/inertia/progressive.hpp"

namespace catena {

struct ProgressiveGravity {
  static constexpr FormulationInfo info{"progressive", "gravity", "Laus, Simoni and Martins, eq. 36",
                                        "docs/equations/progressive_gravity.md", "none published"};

  template <class S>
  struct Workspace {
    Array<ProgressiveInertia::Place<S>> links;  // (1)
    JointTurns<S> turns;

    explicit Workspace(const TreeFor<S>& robot) : links(index(robot.joints())), turns(robot.joints()) {}
  };

  template <class S>
  static void run(const TreeFor<S>& robot, std::span<const S> q, Workspace<S>& ws, std::span<S> g) {
    joint_turns<S>(robot, q, ws.turns);
    for (S& torque : g) torque = S{};
    for (int i = 0; i < robot.joints(); ++i) {
      const auto& link = robot.link(i);
      ProgressiveInertia::place<S>(robot, q, i, ws.turns, ws.links);  // (1)
      const auto& own = ws.links[index(i)];
      const Vec3<S> com = own.origin + own.R * link.com;
      const auto weight = link.mass * robot.gravity;  // off line
      for (int j = i; j != base_link; j = robot.link(j).parent) {
        const auto& joint = ws.links[index(j)];
        const Vec3<S> z = joint.R.column_z();
        const Vec3<S> v = robot.link(j).revolute ? cross(z, com - joint.origin) : z;  // (2)
        g[index(robot.link(j).q)] -= dot(v, weight);                                  // (3)
      }
    }
  }
};

}  // namespace catena

// Planar arms of the worked examples: classic Denavit-Hartenberg rows, mass centres along the links.
#pragma once

#include <string>
#include <vector>

#include "catena/mechanism.hpp"

namespace catena::test {

struct PlanarLink {
  double length, mass, to_com, inertia;  // to_com: from the joint to the mass centre
};

inline Mechanism planar_arm(const std::vector<PlanarLink>& links) {
  Robot robot;
  robot.add_link("base");
  for (const PlanarLink& l : links) {
    JointDescription joint = classic_dh({.a = l.length}, JointType::revolute);
    joint.parent = static_cast<int>(robot.links.size()) - 1;
    const Sym3<double> inertia = Sym3<double>::diagonal(0.5 * l.inertia, l.inertia, l.inertia);  // only I_z counts
    joint.child =
        robot.add_link("link" + std::to_string(joint.parent + 1), {l.mass, {l.to_com - l.length, 0.0, 0.0}, inertia});
    joint.name = "joint" + std::to_string(joint.child);
    robot.add_joint(joint);
  }
  return make_mechanism(robot);
}

}  // namespace catena::test

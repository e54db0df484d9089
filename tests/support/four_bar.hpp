// A four-bar linkage, as a tree and the loop that closes it.
#pragma once

#include <string>

#include "catena/robot.hpp"

namespace catena::test {

struct Bars {
  double crank = 0.3, coupler = 0.8, rocker = 0.5, ground = 0.7;
};

// With these lengths the crank can turn all the way round.
inline Robot four_bar(const Bars& bars = {}) {
  Robot robot;
  robot.name = "four-bar";
  robot.add_link("ground");
  const auto add = [&](const std::string& name, const std::string& parent, double at, double length) {
    JointDescription joint;
    joint.name = name;
    joint.parent = robot.link_index(parent);
    joint.child =
        robot.add_link(name + " bar", {length, {0.5 * length, 0.0, 0.0}, Sym3<double>::diagonal(0.01, 0.1, 0.1)});
    joint.origin.p = {at, 0.0, 0.0};
    robot.add_joint(joint);
    return joint.child;
  };
  add("crank", "ground", 0.0, bars.crank);
  Pose<double> end;
  end.p = {bars.coupler, 0.0, 0.0};
  robot.add_frame("coupler end", add("coupler", "crank bar", bars.crank, bars.coupler), end);
  end.p = {bars.rocker, 0.0, 0.0};
  robot.add_frame("rocker end", add("rocker", "ground", bars.ground, bars.rocker), end);
  robot.loops = {{"closure", LoopType::revolute, {"coupler end", "rocker end"}, 0}};
  robot.independent = {"crank"};
  robot.start = {{"coupler", 0.54}, {"rocker", 0.96}};
  return robot;
}

}  // namespace catena::test

// A robot of any kind, and a state of it, from bytes.
#pragma once

#include <array>
#include <vector>

#include "catena/mechanism.hpp"
#include "fuzz/support/bytes.hpp"

namespace catena::fuzz {

// A chain or a tree, with or without drives, coupled and passive joints, a closed loop, elastic joints, a payload, a
// free base. It may be one that is not valid.
struct BuiltRobot {
  Robot robot;
  bool base_moves = false;
};
BuiltRobot build_robot(Bytes& bytes);
// No entry of its inertia matrix is larger, nor what springs, dampers and dry friction add for a unit of motion.
double largest_inertia(const Robot& robot);

// One entry of every input that a job may ask for.
struct BuiltState {
  std::vector<double> q, qd, qdd, tau, lambda, reference, base;
};
// Near the place where the loops were closed if there are some: `share` of the way.
BuiltState build_state(Bytes& bytes, const Mechanism& robot, double share);

}  // namespace catena::fuzz

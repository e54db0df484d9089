// A joint as a run has it between two events: it moves freely, slides one way or the other against dry friction, or is
// held, by dry friction or against a stop. The right-hand side goes by it, triggers watch over it, and only what
// settles an event changes its mode.
#pragma once

namespace catena {

enum class JointMode { sliding_down = -1, held = 0, sliding_up = 1, free = 2 };  // free: no dry friction, not held
enum class JointStop { none, lower, upper, both };                               // both: the limits leave no room

struct SimulatedJoint {
  JointMode mode = JointMode::free;
  JointStop stop = JointStop::none;  // the one it is at: rests against, or is leaving
  double coulomb = 0.0;
  double hold = 0.0;             // torque that keeps it held
  double low = 0.0, high = 0.0;  // what can hold it
  double slack = 0.0;            // how far hold may lie beyond its bounds before it counts

  bool held() const { return mode == JointMode::held; }
  bool slides() const { return mode == JointMode::sliding_up || mode == JointMode::sliding_down; }
};

}  // namespace catena

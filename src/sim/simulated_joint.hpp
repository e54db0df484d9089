// The state of a joint between two events of a run: it moves freely, slides one way or the other against dry friction,
// or is held, by dry friction or against a stop. The right-hand side depends on the mode, triggers watch it, and it
// changes only when an event is settled.
#pragma once

namespace catena {

enum class JointMode { sliding_down = -1, held = 0, sliding_up = 1, free = 2 };  // free: no dry friction, not held
enum class JointStop { none, lower, upper, both };                               // both: the limits leave no range

struct SimulatedJoint {
  JointMode mode = JointMode::free;
  JointStop stop = JointStop::none;  // the stop that it rests against or is leaving
  double coulomb = 0.0;              // dry friction at rest
  double hold = 0.0;                 // torque that keeps it held
  double low = 0.0, high = 0.0;      // bounds of the torque that can hold it
  double slack = 0.0;                // how far hold may exceed its bounds before a trigger fires

  bool held() const { return mode == JointMode::held; }
  bool slides() const { return mode == JointMode::sliding_up || mode == JointMode::sliding_down; }
};

}  // namespace catena

// Torque laws. Each is a function object that owns what it needs and allocates nothing when called.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "catena/model/mechanism.hpp"
#include "catena/sim/simulation.hpp"

namespace catena {

// Where the robot should be at t. All spans but q have nv entries, q has nq.
using Reference = std::function<void(double t, std::span<double> q, std::span<double> qd, std::span<double> qdd)>;
Reference hold_at(std::vector<double> q);
// Quintics between rows that meet position, speed and acceleration of both; before the first row and after the last one
// the robot stands there. Throws std::invalid_argument unless the times increase.
struct MotionRow {
  double t = 0.0;
  std::vector<double> q, qd, qdd;
};
Reference reference_table(std::vector<MotionRow> rows);

TorqueLaw zero_torque();
TorqueLaw constant_torque(std::vector<double> value);
// Straight lines between rows; the first and last row hold outside. Throws std::invalid_argument unless the times
// increase.
TorqueLaw torque_table(std::vector<double> times, std::vector<std::vector<double>> rows);

struct Gains {
  std::vector<double> kp, kd;  // one a joint, or one for all
};
// kp (q_r - q) + kd (q̇_r - q̇)
TorqueLaw pd_control(const Mechanism& robot, Gains gains, Reference reference);
// The same plus g(q).
TorqueLaw pd_gravity_control(const Mechanism& robot, Gains gains, Reference reference);
// M(q) (q̈_r + kd (q̇_r - q̇) + kp (q_r - q)) + b(q, q̇): the error decays as a linear oscillator. With passive joints the
// same holds for the others (hybrid dynamics), and the passive ones do what follows.
TorqueLaw computed_torque_control(const Mechanism& robot, Gains gains, Reference reference);
// Feedforward along the reference plus feedback: τ(q_r, q̇_r, q̈_r) + kp e + kd ė. A feedback found by linearization fits
// here too.
TorqueLaw feedforward_control(const Mechanism& robot, Gains gains, Reference reference);

}  // namespace catena

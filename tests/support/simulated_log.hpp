// Logs of arms whose parameters are known: motions that stop and go, friction that a model cannot hold, offsets, noise
// that is correlated in time.
#pragma once

#include <cmath>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "catena/call.hpp"
#include "catena/excitation.hpp"
#include "catena/identify.hpp"
#include "catena/robot_file.hpp"
#include "support/random_robot.hpp"

namespace catena::test {

inline const std::vector<std::string>& six_arms() {
  static const std::vector<std::string> names{"panda", "ur5", "puma560", "stanford", "iiwa14", "planar3r"};
  return names;
}
inline Robot arm(const std::string& name) { return load_robot(CATENA_SOURCE_DIR "/models/" + name + ".toml"); }

struct LogOfArm {
  Mechanism robot;
  std::size_t n;
  Measurements data;
};

inline double normal(Random& random) {  // Box and Muller
  return std::sqrt(-2.0 * std::log(1.0 - random.unit())) * std::cos(2.0 * std::numbers::pi * random.unit());
}

struct LogPlan {
  double duration = 20.0, rate = 100.0;  // s, Hz
  double rest = 0.0;                     // share of the time that the arm stands still, in four pauses
  double fastest = 1.5;                  // rad/s, m/s
  std::uint64_t seed = 1;
};

// A random Fourier motion, along a clock that stops where the arm rests. Torques are exact; at rest dry friction is
// held at some value between its bounds.
inline LogOfArm log_of(const Robot& description, const LogPlan& plan = {}) {
  Mechanism robot = make_mechanism(description);
  const std::size_t n = index(robot.nv());
  Random random(plan.seed);
  FourierMotion motion;
  motion.period = plan.duration, motion.harmonics = 7, motion.centre.assign(n, 0.0);
  for (std::size_t j = 0; j < n; ++j) {
    const JointLimits& limits = robot.limits(Coordinate(j));
    if (std::isfinite(limits.lower) && std::isfinite(limits.upper))
      motion.centre[j] = 0.5 * (limits.lower + limits.upper);
    for (int k = 1; k <= motion.harmonics; ++k) {
      motion.sines.push_back(plan.fastest * 0.35 * normal(random));
      motion.cosines.push_back(plan.fastest * 0.35 * normal(random));
    }
  }
  LogOfArm out{std::move(robot), n, {}};
  Measurements& data = out.data;
  data.period = 1.0 / plan.rate;
  Call<double> inverse(out.robot, "inverse");
  std::vector<double> q(n), qd(n), qdd(n), tau(n);
  const auto rows = static_cast<std::size_t>(plan.duration * plan.rate);
  const double part = plan.duration / 4.0, moving = (1.0 - plan.rest) * part;
  for (std::size_t k = 0; k < rows; ++k) {
    const double t = static_cast<double>(k) / plan.rate, within = std::fmod(t, part);
    double s = t, rate = 1.0, bend = 0.0;  // the motion's own clock
    const bool rests = plan.rest > 0.0 && within >= moving;
    if (plan.rest > 0.0) {  // from rest to rest over each part: s = part (u - sin 2πu / 2π)
      const double u = std::min(within / moving, 1.0), turn = 2.0 * std::numbers::pi;
      s = std::floor(t / part) * part + part * (u - std::sin(turn * u) / turn);
      rate = rests ? 0.0 : part / moving * (1.0 - std::cos(turn * u));
      bend = rests ? 0.0 : part / (moving * moving) * turn * std::sin(turn * u);
    }
    motion.at(s, q, qd, qdd);
    for (std::size_t j = 0; j < n; ++j) qdd[j] = qdd[j] * rate * rate + qd[j] * bend, qd[j] *= rate;
    inverse({.q = q, .qd = qd, .qdd = qdd}, tau);
    for (std::size_t j = 0; rests && j < n; ++j)
      tau[j] += out.robot.drives[TreeJoint(static_cast<int>(j))].coulomb *
                (0.6 * std::sin(0.7 * static_cast<double>(j)) - 0.2);
    for (const auto& [to, from] : {std::pair{&data.q, &q}, {&data.qd, &qd}, {&data.qdd, &qdd}, {&data.tau, &tau}})
      to->insert(to->end(), from->begin(), from->end());
  }
  return out;
}

// Noise of a first-order process with this correlation time, s: a share of each joint's mean torque.
template <class TimeOf>  // of a joint
void add_noise_of(LogOfArm& log, double share, Random& random, const TimeOf& time_of) {
  for (std::size_t j = 0; j < log.n; ++j) {
    const double time = time_of(j);
    const double keep = time > 0.0 ? std::exp(-log.data.period / time) : 0.0, fresh = std::sqrt(1.0 - keep * keep);
    double mean = 0.0, now = normal(random);
    const std::size_t rows = log.data.tau.size() / log.n;
    for (std::size_t k = 0; k < rows; ++k) mean += std::abs(log.data.tau[k * log.n + j]) / static_cast<double>(rows);
    for (std::size_t k = 0; k < rows; ++k) {
      now = keep * now + fresh * normal(random);
      log.data.tau[k * log.n + j] += share * (mean + 0.05) * now;
    }
  }
}

inline void add_noise(LogOfArm& log, double share, double time, Random& random) {
  add_noise_of(log, share, random, [=](std::size_t) { return time; });
}

// Leaves out what stands still.
inline void leave_out_rest(LogOfArm& log, double band = 1e-6) {
  log.data.used.clear();
  for (const double speed : log.data.qd) log.data.used.push_back(std::abs(speed) > band ? 1 : 0);
}

// Adds a function of the speed to a joint's torques.
template <class Function>
void add_to_torque(LogOfArm& log, std::size_t joint, Function&& of_speed) {
  for (std::size_t k = joint; k < log.data.tau.size(); k += log.n) log.data.tau[k] += of_speed(log.data.qd[k]);
}

}  // namespace catena::test

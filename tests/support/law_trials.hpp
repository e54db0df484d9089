// Robots under control laws that step: what they follow, gains that fit them, and runs.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "catena/changes.hpp"
#include "catena/control.hpp"
#include "catena/kinematics.hpp"
#include "catena/laws.hpp"
#include "catena/robot_file.hpp"

namespace catena::test {

inline Robot shipped_robot(const std::string& name) { return load_robot(find_model(name)); }

// A slow wave of every joint about a place, from rest.
inline Reference waves(std::vector<double> about, double size = 0.3) {
  return [about = std::move(about), size](double t, std::span<double> q, std::span<double> qd, std::span<double> qdd) {
    const double rise = 1.0 - std::exp(-t), rate = std::exp(-t);
    for (std::size_t j = 0; j < q.size(); ++j) {
      const double w = 1.0 + 0.2 * static_cast<double>(j % 7), s = size * std::sin(w * t),
                   c = size * w * std::cos(w * t), a = -w * w * s;
      q[j] = about[j] + rise * s;
      qd[j] = rise * c + rate * s;
      qdd[j] = rise * a + 2.0 * rate * c - rate * s;
    }
  };
}

inline FrameReference held_frame(const Mechanism& robot, int frame, std::span<const double> q) {
  Kinematics<double> kinematics(robot);
  kinematics.update(q);
  FrameTarget target;
  target.pose = kinematics.pose(frame);
  return [target](double t) {
    FrameTarget moved = target;
    const double x = 0.02 * std::sin(t) * std::sin(t);
    moved.pose.p.z += x;
    moved.velocity.z = 0.02 * std::sin(2.0 * t);
    moved.acceleration.z = 0.04 * std::cos(2.0 * t);
    return moved;
  };
}

struct Trial {
  Mechanism robot;
  LawOptions options;
  LawReference reference;
  std::vector<double> start;
  double time = 10.0, period = 1e-3;

  SimulationResult run(const TorqueLaw& law, std::size_t samples = 101) const {
    SimulationOptions set;
    set.integrator = Integrator::runge_kutta_4;
    set.period = set.step = period;
    std::vector<double> times(samples);
    for (std::size_t k = 0; k < samples; ++k)
      times[k] = time * static_cast<double>(k) / static_cast<double>(samples - 1);
    const std::vector<double> still(index(robot.nv()));
    SimulationResult result = Simulation(robot, law, set).run(start, still, times);
    EXPECT_TRUE(result.complete) << options.law << ": " << result.ended_by;
    return result;
  }
  SimulationResult run() const {
    return run(sampled_law(robot, std::make_shared<Controller>(robot, options), reference, period));
  }
};

inline QuadraticCost weights(const Mechanism& robot) {
  const double position = 100.0, speed = 1.0, torque = 1.0;
  return diagonal_cost(robot.nv(), {&position, 1}, {&speed, 1}, {&torque, 1});
}

inline LawOptions options_for(const LawInfo& law, const Mechanism& robot, const std::vector<double>& q) {
  LawOptions options;
  options.law = law.name;
  const int n = robot.nv();
  options.directions = n > 6 || (n == 6 && law.name != "null-space") ? Directions::all : Directions::translation;
  if (law.name == "hybrid")
    options.parameters["along"] =
        options.directions == Directions::all ? std::vector<double>{0, 0, 1, 0, 0, 0} : std::vector<double>{0, 0, 1};
  if (law.name == "observer") options.parameters["threshold"] = {1e3};
  for (const LawParameter& p : law.parameters)
    if (p.name == "softening") options.parameters["softening"] = {0.05};
  if (law.takes_schedule) options.schedule = regulated_gains(robot, waves(q), {0.0, 3.0, 0.1}, weights(robot));
  return options;
}

inline bool takes(const LawInfo& law, const Mechanism& robot) {
  if (robot.has_passive && !law.takes_passive) return false;
  if (law.takes_schedule && (robot.coordinates.is_closed() || robot.has_passive)) return false;
  if ((law.name == "adaptive" || law.follows != LawInfo::Follows::joints) && robot.frames[index(robot.tool)].link < 0)
    return false;
  return law.name != "null-space" || robot.nv() > 3;
}

inline Trial trial_of(const LawInfo& law, const Mechanism& robot, const std::vector<double>& q) {
  Trial run{robot, options_for(law, robot, q), {}, q};
  if (law.follows != LawInfo::Follows::frame) run.reference.joints = waves(run.start);
  if (law.follows != LawInfo::Follows::joints) run.reference.frame = held_frame(robot, robot.tool, run.start);
  run.reference.force = {0.0, 0.0, -5.0};
  run.reference.measured_force = [](double t, std::span<const double>, std::span<const double>) {
    return std::array<double, 6>{0.0, 0.0, -5.0 + 0.5 * std::sin(t)};
  };
  return run;
}

}  // namespace catena::test

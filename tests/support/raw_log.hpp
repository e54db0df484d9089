// Raw logs of a robot: what a controller would have recorded along a known motion.
#pragma once

#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include "catena/dynamics.hpp"
#include "catena/log.hpp"

namespace catena::test {

struct RawLogOptions {
  double rate = 500.0, duration = 20.0;  // Hz, s
  double encoder = 2e-5;                 // rad or m: positions are multiples of it
  double torque_noise = 0.02;            // of the torque's size
  double friction = 0.05;                // Coulomb, of the torque's size
  double rest = 0.0;                     // share of the time at which the robot stands, in the middle
  bool speeds = false;                   // measured too
  unsigned seed = 7;
};

struct RawLog {
  Log log;
  std::vector<double> q, qd, qdd;  // the truth, by rows
};

// Positions of all joints about the middle of their limits, Σ of four sines each; time stands still at rest.
class RawMotion {
 public:
  RawMotion(const Mechanism& robot, const RawLogOptions& options) : options_(options) {
    std::mt19937 random(options.seed);
    std::uniform_real_distribution<double> phase(0.0, 2.0 * std::numbers::pi), size(0.5, 1.0);
    for (const Coordinate c : robot.coordinates.all()) {
      const JointLimits& limits = robot.limits(c);
      const bool bounded = std::isfinite(limits.lower) && std::isfinite(limits.upper);
      const double range = bounded ? 0.5 * (limits.upper - limits.lower) : 1.0;
      middles_.push_back(bounded ? 0.5 * (limits.lower + limits.upper) : 0.4);
      for (int k = 0; k < 4; ++k) waves_.push_back({std::min(0.2, 0.2 * range) * size(random), phase(random)});
    }
  }
  void at(double t, std::vector<double>& q, std::vector<double>& qd, std::vector<double>& qdd) const {
    const std::size_t n = middles_.size();
    q = middles_, qd.assign(n, 0.0), qdd.assign(n, 0.0);
    const Clock clock = moved(t);
    for (std::size_t j = 0; j < n; ++j)
      for (int k = 0; k < 4; ++k) {
        const auto& [size, phase] = waves_[4 * j + static_cast<std::size_t>(k)];
        const double w = 2.0 * std::numbers::pi * (0.11 + 0.17 * k + 0.013 * static_cast<double>(j));
        const double a = w * clock.time + phase, s = size * std::sin(a), c = size * w * std::cos(a);
        q[j] += s, qd[j] += c * clock.rate, qdd[j] += c * clock.acceleration - w * w * s * clock.rate * clock.rate;
      }
  }

 private:
  struct Clock {
    double time, rate, acceleration;
  };
  // A clock that runs, slows down smoothly within a second, stands and starts again.
  Clock moved(double t) const {
    const double first = 0.5 * (1.0 - options_.rest) * options_.duration,
                 last = first + options_.rest * options_.duration;
    if (options_.rest == 0.0 || t <= first - 1.0) return {t, 1.0, 0.0};
    const auto slowing = [](double u) {  // u from 0 to 1 s before it stands: rate 1 - 3u² + 2u³
      return Clock{u - u * u * u + 0.5 * u * u * u * u, 1.0 - 3.0 * u * u + 2.0 * u * u * u, -6.0 * u + 6.0 * u * u};
    };
    if (t < first) {
      const Clock own = slowing(t - first + 1.0);
      return {first - 1.0 + own.time, own.rate, own.acceleration};
    }
    if (t <= last) return {first - 0.5, 0.0, 0.0};
    if (t >= last + 1.0) return {t - (last - first) - 1.0, 1.0, 0.0};
    const Clock own = slowing(last + 1.0 - t);
    return {first - own.time, own.rate, -own.acceleration};
  }

  RawLogOptions options_;
  std::vector<double> middles_;
  struct Wave {
    double size, phase;
  };
  std::vector<Wave> waves_;
};

inline RawLog raw_log(const Mechanism& robot, const RawLogOptions& options = {}) {
  const std::size_t n = static_cast<std::size_t>(robot.nv());
  const auto rows = static_cast<std::size_t>(options.rate * options.duration);
  const RawMotion motion(robot, options);
  RawLog out;
  out.log.joints = coordinate_names(robot);
  InverseDynamics<double> inverse(robot);
  std::vector<double> q, qd, qdd, tau(n), sizes(n, 0.0);
  for (std::size_t i = 0; i < rows; ++i) {
    const double t = static_cast<double>(i) / options.rate;
    motion.at(t, q, qd, qdd);
    inverse(q, qd, qdd, tau);
    out.log.t.push_back(t);
    out.q.insert(out.q.end(), q.begin(), q.end()), out.qd.insert(out.qd.end(), qd.begin(), qd.end());
    out.qdd.insert(out.qdd.end(), qdd.begin(), qdd.end());
    out.log.tau.insert(out.log.tau.end(), tau.begin(), tau.end());
    for (std::size_t j = 0; j < n; ++j) {
      sizes[j] += tau[j] * tau[j] / static_cast<double>(rows);
      out.log.q.push_back(options.encoder > 0.0 ? options.encoder * std::round(q[j] / options.encoder) : q[j]);
    }
  }
  std::mt19937 random(options.seed + 1);
  std::normal_distribution<double> normal;
  for (std::size_t k = 0; k < out.log.tau.size(); ++k) {
    const double size = std::sqrt(sizes[k % n]);
    const double speed = out.qd[k];
    out.log.tau[k] += options.torque_noise * size * normal(random) + options.friction * size *
                                                                         (speed > 0.0   ? 1.0
                                                                          : speed < 0.0 ? -1.0
                                                                                        : 0.3);
  }
  if (options.speeds) out.log.qd = out.qd;
  return out;
}

}  // namespace catena::test

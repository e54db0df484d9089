// What the controller of an arm would log: clock, encoders and currents, with all that real ones have, and the truth.
#pragma once

#include "catena/changes.hpp"
#include "catena/log.hpp"
#include "catena/model/parameters.hpp"
#include "support/simulated_log.hpp"

namespace catena::test {

struct RawDrive {
  double viscous, coulomb, excess, width;  // fv v + (fc + fs exp(-(v/w)²)) sign(v)
  double rotor, offset, gain, noise;       // noise: standard deviation of the correlated part, N m or N
};

struct RawPlan {
  double duration = 48.0, rate = 125.0;  // s, Hz
  double rest = 1.0 / 3.0;               // share of the rows in which the arm stands
  double fastest = 1.5;                  // rad/s, m/s
  double noise = 0.02;                   // of the size of each joint's torque
  double correlation = 0.04;             // s, of the noise
  double encoder = 1e-5;                 // rad, m
  double jitter = 0.2, missing = 0.002, doubled = 0.001;
  std::uint64_t seed = 1;
};

// An arm with drives of its own, and torques along a motion, without and with a load at the tool.
struct RawArm {
  Robot description;  // with the true friction, Stribeck's part excepted, and rotors
  Mechanism robot, loaded;
  std::vector<double> load;  // what it adds to θ
  std::vector<RawDrive> drives;
  RawPlan plan;
  LogOfArm exact, exact_loaded;

  std::size_t n() const { return drives.size(); }
};

inline std::vector<double> sizes_of(const LogOfArm& log) {
  std::vector<double> out(log.n, 0.0);
  for (std::size_t k = 0; k < log.data.tau.size(); ++k) out[k % log.n] += log.data.tau[k] * log.data.tau[k];
  double largest = 0.0;
  for (double& own : out) {
    own = std::sqrt(own * static_cast<double>(log.n) / static_cast<double>(log.data.tau.size()));
    largest = std::max(largest, own);
  }
  for (double& own : out) own += 0.02 * largest;
  return out;
}

inline RawArm raw_arm(const std::string& name, const Inertial& load, const RawPlan& plan = {}) {
  Robot rigid = arm(name);
  for (JointDescription& joint : rigid.joints)
    joint.drive.viscous = joint.drive.coulomb = joint.drive.rotor_inertia = 0;
  const LogPlan motion{
      .duration = plan.duration, .rate = plan.rate, .rest = plan.rest, .fastest = plan.fastest, .seed = plan.seed};
  const LogOfArm without = log_of(rigid, motion);
  const std::vector<double> sizes = sizes_of(without);
  Random random(plan.seed + 100);
  std::vector<RawDrive> drives;
  Robot real = rigid;
  for (std::size_t j = 0; j < sizes.size(); ++j) {
    const double size = sizes[j], coulomb = size * random.between(0.15, 0.25);
    drives.push_back({size * random.between(0.05, 0.1), coulomb, coulomb * random.between(0.3, 0.5),
                      random.between(0.1, 0.15), size * random.between(0.02, 0.05), size * random.between(-0.05, 0.05),
                      random.between(5.0, 15.0), plan.noise * size});
  }
  const std::vector<int> moving = real.moving_joints();
  for (std::size_t j = 0; j < drives.size(); ++j) {
    JointDrive& drive = real.joints[static_cast<std::size_t>(moving[j])].drive;
    drive.viscous = drives[j].viscous, drive.coulomb = drives[j].coulomb, drive.gear_ratio = 1.0;
    drive.rotor_inertia = drives[j].rotor;
  }
  const Robot heavy = add_payload(real, "", load);
  LogPlan same = motion;
  RawArm out{real, make_mechanism(real), make_mechanism(heavy), {}, drives,
             plan, log_of(real, same),   log_of(heavy, same)};
  out.load = standard_parameters(out.loaded);
  const std::vector<double> own = standard_parameters(out.robot);
  for (std::size_t k = 0; k < own.size(); ++k) out.load[k] -= own[k];
  return out;
}

// One draw of the noise, as a log of currents (or torques). At rest friction is what the pause before left it at.
inline Log draw_of(const RawArm& own, bool loaded, bool currents, Random& random) {
  const LogOfArm& exact = loaded ? own.exact_loaded : own.exact;
  const std::size_t n = own.n(), rows = exact.data.q.size() / n;
  const double keep = std::exp(-1.0 / (own.plan.rate * own.plan.correlation)), fresh = std::sqrt(1.0 - keep * keep);
  Log out;
  out.joints = coordinate_names(own.robot);
  std::vector<double> drift(n), held(n);
  for (std::size_t j = 0; j < n; ++j) drift[j] = normal(random), held[j] = random.between(-0.8, 0.8);
  for (std::size_t k = 0; k < rows; ++k) {
    std::vector<double> q, tau;
    for (std::size_t j = 0; j < n; ++j) {
      const RawDrive& drive = own.drives[j];
      const double v = exact.data.qd[k * n + j], sign = v > 0.0 ? 1.0 : v < 0.0 ? -1.0 : held[j];
      drift[j] = keep * drift[j] + fresh * normal(random);
      double torque = exact.data.tau[k * n + j] + drive.offset + drive.noise * (drift[j] + 0.5 * normal(random));
      torque += drive.excess * std::exp(-(v / drive.width) * (v / drive.width)) * sign;
      q.push_back(own.plan.encoder * std::round(exact.data.q[k * n + j] / own.plan.encoder));
      tau.push_back(currents ? torque / drive.gain : torque);
    }
    const double t = 1000.0 + (static_cast<double>(k) + own.plan.jitter * random.between(-1.0, 1.0)) / own.plan.rate;
    const int times = random.unit() < own.plan.missing ? 0 : random.unit() < own.plan.doubled ? 2 : 1;
    for (int copy = 0; copy < times; ++copy) {
      out.t.push_back(t);
      out.q.insert(out.q.end(), q.begin(), q.end());
      out.tau.insert(out.tau.end(), tau.begin(), tau.end());
    }
  }
  return out;
}

// As the program sets it for a log.
inline IdentificationOptions options_for(const PreparedLog& log, std::vector<JointFriction> friction = {},
                                         bool offsets = false) {
  IdentificationOptions out;
  out.weights_from_residuals = true, out.friction = std::move(friction), out.offsets = offsets;
  out.cutoff = log.filter.cutoff, out.filter_order = log.filter.order, out.decimate = log.decimation;
  return out;
}

// The true value of an estimate.
inline double truth_of(const RawArm& own, const Estimate& estimate) {
  const std::string& text = estimate.parameter.text;
  const auto joint = [&](std::size_t from) { return static_cast<std::size_t>(std::atoi(text.c_str() + from)) - 1; };
  if (text.starts_with("offset")) return own.drives[joint(6)].offset;
  if (text.starts_with("fs")) return own.drives[joint(2)].excess;
  if (text.starts_with("speed of friction")) return own.drives[joint(18)].width;
  for (std::size_t j = 0; j < own.n(); ++j)
    if (text == "gain of " + own.robot.name_of(Coordinate(j))) return own.drives[j].gain;
  return estimate.parameter.nominal;
}

}  // namespace catena::test

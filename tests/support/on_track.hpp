// Arms on real tracks whose motion is prescribed: what a base that moves as it is told is held against.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catena/base_motion.hpp"
#include "catena/call.hpp"
#include "catena/changes.hpp"
#include "catena/kinematics.hpp"
#include "support/factor_robots.hpp"
#include "support/random_robot.hpp"
#include "support/tolerances.hpp"

namespace catena::test {

// Joints one behind the other that carry something: slides, turntables, or both, anywhere.
inline Robot random_track(Random& random, int joints) {
  Robot track;
  track.add_link("ground");
  for (int k = 0; k < joints; ++k) {
    const int link = track.add_link("carriage" + std::to_string(k), random_inertial(random));
    JointDescription joint;
    joint.name = "track" + std::to_string(k);
    joint.type = random.chance(0.5) ? JointType::prismatic : JointType::revolute;
    joint.parent = link - 1, joint.child = link;
    joint.origin = {random.rotation(), random.vector(1.0)};
    joint.axis = random.direction();
    track.add_joint(joint);
  }
  track.gravity = 9.81 * random.direction();
  return track;
}

// An arm on a track in some state; the arm alone, with gravity as it is along the axes of its base link; and how that
// link moves.
struct OnTrack {
  Robot arm, whole;
  State x, all;  // of the arm, and with the track's joints before it
  Pose<double> base;
  BaseMotion<double> motion;
};
inline OnTrack put_on_track(Random& random, Robot arm, const State& x, int joints) {
  const Robot track = random_track(random, joints);
  OnTrack out{std::move(arm), {}, x, random_state(random, joints), {}, {}};
  const int carriage = static_cast<int>(track.links.size()) - 1;
  Kinematics<double> kinematics(make_mechanism(track));
  kinematics.update(out.all.q, out.all.qd, out.all.qdd);
  const Pose<double> at = kinematics.pose(carriage);
  const FrameMotion<double> moves = kinematics.motion(carriage);
  JointDescription mount;
  mount.type = JointType::fixed;
  mount.origin = {random.rotation(), random.vector(0.5)};
  out.base = at * mount.origin;
  const Vec3<double> arm_of = at.R * mount.origin.p;
  const Mat3<double> to_link = out.base.R.transpose();
  const Vec3<double> v = moves.velocity + cross(moves.omega, arm_of);
  const Vec3<double> a =
      moves.acceleration + cross(moves.omega_dot, arm_of) + cross(moves.omega, cross(moves.omega, arm_of));
  out.motion = {to_link * v, to_link * moves.omega, to_link * (a - cross(moves.omega, v)), to_link * moves.omega_dot};
  out.arm.gravity = to_link * track.gravity;
  out.whole = join(track, track.links.back().name, out.arm, mount, "arm_");
  for (auto [list, own] : {std::pair(&out.all.q, &x.q), {&out.all.qd, &x.qd}, {&out.all.qdd, &x.qdd}})
    list->insert(list->end(), own->begin(), own->end());
  return out;
}
inline OnTrack on_track(std::uint64_t seed, int joints, bool regular_inertia = false, bool coupled = false) {
  Random random(seed + 7'000'000);
  RobotSample arm = sample(seed, joints);
  if (regular_inertia) {
    Regular made = regular(seed, joints);
    arm = {made.robot, made.x};
  }
  if (coupled) {
    couple_some(random, arm.robot, 0.5);
    arm.state = random_state(random, arm.robot.dof());
  }
  return put_on_track(random, std::move(arm.robot), arm.state, 1 + random.below(4));
}
inline Values last_of(const Values& values, std::size_t n) {
  return {values.end() - static_cast<std::ptrdiff_t>(n), values.end()};
}
inline std::string label_of(std::uint64_t seed, std::string_view method) {
  return "robot " + std::to_string(seed) + ", " + (method.empty() ? "default" : std::string(method));
}

// A frame of the arm on the whole; and wrenches on the arm, whose world is its base link.
inline int on_whole(const Mechanism& arm, const Mechanism& whole, int frame) {
  const std::string& name = arm.frames[index(frame)].name;
  const int prefixed = whole.frame_index("arm_" + name);
  return prefixed < 0 ? whole.frame_index(name) : prefixed;
}
inline std::vector<ExternalWrench<double>> on_whole(const OnTrack& c, const Mechanism& arm, const Mechanism& whole,
                                                    std::vector<ExternalWrench<double>> wrenches) {
  for (auto& w : wrenches) {
    w.frame = on_whole(arm, whole, w.frame);
    if (w.axes == Axes::world) w.force = c.base.R * w.force, w.moment = c.base.R * w.moment;
  }
  return wrenches;
}

inline Values call_job(const Mechanism& robot, std::string_view job, std::string_view method,
                       const Inputs<double>& in) {
  Call<double> call(robot, job, method);
  Values out(call.size());
  call(in, out);
  return out;
}
inline Values call_moving(const Mechanism& robot, std::string_view job, std::string_view method, Inputs<double> in,
                          const BaseMotion<double>& motion) {
  const auto told = motion.numbers();
  in.base = told;
  return call_job(on_moving_base(robot), job, method, in);
}
// The formulations of a job that serve; "" is the default. Others say that they do not.
inline std::vector<std::string_view> serving(const Mechanism& robot, std::string_view job) {
  std::vector<std::string_view> names{std::string_view()};
  const Mechanism moving = on_moving_base(robot);
  for (const FormulationInfo& f : job_info(job).formulations) {
    if (job_info(job).serves(moving, f.name)) {
      names.push_back(f.name);
    } else {
      EXPECT_THROW(Call<double>(moving, job, f.name), std::invalid_argument) << job << " by " << f.name;
    }
  }
  return names;
}

}  // namespace catena::test

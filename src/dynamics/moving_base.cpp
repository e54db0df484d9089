#include "catena/dynamics/around/moving_base.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>

#include "catena/dynamics/checks.hpp"

namespace catena {
namespace {

constexpr std::size_t six = base_joints;

// One of the six: its z is an axis of the base frame, its x the axis after the next, so that each is turned from the
// one before it by a right angle about x and one about z. The last is the base frame itself. (2)
LinkConstants<double> base_link(int i) {
  LinkConstants<double> link;
  link.parent = i - 1;  // of the first: base
  link.q = i;
  link.revolute = i >= 3;
  if (i == 0) return link;
  link.tilt.cos_alpha = 0.0, link.tilt.sin_alpha = 1.0;
  link.z_in_parent = {0.0, -1.0, 0.0};
  if (i + 1 == base_joints) return link;
  link.fixed_turn = {0.0, 1.0};
  link.theta = 0.5 * std::numbers::pi;
  return link;
}

// Rigid and without weight.
Mechanism bare(Mechanism robot) {
  robot.gravity = {};
  std::fill(robot.drives.begin(), robot.drives.end(), DriveConstants<double>{});
  for (CoupledJoint<double>& joint : robot.coupled) joint.drive = {};
  robot.has_drives = false;
  std::fill(robot.passive.begin(), robot.passive.end(), 0);
  robot.has_passive = false;
  robot.flat = false;
  return robot;
}

template <class S>
bool finite(const Vec3<S>& v) {
  return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z);
}

template <class S>
void put(const Vec3<S>& v, S* at) {
  at[0] = v.x, at[1] = v.y, at[2] = v.z;
}

}  // namespace

Mechanism on_moving_base(const Mechanism& robot) {
  require_fixed_base(robot, "a base that moves as it is told does");
  Mechanism out = bare(robot);
  out.links.clear();
  for (int i = 0; i < base_joints; ++i) out.links.push_back(base_link(i));
  for (LinkConstants<double> link : robot.links) {
    link.parent += base_joints;  // base itself becomes the last of the six
    link.q += base_joints;
    out.links.push_back(link);
  }
  for (auto& frame : out.frames) frame.link += base_joints;
  out.drives.insert(out.drives.begin(), six, {});
  out.limits.insert(out.limits.begin(), six, {});
  out.passive.insert(out.passive.begin(), six, 0);
  const char* const names[] = {"base_px", "base_py", "base_pz", "base_rx", "base_ry", "base_rz"};
  out.joint_names.insert(out.joint_names.begin(), std::begin(names), std::end(names));
  if (robot.is_coupled()) {
    for (CoupledJoint<double>& joint : out.coupled)
      for (auto& term : joint.terms) term.coordinate += base_joints;
    std::vector<CoupledJoint<double>> own;
    for (int i = 0; i < base_joints; ++i) own.push_back({names[i], {{i, 1.0}}, 0.0, {}, {}});
    out.coupled.insert(out.coupled.begin(), own.begin(), own.end());
  }
  out.has_prismatic = true;
  // Frame 0 at zero: its z the first axis of the base frame, its x the third.
  constexpr Vec3<double> x{1.0, 0.0, 0.0}, y{0.0, 1.0, 0.0}, z{0.0, 0.0, 1.0};
  out.world_from_base.R = robot.world_from_base.R * Mat3<double>::from_columns(z, -y, x);
  compute_augmented_links(out);
  return out;
}

bool follows_base(const JobInfo& job) {
  return job.takes(Input::qd) && (job.wrenches == WrenchRole::lower_result ||
                                  job.wrenches == WrenchRole::add_to_torques || job.wrenches == WrenchRole::by_joint);
}
bool depends_on_base(const JobInfo& job) { return job.wrenches != WrenchRole::none; }

template <class S>
MovingBase<S>::MovingBase(const Mechanism& robot)
    : link_from_base_{static_cast<Mat3<S>>(robot.world_from_base.R), static_cast<Vec3<S>>(robot.world_from_base.p)},
      passive_(robot.passive),
      moving_(on_moving_base(robot), "inverse"),
      still_(bare(robot), "bias") {
  const std::size_t n = index(robot.nv());
  for (auto* list : {&q_, &qd_, &qdd_, &all_}) list->resize(six + n);
  for (auto* list : {&alone_, &forces_, &given_, &lowered_}) list->resize(n);
}

// Rates and accelerations of the six joints.
template <class S>
void MovingBase<S>::set_base(const BaseMotion<S>& motion) {
  const auto& [v_link, w_link, a_link, alpha_link] = motion;
  if (!finite(v_link) || !finite(w_link) || !finite(a_link) || !finite(alpha_link))
    throw std::domain_error("the motion of the base is not a finite number");
  const Mat3<S> to_base = link_from_base_.R.transpose();
  const Vec3<S>& p = link_from_base_.p;
  const Vec3<S> w = to_base * w_link, alpha = to_base * alpha_link;  // (3)
  const Vec3<S> v = to_base * (v_link + cross(w_link, p)), a = to_base * (a_link + cross(alpha_link, p));
  put(v, &qd_[0]);
  put(w, &qd_[3]);
  put(a + cross(w, v), &qdd_[0]);  // (4)
  put(alpha + Vec3<S>{-w.y * w.z, w.x * w.z, -w.x * w.y}, &qdd_[3]);
}

template <class S>
std::span<const S> MovingBase<S>::forces(std::span<const S> q, std::span<const S> qd, const BaseMotion<S>& motion) {
  const std::size_t n = forces_.size();
  require_length(q.size(), n, "q");
  require_length(qd.size(), n, "qd");
  set_base(motion);
  std::copy(q.begin(), q.end(), q_.begin() + six);
  std::copy(qd.begin(), qd.end(), qd_.begin() + six);
  still_({.q = q, .qd = qd}, alone_);  // names what is not finite
  moving_({.q = q_, .qd = qd_, .qdd = qdd_}, all_);
  for (std::size_t j = 0; j < n; ++j) forces_[j] = all_[six + j] - alone_[j];  // (5)
  return forces_;
}

template <class S>
void MovingBase<S>::run(Call<S>& call, const Inputs<S>& in, const BaseMotion<S>& motion, std::span<S> out) {
  const JobInfo& job = call.job();
  if (!follows_base(job))
    throw std::invalid_argument("a moving base has no part in the job '" + std::string(job.name) + "'");
  if (call.n() != static_cast<int>(forces_.size()))
    throw std::invalid_argument("the call and the moving base are of robots with different joints");
  forces(in.q, in.qd, motion);
  if (job.wrenches == WrenchRole::lower_result) {  // (6)
    call(in, out);
    for (std::size_t j = 0; j < out.size(); ++j) out[j] += forces_[j];
    return;
  }
  require_length(in.tau.size(), given_.size(), "tau");
  for (std::size_t j = 0; j < given_.size(); ++j) given_[j] = in.tau[j], lowered_[j] = in.tau[j] - forces_[j];
  Inputs<S> inside = in;
  inside.tau = lowered_;
  call(inside, out);
  if (job.wrenches != WrenchRole::by_joint) return;
  const std::span<S> tau = out.last(given_.size());
  for (std::size_t j = 0; j < tau.size(); ++j) tau[j] = passive_[j] != 0 ? given_[j] : tau[j] + forces_[j];
}

template class MovingBase<double>;
template class MovingBase<float>;

}  // namespace catena

#include "fuzz/support/built_robot.hpp"

#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "catena/changes.hpp"
#include "catena/validate.hpp"
#include "model/free_base.hpp"

namespace catena::fuzz {
namespace {

constexpr int most_joints = 8;
constexpr double longest = 2.0;

enum Trait : unsigned { branched = 1, driven = 2, coupled = 4, passive = 8, looped = 16, elastic = 32, loaded = 64 };

double length(const Vec3<double>& v) { return std::sqrt(dot(v, v)); }

Pose<double> pose_of(Bytes& bytes) {
  Pose<double> pose{.p = bytes.vector(longest)};
  if (bytes.chance()) pose.R = rotation_from_rpy(bytes.vector(3.2));
  return pose;
}

Vec3<double> axis_of(Bytes& bytes) {
  constexpr std::array<Vec3<double>, 6> along{{{0, 0, 1}, {0, 1, 0}, {1, 0, 0}, {0, 0, -1}, {0, -1, 0}, {-1, 0, 0}}};
  const int kind = bytes.below(8);
  if (kind < 6) return along[static_cast<std::size_t>(kind)];
  const Vec3<double> v = bytes.vector(1.0);
  return length(v) > 1e-3 ? (1.0 / length(v)) * v : along[0];
}

// Second moments that are not negative: a body that can exist.
Inertial inertial_of(Bytes& bytes) {
  Inertial body{bytes.size(), bytes.vector(longest), {}};
  const double x = body.mass * bytes.size(), y = body.mass * bytes.size(), z = body.mass * bytes.size();
  constexpr double square = 1e-2;
  body.inertia = Sym3<double>::diagonal(square * (y + z), square * (x + z), square * (x + y));
  if (bytes.chance()) body.inertia = congruence(rotation_from_rpy(bytes.vector(3.2)), body.inertia);
  return body;
}

JointDrive drive_of(Bytes& bytes) {
  JointDrive drive;
  const unsigned has = bytes.byte();
  if ((has & 1U) != 0) drive.viscous = bytes.size();
  if ((has & 2U) != 0) drive.coulomb = bytes.size();
  if ((has & 4U) != 0) drive.rotor_inertia = bytes.size(), drive.gear_ratio = bytes.number(100.0);
  if ((has & 8U) != 0) drive.spring = bytes.size(), drive.spring_rest = bytes.number(1.0);
  if ((has & 16U) != 0) drive.stribeck = bytes.size(), drive.stribeck_speed = 0.01 + bytes.size();
  if ((has & 32U) != 0) drive.offset = bytes.number(10.0);
  return drive;
}

class Builder {
 public:
  explicit Builder(Bytes& bytes) : bytes_(bytes), traits_(bytes.byte()) {}

  BuiltRobot build() {
    const int base = bytes_.below(4), joints = 1 + bytes_.below(most_joints);
    robot_.name = "built";
    robot_.add_link("base", inertial_of(bytes_));
    places_.emplace_back();
    for (int k = 0; k < joints; ++k) add_joint();
    if (has(coupled)) couple();
    if (has(looped)) close();
    if (bytes_.chance()) robot_.gravity = bytes_.vector(10.0);
    robot_.add_frame("probe", bytes_.below(links()), pose_of(bytes_));
    if (has(loaded)) robot_ = add_payload(robot_, "probe", inertial_of(bytes_));
    if (base == 2) robot_ = on_free_base(std::move(robot_));
    return {std::move(robot_), base == 3};
  }

 private:
  bool has(Trait trait) const { return (traits_ & trait) != 0; }
  int links() const { return static_cast<int>(robot_.links.size()); }

  void add_joint() {
    JointDescription joint;
    const int kind = bytes_.below(8);
    joint.type = kind < 4 ? JointType::revolute : kind < 7 ? JointType::prismatic : JointType::fixed;
    joint.name = "joint" + std::to_string(links());
    joint.parent = has(branched) ? bytes_.below(links()) : links() - 1;
    joint.origin = pose_of(bytes_);
    joint.axis = axis_of(bytes_);
    if (bytes_.chance()) joint.child_frame = pose_of(bytes_);
    if (has(driven) && joint.moves()) joint.drive = drive_of(bytes_);
    joint.passive = has(passive) && joint.moves() && bytes_.chance();
    if (has(elastic) && joint.moves() && joint.drive.rotor_inertia > 0.0 && bytes_.chance())
      joint.elastic = {1.0 + bytes_.size(), bytes_.size(), bytes_.chance()};
    joint.child = robot_.add_link("link" + std::to_string(links()), inertial_of(bytes_));
    starts_.push_back(bytes_.number(1.0));
    const Pose<double> moved =
        joint.type == JointType::revolute    ? Pose<double>{rotation_about(joint.axis, starts_.back()), {}}
        : joint.type == JointType::prismatic ? Pose<double>{Mat3<double>::identity(), starts_.back() * joint.axis}
                                             : Pose<double>{};
    places_.push_back(places_[static_cast<std::size_t>(joint.parent)] * joint.origin * moved * joint.child_frame);
    robot_.add_joint(joint);
  }

  // Each may follow those before it.
  void couple() {
    for (std::size_t k = 1; k < robot_.joints.size(); ++k) {
      JointDescription& joint = robot_.joints[k];
      if (!joint.moves() || !bytes_.chance()) continue;
      for (int terms = 1 + bytes_.below(2); terms > 0; --terms) {
        const auto master = static_cast<std::size_t>(bytes_.below(static_cast<int>(k)));
        joint.coupling.terms.push_back({robot_.joints[master].name, bytes_.number(3.0)});
      }
      joint.coupling.offset = bytes_.number(1.0);
      joint.passive = false;
    }
  }

  // Between two links where they are at the start: the loop is closed there.
  void close() {
    const int a = bytes_.below(links()), b = bytes_.below(links());
    const Pose<double> on_a = pose_of(bytes_), place = places_[static_cast<std::size_t>(a)] * on_a;
    robot_.add_frame("left", a, on_a);
    robot_.add_frame("right", b, places_[static_cast<std::size_t>(b)].inverse() * place);
    robot_.loops.push_back({"loop", static_cast<LoopType>(bytes_.below(7)), {"left", "right"}});
    for (std::size_t k = 0; k < robot_.joints.size(); ++k)
      if (robot_.joints[k].moves() && !robot_.joints[k].is_coupled()) robot_.start[robot_.joints[k].name] = starts_[k];
  }

  Bytes& bytes_;
  unsigned traits_;
  Robot robot_;
  std::vector<Pose<double>> places_;  // of the links at the start
  std::vector<double> starts_;        // of the joints
};

void fill(Bytes& bytes, std::vector<double>& values, int count, double range) {
  for (int k = 0; k < count; ++k) values.push_back(bytes.number(range));
}

// x, y, z and a quaternion of length 1, which is the identity where the bytes give none.
void set_free_pose(std::vector<double>& q) {
  double square = 0.0;
  for (std::size_t k = 3; k < 7; ++k) square += q[k] * q[k];
  for (std::size_t k = 3; k < 7; ++k) q[k] = square > 1e-6 ? q[k] / std::sqrt(square) : k == 6 ? 1.0 : 0.0;
}

}  // namespace

BuiltRobot build_robot(Bytes& bytes) { return Builder(bytes).build(); }

double largest_inertia(const Robot& robot) {
  double reach = 1.0, inertia = 0.0, drives = 0.0, ties = 1.0;
  std::map<std::string, double> by_master;  // how far a joint goes for a unit of those that it follows
  for (const JointDescription& joint : robot.joints) {
    double factor = 0.0;
    for (const CouplingTerm& term : joint.coupling.terms) factor += std::abs(term.factor) * by_master[term.joint];
    by_master[joint.name] = factor = joint.is_coupled() ? factor : 1.0;
    ties = std::max(ties, factor);
    reach += length(joint.origin.p) + length(joint.child_frame.p);
    if (joint.type == JointType::prismatic) reach += 4.0 * factor + std::abs(joint.coupling.offset);
    const JointDrive& d = joint.drive;
    drives +=
        d.gear_ratio * d.gear_ratio * d.rotor_inertia + d.viscous + d.dry_friction() + d.spring + std::abs(d.offset);
    if (joint.elastic) drives += joint.elastic->stiffness + joint.elastic->damping;
  }
  for (const LinkDescription& link : robot.links) {
    const double arm = reach + length(link.inertial.com);
    inertia += link.inertial.mass * arm * arm + link.inertial.inertia.trace();
  }
  return (inertia + drives) * ties * ties;
}

BuiltState build_state(Bytes& bytes, const Mechanism& robot, double share) {
  BuiltState x;
  fill(bytes, x.q, robot.nq(), 3.2);
  for (std::vector<double>* each : {&x.qd, &x.qdd, &x.tau, &x.lambda, &x.reference})
    fill(bytes, *each, robot.nv(), 4.0);
  if (robot.coordinates.is_moving()) fill(bytes, x.base, base_motion_size, 4.0);
  const Closure<double>& closure = robot.coordinates.closure;
  for (std::size_t m = 0; m < closure.movers.size(); ++m)
    if (const int c = closure.coordinate[m]; c >= 0) {
      double& q = x.q[robot.coordinates.position_of(Coordinate(c))];
      q = closure.closed[m] + share * q;
    }
  if (robot.coordinates.is_free()) set_free_pose(x.q);
  return x;
}

}  // namespace catena::fuzz

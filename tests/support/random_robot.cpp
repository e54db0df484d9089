#include "support/random_robot.hpp"

#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <string>
#include <utility>

#include "catena/validate.hpp"
#include "coordinates/placement.hpp"
#include "model/free_base.hpp"

namespace catena::test {
namespace {

// Fisher-Yates with our own draws: std::shuffle differs between standard libraries.
std::vector<int> permutation(Random& random, int n) {
  std::vector<int> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  for (int i = n - 1; i > 0; --i)
    std::swap(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(random.below(i + 1))]);
  return order;
}

Vec3<double> random_axis(Random& random, bool aligned) {
  if (!aligned || random.chance(0.4)) return random.direction();
  constexpr Vec3<double> axes[] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
  return axes[random.below(6)];
}

Pose<double> random_pose(Random& random, bool aligned) {
  Pose<double> pose{random.rotation(), random.vector(0.5)};
  if (!aligned) return pose;
  switch (random.below(5)) {
    case 0:
      pose.R = random.right_angle_rotation();
      break;
    case 1:
      pose.R = Mat3<double>::identity();
      break;
    case 2:  // 90° as a file gives it: cos comes out as 6e-17
      pose.R = rotation_from_rpy({random.below(4) * std::numbers::pi / 2, 0.0, random.below(4) * std::numbers::pi / 2});
      break;
    default:
      break;
  }
  switch (random.below(4)) {
    case 0:
      pose.p = {};
      break;
    case 1:
      pose.p = {0.0, 0.0, random.between(-0.5, 0.5)};
      break;
    case 2:
      pose.p = {random.between(-0.5, 0.5), 0.0, 0.0};
      break;
    default:
      break;
  }
  return pose;
}

// Half of them have springs, half offsets, half Stribeck friction, of numbers that were drawn for the rest.
JointDrive random_drive(Random& random) {
  JointDrive drive{random.between(0.0, 2.0), random.between(0.0, 1.0), random.between(0.0, 1e-3),
                   random.between(-100.0, 100.0)};
  if (drive.viscous > 1.0) drive.spring = 20.0 * drive.coulomb, drive.spring_rest = 0.01 * drive.gear_ratio;
  if (drive.gear_ratio > 0.0) drive.offset = drive.viscous - 1.0;
  if (drive.coulomb > 0.5) drive.stribeck = 0.6 * drive.viscous, drive.stribeck_speed = drive.coulomb;
  return drive;
}

// Grows a robot link by link.
class Builder {
 public:
  Builder(Random& random, const RobotOptions& options) : random_(random), options_(options) {}

  Robot build() {
    robot_.name = "random";
    robot_.add_link("base", random_.chance(0.5) ? random_inertial(random_) : Inertial{});
    int tip = 0;
    for (int k = 0; k < options_.joints; ++k) {
      const bool without_mass = massless(0.1);  // one after the other: compilers order arguments as they like
      const JointType type = moving_type();
      tip = attach(choose_parent(tip), type, without_mass);
      if (options_.fixed_links && random_.chance(0.25)) {
        const int fixed = attach(tip, JointType::fixed, massless(0.3));
        if (random_.chance(0.7)) tip = fixed;  // otherwise it stays a side branch
      }
    }
    if (options_.fixed_links && random_.chance(0.2)) attach(0, JointType::fixed, false);  // rides on the base
    for (int k = random_.below(3); k >= 0; --k) {
      const Pose<double> pose = random_pose(random_, false);
      const int link = random_.below(links());
      robot_.add_frame("frame" + std::to_string(k), link, pose);
    }
    if (random_.chance(0.3)) robot_.tool = robot_.frames.front().name;
    if (random_.chance(0.8)) robot_.gravity = random_.chance(0.1) ? Vec3<double>{} : 9.81 * random_.direction();
    if (options_.shuffled && random_.chance(0.4)) shuffle_joints();
    if (options_.shuffled && random_.chance(0.2)) shuffle_links();
    return robot_;
  }

 private:
  int links() const { return static_cast<int>(robot_.links.size()); }
  bool massless(double probability) { return options_.massless_links && random_.chance(probability); }

  int choose_parent(int tip) {
    if (options_.shape == Shape::chain || random_.chance(0.6)) return tip;
    return random_.below(links());
  }

  JointType moving_type() {
    if (options_.mix == JointMix::revolute) return JointType::revolute;
    if (options_.mix == JointMix::prismatic) return JointType::prismatic;
    return random_.chance(0.65) ? JointType::revolute : JointType::prismatic;
  }

  int attach(int parent, JointType type, bool without_mass) {
    const int link =
        robot_.add_link("link" + std::to_string(links()), without_mass ? Inertial{} : random_inertial(random_));
    JointDescription joint;
    joint.name = "joint" + std::to_string(link);
    joint.type = type;
    joint.parent = parent;
    joint.child = link;
    joint.origin = random_pose(random_, options_.aligned_axes);
    joint.axis = random_axis(random_, options_.aligned_axes);
    if (random_.chance(0.4)) joint.child_frame = random_pose(random_, options_.aligned_axes);
    joint.limits = {-random_.between(1.0, 3.0), random_.between(1.0, 3.0), random_.between(1.0, 9.0),
                    random_.between(1.0, 99.0)};
    if (options_.drives && type != JointType::fixed && random_.chance(0.8)) joint.drive = random_drive(random_);
    robot_.add_joint(joint);
    return link;
  }

  void shuffle_joints() {
    std::vector<JointDescription> joints;
    for (const int j : permutation(random_, static_cast<int>(robot_.joints.size())))
      joints.push_back(robot_.joints[static_cast<std::size_t>(j)]);
    robot_.joints = std::move(joints);
  }

  void shuffle_links() {
    const std::vector<int> order = permutation(random_, links());  // new position of each link
    std::vector<LinkDescription> moved(robot_.links.size());
    const auto to = [&](int link) { return order[static_cast<std::size_t>(link)]; };
    for (int k = 0; k < links(); ++k)
      moved[static_cast<std::size_t>(to(k))] = robot_.links[static_cast<std::size_t>(k)];
    robot_.links = std::move(moved);
    for (JointDescription& j : robot_.joints) j.parent = to(j.parent), j.child = to(j.child);
    for (FrameDescription& f : robot_.frames) f.link = to(f.link);
  }

  Random& random_;
  RobotOptions options_;
  Robot robot_;
};

}  // namespace

Vec3<double> Random::vector(double half_width) {
  const double x = between(-half_width, half_width), y = between(-half_width, half_width);
  return {x, y, between(-half_width, half_width)};
}

Vec3<double> Random::direction() {
  for (;;) {
    const Vec3<double> v = vector(1.0);
    const double square = dot(v, v);
    if (square > 0.01 && square <= 1.0) return (1.0 / std::sqrt(square)) * v;
  }
}

Mat3<double> Random::rotation() {
  for (;;) {  // from a quaternion
    const Vec3<double> v = vector(1.0);
    const double w = between(-1.0, 1.0), square = w * w + dot(v, v);
    if (square < 0.01 || square > 1.0) continue;
    const double k = 2.0 / square;
    return {1 - k * (v.y * v.y + v.z * v.z), k * (v.x * v.y - w * v.z),       k * (v.x * v.z + w * v.y),
            k * (v.x * v.y + w * v.z),       1 - k * (v.x * v.x + v.z * v.z), k * (v.y * v.z - w * v.x),
            k * (v.x * v.z - w * v.y),       k * (v.y * v.z + w * v.x),       1 - k * (v.x * v.x + v.y * v.y)};
  }
}

Mat3<double> Random::right_angle_rotation() {
  const Vec3<double> axes[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const int first = below(3), second = (first + 1 + below(2)) % 3;
  const Vec3<double> x = (chance(0.5) ? 1.0 : -1.0) * axes[first], y = (chance(0.5) ? 1.0 : -1.0) * axes[second];
  return Mat3<double>::from_columns(x, y, cross(x, y));
}

Inertial random_inertial(Random& random) {
  Inertial inertial;
  inertial.mass = random.between(0.1, 5.0);
  inertial.com = random.chance(0.1) ? Vec3<double>{} : random.vector(0.3);
  // Second moments of a real mass distribution are positive; its moments of inertia then obey the triangle inequality.
  const auto moment = [&] { return inertial.mass * random.between(1e-4, 0.05); };
  const double x = moment(), y = moment(), z = moment();
  const Sym3<double> principal{y + z, x + z, x + y, 0.0, 0.0, 0.0};
  inertial.inertia = random.chance(0.2) ? principal : congruence(random.rotation(), principal);
  return inertial;
}

Robot random_robot(Random& random, const RobotOptions& options) { return Builder(random, options).build(); }

namespace {

std::string random_name(Random& random, const std::string& kind, std::size_t k) {
  constexpr const char* marks[] = {"", " ", "_joint", "_frame", "/é", "'\\", "<&>", "\"x\"", "#", ",=:"};
  const char *const after = marks[random.below(10)], *const before = marks[random.below(10)];
  return kind + before + std::to_string(k) + after;
}

JointLimits random_limits(Random& random) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const auto limit = [&](double usual) {
    const double ends[] = {usual, -infinity, infinity, 0.0, random.between(-9.0, 9.0)};
    return random.chance(0.5) ? usual : ends[random.below(5)];
  };
  return {limit(-infinity), limit(infinity), limit(infinity), limit(infinity)};
}

void vary_joint(Random& random, JointDescription& joint) {
  joint.limits = random_limits(random);
  joint.drive = {};
  if (random.chance(0.5)) joint.drive.viscous = random.between(0.0, 2.0);
  if (random.chance(0.5)) joint.drive.coulomb = random.between(0.0, 1.0);
  if (random.chance(0.5)) joint.drive.rotor_inertia = random.between(0.0, 1e-3);
  if (random.chance(0.5)) joint.drive.gear_ratio = random.between(1.0, 100.0);
  if (random.chance(0.5)) joint.drive.spring = random.between(0.0, 200.0);
  if (random.chance(0.5)) joint.drive.spring_rest = random.between(-2.0, 2.0);
  if (random.chance(0.5)) joint.drive.offset = random.between(-2.0, 2.0);
  if (random.chance(0.5)) joint.drive.stribeck = random.between(0.0, 2.0);
  if (joint.drive.stribeck > 0.0 || random.chance(0.2)) joint.drive.stribeck_speed = random.between(0.01, 1.0);
  joint.passive = joint.type != JointType::fixed && random.chance(0.3);
  joint.coupling = {};
  if (joint.type == JointType::fixed && random.chance(0.3)) joint.coupling = {{{joint.name, 0.5}}, 0.1};  // no effect
}

}  // namespace

void couple_some(Random& random, Robot& robot, double share) {
  std::vector<int> order = robot.tree_joints();  // each may follow those before it in a random order: no circles
  for (std::size_t k = order.size(); k > 1; --k)
    std::swap(order[k - 1], order[static_cast<std::size_t>(random.below(static_cast<int>(k)))]);
  for (std::size_t k = 1; k < order.size(); ++k) {
    if (!random.chance(share)) continue;
    JointDescription& joint = robot.joints[static_cast<std::size_t>(order[k])];
    std::vector<int> masters(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(k));
    for (int terms = random.chance(0.6) ? 1 : 1 + random.below(3); terms > 0 && !masters.empty(); --terms) {
      const auto at = static_cast<std::size_t>(random.below(static_cast<int>(masters.size())));
      const double factor = random.chance(0.3) ? 1.0 : random.between(0.2, 2.0);
      joint.coupling.terms.push_back(
          {robot.joints[static_cast<std::size_t>(masters[at])].name, random.chance(0.5) ? factor : -factor});
      masters.erase(masters.begin() + static_cast<std::ptrdiff_t>(at));
    }
    if (random.chance(0.5)) joint.coupling.offset = random.between(-1.0, 1.0);
    joint.passive = false;
  }
}

namespace {
// Some of the joints that may be elastic become so; draws of its own leave those of the caller alone.
void make_some_elastic(Robot& robot) {
  if (!robot.loops.empty() || !robot.floating.empty()) return;
  Random random(robot.joints.size());
  for (JointDescription& joint : robot.joints) {
    if (!joint.moves() || joint.passive || joint.is_coupled() || joint.drive.rotor_inertia <= 0.0) continue;
    if (random.chance(0.5)) joint.elastic = {random.between(1.0, 1e4), random.chance(0.5) ? 0.0 : random.unit(), true};
    if (joint.elastic && !validate(robot).ok()) joint.elastic->full = false;
  }
}
}  // namespace

void vary_everything(Random& random, Robot& robot) {
  robot.name = random_name(random, "robot", 0);
  for (std::size_t k = 0; k < robot.links.size(); ++k) robot.links[k].name = random_name(random, "link", k);
  for (std::size_t k = 0; k < robot.joints.size(); ++k) robot.joints[k].name = random_name(random, "joint", k);
  robot.frames.clear();
  for (int k = random.below(4); k > 0; --k) {
    const Pose<double> pose = random_pose(random, random.chance(0.5));
    const int link = random.below(static_cast<int>(robot.links.size()));
    robot.add_frame(random_name(random, "frame", robot.frames.size()), link, pose);
  }
  for (JointDescription& joint : robot.joints) vary_joint(random, joint);
  couple_some(random, robot);
  const auto some_link = static_cast<std::size_t>(random.below(static_cast<int>(robot.links.size())));
  robot.tool.clear();
  if (random.chance(0.3)) robot.tool = robot.links[some_link].name;
  if (random.chance(0.3) && !robot.frames.empty()) robot.tool = robot.frames.back().name;
  robot.gravity = random.chance(0.2) ? Vec3<double>{} : random.vector(9.81);
  make_some_elastic(robot);
}

State random_state(Random& random, int joints, StateKind kind) {
  State state;
  for (int j = 0; j < joints; ++j) {
    state.q.push_back(kind == StateKind::home ? 0.0 : random.between(-3.2, 3.2));
    state.qd.push_back(kind == StateKind::at_rest || kind == StateKind::still ? 0.0 : random.between(-2.0, 2.0));
    state.qdd.push_back(kind == StateKind::still ? 0.0 : random.between(-5.0, 5.0));
  }
  return state;
}

State random_state(Random& random, const Mechanism& robot) {
  State x = random_state(random, robot.nv());
  const Closure<double>& closure = robot.coordinates.closure;
  if (closure.loops.empty()) return x;
  for (double share = 0.1; share > 1e-6; share *= 0.5) {
    State near = x;
    for (std::size_t m = 0; m < closure.movers.size(); ++m)
      if (const int c = closure.coordinate[m]; c >= 0)
        near.q[static_cast<std::size_t>(c)] = closure.closed[m] + share * x.q[static_cast<std::size_t>(c)];
    try {
      with_all_positions(robot, near);
      return near;
    } catch (const std::domain_error&) {
    }
  }
  throw std::logic_error(robot.name + " closes nowhere near its start");
}

State with_all_positions(const Mechanism& robot, const State& x) {
  PlacementOf<double> place(std::make_shared<const Mechanism>(robot));
  const std::span<const double> q = place(x.q);
  return {{q.begin(), q.end()}, x.qd, x.qdd};
}

RobotSample sample(std::uint64_t seed, int joints, bool drives) {
  Random random(seed);
  RobotOptions options;
  options.joints = joints;
  options.shape = random.chance(0.5) ? Shape::chain : Shape::tree;
  options.mix = random.chance(0.6) ? JointMix::mixed : random.chance(0.7) ? JointMix::revolute : JointMix::prismatic;
  options.aligned_axes = random.chance(0.6);
  options.fixed_links = random.chance(0.7);
  options.massless_links = random.chance(0.5);
  options.drives = drives && random.chance(0.5);
  Robot robot = random_robot(random, options);
  const StateKind kind = random.chance(0.7) ? StateKind::moving : static_cast<StateKind>(random.below(4));
  return {std::move(robot), random_state(random, joints, kind)};
}

Robot random_free(Random& random, int joints, bool drives, bool coupled) {
  Robot robot = random_robot(random, {.joints = joints,
                                      .shape = random.chance(0.5) ? Shape::chain : Shape::tree,
                                      .massless_links = false,
                                      .drives = drives});
  if (coupled) couple_some(random, robot);
  robot.links[static_cast<std::size_t>(robot.root())].inertial = random_inertial(random);
  return on_free_base(std::move(robot));
}

}  // namespace catena::test

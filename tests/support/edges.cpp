#include "support/edges.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "catena/changes.hpp"
#include "catena/math/quaternion.hpp"
#include "model/free_base.hpp"
#include "support/free_robots.hpp"
#include "support/kinds_of_robots.hpp"
#include "support/loop_robots.hpp"

namespace catena::test {
namespace {

using Change = std::function<void(Robot&)>;
using StateChange = std::function<void(EdgeCase&)>;

void scale(std::vector<double>& values, double by) {
  for (double& value : values) value *= by;
}
// change(position) of every joint of a type, those that carry a free base excepted.
template <class Change>
void for_each_position(EdgeCase& at, bool revolute, const Change& change) {
  const Coordinates& chart = at.robot.coordinates;
  const std::size_t more = chart.is_free() ? 1 : 0;  // a quaternion has four numbers
  const std::size_t count = chart.is_closed() ? chart.closure.movers.size() : index(at.robot.nv());
  for (std::size_t k = more * base_joints; k < count; ++k) {
    const TreeJoint joint = chart.is_closed() ? chart.closure.movers[k] : chart.joints[Coordinate(k)];
    if (at.robot.link(at.robot.link_of(joint)).revolute == revolute) change(at.x.q[k + more]);
  }
}
// With the motion of the base; slides of a stretched robot with loops are where these are closed.
StateChange slides(double by) {
  return [=](EdgeCase& at) {
    if (!at.robot.coordinates.is_closed()) for_each_position(at, false, [&](double& q) { q *= by; });
    for (std::size_t k = 0; at.robot.coordinates.is_free() && k < 3; ++k)
      at.x.q[k] *= by, at.x.qd[k] *= by, at.x.qdd[k] *= by;
    for (std::size_t k = 0; k < at.base.size(); ++k) at.base[k] *= k % 6 < 3 ? by : 1.0;
  };
}
// Whole turns are added: loops stay closed.
StateChange turns(double by) {
  return [=](EdgeCase& at) {
    constexpr double turn = 2.0 * std::numbers::pi;
    for_each_position(at, true, [&](double& q) { q += turn * std::round(by * q / turn); });
  };
}
StateChange rates(double speeds, double accelerations) {
  return [=](EdgeCase& at) { scale(at.x.qd, speeds), scale(at.x.qdd, accelerations); };
}

void stretch(JointDescription& joint, double by) {
  joint.origin.p = by * joint.origin.p;
  joint.child_frame.p = by * joint.child_frame.p;
}
// All lengths of a link: it stays a body that can exist.
void stretch(Inertial& body, double by) {
  body.com = by * body.com;
  body.inertia = (by * by) * body.inertia;
}
// All lengths of a robot: its loops stay closed.
Change stretched(double by) {
  return [=](Robot& robot) {
    const auto slides = [&](const std::string& name) {
      const int joint = robot.joint_index(name);
      return joint >= 0 && robot.joints[index(joint)].type == JointType::prismatic;
    };
    for (JointDescription& joint : robot.joints) {
      stretch(joint, by);
      const double own = slides(joint.name) ? by : 1.0;
      joint.coupling.offset *= own;
      for (CouplingTerm& term : joint.coupling.terms) term.factor *= own / (slides(term.joint) ? by : 1.0);
    }
    for (LinkDescription& link : robot.links) stretch(link.inertial, by);
    for (FrameDescription& frame : robot.frames) frame.pose.p = by * frame.pose.p;
    for (auto* places : {&robot.start, &robot.closed})
      for (auto& [name, place] : *places)
        if (slides(name)) place *= by;
  };
}
void stretch_in_turn(Robot& robot) {
  for (std::size_t k = 0; k < robot.joints.size(); ++k) {
    const double by = k % 2 == 0 ? 1e-3 : 1e3;
    stretch(robot.joints[k], by);
    stretch(robot.links[index(robot.joints[k].child)].inertial, by);
  }
}

void make_heavy(LinkDescription& link, double by) {
  link.inertial.mass *= by;
  link.inertial.inertia = by * link.inertial.inertia;
}
void heavy_in_turn(Robot& robot) {
  for (std::size_t k = 0; k < robot.links.size(); ++k) make_heavy(robot.links[k], k % 2 == 0 ? 1e-6 : 1e6);
}
Change all_heavier(double by) {
  return [=](Robot& robot) {
    for (LinkDescription& link : robot.links) make_heavy(link, by);
  };
}
enum class End { base, tip };
Change heavier(End end, double by) {
  return [=](Robot& robot) {
    std::vector<LinkDescription*> moved;
    for (const int joint : robot.joints_outward())
      if (LinkDescription& link = robot.links[index(robot.joints[index(joint)].child)]; link.inertial.mass > 0.0)
        moved.push_back(&link);
    make_heavy(end == End::base ? *moved.front() : *moved.back(), by);
  };
}

// Links at the ends become rods along the axes of their joints, with this share of their moment about them.
Change rods(double share) {
  return [=](Robot& robot) {
    for (const JointDescription& joint : robot.joints) {
      const auto carries = [&](const JointDescription& other) { return other.parent == joint.child; };
      if (joint.type != JointType::revolute || std::any_of(robot.joints.begin(), robot.joints.end(), carries)) continue;
      const Pose<double> link_from_joint = joint.child_frame.inverse();
      const Vec3<double> axis = link_from_joint.R * joint.axis;
      Inertial& body = robot.links[index(joint.child)].inertial;
      const double moment = 0.01 * body.mass;
      body.com = link_from_joint.p + 0.1 * axis;
      body.inertia = Sym3<double>::diagonal(moment, moment, moment) + ((share - 1.0) * moment) * outer(axis);
    }
  };
}
// Axes are along z at zero, but for this much; joints stay where they are.
Change nearly_parallel(double angle) {
  return [=](Robot& robot) {
    for (JointDescription& joint : robot.joints) {
      joint.origin.R = rotation_about({1.0, 0.0, 0.0}, angle);
      joint.child_frame.R = Mat3<double>::identity();
      joint.axis = {0.0, 0.0, 1.0};
    }
  };
}
void gear(Robot& robot) {
  for (std::size_t k = 0; k < robot.joints.size(); ++k) {
    const double by = k % 2 == 0 ? 1e-6 : 1e6;
    robot.joints[k].drive.gear_ratio *= by;
    for (CouplingTerm& term : robot.joints[k].coupling.terms) term.factor *= by;
  }
}

}  // namespace

const std::vector<Edge>& edges() {
  static const auto same = [](auto&) {};
  static const auto open = [](const Robot& robot) { return robot.loops.empty(); };  // others would not close any more
  static const std::vector<Edge> list{
      {"ordinary", same, same},
      {"masses 1e-6 and 1e6 in turn", heavy_in_turn, same, 1.0, 1e1},
      {"1e12 more mass at the tip", heavier(End::tip, 1e12), same, 1e4, 1e3},
      {"1e12 more mass at the base", heavier(End::base, 1e12), same, 1e8, 1e3},
      {"a last link of 1e-12 of its mass", heavier(End::tip, 1e-12), same},
      {"all masses by 1e-270", all_heavier(1e-270), same},
      {"rods on the last axes, 1e-12 of their moment about them", rods(1e-12), same, 1e1},
      {"the same, 1e-20", rods(1e-20), same, 1e1},
      {"lengths of 1e-6 m", stretched(1e-6), slides(1e-6), 1.0, 1e2},
      {"lengths of 1e6 m", stretched(1e6), slides(1e6)},
      {"links of 1e-3 and 1e3 m in turn", stretch_in_turn, same, 1e3, 1e1, 1.0, open},
      {"axes 1e-6 rad from parallel", nearly_parallel(1e-6), same, 1.0, 1.0, 1.0, open},
      {"axes 1e-12 rad from parallel", nearly_parallel(1e-12), same, 1.0, 1.0, 1.0, open},
      {"gears and couplings of 1e-6 and 1e6 in turn", gear, same, 1.0, 1e2, 1.0, open},
      {"angles to 1e8 rad", same, turns(1e8)},
      {"speeds of 1e8 rad/s", same, rates(1e8, 1.0), 1e4},
      {"subnormal speeds and accelerations", same, rates(1e-310, 1e-310), 1e2},
  };
  return list;
}

namespace {
// Changes numbers of one kind.
class Shaker {
 public:
  Shaker(double share, Measure measure, Random& random) : share_(share), measure_(measure), random_(random) {}

  // Entries of one vector or tensor.
  void add(std::initializer_list<double*> entries) { all_.emplace_back(entries); }
  void add(Vec3<double>& v) { add({&v.x, &v.y, &v.z}); }
  void add(Sym3<double>& m) { add({&m.xx, &m.yy, &m.zz, &m.xy, &m.xz, &m.yz}); }
  void add(std::vector<double>& values) {
    for (double& value : values) add({&value});
  }
  double largest() const {
    double size = 0.0;
    for (const auto& entries : all_) size = std::max(size, largest_of(entries));
    return size;
  }
  void shake(double largest) {
    for (const auto& entries : all_)
      for (double* entry : entries) *entry += sign() * (measure_ == Measure::by_own ? largest_of(entries) : largest);
  }
  void shake() { shake(largest()); }
  double sign() { return random_.chance(0.5) ? share_ : -share_; }

 private:
  static double largest_of(const std::vector<double*>& entries) {
    double size = 0.0;
    for (const double* entry : entries) size = std::max(size, std::abs(*entry));
    return size;
  }
  double share_;
  Measure measure_;
  Random& random_;
  std::vector<std::vector<double*>> all_;
};

void turn(LinkConstants<double>& link, double angle) {
  auto& [cos_alpha, sin_alpha, cos_gamma, sin_gamma, turned] = link.tilt;
  const double before = cos_alpha;
  cos_alpha -= angle * sin_alpha, sin_alpha += angle * before;
  link.z_in_parent = {sin_gamma * sin_alpha, -cos_gamma * sin_alpha, cos_alpha};
}
}  // namespace

EdgeCase shaken(const EdgeCase& at, double share, Measure measure, Random& random) {
  EdgeCase out = at;
  const Shaker none(share, measure, random);
  Shaker masses = none, lengths = none, moments = none, rates = none, accelerations = none, factors = none, base = none;
  for (std::size_t k = 0; k < out.robot.links.size(); ++k) {
    LinkConstants<double>& link = out.robot.links[k];
    if (out.robot.carried && k + 1 < base_joints) continue;  // they carry the base and have no numbers
    masses.add({&link.mass}), moments.add(link.inertia_com);
    lengths.add(link.com);
    if (out.robot.carried && k < base_joints) continue;
    lengths.add(link.p_parent_to_link);
    moments.add({&out.robot.drives[link.q].reflected_inertia});
    turn(link, base.sign());
  }
  for (FrameConstants<double>& frame : out.robot.frames) lengths.add(frame.in_link.p);
  Coordinates& chart = out.robot.coordinates;
  for (auto& joint : chart.following)
    for (auto& term : joint.terms) factors.add({&term.factor});
  for (auto& joint : chart.closure.joints)
    for (auto& term : joint.terms) factors.add({&term.factor});
  rates.add(out.x.qd), accelerations.add(out.x.qdd);
  for (std::size_t k = 0; k < out.base.size(); ++k) (k < 6 ? rates : accelerations).add({&out.base[k]});
  for_each_position(out, false, [&](double& q) { lengths.add({&q}); });
  for_each_position(out, true, [&](double& q) { q += base.sign() * std::max(1.0, std::abs(q)); });
  for (std::size_t k = 0; chart.is_free() && k < 7; ++k) base.add({&out.x.q[k]});
  accelerations.shake(std::max(accelerations.largest(), rates.largest() * rates.largest()));
  for (Shaker* kind : {&masses, &lengths, &moments, &rates, &factors, &base}) kind->shake();
  for (LinkConstants<double>& link : out.robot.links) {
    const double half = 0.5 * link.inertia_com.trace();
    link.pseudo_com = Sym3<double>::diagonal(half, half, half) + (-1.0) * link.inertia_com;
  }
  compute_augmented_links(out.robot);
  return out;
}

EdgeCase KindOfRobot::at(const Edge& edge) const {
  Robot changed = robot;
  edge.robot(changed);
  const Mechanism arm = make_mechanism(changed);
  Random random(seed);
  EdgeCase out{arm, random_state(random, arm), {}, changed};
  if (base == BaseKind::moving) {
    out.robot = on_moving_base(arm);
    for (int k = 0; k < base_motion_size; ++k) out.base.push_back(random.between(-1.0, 1.0));
  }
  out.x = with_all_positions(arm, out.x);
  if (base == BaseKind::free) {
    out.robot = make_mechanism(on_free_base(changed));
    const State x = start(random, out.robot, 1.0);  // its joints are not used
    std::vector<double> place{random.between(-1.0, 1.0), random.between(-1.0, 1.0), random.between(-1.0, 1.0)};
    for (int k = 0; k < 4; ++k) place.push_back(random.between(-1.0, 1.0));
    normalize_quaternion(&place[3]);
    out.x.q.insert(out.x.q.begin(), place.begin(), place.end());
    out.x.qd.insert(out.x.qd.begin(), x.qd.begin(), x.qd.begin() + base_joints);
    out.x.qdd.insert(out.x.qdd.begin(), x.qd.begin(), x.qd.begin() + base_joints);
  }
  out.robot = with_all_positions(out.robot);
  edge.state(out);
  return out;
}

std::vector<KindOfRobot> kinds_at_edges() {
  std::vector<KindOfRobot> all;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    Random random(seed);
    const RobotOptions options{.joints = seed % 3 == 0 ? 1 : 7,
                               .shape = seed % 2 == 0 ? Shape::tree : Shape::chain,
                               .fixed_links = false,
                               .massless_links = false,
                               .shuffled = false};
    all.push_back({"chains and trees", random_robot(random, options), BaseKind::fixed, seed});
  }
  Random random(43);
  std::vector<Robot> robots = kinds_of_robots();
  const RobotOptions seven{.joints = 7, .shape = Shape::tree, .massless_links = false, .drives = true};
  robots.push_back(random_loops(random, seven, {LoopType::spherical}).robot);
  robots.push_back(random_loops(random, seven, {LoopType::universal}).robot);
  robots.push_back(load_robot(find_model("ur5")));
  for (JointDescription& joint : robots.back().joints)
    if (joint.moves()) joint.drive.rotor_inertia = 1e-4, joint.elastic = {1e4, 1.0, false};
  for (Robot& robot : robots) {
    const Mechanism arm = make_mechanism(robot);
    const std::string name = arm.coordinates.is_closed()    ? "closed loops"
                             : has_elastic_joints(robot)    ? "elastic joints"
                             : arm.coordinates.is_coupled() ? "coupled joints"
                             : arm.has_passive              ? "passive joints"
                             : arm.joints() > 12            ? "40 joints"
                             : arm.has_drives               ? "forces at the joints"
                                                            : "chains and trees";
    all.push_back({name, robot});
    if (arm.joints() > 12) continue;
    Inertial& base = robot.links[index(robot.root())].inertial;
    if (base.mass == 0.0) base = random_inertial(random);
    const bool free = all.size() % 4 != 0;
    all.push_back({name + (free ? ", free base" : ", moving base"), robot, free ? BaseKind::free : BaseKind::moving});
  }
  return all;
}

}  // namespace catena::test

// Robot to Mechanism: what normalization promises, what it must keep, and what it must not make worse.
#include "catena/mechanism.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "catena/kinematics.hpp"
#include "catena/model/regroup.hpp"
#include "catena/validate.hpp"
#include "oracle/newton_world.hpp"
#include "support/formulations.hpp"
#include "support/nightly.hpp"
#include "support/tolerances.hpp"

namespace catena::test::mechanism_test {
namespace {

constexpr double pi = std::numbers::pi;
constexpr Tolerance agreement = ulps<double>(64);

Values list(const Vec3<double>& v) { return {v.x, v.y, v.z}; }
Values list(const Mat3<double>& m) { return {m.xx, m.xy, m.xz, m.yx, m.yy, m.yz, m.zx, m.zy, m.zz}; }

void expect_oracle_torques(const Robot& robot, const Mechanism& mechanism, const State& x, Tolerance tolerance,
                           const std::vector<ExternalWrench<double>>& wrenches = {}) {
  const oracle::Torques expected = oracle::inverse_dynamics(robot, x.q, x.qd, x.qdd, as_pushes(wrenches));
  for (const std::string_view method : inverse_methods())
    EXPECT_TRUE(near(torques(mechanism, method, x, wrenches), expected.tau, expected.scale, tolerance)) << method;
}

int add(Robot& robot, int parent, JointType type, const Pose<double>& origin, const Inertial& inertial = {},
        Vec3<double> axis = {0, 0, 1}) {
  JointDescription joint;
  joint.type = type;
  joint.parent = parent;
  joint.child = robot.add_link("link" + std::to_string(robot.links.size()), inertial);
  joint.name = "joint" + std::to_string(joint.child);
  joint.origin = origin;
  joint.axis = axis;
  robot.add_joint(joint);
  return joint.child;
}
Inertial ball(double mass = 1.0) { return {mass, {0.1, 0.2, 0.3}, Sym3<double>::diagonal(0.01, 0.02, 0.025)}; }

// --- the series of random robots really holds what it is trusted to hold
// ----------------------------------------------------

TEST(RandomRobots, AreReproducibleAndVaried) {
  int several_roots = 0, shuffled = 0, base_not_first = 0, sliding_root = 0, merged = 0, massless = 0, driven = 0,
      branched = 0;
  for (const std::uint64_t seed : test::seeds(0, 1000)) {
    const auto [robot, x] = sample(seed, 1 + static_cast<int>(seed % 30));
    ASSERT_TRUE(validate(robot).ok()) << seed;
    const Mechanism mechanism = make_mechanism(robot);
    int roots = 0;
    std::vector<int> children(mechanism.links.size(), 0);
    for (const auto& link : mechanism.links) {
      roots += link.parent == base_link ? 1 : 0;
      if (link.parent != base_link) ++children[index(link.parent)];
      massless += link.mass == 0.0 ? 1 : 0;
    }
    several_roots += roots > 1 ? 1 : 0;
    branched += std::any_of(children.begin(), children.end(), [](int c) { return c > 1; }) ? 1 : 0;
    sliding_root += mechanism.links[0].revolute ? 0 : 1;
    for (int i = 1; i < mechanism.joints(); ++i)
      if (mechanism.link(i).q < mechanism.link(i - 1).q) {
        ++shuffled;
        break;
      }
    base_not_first += robot.root() != 0 ? 1 : 0;
    merged += robot.joints.size() > mechanism.links.size() ? 1 : 0;
    driven += mechanism.has_drives ? 1 : 0;
  }
  for (const int count : {several_roots, branched, sliding_root, shuffled, base_not_first, merged, massless, driven})
    EXPECT_GT(count, test::sampled(100));
  // The first draws of the generator: another platform must get the same robots.
  Random random(1);
  EXPECT_EQ(random.below(1000), 528);
}

// --- what is normal about a mechanism
// -------------------------------------------------------------------------------------

TEST(Normalization, HoldsItsInvariants) {
  for (const std::uint64_t seed : test::seeds(0, 300)) {
    SCOPED_TRACE("robot " + std::to_string(seed));
    const auto [robot, x] = sample(seed, 1 + static_cast<int>(seed % 25));
    const Mechanism mechanism = make_mechanism(robot);
    ASSERT_EQ(mechanism.joints(), robot.dof());
    ASSERT_EQ(mechanism.nv(), robot.dof());
    std::vector<bool> has_child(mechanism.links.size(), false), moved(mechanism.links.size(), false);
    for (int i = 0; i < mechanism.joints(); ++i) {
      const auto& link = mechanism.link(i);
      EXPECT_LT(link.parent, i);
      EXPECT_FALSE(moved[index(link.q)]);
      moved[index(link.q)] = true;
      const auto& t = link.tilt;
      EXPECT_NEAR(t.cos_alpha * t.cos_alpha + t.sin_alpha * t.sin_alpha, 1.0, 1e-15);
      EXPECT_NEAR(t.cos_gamma * t.cos_gamma + t.sin_gamma * t.sin_gamma, 1.0, 1e-15);
      const Mat3<double> R = matrix(t, link.fixed_turn);
      EXPECT_TRUE(near(list(R.column_z()), list(link.z_in_parent), 1.0, ulps<double>(4)));
      EXPECT_TRUE(near(list(R * R.transpose()), list(Mat3<double>::identity()), 1.0, ulps<double>(8)));
      EXPECT_TRUE(near(std::cos(link.theta), link.fixed_turn.c, 1.0, ulps<double>(4)));
      if (link.parent == base_link) {
        EXPECT_TRUE(i > 0 || R == Mat3<double>::identity());  // the base frame is frame 0 at q = 0
        continue;
      }
      EXPECT_TRUE(has_child[index(link.parent)] || !t.turned);  // only a second child needs the extra turn γ
      has_child[index(link.parent)] = true;
    }
  }
}

TEST(Normalization, KeepsNamesOrderLimitsAndDrives) {
  for (const std::uint64_t seed : test::seeds(300, 400)) {
    SCOPED_TRACE("robot " + std::to_string(seed));
    const auto [robot, x] = sample(seed, 1 + static_cast<int>(seed % 12));
    const Mechanism mechanism = make_mechanism(robot);
    const std::vector<int> moving = robot.moving_joints();
    double mass = 0.0, on_base = 0.0;
    for (const auto& link : mechanism.links) {
      mass += link.mass;
      EXPECT_EQ(link.revolute, robot.joints[index(moving[index(link.q)])].type == JointType::revolute);
    }
    for (std::size_t j = 0; j < moving.size(); ++j) {
      const JointDescription& joint = robot.joints[index(moving[j])];
      EXPECT_EQ(mechanism.name_of(Coordinate(j)), joint.name);
      EXPECT_EQ(mechanism.limits(Coordinate(j)).lower, joint.limits.lower);
      EXPECT_EQ(mechanism.limits(Coordinate(j)).effort, joint.limits.effort);
      const auto& drive = mechanism.drives[mechanism.coordinates.joints[Coordinate(j)]];
      EXPECT_EQ(drive.viscous, joint.drive.viscous);
      EXPECT_NEAR(drive.reflected_inertia, joint.drive.rotor_inertia * joint.drive.gear_ratio * joint.drive.gear_ratio,
                  1e-14);
    }
    ASSERT_EQ(mechanism.frames.size(), robot.links.size() + robot.frames.size());
    for (std::size_t k = 0; k < robot.links.size(); ++k) {
      EXPECT_EQ(mechanism.frames[k].name, robot.links[k].name);
      if (mechanism.frames[k].link == base_link) on_base += robot.links[k].inertial.mass;
    }
    EXPECT_TRUE(near(mass + on_base, robot.mass(), robot.mass(), ulps<double>(16)));
    if (!robot.tool.empty()) {
      EXPECT_EQ(mechanism.frames[index(mechanism.tool)].name, robot.tool);
    } else {  // a leaf that the last joint moves
      EXPECT_EQ(mechanism.frames[index(mechanism.tool)].link, mechanism.joints() - 1);
      for (const JointDescription& joint : robot.joints) EXPECT_NE(joint.parent, mechanism.tool);
    }
    EXPECT_EQ(mechanism.frame_index("no such frame"), -1);
    const auto single = mechanism.cast<float>();
    EXPECT_EQ(single.joint_names.list(), mechanism.joint_names.list());
    EXPECT_EQ(single.tool, mechanism.tool);
    EXPECT_EQ(single.has_drives, mechanism.has_drives);
  }
}

// Sines and cosines of right angles are exactly 0 and ±1, although cos(π/2) is 6e-17.
TEST(Normalization, RightAnglesAreExact) {
  Random random(7);
  for (int k = 0; k < 200; ++k) {
    Robot robot;
    int parent = robot.add_link("base");
    for (int i = 0; i < 6; ++i) {
      const double quarter = pi / 2;
      const Mat3<double> R =
          rotation_from_rpy({random.below(4) * quarter, random.below(4) * quarter, random.below(4) * quarter});
      const auto type = random.chance(0.7) ? JointType::revolute : JointType::prismatic;
      parent = add(robot, parent, type, {R, random.vector(0.5)}, ball());
    }
    // Between parallel axes x follows the offset and θ is what it must be; α is a right angle always.
    for (const auto& link : make_mechanism(robot).links)
      for (const double entry : {link.tilt.cos_alpha, link.tilt.sin_alpha})
        EXPECT_TRUE(entry == 0.0 || std::abs(entry) == 1.0) << entry;
  }
}

// A textbook arm with angles of ±90° in its DH table: nothing but 0, ±1 and the table's own lengths.
TEST(Normalization, KeepsTheSimplicityOfADhTable) {
  Robot robot;
  robot.add_link("base");
  const DhRow rows[] = {{.alpha = pi / 2},
                        {.a = 0.4318},
                        {.a = 0.0203, .alpha = -pi / 2, .d = 0.15},
                        {.alpha = pi / 2, .d = 0.4318},
                        {.alpha = -pi / 2},
                        {}};
  for (const DhRow& row : rows) {
    JointDescription joint = classic_dh(row, JointType::revolute);
    joint.parent = static_cast<int>(robot.links.size()) - 1;
    joint.child = robot.add_link("link" + std::to_string(robot.links.size()), ball());
    joint.name = "joint" + std::to_string(joint.child);
    robot.add_joint(joint);
  }
  for (const auto& link : make_mechanism(robot).links) {
    for (const double entry : {link.tilt.cos_alpha, link.tilt.sin_alpha, link.fixed_turn.c, link.fixed_turn.s})
      EXPECT_TRUE(entry == 0.0 || std::abs(entry) == 1.0) << entry;
    for (const double length : list(link.p_parent_to_link)) {
      const double l = std::abs(length);
      const bool known =
          l == 0.0 || std::abs(l - 0.4318) < 1e-15 || std::abs(l - 0.0203) < 1e-15 || std::abs(l - 0.15) < 1e-15;
      EXPECT_TRUE(known) << length;
    }
  }
}

// --- what must not get worse
// ----------------------------------------------------------------------------------------------

// Axes that miss being parallel or perpendicular by almost nothing: torques stay right and no origin runs away to where
// the common normal of nearly parallel axes would put it.
TEST(Normalization, NearlyParallelAxesAreHarmless) {
  for (const double slip : {1.5708 - pi / 2, 1e-3, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12, 1e-13, 1e-14, 1e-15, 1e-16}) {
    Random random(11);
    for (int k = 0; k < 20; ++k) {
      Robot robot;
      int parent = robot.add_link("base");
      double size = 0.0;
      for (int i = 0; i < 6; ++i) {
        const Mat3<double> off = rotation_about(random.direction(), slip);
        const Pose<double> origin{off * random.right_angle_rotation(), random.vector(0.5)};
        size += std::sqrt(dot(origin.p, origin.p));
        parent = add(robot, parent, random.chance(0.7) ? JointType::revolute : JointType::prismatic, origin, ball());
      }
      SCOPED_TRACE("slip " + std::to_string(slip) + ", robot " + std::to_string(k));
      const Mechanism mechanism = make_mechanism(robot);
      for (const auto& link : mechanism.links)
        EXPECT_LE(std::sqrt(dot(link.p_parent_to_link, link.p_parent_to_link)), 2.0 * size);
      const State x = random_state(random, 6);
      expect_oracle_torques(robot, mechanism, x, slip < 2e-14 ? ulps<double>(512) : agreement);
      expect_oracle_torques(robot, optimize(mechanism), x, slip < 2e-14 ? ulps<double>(512) : agreement);
    }
  }
}

// An angle typed as 1.5708 is taken literally, unless the user asks for a coarser snap.
TEST(Normalization, SnapsCoarselyWhenAsked) {
  Robot robot;
  const int base_link = robot.add_link("base");
  const int first = add(robot, base_link, JointType::revolute, {}, ball());
  add(robot, first, JointType::revolute, {rotation_from_rpy({1.5708, 0, 0}), {0.1, 0.2, 0.3}}, ball());
  EXPECT_NEAR(make_mechanism(robot).links[1].tilt.cos_alpha, std::cos(1.5708), 1e-15);
  const Mechanism coarse = make_mechanism(robot, {.snap = 1e-5});
  EXPECT_EQ(coarse.links[1].tilt.cos_alpha, 0.0);
  EXPECT_EQ(std::abs(coarse.links[1].tilt.sin_alpha), 1.0);
  const State x{{0.3, 0.4}, {0.5, 0.6}, {0.7, 0.8}};
  expect_oracle_torques(robot, coarse, x, relative(1e-5));
}

// --- merging, frames, order
// -----------------------------------------------------------------------------------------------

TEST(Normalization, MergesFixedLinksWithTheirInertia) {
  Robot robot;
  const int root = robot.add_link("base");
  const int arm =
      add(robot, root, JointType::revolute, {}, {2.0, {0.0, 0.0, 0.0}, Sym3<double>::diagonal(0.1, 0.2, 0.25)});
  // Turned by 90° about x and 3 m out: its y moment becomes z, its mass centre lands at (3, 0, 1).
  const int tool = add(robot, arm, JointType::fixed, {rotation_from_rpy({pi / 2, 0, 0}), {3.0, 0.0, 0.0}},
                       {1.0, {0.0, 1.0, 0.0}, Sym3<double>::diagonal(0.01, 0.02, 0.025)});
  const Mechanism mechanism = make_mechanism(robot);
  ASSERT_EQ(mechanism.joints(), 1);
  const auto& link = mechanism.links[0];
  EXPECT_EQ(link.mass, 3.0);
  EXPECT_TRUE(near(list(link.com), {1.0, 0.0, 1.0 / 3.0}, 1.0, ulps<double>(4)));
  // Two bodies at distance d = (3, 0, 1): reduced mass 2/3 times Steiner's term of d.
  const double reduced = 2.0 / 3.0;
  const auto& I = link.inertia_com;
  EXPECT_TRUE(near({I.xx, I.yy, I.zz}, {0.11 + reduced * 1.0, 0.225 + reduced * 10.0, 0.27 + reduced * 9.0}, 10.0,
                   ulps<double>(4)));
  EXPECT_TRUE(near({I.xy, I.xz, I.yz}, {0.0, -reduced * 3.0, 0.0}, 10.0, ulps<double>(4)));
  EXPECT_EQ(mechanism.frames[index(tool)].link, 0);
  EXPECT_TRUE(near(list(mechanism.frames[index(tool)].in_link.p), {3.0, 0.0, 0.0}, 1.0, ulps<double>(4)));
}

TEST(Normalization, QFollowsTheFileEvenWhenTheFileStartsAtTheTip) {
  Robot robot;
  for (const char* name : {"base", "upper", "lower"}) robot.add_link(name, ball());
  JointDescription elbow, shoulder;
  elbow.name = "elbow", elbow.parent = 1, elbow.child = 2, elbow.origin.p = {1.0, 0.0, 0.0};
  shoulder.name = "shoulder", shoulder.parent = 0, shoulder.child = 1;
  robot.add_joint(elbow);
  robot.add_joint(shoulder);
  const Mechanism mechanism = make_mechanism(robot);
  EXPECT_EQ(coordinate_names(mechanism), (std::vector<std::string>{"elbow", "shoulder"}));
  EXPECT_EQ(mechanism.links[0].q, 1);
  EXPECT_EQ(mechanism.links[1].q, 0);
  Kinematics<double> kinematics(mechanism);
  const std::vector<double> q{0.0, pi / 2};  // the shoulder turns: the elbow moves from x to y
  kinematics.update(q);
  EXPECT_TRUE(near(list(kinematics.pose(2).p), {0.0, 1.0, 0.0}, 1.0, ulps<double>(2)));
  expect_oracle_torques(robot, mechanism, {{0.1, 0.2}, {0.3, 0.4}, {0.5, 0.6}}, agreement);
}

TEST(Normalization, KeepsMasslessLinksAsFrames) {
  Robot robot;
  const int root = robot.add_link("base");
  const int arm = add(robot, root, JointType::revolute, {}, ball());
  const int flange = add(robot, arm, JointType::fixed, {Mat3<double>::identity(), {0.0, 0.0, 0.5}});
  const int finger = add(robot, flange, JointType::prismatic, {});
  robot.add_frame("tcp", flange, {Mat3<double>::identity(), {0.0, 0.0, 0.1}});
  robot.tool = "tcp";
  const Mechanism mechanism = make_mechanism(robot);
  EXPECT_EQ(mechanism.joints(), 2);
  EXPECT_EQ(mechanism.links[1].mass, 0.0);
  EXPECT_EQ(mechanism.frames[index(flange)].link, 0);
  EXPECT_EQ(mechanism.frames[index(finger)].link, 1);
  EXPECT_EQ(mechanism.frame_index("tcp"), mechanism.tool);
  Kinematics<double> kinematics(mechanism);
  const std::vector<double> q{0.3, 0.2};
  kinematics.update(q);
  EXPECT_TRUE(near(list(kinematics.pose(mechanism.tool).p), {0.0, 0.0, 0.6}, 1.0, ulps<double>(2)));
  EXPECT_TRUE(near(list(kinematics.pose(finger).p), {0.0, 0.0, 0.7}, 1.0, ulps<double>(2)));
}

TEST(Normalization, ARobotThatCannotMoveHasNoTorques) {
  Robot robot;
  const int root = robot.add_link("base");
  add(robot, root, JointType::fixed, {Mat3<double>::identity(), {0.0, 0.0, 1.0}}, ball());
  const Mechanism mechanism = make_mechanism(robot);
  EXPECT_EQ(mechanism.joints(), 0);
  for (const std::string_view method : inverse_methods()) EXPECT_TRUE(torques(mechanism, method, {}).empty());
  Kinematics<double> kinematics(mechanism);
  kinematics.update({});
  EXPECT_EQ(list(kinematics.pose(1).p), (Values{0.0, 0.0, 1.0}));
}

TEST(Normalization, RefusesWhatIsNoRobot) {
  Robot robot;
  EXPECT_THROW(make_mechanism(robot), ModelError);
  robot.add_link("base");
  const int link = add(robot, 0, JointType::revolute, {}, ball());
  EXPECT_NO_THROW(make_mechanism(robot));
  robot.links[index(link)].inertial.mass = -1.0;
  EXPECT_THROW(make_mechanism(robot), ModelError);
  EXPECT_THROW(robot.add_frame("f", 7), ModelError);
  EXPECT_THROW(robot.add_joint({}), ModelError);
}

// --- transformations that no torque may notice
// -----------------------------------------------------------------------------

TEST(Regrouping, ChangesNoTorqueAndNoFrame) {
  for (const std::uint64_t seed : test::seeds(500, 800)) {
    SCOPED_TRACE("robot " + std::to_string(seed));
    const auto [robot, x] = sample(seed, 1 + static_cast<int>(seed % 20));
    Random random(seed);
    const auto wrenches = random_wrenches(random, robot, static_cast<int>(seed % 3));
    const Mechanism mechanism = make_mechanism(robot);
    Kinematics<double> before(mechanism);
    before.update(x.q);
    for (const Mechanism& changed : {slide_origins(mechanism), regroup(mechanism), optimize(mechanism)}) {
      expect_oracle_torques(robot, changed, x, agreement, wrenches);
      Kinematics<double> after(changed);
      after.update(x.q, x.qd);
      for (int k = 0; k < static_cast<int>(changed.frames.size()); ++k)
        EXPECT_TRUE(near(list(after.pose(k).p), list(before.pose(k).p), 10.0 * mechanism.joints(), agreement));
      const double kinetic = oracle::kinetic_energy(robot, x.q, x.qd);
      EXPECT_TRUE(near(after.kinetic_energy(), kinetic, kinetic, ulps<double>(1024)));
    }
  }
}

// A revolute chain in general position becomes flat, and then the sweep really is another one.
// Origins stand where constants disappear: a last link's mass in the plane of its origin, a sliding link's centre
// there.
TEST(Regrouping, LeavesNoMomentAlongTheAxisOfATip) {
  int tips = 0, sliding = 0;
  for (const std::uint64_t seed : test::seeds(0, 40)) {
    const Mechanism slid = slide_origins(make_mechanism(sample(seed, 1 + static_cast<int>(seed % 7)).robot));
    for (int i = 0; i < slid.joints(); ++i) {
      const auto& link = slid.link(i);
      const bool is_tip =
          std::none_of(slid.links.begin(), slid.links.end(), [&](const auto& other) { return other.parent == i; });
      const double rounding = 1e-13 * link.augmented_mass;
      if (link.revolute && is_tip) {
        EXPECT_NEAR(link.mass * link.com.z, 0.0, rounding) << seed;
        ++tips;
      } else if (!link.revolute && !link.prismatic_child) {
        const Vec3<double>& moment = link.augmented_moment;
        EXPECT_NEAR(std::sqrt(dot(moment, moment)), 0.0, rounding) << seed;
        ++sliding;
      }
    }
  }
  EXPECT_GT(tips, test::sampled(20));
  EXPECT_GT(sliding, test::sampled(10));
}

TEST(Regrouping, MakesRevoluteChainsFlat) {
  Random random(3);
  const Robot robot = random_robot(random, {.joints = 6, .mix = JointMix::revolute});
  const Mechanism mechanism = make_mechanism(robot), optimized = optimize(mechanism);
  EXPECT_FALSE(mechanism.flat);
  EXPECT_TRUE(optimized.flat);
  for (const auto& link : optimized.links) {
    EXPECT_EQ(link.p_parent_to_link.z, 0.0);
    EXPECT_EQ(link.augmented_moment.z, 0.0);
    EXPECT_EQ(link.augmented_pseudo.zz, 0.0);
  }
  Random tree_random(4);
  const Robot tree = random_robot(tree_random, {.joints = 12, .shape = Shape::tree});
  EXPECT_FALSE(optimize(make_mechanism(tree)).flat);
}

}  // namespace
}  // namespace catena::test::mechanism_test

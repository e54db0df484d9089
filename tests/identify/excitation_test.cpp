// Motions to measure along: from rest to rest, every limit kept at all times, and better than random ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "catena/call.hpp"
#include "catena/excitation.hpp"
#include "catena/robot_file.hpp"
#include "identify/motion_limits.hpp"
#include "support/nightly.hpp"
#include "support/random_robot.hpp"
#include "support/tolerances.hpp"

namespace catena::test::excitation_test {
namespace {

Robot shipped(const std::string& name) {
  return load_robot(std::string(CATENA_SOURCE_DIR "/models/") + name + ".toml");
}

ExcitationOptions quick() {
  ExcitationOptions options;
  options.starts = 1, options.steps = 20;
  return options;
}

std::string refusal(const Robot& robot, const ExcitationOptions& options) {
  try {
    find_excitation(make_mechanism(robot), options);
  } catch (const std::domain_error& error) {
    return std::string("domain: ") + error.what();
  } catch (const std::invalid_argument& error) {
    return std::string("invalid: ") + error.what();
  }
  return "none";
}

constexpr int dense = 7919;  // moments, none of them a sample of the search

// Calls visit(t, q, qd, qdd) all along a motion.
template <class Visitor>
void along(const FourierMotion& motion, Visitor&& visit) {
  const std::size_t n = motion.centre.size();
  Values q(n), qd(n), qdd(n);
  for (int k = 0; k < dense; ++k) {
    const double t = motion.period * k / dense;
    motion.at(t, q, qd, qdd);
    visit(t, q, qd, qdd);
  }
}

// Of every joint of the tree: positions by the job place, speeds by differences of them.
void expect_limits_kept(const Mechanism& robot, const Excitation& found, const ExcitationOptions& options,
                        double used = 0.3) {
  const double most = options.share * (1.0 + 1e-9);
  Call<double> inverse(robot, "inverse"), place(robot, "place");
  Values tau(index(robot.nv())), tree(index(robot.joints())), before;
  double closest = 0.0;
  along(found.motion, [&](double t, const Values& q, const Values& qd, const Values& qdd) {
    inverse({.q = q, .qd = qd, .qdd = qdd}, tau);
    place({.q = q}, tree);
    for (const Coordinate c : robot.coordinates.all()) {
      const JointLimits& limits = robot.limits(c);
      const std::size_t j = index(c);
      ASSERT_GE(q[j], limits.lower) << t;
      ASSERT_LE(q[j], limits.upper) << t;
      ASSERT_LE(std::abs(qd[j]), most * limits.velocity) << t;
      ASSERT_LE(robot.is_passive(c) ? 0.0 : std::abs(tau[j]), most * limits.effort) << t << " joint " << j;
      ASSERT_LE(options.acceleration.empty() ? 0.0 : std::abs(qdd[j]) / options.acceleration[j], most) << t;
      closest = std::max({closest, std::abs(qd[j]) / limits.velocity, std::abs(tau[j]) / limits.effort});
      if (!options.acceleration.empty()) closest = std::max(closest, std::abs(qdd[j]) / options.acceleration[j]);
    }
    for (const TreeJoint joint : robot.all_joints()) {
      const JointLimits& limits = robot.coordinates.joint_limits[joint];
      const double x = tree[index(joint)];
      ASSERT_GE(x, limits.lower) << t;
      ASSERT_LE(x, limits.upper) << t;
      if (before.empty() || !std::isfinite(limits.velocity)) continue;
      ASSERT_LE(std::abs(x - before[index(joint)]) * dense / found.motion.period, most * limits.velocity) << t;
    }
    before = tree;
  });
  EXPECT_GT(closest, used);  // they matter
}

void expect_rest(const Excitation& found) {
  const std::size_t n = found.motion.centre.size();
  Values first(n), last(n), qd(n), qdd(n);
  for (const double t : {0.0, found.motion.period}) {
    found.motion.at(t, t == 0.0 ? first : last, qd, qdd);
    EXPECT_LT(largest(qd), 1e-12);
    EXPECT_LT(largest(qdd), 1e-11);
  }
  EXPECT_TRUE(near(last, first, relative(1e-12)));
}

TEST(Excitation, GetsBetterFromRestToRestWithinLimits) {
  for (const char* name : {"panda", "ur5", "stanford", "iiwa14", "fourbar_press"}) {
    SCOPED_TRACE(name);
    const Mechanism robot = make_mechanism(shipped(name));
    ExcitationOptions options = quick();
    options.acceleration = Values(index(robot.nv()), 6.0);
    const Excitation found = find_excitation(robot, options);
    EXPECT_LT(found.condition, found.first_condition);
    expect_rest(found);
    expect_limits_kept(robot, found, options);
    EXPECT_EQ(find_excitation(robot, options).motion.sines, found.motion.sines);
  }
}

// Where only positions are limited, a motion takes all the room that there is: some joints go from one end to the
// other. Where there is one limit or none, the room is free_range to each side of the middle.
class Rooms : public ::testing::TestWithParam<std::pair<double, double>> {};
TEST_P(Rooms, AreTakenWhole) {
  constexpr double none = std::numeric_limits<double>::infinity();
  const auto [lower, upper] = GetParam();
  Robot arm = shipped("planar2r");
  for (JointDescription& joint : arm.joints)
    if (joint.type != JointType::fixed) joint.limits = {lower, upper};
  ExcitationOptions options = quick();
  options.free_speed = 1e6;
  options.free_range = 0.5;
  options.share = 1.0;
  const double least = lower > -none ? lower : upper < none ? upper - 1.0 : -0.5, greatest = least + 1.0;
  const Mechanism robot = make_mechanism(arm);
  double most = 0.0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    options.seed = seed;
    const Excitation found = find_excitation(robot, options);
    Values low(2, 9.0), high(2, -9.0);
    along(found.motion, [&](double, const Values& q, const Values&, const Values&) {
      for (std::size_t j = 0; j < 2; ++j) low[j] = std::min(low[j], q[j]), high[j] = std::max(high[j], q[j]);
    });
    for (std::size_t j = 0; j < 2; ++j) {
      EXPECT_GE(low[j], least - 1e-12);
      EXPECT_LE(high[j], greatest + 1e-12);
      most = std::max(most, high[j] - low[j]);
    }
  }
  EXPECT_GT(most, 0.995);
}
INSTANTIATE_TEST_SUITE_P(Excitation, Rooms,
                         ::testing::Values(std::pair(-0.4, 0.6), std::pair(-0.4, HUGE_VAL), std::pair(-HUGE_VAL, 0.6),
                                           std::pair(-HUGE_VAL, HUGE_VAL)));

// Coordinates of closed loops do not close everywhere: motions are found where they do.
TEST(Excitation, TakesClosedLoops) {
  for (const char* name : {"five_bar", "excavator", "delta", "palletizer", "parallelogram"}) {
    SCOPED_TRACE(name);
    const Robot own = shipped(name);
    const Mechanism robot = make_mechanism(own);
    ExcitationOptions options = quick();
    options.steps = 8;
    options.around.floor = -20.0;
    options.around.spheres = link_spheres(own, 0.2);
    const Excitation found = find_excitation(robot, options);
    EXPECT_LE(found.condition, found.first_condition);
    expect_rest(found);
    expect_limits_kept(robot, found, options, 0.05);
  }
}

TEST(Excitation, SpeedsAndAccelerationsAreThoseOfThePositions) {
  const Excitation found = find_excitation(make_mechanism(shipped("panda")), quick());
  const std::size_t n = found.motion.centre.size();
  const double h = 1e-5;
  Values q(n), qd(n), qdd(n), later(n), faster(n), unused(n);
  for (int k = 0; k < 40; ++k) {
    const double t = 0.249 * k;
    found.motion.at(t, q, qd, qdd);
    found.motion.at(t + h, later, faster, unused);
    for (std::size_t j = 0; j < n; ++j) {
      EXPECT_NEAR((later[j] - q[j]) / h, qd[j] + 0.5 * h * qdd[j], 1e-6);
      EXPECT_NEAR((faster[j] - qd[j]) / h, qdd[j], 1e-3);
    }
  }
}

// Motors of 60 % of what a motion asks for: that motion passes their limits, and another is found.
TEST(Excitation, KeepsEffortsThatBind) {
  Robot arm = shipped("ur5");
  ExcitationOptions options = quick();
  options.period = 6.0;
  const Excitation strong = find_excitation(make_mechanism(arm), options);
  const Mechanism plain = make_mechanism(arm);
  Call<double> inverse(plain, "inverse");
  Values tau(6), most(6, 0.0);
  along(strong.motion, [&](double, const Values& q, const Values& qd, const Values& qdd) {
    inverse({.q = q, .qd = qd, .qdd = qdd}, tau);
    for (std::size_t j = 0; j < 6; ++j) most[j] = std::max(most[j], std::abs(tau[j]));
  });
  for (std::size_t j = 0; j < 6; ++j) arm.joints[index(arm.moving_joints()[j])].limits.effort = 0.6 * most[j];
  const Mechanism robot = make_mechanism(arm);
  identification::MotionLimits limits(robot, options, 64 * 5);
  EXPECT_GT(limits.excess(strong.motion), 0.1);
  EXPECT_NE(limits.worst().find("the effort of joint"), std::string::npos) << limits.worst();
  const Excitation found = find_excitation(robot, options);
  EXPECT_EQ(limits.excess(found.motion), 0.0);
  expect_limits_kept(robot, found, options);
}

// A limit that is passed by a hair, most often between two samples, is seen to be passed: of an effort and of a floor.
TEST(Excitation, SeesWhatIsBetweenSamples) {
  const Mechanism plain = make_mechanism(shipped("ur5"));
  const std::string tool = plain.frames[index(plain.tool)].name;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    ExcitationOptions options = quick();
    options.steps = 0, options.seed = seed, options.share = 1.0;
    const FourierMotion motion = find_excitation(plain, options).motion;
    Call<double> inverse(plain, "inverse"), pose(plain, "pose");
    Values tau(6), most(6, 0.0), T(16);
    double lowest = 1e9;
    along(motion, [&](double, const Values& q, const Values& qd, const Values& qdd) {
      inverse({.q = q, .qd = qd, .qdd = qdd}, tau);
      pose({.q = q}, T);
      for (std::size_t j = 0; j < 6; ++j) most[j] = std::max(most[j], std::abs(tau[j]));
      lowest = std::min(lowest, T[11]);
    });
    Robot weak = shipped("ur5");
    const std::vector<int> joints = weak.moving_joints();
    for (std::size_t j = 0; j < 6; ++j) weak.joints[index(joints[j])].limits.effort = 1e9;
    for (std::size_t j = 0; j < 6; ++j) {
      weak.joints[index(joints[j])].limits.effort = most[j] * (1.0 - 1e-9);
      const Mechanism robot = make_mechanism(weak);
      EXPECT_GT(identification::MotionLimits(robot, options, 320).excess(motion), 0.0) << seed << " " << j;
      weak.joints[index(joints[j])].limits.effort = 1e9;
    }
    const Mechanism robot = make_mechanism(weak);
    options.around.spheres = {{tool, {}, 0.05}};
    options.around.floor = lowest - 0.05 + 1e-9;
    EXPECT_GT(identification::MotionLimits(robot, options, 320).excess(motion), 0.0) << seed;
    options.around.floor = lowest - 0.06;
    EXPECT_EQ(identification::MotionLimits(robot, options, 320).excess(motion), 0.0) << seed;
  }
}

// Joints that follow one, two and again a follower, with limits of their own that bind.
TEST(Excitation, KeepsTheLimitsOfJointsThatFollow) {
  int tried = 0;
  for (const std::uint64_t seed : test::seeds(0, 12)) {
    Random random(seed);
    Robot arm = random_robot(random, {.joints = 5, .massless_links = false, .drives = true});
    couple_some(random, arm, 0.5);
    for (JointDescription& joint : arm.joints)
      joint.limits = {.lower = -1.0, .upper = 1.2, .velocity = 1.5, .effort = 1e6};
    for (JointDescription& joint : arm.joints) joint.coupling.offset *= 0.1;
    const Mechanism robot = make_mechanism(arm);
    if (!robot.is_coupled()) continue;
    SCOPED_TRACE(seed);
    if (refusal(arm, quick()).find("determines all base parameters") != std::string::npos)
      continue;  // some show too faintly
    ++tried;
    const Excitation found = find_excitation(robot, quick());
    expect_rest(found);
    expect_limits_kept(robot, found, quick());
  }
  EXPECT_GT(tried, test::sampled(5));
}

// Where spheres are at all times, by the job pose.
void expect_room(const Robot& arm, const Mechanism& robot, const Excitation& found, const Surroundings& around) {
  std::vector<std::vector<Vec3<double>>> ways(around.spheres.size());
  Call<double> pose(robot, "pose");
  Values T(16);
  std::string last;
  along(found.motion, [&](double, const Values& q, const Values&, const Values&) {
    for (std::size_t k = 0; k < around.spheres.size(); ++k) {
      const LinkSphere& sphere = around.spheres[k];
      if (k == 0 || sphere.frame != last) pose({.q = q, .frame = robot.frame_index(sphere.frame)}, T);
      last = sphere.frame;
      const auto row = [&](std::size_t i) {
        return T[i] * sphere.centre.x + T[i + 1] * sphere.centre.y + T[i + 2] * sphere.centre.z + T[i + 3];
      };
      ways[k].push_back({row(0), row(4), row(8)});
    }
  });
  double nearest = 1e9;
  for (std::size_t k = 0; k < ways.size(); ++k) {
    const double r = around.spheres[k].radius;
    double travelled = 0.0;
    for (const Vec3<double>& p : ways[k]) travelled = std::max(travelled, dot(p - ways[k][0], p - ways[k][0]));
    if (travelled < 1e-12) continue;  // on the first axis: nothing moves it
    for (const Vec3<double>& p : ways[k]) {
      ASSERT_GE(p.z - r, around.floor) << around.spheres[k].frame;
      nearest = std::min(nearest, p.z - r - around.floor);
      for (const Box& box : around.inside) {
        for (const double room : {p.x - r - box.lower.x, p.y - r - box.lower.y, p.z - r - box.lower.z,
                                  box.upper.x - p.x - r, box.upper.y - p.y - r, box.upper.z - p.z - r})
          ASSERT_GE(room, 0.0) << around.spheres[k].frame;
      }
      for (const Box& box : around.outside) {
        const Vec3<double> closest{std::clamp(p.x, box.lower.x, box.upper.x), std::clamp(p.y, box.lower.y, box.upper.y),
                                   std::clamp(p.z, box.lower.z, box.upper.z)};
        ASSERT_GE(dot(p - closest, p - closest), r * r) << around.spheres[k].frame;
      }
    }
  }
  EXPECT_LT(nearest, 0.3) << arm.name;  // it matters
}

TEST(Excitation, StaysInItsRoom) {
  for (const char* name : {"ur5", "stanford"}) {
    SCOPED_TRACE(name);
    Robot arm = shipped(name);
    for (JointDescription& joint : arm.joints)
      if (joint.type == JointType::prismatic) joint.limits = {.lower = 0.2, .upper = 0.6};
    const Mechanism robot = make_mechanism(arm);
    ExcitationOptions options = quick();
    options.steps = 5, options.acceleration = Values(index(robot.nv()), 10.0);
    options.around.spheres = link_spheres(arm, 0.05);
    options.around.spheres.push_back({robot.frames[index(robot.tool)].name, {0.0, 0.02, 0.05}, 0.04});
    options.around.floor = 0.0;
    expect_room(arm, robot, find_excitation(robot, options), options.around);
    options.around.inside = {{{-0.9, -0.9, 0.0}, {0.9, 0.9, 1.5}}};
    options.around.outside = {{{0.35, -0.3, 0.0}, {0.7, 0.3, 0.3}}, {{-0.7, 0.2, 0.5}, {-0.4, 0.5, 0.9}}};
    const Excitation found = find_excitation(robot, options);
    expect_room(arm, robot, found, options.around);
    expect_limits_kept(robot, found, options);
    expect_rest(found);
  }
}

// Spheres lie on the lines of the skeleton, no farther apart than the radius.
TEST(Excitation, SpheresCoverTheSkeleton) {
  const Robot arm = shipped("ur5");
  const std::vector<LinkSphere> spheres = link_spheres(arm, 0.04);
  for (const JointDescription& joint : arm.joints) {
    if (joint.parent == arm.root()) continue;
    for (const double share : {0.0, 0.31, 0.77, 1.0}) {
      const Vec3<double> point = share * joint.origin.p;
      double least = 1e9;
      for (const LinkSphere& sphere : spheres)
        if (sphere.frame == arm.links[index(joint.parent)].name)
          least = std::min(least, dot(sphere.centre - point, sphere.centre - point));
      EXPECT_LE(std::sqrt(least), 0.02 + 1e-12) << joint.name;
    }
  }
  EXPECT_THROW(link_spheres(arm, 0.0), std::invalid_argument);
}

TEST(Excitation, EachCriterionIsBestAtItsOwn) {
  const Mechanism robot = make_mechanism(shipped("ur5"));
  ExcitationOptions options = quick();
  options.steps = 150;
  const Excitation even = find_excitation(robot, options);
  options.criterion = ExcitationCriterion::determinant;
  const Excitation large = find_excitation(robot, options);
  EXPECT_LT(even.condition, large.condition);
  EXPECT_GT(large.information, even.information);
  EXPECT_GT(large.information, large.first_information);
}

TEST(Excitation, SaysWhatIsInTheWay) {
  Robot arm = shipped("planar2r");
  const auto has = [&](const std::string& text, const char* what) {
    EXPECT_NE(text.find(what), std::string::npos) << text;
  };
  arm.joints[1].limits.velocity = 0.0;
  has(refusal(arm, quick()), "domain: no motion was found that determines all base parameters: joint 2 cannot move");
  arm = shipped("planar2r");
  arm.joints[0].limits.effort = 0.0;
  has(refusal(arm, quick()), ("the effort of joint '" + arm.joints[0].name + "' passes its limit").c_str());
  arm = shipped("planar2r");
  ExcitationOptions options = quick();
  options.around.floor = 3.0;
  options.around.spheres = link_spheres(arm, 0.05);
  has(refusal(arm, options), "leaves its room");
  options.around.spheres[0].frame = "nothing";
  has(refusal(arm, options), "invalid: a sphere is on 'nothing'");
  options = quick();
  options.period = -1.0;
  has(refusal(arm, options), "invalid: the period");
  options = quick();
  options.harmonics = 1;
  has(refusal(arm, options), "invalid: harmonics must be from 2");
  options = quick();
  options.acceleration = {1.0};
  has(refusal(arm, options), "invalid: 1 accelerations for 2 joints");
  options.acceleration = {1.0, 0.0};
  has(refusal(arm, options), "invalid: an acceleration limit");
  options = quick();
  options.around.inside = {{{0.0, 0.0, 1.0}, {1.0, 1.0, 1.0}}};
  has(refusal(arm, options), "invalid: the lower corner of a box");
}

}  // namespace
}  // namespace catena::test::excitation_test

// The rules that hold for every robot, read or built in code. What the readers report is tested with models/bad.
#include "catena/validate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace catena::validate_test {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();

const Inertial body{2.0, {0.1, 0.0, 0.0}, Sym3<double>::diagonal(0.01, 0.02, 0.02)};

// base - shoulder - upper - elbow - forearm
Robot two_link_arm() {
  Robot robot;
  robot.add_link("base");
  for (const char* name : {"upper", "forearm"}) {
    const int child = robot.add_link(name, body);
    JointDescription joint;
    joint.name = std::string(name) + "_joint";
    joint.parent = child - 1;
    joint.child = child;
    robot.add_joint(joint);
  }
  return robot;
}

std::vector<std::string> texts(const std::vector<Problem>& problems) {
  std::vector<std::string> out;
  for (const Problem& problem : problems) out.push_back(problem.text);
  return out;
}

using Lines = std::vector<std::string>;

Lines errors(const std::function<void(Robot&)>& spoil) {
  Robot robot = two_link_arm();
  spoil(robot);
  return texts(validate(robot).errors);
}
Lines warnings(const std::function<void(Robot&)>& spoil) {
  Robot robot = two_link_arm();
  spoil(robot);
  EXPECT_TRUE(validate(robot).ok());
  return texts(validate(robot).warnings);
}

TEST(Validate, AcceptsAnArm) {
  const Findings findings = validate(two_link_arm());
  EXPECT_TRUE(findings.ok());
  EXPECT_TRUE(findings.warnings.empty());
}

TEST(Validate, NumbersMustBeFinite) {
  EXPECT_EQ(errors([](Robot& r) { r.gravity.z = nan; }), Lines{"gravity [0 0 nan] must be finite numbers"});
  EXPECT_EQ(errors([](Robot& r) { r.links[1].inertial.mass = inf; }),
            Lines{"link 1 'upper': mass inf must be a finite number"});
  EXPECT_EQ(errors([](Robot& r) { r.links[1].inertial.com.y = nan; }),
            Lines{"link 1 'upper': com [0.1 nan 0] must be finite numbers"});
  EXPECT_EQ(errors([](Robot& r) { r.links[1].inertial.inertia.xy = nan; }),
            Lines{"link 1 'upper': inertia must be finite numbers"});
  EXPECT_EQ(errors([](Robot& r) { r.joints[0].origin.p.x = inf; }),
            Lines{"joint 'upper_joint': origin [inf 0 0] must be finite numbers"});
  EXPECT_EQ(errors([](Robot& r) { r.joints[0].origin.R.yy = nan; }),
            Lines{"joint 'upper_joint': origin: its matrix R is not a rotation"});
  EXPECT_EQ(errors([](Robot& r) { r.joints[0].axis.x = nan; }),
            Lines{"joint 'upper_joint': axis [nan 0 1] must be finite numbers"});
  EXPECT_EQ(errors([](Robot& r) { r.joints[0].limits.effort = nan; }),
            Lines{"joint 'upper_joint': effort limit nan must be a number"});
  EXPECT_EQ(errors([](Robot& r) { r.joints[0].drive.gear_ratio = inf; }),
            Lines{"joint 'upper_joint': gear ratio inf must be a finite number"});
  EXPECT_EQ(errors([](Robot& r) { r.joints[0].drive.spring_rest = inf; }),
            Lines{"joint 'upper_joint': spring rest position inf must be a finite number"});
  EXPECT_EQ(errors([](Robot& r) { r.joints[0].drive.viscous = nan; }),
            Lines{"joint 'upper_joint': viscous friction nan must be a finite number"});
}

TEST(Validate, SignsAndAxes) {
  EXPECT_EQ(errors([](Robot& r) { r.links[2].inertial.mass = -1.5; }),
            Lines{"link 2 'forearm': mass -1.5 must not be negative"});
  EXPECT_EQ(errors([](Robot& r) { r.joints[1].drive.coulomb = -1.0; }),
            Lines{"joint 'forearm_joint': coulomb friction -1 must not be negative"});
  EXPECT_EQ(errors([](Robot& r) { r.joints[1].drive.spring = -1.0; }),
            Lines{"joint 'forearm_joint': spring stiffness -1 must not be negative"});
  EXPECT_EQ(errors([](Robot& r) { r.joints[1].drive.rotor_inertia = -1.0; }),
            Lines{"joint 'forearm_joint': rotor inertia -1 must not be negative"});
  EXPECT_EQ(errors([](Robot& r) {
              r.joints[1].drive.rotor_inertia = 1e-4;
              r.joints[1].drive.gear_ratio = 0.0;
            }),
            Lines{"joint 'forearm_joint': gear ratio 0 must not be zero where there is a rotor"});
  EXPECT_EQ(errors([](Robot& r) {
              r.joints[0].axis = {0.0, 0.0, 0.0};
            }),
            Lines{"joint 'upper_joint': axis [0 0 0] has zero length; give a direction"});
  EXPECT_EQ(errors([](Robot& r) {
              r.joints[0].axis = {0.0, 0.0, 2.0};
            }),
            Lines{"joint 'upper_joint': axis [0 0 2] has length 2; give it length 1"});
  EXPECT_TRUE(errors([](Robot& r) {
                r.joints[0].type = JointType::fixed;
                r.joints[0].axis = {};
              }).empty());
  EXPECT_EQ(errors([](Robot& r) { r.joints[0].child_frame.R.xx = -1.0; }),
            Lines{"joint 'upper_joint': child frame: its matrix R is not a rotation"});
}

TEST(Validate, Inertia) {
  const auto with = [](Sym3<double> inertia) { return [inertia](Robot& r) { r.links[1].inertial.inertia = inertia; }; };
  EXPECT_EQ(errors(with({0.01, 0.01, 0.01, 0.02, 0.0, 0.0})),
            Lines{"link 1 'upper': inertia is not positive semidefinite (eigenvalues 0.03, 0.01, -0.01): no real body "
                  "has it; --lenient takes it as written"});
  EXPECT_EQ(warnings(with(Sym3<double>::diagonal(0.01, 0.02, 0.05))),
            Lines{"link 1 'upper': principal moments 0.05, 0.02, 0.01 violate the triangle inequality (0.05 > 0.02 + "
                  "0.01): no rigid body has them"});
  // Rounding is no fault: a rod, a plate, a point.
  EXPECT_TRUE(warnings(with(Sym3<double>::diagonal(-1e-18, 0.02, 0.02))).empty());
  EXPECT_TRUE(warnings(with(Sym3<double>::diagonal(0.01, 0.0200000001, 0.0300000002))).empty());
  EXPECT_TRUE(warnings(with({})).empty());
  // Inertia without mass is allowed.
  EXPECT_TRUE(warnings([](Robot& r) { r.links[2].inertial.mass = 0.0; }).empty());
}

TEST(Validate, Names) {
  EXPECT_EQ(errors([](Robot& r) { r.links[2].name = "upper"; }),
            Lines{"link 2 'upper': name is used twice; names must be unique"});
  EXPECT_EQ(errors([](Robot& r) { r.joints[1].name = "upper_joint"; }),
            Lines{"joint 'upper_joint': name is used twice; names must be unique"});
  EXPECT_EQ(errors([](Robot& r) {
              r.add_frame("tcp", 2);
              r.add_frame("tcp", 1);
            }),
            Lines{"frame 'tcp': name is used twice; names must be unique"});
  EXPECT_EQ(errors([](Robot& r) { r.add_frame("upper", 2); }),
            Lines{"frame 'upper': name is used twice; names must be unique"});
  EXPECT_EQ(errors([](Robot& r) { r.links[1].name.clear(); }), Lines{"link 1 '': name is empty; give every link one"});
  EXPECT_EQ(errors([](Robot& r) { r.joints[1].name = "a\nb"; }),
            Lines{"joint 'a\nb': name has control characters or is not UTF-8"});
  EXPECT_EQ(errors([](Robot& r) { r.tool = "tcp"; }), Lines{"tool 'tcp' is not a link or frame of the robot"});
  for (const char* name : {"Unterarm groß", "前腕", "🦾", "a&b<c>\"d\""})
    EXPECT_TRUE(errors([&](Robot& r) { r.links[1].name = name; }).empty()) << name;
  for (const char* name : {"\xFF", "\xC3", "\xC0\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\x7F"})
    EXPECT_EQ(errors([&](Robot& r) { r.links[1].name = name; }).size(), 1U);
}

TEST(Validate, Trees) {
  EXPECT_EQ(texts(validate(Robot{}).errors), Lines{"the robot has no links; it needs at least one"});
  EXPECT_EQ(errors([](Robot& r) { r.joints[1].child = 7; }),
            Lines{"joint 'forearm_joint': parent and child must be links of the robot"});
  EXPECT_EQ(errors([](Robot& r) { r.joints[1].parent = -1; }),
            Lines{"joint 'forearm_joint': parent and child must be links of the robot"});
  EXPECT_EQ(errors([](Robot& r) { r.joints[1].parent = 2; }),
            Lines{"joint 'forearm_joint': parent and child are the same link 'forearm'"});
  EXPECT_EQ(errors([](Robot& r) { r.add_link("cable"); }),
            Lines{"link 3 'cable': no joint connects it to the base 'base'"});
  EXPECT_EQ(errors([](Robot& r) {
              JointDescription rod = r.joints[0];
              rod.name = "rod";
              rod.child = 2;
              r.add_joint(rod);
            }),
            Lines{"joint 'rod': link 'forearm' is already the child of joint 'forearm_joint'; a link has one parent"});
  EXPECT_EQ(errors([](Robot& r) { r.joints[0].parent = 2; }),
            Lines{"joint 'upper_joint': links 'upper' -> 'forearm' -> 'upper' form a loop of joints; leave out one of "
                  "them and close the tree with a loop"});
}

Coupling follows(const std::string& joint, double factor = 1.0, double offset = 0.0) {
  return {{{joint, factor}}, offset};
}

TEST(Validate, Couplings) {
  EXPECT_EQ(errors([](Robot& r) { r.joints[1].coupling = follows("elbow"); }),
            Lines{"joint 'forearm_joint': is coupled to 'elbow', which is not a joint of this robot"});
  EXPECT_EQ(errors([](Robot& r) { r.joints[1].coupling = follows("forearm_joint"); }),
            Lines{"joint 'forearm_joint': is coupled to itself"});
  EXPECT_EQ(errors([](Robot& r) {
              r.joints[0].coupling = follows("forearm_joint");
              r.joints[1].coupling = follows("upper_joint", 2.0);
            }),
            Lines{"joint 'upper_joint': its coupling leads back to itself, 'upper_joint' -> 'forearm_joint' -> "
                  "'upper_joint'; one of them must be independent"});
  EXPECT_EQ(
      errors([](Robot& r) { r.joints[1].coupling = follows("upper_joint", 0.0); }),
      Lines{"joint 'forearm_joint': is coupled to 'upper_joint' with factor 0; give another factor, or leave it out"});
  EXPECT_EQ(errors([](Robot& r) { r.joints[1].coupling = follows("upper_joint", inf); }),
            Lines{"joint 'forearm_joint': is coupled to 'upper_joint' by inf; its factor must be a finite number"});
  EXPECT_EQ(errors([](Robot& r) { r.joints[1].coupling = follows("upper_joint", 1.0, inf); }),
            Lines{"joint 'forearm_joint': offset of its coupling inf must be a finite number"});
  EXPECT_EQ(errors([](Robot& r) {
              r.joints[0].type = JointType::fixed;
              r.joints[1].coupling = follows("upper_joint");
            }),
            Lines{"joint 'forearm_joint': is coupled to 'upper_joint', which is fixed"});
  EXPECT_EQ(errors([](Robot& r) {
              r.joints[1].passive = true;
              r.joints[1].coupling = follows("upper_joint");
            }),
            Lines{"joint 'forearm_joint': is coupled and cannot be passive: it moves with 'upper_joint'"});
  EXPECT_EQ(errors([](Robot& r) {
              r.joints[1].coupling = {{{"upper_joint", 1.0}, {"upper_joint", -1.0}}, 0.0};
            }),
            Lines{"joint 'forearm_joint': is coupled to 'upper_joint' twice; give one factor"});
}

TEST(Validate, Warnings) {
  EXPECT_EQ(
      warnings([](Robot& r) { r.links[2].inertial = {}; }),
      Lines{"joint 'forearm_joint': moves no mass (link 'forearm' and all beyond it are massless); forward dynamics "
            "will be singular"});
  EXPECT_TRUE(warnings([](Robot& r) {
                r.links[2].inertial = {};
                r.joints[1].drive.rotor_inertia = 1e-4;
              }).empty());
  EXPECT_TRUE(warnings([](Robot& r) { r.joints[1].coupling = {{{"upper_joint", -1.0}}, 0.0}; }).empty());
  EXPECT_EQ(warnings([](Robot& r) {
              r.joints[1].type = JointType::fixed;
              r.joints[1].coupling = {{{"nobody", 0.0}}, 0.0};
            }),
            Lines{"joint 'forearm_joint': is fixed, so that its coupling to 'nobody' has no effect"});
  EXPECT_EQ(warnings([](Robot& r) {
              r.joints[1].limits = {1.0, -1.0, inf, inf};
            }),
            Lines{"joint 'forearm_joint': limits are reversed: lower 1 > upper -1"});
  EXPECT_EQ(warnings([](Robot& r) {
              r.joints[1].limits = {-180.0, 180.0, inf, inf};
            }),
            Lines{"joint 'forearm_joint': limit -180 rad is more than two turns; degrees instead of radians?"});
  EXPECT_TRUE(warnings([](Robot& r) { r.joints[1].limits = {-1e16, 1e16, inf, inf}; }).empty());
  EXPECT_EQ(warnings([](Robot& r) {
              r.joints[1].origin.p = {0.0, 300.0, 400.0};
            }),
            Lines{"joint 'forearm_joint': origin [0 300 400] is 500 m long; millimetres instead of metres?"});
  EXPECT_EQ(warnings([](Robot& r) { r.links[1].inertial.mass = 20000.0; }),
            Lines{"link 1 'upper': mass 20000 kg is over 10000 kg; grams instead of kg?"});
  const Lines grams = warnings([](Robot& r) { r.links[2].inertial.mass = 2000.0; });
  ASSERT_EQ(grams.size(), 1U);
  EXPECT_TRUE(grams[0].starts_with("the links that move weigh 200")) << grams[0];
  EXPECT_TRUE(warnings([](Robot& r) { r.links[0].inertial.mass = 2000.0; }).empty());  // a base that stands
}

TEST(Validate, ReportsEverything) {
  const Lines all = errors([](Robot& r) {
    r.links[1].inertial.mass = -1.0;
    r.links[2].inertial.mass = nan;
    r.joints[0].axis = {};
    r.add_link("cable");
  });
  EXPECT_EQ(all.size(), 4U);
}

TEST(Validate, FormatsProblems) {
  EXPECT_EQ(format_problems("arm.toml", {{12, "a"}, {0, "b"}}), "arm.toml:12: a\narm.toml: b");
  EXPECT_EQ(format_problems("", {{0, "c"}}), "c");
  EXPECT_EQ(format_problems("f", {{1, "tab\t, \xFF, é"}}), "f:1: tab\\x09, \\xff, é");
}

TEST(Eigenvalues, OfKnownSpectra) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(-3.0, 3.0);
  const auto check = [&](Vec3<double> expected, double scale) {
    const Mat3<double> r = rotation_from_rpy({uniform(random), uniform(random), uniform(random)});
    const auto spectrum = Sym3<double>::diagonal(scale * expected.x, scale * expected.y, scale * expected.z);
    const Vec3<double> found = eigenvalues(congruence(r, spectrum));
    const double tolerance = 16.0 * std::numeric_limits<double>::epsilon() * scale * std::abs(expected.z);
    EXPECT_NEAR(found.x, scale * expected.x, tolerance);
    EXPECT_NEAR(found.y, scale * expected.y, tolerance);
    EXPECT_NEAR(found.z, scale * expected.z, tolerance);
  };
  for (int k = 0; k < 200; ++k)
    for (const double scale : {1e-200, 1e-6, 1.0, 1e200}) {
      check({1.0, 2.0, 3.0}, scale);
      check({0.0, 1.0, 1.0}, scale);
      check({1.0, 1.0, 1.0}, scale);
      check({-1.0, 1e-9, 3.0}, scale);
    }
  EXPECT_EQ(eigenvalues(Sym3<double>{}), (Vec3<double>{0.0, 0.0, 0.0}));
}

}  // namespace
}  // namespace catena::validate_test

// The worked examples of the literature, robots built link by link in code: planar 2R (Saha and Goel), planar 3R and
// Stanford arm (Saha), pelican with a crucible (Laus et al.). Table values have 12 significant digits.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>

#include "support/formulations.hpp"
#include "support/tolerances.hpp"

namespace catena::test::examples_test {
namespace {

constexpr double pi = std::numbers::pi;
constexpr Tolerance table = relative(1e-10);

// Appends a link by a classic DH row. com: the link-carried frame's origin to the mass centre.
void add(Robot& robot, JointType type, const DhRow& row, double mass, Vec3<double> com, Vec3<double> moments) {
  JointDescription joint = classic_dh(row, type);
  joint.parent = static_cast<int>(robot.links.size()) - 1;
  joint.child = robot.add_link("link" + std::to_string(robot.links.size()),
                               {mass, com, Sym3<double>::diagonal(moments.x, moments.y, moments.z)});
  joint.name = "joint" + std::to_string(joint.child);
  robot.add_joint(joint);
}

Robot planar_rods(int n) {
  Robot robot;
  robot.add_link("base");
  robot.gravity = {0.0, -9.81, 0.0};
  for (int i = 0; i < n; ++i)
    add(robot, JointType::revolute, {.a = 1.0}, 1.0, {-0.5, 0.0, 0.0}, {1e-6, 1.0 / 12.0, 1.0 / 12.0});
  return robot;
}

// r4: the table's (0, -0.1, 0) puts the mass centre of link 4 beyond its origin; +0.1 is the likely intention.
Robot stanford(double r4 = -0.1) {
  constexpr auto R = JointType::revolute, P = JointType::prismatic;
  Robot robot;
  robot.add_link("base");
  add(robot, R, {.alpha = -pi / 2, .d = 0.2}, 9.0, {0.0, 0.1, 0.0}, {0.01, 0.02, 0.01});
  add(robot, R, {.alpha = -pi / 2, .d = 0.1}, 6.0, {}, {0.05, 0.06, 0.01});
  add(robot, P, {}, 4.0, {}, {0.4, 0.4, 0.01});
  add(robot, R, {.alpha = pi / 2, .d = 0.6}, 1.0, {0.0, -r4, 0.0}, {0.001, 0.001, 0.0005});
  add(robot, R, {.alpha = -pi / 2}, 0.6, {}, {0.0005, 0.0005, 0.0002});
  add(robot, R, {}, 0.5, {}, {0.003, 0.001, 0.002});
  return robot;
}

// q = start + factor [2πt/T - sin 2πt/T], T = 10 s
State cycloid(const Values& start, const Values& factor, double t) {
  const double rate = 2.0 * pi / 10.0, phase = rate * t;
  State x;
  for (std::size_t j = 0; j < start.size(); ++j) {
    x.q.push_back(start[j] + factor[j] * (phase - std::sin(phase)));
    x.qd.push_back(factor[j] * rate * (1.0 - std::cos(phase)));
    x.qdd.push_back(factor[j] * rate * rate * std::sin(phase));
  }
  return x;
}

void expect_table(const Robot& robot, const State& x, const Values& expected) {
  const Mechanism mechanism = make_mechanism(robot);
  for (const std::string_view method : inverse_methods())
    EXPECT_TRUE(near(torques(mechanism, method, x), expected, table)) << method << " at q[0] = " << x.q[0];
}

TEST(Examples, Planar2RMatchesItsClosedForm) {
  const Robot robot = planar_rods(2);
  expect_table(robot, {{0.3, 0.7}, {0.0, 0.0}, {0.0, 0.0}}, {16.7079592478, 2.65018281028});
  Robot weightless = robot;
  weightless.gravity = {};
  // Columns of I, then C q̇ at q̇ = (0.5, -0.4).
  expect_table(weightless, {{0.3, 0.7}, {0.0, 0.0}, {1.0, 0.0}}, {2.43150885395, 0.715754426976});
  expect_table(weightless, {{0.3, 0.7}, {0.0, 0.0}, {0.0, 1.0}}, {0.715754426976, 0.333333333333});
  expect_table(weightless, {{0.3, 0.7}, {0.5, -0.4}, {0.0, 0.0}},
               {0.128843537448 * 0.5 + 0.0322108843619 * 0.4, 0.161054421809 * 0.5});
}

TEST(Examples, Planar3RTrajectory) {
  const Robot robot = planar_rods(3);
  const Values start(3, 0.0), factor(3, 0.5);
  expect_table(robot, cycloid(start, factor, 0.0), {44.145, 19.62, 4.905});
  expect_table(robot, cycloid(start, factor, 2.5), {41.5641225266, 17.1599009038, 3.76641445976});
  expect_table(robot, cycloid(start, factor, 5.0), {-17.4784892323, -15.109784176, 0.789568352087});
  expect_table(robot, cycloid(start, factor, 7.5), {-14.5369421047, 9.06427654337, -3.27645209789});
  expect_table(robot, cycloid(start, factor, 10.0), {-14.715, 9.81, -4.905});
}

const Values stanford_start{0.0, pi / 2, 0.0, 0.0, 0.0, 0.0};
const Values stanford_factor{1.0 / 6, -1.0 / 12, 0.1 / (2.0 * pi), 1.0 / 6, 1.0 / 6, 1.0 / 6};

TEST(Examples, StanfordArmWithTheEndValuesOfItsText) {
  const auto expect = [](double t, const Values& tau) {
    expect_table(stanford(), cycloid(stanford_start, stanford_factor, t), tau);
  };
  expect(0.0, {0.0, 13.3416, 0.0, 0.0, 0.0, 0.0});
  expect(2.5, {0.104302575299, 13.8227158279, -2.78629403168, 0.000327195163163, 4.69065879427e-05, 0.000268387534329});
  expect(5.0,
         {-0.00570858867646, 15.7537854002, -15.5743918965, 4.00284523559e-05, -9.80994189283e-05, -6.97972515786e-05});
  expect(7.5,
         {-0.0998369761122, 16.7328672744, -27.5183536764, -0.000210423818254, 3.19849312994e-05, -0.000217470058295});
  expect(10.0, {0.0, 16.7365471459, -29.9205, 0.0, 0.0, 0.0});
}

TEST(Examples, StanfordArmWithItsEquationTakenLiterally) {
  const auto expect = [](double t, const Values& tau) {
    expect_table(stanford(), cycloid(stanford_start, Values(6, 0.5), t), tau);
  };
  expect(0.0, {0.0, 13.3416, 0.0, 0.0, 0.0, 0.0});
  expect(2.5, {0.964279970806, 30.371686942, 17.5793974435, 0.00117526530185, 0.00081394243663, 0.00103427305252});
  expect(5.0, {-0.48053129908, 8.63602828175, 55.5213277656, 0.00110539569292, 0.00371097125481, -0.00315827340835});
  expect(7.5,
         {-3.8134474667, -186.185091278, 12.1984199907, -0.000568586809076, -0.000349330981338, -0.000222469463325});
  expect(10.0, {0.0, -201.337645983, 0.0, 0.0, 0.0, 0.0});
}

// The wrist torques are 1e-6 of the largest one, so against that scale they would go unchecked: here each on its own.
TEST(Examples, StanfordArmWristTorquesOnTheirOwnScale) {
  const Mechanism mechanism = make_mechanism(stanford());
  for (const std::string_view method : inverse_methods()) {
    const Values tau = torques(mechanism, method, cycloid(stanford_start, stanford_factor, 2.5));
    const Values wrist{tau[3], tau[4], tau[5]}, expected{0.000327195163163, 4.69065879427e-05, 0.000268387534329};
    EXPECT_TRUE(near(wrist, expected, expected, table)) << method;
  }
}

TEST(Examples, StanfordArmWithTheLikelyMassCentreOfLink4) {
  expect_table(stanford(0.1), cycloid(stanford_start, stanford_factor, 0.0), {0.0, 11.3796, 0.0, 0.0, 0.0, 0.0});
  expect_table(
      stanford(0.1), cycloid(stanford_start, stanford_factor, 5.0),
      {-0.00420879617422, 13.8623279061, -15.5640133477, 4.00284523558e-05, -9.80994189269e-05, -6.97972515786e-05});
}

// Only I_z counts in the plane; the other moments are chosen so that the body can exist.
Robot pelican(bool crucible) {
  Robot robot;
  robot.add_link("base");
  robot.gravity = {0.0, -9.81, 0.0};
  add(robot, JointType::revolute, {.a = 0.26}, 6.5225, {0.0983 - 0.26, 0.0, 0.0}, {0.1, 0.1, 0.1213});
  add(robot, JointType::revolute, {.a = 0.26}, 2.0458, {0.0229 - 0.26, 0.0, 0.0}, {0.01, 0.01, 0.0116});
  if (crucible) add(robot, JointType::revolute, {.a = 0.2}, 1.0, {0.15 - 0.2, 0.0, 0.0}, {0.01, 0.01, 0.01});
  return robot;
}

TEST(Examples, Pelican) {
  expect_table(pelican(false), {{0.4, 0.9}, {0.7, -0.3}, {1.0, -2.0}}, {11.0354359189, 0.122513083943});
  expect_table(pelican(false), {{0.4, 0.9}, {0.0, 0.0}, {0.0, 0.0}}, {10.7223377935, 0.122938963875});
}

TEST(Examples, PelicanWithCrucible) {
  expect_table(pelican(true), {{0.4, 0.9, -1.2}, {0.7, -0.3, 0.5}, {1.0, -2.0, 0.5}},
               {15.5570961043, 2.28710197397, 1.45956148481});
  expect_table(pelican(true), {{0.4, 0.9, -1.2}, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}},
               {15.2180271063, 2.26937010537, 1.46414862921});
}

}  // namespace
}  // namespace catena::test::examples_test

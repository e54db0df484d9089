// The ways in which a linkage can be put together, by geometry.
#include "model/assemblies.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "model/close_loops.hpp"
#include "support/four_bar.hpp"

namespace catena::test::assemblies_test {
namespace {

double turn(double angle) { return std::remainder(angle, 2.0 * std::numbers::pi); }

// The coupler's end is on two circles: about the crank's end and about the rocker's foot.
TEST(Assemblies, OfAFourBarAreTwo) {
  const Mechanism robot = make_mechanism(four_bar());
  const double a = 0.3, b = 0.8, c = 0.5, d = 0.7;
  for (const double q : {0.1, 1.0, 2.5, -1.7}) {
    const std::vector<std::vector<double>> found = find_assemblies(robot, std::vector{q});
    ASSERT_EQ(found.size(), 2U) << q;
    const double px = a * std::cos(q), py = a * std::sin(q), e = std::hypot(d - px, py);
    const double to_foot = std::atan2(-py, d - px), inside = std::acos((b * b + e * e - c * c) / (2.0 * b * e));
    for (const double side : {1.0, -1.0}) {
      const double coupler = to_foot + side * inside;
      const double rocker = std::atan2(py + b * std::sin(coupler), px + b * std::cos(coupler) - d);
      EXPECT_EQ(std::count_if(found.begin(), found.end(),
                              [&](const std::vector<double>& all) {
                                return std::abs(turn(all[0] - q)) < 1e-12 &&
                                       std::abs(turn(all[1] - (coupler - q))) < 1e-9 &&
                                       std::abs(turn(all[2] - rocker)) < 1e-9;
                              }),
                1)
          << q << ' ' << side;
    }
  }
}

// A loop that may close in two ways is closed where the limits of its joints let it: above the ground or below it.
TEST(Assemblies, AreLookedForWithinLimits) {
  for (const double side : {1.0, -1.0}) {
    Robot robot = four_bar();
    robot.start.clear();
    for (const char* name : {"coupler", "rocker"}) {
      JointLimits& limits = robot.joints[index(robot.joint_index(name))].limits;
      limits.lower = std::min(0.2 * side, 3.0 * side), limits.upper = std::max(0.2 * side, 3.0 * side);
    }
    ASSERT_TRUE(close_loops(robot).empty()) << side;
    EXPECT_GT(side * robot.closed.at("rocker"), 0.2);
    EXPECT_LT(side * robot.closed.at("rocker"), 3.0);
  }
}

}  // namespace
}  // namespace catena::test::assemblies_test

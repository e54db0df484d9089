// Coordinates that a run chooses anew have the limits of their own joints.
#include "sim/watched_joints.hpp"

#include <gtest/gtest.h>

#include "support/four_bar.hpp"

namespace catena::test::watched_joints_test {
namespace {

TEST(WatchedJoints, OtherCoordinatesBringTheirLimits) {
  Robot described = four_bar();
  for (std::size_t j = 0; j < described.joints.size(); ++j)
    described.joints[j].limits = {-20.0 - static_cast<double>(j), 20.0 + static_cast<double>(j)};
  const auto robot = std::make_shared<const Mechanism>(make_mechanism(described));
  const WatchedJoints watched(robot, *robot);
  int other = 0;
  for (double q = -3.0; q <= 3.0; q += 0.25) {
    watched.see(std::vector{q}, std::vector{1.0});
    std::string what;
    const Mechanism refit = watched.refit(what);
    ASSERT_EQ(refit.nv(), 1);
    const TreeJoint joint = refit.coordinates.joints[Coordinate(0)];
    EXPECT_EQ(refit.limits(Coordinate(0)).lower, described.joints[index(joint)].limits.lower) << q;
    EXPECT_EQ(refit.limits(Coordinate(0)).upper, described.joints[index(joint)].limits.upper) << q;
    EXPECT_EQ(what.empty(), joint == robot->coordinates.joints[Coordinate(0)]) << what;
    other += !what.empty();
  }
  EXPECT_GT(other, 0);
}

}  // namespace
}  // namespace catena::test::watched_joints_test

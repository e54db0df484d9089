// Where a base is that moves by a law of time.
#include "sim/base_path.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace catena::test::base_path_test {
namespace {

// Ahead along its own x, turning about its own z: a circle. The rate of the turn grows, so that steps of any order
// below the fourth are seen.
TEST(BasePath, DrivesInCircles) {
  const double radius = 2.0, w = 3.0, a = 5.0;
  BasePath path([=](double t) {
    BaseMotion<double> motion;
    motion.angular_velocity = {0.0, 0.0, w + a * t};
    motion.velocity = {radius * (w + a * t), 0.0, 0.0};
    return motion;
  });
  for (const double t : {0.0, 0.3, 0.30005, 1.0}) {
    const double angle = w * t + 0.5 * a * t * t;
    const BasePath::Place& at = path.at(t);
    EXPECT_NEAR(at[0], radius * std::sin(angle), 1e-10) << t;
    EXPECT_NEAR(at[1], radius * (1.0 - std::cos(angle)), 1e-10) << t;
    EXPECT_NEAR(at[2], 0.0, 1e-14) << t;
    EXPECT_NEAR(at[3], 0.0, 1e-14) << t;
    EXPECT_NEAR(at[5], std::sin(0.5 * angle), 1e-10) << t;
    EXPECT_NEAR(at[6], std::cos(0.5 * angle), 1e-10) << t;
  }
}

}  // namespace
}  // namespace catena::test::base_path_test

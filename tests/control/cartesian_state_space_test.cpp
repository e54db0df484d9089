// The linearized model of a frame as a state space.
#include <gtest/gtest.h>

#include "catena/control.hpp"
#include "catena/robot_file.hpp"
#include "support/random_robot.hpp"

namespace catena::cartesian_state_space_test {
namespace {

// At rest the states of a frame follow from those of the joints by a constant matrix: the poles are the same.
TEST(CartesianStateSpace, HasThePolesOfTheJoints) {
  test::Random random(81);
  const Mechanism robot = make_mechanism(load_robot(find_model("ur5")));
  Linearization joints(robot);
  CartesianDynamics frame(robot, robot.tool, FrameCoordinates::rpy);
  for (int k = 0; k < 10; ++k) {
    const test::State x = test::random_state(random, robot);
    const std::vector<double> still(6);
    const StateSpace of_joints = joints.along(x.q, still, still);
    const StateSpace of_frame = state_space(frame.linearize(x.q, still, still), robot);
    auto expected = poles(of_joints), actual = poles(of_frame);
    for (const auto& pole : expected) {
      double nearest = 1e9;
      for (const auto& other : actual) nearest = std::min(nearest, std::abs(other - pole));
      EXPECT_LT(nearest, 1e-5 * (1.0 + std::abs(expected.front())));
    }
    const Regulator regulator =
        lqr(of_frame, diagonal_cost(of_frame, std::vector{100.0}, std::vector{1.0}, std::vector{0.01}));
    for (const auto& pole : regulator.poles) EXPECT_LT(pole.real(), 0.0);
  }
  const Mechanism redundant = make_mechanism(load_robot(find_model("panda")));
  const std::vector<double> q{0.1, 0.2, 0.3, -1.5, 0.2, 1.5, 0.1}, zero(7);
  EXPECT_THROW(state_space(CartesianDynamics(redundant, redundant.tool, FrameCoordinates::rpy).linearize(q, zero, zero),
                           redundant),
               std::invalid_argument);
}

}  // namespace
}  // namespace catena::cartesian_state_space_test

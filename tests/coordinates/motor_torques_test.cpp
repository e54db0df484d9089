// Motors anywhere in loops and couplings: their power is that of the coordinates, and the sum of weight τ² is least.
#include "coordinates/motor_torques.hpp"

#include <gtest/gtest.h>

#include "dense/dense.hpp"
#include "support/generic_job.hpp"
#include "support/kinds_of_robots.hpp"
#include "support/tolerances.hpp"

namespace catena::test::motor_torques_test {
namespace {

using dense::Matrix;

// ∂(positions of all joints)/∂q by differences.
Matrix moved_by_coordinates(const Mechanism& robot, const Values& q) {
  const double h = 1e-6;
  Call<double> place(robot, "place");
  Matrix G(index(robot.joints()), q.size());
  Values more(place.size()), less(place.size());
  for (std::size_t c = 0; c < q.size(); ++c) {
    Values to = q;
    to[c] = q[c] + h, place({.q = to}, more);
    to[c] = q[c] - h, place({.q = to}, less);
    for (std::size_t j = 0; j < G.rows(); ++j) G(j, c) = (more[j] - less[j]) / (2.0 * h);
  }
  return G;
}

TEST(MotorTorques, HaveThePowerOfTheCoordinatesAndTheLeastSum) {
  std::vector<Robot> robots = kinds_of_robots();
  for (const char* name : {"five_bar", "excavator", "delta", "six_bar", "slider_crank"})
    robots.push_back(load_robot(find_model(name)));
  Random random(3);
  int with_more_motors = 0;
  for (const Robot& described : robots) {
    SCOPED_TRACE(described.name);
    const Mechanism robot = make_mechanism(described);
    Values q(index(robot.nq())), tau(index(robot.nv()));
    for (double& position : q) position = random.between(0.02, 0.1);
    for (double& torque : tau) torque = random.between(-1.0, 1.0);
    std::vector<MotorTorques::Motor> motors;
    Matrix weights(index(robot.joints()), 1);
    for (const TreeJoint j : robot.all_joints()) {
      motors.push_back({j, random.between(0.5, 2.0)});
      weights[index(j)] = motors.back().weight;
    }
    Values torques(motors.size());
    MotorTorques(robot, motors)(q, tau, torques);
    const Matrix G = moved_by_coordinates(robot, q), all = dense::as_column(torques);
    EXPECT_TRUE(near((transposed(G) * all).entries(), tau, 1.0, relative(1e-7)));
    const Matrix costs = scaled_rows(weights, all), along = dense::least_squares(G, costs, 1e-9);
    EXPECT_LT(dense::norm((costs - G * along).entries()), 1e-7 * dense::norm(costs.entries()));
    with_more_motors += robot.joints() > robot.nv() && robot.nv() > 1;
  }
  EXPECT_GE(with_more_motors, 4);
}

}  // namespace
}  // namespace catena::test::motor_torques_test

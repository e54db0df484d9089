// Ellipsoids of a frame: a slider in closed form, and every direction against jobs on random arms.
#include <gtest/gtest.h>

#include <cmath>

#include "catena/call.hpp"
#include "catena/control.hpp"
#include "catena/robot_file.hpp"
#include "model/free_base.hpp"
#include "support/random_robot.hpp"

namespace catena::ellipsoids_test {
namespace {

// The tip of a rod of 1 m that turns about z, seen at its end.
TEST(Ellipsoids, ARod) {
  Robot robot;
  robot.name = "rod";
  robot.links.resize(2);
  robot.links[0].name = "base", robot.links[1].name = "rod";
  robot.links[1].inertial = {2.0, {0.5, 0.0, 0.0}, {0.0, 1.0 / 6.0, 1.0 / 6.0}};
  JointDescription joint;
  joint.name = "hinge", joint.parent = 0, joint.child = 1, joint.limits.effort = 4.0;
  robot.joints.push_back(joint);
  FrameDescription tip;
  tip.name = "tip", tip.link = 1, tip.pose.p = {1.0, 0.0, 0.0};
  robot.frames.push_back(tip);
  const Mechanism rod = make_mechanism(robot);
  int frame = 0;
  while (rod.frames[std::size_t(frame)].name != "tip") ++frame;
  const Ellipsoids found = ellipsoids(rod, frame, std::vector{0.0});
  const double inertia = 2.0 / 3.0;
  EXPECT_TRUE(found.by_efforts);
  EXPECT_NEAR(found.translation.velocity.lengths[0], 1.0, 1e-14);
  EXPECT_NEAR(std::abs(found.translation.velocity.axes[0].y), 1.0, 1e-14);
  EXPECT_NEAR(found.translation.velocity.isotropy(), 0.0, 1e-14);
  EXPECT_NEAR(found.translation.acceleration.lengths[0], 4.0 / inertia, 1e-12);
  EXPECT_NEAR(found.translation.inertia.lengths.back(), inertia, 1e-12);  // J/r²
  EXPECT_TRUE(std::isinf(found.translation.inertia.lengths.front()));
  EXPECT_NEAR(found.rotation.inertia.lengths.back(), inertia, 1e-12);
}

// A tool on the base: nothing moves it, and nothing is not a number.
TEST(Ellipsoids, AFrameThatNoJointMoves) {
  const Mechanism robot = make_mechanism(load_robot(find_model("planar2r")));
  const Ellipsoids found = ellipsoids(robot, 0, std::vector{0.3, 0.4});
  for (const FrameEllipsoids* part : {&found.translation, &found.rotation}) {
    EXPECT_EQ(part->velocity.lengths.front(), 0.0);
    EXPECT_TRUE(std::isinf(part->inertia.lengths.back()));
    for (const Ellipsoid* one : {&part->velocity, &part->acceleration, &part->inertia}) EXPECT_EQ(one->isotropy(), 0.0);
  }
}

// A free base has no motor: its motion follows from that of the joints, and efforts are theirs.
TEST(Ellipsoids, AFreeBaseHasNoMotor) {
  const Mechanism robot = make_mechanism(on_free_base(load_robot(find_model("ur5"))));
  const std::size_t n = index(robot.nv());
  const std::vector<double> q{0.1, 0.2, 0.3, 0.5, 0.5, 0.5, 0.5, 0.3, -1.0, 1.0, 0.2, 0.3, 0.4};
  const Ellipsoids found = ellipsoids(robot, robot.tool, q);
  EXPECT_TRUE(found.by_efforts);
  std::vector<double> J(6 * n), inverse(n * n);
  Call<double>(robot, "jacobian")({.q = q, .frame = robot.tool}, J);
  Call<double>(robot, "inverse_inertia")({.q = q}, inverse);
  double squares = 0.0, lengths = 0.0;  // |J M⁻¹ L|² by motors, and by half axes
  for (std::size_t motor = 6; motor < n; ++motor)
    for (std::size_t row = 0; row < 3; ++row) {
      double entry = 0.0;
      for (std::size_t k = 0; k < n; ++k) entry += J[row * n + k] * inverse[k * n + motor];
      squares += std::pow(entry * robot.limits(Coordinate(int(motor))).effort, 2);
    }
  for (const double length : found.translation.acceleration.lengths) lengths += length * length;
  EXPECT_NEAR(lengths / squares, 1.0, 1e-10);
}

TEST(Ellipsoids, EveryDirectionOfArms) {
  test::Random random(91);
  for (const char* name : {"ur5", "panda", "stanford"}) {
    const Mechanism robot = make_mechanism(load_robot(find_model(name)));
    const std::size_t n = index(robot.nv());
    const test::State x = test::random_state(random, robot);
    const Ellipsoids found = ellipsoids(robot, robot.tool, x.q);
    std::vector<double> J(6 * n), inverse(n * n);
    Call<double>(robot, "jacobian")({.q = x.q, .frame = robot.tool}, J);
    Call<double>(robot, "inverse_inertia")({.q = x.q}, inverse);
    for (std::size_t part = 0; part < 2; ++part) {
      const FrameEllipsoids& own = part == 0 ? found.translation : found.rotation;
      for (std::size_t k = 0; k < 3; ++k) {
        // Along a half axis u: |Jᵀu| = σ, |L M⁻¹ Jᵀ u| = its length, 1/(uᵀ J M⁻¹ Jᵀ u) the inertia.
        const auto row = [&](const Vec3<double>& u) {
          std::vector<double> out(n);
          for (std::size_t j = 0; j < n; ++j)
            out[j] = u.x * J[(3 * part) * n + j] + u.y * J[(3 * part + 1) * n + j] + u.z * J[(3 * part + 2) * n + j];
          return out;
        };
        const auto times_inverse = [&](const std::vector<double>& v) {
          std::vector<double> out(n);
          for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j) out[i] += inverse[i * n + j] * v[j];
          return out;
        };
        const auto length = [](const std::vector<double>& v) {
          double sum = 0.0;
          for (const double value : v) sum += value * value;
          return std::sqrt(sum);
        };
        EXPECT_NEAR(length(row(own.velocity.axes[k])), own.velocity.lengths[k], 1e-10) << name;
        std::vector<double> pushed = times_inverse(row(own.acceleration.axes[k]));
        for (std::size_t j = 0; j < n && found.by_efforts; ++j) pushed[j] *= robot.limits(Coordinate(int(j))).effort;
        EXPECT_NEAR(length(pushed), own.acceleration.lengths[k], 1e-8 * (1.0 + own.acceleration.lengths[0])) << name;
        const std::vector<double> v = row(own.inertia.axes[k]), w = times_inverse(v);
        double mobility = 0.0;
        for (std::size_t j = 0; j < n; ++j) mobility += v[j] * w[j];
        EXPECT_NEAR(mobility * own.inertia.lengths[k], 1.0, 1e-8) << name;
      }
    }
  }
}

}  // namespace
}  // namespace catena::ellipsoids_test

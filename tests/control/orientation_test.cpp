// Rotations by three numbers, and how well a frame can be moved.
#include "catena/control.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "catena/inverse_kinematics.hpp"
#include "catena/robot.hpp"
#include "support/random_robot.hpp"

namespace catena::test::orientation_test {
namespace {

constexpr double pi = std::numbers::pi;

double difference(const Mat3<double>& a, const Mat3<double>& b) {
  const double entries[] = {a.xx - b.xx, a.xy - b.xy, a.xz - b.xz, a.yx - b.yx, a.yy - b.yy,
                            a.yz - b.yz, a.zx - b.zx, a.zy - b.zy, a.zz - b.zz};
  double worst = 0.0;
  for (const double e : entries) worst = std::max(worst, std::abs(e));
  return worst;
}

// All twelve orders, whatever the program names.
std::vector<std::string> all_orders() {
  std::vector<std::string> orders;
  for (const char a : {'x', 'y', 'z'})
    for (const char b : {'x', 'y', 'z'})
      for (const char c : {'x', 'y', 'z'})
        if (a != b && b != c) orders.push_back({a, b, c});
  return orders;
}

TEST(Orientation, EveryConventionComesBack) {
  Random random(5);
  const std::vector<std::string> orders = all_orders();
  ASSERT_EQ(orders.size(), 12U);
  for (const std::string& axes : orders) {
    const AngleConvention convention{axes, axes};
    for (int k = 0; k < 200; ++k) {
      const Mat3<double> R = random.rotation();
      EXPECT_LT(difference(rotation_of(angles_of(R, convention), convention), R), 4e-15) << axes;
    }
    const bool twice = axes[0] == axes[2];
    for (int k = 0; k < 50; ++k) {
      const Vec3<double> typed{random.between(-3.1, 3.1), twice ? random.between(0.1, 3.0) : random.between(-1.5, 1.5),
                               random.between(-3.1, 3.1)};
      const Vec3<double> found = angles_of(rotation_of(typed, convention), convention);
      EXPECT_NEAR(found.x, typed.x, 1e-13) << axes;
      EXPECT_NEAR(found.y, typed.y, 1e-13) << axes;
      EXPECT_NEAR(found.z, typed.z, 1e-13) << axes;
    }
  }
}

// Where two axes are one, and near it, the angles are not determined but the rotation is.
TEST(Orientation, SingularAnglesGiveTheRotationBack) {
  Random random(6);
  for (const std::string& axes : all_orders()) {
    const AngleConvention convention{axes, axes};
    for (const double off : {0.0, 1e-16, 1e-13, 1e-11, 1e-9, 1e-6})
      for (const double middle :
           axes[0] == axes[2] ? std::vector{off, pi - off} : std::vector{pi / 2 - off, off - pi / 2}) {
        const Mat3<double> R = rotation_of({random.between(-3.0, 3.0), middle, random.between(-3.0, 3.0)}, convention);
        EXPECT_LT(difference(rotation_of(angles_of(R, convention), convention), R), 4e-12) << axes << " " << off;
      }
  }
}

TEST(Orientation, RollPitchAndYawAreThoseOfRobotFiles) {
  Random random(7);
  for (int k = 0; k < 50; ++k) {
    const Mat3<double> R = random.rotation();
    const Vec3<double> rpy = angles_of(R, angle_conventions[0]), expected = rpy_from_rotation(R);
    EXPECT_NEAR(rpy.x, expected.x, 1e-13);
    EXPECT_NEAR(rpy.y, expected.y, 1e-13);
    EXPECT_NEAR(rpy.z, expected.z, 1e-13);
  }
  EXPECT_THROW(angles_of({}, {"xxy", "xxy"}), std::invalid_argument);
  EXPECT_THROW(angles_of({}, {"xy", "xy"}), std::invalid_argument);
}

TEST(Orientation, RotationVectorsFromNothingToHalfATurn) {
  Random random(8);
  for (const double turn : {0.0, 1e-300, 1e-30, 1e-15, 1e-8, 1e-4, 0.5, 2.0, 3.0, pi - 1e-4, pi - 1e-8, pi - 1e-12, pi})
    for (int k = 0; k < 20; ++k) {
      const Vec3<double> axis =
          k < 3 ? Vec3<double>{double(k == 0), double(k == 1), double(k == 2)} : random.direction();
      Mat3<double> R = rotation_about(axis, turn);
      const Vec3<double> v = rotation_vector(R);
      const double sense = dot(v, axis) < 0.0 ? -1.0 : 1.0;
      EXPECT_TRUE(sense > 0.0 || turn > pi - 1e-7);
      for (const auto& [found, expected] : {std::pair{v.x, axis.x}, {v.y, axis.y}, {v.z, axis.z}})
        EXPECT_NEAR(found, sense * turn * expected, 1e-14 * turn + 4e-16 * (turn > 1e-3)) << turn;
      EXPECT_LE(std::sqrt(dot(v, v)), pi + 1e-15);
    }
}

TEST(Orientation, DexterityOfAPlanarArmIsItsClosedForm) {
  const double l1 = 1.0, l2 = 0.7, q1 = 0.3, q2 = 0.8;
  const std::vector<double> J{-l1 * std::sin(q1) - l2 * std::sin(q1 + q2), -l2 * std::sin(q1 + q2),
                              l1 * std::cos(q1) + l2 * std::cos(q1 + q2), l2 * std::cos(q1 + q2)};
  const Dexterity d = dexterity(J, 2, 2);
  EXPECT_NEAR(d.manipulability, l1 * l2 * std::sin(q2), 1e-15);
  EXPECT_NEAR(d.condition * d.smallest_singular_value * d.smallest_singular_value, d.manipulability, 1e-14);
  const Dexterity singular = dexterity(std::vector<double>{1.0, 2.0, 2.0, 4.0}, 2, 2);
  EXPECT_NEAR(singular.manipulability, 0.0, 1e-15);
  EXPECT_GT(singular.condition, 1e15);
  EXPECT_EQ(dexterity({}, 6, 0).manipulability, 0.0);
  EXPECT_THROW(dexterity(J, 3, 2), std::invalid_argument);
}

}  // namespace
}  // namespace catena::test::orientation_test

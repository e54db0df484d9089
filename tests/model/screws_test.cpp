// Principal axes, and the screws of inertia that they make.
#include "catena/screws.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <stdexcept>

#include "support/random_robot.hpp"
#include "support/same_robot.hpp"

namespace catena::test::screws_test {
namespace {

using Six = std::array<double, 6>;

Six six(const Vec3<double>& a, const Vec3<double>& b) { return {a.x, a.y, a.z, b.x, b.y, b.z}; }

// (ω; v of the origin) of a twist on the screw, and (moment about the origin; force) of a wrench on it.
Six twist(const Screw& s) { return six(s.axis, cross(s.point, s.axis) + s.pitch * s.axis); }
Six wrench(const Screw& s) { return six(cross(s.point, s.axis) + s.pitch * s.axis, s.axis); }

double product(const Six& a, const Six& b) {
  double sum = 0.0;
  for (std::size_t k = 0; k < 6; ++k) sum += a[k] * b[k];
  return sum;
}

// (moment about the origin; force): the momentum of a body that moves by a twist.
Six momentum(const Inertial& body, const Six& t) {
  const Vec3<double> omega{t[0], t[1], t[2]}, v{t[3], t[4], t[5]};
  const Vec3<double> force = body.mass * (v + cross(omega, body.com));
  return six(body.inertia * omega + cross(body.com, force), force);
}

TEST(PrincipalScrews, AreConjugateReciprocalAndMakeUpTheInertia) {
  Random random(11);
  for (int trial = 0; trial < 200; ++trial) {
    Inertial body = random_inertial(random);
    if (trial % 5 == 0) body.inertia = Sym3<double>::diagonal(0.3, 0.3, 0.1);
    if (trial % 7 == 0) body.inertia = Sym3<double>::diagonal(0.0, 0.3, 0.3);
    const auto screws = principal_screws(body);
    const double size = body.mass * (1.0 + dot(body.com, body.com)) + body.inertia.trace();
    for (std::size_t i = 0; i < 6; ++i) {
      const Screw& s = screws[i];
      EXPECT_NEAR(dot(s.axis, s.axis), 1.0, 1e-14);
      const Six p = momentum(body, twist(s)), w = wrench(s);
      // An impulse on the screw starts a twist on it: the momentum is m x pitch times the wrench.
      for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(p[k], body.mass * s.pitch * w[k], 1e-12 * size);
      for (std::size_t j = 0; j < i; ++j) {
        EXPECT_NEAR(product(twist(screws[j]), p), 0.0, 1e-12 * size);                             // conjugate
        EXPECT_NEAR(product(twist(screws[j]), w), 0.0, 1e-12 * (1.0 + dot(body.com, body.com)));  // reciprocal
      }
    }
    for (std::size_t column = 0; column < 6; ++column) {
      Six unit{};
      unit[column] = 1.0;
      const Six expected = momentum(body, unit);
      for (std::size_t row = 0; row < 6; ++row) {
        double sum = 0.0;
        for (const Screw& s : screws) sum += 0.5 * body.mass * wrench(s)[row] * wrench(s)[column];
        EXPECT_NEAR(sum, expected[row], 1e-12 * size);
      }
    }
  }
}

// A unit twist on a screw is on that screw, and so is any multiple of it.
TEST(ScrewOfATwist, IsTheScrewThatItIsOn) {
  Random random(17);
  for (int trial = 0; trial < 100; ++trial) {
    const Vec3<double> direction = random.rotation().column_x();
    const Screw given{direction, random.vector(2.0), trial % 3 == 0 ? 0.0 : random.between(-1.0, 1.0)};
    const double rate = random.between(0.1, 3.0);
    const Six t = twist(given);
    const Screw found = screw_of({rate * t[0], rate * t[1], rate * t[2]}, {rate * t[3], rate * t[4], rate * t[5]});
    EXPECT_NEAR(found.pitch, given.pitch, 1e-14);
    EXPECT_NEAR(dot(found.axis, given.axis), 1.0, 1e-14);
    EXPECT_NEAR(dot(found.point, found.axis), 0.0, 1e-14);  // nearest to the origin
    const Vec3<double> off = cross(found.point - given.point, given.axis);
    EXPECT_NEAR(dot(off, off), 0.0, 1e-28);
  }
  const Screw sliding = screw_of({}, {0.0, 0.0, -2.0});
  EXPECT_TRUE(std::isinf(sliding.pitch));
  EXPECT_EQ(sliding.axis.z, -1.0);
  EXPECT_THROW(screw_of({}, {}), std::domain_error);
}

TEST(PrincipalScrews, NeedMassAndMoments) {
  EXPECT_THROW(principal_screws({}), std::domain_error);
  EXPECT_THROW(principal_screws({1.0, {}, Sym3<double>::diagonal(-1.0, 1.0, 1.0)}), std::domain_error);
}

TEST(PrincipalAxes, DiagonalizeAnySymmetricMatrix) {
  Random random(5);
  for (int trial = 0; trial < 300; ++trial) {
    const Mat3<double> R = random.rotation();
    const Vec3<double> d = trial % 3 == 0 ? Vec3<double>{1, 1, 2} : random.vector(3.0);
    const Sym3<double> matrix = congruence(R, Sym3<double>::diagonal(d.x, d.y, d.z));
    const auto [moments, axes] = principal_axes(matrix);
    EXPECT_LE(moments.x, moments.y);
    EXPECT_LE(moments.y, moments.z);
    expect_near(axes * axes.transpose(), Mat3<double>::identity());
    expect_near(congruence(axes, Sym3<double>::diagonal(moments.x, moments.y, moments.z)).full(), matrix.full());
    EXPECT_GT(dot(cross(axes.column_x(), axes.column_y()), axes.column_z()), 0.0);
  }
}

}  // namespace
}  // namespace catena::test::screws_test

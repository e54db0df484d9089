// The stated error bound of our sincos, against the long double functions of the C library.
#include "catena/scalar/sincos.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

#include "catena/formulation/formulation.hpp"
#include "catena/mechanism.hpp"

namespace catena::test::sincos_test {
namespace {

using catena::sincos;
using catena::Turn;

constexpr double bound = 1.25;  // units in the last place, as scalar/sincos.hpp promises

double ulps(double computed, long double exact) {
  const double magnitude = std::abs(static_cast<double>(exact));
  const double ulp = std::nextafter(magnitude, std::numeric_limits<double>::infinity()) - magnitude;
  return static_cast<double>(std::abs(static_cast<long double>(computed) - exact) / ulp);
}

struct Worst {
  double error = 0.0, at = 0.0;

  void see(double x) {
    const Turn<double> t = sincos(x);
    see(x, ulps(t.s, std::sin(static_cast<long double>(x))));
    see(x, ulps(t.c, std::cos(static_cast<long double>(x))));
  }
  void see(double x, double e) {
    if (!(e <= error)) error = e, at = x;
  }
};

TEST(SinCos, RandomArgumentsOfEveryMagnitude) {
  static_assert(std::numeric_limits<long double>::digits > 60, "the reference needs more digits than a double");
  std::mt19937_64 random(1);
  for (const double range : {0.8, 3.2, 10.0, 100.0, 1e3, 1e4, catena::sincos_limit}) {
    Worst worst;
    for (int k = 0; k < 1000000; ++k) worst.see(range * (2.0 * static_cast<double>(random() >> 11) * 0x1p-53 - 1.0));
    EXPECT_LT(worst.error, bound) << "at " << worst.at;
    RecordProperty("ulps_within_" + std::to_string(range), std::to_string(worst.error));
  }
}

TEST(SinCos, NearEveryMultipleOfAQuarterTurnInRange) {
  Worst worst;
  for (int n = -63661; n <= 63661; ++n) {
    double x = static_cast<double>(static_cast<long double>(n) * 1.57079632679489661923132169163975144L);
    for (int k = 0; k < 3; ++k) x = std::nextafter(x, -1e9);
    for (int k = 0; k < 7; ++k, x = std::nextafter(x, 1e9)) worst.see(x);
  }
  EXPECT_LT(worst.error, bound) << "at " << worst.at;
}

TEST(SinCos, NearOddMultiplesOfAnEighthTurn) {
  Worst worst;
  for (int n = -63661; n <= 63661; n += 1) {
    double x = (static_cast<double>(n) + 0.5) * 1.5707963267948966;
    for (int k = 0; k < 7; ++k, x = std::nextafter(x, 1e9)) worst.see(x);
  }
  EXPECT_LT(worst.error, bound) << "at " << worst.at;
}

TEST(SinCos, TinyArgumentsKeepTheirRelativeError) {
  Worst worst;
  for (int exponent = -1074; exponent < 0; ++exponent)
    for (const double mantissa : {1.0, 1.3, 1.999}) worst.see(std::ldexp(mantissa, exponent));
  EXPECT_LT(worst.error, bound) << "at " << worst.at;
  EXPECT_EQ(sincos(0.0).s, 0.0);
  EXPECT_EQ(sincos(0.0).c, 1.0);
}

TEST(SinCos, OctantsHaveTheRightSigns) {
  for (int octant = -16; octant <= 16; ++octant) {
    const double x = (octant + 0.5) * 0.78539816339744831;
    const Turn<double> t = sincos(x);
    EXPECT_EQ(std::signbit(t.s), std::signbit(std::sin(x))) << x;
    EXPECT_EQ(std::signbit(t.c), std::signbit(std::cos(x))) << x;
  }
}

TEST(SinCos, HugeArgumentsAreTheLibrarys) {
  for (const double x : {1.0000001e5, 1e6, 1e10, 1e22, 1.7e308, -3e17}) {
    EXPECT_EQ(sincos(x).s, std::sin(x));
    EXPECT_EQ(sincos(x).c, std::cos(x));
  }
}

TEST(SinCos, NotFiniteGivesNaN) {
  for (const double x : {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(),
                         std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_TRUE(std::isnan(sincos(x).s));
    EXPECT_TRUE(std::isnan(sincos(x).c));
  }
}

// Where a processor always fuses a product and a sum (aarch64), a compiler chooses which ones, not alike for lanes.
TEST(SinCos, FourLanesAreTheScalarBitForBit) {
#ifdef __FP_FAST_FMA
  const auto same = [](double a, double b) { return ulps(a, b) < 2.0; };
#else
  const auto same = [](double a, double b) { return a == b; };
#endif
  std::mt19937_64 random(2);
  for (int k = 0; k < 100000; ++k) {
    double x[4];
    for (double& v : x) v = 50.0 * (2.0 * static_cast<double>(random() >> 11) * 0x1p-53 - 1.0);
    if (k % 1000 == 0) x[k / 1000 % 4] = 1e9;  // one lane beyond the limit sends all four to the scalar path
    Turn<double> lanes[4];
    sincos(x[0], x[1], x[2], x[3], lanes);
    for (int lane = 0; lane < 4; ++lane) {
      EXPECT_PRED2(same, lanes[lane].s, sincos(x[lane]).s);
      EXPECT_PRED2(same, lanes[lane].c, sincos(x[lane]).c);
    }
  }
}

TEST(SinCos, FloatIsRightlyRoundedAlmostAlways) {
  std::mt19937_64 random(3);
  for (int k = 0; k < 200000; ++k) {
    const float x = 1000.0F * (2.0F * static_cast<float>(random() >> 40) * 0x1p-24F - 1.0F);
    const Turn<float> t = sincos(x);
    EXPECT_NEAR(t.s, std::sin(static_cast<double>(x)), 0x1p-24);
    EXPECT_NEAR(t.c, std::cos(static_cast<double>(x)), 0x1p-24);
  }
}

// The library's functions can be asked for instead: they are not the same bits everywhere, and both serve.
TEST(SinCos, IsSelectablePerMechanism) {
  catena::Robot robot;
  robot.add_link("base");
  for (int i = 1; i <= 5; ++i) {
    const int link = robot.add_link("link" + std::to_string(i), {1.0, {0.1, 0.0, 0.0}, {0.1, 0.1, 0.1, 0.0, 0.0, 0.0}});
    catena::JointDescription joint =
        catena::modified_dh({0.3, 0.4 * i, 0.1, 0.0, 0.0, 0.0}, catena::JointType::revolute);
    joint.name = "joint" + std::to_string(i);
    joint.parent = link - 1;
    joint.child = link;
    robot.add_joint(joint);
  }
  catena::MechanismOptions options;
  const catena::Mechanism ours = catena::make_mechanism(robot, options);
  options.library_sincos = true;
  const catena::Mechanism library = catena::make_mechanism(robot, options);
  catena::JointTurns<double> a(5), b(5);
  std::mt19937_64 random(4);
  int different = 0;
  for (int k = 0; k < 1000; ++k) {
    double q[5];
    for (double& v : q) v = 6.0 * static_cast<double>(random() >> 11) * 0x1p-53 - 3.0;
    catena::joint_turns<double>(ours, q, a);
    catena::joint_turns<double>(library, q, b);
    for (int i = 0; i < 5; ++i) {
      EXPECT_NEAR(a[i].s, b[i].s, 4e-16);
      EXPECT_EQ(b[i].s, std::sin(q[i] + library.links[static_cast<std::size_t>(i)].theta));
      different += a[i].s != b[i].s;
    }
  }
  EXPECT_GT(different, 0) << "the option selects nothing";
}

}  // namespace
}  // namespace catena::test::sincos_test

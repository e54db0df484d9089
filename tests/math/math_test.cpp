// The kernels: their values against plain matrix products, and the operations they spend, counted.
#include <gtest/gtest.h>

#include <cmath>

#include "catena/math/mat3.hpp"
#include "catena/math/pose.hpp"
#include "catena/math/rotation.hpp"
#include "catena/robot.hpp"
#include "catena/scalar/counted.hpp"
#include "support/random_robot.hpp"
#include "support/tolerances.hpp"

namespace catena::test::math_test {
namespace {

using C = Counted;
constexpr Tolerance kernel = ulps<double>(16);

Values list(const Vec3<double>& v) { return {v.x, v.y, v.z}; }
Values list(const Mat3<double>& m) { return {m.xx, m.xy, m.xz, m.yx, m.yy, m.yz, m.zx, m.zy, m.zz}; }
Values list(const Vec3<C>& v) { return {v.x.value(), v.y.value(), v.z.value()}; }
Values list(const Sym3<C>& m) {
  const double xy = m.xy.value(), xz = m.xz.value(), yz = m.yz.value();
  return {m.xx.value(), xy, xz, xy, m.yy.value(), yz, xz, yz, m.zz.value()};
}

Mat3<double> skew(const Vec3<double>& v) { return {0, -v.z, v.y, v.z, 0, -v.x, -v.y, v.x, 0}; }
Mat3<double> minus(const Mat3<double>& a, const Mat3<double>& b) {
  Mat3<double> out = a;
  out += Mat3<double>{-b.xx, -b.xy, -b.xz, -b.yx, -b.yy, -b.yz, -b.zx, -b.zy, -b.zz};
  return out;
}
Mat3<double> random_matrix(Random& random) {
  return Mat3<double>::from_columns(random.vector(1.0), random.vector(1.0), random.vector(1.0));
}
Sym3<double> random_symmetric(Random& random) {
  const Vec3<double> d = random.vector(1.0), o = random.vector(1.0);
  return {d.x, d.y, d.z, o.x, o.y, o.z};
}

// What a call costs; its result comes back through `result`.
template <class Call, class Result>
OperationCount cost(Call call, Result& result) {
  Counted::reset();
  result = call();
  return Counted::count();
}
OperationCount operations(long multiplications, long additions) { return {multiplications, additions, 0, 0}; }

struct Angles {
  double gamma, alpha, theta;
  Tilt<double> tilt;
  Turn<C> turn;
  Mat3<double> R;  // Rot(z, γ) Rot(x, α) Rot(z, θ)
};
Angles random_angles(Random& random, bool turned) {
  const double gamma = turned ? random.between(-3, 3) : 0.0, alpha = random.between(-3, 3),
               theta = random.between(-3, 3);
  const Mat3<double> R =
      rotation_about({0, 0, 1}, gamma) * rotation_about({1, 0, 0}, alpha) * rotation_about({0, 0, 1}, theta);
  return {gamma,
          alpha,
          theta,
          {std::cos(alpha), std::sin(alpha), std::cos(gamma), std::sin(gamma), turned},
          {C(std::cos(theta)), C(std::sin(theta))},
          R};
}

TEST(Rotation, VectorsCostEightMultiplicationsAndFourAdditions) {
  Random random(1);
  for (int k = 0; k < 100; ++k) {
    for (const bool turned : {false, true}) {
      const Angles a = random_angles(random, turned);
      const Vec3<double> v = random.vector(1.0);
      const Vec3<C> variable = static_cast<Vec3<C>>(v);
      const OperationCount expected = turned ? operations(12, 6) : operations(8, 4);
      Vec3<C> result;
      EXPECT_EQ(cost([&] { return to_parent(a.tilt, a.turn, variable); }, result), expected);
      EXPECT_TRUE(near(list(result), list(a.R * v), 1.0, kernel));
      EXPECT_EQ(cost([&] { return to_child(a.tilt, a.turn, variable); }, result), expected);
      EXPECT_TRUE(near(list(result), list(a.R.transpose() * v), 1.0, kernel));
      if (turned) continue;
      const PlainTilt<double> plain{a.tilt.cos_alpha, a.tilt.sin_alpha};
      EXPECT_EQ(cost([&] { return to_parent(plain, a.turn, variable); }, result), expected);
      EXPECT_TRUE(near(list(result), list(a.R * v), 1.0, kernel));
      EXPECT_EQ(cost([&] { return to_child(plain, a.turn, variable); }, result), expected);
      EXPECT_TRUE(near(list(result), list(a.R.transpose() * v), 1.0, kernel));
    }
  }
}

TEST(Rotation, SymmetricCongruenceCosts16And15) {
  Random random(2);
  for (int k = 0; k < 100; ++k) {
    for (const bool turned : {false, true}) {
      const Angles a = random_angles(random, turned);
      const Sym3<double> e = random_symmetric(random);
      Sym3<C> result;
      const OperationCount count = cost([&] { return to_parent(a.tilt, a.turn, static_cast<Sym3<C>>(e)); }, result);
      EXPECT_EQ(count, turned ? operations(24, 22) : operations(16, 15));
      EXPECT_TRUE(near(list(result), list(a.R * e.full() * a.R.transpose()), 1.0, kernel));
    }
  }
}

TEST(Rotation, AsAMatrix) {
  Random random(3);
  for (int k = 0; k < 100; ++k) {
    const Angles a = random_angles(random, k % 2 == 0);
    EXPECT_TRUE(near(list(matrix(a.tilt, Turn<double>{std::cos(a.theta), std::sin(a.theta)})), list(a.R), 1.0, kernel));
  }
}

TEST(Tensors, AngularAccelerationTensorCosts6And9) {
  Random random(4);
  for (int k = 0; k < 100; ++k) {
    const Vec3<double> w = random.vector(2.0), wd = random.vector(2.0);
    Mat3<C> result;
    const auto call = [&] { return angular_acceleration_tensor(static_cast<Vec3<C>>(w), static_cast<Vec3<C>>(wd)); };
    EXPECT_EQ(cost(call, result), operations(6, 9));
    Mat3<double> expected = skew(w) * skew(w);
    expected += skew(wd);
    for (const Vec3<double>& e : {Vec3<double>{1, 0, 0}, Vec3<double>{0, 1, 0}, Vec3<double>{0, 0, 1}})
      EXPECT_TRUE(near(list(result * static_cast<Vec3<C>>(e)), list(expected * e), 8.0, kernel));
  }
}

// μ = dual(Ω K̂ - (Ω K̂)ᵀ) is I ω̇ + ω x I ω.
TEST(Tensors, EulerMomentCosts15And15) {
  Random random(5);
  for (int k = 0; k < 100; ++k) {
    const Vec3<double> w = random.vector(2.0), wd = random.vector(2.0);
    const Sym3<double> inertia = random_symmetric(random), pseudo = pseudo_inertia(inertia);
    const Mat3<C> omega = angular_acceleration_tensor(static_cast<Vec3<C>>(w), static_cast<Vec3<C>>(wd));
    Vec3<C> result;
    EXPECT_EQ(cost([&] { return euler_moment(omega, pseudo); }, result), operations(15, 15));
    EXPECT_TRUE(near(list(result), list(inertia * wd + cross(w, inertia * w)), 16.0, kernel));
    EXPECT_TRUE(near(list(inertia_from_pseudo(pseudo).full()), list(inertia.full()), 1.0, kernel));
  }
}

// Section 4.3.4 of Balafoutis' thesis: F = m a_C and M_C, ω, ω̇ and Ω given.
TEST(Tensors, ForceAndMomentOfABodyCost27And24WithTensors45And33WithVectors) {
  Random random(8);
  const Vec3<double> w = random.vector(2.0), wd = random.vector(2.0), r = random.vector(1.0), a = random.vector(9.0);
  const Sym3<double> inertia = random_symmetric(random);
  const Vec3<C> omega(w), omega_dot(wd), com(r), a_origin(a);
  const Sym3<C> I(inertia), J(pseudo_inertia(inertia));
  const Mat3<C> Omega = angular_acceleration_tensor(omega, omega_dot);
  const C mass = 3.0;
  Vec3<C> by_tensors[2], by_vectors[2];
  Counted::reset();
  by_tensors[0] = mass * (a_origin + Omega * com);
  by_tensors[1] = euler_moment(Omega, J);
  EXPECT_EQ(Counted::count(), operations(27, 24));
  Counted::reset();
  by_vectors[0] = mass * (a_origin + cross(omega_dot, com) + cross(omega, cross(omega, com)));
  by_vectors[1] = I * omega_dot + cross(omega, I * omega);
  EXPECT_EQ(Counted::count(), operations(45, 33));
  for (int k = 0; k < 2; ++k) EXPECT_TRUE(near(list(by_tensors[k]), list(by_vectors[k]), 64.0, kernel));
}

// The kernels for constants with known zeros are the full ones on those constants.
TEST(Tensors, KernelsOnRegroupedConstantsLeaveTheZerosOut) {
  Random random(6);
  for (int k = 0; k < 100; ++k) {
    const Mat3<C> m = static_cast<Mat3<C>>(random_matrix(random));
    const Vec3<C> n = static_cast<Vec3<C>>(random.vector(1.0)), b = static_cast<Vec3<C>>(random.vector(1.0));
    const FlatVec3<double> flat{random.between(-1, 1), random.between(-1, 1)};
    const Vec3<double> full{flat.x, flat.y, 0.0};
    Vec3<C> result;
    EXPECT_EQ(cost([&] { return m * flat; }, result), operations(6, 3));
    EXPECT_TRUE(near(list(result), list(m * full), 1.0, kernel));
    EXPECT_EQ(cost([&] { return add_cross(n, flat, b); }, result), operations(4, 4));
    EXPECT_TRUE(near(list(result), list(add_cross(n, full, b)), 1.0, kernel));
    Sym3<double> K = random_symmetric(random);
    K.zz = 0.0;
    EXPECT_EQ(cost(
                  [&] {
                    return euler_moment(m, FlatSym3<double>{K.xx, K.yy, K.xy, K.xz, K.yz});
                  },
                  result),
              operations(13, 13));
    EXPECT_TRUE(near(list(result), list(euler_moment(m, K)), 4.0, kernel));
  }
}

TEST(Tensors, ProductsAndOuterProducts) {
  Random random(7);
  for (int k = 0; k < 100; ++k) {
    const Vec3<double> a = random.vector(1.0), b = random.vector(1.0), n = random.vector(1.0);
    const Vec3<C> ca = static_cast<Vec3<C>>(a), cb = static_cast<Vec3<C>>(b), cn = static_cast<Vec3<C>>(n);
    Vec3<C> result;
    EXPECT_EQ(cost([&] { return cross(ca, cb); }, result), operations(6, 3));
    EXPECT_TRUE(near(list(result), list(skew(a) * b), 1.0, kernel));
    EXPECT_EQ(cost([&] { return add_cross(cn, ca, cb); }, result), operations(6, 6));
    EXPECT_TRUE(near(list(result), list(n + skew(a) * b), 1.0, kernel));
    EXPECT_EQ(cost([&] { return cross_z(ca); }, result), operations(0, 0));
    EXPECT_TRUE(near(list(result), list(cross(a, Vec3<double>{0.0, 0.0, 1.0})), 1.0, kernel));
    const Mat3<double> m = random_matrix(random);
    EXPECT_EQ(cost([&] { return m * ca; }, result), operations(9, 6));
    EXPECT_EQ(cost([&] { return random_symmetric(random) * ca; }, result), operations(9, 6));
    Sym3<C> square;
    EXPECT_EQ(cost([&] { return outer(ca); }, square), operations(6, 0));
    EXPECT_EQ(cost([&] { return outer_symmetric(ca, cb); }, square), operations(9, 6));
    // a bᵀ + b aᵀ = ã b̃ + (ã b̃)ᵀ + 2 (a·b) 1
    Mat3<double> expected = skew(a) * skew(b);
    expected += expected.transpose();
    const double twice = 2.0 * dot(a, b);
    expected += Mat3<double>{twice, 0, 0, 0, twice, 0, 0, 0, twice};
    EXPECT_TRUE(near(list(square), list(expected), 1.0, kernel));
    const Mat3<double> minus_square = skew(a) * skew(a);
    EXPECT_TRUE(near(list(steiner(a).full()), list(minus({}, minus_square)), 1.0, kernel));
    const Mat3<double> R = random.rotation();
    const Sym3<double> e = random_symmetric(random);
    EXPECT_TRUE(near(list(congruence(R, e).full()), list(R * e.full() * R.transpose()), 1.0, kernel));
  }
}

TEST(Poses, ComposeAndInvert) {
  Random random(8);
  for (int k = 0; k < 100; ++k) {
    const Pose<double> a{random.rotation(), random.vector(1.0)}, b{random.rotation(), random.vector(1.0)};
    const Vec3<double> x = random.vector(1.0);
    const Pose<double> ab = a * b, back = ab.inverse() * ab;
    EXPECT_TRUE(near(list(ab.R * x + ab.p), list(a.R * (b.R * x + b.p) + a.p), 1.0, kernel));
    EXPECT_TRUE(near(list(back.R), list(Mat3<double>::identity()), 1.0, kernel));
    EXPECT_TRUE(near(list(back.p), Values(3, 0.0), 1.0, kernel));
  }
}

TEST(Poses, RollPitchYawGoesBothWays) {
  Random random(9);
  for (int k = 0; k < 200; ++k) {
    const Mat3<double> R = k % 2 == 0 ? random.rotation() : random.right_angle_rotation();  // pitch ±90° among them
    EXPECT_TRUE(near(list(rotation_from_rpy(rpy_from_rotation(R))), list(R), 1.0, kernel));
    const Vec3<double> axis = random.direction();
    const Mat3<double> turn = rotation_about(axis, 0.7);
    EXPECT_TRUE(near(list(turn * axis), list(axis), 1.0, kernel));
    EXPECT_NEAR(turn.xx + turn.yy + turn.zz, 1.0 + 2.0 * std::cos(0.7), 1e-15 * 8);
  }
}

}  // namespace
}  // namespace catena::test::math_test

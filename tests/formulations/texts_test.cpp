// What the texts say of their own quantities, beside the algorithms: properties, routes and counts.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "catena/count.hpp"
#include "catena/program.hpp"
#include "formulations/shared/denoc_objects.hpp"
#include "support/inertia_matrices.hpp"
#include "support/nightly.hpp"
#include "support/runners.hpp"
#include "support/tolerances.hpp"

namespace catena::test::texts_test {
namespace {

using Matrix = DenseMatrix<double>;

void put(Matrix& into, int row, int column, const Vec3<double>& v) {
  into(row, column) = v.x, into(row + 1, column) = v.y, into(row + 2, column) = v.z;
}
void put(Matrix& into, int row, int column, const Mat3<double>& m) {
  put(into, row, column, m.column_x());
  put(into, row, column + 1, m.column_y());
  put(into, row, column + 2, m.column_z());
}
Mat3<double> skew(const Vec3<double>& v) { return {0, -v.z, v.y, v.z, 0, -v.x, -v.y, v.x, 0}; }

// Saha 1999, equation 14: B_ij B_jk = B_ik, B_ii = 1, and B_ji is the inverse of B_ij.
TEST(Saha, TwistPropagationsCompose) {
  for (const std::uint64_t seed : test::seeds(0, 20)) {
    const auto [robot, x] = sample(seed, 5, false);
    const Mechanism mechanism = make_mechanism(robot);
    const DenocObjects<double> all(mechanism, x.q, x.qd);
    for (int i = 0; i < 5; ++i)
      for (int j = 0; j < 5; ++j) {
        EXPECT_TRUE(near((all.B(i, j) * all.B(j, i)).entries, Matrix::identity(6).entries, 10.0, relative(1e-14)));
        for (int k = 0; k < 5; ++k)
          EXPECT_TRUE(near((all.B(i, j) * all.B(j, k)).entries, all.B(i, k).entries, 10.0, relative(1e-14)));
      }
  }
}

// Laus, Simoni and Martins, equations 22 to 31: the Jacobian of link i at its mass centre along its axes, from the base
// by a screw transformation, column by column, and turned from the mass centre; and the sum over links (19), (21).
class Routes {
 public:
  Routes(const Mechanism& robot, const State& x) : robot_(robot), links_(index(robot.joints())) {
    JointTurns<double> turns(robot.joints());
    joint_turns<double>(robot, x.q, turns);
    place_links<double>(robot, x.q, x.qd, turns, links_);
  }

  Matrix from_the_base(int i) const {  // (22)-(24)
    Matrix J = columns(i, [](const auto& joint) { return cross(joint.origin, joint.axis); });
    return transformation(i, links_[index(i)].com) * J;
  }
  Matrix directly(int i) const {  // (28)
    Matrix J(6, robot_.joints());
    const Mat3<double> turn = links_[index(i)].R.transpose();
    for (int a = i; a != base_link; a = robot_.link(a).parent) {
      const auto& joint = links_[index(a)];
      const bool revolute = robot_.link(a).revolute;
      if (revolute) put(J, 0, robot_.link(a).q, turn * joint.axis);
      const Vec3<double> reach = links_[index(i)].com - joint.origin;
      put(J, 3, robot_.link(a).q, turn * (revolute ? cross(joint.axis, reach) : joint.axis));
    }
    return J;
  }
  Matrix from_the_mass_centre(int i) const {  // (29)-(31)
    const Vec3<double> com = links_[index(i)].com;
    Matrix J = columns(i, [&](const auto& joint) { return cross(joint.axis, com - joint.origin); });
    return transformation(i, {}) * J;
  }

 private:
  template <class Moment>
  Matrix columns(int i, Moment moment) const {  // (23), (30)
    Matrix J(6, robot_.joints());
    for (int a = i; a != base_link; a = robot_.link(a).parent) {
      const auto& joint = links_[index(a)];
      const bool revolute = robot_.link(a).revolute;
      if (revolute) put(J, 0, robot_.link(a).q, joint.axis);
      put(J, 3, robot_.link(a).q, revolute ? moment(joint) : joint.axis);
    }
    return J;
  }
  Matrix transformation(int i, const Vec3<double>& at) const {  // (22), (29)
    const Mat3<double> turn = links_[index(i)].R.transpose(), moved = turn * skew(-at);
    Matrix T(6, 6);
    put(T, 0, 0, turn);
    put(T, 3, 0, moved);
    put(T, 3, 3, turn);
    return T;
  }

  const Mechanism& robot_;
  Array<LinkInBase<double>> links_;
};

TEST(Laus, ThreeRoutesLeadToOneJacobianAndTheInertiaMatrix) {
  for (const std::uint64_t seed : test::seeds(0, 100)) {
    SCOPED_TRACE(seed);
    const auto [robot, x] = sample(seed, 1 + static_cast<int>(seed % 8), false);
    const Mechanism mechanism = make_mechanism(robot);
    const Routes routes(mechanism, x);
    const int n = mechanism.joints();
    Matrix M(n, n);
    for (int i = 0; i < n; ++i) {
      const Matrix J = routes.from_the_base(i);
      EXPECT_TRUE(near(J.entries, routes.directly(i).entries, 10.0, relative(1e-14)));
      EXPECT_TRUE(near(J.entries, routes.from_the_mass_centre(i).entries, 10.0, relative(1e-14)));
      Matrix mass(6, 6);  // (9)
      put(mass, 0, 0, mechanism.link(i).inertia_com.full());
      for (int k = 3; k < 6; ++k) mass(k, k) = mechanism.link(i).mass;
      M += J.transpose() * mass * J;  // (21)
    }
    EXPECT_TRUE(near(M.entries, matrix_by(mechanism, "generalized-links", x.q), relative(1e-12)));
  }
}

// Balafoutis 1989, section 6.3.3: D from the kinetic energy, d_ij = ∂²T/∂q̇_i ∂q̇_j.
TEST(Balafoutis, TheInertiaMatrixIsThatOfTheKineticEnergy) {
  for (const std::uint64_t seed : test::seeds(0, 50)) {
    const RobotSample arm = sample(seed, 1 + static_cast<int>(seed % 7), false);
    const Mechanism mechanism = make_mechanism(arm.robot);
    const std::size_t n = arm.state.q.size();
    const auto energy = [&](std::size_t i, std::size_t j) {
      Values rates(n);
      rates[i] += 1.0, rates[j] += 1.0;
      return run_on<double>("energy", "kinematics", mechanism, {.q = arm.state.q, .qd = rates})[0];
    };
    Values D(n * n);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) D[i * n + j] = energy(i, j) - 0.25 * (energy(i, i) + energy(j, j));
    EXPECT_TRUE(near(D, matrix_by(mechanism, "generalized-links", arm.state.q), relative(1e-12))) << seed;
  }
}

Matrix full(const Mat3<double>& m) {
  Matrix out(3, 3);
  put(out, 0, 0, m);
  return out;
}
Matrix times(double factor, Matrix m) {
  for (double& entry : m.entries) entry *= factor;
  return m;
}
double trace(const Matrix& m) { return m(0, 0) + m(1, 1) + m(2, 2); }

// Section 3.4, propositions 3.6 to 3.14, on random vectors u, v and a symmetric tensor I; ~ makes a tensor of a vector.
TEST(Balafoutis, TheIdentitiesOfCartesianTensorsHold) {
  Random random(5);
  const auto same = [](const Matrix& a, const Matrix& b) { return near(a.entries, b.entries, 64.0, relative(1e-14)); };
  for (int k = 0; k < 100; ++k) {
    const Vec3<double> u = random.vector(2.0), v = random.vector(2.0), d = random.vector(1.0), o = random.vector(1.0);
    const Sym3<double> inertia{d.x, d.y, d.z, o.x, o.y, o.z};
    const Matrix U = full(skew(u)), V = full(skew(v)), I = full(inertia.full()), one = Matrix::identity(3);
    const Matrix J = full(pseudo_inertia(inertia).full());
    Matrix vu(3, 3);  // the dyad
    put(vu, 0, 0, Mat3<double>::from_columns(u.x * v, u.y * v, u.z * v));
    EXPECT_TRUE(same(U * V, vu + times(-dot(u, v), one)));                                // 3.6, (3.4.10)
    EXPECT_TRUE(same(full(skew(cross(u, v))), vu + times(-1.0, vu.transpose())));         // 3.7, (3.4.15)
    EXPECT_TRUE(same(full(skew(cross(u, v))), U * V + times(-1.0, V * U)));               // (3.4.15)
    EXPECT_NEAR(trace(U * V), -2.0 * dot(u, v), 1e-13);                                   // 3.8, (3.4.19)
    EXPECT_TRUE(same(U * V * U, V * U * U + U * U * V + times(-0.5 * trace(U * U), V)));  // 3.9, (3.4.22)
    EXPECT_TRUE(same(U * V * U, times(-dot(u, v), U)));                                   // (3.4.24)
    EXPECT_TRUE(same(full(skew(cross(u, cross(u, v)))),                                   // 3.10, (3.4.25)
                     times(-1.0, V * U * U + U * U * V) + times(trace(U * U), V)));
    EXPECT_TRUE(same(full(skew(inertia * v)), times(-1.0, I * V + V * I) + times(trace(I), V)));  // 3.11, (3.4.26)
    EXPECT_TRUE(same(U * I * U, (U * I * U).transpose()));                                        // 3.12
    EXPECT_NEAR(trace(I * U), 0.0, 1e-13);                                                        // 3.13, (3.4.33)
    EXPECT_NEAR(dot(u, inertia * v), -trace(U * J * V), 1e-13);                                   // 3.14, (3.4.34)
  }
}

// Section 5.2.1: n (2n² + 3n + 7) / 6 independent coefficients, those of M, the Christoffel symbols and gravity.
// Symbols of a general arm that are no other's, no other's negative and not zero are counted.
TEST(Balafoutis, TheClosedFormHasAsManyCoefficientsAsTheTextSays) {
  for (int n = 1; n <= 7; ++n) {
    Random random(static_cast<std::uint64_t>(n));
    const Robot robot = random_robot(random, {.joints = n,
                                              .mix = JointMix::revolute,
                                              .fixed_links = false,
                                              .massless_links = false,
                                              .aligned_axes = false,
                                              .shuffled = false});
    const Mechanism mechanism = make_mechanism(robot, {.rigid = true});
    const State x = random_state(random, n);
    Values found;
    for (int k = 0; k < n; ++k) {
      Values rate(index(n));
      rate[index(k)] = 1.0;
      for (const double c : run_on<double>("coriolis", "progressive", mechanism, {.q = x.q, .qd = rate})) {
        const auto is_known = [&](double known) { return std::abs(known - std::abs(c)) < 1e-11; };
        if (std::abs(c) > 1e-9 && std::none_of(found.begin(), found.end(), is_known)) found.push_back(std::abs(c));
      }
    }
    EXPECT_EQ(static_cast<int>(found.size()), n * (n * n - 1) / 3) << n;
    EXPECT_EQ(n * (n + 1) / 2 + static_cast<int>(found.size()) + n, n * (2 * n * n + 3 * n + 7) / 6) << n;
  }
}

// Appendix B, equation B.4: M_o · z = tr(∂W/∂q Ĵ Ẅᵀ), with ∂W/∂q = z̃ W and Ẅ = Ω W.
TEST(Balafoutis, MomentsAreTracesInLagrangesEquations) {
  Random random(3);
  for (int k = 0; k < 100; ++k) {
    const Mat3<double> W = rotation_from_rpy(random.vector(3.0));
    const Vec3<double> w = random.vector(2.0), wd = random.vector(2.0), z = random.vector(1.0);
    const Vec3<double> d = random.vector(1.0), o = random.vector(1.0);
    const Sym3<double> inertia{d.x, d.y, d.z, o.x, o.y, o.z};  // of the link, along its axes
    const Mat3<double> J = pseudo_inertia(inertia).full(), I = W * inertia.full() * W.transpose();
    const Mat3<double> second = angular_acceleration_tensor(w, wd) * W;
    const Mat3<double> product = skew(z) * W * J * second.transpose();
    EXPECT_NEAR(product.xx + product.yy + product.zz, dot(z, I * wd + cross(w, I * w)), 1e-13 * 64.0);
  }
}

// Lin 1991 on axes whose origins slide along them: the figures of docs/claims.md.
TEST(Lin, SlidOriginsSaveInWalkerAndOrinsMethod) {
  const ProgramRequest request{.jobs = {"inertia"}, .formulations = {"walker-orin"}};
  const auto cost = [&](int n, bool slid, Slide slide) {
    const Mechanism arm = make_mechanism(general_arm(n));
    Choices choices = usual_choices(arm, request);
    choices.regrouped = slid;
    choices.slides.assign(index(n), slide);
    const GraphCost all = make_program(arm, request, choices).cost();
    return std::pair(all.multiplications, all.additions);
  };
  EXPECT_EQ(cost(6, false, Slide::to_child), std::pair(473L, 450L));
  EXPECT_EQ(cost(6, true, Slide::to_normal), std::pair(453L, 426L));
  EXPECT_EQ(cost(6, true, Slide::to_child), std::pair(464L, 432L));
  EXPECT_EQ(cost(10, false, Slide::to_child), std::pair(1227L, 1124L));
  EXPECT_EQ(cost(10, true, Slide::to_normal), std::pair(1157L, 1046L));
}

}  // namespace
}  // namespace catena::test::texts_test

// The objects of the decoupled natural orthogonal complement: what they are for is what they must give.
#include <gtest/gtest.h>

#include "catena/job.hpp"
#include "formulations/shared/denoc_objects.hpp"
#include "support/inertia_matrices.hpp"
#include "support/nightly.hpp"
#include "support/runners.hpp"
#include "support/tolerances.hpp"
#include "support/velocity_terms.hpp"

namespace catena::test::denoc_test {
namespace {

using Matrix = DenseMatrix<double>;

Matrix projected(const Matrix& left, const Matrix& middle, const Matrix& right) {
  return left.transpose() * middle * right;
}

struct Case {
  Mechanism robot;
  State x;
};
Case case_of(std::uint64_t seed, int most_joints) {
  const auto [robot, x] = sample(seed, 1 + static_cast<int>(seed) % most_joints, false);
  return {make_mechanism(robot), x};
}

// p_iᵀ M̃_i B_ij p_j, and the same stacked: N_dᵀ N_lᵀ diag(M) N_l N_d.
TEST(DenocObjects, GiveTheInertiaMatrix) {
  for (const std::uint64_t seed : test::seeds(0, 200)) {
    const Case c = case_of(seed, 12);
    const DenocObjects<double> all(c.robot, c.x.q, c.x.qd);
    const int n = c.robot.joints();
    const Values expected = matrix_by(c.robot, "generalized-links", c.x.q);
    Matrix M(n, n), bodies(6 * n, 6 * n);
    for (int i = 0; i < n; ++i) {
      bodies.set_block(6 * (all.number(i) - 1), 6 * (all.number(i) - 1), all.M(i));
      for (int j = 0; j <= i; ++j)
        if (all.is_ancestor(j, i))
          M(all.number(i) - 1, all.number(j) - 1) = M(all.number(j) - 1, all.number(i) - 1) =
              projected(all.p(i), all.M_tilde(i), all.B(i, j) * all.p(j))(0, 0);
    }
    EXPECT_TRUE(near(M.entries, expected, relative(1e-12))) << seed;
    const Matrix twists = all.N_l() * all.N_d();
    EXPECT_TRUE(near((twists.transpose() * bodies * twists).entries, expected, relative(1e-12))) << seed;
  }
}

// Saha's equation 29 below the diagonal, its M̃ rate apart: p_iᵀ (M̃_i B_ij Ω_j + H̃_ij + rate) p_j.
TEST(DenocObjects, GiveTheConvectiveTermsOfPlanarChains) {
  for (const std::uint64_t seed : test::seeds(0, 50)) {
    Random random(seed);
    Robot robot =
        random_robot(random, {.joints = 4, .mix = JointMix::revolute, .fixed_links = false, .shuffled = false});
    for (JointDescription& joint : robot.joints) {  // planar: all axes along z, all frames parallel
      joint.origin.R = joint.child_frame.R = Mat3<double>::identity();
      joint.axis = {0.0, 0.0, 1.0};
    }
    const State x = random_state(random, 4);
    const Mechanism mechanism = make_mechanism(robot);
    const DenocObjects<double> all(mechanism, x.q, x.qd);
    const Values C = run_on<double>("coriolis", "denoc", mechanism, {.q = x.q, .qd = x.qd});
    double rate = 0.0, largest_entry = 1e-3;  // some arms have nothing to turn
    for (const double entry : C) largest_entry = std::max(largest_entry, std::abs(entry));
    std::vector<double> omega;
    for (const double qd : x.qd) omega.push_back(rate += qd);
    for (int i = 1; i < 4; ++i)
      for (int j = 0; j < i; ++j) {  // Ω_j p_j: the twist turned once more; the rate of M̃ drops out in the plane
        Matrix turned(6, 1);
        const Matrix p = all.p(j);
        turned.entries = {0.0, 0.0, 0.0, -omega[index(j)] * p(4, 0), omega[index(j)] * p(3, 0), 0.0};
        const double expected =
            (all.p(i).transpose() * (all.M_tilde(i) * (all.B(i, j) * turned) + all.H_tilde(i, j) * p))(0, 0);
        EXPECT_NEAR(C[index(4 * i + j)], expected, 1e-11 * largest_entry) << seed << ": " << i << ", " << j;
      }
  }
}

// Saha's eq. 29 and Saha and Goel's eq. 20 in space, chains and trees: the objects make up the matrix of the
// formulation.
TEST(DenocObjects, GiveTheConvectiveTermsOfAnyTree) {
  for (const std::uint64_t seed : test::seeds(0, 100)) {
    const Case c = case_of(seed, 8);
    const DenocObjects<double> all(c.robot, c.x.q, c.x.qd);
    const int n = c.robot.joints();
    const Values expected = run_on<double>("coriolis", "denoc", c.robot, {.q = c.x.q, .qd = c.x.qd});
    Values own(index(n * n));
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        Matrix between(6, 6);
        if (all.is_ancestor(i, j)) {
          between = all.B(j, i).transpose() * all.M_tilde(j) * all.V(j) + all.M_tilde_dot(j);
          for (int child = j + 1; child < n; ++child)
            if (c.robot.link(child).parent == j) between += all.B(child, i).transpose() * all.H_tilde(child, j);
        } else if (all.is_ancestor(j, i)) {
          between = all.M_tilde(i) * all.B(i, j) * all.V(j) + all.H_tilde(i, j) + all.M_tilde_dot(i);
        }
        own[index((all.number(i) - 1) * n + all.number(j) - 1)] = projected(all.p(i), between, all.p(j))(0, 0);
      }
    EXPECT_TRUE(near(own, expected, std::max(1e-3, largest(expected)), relative(1e-11))) << seed;
  }
}

// What a joint feels of the articulated body that it moves is a pivot of M = U D Uᵀ.
TEST(DenocObjects, GiveThePivots) {
  for (const std::uint64_t seed : test::seeds(0, 200)) {
    Random random(seed);
    const int n = 1 + static_cast<int>(seed % 10);
    const Robot robot = random_robot(
        random, {.joints = n, .shape = seed % 2 == 0 ? Shape::chain : Shape::tree, .massless_links = false});
    const State x = random_state(random, n);
    const Mechanism mechanism = make_mechanism(robot);
    const Values factors = run_on<double>("factor", "ldlt", mechanism, {.q = x.q});
    const DenocObjects<double> all(mechanism, x.q, x.qd);
    const auto hat = all.articulated();
    for (int i = 0; i < n; ++i) {
      const double pivot = factors[index(n * n + all.number(i) - 1)];
      EXPECT_NEAR(projected(all.p(i), hat.M_hat[index(i)], all.p(i))(0, 0), pivot, 1e-10 * pivot) << seed << ": " << i;
      EXPECT_NEAR(hat.m_hat[index(i)], pivot, 1e-10 * pivot) << seed << ": " << i;
    }
    // M = U D Uᵀ with U from p and ψ; Ψ takes the joints beyond away from the composite body.
    Matrix U(n, n), D(n, n);
    for (int k = 0; k < n; ++k) {
      D(k, k) = hat.m_hat[index(k)];
      for (int i = 0; i <= k; ++i)
        if (all.is_ancestor(i, k)) U(i, k) = projected(all.p(i), all.B(k, i).transpose(), hat.psi[index(k)])(0, 0);
      Matrix left = all.M_tilde(k), away = all.Psi(hat, k, k + 1);
      for (std::size_t e = 0; e < left.entries.size(); ++e) left.entries[e] -= away.entries[e];
      EXPECT_TRUE(near(left.entries, hat.M_hat[index(k)].entries, relative(1e-10))) << seed << ": " << k;
    }
    // Rodriguez and Kreutz: 1 - HΨL is the inverse of 1 + HΦL.
    const Matrix one = all.U(hat) * all.U(hat, true);
    EXPECT_TRUE(
        near(one.entries, Matrix::identity(n).entries, std::max(1.0, largest(all.U(hat).entries)), relative(1e-12)))
        << seed;
    const Matrix product = U * D * U.transpose();
    const Values expected = matrix_by(mechanism, "generalized-links", x.q);
    Values own(index(n * n));
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) own[index((all.number(i) - 1) * n + all.number(j) - 1)] = product(i, j);
    EXPECT_TRUE(near(own, expected, relative(1e-10))) << seed;
  }
}

// Along the motion Ḃ is the rate of B, V p that of p, and W M t that of M times the twist t as it stands; the rate of M̃
// is that of N_lᵀ diag(M) N_l in the same sense, N_lᵀ diag(W M) N_l.
TEST(DenocObjects, RatesAreRates) {
  for (const std::uint64_t seed : test::seeds(0, 40)) {
    const Case c = case_of(seed, 8);
    constexpr double step = 1e-6;
    Values before = c.x.q, after = c.x.q;
    for (std::size_t k = 0; k < before.size(); ++k) before[k] -= step * c.x.qd[k], after[k] += step * c.x.qd[k];
    const DenocObjects<double> now(c.robot, c.x.q, c.x.qd), then(c.robot, before, c.x.qd),
        later(c.robot, after, c.x.qd);
    const auto expect_rate = [&](const Matrix& rate, const Matrix& first, const Matrix& last) {
      ASSERT_EQ(rate.entries.size(), first.entries.size());
      for (std::size_t k = 0; k < rate.entries.size(); ++k)
        EXPECT_NEAR(rate.entries[k], (last.entries[k] - first.entries[k]) / (2.0 * step), 1e-6) << seed;
    };
    const int n = c.robot.joints();
    Matrix rates(n, 1), bodies(6 * n, 6 * n);
    for (int i = 0; i < n; ++i) rates(now.number(i) - 1, 0) = c.x.qd[index(now.number(i) - 1)];
    const Matrix twists = now.N_l() * (now.N_d() * rates);
    for (int i = 0; i < n; ++i) {
      const int at = 6 * (now.number(i) - 1);
      Matrix t(6, 1);
      for (int k = 0; k < 6; ++k) t(k, 0) = twists(at + k, 0);
      expect_rate(now.V(i) * now.p(i), then.p(i), later.p(i));
      expect_rate(now.W(i) * (now.M(i) * t), then.M(i) * t, later.M(i) * t);
      bodies.set_block(at, at, now.W(i) * now.M(i));
      for (int j = 0; j < i; ++j)
        if (now.is_ancestor(j, i)) expect_rate(now.B_dot(i, j), then.B(i, j), later.B(i, j));
    }
    const Matrix all = projected(now.N_l(), bodies, now.N_l());
    for (int i = 0; i < n; ++i)
      for (int j = 0; j <= i; ++j)
        for (int k = 0; k < 36; ++k)
          EXPECT_NEAR(all(6 * (now.number(i) - 1) + k / 6, 6 * (now.number(j) - 1) + k % 6),
                      now.is_ancestor(j, i) ? now.M_tilde_dot(i)(k / 6, k % 6) : 0.0, 1e-11)
              << seed;
  }
}

}  // namespace
}  // namespace catena::test::denoc_test

// The objects of the decoupled natural orthogonal complement: what they are for is what they must give.
#include <gtest/gtest.h>

#include "catena/job.hpp"
#include "formulations/shared/denoc_objects.hpp"
#include "support/inertia_matrices.hpp"
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
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
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
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
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

// What a joint feels of the articulated body that it moves is a pivot of M = U D Uᵀ.
TEST(DenocObjects, GiveThePivots) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    const int n = 1 + static_cast<int>(seed % 10);
    const Robot robot = random_robot(
        random, {.joints = n, .shape = seed % 2 == 0 ? Shape::chain : Shape::tree, .massless_links = false});
    const State x = random_state(random, n);
    const Mechanism mechanism = make_mechanism(robot);
    const Values factors = run_on<double>("factor", "ldlt", mechanism, {.q = x.q});
    const DenocObjects<double> all(mechanism, x.q, x.qd);
    const std::vector<Matrix> hat = all.M_hat();
    for (int i = 0; i < n; ++i) {
      const double pivot = factors[index(n * n + all.number(i) - 1)];
      EXPECT_NEAR(projected(all.p(i), hat[index(i)], all.p(i))(0, 0), pivot, 1e-10 * pivot) << seed << ": " << i;
    }
  }
}

// Ḃ is the rate of B along the motion.
TEST(DenocObjects, RatesAreRates) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Case c = case_of(seed, 8);
    constexpr double step = 1e-6;
    Values before = c.x.q, after = c.x.q;
    for (std::size_t k = 0; k < before.size(); ++k) before[k] -= step * c.x.qd[k], after[k] += step * c.x.qd[k];
    const DenocObjects<double> now(c.robot, c.x.q, c.x.qd), then(c.robot, before, c.x.qd),
        later(c.robot, after, c.x.qd);
    for (int i = 0; i < c.robot.joints(); ++i)
      for (int j = 0; j < i; ++j) {
        if (!now.is_ancestor(j, i)) continue;
        const Matrix B_dot = now.B_dot(i, j), first = then.B(i, j), last = later.B(i, j);
        for (std::size_t k = 0; k < B_dot.entries.size(); ++k)
          EXPECT_NEAR(B_dot.entries[k], (last.entries[k] - first.entries[k]) / (2.0 * step), 1e-6) << seed;
      }
  }
}

}  // namespace
}  // namespace catena::test::denoc_test

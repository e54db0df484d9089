// The inertia matrices of the literature: the golden robots on every scalar, and the worked examples symbol by symbol.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "catena/scalar/counted.hpp"
#include "catena/scalar/dual.hpp"
#include "support/formulations.hpp"
#include "support/golden_robots.hpp"
#include "support/inertia_matrices.hpp"
#include "support/planar_arm.hpp"
#include "support/tolerances.hpp"

namespace catena::test::inertia_examples_test {
namespace {

constexpr Tolerance agreement = ulps<double>(64);  // on the scale of the matrix's largest entry

// --- the golden robots, on every scalar
// ----------------------------------------------------------------------------------

template <class Check>
void for_each_golden(Check check) {
  const std::vector<Golden> robots = read_golden_robots(CATENA_SOURCE_DIR "/tests/data/golden_robots.json");
  ASSERT_EQ(robots.size(), 39u);
  for (const Golden& golden : robots) {
    const Mechanism mechanism = make_mechanism(golden.robot);
    for_each_formulation("inertia", [&](const FormulationInfo& formulation) {
      SCOPED_TRACE(golden.robot.name + ", " + std::string(formulation.name));
      check(formulation, golden, mechanism);
    });
  }
}

TEST(InertiaExamples, MatchesTheGoldenRobots) {
  for_each_golden([](const FormulationInfo& formulation, const Golden& golden, const Mechanism& mechanism) {
    EXPECT_TRUE(near(matrix_by<double>(formulation.name, mechanism, golden.x.q), flat(golden.M), agreement));
    Counted::reset();
    Values counted;
    for (const Counted& entry : matrix_by<Counted>(formulation.name, mechanism, as<Counted>(golden.x.q)))
      counted.push_back(entry.value());
    EXPECT_TRUE(near(counted, flat(golden.M), agreement));
    EXPECT_EQ(Counted::count().divisions, 0);
  });
}

// Ṁ = C + Cᵀ with Christoffel's C; and ∂²M/∂q_a∂q_b, taken both ways round.
TEST(InertiaExamples, HasTheDerivativesOfTheGoldenRobots) {
  using D = Dual<double>;
  using DD = Dual<D>;
  for_each_golden([](const FormulationInfo& formulation, const Golden& golden, const Mechanism& mechanism) {
    const std::size_t n = golden.x.q.size();
    std::vector<D> q;
    for (std::size_t j = 0; j < n; ++j) q.emplace_back(golden.x.q[j], golden.x.qd[j]);
    const std::vector<D> M = matrix_by<D>(formulation.name, mechanism, q);
    const double scale = std::max(1.0, largest(flat(golden.M)));
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t k = 0; k < n; ++k) {
        EXPECT_TRUE(near(M[j * n + k].value, golden.M[j][k], scale, agreement));
        EXPECT_TRUE(near(M[j * n + k].derivative, golden.C[j][k] + golden.C[k][j], scale, agreement)) << j << k;
      }
    std::vector<DD> one = as<DD>(golden.x.q), other = one;
    one[n - 1].derivative = D(1.0), one[n / 2].value.derivative = 1.0;
    other[n / 2].derivative = D(1.0), other[n - 1].value.derivative = 1.0;
    const std::vector<DD> first = matrix_by<DD>(formulation.name, mechanism, one),
                          second = matrix_by<DD>(formulation.name, mechanism, other);
    for (std::size_t e = 0; e < n * n; ++e)
      EXPECT_TRUE(near(first[e].derivative.derivative, second[e].derivative.derivative, scale, agreement));
  });
}

// --- the worked examples
// ------------------------------------------------------------------------------------------------

void expect_matrix(const Mechanism& robot, const Values& q, const Values& expected, Tolerance tolerance) {
  for (const FormulationInfo& method : formulations("inertia"))
    EXPECT_TRUE(near(matrix_by(robot, method.name, q), expected, tolerance)) << method.name;
}

TEST(InertiaExamples, MatchesTheClosedFormOfThePlanar2R) {
  const double m1 = 1.3, m2 = 0.7, l1 = 0.8, l2 = 1.1;
  const Mechanism robot = planar_arm({{l1, m1, l1 / 2, m1 * l1 * l1 / 12}, {l2, m2, l2 / 2, m2 * l2 * l2 / 12}});
  for (const double theta2 : {-2.5, -0.4, 0.0, 0.7, 3.0}) {
    const double c2 = std::cos(theta2), coupling = m2 * l1 * l2 * c2;
    const double I11 = (m1 * l1 * l1 + m2 * l2 * l2) / 3 + m2 * l1 * l1 + coupling;
    const double I12 = m2 * l2 * l2 / 3 + coupling / 2, I22 = m2 * l2 * l2 / 3;
    expect_matrix(robot, {0.3, theta2}, {I11, I12, I12, I22}, agreement);
  }
  const Mechanism unit = planar_arm({{1.0, 1.0, 0.5, 1.0 / 12}, {1.0, 1.0, 0.5, 1.0 / 12}});
  expect_matrix(unit, {0.3, 0.7}, {2.43150885395, 0.715754426976, 0.715754426976, 0.333333333333}, relative(1e-11));
}

const std::vector<PlanarLink> pelican{{0.26, 6.5225, 0.0983, 0.1213}, {0.26, 2.0458, 0.0229, 0.0116}};
const PlanarLink crucible{0.20, 1.0, 0.15, 0.01};

// The share of each link as printed, corrected: M_1 at joint 1, M_2 at joints 1 and 2, M_3 (the crucible) at all three.
TEST(InertiaExamples, MatchesTheClosedFormsOfThePelicanAndItsCrucible) {
  const auto [a1, m1, l1, I1] = pelican[0];
  const auto [a2, m2, l2, I2] = pelican[1];
  const auto [a3, m3, l3, I3] = crucible;
  std::vector<PlanarLink> loaded = pelican;
  loaded.push_back(crucible);
  Random random(7);
  for (int k = 0; k < 20; ++k) {
    const Values q = random_state(random, 3).q;
    const double c2 = std::cos(q[1]), c3 = std::cos(q[2]), s3 = std::sin(q[2]);
    const double c23 = std::cos(q[1] + q[2]), s23 = std::sin(q[1] + q[2]);
    const double M11 = m1 * l1 * l1 + I1 + m2 * (a1 * a1 + l2 * l2 + 2 * a1 * l2 * c2) + I2;
    const double M12 = m2 * l2 * (l2 + a1 * c2) + I2, M22 = m2 * l2 * l2 + I2;
    expect_matrix(planar_arm(pelican), {q[0], q[1]}, {M11, M12, M12, M22}, agreement);
    const double N11 = m3 * (std::pow(l3 + a2 * c3 + a1 * c23, 2) + std::pow(a2 * s3 + a1 * s23, 2)) + I3;
    const double N12 = m3 * (a2 * a2 + l3 * l3 + a1 * a2 * c2 + 2 * a2 * l3 * c3 + a1 * l3 * c23) + I3;
    const double N13 = m3 * l3 * (l3 + a2 * c3 + a1 * c23) + I3, N22 = m3 * (a2 * a2 + l3 * l3 + 2 * a2 * l3 * c3) + I3;
    const double N23 = m3 * l3 * (l3 + a2 * c3) + I3, N33 = m3 * l3 * l3 + I3;
    expect_matrix(planar_arm(loaded), q, {M11 + N11, M12 + N12, N13, M12 + N12, M22 + N22, N23, N13, N23, N33},
                  agreement);
  }
  expect_matrix(planar_arm(pelican), {0.4, 0.9}, {0.35043839863, 0.0202444782916, 0.0202444782916, 0.012672837978},
                relative(1e-11));
  expect_matrix(planar_arm(loaded), {0.4, 0.9, -1.2},
                {0.704960217341, 0.227887340072, 0.0838900755005, 0.227887340072, 0.141036742827, 0.0466319524246,
                 0.0838900755005, 0.0466319524246, 0.0325},
                relative(1e-11));
}

}  // namespace
}  // namespace catena::test::inertia_examples_test

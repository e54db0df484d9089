// The inertia matrix: every registered formulation against the oracles, against each other, and against what mechanics
// demands of it.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <string>

#include "catena/kinematics.hpp"
#include "catena/model/regroup.hpp"
#include "oracle/lagrange.hpp"
#include "oracle/newton_world.hpp"
#include "support/allocations.hpp"
#include "support/formulations.hpp"
#include "support/inertia_matrices.hpp"
#include "support/nightly.hpp"
#include "support/no_allocation.hpp"
#include "support/tolerances.hpp"

namespace catena::test::inertia_test {
namespace {

// On the scale of the matrix's largest entry; what is promised is 1e-10, what is seen is far smaller.
constexpr Tolerance agreement = ulps<double>(64);
// On the scale of each entry's own two joints, sqrt(M_jj M_kk). Reaching across a long robot costs digits here.
constexpr Tolerance promised = relative(1e-10);

std::string label(std::uint64_t seed, std::string_view method) {
  return "robot " + std::to_string(seed) + ", " + std::string(method);
}

// sqrt(M_jj M_kk): no entry of a positive definite matrix is larger.
Values entry_scales(const Values& M, std::size_t n) {
  Values scales;
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t k = 0; k < n; ++k) scales.push_back(std::sqrt(M[j * n + j]) * std::sqrt(M[k * n + k]));
  return scales;
}

// Whether one of the two joints carries the other.
bool on_one_branch(const Mechanism& robot, std::size_t q_j, std::size_t q_k) {
  const auto carries = [&](std::size_t low, std::size_t high) {
    for (std::size_t i = 0; i < robot.links.size(); ++i)
      if (index(robot.links[i].q) == high)
        for (int m = static_cast<int>(i); m != base_link; m = robot.link(m).parent)
          if (index(robot.link(m).q) == low) return true;
    return false;
  };
  return carries(q_j, q_k) || carries(q_k, q_j);
}

// The pivots of Cholesky's factorization are all positive.
bool positive_definite(Values M, std::size_t n) {
  for (std::size_t j = 0; j < n; ++j) {
    if (!(M[j * n + j] > 0.0)) return false;
    for (std::size_t i = j + 1; i < n; ++i) {
      const double factor = M[i * n + j] / M[j * n + j];
      for (std::size_t k = j; k < n; ++k) M[i * n + k] -= factor * M[j * n + k];
    }
  }
  return true;
}

// --- agreement with the oracles and with each other
// ----------------------------------------------------------------------

void expect_agreement(std::uint64_t seed, int joints, std::map<std::string, int>& differs) {
  const auto [robot, x] = sample(seed, joints);
  const Mechanism mechanism = make_mechanism(robot);
  const Values expected = flat(oracle::inertia_matrix(robot, x.q));
  const Values scales = entry_scales(expected, x.q.size());
  std::vector<Values> results;
  for (const FormulationInfo& method : formulations("inertia")) {
    const Values M = matrix_by(mechanism, method.name, x.q);
    EXPECT_TRUE(near(M, expected, agreement)) << label(seed, method.name);
    EXPECT_TRUE(near(M, expected, scales, promised)) << label(seed, method.name);
    for (const Values& other : results)
      if (M != other) ++differs[std::string(method.name)];
    results.push_back(M);
  }
}

TEST(InertiaMatrix, AgreesWithNewtonOnAThousandChainsAndTrees) {
  std::map<std::string, int> differs;
  for (const std::uint64_t seed : test::seeds(0, 1000))
    expect_agreement(seed, 1 + static_cast<int>(seed % 24), differs);
  // Two formulations that agree to the last bit everywhere would be one formulation under two names.
  EXPECT_EQ(formulations("inertia").size(), 13u);
  EXPECT_EQ(differs.size(), formulations("inertia").size() - 1);
  for (const auto& [name, count] : differs) EXPECT_GT(count, test::sampled(100)) << name;
}

TEST(InertiaMatrix, AgreesWithNewtonOnLongRobots) {
  std::map<std::string, int> differs;
  for (const std::uint64_t seed : test::seeds(2000, 2072))
    expect_agreement(seed, 25 + static_cast<int>(seed % 36), differs);
}

TEST(InertiaMatrix, AgreesWithTheSecondDerivativesOfTheKineticEnergy) {
  for (const std::uint64_t seed : test::seeds(3000, 3100)) {
    const auto [robot, x] = sample(seed, 1 + static_cast<int>(seed % 8), false);
    const Values expected = flat(oracle::lagrange::inertia_matrix(robot, x.q));
    const Mechanism mechanism = make_mechanism(robot);
    for (const FormulationInfo& method : formulations("inertia"))
      EXPECT_TRUE(near(matrix_by(mechanism, method.name, x.q), expected, agreement)) << label(seed, method.name);
  }
}

TEST(InertiaMatrix, FloatAgreesToItsOwnPrecision) {
  for (const std::uint64_t seed : test::seeds(4000, 4200)) {
    const auto [robot, x] = sample(seed, 1 + static_cast<int>(seed % 24));
    const Values expected = flat(oracle::inertia_matrix(robot, x.q));
    const Mechanism mechanism = make_mechanism(robot);
    const std::vector<float> q = as<float>(x.q);
    std::vector<float> M(expected.size());
    for (const FormulationInfo& method : formulations("inertia")) {
      InertiaMatrix<float>(mechanism, method.name)(q, M);
      EXPECT_TRUE(near(to_values(M), expected, ulps<float>(64))) << label(seed, method.name);
    }
  }
}

// --- what mechanics demands
// ----------------------------------------------------------------------------------------------

// Runs a check for every formulation on a series of robots with their mechanism and a state.
template <class Check>
void for_each_formulation(std::uint64_t first_seed, int robots, int most_joints, Check check) {
  for (const std::uint64_t seed : test::seeds(first_seed, first_seed + static_cast<std::uint64_t>(robots))) {
    const auto [robot, x] = sample(seed, 1 + static_cast<int>(seed) % most_joints, false);
    const Mechanism mechanism = make_mechanism(robot);
    for (const FormulationInfo& method : formulations("inertia")) {
      SCOPED_TRACE(label(seed, method.name));
      check(robot, mechanism, x, method.name);
    }
  }
}

TEST(InertiaMatrix, IsSymmetricAndZeroAcrossBranches) {
  int across = 0;
  for_each_formulation(5000, 150, 24, [&](const Robot&, const Mechanism& mechanism, const State& x, auto method) {
    const Values M = matrix_by(mechanism, method, x.q);
    const std::size_t n = x.q.size();
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t k = 0; k < j; ++k) {
        EXPECT_EQ(M[j * n + k], M[k * n + j]);
        if (on_one_branch(mechanism, j, k)) continue;
        EXPECT_EQ(M[j * n + k], 0.0);
        ++across;
      }
    }
  });
  EXPECT_GT(across, test::sampled(10000));
}

TEST(InertiaMatrix, IsPositiveDefiniteWhereEveryLinkHasMass) {
  for (const std::uint64_t seed : test::seeds(5200, 5360)) {
    Random random(seed);
    const int n = 1 + static_cast<int>(seed % 60);
    const auto shape = seed % 2 == 0 ? Shape::chain : Shape::tree;
    const Robot robot = random_robot(random, {.joints = n, .shape = shape, .massless_links = false});
    const Mechanism mechanism = make_mechanism(robot);
    const State x = random_state(random, n);
    for (const FormulationInfo& method : formulations("inertia"))
      EXPECT_TRUE(positive_definite(matrix_by(mechanism, method.name, x.q), x.q.size())) << label(seed, method.name);
  }
  EXPECT_FALSE(positive_definite({1.0, 2.0, 2.0, 3.9}, 2));
}

TEST(InertiaMatrix, GivesTheKineticEnergyOfTheLinks) {
  for_each_formulation(5400, 150, 30, [](const Robot&, const Mechanism& mechanism, const State& x, auto method) {
    const Values M = matrix_by(mechanism, method, x.q);
    double energy = 0.0, size = 0.0;
    for (std::size_t j = 0; j < x.q.size(); ++j)
      for (std::size_t k = 0; k < x.q.size(); ++k) {
        energy += 0.5 * x.qd[j] * M[j * x.q.size() + k] * x.qd[k];
        size += 0.5 * std::abs(x.qd[j] * M[j * x.q.size() + k] * x.qd[k]);
      }
    Kinematics<double> kinematics(mechanism);
    kinematics.update(x.q, x.qd);
    EXPECT_TRUE(near(energy, kinematics.kinetic_energy(), size, agreement));
  });
}

// Column j is the torque of a unit acceleration of joint j: rotors included, weight and rates left out.
TEST(InertiaMatrix, HasTheColumnsOfInverseDynamics) {
  for (const std::uint64_t seed : test::seeds(5600, 5680)) {
    const auto [robot, x] = sample(seed, 1 + static_cast<int>(seed % 20));
    Robot weightless = robot;
    weightless.gravity = {};
    for (JointDescription& joint : weightless.joints) joint.drive.spring = joint.drive.offset = 0.0;
    const Mechanism mechanism = make_mechanism(weightless);
    const std::size_t n = x.q.size();
    Values columns;
    for (std::size_t j = 0; j < n; ++j) {
      State unit{x.q, Values(n, 0.0), Values(n, 0.0)};
      unit.qdd[j] = 1.0;
      const Values tau = torques(mechanism, "luh-walker-paul", unit);
      columns.insert(columns.end(), tau.begin(), tau.end());
    }
    for (const FormulationInfo& method : formulations("inertia"))
      EXPECT_TRUE(near(matrix_by(mechanism, method.name, x.q), columns, agreement)) << label(seed, method.name);
  }
}

// Sliding origins and regrouping inertia changes what a formulation reads, not what it finds.
TEST(InertiaMatrix, IsTheSameOnTheOptimizedMechanism) {
  for_each_formulation(5700, 100, 20, [](const Robot&, const Mechanism& mechanism, const State& x, auto method) {
    EXPECT_TRUE(near(matrix_by(optimize(mechanism), method, x.q), matrix_by(mechanism, method, x.q), agreement));
  });
  const auto [robot, x] = sample(5800, 7);
  const Mechanism mechanism = make_mechanism(robot);
  EXPECT_EQ(InertiaMatrix<double>(mechanism).formulation().name, job_info("inertia").standard(mechanism.joints()));
  EXPECT_TRUE(near(matrix_by(mechanism, {}, x.q), flat(oracle::inertia_matrix(robot, x.q)), agreement));
}

// --- bodies that are hard to take a root of, or to divide by
// --------------------------------------------------------------

TEST(InertiaMatrix, AMasslessLeafHasAZeroRowAndChangesNoOther) {
  for_each_formulation(6000, 60, 12, [](Robot robot, const Mechanism& mechanism, State x, auto method) {
    const Values before = matrix_by(mechanism, method, x.q);
    JointDescription joint;
    joint.name = "leaf joint";
    joint.type = x.q.size() % 2 == 0 ? JointType::revolute : JointType::prismatic;
    joint.parent = static_cast<int>(x.q.size()) % static_cast<int>(robot.links.size());
    joint.child = robot.add_link("leaf");
    joint.origin.p = {0.1, 0.2, 0.3};
    robot.add_joint(joint);
    x.q.push_back(0.7);
    const Values after = matrix_by(make_mechanism(robot), method, x.q);
    const std::size_t n = x.q.size();
    Values others;
    for (std::size_t j = 0; j < n; ++j) {
      EXPECT_EQ(after[j * n + n - 1], 0.0);
      EXPECT_EQ(after[(n - 1) * n + j], 0.0);
      for (std::size_t k = 0; k + 1 < n; ++k)
        if (j + 1 < n) others.push_back(after[j * n + k]);
    }
    EXPECT_TRUE(near(others, before, agreement));
  });
}

// A mechanism whose links have the inertias given in turn; the description of a robot would not accept all of them.
Mechanism with_inertias(std::uint64_t seed, double mass, const std::vector<Sym3<double>>& inertias) {
  Random random(seed);
  Mechanism robot = make_mechanism(random_robot(random, {.joints = 7, .shape = Shape::tree, .massless_links = false}));
  for (std::size_t i = 0; i < robot.links.size(); ++i) {
    LinkConstants<double>& link = robot.links[i];
    if (mass >= 0.0) link.mass = mass;
    link.inertia_com = inertias[i % inertias.size()];
    link.pseudo_com = pseudo_inertia(link.inertia_com);
  }
  compute_augmented_links(robot);
  return robot;
}

void expect_all_agree(const Mechanism& robot, std::uint64_t seed) {
  Random random(seed);
  const State x = random_state(random, robot.nv());
  const Values expected = matrix_by(robot, "generalized-links", x.q);
  for (const FormulationInfo& method : formulations("inertia")) {
    const Values M = matrix_by(robot, method.name, x.q);
    for (const double entry : M) EXPECT_TRUE(std::isfinite(entry)) << label(seed, method.name);
    EXPECT_TRUE(near(M, expected, agreement)) << label(seed, method.name);
  }
}

TEST(InertiaMatrix, TakesRodsAndParticles) {
  for (const std::uint64_t seed : test::seeds(6100, 6130)) {
    Random random(seed);
    std::vector<Sym3<double>> rods{Sym3<double>{}};  // a particle
    for (int k = 0; k < 5; ++k) rods.push_back(congruence(random.rotation(), Sym3<double>::diagonal(0.2, 0.2, 0.0)));
    rods.push_back(Sym3<double>::diagonal(0.0, 0.3, 0.3));
    expect_all_agree(with_inertias(seed, -1.0, rods), seed);
  }
}

TEST(InertiaMatrix, TakesInertiasThatNoBodyCanHave) {
  for (const std::uint64_t seed : test::seeds(6200, 6230)) {
    Random random(seed);
    const std::vector<Sym3<double>> impossible{congruence(random.rotation(), Sym3<double>::diagonal(0.2, -0.1, 0.3)),
                                               {0.0, 0.1, 0.0, 0.2, 0.0, 0.1},
                                               Sym3<double>::diagonal(-0.1, -0.2, -0.3)};
    expect_all_agree(with_inertias(seed, -1.0, impossible), seed);
  }
}

TEST(InertiaMatrix, TakesLinksWithInertiaAndNoMass) {
  for (const std::uint64_t seed : test::seeds(6300, 6330))
    expect_all_agree(with_inertias(seed, 0.0, {Sym3<double>::diagonal(0.1, 0.2, 0.25)}), seed);
  expect_all_agree(with_inertias(6330, 1e-290, {{}}), 6330);
  for (const double mass : {std::numeric_limits<double>::min(), std::numeric_limits<double>::denorm_min()})
    for (const FormulationInfo& method : formulations("inertia"))  // throws on what is not finite
      matrix_by(with_inertias(6331, mass, {{}}), method.name, Values(7, 0.3));
  const Mechanism nothing = with_inertias(6332, 0.0, {{}});
  for (const FormulationInfo& method : formulations("inertia"))
    EXPECT_EQ(matrix_by(nothing, method.name, Values(7, 0.3)), Values(49, 0.0)) << method.name;
}

// --- the call itself
// -----------------------------------------------------------------------------------------------------

TEST(InertiaMatrix, ReadsNothingItDidNotWrite) {
  for (const std::uint64_t seed : test::seeds(7000, 7060)) {
    const auto [robot, x] = sample(seed, 1 + static_cast<int>(seed % 12));
    expect_nothing_left_over("inertia", make_mechanism(robot), x);
  }
}

TEST(InertiaMatrix, AllocatesNothing) {
  std::vector<std::string_view> methods;
  for (const FormulationInfo& method : formulations("inertia")) methods.push_back(method.name);
  expect_no_allocation(8000, methods, [](const Mechanism& robot, std::string_view method, const auto& x) {
    using S = typename std::decay_t<decltype(x)>::Scalar;
    return [&x, inertia = InertiaMatrix<S>(robot, method), M = std::vector<S>(x.q.size() * x.q.size())]() mutable {
      inertia(x.q, M);
    };
  });
}

TEST(InertiaMatrix, SaysWhatIsWrongWithACall) {
  Random random(9);
  const Mechanism robot = make_mechanism(random_robot(random, {.joints = 2}));
  EXPECT_THROW(InertiaMatrix<double>(robot, "guess"), std::invalid_argument);
  InertiaMatrix<double> inertia(robot);
  Values q{0.1, 0.2}, three(3, 0.0), M(4);
  EXPECT_THROW(inertia(three, M), std::invalid_argument);
  EXPECT_THROW(inertia(q, three), std::invalid_argument);
  q[1] = std::numeric_limits<double>::infinity();
  EXPECT_THROW(inertia(q, M), std::domain_error);
}

}  // namespace
}  // namespace catena::test::inertia_test

// The Coriolis matrix: every registered formulation against the oracle's velocity torques, against the literal sum of
// Christoffel symbols, and against what mechanics demands of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "catena/model/regroup.hpp"
#include "catena/scalar/counted.hpp"
#include "catena/scalar/dual.hpp"
#include "oracle/newton_world.hpp"
#include "support/allocations.hpp"
#include "support/formulations.hpp"
#include "support/golden_robots.hpp"
#include "support/inertia_matrices.hpp"
#include "support/nightly.hpp"
#include "support/no_allocation.hpp"
#include "support/planar_arm.hpp"
#include "support/tolerances.hpp"
#include "support/velocity_terms.hpp"

namespace catena::test::coriolis_test {
namespace {

using D = Dual<double>;

constexpr Tolerance promised = relative(1e-10);
constexpr Tolerance agreement = ulps<double>(256);

std::string label(std::uint64_t seed, std::string_view method) {
  return "robot " + std::to_string(seed) + ", " + std::string(method);
}

std::vector<std::string_view> methods() {
  std::vector<std::string_view> names{{}};
  for (const FormulationInfo& info : formulations("coriolis")) names.push_back(info.name);
  return names;
}

// M and its rate along q̇.
std::vector<D> moving_inertia(const Mechanism& robot, const State& x) {
  std::vector<D> q;
  for (std::size_t j = 0; j < x.q.size(); ++j) q.emplace_back(x.q[j], x.qd[j]);
  return matrix_by<D>("generalized-links", robot, q);
}

// A size that entries of C have: the largest of M times the largest rate.
double scale_of(const std::vector<D>& M, const State& x) {
  double size = 0.0;
  for (const D& entry : M) size = std::max(size, std::abs(entry.value));
  return size * std::max(largest(x.qd), 1e-3);
}

// ½ Σ_k (∂_k M_ab + ∂_b M_ak - ∂_a M_bk) q̇_k, each derivative by a dual number of its own.
Values christoffel(const Mechanism& robot, const State& x) {
  const std::size_t n = x.q.size();
  std::vector<std::vector<D>> by(n);
  for (std::size_t k = 0; k < n; ++k) {
    std::vector<D> q = as<D>(x.q);
    q[k].derivative = 1.0;
    by[k] = matrix_by<D>("generalized-links", robot, q);
  }
  Values C(n * n, 0.0);
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = 0; b < n; ++b)
      for (std::size_t k = 0; k < n; ++k)
        C[a * n + b] +=
            0.5 * x.qd[k] * (by[k][a * n + b].derivative + by[b][a * n + k].derivative - by[a][b * n + k].derivative);
  return C;
}

// --- against the oracle, on a thousand chains and trees ---

TEST(CoriolisMatrix, GivesNewtonsVelocityTorquesOnAThousandChainsAndTrees) {
  for (const std::uint64_t seed : test::seeds(0, 1000)) {
    const auto [robot, x] = sample(seed, 1 + static_cast<int>(seed % 60));
    const Values zero(x.q.size(), 0.0);
    const oracle::Torques expected = oracle::inverse_dynamics(robot, x.q, x.qd, zero, {}, oracle::Drives::left_out);
    const Mechanism mechanism = make_mechanism(robot);
    Values gravity(x.q.size());
    InverseDynamics<double>(make_mechanism(robot, {.rigid = true})).gravity(x.q, gravity);
    for (const std::string_view method : methods()) {
      Values b = product(coriolis_by(mechanism, method, x), x.qd);
      for (std::size_t j = 0; j < b.size(); ++j) b[j] += gravity[j];
      EXPECT_TRUE(near(b, expected.tau, expected.scale, promised)) << label(seed, method);
    }
  }
}

TEST(CoriolisMatrix, LeavesTheRateOfInertiaSkewOnAThousandChainsAndTrees) {
  for (const std::uint64_t seed : test::seeds(1000, 2000)) {
    const auto [robot, x] = sample(seed, 1 + static_cast<int>(seed % 60));
    const Mechanism mechanism = make_mechanism(robot);
    const std::vector<D> M = moving_inertia(mechanism, x);
    const std::size_t n = x.q.size();
    for (const std::string_view method : methods()) {
      const Values C = coriolis_by(mechanism, method, x);
      Values sum, rate;
      for (std::size_t j = 0; j < n; ++j)
        for (std::size_t k = 0; k <= j; ++k) {
          sum.push_back(C[j * n + k] + C[k * n + j]);
          rate.push_back(M[j * n + k].derivative);
        }
      EXPECT_TRUE(near(sum, rate, scale_of(M, x), promised)) << label(seed, method);  // Ṁ = C + Cᵀ
    }
  }
}

// --- Christoffel and not ---

TEST(CoriolisMatrix, IsTheChristoffelSumWhereItSaysSo) {
  int spatial = 0, differs = 0;
  for (const std::uint64_t seed : test::seeds(3000, 3300)) {
    const auto [robot, x] = sample(seed, 1 + static_cast<int>(seed % 9));
    const Mechanism mechanism = make_mechanism(robot);
    const Values expected = christoffel(mechanism, x);
    const double scale = scale_of(moving_inertia(mechanism, x), x);
    for (const std::string_view method : {"denoc-christoffel", "progressive", ""})
      EXPECT_TRUE(near(coriolis_by(mechanism, method, x), expected, scale, agreement)) << label(seed, method);
    const Values plain = coriolis_by(mechanism, "denoc", x);
    spatial += x.q.size() > 3 && largest(x.qd) > 0.0;
    differs += x.q.size() > 3 && !near(plain, expected, scale, relative(1e-6));
    EXPECT_TRUE(near(product(plain, x.qd), product(expected, x.qd), scale * static_cast<double>(x.q.size()), agreement))
        << label(seed, "denoc");
  }
  EXPECT_GT(spatial, test::sampled(150));
  EXPECT_GT(differs,
            spatial / 2);  // the plain matrix is another one; slides alone, or axes all parallel, have none of it
}

// All joints about, or across, one direction: a plane robot, wherever it stands.
Robot planar_robot(Random& random, int joints) {
  Robot robot;
  robot.add_link("base");
  const Vec3<double> normal = random.direction();
  const auto within = [&](Vec3<double> v) { return v - dot(v, normal) * normal; };
  for (int k = 0; k < joints; ++k) {
    JointDescription joint;
    joint.name = "joint" + std::to_string(k);
    joint.type = random.chance(0.7) ? JointType::revolute : JointType::prismatic;
    joint.axis = normal;
    if (joint.type == JointType::prismatic) {
      joint.axis = within(random.direction());
      joint.axis = (1.0 / std::sqrt(dot(joint.axis, joint.axis))) * joint.axis;
    }
    joint.parent = random.below(static_cast<int>(robot.links.size()));
    joint.origin.p = random.vector(0.5);
    joint.child = robot.add_link("link" + std::to_string(k), random_inertial(random));
    robot.add_joint(joint);
  }
  return robot;
}

TEST(CoriolisMatrix, OfPlanarRobotsIsOneAndTheSame) {
  for (const std::uint64_t seed : test::seeds(3400, 3500)) {
    Random random(seed);
    const int n = 1 + static_cast<int>(seed % 10);
    const Mechanism mechanism = make_mechanism(planar_robot(random, n));
    const State x = random_state(random, n);
    const Values expected = christoffel(mechanism, x);
    const double scale = scale_of(moving_inertia(mechanism, x), x);
    for (const std::string_view method : methods())
      EXPECT_TRUE(near(coriolis_by(mechanism, method, x), expected, scale, agreement)) << label(seed, method);
  }
}

TEST(CoriolisMatrix, MatchesTheGoldenRobotsOnEveryScalar) {
  const std::vector<Golden> robots = read_golden_robots(CATENA_SOURCE_DIR "/tests/data/golden_robots.json");
  ASSERT_EQ(robots.size(), 39u);
  for (const Golden& golden : robots) {
    const Mechanism mechanism = make_mechanism(golden.robot);
    const State& x = golden.x;
    const double scale = std::max(largest(flat(golden.C)), largest(flat(golden.M)) * largest(x.qd));
    for_each_formulation("coriolis", [&](const FormulationInfo& formulation) {
      SCOPED_TRACE(golden.robot.name + ", " + std::string(formulation.name));
      const Values C = coriolis_by<double>(formulation.name, mechanism, x.q, x.qd);
      if (formulation.name != "denoc") {
        EXPECT_TRUE(near(C, flat(golden.C), scale, agreement));
      }
      EXPECT_TRUE(near(product(C, x.qd), product(flat(golden.C), x.qd), scale, agreement));
      Counted::reset();
      Values counted;
      for (const Counted& entry :
           coriolis_by<Counted>(formulation.name, mechanism, as<Counted>(x.q), as<Counted>(x.qd)))
        counted.push_back(entry.value());
      EXPECT_TRUE(near(counted, C, scale, agreement));
      EXPECT_EQ(Counted::count().divisions, 0);
      // C is linear in q̇: its derivative along q̇ is C itself.
      std::vector<D> qd;
      for (const double rate : x.qd) qd.emplace_back(rate, rate);
      Values along;
      for (const D& entry : coriolis_by<D>(formulation.name, mechanism, as<D>(x.q), qd))
        along.push_back(entry.derivative);
      EXPECT_TRUE(near(along, C, scale, agreement));
    });
  }
}

// --- the worked examples, symbol by symbol ---

void expect_matrix(const Mechanism& robot, const State& x, const Values& expected, Tolerance tolerance) {
  for (const std::string_view method : methods())
    EXPECT_TRUE(near(coriolis_by(robot, method, x), expected, tolerance)) << method;
}

TEST(CoriolisMatrix, MatchesTheClosedFormOfThePlanar2R) {
  const double m1 = 1.3, m2 = 0.7, l1 = 0.8, l2 = 1.1;
  const Mechanism robot = planar_arm({{l1, m1, l1 / 2, m1 * l1 * l1 / 12}, {l2, m2, l2 / 2, m2 * l2 * l2 / 12}});
  Random random(1);
  for (int k = 0; k < 20; ++k) {
    const State x = random_state(random, 2);
    const double h = 0.5 * m2 * l1 * l2 * std::sin(x.q[1]);
    expect_matrix(robot, x, {-h * x.qd[1], -h * (x.qd[0] + x.qd[1]), h * x.qd[0], 0.0}, ulps<double>(64));
  }
  const Mechanism unit = planar_arm({{1.0, 1.0, 0.5, 1.0 / 12}, {1.0, 1.0, 0.5, 1.0 / 12}});
  expect_matrix(unit, {{0.3, 0.7}, {0.5, -0.4}, {}}, {0.128843537448, -0.0322108843619, 0.161054421809, 0.0},
                relative(1e-11));
}

TEST(CoriolisMatrix, MatchesTheClosedFormsOfThePelicanAndItsCrucible) {
  const std::vector<PlanarLink> pelican{{0.26, 6.5225, 0.0983, 0.1213}, {0.26, 2.0458, 0.0229, 0.0116}};
  const PlanarLink crucible{0.20, 1.0, 0.15, 0.01};
  std::vector<PlanarLink> loaded = pelican;
  loaded.push_back(crucible);
  const double a1 = 0.26, a2 = 0.26, l2 = 0.0229, m2 = 2.0458, l3 = 0.15, m3 = 1.0;
  Random random(2);
  for (int k = 0; k < 20; ++k) {
    const State x = random_state(random, 3);
    const double w1 = x.qd[0], w2 = x.qd[1], w3 = x.qd[2], s2 = std::sin(x.q[1]), s3 = std::sin(x.q[2]);
    const double s23 = std::sin(x.q[1] + x.q[2]), h = m2 * a1 * l2 * s2;
    const Values alone{-h * w2, -h * (w1 + w2), h * w1, 0.0};
    expect_matrix(planar_arm(pelican), {{x.q[0], x.q[1]}, {w1, w2}, {}}, alone, ulps<double>(256));
    const double alpha = m3 * a1 * (a2 * s2 + l3 * s23), beta = m3 * l3 * (a2 * s3 + a1 * s23),
                 gamma = m3 * a2 * l3 * s3;
    expect_matrix(planar_arm(loaded), x,
                  {alone[0] - alpha * w2 - beta * w3, alone[1] - alpha * (w1 + w2) - beta * w3, -beta * (w1 + w2 + w3),
                   alone[2] + alpha * w1 - gamma * w3, -gamma * w3, -gamma * (w1 + w2 + w3),
                   gamma * (w1 + w2) + m3 * a1 * l3 * s23 * w1, gamma * (w1 + w2), 0.0},
                  ulps<double>(256));
  }
  expect_matrix(planar_arm(pelican), {{0.4, 0.9}, {0.7, -0.3}, {}},
                {0.00286243942844, -0.00381658590459, 0.00667902533303, 0.0}, relative(1e-11));
  expect_matrix(planar_arm(loaded), {{0.4, 0.9, -1.2}, {0.7, -0.3, 0.5}, {}},
                {0.039228128944, 0.00354977588926, 0.0430873311713, 0.0538531152311, 0.0181747621764, 0.0327145719174,
                 -0.0226075113829, -0.0145398097411, 0.0},
                relative(1e-11));
}

// --- properties ---

TEST(CoriolisMatrix, IsZeroAcrossBranchesAndForSlidesAlone) {
  int across = 0;
  for (const std::uint64_t seed : test::seeds(4000, 4060)) {
    Random random(seed);
    const int n = 1 + static_cast<int>(seed % 20);
    const auto mix = seed % 3 == 0 ? JointMix::prismatic : JointMix::mixed;
    const Mechanism mechanism = make_mechanism(random_robot(random, {.joints = n, .shape = Shape::tree, .mix = mix}));
    const State x = random_state(random, n);
    const std::vector<bool> carried = carries(mechanism);
    for (const std::string_view method : methods()) {
      SCOPED_TRACE(label(seed, method));
      const Values C = coriolis_by(mechanism, method, x);
      if (mix == JointMix::prismatic) {
        EXPECT_EQ(largest(C), 0.0);
      }
      for (std::size_t j = 0; j < x.q.size(); ++j)
        for (std::size_t k = 0; k < x.q.size(); ++k) {
          if (carried[j * x.q.size() + k] || carried[k * x.q.size() + j]) continue;
          EXPECT_EQ(C[j * x.q.size() + k], 0.0);
          ++across;
        }
    }
  }
  EXPECT_GT(across, test::sampled(1000));
}

TEST(CoriolisMatrix, IsTheSameOnTheOptimizedMechanism) {
  for (const std::uint64_t seed : test::seeds(4100, 4160)) {
    const auto [robot, x] = sample(seed, 1 + static_cast<int>(seed % 20));
    const Mechanism mechanism = make_mechanism(robot);
    const double scale = scale_of(moving_inertia(mechanism, x), x);
    for (const std::string_view method : methods())
      EXPECT_TRUE(
          near(coriolis_by(optimize(mechanism), method, x), coriolis_by(mechanism, method, x), scale, agreement))
          << label(seed, method);
  }
}

TEST(CoriolisMatrix, FloatAgreesToItsOwnPrecision) {
  for (const std::uint64_t seed : test::seeds(4200, 4300)) {
    const auto [robot, x] = sample(seed, 1 + static_cast<int>(seed % 24));
    const Mechanism mechanism = make_mechanism(robot);
    const double scale = scale_of(moving_inertia(mechanism, x), x);
    for (const std::string_view method : methods()) {
      std::vector<float> C(x.q.size() * x.q.size());
      CoriolisMatrix<float>(mechanism, method)(as<float>(x.q), as<float>(x.qd), C);
      EXPECT_TRUE(near(to_values(C), coriolis_by(mechanism, method, x), scale, ulps<float>(64))) << label(seed, method);
    }
  }
}

// --- the call itself ---

TEST(CoriolisMatrix, ReadsNothingItDidNotWrite) {
  for (const std::uint64_t seed : test::seeds(5000, 5060)) {
    const auto [robot, x] = sample(seed, 1 + static_cast<int>(seed % 12));
    expect_nothing_left_over("coriolis", make_mechanism(robot), x);
  }
}

TEST(CoriolisMatrix, AllocatesNothing) {
  expect_no_allocation(6000, methods(), [](const Mechanism& robot, std::string_view method, const auto& x) {
    using S = typename std::decay_t<decltype(x)>::Scalar;
    return [&x, coriolis = CoriolisMatrix<S>(robot, method), C = std::vector<S>(x.q.size() * x.q.size())]() mutable {
      coriolis(x.q, x.qd, C);
    };
  });
}

TEST(CoriolisMatrix, SaysWhatIsWrongWithACall) {
  Random random(9);
  const Mechanism robot = make_mechanism(random_robot(random, {.joints = 2, .mix = JointMix::revolute}));
  EXPECT_THROW(CoriolisMatrix<double>(robot, "guess"), std::invalid_argument);
  CoriolisMatrix<double> made(robot), coriolis = std::move(made);
  EXPECT_EQ(coriolis.formulation().name, job_info("coriolis").standard(3));
  Values q{0.1, 0.2}, qd{0.3, 0.4}, three(3, 0.0), C(4);
  EXPECT_THROW(coriolis(three, qd, C), std::invalid_argument);
  EXPECT_THROW(coriolis(q, three, C), std::invalid_argument);
  EXPECT_THROW(coriolis(q, qd, three), std::invalid_argument);
  qd[1] = std::numeric_limits<double>::infinity();
  EXPECT_THROW(coriolis(q, qd, C), std::domain_error);
}

}  // namespace
}  // namespace catena::test::coriolis_test

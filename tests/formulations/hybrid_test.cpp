// Hybrid dynamics: both formulations against the oracle's equations solved densely, against forward and inverse
// dynamics at the two ends, on every scalar, as generated code; closed forms; and what has no result.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "catena/dynamics.hpp"
#include "catena/model/regroup.hpp"
#include "catena/program.hpp"
#include "catena/robot_file.hpp"
#include "catena/scalar/counted.hpp"
#include "catena/scalar/dual.hpp"
#include "oracle/lagrange.hpp"
#include "oracle/newton_world.hpp"
#include "support/allocations.hpp"
#include "support/factor_robots.hpp"
#include "support/formulations.hpp"
#include "support/nightly.hpp"
#include "support/small_matrices.hpp"
#include "support/tolerances.hpp"

namespace catena::test::hybrid_test {
namespace {

using Wrenches = std::vector<ExternalWrench<double>>;

struct Case {
  Robot robot;
  Mechanism mechanism;
  State x;
  Values tau;  // of passive joints
  Wrenches wrenches;
};
// Every link has mass, joints are passive with a chance that runs from none to all.
Case case_of(std::uint64_t seed, int joints) {
  auto [robot, mechanism, x] = regular(seed, joints);
  Random random(seed + 5'000'000);
  const double share = random.unit();
  for (JointDescription& joint : robot.joints) joint.passive = joint.type != JointType::fixed && random.chance(share);
  Values tau;
  for (int j = 0; j < joints; ++j) tau.push_back(random.between(-20.0, 20.0));
  Wrenches wrenches = random_wrenches(random, robot, random.chance(0.4) ? 1 + random.below(4) : 0);
  return {robot, make_mechanism(robot), std::move(x), std::move(tau), std::move(wrenches)};
}
std::string label(std::uint64_t seed, std::string_view method) {
  return "robot " + std::to_string(seed) + ", " + (method.empty() ? "default" : std::string(method));
}

struct Result {
  Values qdd, tau;
};
Result by_call(const Case& c, std::string_view method) {
  Result out{Values(c.x.q.size()), Values(c.x.q.size())};
  HybridDynamics<double>(c.mechanism, method)(c.x.q, c.x.qd, c.x.qdd, c.tau, out.qdd, out.tau, c.wrenches);
  return out;
}

// M_tt q̈_t = τ_t - b_t - M_ta q̈_a, τ_a = b_a + M_aa q̈_a + M_at q̈_t with the oracle's M and b and Gauss's elimination.
Result by_oracle(const Case& c) {
  const std::size_t n = c.x.q.size();
  const oracle::Matrix M = oracle::inertia_matrix(c.robot, c.x.q);
  const Values still(n, 0.0);
  const Values b = oracle::inverse_dynamics(c.robot, c.x.q, c.x.qd, still, as_pushes(c.wrenches)).tau;
  std::vector<std::size_t> t;
  for (std::size_t j = 0; j < n; ++j)
    if (c.mechanism.is_passive(Coordinate(j))) t.push_back(j);
  Result out{c.x.qdd, c.tau};
  Vector block, rest;
  for (const std::size_t i : t) {
    double r = c.tau[i] - b[i];
    for (std::size_t k = 0; k < n; ++k)
      if (!c.mechanism.is_passive(Coordinate(k))) r -= M[i][k] * c.x.qdd[k];
    rest.push_back(r);
    for (const std::size_t k : t) block.push_back(M[i][k]);
  }
  const Vector found = solved(block, rest);
  for (std::size_t k = 0; k < t.size(); ++k) out.qdd[t[k]] = found[k];
  for (std::size_t j = 0; j < n; ++j) {
    if (c.mechanism.is_passive(Coordinate(j))) continue;
    out.tau[j] = b[j];
    for (std::size_t k = 0; k < n; ++k) out.tau[j] += M[j][k] * out.qdd[k];
  }
  return out;
}

TEST(Hybrid, SolvesTheWholeSystemOnAThousandChainsAndTrees) {
  int mixed = 0;
  for (const std::uint64_t seed : test::seeds(0, 1000)) {
    const Case c = case_of(seed, 1 + static_cast<int>(seed % 30));
    const Result expected = by_oracle(c);
    const auto passive = std::count(c.mechanism.passive.begin(), c.mechanism.passive.end(), 1);
    mixed += passive > 0 && passive < c.mechanism.joints() ? 1 : 0;
    for (const std::string_view method : names_of("hybrid")) {
      const Result found = by_call(c, method);
      // Newton: the torques of the accelerations found are those found. No condition number is in this.
      const oracle::Torques back = oracle::inverse_dynamics(c.robot, c.x.q, c.x.qd, found.qdd, as_pushes(c.wrenches));
      EXPECT_TRUE(near(back.tau, found.tau, back.scale, ulps<double>(64))) << label(seed, method);
      EXPECT_TRUE(near(found.qdd, expected.qdd, largest(expected.qdd), relative(1e-8))) << label(seed, method);
      EXPECT_TRUE(near(found.tau, expected.tau, back.scale, relative(1e-8))) << label(seed, method);
      for (std::size_t j = 0; j < c.tau.size(); ++j)  // what was given comes back as it was
        EXPECT_EQ(c.mechanism.is_passive(Coordinate(j)) ? found.tau[j] : found.qdd[j],
                  c.mechanism.is_passive(Coordinate(j)) ? c.tau[j] : c.x.qdd[j]);
    }
  }
  EXPECT_GT(mixed, test::sampled(700));
}

void set_all(Case& c, bool passive) {
  for (JointDescription& joint : c.robot.joints) joint.passive = passive && joint.type != JointType::fixed;
  c.mechanism = make_mechanism(c.robot);
}

TEST(Hybrid, IsForwardDynamicsWhereAllGiveWay) {
  for (const std::uint64_t seed : test::seeds(2000, 2200)) {
    Case c = case_of(seed, 1 + static_cast<int>(seed % 24));
    set_all(c, true);
    Values qdd(c.x.q.size());
    ForwardDynamics<double>(c.mechanism, "articulated-body")(c.x.q, c.x.qd, c.tau, qdd, c.wrenches);
    const Result found = by_call(c, "articulated-body");
    EXPECT_EQ(found.qdd, qdd) << seed;
    EXPECT_EQ(found.tau, c.tau) << seed;
    EXPECT_TRUE(near(by_call(c, "block-ldlt").qdd, qdd, largest(qdd), relative(1e-8))) << seed;
  }
}

TEST(Hybrid, IsInverseDynamicsWhereNoneGivesWay) {
  for (const std::uint64_t seed : test::seeds(2200, 2400)) {
    Case c = case_of(seed, 1 + static_cast<int>(seed % 24));
    set_all(c, false);
    const Values tau = torques(c.mechanism, "tensor-augmented", c.x, c.wrenches);
    const Result found = by_call(c, "articulated-body");
    EXPECT_EQ(found.tau, tau) << seed;
    EXPECT_EQ(found.qdd, c.x.qdd) << seed;
    EXPECT_TRUE(near(by_call(c, "block-ldlt").tau, tau, largest(tau), relative(1e-11))) << seed;
  }
}

TEST(Hybrid, GivesTheSameOnEveryScalarAndAsGeneratedCode) {
  using D = Dual<double>;
  for (const std::uint64_t seed : test::seeds(3000, 3040)) {
    Case c = case_of(seed, 1 + static_cast<int>(seed % 7));
    c.wrenches.clear();
    for_each_formulation("hybrid", [&](const FormulationInfo& f) {
      SCOPED_TRACE(label(seed, f.name));
      Values expected = by_call(c, f.name).qdd;
      const Values tau = by_call(c, f.name).tau;
      expected.insert(expected.end(), tau.begin(), tau.end());
      const double scale = std::max(1.0, largest(expected));
      const auto on = [&]<class S>(S) {
        const std::vector<S> q = as<S>(c.x.q), qd = as<S>(c.x.qd), qdd = as<S>(c.x.qdd), t = as<S>(c.tau);
        return run_on<S>("hybrid", f.name, c.mechanism.cast<ConstantOf<S>>(),
                         with_others<S>({.q = q, .qd = qd, .qdd = qdd, .tau = t}, qdd));
      };
      Values counted, dual;
      for (const Counted& v : on(Counted())) counted.push_back(v.value());
      for (const D& v : on(D())) dual.push_back(v.value);
      EXPECT_TRUE(near(counted, expected, scale, relative(1e-9)));
      EXPECT_TRUE(near(dual, expected, scale, relative(1e-9)));
      const ProgramRequest request{.jobs = {"hybrid"}, .formulations = {std::string(f.name)}};
      const Program program = make_program(c.mechanism, request, usual_choices(c.mechanism, request));
      Values inputs;
      for (const Argument& a : program.inputs) {
        const Values& source = a.name == "q" ? c.x.q : a.name == "qd" ? c.x.qd : a.name == "qdd" ? c.x.qdd : c.tau;
        inputs.insert(inputs.end(), source.begin(), source.end());
      }
      EXPECT_TRUE(near(program.evaluate(inputs), expected, scale, relative(1e-8)));
    });
  }
}

TEST(Hybrid, FloatIsAsGoodAsItsPrecision) {
  for (const std::uint64_t seed : test::seeds(3100, 3160)) {
    Case c = case_of(seed, 1 + static_cast<int>(seed % 6));
    c.wrenches.clear();
    const std::size_t n = c.x.q.size();
    const Result expected = by_call(c, "block-ldlt");
    for (const std::string_view method : names_of("hybrid")) {
      std::vector<float> qdd(n), tau(n);
      HybridDynamics<float>(c.mechanism, method)(as<float>(c.x.q), as<float>(c.x.qd), as<float>(c.x.qdd),
                                                 as<float>(c.tau), qdd, tau);
      const oracle::Torques back = oracle::inverse_dynamics(c.robot, c.x.q, c.x.qd, to_values(qdd));
      EXPECT_TRUE(near(back.tau, to_values(tau), back.scale, ulps<float>(256))) << label(seed, method);
      EXPECT_TRUE(near(to_values(qdd), expected.qdd, largest(expected.qdd), relative(0.05))) << label(seed, method);
    }
  }
}

TEST(Hybrid, ReadsNothingItDidNotWriteAndAllocatesNothing) {
  for (const std::uint64_t seed : test::seeds(3200, 3230)) {
    const Case c = case_of(seed, 1 + static_cast<int>(seed % 14));
    expect_nothing_left_over("hybrid", seed % 2 == 0 ? c.mechanism : optimize(c.mechanism), c.x);
    for (const std::string_view method : names_of("hybrid")) {
      HybridDynamics<double> call(c.mechanism, method);
      Values qdd(c.x.q.size()), tau(c.x.q.size());
      const NoAlloc guard;
      call(c.x.q, c.x.qd, c.x.qdd, c.tau, qdd, tau);
      call(c.x.q, c.x.qd, c.x.qdd, c.tau, qdd, tau, c.wrenches);
    }
  }
}

TEST(Hybrid, PassiveJointsStayPassiveInEveryForm) {
  const Case c = case_of(7, 8);
  EXPECT_EQ(optimize(c.mechanism).passive.list(), c.mechanism.passive.list());
  EXPECT_EQ(c.mechanism.cast<float>().passive.list(), c.mechanism.passive.list());
  EXPECT_EQ(c.mechanism.cast<float>().has_passive, c.mechanism.has_passive);
  EXPECT_EQ(make_mechanism(c.robot, {.rigid = true}).passive.list(), c.mechanism.passive.list());
}

// --- no result ---

TEST(Hybrid, NamesThePassiveJointThatMovesNothing) {
  for (const std::uint64_t seed : test::seeds(4000, 4020)) {
    Case c = case_of(seed, 1 + static_cast<int>(seed % 8));
    add_massless_leaf(c.robot, seed);
    const std::size_t n = c.x.q.size() + 1;
    const Values zeros(n, 0.1);
    Values qdd(n), tau(n);
    for (const std::string_view method : names_of("hybrid")) {
      c.robot.joints.back().passive = true;
      HybridDynamics<double> passive(make_mechanism(c.robot), method);
      const std::string said = message_of<std::domain_error>([&] { passive(zeros, zeros, zeros, zeros, qdd, tau); });
      EXPECT_NE(said.find("joint 'the leaf': the inertia matrix is singular: nothing that this joint moves has mass"),
                std::string::npos)
          << label(seed, method) << ": " << said;
      c.robot.joints.back().passive = false;  // with a motor it does as it is told
      HybridDynamics<double>(make_mechanism(c.robot), method)(zeros, zeros, zeros, zeros, qdd, tau);
      EXPECT_EQ(qdd.back(), 0.1);
    }
  }
}

// Two passive joints on one axis, nothing between them: either can undo the other.
TEST(Hybrid, NamesThePassiveJointThatOthersUndo) {
  Robot robot = arm({{0, 0, 1}, {0, 0, 1}, {0, 0, 1}});
  robot.links[2].inertial = {};
  robot.joints[2].origin.p = {};
  robot.joints[1].passive = robot.joints[2].passive = true;
  const Values zeros(3, 0.0);
  Values qdd(3), tau(3);
  for (const std::string_view method : names_of("hybrid")) {
    HybridDynamics<double> hybrid(make_mechanism(robot), method);
    const std::string said = message_of<std::domain_error>([&] { hybrid(zeros, zeros, zeros, zeros, qdd, tau); });
    EXPECT_NE(said.find("joint 'joint2': the inertia matrix is singular here"), std::string::npos) << said;
  }
  robot.joints[1].passive = false;  // an active joint there undoes nothing
  for (const std::string_view method : names_of("hybrid"))
    HybridDynamics<double>(make_mechanism(robot), method)(zeros, zeros, zeros, zeros, qdd, tau);
}

TEST(Hybrid, PassesOnNoNumberThatIsNone) {
  Robot robot = arm({{0, 0, 1}, {0, 0, 1}});
  robot.joints[1].passive = true;
  const Values zeros(2, 0.0);
  Values qdd(2), tau(2);
  for (const std::string_view method : names_of("hybrid")) {
    HybridDynamics<double> hybrid(make_mechanism(robot), method);
    for (const std::size_t j : {0u, 1u}) {  // read or not
      Values bad = zeros;
      bad[j] = std::numeric_limits<double>::quiet_NaN();
      const std::string where = "[" + std::to_string(j) + "] is not a finite number";
      EXPECT_EQ(message_of<std::domain_error>([&] { hybrid(zeros, zeros, bad, zeros, qdd, tau); }), "qdd" + where);
      EXPECT_EQ(message_of<std::domain_error>([&] { hybrid(zeros, zeros, zeros, bad, qdd, tau); }), "tau" + where);
    }
    EXPECT_THROW(hybrid(zeros, zeros, zeros, zeros, qdd, std::span<double>(tau).first(1)), std::invalid_argument);
  }
}

// --- closed forms ---

Robot model(const std::string& name) { return load_robot(find_model(name)); }

// The printed numbers of the Pelican, alone and with the crucible on its passive third joint.
TEST(Hybrid, PelicanAndItsCrucible) {
  const State x{{0.4, 0.9, -1.2}, {0.7, -0.3, 0.5}, {1.0, -2.0, 0.5}};
  const Mechanism robot = make_mechanism(model("pelican_crucible"));
  ASSERT_EQ(robot.passive.list(), (std::vector<char>{0, 0, 1}));
  const auto get = [&](const Mechanism& of, const char* job, const State& at) {
    Call<double> call(of, job);
    Values out(call.size());
    call({.q = at.q, .qd = at.qd, .qdd = at.qdd}, out);
    return out;
  };
  const auto agrees = [](const Values& a, const Values& b) { return near(a, b, largest(b), relative(2e-11)); };
  const Values M{0.704960217341,  0.227887340072,  0.0838900755005, 0.227887340072, 0.141036742827,
                 0.0466319524246, 0.0838900755005, 0.0466319524246, 0.0325};
  const Values C{0.039228128944,   0.00354977588926, 0.0430873311713,
                 0.0538531152311,  0.0181747621764,  0.0327145719174,
                 -0.0226075113829, -0.0145398097411, 0.0};
  const Values g{15.2180271063, 2.26937010537, 1.46414862921}, tau{15.5570961043, 2.28710197397, 1.45956148481};
  EXPECT_TRUE(agrees(get(robot, "inertia", x), M));
  EXPECT_TRUE(agrees(get(robot, "coriolis", x), C));
  EXPECT_TRUE(agrees(get(robot, "gravity", x), g));
  EXPECT_TRUE(agrees(get(robot, "inverse", x), tau));
  const Mechanism alone = make_mechanism(model("pelican"));
  const State y{{0.4, 0.9}, {0.7, -0.3}, {1.0, -2.0}};
  EXPECT_TRUE(agrees(get(alone, "inertia", y), {0.35043839863, 0.0202444782916, 0.0202444782916, 0.012672837978}));
  EXPECT_TRUE(agrees(get(alone, "coriolis", y), {0.00286243942844, -0.00381658590459, 0.00667902533303, 0.0}));
  EXPECT_TRUE(agrees(get(alone, "gravity", y), {10.7223377935, 0.122938963875}));
  EXPECT_TRUE(agrees(get(alone, "inverse", y), {11.0354359189, 0.122513083943}));

  // No torque at the pivot: q̈_3 = -(M_31 q̈_1 + M_32 q̈_2 + (C q̇)_3 + g_3) / M_33, from the printed numbers.
  double b[3];
  for (std::size_t j = 0; j < 3; ++j)
    b[j] = g[j] + C[3 * j] * x.qd[0] + C[3 * j + 1] * x.qd[1] + C[3 * j + 2] * x.qd[2];
  const double swing = -(M[6] * x.qdd[0] + M[7] * x.qdd[1] + b[2]) / M[8];
  for (const std::string_view method : names_of("hybrid")) {
    Values qdd(3), torque(3);
    HybridDynamics<double>(robot, method).underactuated(x.q, x.qd, x.qdd, qdd, torque);
    EXPECT_NEAR(qdd[2], swing, 1e-9);
    for (std::size_t j = 0; j < 2; ++j)
      EXPECT_NEAR(torque[j], b[j] + M[3 * j] * x.qdd[0] + M[3 * j + 1] * x.qdd[1] + M[3 * j + 2] * swing, 1e-9);
    EXPECT_EQ(torque[2], 0.0);
  }
}

// A cart on a rail, a pole on a passive pivot: (m + M) ẍ + m l θ̈ cos θ - m l θ̇² sin θ = F, θ̈ = (g sin θ - ẍ cos θ)/l,
// θ from upright.
TEST(Hybrid, CartPole) {
  const double M = 2.0, m = 0.5, l = 0.7, g = 9.81;
  Robot robot;
  robot.add_link("rail");
  robot.add_link("cart", {M, {}, Sym3<double>::diagonal(0.1, 0.1, 0.1)});
  robot.add_link("pole", {m, {0.0, 0.0, l}, {}});
  JointDescription slide, pivot;
  slide.name = "slide", slide.type = JointType::prismatic, slide.axis = {1, 0, 0}, slide.parent = 0, slide.child = 1;
  pivot.name = "pivot", pivot.axis = {0, 1, 0}, pivot.parent = 1, pivot.child = 2, pivot.passive = true;
  robot.add_joint(slide), robot.add_joint(pivot);
  for (const std::string_view method : names_of("hybrid"))
    for (const double theta : {0.0, 0.4, -2.0}) {
      const double rate = 1.3, a = 0.8;
      Values qdd(2), tau(2);
      HybridDynamics<double>(make_mechanism(robot), method)
          .underactuated(Values{0.2, theta}, Values{-0.6, rate}, Values{a, 0.0}, qdd, tau);
      const double swing = (g * std::sin(theta) - a * std::cos(theta)) / l;
      EXPECT_NEAR(qdd[1], swing, 1e-13);
      EXPECT_NEAR(tau[0], (M + m) * a + m * l * (swing * std::cos(theta) - rate * rate * std::sin(theta)), 1e-13);
    }
}

// An acrobot: two rods, a motor at the elbow alone. Its equations written out, angles from the x axis.
TEST(Hybrid, Acrobot) {
  Robot robot = model("planar2r");
  robot.joints[0].passive = true;
  const Mechanism mechanism = make_mechanism(robot);
  const Values q{0.3, -0.8}, qd{0.5, 1.1};
  const double a = 0.9;
  const std::vector<std::vector<double>> M = oracle::lagrange::inertia_matrix(robot, q);
  const Values b = oracle::lagrange::inverse_dynamics(robot, q, qd, Values{0.0, 0.0});
  const double swing = -(b[0] + M[0][1] * a) / M[0][0];
  for (const std::string_view method : names_of("hybrid")) {
    Values qdd(2), tau(2);
    HybridDynamics<double>(mechanism, method).underactuated(q, qd, Values{0.0, a}, qdd, tau);
    EXPECT_NEAR(qdd[0], swing, 1e-12);
    EXPECT_NEAR(tau[1], b[1] + M[1][0] * swing + M[1][1] * a, 1e-12);
  }
}

}  // namespace
}  // namespace catena::test::hybrid_test

// Closed loops: every job against the constrained system with multipliers, on random trees with loops of every type;
// derivatives against differences.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "catena/batch.hpp"
#include "catena/call.hpp"
#include "catena/validate.hpp"
#include "coordinates/charts.hpp"
#include "model/free_base.hpp"
#include "support/allocations.hpp"
#include "support/loop_robots.hpp"
#include "support/nightly.hpp"
#include "support/same_results.hpp"
#include "support/tolerances.hpp"

namespace catena::test::closed_loops_test {
namespace {

constexpr LoopType all_types[] = {LoopType::revolute,  LoopType::prismatic, LoopType::cylindrical, LoopType::universal,
                                  LoopType::spherical, LoopType::planar,    LoopType::fixed};

Vector computed(const Mechanism& robot, std::string_view job, std::string_view method, const State& x,
                const Vector& tau = {}, const std::vector<ExternalWrench<double>>& wrenches = {}) {
  Call<double> call(robot, job, method);
  Vector out(call.size());
  call(with_others<double>({.q = x.q, .qd = x.qd, .qdd = x.qdd, .tau = tau, .wrenches = wrenches}, x.qdd), out);
  return out;
}

struct Case {
  LoopRobot loops;
  Mechanism robot;
  State x;                       // of the coordinates
  std::vector<int> independent;  // the tree's joint of each
};

// Positions of all joints.
Vector placed(const Case& c) {
  LoopStep<double> step(c.robot.coordinates, c.robot);
  const std::span<const double> q = step.place({.q = c.x.q}).q;
  return {q.begin(), q.end()};
}

// How far the dependent joints are from a place where the others do not move them, 0 to 1: results lose digits by it.
double regularity(const Case& c, std::span<const double> q) {
  const Closure<double>& closure = c.robot.coordinates.closure;
  Vector x;
  for (const TreeJoint joint : closure.movers) x.push_back(q[index(joint)]);
  double least = 1.0;
  for (const LoopCluster& loops : closure.clusters) {
    ClosedCluster<double> cluster(c.robot, closure, loops);
    std::size_t worst = 0;
    cluster.place(x);
    least = std::min(least, cluster.regularity(worst));
  }
  return least;
}

int rows_of_type(LoopType type) {
  return type == LoopType::fixed                                        ? 6
         : type == LoopType::revolute || type == LoopType::prismatic    ? 5
         : type == LoopType::cylindrical || type == LoopType::universal ? 4
                                                                        : 3;
}

// Each loop takes joints for its rows, and two to five are left.
Case case_of(std::uint64_t seed) {
  Random random(seed + 31'000'000);
  std::vector<LoopType> types;
  int joints = 2 + random.below(4);
  const int loops = 1 + static_cast<int>(seed % 4);
  for (int l = 0; l < loops; ++l) {
    types.push_back(l == 0 ? all_types[seed % 7] : all_types[random.below(7)]);
    joints += rows_of_type(types.back());
  }
  Case c;
  while (true) {
    c.loops = random_loops(
        random, {.joints = joints, .shape = Shape::tree, .massless_links = false, .drives = random.chance(0.5)}, types);
    c.loops.robot.closed.clear();
    if (!close_loops(c.loops.robot).empty()) continue;
    c.robot = make_mechanism(c.loops.robot);
    bool regular = true;  // else: too many rows for the joints between two links
    for (const LoopCluster& cluster : c.robot.coordinates.closure.clusters) {
      const int rows = static_cast<int>(std::count(cluster.kept.begin(), cluster.kept.end(), 1));
      regular = regular && cluster.redundant == 0 && rows == static_cast<int>(cluster.kept.size()) &&
                !cluster.independent.empty();
    }
    if (regular) break;
  }
  c.x = random_state(random, c.robot.nv());
  for (const Coordinate k : c.robot.coordinates.all()) c.independent.push_back(c.robot.coordinates.joints[k]);
  for (double away = 0.1; away > 1e-6; away *= 0.5) {  // as far as the loops close
    for (std::size_t k = 0; k < c.x.q.size(); ++k)
      c.x.q[k] = c.loops.q[index(c.independent[k])] + random.between(-away, away);
    try {
      LoopStep<double> step(c.robot.coordinates, c.robot);
      step.place({.q = c.x.q});
      double most = 0.0;  // where the coordinates hardly move the others, differences say little
      for (const TreeJoint j : c.robot.all_joints())
        for (int k = 0; k < c.robot.nv(); ++k) most = std::max(most, std::abs(step.entry(j, k)));
      return most < 20.0 && regularity(c, step.place({.q = c.x.q}).q) > 1e-3 ? c : case_of(seed + 1000);
    } catch (const std::domain_error&) {
    }
  }
  return case_of(seed + 1000);
}

TEST(ClosedLoops, DynamicsAreThoseOfMultipliers) {
  const auto robots = test::seeds(0, test::some_of<std::uint64_t>(300, 4));
  std::size_t moving = 0;
  for (const std::uint64_t seed : robots) {
    const Case c = case_of(seed);
    Multipliers exact(c.loops);
    const std::size_t n = exact.joints(), v = static_cast<std::size_t>(c.robot.nv());
    moving += v > 0;
    const Vector q = placed(c);
    EXPECT_LT(exact.gap(q), 1e-12) << seed;
    const Vector G = exact.G(q, c.independent), Gt = transposed(G, v);
    const Vector qd = times(G, c.x.qd, v), qdd = exact.accelerations(q, qd, c.independent, c.x.qdd);
    const Vector of_tree = exact.run("inverse", q, qd, qdd), tau = times(Gt, of_tree, n);
    const double scale = (1.0 + largest(G)) * largest(of_tree);  // of the terms that make up a torque
    // Nearly singular places lose digits: 1e-10 holds for all but one robot, which needs 2.2e-10 with fused products.
    EXPECT_TRUE(near(computed(c.robot, "inverse", "", c.x), tau, scale, relative(4e-10))) << seed;
    EXPECT_TRUE(near(computed(c.robot, "inertia", "", c.x), times(times(Gt, exact.run("inertia", q), n), G, n),
                     relative(1e-10)))
        << seed;
    Vector torques(n);
    for (std::size_t k = 0; k < v; ++k) torques[index(c.independent[k])] = tau[k];
    const Vector found = exact.forward(q, qd, torques);
    for (std::size_t k = 0; k < v; ++k)
      EXPECT_NEAR(found[index(c.independent[k])], c.x.qdd[k], 1e-6 * (1 + std::abs(c.x.qdd[k]))) << seed;
    for (const char* method : {"composite-ldlt", "articulated-body"})
      EXPECT_TRUE(near(computed(c.robot, "forward", method, c.x, tau), c.x.qdd, relative(1e-7))) << seed << method;
  }
  EXPECT_GT(moving, robots.size() * 5 / 6);
}

Vector part_of(const Vector& all, std::size_t from, std::size_t size) {
  const auto first = all.begin() + static_cast<std::ptrdiff_t>(from);
  return {first, first + static_cast<std::ptrdiff_t>(size)};
}

// What is read off the tree, by G and g of the multipliers' system.
TEST(ClosedLoops, OtherJobsAreTheTrees) {
  for (const std::uint64_t seed : test::seeds(0, 60)) {
    const Case c = case_of(seed);
    Multipliers exact(c.loops);
    const std::size_t n = exact.joints(), v = static_cast<std::size_t>(c.robot.nv());
    const Vector q = placed(c), G = exact.G(q, c.independent), Gt = transposed(G, v), qd = times(G, c.x.qd, v);
    const Vector g = exact.accelerations(q, qd, c.independent, Vector(v));
    const auto check = [&](const char* job, const Vector& expected) {
      EXPECT_TRUE(near(computed(c.robot, job, "", c.x), expected, 1.0 + largest(expected), relative(1e-10)))
          << seed << " " << job;
    };
    check("place", q);
    check("energy", exact.run("energy", q, qd));
    check("momentum", exact.run("momentum", q, qd));
    check("pose", exact.run("pose", q));
    check("gravity", times(Gt, exact.run("gravity", q), n));
    check("bias", times(Gt, exact.run("inverse", q, qd, g), n));
    check("jacobian", times(exact.run("jacobian", q), G, n));
    check("drift", combined(1.0, exact.run("drift", q, qd), 1.0, times(exact.run("jacobian", q), g, n)));
    const Vector qdd = exact.accelerations(q, qd, c.independent, c.x.qdd);
    check("regressor", times(Gt, exact.run("regressor", q, qd, qdd), n));
    const Vector A = computed(c.robot, "centroidal", "", c.x), of_tree = exact.run("centroidal", q);
    EXPECT_TRUE(near(part_of(A, 0, 6 * v), times(part_of(of_tree, 0, 6 * n), G, n), relative(1e-10))) << seed;
  }
}

// C v is what rates add to the torques of a frictionless robot, and Ṁ - 2C is skew.
TEST(ClosedLoops, CoriolisMatrixKeepsItsSkewness) {
  for (const std::uint64_t seed : test::seeds(0, 60)) {
    Case c = case_of(seed);
    for (auto& drive : c.robot.drives) drive.viscous = drive.coulomb = drive.stribeck = 0.0;
    const std::size_t n = static_cast<std::size_t>(c.robot.nv());
    const Vector C = computed(c.robot, "coriolis", "", c.x);
    EXPECT_TRUE(near(combined(1.0, times(C, c.x.qd, n), 1.0, computed(c.robot, "gravity", "", c.x)),
                     computed(c.robot, "bias", "", c.x), relative(1e-9)))
        << seed;
    Vector rate(n * n);
    const double weights[] = {0.75, -0.15, 1.0 / 60.0}, h = 1e-4;
    for (int k = 1; k <= 3; ++k)
      for (const double side : {1.0, -1.0}) {
        State x = c.x;
        x.q = combined(1.0, c.x.q, side * k * h, c.x.qd);
        rate = combined(1.0, rate, side * weights[k - 1] / h, computed(c.robot, "inertia", "", x));
      }
    const Vector N = combined(1.0, rate, -2.0, C);
    EXPECT_TRUE(near(N, combined(-1.0, transposed(N, n), 0.0, N), 1.0 + largest(rate), relative(1e-6))) << seed;
  }
}

// ∂q̈/∂q, ∂q̈/∂q̇ and ∂q̈/∂τ, and hybrid dynamics where the first coordinate has no motor.
TEST(ClosedLoops, SolutionsAgreeWithInverseDynamics) {
  for (const std::uint64_t seed : test::seeds(0, 40)) {
    Case c = case_of(seed);
    const std::size_t n = static_cast<std::size_t>(c.robot.nv());
    const Vector tau = computed(c.robot, "inverse", "", c.x), DVP = computed(c.robot, "linearize", "", c.x);
    const Vector response = computed(c.robot, "response", "", c.x, tau);
    const Vector D = part_of(DVP, 0, n * n);
    for (const std::size_t k : {0UL, 1UL}) {  // ∂q̈/∂q and P, ∂q̈/∂q̇ and V
      const Vector by_torque = part_of(DVP, (2 - k) * n * n, n * n);
      EXPECT_TRUE(near(times(D, part_of(response, k * n * n, n * n), n), combined(-1.0, by_torque, 0.0, D),
                       1.0 + largest(by_torque), relative(1e-7)))
          << seed << " " << k;
    }
    c.robot.passive[c.robot.coordinates.joints[Coordinate(0)]] = 1;
    c.robot.has_passive = true;
    const Vector both = computed(c.robot, "hybrid", "", c.x, tau);
    EXPECT_TRUE(near(part_of(both, 0, n), c.x.qdd, relative(1e-7))) << seed;
    EXPECT_TRUE(near(part_of(both, n, n), tau, relative(1e-7))) << seed;
  }
}

// Forces of the loops, put on the open tree as wrenches, leave the torques of the motors.
TEST(ClosedLoops, LoopForcesHoldTheOpenTree) {
  for (const std::uint64_t seed : test::seeds(0, 60)) {
    Case c = case_of(seed);
    for (Robot* robot : {&c.loops.tree, &c.loops.robot})  // what cannot move has a rate of either sign, by rounding
      for (JointDescription& joint : robot->joints) joint.drive.coulomb = joint.drive.stribeck = 0.0;
    c.robot = make_mechanism(c.loops.robot);
    Multipliers exact(c.loops);
    const std::size_t n = exact.joints(), v = static_cast<std::size_t>(c.robot.nv());
    const Vector q = placed(c), qd = times(exact.G(q, c.independent), c.x.qd, v);
    const Vector qdd = exact.accelerations(q, qd, c.independent, c.x.qdd);
    ExternalWrench<double> push{c.robot.tool, {3.0, -2.0, 5.0}, {0.4, 0.7, -0.2}, Axes::world};
    const Vector forces = computed(c.robot, "loop_forces", "", c.x, {}, {push});
    Call<double> inverse(exact.tree, "inverse"), pose(exact.tree, "pose");
    std::vector<ExternalWrench<double>> wrenches{push};
    for (std::size_t l = 0; l < c.loops.frames.size(); ++l) {
      const double* at = &forces[6 * l];
      const int first = exact.tree.frame_index(c.loops.frames[l][0]),
                second = exact.tree.frame_index(c.loops.frames[l][1]);
      Vector A(16), B(16);
      pose({.q = q, .frame = first}, A), pose({.q = q, .frame = second}, B);
      const auto turned = [&](const double* w) {
        return Vec3<double>{A[0] * w[0] + A[1] * w[1] + A[2] * w[2], A[4] * w[0] + A[5] * w[1] + A[6] * w[2],
                            A[8] * w[0] + A[9] * w[1] + A[10] * w[2]};
      };
      const Vec3<double> force = turned(at), moment = turned(at + 3);
      const Vec3<double> arm{A[3] - B[3], A[7] - B[7], A[11] - B[11]};  // from B to A
      wrenches.push_back({first, -force, -moment, Axes::world});
      wrenches.push_back({second, force, moment + cross(arm, force), Axes::world});
    }
    Vector left(n), expected(n);
    inverse({.q = q, .qd = qd, .qdd = qdd, .wrenches = wrenches}, left);
    const Vector tau = computed(c.robot, "inverse", "", c.x, {}, {push});
    for (std::size_t k = 0; k < v; ++k) expected[index(c.independent[k])] = tau[k];
    EXPECT_TRUE(near(left, expected, 1.0 + *std::max_element(forces.begin(), forces.end()), relative(1e-7))) << seed;
  }
}

TEST(ClosedLoops, CallsAllocateNothing) {
  const Case c = case_of(3);
  const Vector tau(static_cast<std::size_t>(c.robot.nv()), 0.5);
  for (const JobInfo& job : jobs()) {
    Call<double> call(c.robot, job.name);
    Vector out(call.size());
    State x = c.x;
    const auto once = [&] { call(with_others<double>({.q = x.q, .qd = x.qd, .qdd = x.qdd, .tau = tau}, x.qdd), out); };
    const NoAlloc guard;
    for (int k = 0; k < 3; ++k, x.q[0] += 1e-3) once();
  }
}

// On a free base at rest, and on six real joints in its place.
TEST(ClosedLoops, StandOnAnyBase) {
  for (const std::uint64_t seed : test::seeds(0, 40)) {
    Case c = case_of(seed);
    Random random(seed);
    c.loops.robot.links[static_cast<std::size_t>(c.loops.robot.root())].inertial = random_inertial(random);
    const Robot free = on_free_base(c.loops.robot);
    const Mechanism robot = make_mechanism(free);
    ASSERT_EQ(robot.nv(), c.robot.nv() + base_joints);
    State x = random_state(random, robot.nv());
    x.q.assign(index(robot.nq()), 0.0);
    x.q[6] = 1.0;
    std::copy(c.x.q.begin(), c.x.q.end(), x.q.begin() + 7);
    const Vector tau = computed(robot, "inverse", "", x);
    for (const char* method : {"composite-ldlt", "articulated-body"})
      EXPECT_TRUE(near(computed(robot, "forward", method, x, tau), x.qdd, relative(1e-6))) << seed << method;
    const Mechanism carried = on_moving_base(c.robot);
    const Vector base{0.3, -0.2, 0.1, 0.5, 0.4, -0.6, 1.0, -2.0, 0.5, 0.7, -0.3, 0.2};
    Call<double> inverse(carried, "inverse"), forward(carried, "forward", "articulated-body"),
        dense(carried, "forward", "composite-ldlt");
    Vector needed(index(carried.nv())), qdd(needed), again(needed);
    inverse({.q = c.x.q, .qd = c.x.qd, .qdd = c.x.qdd, .base = base}, needed);
    forward({.q = c.x.q, .qd = c.x.qd, .tau = needed, .base = base}, qdd);
    dense({.q = c.x.q, .qd = c.x.qd, .tau = needed, .base = base}, again);
    EXPECT_TRUE(near(qdd, c.x.qdd, relative(1e-6))) << seed;
    EXPECT_TRUE(near(again, c.x.qdd, relative(1e-6))) << seed;
    // The free base moves as the moving one is told.
    std::copy(base.begin(), base.begin() + 6, x.qd.begin());
    std::copy(base.begin() + 6, base.end(), x.qdd.begin());
    std::copy(c.x.qd.begin(), c.x.qd.end(), x.qd.begin() + 6);
    std::copy(c.x.qdd.begin(), c.x.qdd.end(), x.qdd.begin() + 6);
    const Vector both = computed(robot, "inverse", "", x);
    EXPECT_TRUE(near(part_of(both, 6, needed.size()), needed, relative(1e-8))) << seed;
  }
}

// In lanes, in single precision, and with q of every joint.
TEST(ClosedLoops, OtherScalarsAgree) {
  for (const std::uint64_t seed : test::seeds(0, 20)) {
    const Case c = case_of(seed);
    const Vector tau = computed(c.robot, "inverse", "", c.x), q = placed(c);
    State all = c.x;
    all.q = q;
    EXPECT_TRUE(near(computed(with_all_positions(c.robot), "inverse", "", all), tau, relative(1e-10))) << seed;
    Batch<double> batch(c.robot, {{"inverse"}}, {.engine = BatchEngine::generic, .threads = 1});
    constexpr std::size_t states = 9;
    std::vector<Vector> in(3, Vector()), out(1, Vector(states * tau.size()));
    for (std::size_t k = 0; k < states; ++k)
      for (std::size_t a = 0; a < 3; ++a) {
        const Vector& own = a == 0 ? c.x.q : a == 1 ? c.x.qd : c.x.qdd;
        in[a].insert(in[a].end(), own.begin(), own.end());
      }
    const auto of = [&](const Vector& own) { return states_in_rows<const double>(own.data(), tau.size()); };
    batch.run(states, {.q = of(in[0]), .qd = of(in[1]), .qdd = of(in[2])},
              std::vector<StateArray<double>>{states_in_rows(out[0].data(), tau.size())});
    for (std::size_t k = 0; k < states; ++k)
      EXPECT_TRUE(near(part_of(out[0], k * tau.size(), tau.size()), tau, relative(1e-9))) << seed;
  }
}

// D, V, P by differences of inverse dynamics.
TEST(ClosedLoops, DerivativesAreThoseOfTorques) {
  for (const std::uint64_t seed : test::seeds(0, 60)) {
    const Case c = case_of(seed);
    const std::size_t n = static_cast<std::size_t>(c.robot.nv());
    const Vector found = computed(c.robot, "linearize", "", c.x);
    Call<double> inverse(c.robot, "inverse");
    Vector expected(3 * n * n);
    const double weights[] = {0.75, -0.15, 1.0 / 60.0}, h = 1e-4;
    for (int which = 0; which < 3; ++which)
      for (std::size_t j = 0; j < n; ++j)
        for (int k = 1; k <= 3; ++k)
          for (const double side : {1.0, -1.0}) {
            State x = c.x;
            (which == 0 ? x.qdd : which == 1 ? x.qd : x.q)[j] += side * k * h;
            Vector tau(n);
            inverse({.q = x.q, .qd = x.qd, .qdd = x.qdd}, tau);
            for (std::size_t i = 0; i < n; ++i)
              expected[static_cast<std::size_t>(which) * n * n + i * n + j] += side * weights[k - 1] / h * tau[i];
          }
    EXPECT_TRUE(near(found, expected, relative(1e-5))) << seed;
  }
}

// A pin on the axis of the joint that it repeats ties nothing, also where it is beside that axis by rounding.
TEST(ClosedLoops, APinOnAJointsOwnAxisHoldsNothing) {
  for (const double beside : {0.0, 1e-16}) {
    SCOPED_TRACE(beside);
    Robot robot;
    int last = robot.add_link("ground");
    for (const char* name : {"upper", "lower"}) {
      JointDescription joint;
      joint.name = std::string(name) + " joint";
      joint.parent = last;
      joint.origin.p = {0.5, 0.0, 0.0};
      joint.child = last = robot.add_link(name, {1.0, {0.2, 0.0, 0.0}, Sym3<double>::diagonal(0.01, 0.1, 0.1)});
      robot.add_joint(joint);
    }
    const Mechanism open = make_mechanism(robot);
    robot.add_frame("socket", last - 1, {Mat3<double>::identity(), {0.5, 0.0, 1.0}});
    robot.add_frame("pin", last, {Mat3<double>::identity(), {beside, 0.0, 1.0}});
    robot.loops.push_back({"hinge", LoopType::revolute, {"socket", "pin"}});
    const Mechanism pinned = make_mechanism(robot);
    ASSERT_EQ(pinned.nv(), 2);
    const auto any = [](const JobInfo&, const OutputInfo&) { return true; };
    const State x{{0.3, -0.8}, {-1.2, 0.5}, {0.7, 2.0}};
    EXPECT_GT(expect_same_results<double>(pinned, x, open, x, 1e-10, any), 50);
  }
}

}  // namespace
}  // namespace catena::test::closed_loops_test

// Closed loops: every job against the constrained system with multipliers, on random trees with loops of every type;
// derivatives against differences.
#include <gtest/gtest.h>

#include <cmath>

#include "catena/call.hpp"
#include "catena/validate.hpp"
#include "coordinates/charts.hpp"
#include "support/loop_robots.hpp"
#include "support/tolerances.hpp"

namespace catena::test {
namespace {

constexpr LoopType all_types[] = {LoopType::revolute,  LoopType::prismatic, LoopType::cylindrical, LoopType::universal,
                                  LoopType::spherical, LoopType::planar,    LoopType::fixed};

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
    c.loops = random_loops(random, {.joints = joints, .shape = Shape::tree, .massless_links = false, .drives = random.chance(0.5)}, types);
    c.loops.robot.closed.clear();
    if (!close_loops(c.loops.robot).empty()) continue;
    c.robot = make_mechanism(c.loops.robot);
    bool regular = true;  // else: too many rows for the joints between two links
    for (const LoopCluster& cluster : c.robot.coordinates.closure.clusters) {
      const int rows = static_cast<int>(std::count(cluster.kept.begin(), cluster.kept.end(), 1));
      regular = regular && cluster.redundant == 0 && rows == static_cast<int>(cluster.kept.size()) && !cluster.independent.empty();
    }
    if (regular) break;
  }
  c.x = random_state(random, c.robot.nv());
  for (const Coordinate k : c.robot.coordinates.all()) c.independent.push_back(c.robot.coordinates.joints[k]);
  for (double away = 0.1; away > 1e-6; away *= 0.5) {  // as far as the loops close
    for (std::size_t k = 0; k < c.x.q.size(); ++k)
      c.x.q[k] = c.loops.q[index(c.independent[k])] + random.between(-away, away);
    try {
      placed(c);
      return c;
    } catch (const std::domain_error&) {
    }
  }
  return c;
}

Vector run(const Mechanism& robot, std::string_view job, std::string_view method, const State& x,
           const Vector& tau = {}, int frame = tool_frame) {
  Call<double> call(robot, job, method);
  Vector out(call.size());
  call({.q = x.q, .qd = x.qd, .qdd = x.qdd, .tau = tau, .frame = frame}, out);
  return out;
}
TEST(ClosedLoops, DynamicsAreThoseOfMultipliers) {
  int moving = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const Case c = case_of(seed);
    Multipliers exact(c.loops);
    const std::size_t n = exact.joints(), v = static_cast<std::size_t>(c.robot.nv());
    moving += v > 0;
    const Vector q = placed(c);
    EXPECT_LT(exact.gap(q), 1e-12) << seed;
    const Vector G = exact.G(q, c.independent), Gt = transposed(G, v);
    const Vector qd = times(G, c.x.qd, v), qdd = exact.accelerations(q, qd, c.independent, c.x.qdd);
    const Vector tau = times(Gt, exact.run("inverse", q, qd, qdd), n);
    EXPECT_TRUE(near(run(c.robot, "inverse", "", c.x), tau, relative(1e-9))) << seed;
    EXPECT_TRUE(near(run(c.robot, "inertia", "", c.x), times(times(Gt, exact.run("inertia", q), n), G, n), relative(1e-9))) << seed;
    Vector torques(n);
    for (std::size_t k = 0; k < v; ++k) torques[index(c.independent[k])] = tau[k];
    const Vector found = exact.forward(q, qd, torques);
    for (std::size_t k = 0; k < v; ++k) EXPECT_NEAR(found[index(c.independent[k])], c.x.qdd[k], 1e-6 * (1 + std::abs(c.x.qdd[k]))) << seed;
    for (const char* method : {"composite-ldlt", "articulated-body"})
      EXPECT_TRUE(near(run(c.robot, "forward", method, c.x, tau), c.x.qdd, relative(1e-7))) << seed << method;
  }
  EXPECT_GT(moving, 250);
}

// D, V, P by differences of inverse dynamics.
TEST(ClosedLoops, DerivativesAreThoseOfTorques) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const Case c = case_of(seed);
    const std::size_t n = static_cast<std::size_t>(c.robot.nv());
    const Vector found = run(c.robot, "linearize", "", c.x);
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

}  // namespace
}  // namespace catena::test

// The inverse of the inertia matrix, against the matrix of an oracle and against forward dynamics; and of robots with
// charts, against their own inertia matrix.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <utility>

#include "catena/call.hpp"
#include "model/free_base.hpp"
#include "oracle/newton_world.hpp"
#include "support/factor_robots.hpp"
#include "support/formulations.hpp"
#include "support/inertia_matrices.hpp"
#include "support/nightly.hpp"
#include "support/random_robot.hpp"
#include "support/tolerances.hpp"

namespace catena::test::inverse_inertia_test {
namespace {

Values inverse_by(const Mechanism& robot, std::string_view formulation, const Values& q) {
  Call<double> call(robot, "inverse_inertia", formulation);
  Values out(call.size());
  call({.q = q}, out);
  return out;
}
std::string label(std::uint64_t seed, std::string_view method) {
  return "robot " + std::to_string(seed) + ", " + std::string(method);
}
// The largest entry of M X - 1, where X is scaled so that both have ones on the diagonal of M.
double distance_from_one(const Values& M, const Values& X, std::size_t n) {
  double largest = 0.0;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      double sum = i == j ? -1.0 : 0.0;
      for (std::size_t k = 0; k < n; ++k) sum += M[i * n + k] * X[k * n + j];
      largest = std::max(largest, std::abs(sum) * std::sqrt(M[j * n + j] / M[i * n + i]));
    }
  return largest;
}

TEST(InverseInertia, TimesTheOraclesMatrixIsOne) {
  for (const std::uint64_t seed : test::seeds(0, 400)) {
    const auto [robot, mechanism, x] = regular(seed, 1 + static_cast<int>(seed % 10 == 0 ? 48 : seed % 24));
    const Values M = flat(oracle::inertia_matrix(robot, x.q));
    for (const FormulationInfo& method : formulations("inverse_inertia"))
      EXPECT_LT(distance_from_one(M, inverse_by(mechanism, method.name, x.q), x.q.size()), 1e-9)
          << label(seed, method.name);
  }
}

TEST(InverseInertia, ColumnsAreAccelerationsForUnitTorques) {
  for (const std::uint64_t seed : test::seeds(1000, 1100)) {
    const auto [robot, mechanism, x] = regular(seed, 1 + static_cast<int>(seed % 19));
    const std::size_t n = x.q.size();
    Call<double> forward(mechanism, "forward", "denoc");
    const Values inverse = inverse_by(mechanism, {}, x.q);
    Values tau(n, 0.0), at_rest(n), pushed(n);
    forward({.q = x.q, .qd = x.qd, .tau = tau}, at_rest);
    for (std::size_t j = 0; j < n; ++j) {
      tau[j] = 1.0;
      forward({.q = x.q, .qd = x.qd, .tau = tau}, pushed);
      tau[j] = 0.0;
      Values column(n), difference(n);
      double scale = 0.0;
      for (std::size_t i = 0; i < n; ++i) {
        column[i] = inverse[i * n + j], difference[i] = pushed[i] - at_rest[i];
        scale = std::max({scale, std::abs(pushed[i]), std::abs(at_rest[i])});
      }
      for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(column[i], difference[i], 1e-9 * scale) << seed;
    }
  }
}

TEST(InverseInertia, OfFreeAndCoupledRobotsIsThatOfTheirMatrix) {
  for (const std::uint64_t seed : test::seeds(2000, 2060)) {
    Random random(seed);
    const int joints = 2 + static_cast<int>(seed % 14);
    Robot robot = random_robot(random, {.joints = joints,
                                        .shape = random.chance(0.5) ? Shape::chain : Shape::tree,
                                        .massless_links = false,
                                        .drives = seed % 2 == 0});
    if (seed % 3 != 0) couple_some(random, robot);
    const bool free = seed % 3 != 1;
    robot.links[std::size_t(robot.root())].inertial = random_inertial(random);
    const Mechanism mechanism = make_mechanism(free ? on_free_base(std::move(robot)) : robot);
    State state = random_state(random, mechanism);
    if (free) {  // a quaternion in the place of three angles
      state.q.insert(state.q.begin() + 3, 0.0);
      const double half_turn[] = {0.5, -0.5, 0.5, 0.5};
      std::copy(std::begin(half_turn), std::end(half_turn), state.q.begin() + 3);
    }
    const std::size_t n = index(mechanism.nv());
    Values M(n * n);
    Call<double>(mechanism, "inertia")({.q = state.q}, M);
    EXPECT_LT(distance_from_one(M, inverse_by(mechanism, {}, state.q), n), 1e-9) << "robot " << seed;
  }
}

}  // namespace
}  // namespace catena::test::inverse_inertia_test

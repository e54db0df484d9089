// Coriolis matrices and bias vectors in tests: on any scalar, or through the calls.
#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "catena/dynamics.hpp"
#include "support/random_robot.hpp"
#include "support/runners.hpp"
#include "support/tolerances.hpp"

namespace catena::test {

// C and b of a formulation on scalar S; b with friction.
template <class S>
std::vector<S> coriolis_by(std::string_view formulation, const MechanismFor<S>& robot, const std::vector<S>& q,
                           const std::vector<S>& qd) {
  return run_on<S>("coriolis", formulation, robot, {.q = q, .qd = qd});
}
template <class S>
std::vector<S> bias_by(std::string_view formulation, const MechanismFor<S>& robot, const std::vector<S>& q,
                       const std::vector<S>& qd) {
  return run_on<S>("bias", formulation, robot, {.q = q, .qd = qd});
}

// Through the public calls, by name; the empty name is the default, on the optimized mechanism.
inline Values coriolis_by(const Mechanism& robot, std::string_view method, const State& x) {
  Values C(x.q.size() * x.q.size());
  CoriolisMatrix<double>(robot, method)(x.q, x.qd, C);
  return C;
}
inline Values bias_by(const Mechanism& robot, std::string_view method, const State& x) {
  Values b(x.q.size());
  BiasVector<double>(robot, method)(x.q, x.qd, b);
  return b;
}

// For every pair (j, k) of joints, row by row: whether joint j is joint k or carries it.
inline std::vector<bool> carries(const Mechanism& robot) {
  std::vector<bool> out(robot.links.size() * robot.links.size(), false);
  for (const auto& link : robot.links) {
    out[index(link.q) * robot.links.size() + index(link.q)] = true;
    for (int m = link.parent; m != base_link; m = robot.link(m).parent)
      out[index(robot.link(m).q) * robot.links.size() + index(link.q)] = true;
  }
  return out;
}

// A x, A row by row.
inline Values product(const Values& A, const Values& x) {
  Values y(A.size() / x.size(), 0.0);
  for (std::size_t j = 0; j < y.size(); ++j)
    for (std::size_t k = 0; k < x.size(); ++k) y[j] += A[j * x.size() + k] * x[k];
  return y;
}

}  // namespace catena::test

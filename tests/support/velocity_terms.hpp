// Coriolis matrices and bias vectors in tests: by type, on any scalar, or by name.
#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "catena/dynamics/matrices.hpp"
#include "catena/dynamics/registry.hpp"
#include "support/allocations.hpp"
#include "support/random_robot.hpp"
#include "support/tolerances.hpp"

namespace catena::test {

// C of formulation F on scalar S, row by row.
template <class F, class S>
std::vector<S> coriolis_by(const MechanismFor<S>& robot, const std::vector<S>& q,
                           const std::vector<S>& qd, typename F::template Workspace<S>& workspace) {
  std::vector<S> C(q.size() * q.size(), S(ConstantOf<S>(-1)));  // what is not written would show
  F::template run<S>(robot, q, qd, workspace, MatrixView<S>{C, robot.n()});
  return C;
}
template <class F, class S>
std::vector<S> coriolis_by(const MechanismFor<S>& robot, const std::vector<S>& q,
                           const std::vector<S>& qd) {
  typename F::template Workspace<S> workspace(robot);
  return coriolis_by<F, S>(robot, q, qd, workspace);
}

// b of formulation F on scalar S, rigid links only.
template <class F, class S>
std::vector<S> bias_by(const MechanismFor<S>& robot, const std::vector<S>& q, const std::vector<S>& qd,
                       typename F::template Workspace<S>& workspace) {
  std::vector<S> b(q.size(), S(ConstantOf<S>(-1)));
  F::template run<S>(robot, q, qd, workspace, b);
  return b;
}
template <class F, class S>
std::vector<S> bias_by(const MechanismFor<S>& robot, const std::vector<S>& q, const std::vector<S>& qd) {
  typename F::template Workspace<S> workspace(robot);
  return bias_by<F, S>(robot, q, qd, workspace);
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

// A workspace full of garbage, or of another state's numbers, gives what a fresh one gives, on random robots.
// compute(formulation, mechanism, q, q̇[, workspace])
template <class Formulations, class Compute>
void expect_nothing_left_over(Compute compute) {
  for (std::uint64_t seed = 5000; seed < 5060; ++seed) {
    const auto [robot, x] = sample(seed, 1 + static_cast<int>(seed % 12));
    const Mechanism mechanism = make_mechanism(robot);
    const Values nan(x.q.size(), std::numeric_limits<double>::quiet_NaN());
    Formulations::for_each([&, &x = x](auto formulation) {
      using F = decltype(formulation);
      SCOPED_TRACE("robot " + std::to_string(seed) + ", " + std::string(F::info.name));
      const Values fresh = compute(formulation, mechanism, x.q, x.qd);
      AllocationRecord record;
      typename F::template Workspace<double> workspace(mechanism);
      record.stop();
      EXPECT_GT(record.poison(), sizeof(double) * x.q.size());
      EXPECT_EQ(compute(formulation, mechanism, x.q, x.qd, workspace), fresh);
      compute(formulation, mechanism, nan, nan, workspace);
      EXPECT_EQ(compute(formulation, mechanism, x.q, x.qd, workspace), fresh);
    });
  }
}

// For every pair (j, k) of joints, row by row: whether joint j is joint k or carries it.
inline std::vector<bool> carries(const Mechanism& robot) {
  std::vector<bool> out(robot.links.size() * robot.links.size(), false);
  for (const auto& link : robot.links) {
    out[index(link.q) * robot.links.size() + index(link.q)] = true;
    for (int m = link.parent; m != base; m = robot.link(m).parent)
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

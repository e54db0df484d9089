// Inertia matrices in tests: by type, on any scalar, or by name. Row by row in one vector.
#pragma once

#include <string_view>
#include <vector>

#include "catena/dynamics/matrices.hpp"
#include "catena/dynamics/registry.hpp"
#include "support/tolerances.hpp"

namespace catena::test {

// M of formulation F on scalar S, rigid links only, row by row.
template <class F, class S>
std::vector<S> matrix_by(const MechanismFor<S>& robot, const std::vector<S>& q,
                         typename F::template Workspace<S>& workspace) {
  std::vector<S> M(q.size() * q.size(), S(ConstantOf<S>(-1)));  // what is not written would show
  F::template run<S>(robot, q, workspace, MatrixView<S>{M, robot.n()});
  return M;
}
template <class F, class S>
std::vector<S> matrix_by(const MechanismFor<S>& robot, const std::vector<S>& q) {
  typename F::template Workspace<S> workspace(robot);
  return matrix_by<F, S>(robot, q, workspace);
}

// Through the public call, by name; rotors included.
inline Values matrix_by(const Mechanism& robot, std::string_view method, const Values& q) {
  Values M(q.size() * q.size());
  InertiaMatrix<double>(robot, method)(q, M);
  return M;
}

inline Values flat(const std::vector<Values>& rows) {
  Values values;
  for (const auto& row : rows) values.insert(values.end(), row.begin(), row.end());
  return values;
}

}  // namespace catena::test

// Inertia matrices in tests: on any scalar, or through the call. Row by row in one vector.
#pragma once

#include <string_view>
#include <vector>

#include "catena/dynamics.hpp"
#include "support/runners.hpp"
#include "support/tolerances.hpp"

namespace catena::test {

// M of a formulation on scalar S, rotors included.
template <class S>
std::vector<S> matrix_by(std::string_view formulation, const MechanismFor<S>& robot, const std::vector<S>& q) {
  return run_on<S>("inertia", formulation, robot, {.q = q});
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

// Forward dynamics in tests, through the public call, by name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "catena/dynamics.hpp"
#include "support/formulations.hpp"
#include "support/tolerances.hpp"

namespace catena::test {

inline std::vector<std::string_view> forward_methods() { return names_of("forward"); }

inline std::string forward_label(std::uint64_t seed, std::string_view method) {
  return "robot " + std::to_string(seed) + ", " + (method.empty() ? "default" : std::string(method));
}

using Wrenches = std::vector<ExternalWrench<double>>;

inline Values accelerations(const Mechanism& robot, std::string_view method, const State& x, const Values& tau,
                            const Wrenches& wrenches = {}) {
  Values qdd(x.q.size());
  ForwardDynamics<double>(robot, method)(x.q, x.qd, tau, qdd, wrenches);
  return qdd;
}

}  // namespace catena::test

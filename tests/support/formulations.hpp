// Inverse dynamics in tests, and wrenches.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "catena/dynamics.hpp"
#include "oracle/newton_world.hpp"
#include "support/random_robot.hpp"
#include "support/runners.hpp"

namespace catena::test {

// τ of a formulation on scalar S, rigid links and drives.
template <class S>
std::vector<S> torques(std::string_view formulation, const MechanismFor<S>& robot, const std::vector<S>& q,
                       const std::vector<S>& qd, const std::vector<S>& qdd) {
  return run_on<S>("inverse", formulation, robot, {.q = q, .qd = qd, .qdd = qdd});
}

inline std::vector<std::string_view> inverse_methods() { return names_of("inverse"); }

// Through the public call, by name.
inline std::vector<double> torques(const Mechanism& robot, std::string_view method, const State& x,
                                   std::span<const ExternalWrench<double>> wrenches = {}) {
  std::vector<double> tau(x.q.size());
  InverseDynamics<double>(robot, method)(x.q, x.qd, x.qdd, tau, wrenches);
  return tau;
}

inline std::vector<ExternalWrench<double>> random_wrenches(Random& random, const Robot& robot, int count) {
  std::vector<ExternalWrench<double>> wrenches;
  const int frames = static_cast<int>(robot.links.size() + robot.frames.size());
  for (int k = 0; k < count; ++k)
    wrenches.push_back({random.below(frames), random.vector(30.0), random.vector(10.0),
                        random.chance(0.5) ? Axes::frame : Axes::world});
  return wrenches;
}

inline std::vector<oracle::Push> as_pushes(const std::vector<ExternalWrench<double>>& wrenches) {
  std::vector<oracle::Push> pushes;
  for (const auto& w : wrenches)
    pushes.push_back(
        {w.frame, {w.force.x, w.force.y, w.force.z}, {w.moment.x, w.moment.y, w.moment.z}, w.axes == Axes::world});
  return pushes;
}

}  // namespace catena::test

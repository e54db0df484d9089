// Running formulations in tests: by type, on any scalar, with a workspace of the caller's or a fresh one.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "catena/dynamics/inverse_dynamics.hpp"
#include "catena/dynamics/registry.hpp"
#include "oracle/newton_world.hpp"
#include "support/random_robot.hpp"

namespace catena::test {

template <class S>
std::vector<S> as(const std::vector<double>& values) {
  std::vector<S> out;
  for (const double v : values) out.push_back(S(static_cast<ConstantOf<S>>(v)));
  return out;
}

// τ of formulation F on scalar S, rigid links and drives.
template <class F, class S>
std::vector<S> torques(const MechanismFor<S>& robot, const std::vector<S>& q, const std::vector<S>& qd,
                       const std::vector<S>& qdd, typename F::template Workspace<S>& workspace) {
  std::vector<S> tau(q.size());
  const Motion<S> motion{q, qd, qdd};
  F::template run<S>(robot, motion, {}, workspace, tau);
  add_drive_torques<S>(robot, motion, tau);
  return tau;
}
template <class F, class S>
std::vector<S> torques(const MechanismFor<S>& robot, const std::vector<S>& q, const std::vector<S>& qd,
                       const std::vector<S>& qdd) {
  typename F::template Workspace<S> workspace(robot);
  return torques<F, S>(robot, q, qd, qdd, workspace);
}

// Every way to ask for inverse dynamics by name; the empty name is the default, which runs on the optimized mechanism.
inline std::vector<std::string_view> inverse_methods() {
  std::vector<std::string_view> names;
  for (const FormulationInfo& info : formulations("inverse")) names.push_back(info.name);
  names.push_back({});
  return names;
}

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

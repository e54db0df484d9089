// Inverse dynamics as a call: Call<S> of the job "inverse" with its arguments by name.
#pragma once

#include <utility>
#include <vector>

#include "catena/dynamics/call.hpp"

namespace catena {

template <class S>
class InverseDynamics : public Call<S> {
 public:
  // As Call<S>: the fastest formulation, or the one that is named.
  explicit InverseDynamics(const Mechanism& robot, std::string_view formulation = {})
      : Call<S>(robot, "inverse", formulation), zeros_(index(robot.nv())) {}
  // On any engine: InverseDynamics<double>(compile(robot, "inverse")).
  explicit InverseDynamics(Call<S> call) : Call<S>(std::move(call)), zeros_(index(this->nv())) {
    this->require_job("inverse");
  }

  // τ for the motion (q, q̇, q̈), friction and rotors included where the model has them. All spans but q have nv entries.
  // Every joint is taken to have a motor: a passive one is given the torque that it would need. HybridDynamics asks for
  // none.
  void operator()(std::span<const S> q, std::span<const S> qd, std::span<const S> qdd, std::span<S> tau,
                  std::span<const ExternalWrench<S>> wrenches = {}) {
    Call<S>::operator()({.q = q, .qd = qd, .qdd = qdd, .wrenches = wrenches}, tau);
  }
  // τ that holds the robot still against gravity, and against wrenches.
  void gravity(std::span<const S> q, std::span<S> tau) { statics(q, {}, tau); }
  void statics(std::span<const S> q, std::span<const ExternalWrench<S>> wrenches, std::span<S> tau) {
    (*this)(q, zeros_, zeros_, tau, wrenches);
  }

 private:
  std::vector<S> zeros_;
};

}  // namespace catena

// Hybrid dynamics as a call: Call<S> of the job "hybrid" with its arguments by name. It is the inverse dynamics of a
// robot with passive joints: the accelerations of the others are given, the torques that they take follow, and so does
// what the passive joints do.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "catena/dynamics/call.hpp"

namespace catena {

template <class S>
class HybridDynamics : public Call<S> {
 public:
  // As Call<S>: the fastest formulation, or the one that is named. Robot says which joints give way.
  explicit HybridDynamics(const Mechanism& robot, std::string_view formulation = {})
      : Call<S>(robot, "hybrid", formulation), zeros_(index(robot.nv())), out_(this->size()) {}
  explicit HybridDynamics(Call<S> call) : Call<S>(std::move(call)), zeros_(index(this->nv())), out_(this->size()) {
    this->require_job("hybrid");
  }

  // Of `given_qdd` the entries of active joints are read, of `given_tau` those of passive ones; the rest must be
  // numbers. qdd and tau come back whole. All spans but q have nv entries. Throws std::domain_error also when a passive
  // joint moves nothing that has inertia, naming it.
  void operator()(std::span<const S> q, std::span<const S> qd, std::span<const S> given_qdd,
                  std::span<const S> given_tau, std::span<S> qdd, std::span<S> tau,
                  std::span<const ExternalWrench<S>> wrenches = {}) {
    Call<S>::operator()({.q = q, .qd = qd, .qdd = given_qdd, .tau = given_tau, .wrenches = wrenches}, out_);
    const std::span<const S> found(out_);
    if (qdd.size() != zeros_.size() || tau.size() != zeros_.size())
      throw std::invalid_argument("qdd and tau need one value a joint");
    std::copy_n(found.begin(), qdd.size(), qdd.begin());
    std::copy_n(found.last(tau.size()).begin(), tau.size(), tau.begin());
  }
  // The same with no torque at the passive joints but their friction.
  void underactuated(std::span<const S> q, std::span<const S> qd, std::span<const S> given_qdd, std::span<S> qdd,
                     std::span<S> tau, std::span<const ExternalWrench<S>> wrenches = {}) {
    (*this)(q, qd, given_qdd, zeros_, qdd, tau, wrenches);
  }

 private:
  std::vector<S> zeros_, out_;
};

}  // namespace catena

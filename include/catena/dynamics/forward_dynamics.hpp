// Forward dynamics as a call, q̈ = M(q)⁻¹ (τ - b(q, q̇)): Call<S> of the job "forward" with its arguments by name, and
// the same in two halves.
#pragma once

#include <utility>

#include "catena/dynamics/call.hpp"

namespace catena {

template <class S>
class ForwardDynamics : public Call<S> {
 public:
  // As Call<S>: the fastest formulation for so many joints, or the one that is named.
  explicit ForwardDynamics(const Mechanism& robot, std::string_view formulation = {})
      : Call<S>(robot, "forward", formulation) {}
  explicit ForwardDynamics(Call<S> call) : Call<S>(std::move(call)) { this->require_job("forward"); }

  // q̈ under the torques τ, friction and rotors included where the model has them. All spans have n entries.
  // Throws std::domain_error also when some joint moves nothing that has inertia, naming it.
  void operator()(std::span<const S> q, std::span<const S> qd, std::span<const S> tau, std::span<S> qdd,
                  std::span<const ExternalWrench<S>> wrenches = {}) {
    Call<S>::operator()({.q = q, .qd = qd, .tau = tau, .wrenches = wrenches}, qdd);
  }

  // The same in two halves, for many torques in one state: solve() costs a fraction of factor() (with
  // conjugate-gradient and with compiled code, which have nothing to keep, all of it). solve() throws std::logic_error
  // when no factor() went well before.
  void factor(std::span<const S> q, std::span<const S> qd, std::span<const ExternalWrench<S>> wrenches = {}) {
    Call<S>::factor({.q = q, .qd = qd, .wrenches = wrenches});
  }
  void solve(std::span<const S> tau, std::span<S> qdd) { Call<S>::solve(tau, qdd); }
};

}  // namespace catena

// The jobs of dynamics as calls with named arguments: inverse, forward and hybrid dynamics, and the matrices of the
// model.
#pragma once

#include <stdexcept>
#include <utility>
#include <vector>

#include "catena/call.hpp"

namespace catena {

// Inverse dynamics as a call: Call<S> of the job "inverse" with its arguments by name.

template <class S>
class InverseDynamics : public Call<S> {
 public:
  // As Call<S>: the fastest formulation, or the named one.
  explicit InverseDynamics(const Mechanism& robot, std::string_view formulation = {})
      : Call<S>(robot, "inverse", formulation), zeros_(index(robot.nv())) {}
  // On any engine: InverseDynamics<double>(compile(robot, "inverse")).
  explicit InverseDynamics(Call<S> call) : Call<S>(std::move(call)), zeros_(index(this->nv())) {
    this->require_job("inverse");
  }

  // τ for the motion (q, q̇, q̈), including friction, rotors and springs if the model has them. All spans but q have nv
  // entries. Every joint is assumed to have a motor: a passive one gets the torque it would need. HybridDynamics gives
  // passive joints no torque.
  void operator()(std::span<const S> q, std::span<const S> qd, std::span<const S> qdd, std::span<S> tau,
                  std::span<const ExternalWrench<S>> wrenches = {}) {
    Call<S>::operator()({.q = q, .qd = qd, .qdd = qdd, .wrenches = wrenches}, tau);
  }
  // τ that holds the robot still against gravity and springs, and against wrenches.
  void gravity(std::span<const S> q, std::span<S> tau) { statics(q, {}, tau); }
  void statics(std::span<const S> q, std::span<const ExternalWrench<S>> wrenches, std::span<S> tau) {
    (*this)(q, zeros_, zeros_, tau, wrenches);
  }

 private:
  std::vector<S> zeros_;
};

// Forward dynamics as a call, q̈ = M(q)⁻¹ (τ - b(q, q̇)): Call<S> of the job "forward" with its arguments by name, and
// the same in two halves.

template <class S>
class ForwardDynamics : public Call<S> {
 public:
  // As Call<S>: the fastest formulation for this number of joints, or the named one.
  explicit ForwardDynamics(const Mechanism& robot, std::string_view formulation = {})
      : Call<S>(robot, "forward", formulation) {}
  explicit ForwardDynamics(Call<S> call) : Call<S>(std::move(call)) { this->require_job("forward"); }

  // q̈ under the torques τ, including friction, rotors and springs if the model has them. All spans have n entries.
  // Also throws std::domain_error if a joint moves nothing that has inertia, naming it.
  void operator()(std::span<const S> q, std::span<const S> qd, std::span<const S> tau, std::span<S> qdd,
                  std::span<const ExternalWrench<S>> wrenches = {}) {
    Call<S>::operator()({.q = q, .qd = qd, .tau = tau, .wrenches = wrenches}, qdd);
  }

  // The same in two halves, for many torques in one state: solve() costs a fraction of factor() (but all of it with
  // conjugate-gradient and with compiled code, which have nothing to keep). solve() throws std::logic_error unless
  // factor() has succeeded before.
  void factor(std::span<const S> q, std::span<const S> qd, std::span<const ExternalWrench<S>> wrenches = {}) {
    Call<S>::factor({.q = q, .qd = qd, .wrenches = wrenches});
  }
  void solve(std::span<const S> tau, std::span<S> qdd) { Call<S>::solve(tau, qdd); }
};

// Hybrid dynamics as a call: Call<S> of the job "hybrid" with its arguments by name. This is the inverse dynamics of a
// robot with passive joints: from the accelerations of the active joints it computes their torques and the
// accelerations of the passive joints.

template <class S>
class HybridDynamics : public Call<S> {
 public:
  // As Call<S>: the fastest formulation, or the named one. Robot says which joints are passive.
  explicit HybridDynamics(const Mechanism& robot, std::string_view formulation = {})
      : Call<S>(robot, "hybrid", formulation), zeros_(index(robot.nv())), out_(this->size()) {}
  explicit HybridDynamics(Call<S> call) : Call<S>(std::move(call)), zeros_(index(this->nv())), out_(this->size()) {
    this->require_job("hybrid");
  }

  // Reads the entries of `given_qdd` for active joints and of `given_tau` for passive ones; the others must be finite.
  // qdd and tau are filled completely. All spans but q have nv entries. Also throws std::domain_error if a passive
  // joint moves nothing that has inertia, naming it.
  void operator()(std::span<const S> q, std::span<const S> qd, std::span<const S> given_qdd,
                  std::span<const S> given_tau, std::span<S> qdd, std::span<S> tau,
                  std::span<const ExternalWrench<S>> wrenches = {}) {
    Call<S>::operator()({.q = q, .qd = qd, .qdd = given_qdd, .tau = given_tau, .wrenches = wrenches}, out_);
    const std::span<const S> found(out_);
    if (qdd.size() != zeros_.size() || tau.size() != zeros_.size())
      throw std::invalid_argument("qdd and tau need one value per joint");
    for (std::size_t j = 0; j < qdd.size(); ++j) qdd[j] = found[j];
    for (std::size_t j = 0; j < tau.size(); ++j) tau[j] = found[found.size() - tau.size() + j];
  }
  // The same with no torque at the passive joints except their friction.
  void underactuated(std::span<const S> q, std::span<const S> qd, std::span<const S> given_qdd, std::span<S> qdd,
                     std::span<S> tau, std::span<const ExternalWrench<S>> wrenches = {}) {
    (*this)(q, qd, given_qdd, zeros_, qdd, tau, wrenches);
  }

 private:
  std::vector<S> zeros_, out_;
};

// The matrices and vectors of the model M(q) q̈ + C(q, q̇) q̇ + g(q) = τ: Call<S> of their jobs with arguments by name.

// M(q), n x n row-major, rotors included; zero across branches.
template <class S>
class InertiaMatrix : public Call<S> {
 public:
  explicit InertiaMatrix(const Mechanism& robot, std::string_view formulation = {})
      : Call<S>(robot, "inertia", formulation) {}
  explicit InertiaMatrix(Call<S> call) : Call<S>(std::move(call)) { this->require_job("inertia"); }
  void operator()(std::span<const S> q, std::span<S> M) { Call<S>::operator()({.q = q}, M); }
};

// C(q, q̇), n x n row-major: the velocity torques of the rigid links are C q̇, and Ṁ - 2C is skew-symmetric. C does not
// include friction; a rotor's reflected inertia is constant and adds nothing. Zero across branches.
template <class S>
class CoriolisMatrix : public Call<S> {
 public:
  explicit CoriolisMatrix(const Mechanism& robot, std::string_view formulation = {})
      : Call<S>(robot, "coriolis", formulation) {}
  explicit CoriolisMatrix(Call<S> call) : Call<S>(std::move(call)) { this->require_job("coriolis"); }
  void operator()(std::span<const S> q, std::span<const S> qd, std::span<S> C) {
    Call<S>::operator()({.q = q, .qd = qd}, C);
  }
};

// b(q, q̇) = C q̇ + g, plus friction if the model has it: τ at q̈ = 0. Springs are in g.
template <class S>
class BiasVector : public Call<S> {
 public:
  explicit BiasVector(const Mechanism& robot, std::string_view formulation = {})
      : Call<S>(robot, "bias", formulation) {}
  explicit BiasVector(Call<S> call) : Call<S>(std::move(call)) { this->require_job("bias"); }
  void operator()(std::span<const S> q, std::span<const S> qd, std::span<S> b) {
    Call<S>::operator()({.q = q, .qd = qd}, b);
  }
};

}  // namespace catena

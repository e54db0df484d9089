// The matrices and vectors of the model M(q) q̈ + C(q, q̇) q̇ + g(q) = τ: Call<S> of their jobs with arguments by name.
#pragma once

#include <utility>

#include "catena/dynamics/call.hpp"

namespace catena {

// M(q), n x n row-major, rotors included; zero across branches.
template <class S>
class InertiaMatrix : public Call<S> {
 public:
  explicit InertiaMatrix(const Mechanism& robot, std::string_view formulation = {})
      : Call<S>(robot, "inertia", formulation) {}
  explicit InertiaMatrix(Call<S> call) : Call<S>(std::move(call)) { this->require_job("inertia"); }
  void operator()(std::span<const S> q, std::span<S> M) { Call<S>::operator()({.q = q}, M); }
};

// C(q, q̇), n x n row-major: the velocity torques of the rigid links are C q̇, and Ṁ - 2C is skew-symmetric. Friction is
// not in C, and a rotor's reflected inertia is constant and adds nothing. Zero across branches.
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

// b(q, q̇) = C q̇ + g and friction where the model has it: τ at q̈ = 0.
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

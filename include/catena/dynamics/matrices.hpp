// The matrices and vectors of the model M(q) q̈ + C(q, q̇) q̇ + g(q) = τ, as calls that own their workspace and allocate
// nothing.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "catena/dynamics/formulation.hpp"

namespace catena {

template <class S>
struct Engine;

// What the calls have in common: a formulation with its workspace. They can be moved, not copied.
template <class S>
class Call {
 public:
  const FormulationInfo& method() const;

 protected:
  explicit Call(std::unique_ptr<Engine<S>> engine);
  ~Call();
  Call(Call&&) noexcept;
  Call& operator=(Call&&) noexcept;

  std::unique_ptr<Engine<S>> engine_;
};

// The fastest for so many joints, as measured: docs/formulations.md.
constexpr std::string_view default_inertia(int joints) { return joints <= 16 ? "generalized-links" : "fijany-bejczy"; }
inline constexpr std::string_view default_coriolis = "denoc-christoffel";
inline constexpr std::string_view default_bias = "tensor-augmented";

// Each is made for a robot and a method. Without a method: the fastest, on the optimized mechanism (model/regroup.hpp).
// With one: that formulation on the mechanism as it is. Throws std::invalid_argument when the method is not registered.
// The calls throw std::invalid_argument on a wrong length and std::domain_error when a result is not finite.

// M(q), n x n row-major, rotors included; zero across branches.
template <class S>
class InertiaMatrix : public Call<S> {
 public:
  explicit InertiaMatrix(const Mechanism& robot, std::string_view method = {});
  void operator()(std::span<const S> q, std::span<S> M);
};

// C(q, q̇), n x n row-major: the velocity torques of the rigid links are C q̇, and Ṁ - 2C is skew-symmetric. Friction is
// not in C, and a rotor's reflected inertia is constant and adds nothing. Zero across branches.
template <class S>
class CoriolisMatrix : public Call<S> {
 public:
  explicit CoriolisMatrix(const Mechanism& robot, std::string_view method = {});
  void operator()(std::span<const S> q, std::span<const S> qd, std::span<S> C);
};

// b(q, q̇) = C q̇ + g and friction where the model has it: τ at q̈ = 0.
template <class S>
class BiasVector : public Call<S> {
 public:
  explicit BiasVector(const Mechanism& robot, std::string_view method = {});
  void operator()(std::span<const S> q, std::span<const S> qd, std::span<S> b);
};

extern template class Call<double>;
extern template class Call<float>;
extern template class InertiaMatrix<double>;
extern template class InertiaMatrix<float>;
extern template class CoriolisMatrix<double>;
extern template class CoriolisMatrix<float>;
extern template class BiasVector<double>;
extern template class BiasVector<float>;

}  // namespace catena

// The matrices and vectors of the model M(q) q̈ + C(q, q̇) q̇ + g(q) = τ, as calls that own their workspace and allocate nothing.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "catena/dynamics/formulation.hpp"

namespace catena {

template <class S>
struct Engine;

inline constexpr std::string_view default_inertia = "generalized-links";

// M(q), n x n row-major, rotors included; zero across branches.
template <class S>
class InertiaMatrix {
 public:
  // Without a method: the fastest, on the optimized mechanism. Throws std::invalid_argument when it is not registered.
  explicit InertiaMatrix(const Mechanism& robot, std::string_view method = {});
  ~InertiaMatrix();
  InertiaMatrix(InertiaMatrix&&) noexcept;
  InertiaMatrix& operator=(InertiaMatrix&&) noexcept;

  // Throws std::invalid_argument on a wrong length and std::domain_error when a result is not finite.
  void operator()(std::span<const S> q, std::span<S> M);

  const FormulationInfo& method() const;

 private:
  std::unique_ptr<Engine<S>> engine_;
};

extern template class InertiaMatrix<double>;
extern template class InertiaMatrix<float>;

}  // namespace catena

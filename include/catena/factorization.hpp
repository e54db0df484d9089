// M = U D Uᵀ, rotors included, and solutions computed from the factors, as an object that owns its workspace; calls
// allocate nothing. Equations: docs/equations/factor.md.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "catena/call.hpp"

namespace catena {

enum class Directions { all, translation };

template <class S>
class Factorization {
 public:
  // As Call<S> of the job "factor": the faster formulation, or the named one; or on any engine.
  explicit Factorization(const Mechanism& robot, std::string_view formulation = {});
  Factorization(const Mechanism& robot, Call<S> call);
  ~Factorization();
  Factorization(Factorization&&) noexcept;
  Factorization& operator=(Factorization&&) noexcept;

  // Throws std::invalid_argument on a wrong length, and std::domain_error if q is not finite or a pivot is not
  // positive, naming the joint and the reason; then there are no factors. The calls below throw std::logic_error if
  // there are none.
  void factor(std::span<const S> q);

  std::span<const S> U() const;  // n x n row-major, in the user's order of q
  std::span<const S> D() const;  // n
  // Solves M x = rhs for any number of right-hand sides, n entries each, in sequence. x may be rhs.
  void solve(std::span<const S> rhs, std::span<S> x) const;
  void inverse(std::span<S> M_inverse) const;  // n x n

  // Λ = (J M⁻¹ Jᵀ)⁻¹ of a frame: force and moment per acceleration of its origin, along the world's axes. 6 x 6,
  // translation first, or 3 x 3 for translation alone. Throws std::domain_error if the frame cannot be accelerated in
  // all directions.
  void operational_inertia(int frame, std::span<S> Lambda, Directions directions = Directions::all);

  const FormulationInfo& formulation() const;
  const EngineReport& engine() const;
  int nv() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

extern template class Factorization<double>;
extern template class Factorization<float>;

}  // namespace catena

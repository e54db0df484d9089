// Forward dynamics as a call: q̈ = M(q)⁻¹ (τ - b(q, q̇)). The formulation is picked by name, its workspace is made once,
// and calls allocate nothing.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "catena/dynamics/inverse_dynamics.hpp"

namespace catena {

// Up to this many joints the inertia matrix and its LDLᵀ are faster than articulated bodies. Measured on general
// revolute chains over 4096 states (g++ 12.2 -O3 -march=native, Xeon of family 6 model 143), ns a call, composite-ldlt
// against articulated-body: 8 joints 468 / 503, 9 joints 541 / 578, 10 joints 712 / 644. The table is in
// docs/equations/composite_ldlt.md.
inline constexpr int composite_up_to = 9;

constexpr std::string_view default_forward(int joints) {
  return joints <= composite_up_to ? "composite-ldlt" : "articulated-body";
}

template <class S>
class ForwardDynamics {
 public:
  // Without a method: the fastest for so many joints, on the optimized mechanism (model/regroup.hpp). With one: that
  // formulation on the mechanism as it is. Throws std::invalid_argument when the method is not registered.
  explicit ForwardDynamics(const Mechanism& robot, std::string_view method = {});
  ~ForwardDynamics();
  ForwardDynamics(ForwardDynamics&&) noexcept;
  ForwardDynamics& operator=(ForwardDynamics&&) noexcept;

  // q̈ under the torques τ, friction and rotors included where the model has them. All spans have n entries.
  // Throws std::invalid_argument on a wrong length and std::domain_error when a result is not finite or some joint
  // moves nothing that has inertia, naming it; q̈ is not to be used then.
  void operator()(std::span<const S> q, std::span<const S> qd, std::span<const S> tau, std::span<S> qdd,
                  std::span<const ExternalWrench<S>> wrenches = {});

  // The same in two halves, for many torques in one state: solve() costs a fraction of factor() (with
  // conjugate-gradient, which has nothing to keep, all of it). solve() throws std::logic_error when no factor() went
  // well before.
  void factor(std::span<const S> q, std::span<const S> qd, std::span<const ExternalWrench<S>> wrenches = {});
  void solve(std::span<const S> tau, std::span<S> qdd);

  const FormulationInfo& method() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

extern template class ForwardDynamics<double>;
extern template class ForwardDynamics<float>;

}  // namespace catena

// A CUDA kernel that moves many arms on by forward dynamics: their states stay in registers from the first step to the
// last. docs/gpu.md has the laws and the schemes.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "catena/codegen/code.hpp"

namespace catena {

enum class RolloutScheme {
  semi_implicit_euler,  // q̇ += h q̈, then q += h q̇
  rk4,                  // the classical Runge-Kutta scheme; laws of the state are followed within a step
};
enum class RolloutLaw {
  constant,         // tau of every arm
  pd,               // tau = kp (target - q) - kd q̇
  computed_torque,  // tau = inverse(q, q̇, kp (target - q) - kd q̇)
  table,            // tau of every step, the same for all arms
};
struct RolloutLawInfo {
  RolloutLaw law;
  std::string_view name, words;
  bool has_gains = false;
  bool needs_inverse = false;
};
std::span<const RolloutLawInfo> rollout_laws();
const RolloutLawInfo& rollout_law_info(RolloutLaw law);

// The kernel NAME_rollout(count, stride, steps, target, q, qd, h, then kp_0, …, kd_0, … where the law has gains):
// arrays by columns, q and qd changed in place; target as the law says, tau by rows of steps for a table. `forward`
// and, where the law needs it, `inverse` are programs of these jobs. Throws std::invalid_argument where they do not
// fit.
std::string print_cuda_rollout(const Program& forward, const std::optional<Program>& inverse, RolloutLaw law,
                               RolloutScheme scheme, const CodeOptions& options);

}  // namespace catena

// Many arms moved on by forward dynamics on a graphics processor, from step to step in registers. docs/gpu.md.
#pragma once

#include <memory>
#include <span>

#include "catena/codegen/cuda_rollout.hpp"
#include "catena/gpu/batch.hpp"

namespace catena {

struct RolloutOptions {
  RolloutLaw law = RolloutLaw::constant;
  RolloutScheme scheme = RolloutScheme::semi_implicit_euler;
  std::vector<double> kp{}, kd{};  // by joint, for laws with gains
};

// S is double or float.
template <class S>
class GpuRollout {
 public:
  // Throws std::invalid_argument where gains are missing, and GpuError as GpuBatch.
  GpuRollout(const Mechanism& robot, const RolloutOptions& rollout, const GpuOptions& options = {});
  ~GpuRollout();
  GpuRollout(GpuRollout&&) noexcept;
  GpuRollout& operator=(GpuRollout&&) noexcept;

  // Arrays of the device by columns; q and qd are changed in place. Target: tau of every arm (constant), the positions
  // to go to (pd, computed torque), or tau by rows of steps, the same for all arms (table).
  void launch(std::size_t arms, std::size_t stride, std::size_t steps, double step, const S* target, S* q, S* qd,
              void* stream = nullptr) const;
  // The same with arrays of the host; returns when it is done.
  void run(std::size_t arms, std::size_t steps, double step, std::span<const S> target, std::span<S> q,
           std::span<S> qd) const;

  GpuKernelReport kernel() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

extern template class GpuRollout<double>;
extern template class GpuRollout<float>;

}  // namespace catena

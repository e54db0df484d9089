// What a GpuBatch consists of.
#pragma once

#include <array>
#include <map>
#include <optional>

#include "engines/cuda/host_run.hpp"
#include "engines/cuda/program_kernel.hpp"

namespace catena {

template <class S>
struct GpuBatch<S>::Impl {
  Mechanism robot;
  std::vector<BatchJob> jobs;
  GpuOptions options;
  Batch<S> cpu;  // knows shapes, and decides on states in doubt
  gpu::SessionPointer session;
  std::vector<const JobInfo*> infos;

  struct JobsKernel {
    std::vector<std::size_t> jobs;  // that it computes, in their order
    gpu::ProgramKernel own;
  };
  std::array<std::vector<JobsKernel>, gpu::kernel_layouts>
      kernels;               // by kernel_layout, made when they are first asked for
  gpu::KernelLayout latest;  // that was launched
  std::unique_ptr<gpu::HostRun<S>> host;

  Impl(const Mechanism& given, std::vector<BatchJob> asked, const GpuOptions& chosen);
  const std::vector<JobsKernel>& kernels_for(gpu::KernelLayout kernel_layout);
  std::vector<GpuKernelReport> reports(const std::vector<JobsKernel>& all) const;
  bool may_share() const;  // one kernel for all jobs
  JobsKernel make(std::vector<std::size_t> which, gpu::KernelLayout kernel_layout) const;
  // The context is current.
  void launch(std::size_t states, std::size_t stride, gpu::KernelLayout kernel_layout, std::span<const S* const> in,
              std::span<S* const> out, gpu::Stream stream);
};

}  // namespace catena

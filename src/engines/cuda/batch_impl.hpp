// The data of a GpuBatch.
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
  Batch<S> cpu;  // supplies the shapes, and decides about states in doubt
  gpu::SessionPointer session;
  std::vector<const JobInfo*> infos;

  struct JobsKernel {
    std::vector<std::size_t> jobs;  // the jobs it computes, in order
    gpu::ProgramKernel own;
  };
  std::array<std::vector<JobsKernel>, gpu::kernel_layouts>
      kernels;               // by kernel_layout, created when they are first asked for
  gpu::KernelLayout latest;  // the layout last launched
  std::unique_ptr<gpu::HostRun<S>> host;

  Impl(const Mechanism& given, std::vector<BatchJob> asked, const GpuOptions& chosen);
  const std::vector<JobsKernel>& kernels_for(gpu::KernelLayout kernel_layout);
  std::vector<GpuKernelReport> reports(const std::vector<JobsKernel>& all) const;
  bool may_share() const;  // whether one kernel can compute all jobs
  JobsKernel make(std::vector<std::size_t> which, gpu::KernelLayout kernel_layout) const;
  // Requires the context to be current.
  void launch(std::size_t states, std::size_t stride, gpu::KernelLayout kernel_layout, std::span<const S* const> in,
              std::span<S* const> out, gpu::Stream stream);
};

}  // namespace catena

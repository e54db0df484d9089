// What a GpuBatch consists of.
#pragma once

#include <array>
#include <map>
#include <optional>

#include "catena/codegen/code.hpp"
#include "host_run.hpp"
#include "workshop.hpp"

namespace catena {

template <class S>
struct GpuBatch<S>::Parts {
  Mechanism robot;
  std::vector<BatchJob> jobs;
  GpuOptions options;
  Batch<S> cpu;  // knows shapes, and decides on states in doubt
  gpu::SessionPointer session;
  std::vector<const JobInfo*> infos;

  struct JobKernel {
    gpu::MadeKernel made;
    double generate_seconds = 0.0;
  };
  std::array<std::vector<JobKernel>, 2> kernels;  // by layout, made when they are first asked for
  std::unique_ptr<gpu::HostRun<S>> host;

  Parts(const Mechanism& given, std::vector<BatchJob> asked, const GpuOptions& chosen);
  const std::vector<JobKernel>& kernels_for(GpuLayout layout);
  JobKernel make(const JobInfo& job, const std::string& formulation, GpuLayout layout) const;
  // The context is current.
  void launch(std::size_t states, std::size_t stride, GpuLayout layout, std::span<const S* const> in,
              std::span<S* const> out, gpu::Stream stream);
};

}  // namespace catena

// Kernels of a batch on a stub of CUDA: jobs that share one, and states that share a thread.
#include <gtest/gtest.h>

#include <cmath>

#include "catena/gpu.hpp"
#include "engines/cuda/session.hpp"
#include "support/gpu_stub.hpp"

namespace catena::gpu_kernels_test {
namespace {

using Gpu = test::OnStub;
using test::expect_like_batch;
using test::Lying;
using test::shipped;

TEST_F(Gpu, JobsThatAreAskedForTogetherShareAKernel) {
  const Mechanism robot = shipped("ur5");
  GpuOptions options = quickly();
  const auto names = [&](const std::vector<BatchJob>& jobs) {
    std::string all;
    for (const GpuKernelReport& kernel : GpuBatch<double>(robot, jobs, options).kernels())
      all += kernel.job + " of " + std::to_string(kernel.shared_by) + ", ";
    return all;
  };
  EXPECT_EQ(names({{"inverse"}, {"inertia"}, {"pose"}}), "inverse of 3, inertia of 3, pose of 3, ");
  EXPECT_EQ(names({{"inverse", "tensor"}, {"inertia"}}), "inverse of 1, inertia of 1, ");  // one is free to choose
  EXPECT_EQ(names({{"inverse"}, {"linearize"}, {"jacobian"}, {"centroidal"}}),
            "inverse of 1, linearize of 1, jacobian of 1, centroidal of 1, ");
  for (const Lying shape : {Lying::rows, Lying::columns}) {
    expect_like_batch<double>(robot, {{"pose"}, {"forward"}, {"gravity"}}, options, 99, shape, 1e-12);
    expect_like_batch<float>(shipped("panda"), {{"inertia"}, {"inverse"}}, options, 99, shape, 1e-5);
  }
  options.share = false;
  EXPECT_EQ(names({{"inverse"}, {"inertia"}, {"pose"}}), "inverse of 1, inertia of 1, pose of 1, ");
}

TEST_F(Gpu, ASharedKernelOfTheCacheNamesTheFormulationOfEachJob) {
  const std::vector<BatchJob> jobs{{"inverse", "tensor"}, {"inertia", "walker-orin"}};
  for (const bool cached : {false, true}) {
    const auto kernels = GpuBatch<double>(shipped("planar2r"), jobs, quickly()).kernels();
    ASSERT_EQ(kernels.size(), jobs.size());
    for (std::size_t k = 0; k < jobs.size(); ++k) {
      EXPECT_EQ(kernels[k].formulation, jobs[k].formulation);
      EXPECT_EQ(kernels[k].shared_by, 2);
      EXPECT_EQ(kernels[k].from_cache, cached);
    }
  }
}

// Two states per thread are taken where all arrays allow, one otherwise; nothing is written around them.
TEST_F(Gpu, StatesOfAThread) {
  const Mechanism robot = shipped("planar2r");
  Batch<float> cpu(robot, {{"inverse"}, {"inertia"}}, {.engine = BatchEngine::generic, .threads = 1});
  const auto session = gpu::Session::open(0);
  const gpu::Session::Current current(*session);
  GpuOptions options = quickly();
  for (const int together : {0, 1, 2, 4})
    for (const std::size_t states : {1U, 6U, 8U, 9U, 64U})
      for (const std::size_t more : {0U, 1U, 2U, 4U})
        for (const std::size_t offset : {0U, 1U}) {
          SCOPED_TRACE(std::to_string(together) + ", " + std::to_string(states) + ", " + std::to_string(more));
          options.together = together;
          GpuBatch<float> gpu(robot, {{"inverse"}, {"inertia"}}, options);
          const std::size_t stride = states + more;
          const gpu::DeviceMemory memory(session, (12 * stride + offset) * sizeof(float));
          float* const first = reinterpret_cast<float*>(memory.get()) + offset;  // the stub's device is the host
          for (std::size_t k = 0; k < 12 * stride; ++k) first[k] = k < 6 * stride ? float(k % 7) - 3.0F : -7.0F;
          const std::vector<const float*> in{first, first + 2 * stride, first + 4 * stride};
          const std::vector<float*> out{first + 6 * stride, first + 8 * stride};
          gpu.launch(states, stride, GpuLayout::columns, in, out);
          CATENA_CUDA(session->driver(), cuStreamSynchronize, nullptr);
          std::vector<float> tau(2 * states), M(4 * states);
          BatchInputs<float> from;
          for (std::size_t k = 0; k < 3; ++k) from[cpu.inputs()[k]] = states_in_columns(in[k], stride);
          cpu.run(states, from,
                  std::vector{states_in_columns(tau.data(), states), states_in_columns(M.data(), states)});
          for (std::size_t j = 0; j < 6; ++j)
            for (std::size_t k = 0; k < stride; ++k) {
              const float expected = k >= states ? -7.0F : j < 2 ? tau[j * states + k] : M[(j - 2) * states + k];
              EXPECT_NEAR(out[0][j * stride + k], expected, 1e-4F * (1.0F + std::abs(expected))) << j << ", " << k;
            }
        }
}

}  // namespace
}  // namespace catena::gpu_kernels_test

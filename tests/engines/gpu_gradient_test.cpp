// The gradient of weighted results, on a stub of CUDA, against the matrices of derivatives, which the CPU gives.
#include "catena/gpu.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <concepts>

#include "engines/cuda/session.hpp"
#include "jobs/derivatives.hpp"
#include "support/free_robots.hpp"
#include "support/gpu_stub.hpp"
#include "support/random_robot.hpp"

namespace catena::gpu_gradient_test {
namespace {

using Gradient = test::OnStub;

// Arrays of n numbers per state in memory of the device.
template <class S>
struct Arrays {
  gpu::SessionPointer session = gpu::Session::open(0);
  gpu::Session::Current current{*session};
  std::size_t states, n;
  GpuLayout layout;
  std::vector<gpu::DeviceMemory> memory;

  S* add(test::Random& random) {
    memory.emplace_back(session, states * n * sizeof(S));
    S* const data = reinterpret_cast<S*>(memory.back().get());  // the stub's device is the host
    for (std::size_t k = 0; k < states * n; ++k) data[k] = S(random.between(-2.0, 2.0));
    return data;
  }
  double at(const S* array, std::size_t k, std::size_t j) const {
    return double(array[layout == GpuLayout::rows ? k * n + j : j * states + k]);
  }
  std::vector<double> state(const S* array, std::size_t k) const {
    std::vector<double> row;
    for (std::size_t j = 0; j < n; ++j) row.push_back(at(array, k, j));
    return row;
  }
};

// The largest difference to wᵀ times the matrices, as a share of the largest entry of the gradient.
template <class S>
double worst(const Mechanism& robot, const DerivativesInfo& known, GpuLayout layout, const GpuOptions& options) {
  GpuGradient<S> gradient(robot, known.job, options);
  Arrays<S> arrays{.states = 41, .n = gradient.size(), .layout = layout, .memory = {}};
  test::Random random(3);
  std::vector<const S*> in;
  std::vector<S*> out;
  for (int k = 0; k < 4; ++k) in.push_back(arrays.add(random));
  for (int k = 0; k < 3; ++k) out.push_back(arrays.add(random));
  gradient.launch(arrays.states, arrays.states, layout, in, out);
  CATENA_CUDA(arrays.session->driver(), cuStreamSynchronize, nullptr);
  const JobInfo& derivatives = job_info(known.derivatives);
  Call<double> call(robot, derivatives.name);
  std::vector<double> matrices(call.size());
  double difference = 0.0, scale = 0.0;
  const std::size_t n = arrays.n;
  for (std::size_t k = 0; k < arrays.states; ++k) {
    std::vector<std::vector<double>> x;
    for (const S* array : in) x.push_back(arrays.state(array, k));
    Inputs<double> given;
    for (std::size_t i = 0; i < 3; ++i) given[derivatives.inputs[i]] = x[i];
    call(given, matrices);
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t o = 0; o < 3; ++o)
        for (std::size_t j = 0; derivatives.outputs[o].name == known.by_input[i] && j < n; ++j) {
          double sum = 0.0;
          for (std::size_t row = 0; row < n; ++row) sum += x[3][row] * matrices[(o * n + row) * n + j];
          scale = std::max(scale, std::abs(sum));
          difference = std::max(difference, std::abs(sum - arrays.at(out[i], k, j)));
        }
  }
  return difference / scale;
}

TEST_F(Gradient, IsTheWeightedSumOfDerivatives) {
  test::Random random(12);
  std::vector<Mechanism> robots;
  for (const char* name : {"panda", "stanford"}) robots.push_back(test::shipped(name));
  Robot tree =
      test::random_robot(random, {.joints = 6, .shape = test::Shape::tree, .massless_links = false, .drives = true});
  robots.push_back(make_mechanism(tree));
  test::couple_some(random, tree, 0.5);
  robots.push_back(make_mechanism(tree));
  for (const Mechanism& robot : robots)
    for (const DerivativesInfo& known : all_derivatives) {
      SCOPED_TRACE(robot.name + ", " + std::string(known.job));
      for (const GpuLayout layout : {GpuLayout::rows, GpuLayout::columns})
        EXPECT_LT(worst<double>(robot, known, layout, quickly()), 1e-10);
      EXPECT_LT(worst<float>(robot, known, GpuLayout::columns, quickly()), 1e-3);
    }
}

TEST_F(Gradient, SaysWhatIsMissing) {
  const auto why = [&](auto&& work) -> std::string {
    try {
      work();
    } catch (const std::exception& error) {
      return error.what();
    }
    return "nothing was thrown";
  };
  const Mechanism robot = test::shipped("ur5");
  EXPECT_EQ(why([&] { GpuGradient<double>(robot, "pose", quickly()); }), "the derivatives of 'pose' are no job");
  test::Random random(1);
  const Mechanism free = make_mechanism(test::random_free(random, 3, false));
  EXPECT_EQ(why([&] { GpuGradient<double>(free, "inverse", quickly()); }),
            "gradients with respect to the positions of a free base are not supported");
  EXPECT_EQ(why([&] { GpuGradient<double>(on_moving_base(robot), "inverse", quickly()); }),
            "gradients with respect to the motion of a base are not supported");
  GpuOptions other = quickly();
  other.device = 7;
  EXPECT_NE(why([&] { GpuGradient<float>(robot, "inverse", other); }).find("no CUDA device 7"), std::string::npos);
  GpuGradient<double> gradient(robot, "inverse", quickly());
  const std::vector<const double*> in(4, nullptr);
  const std::vector<double*> out(3, nullptr);
  EXPECT_EQ(why([&] { gradient.launch(4, 4, GpuLayout::rows, in, out); }), "an array of the gradient is not given");
  EXPECT_EQ(why([&] { gradient.launch(4, 4, GpuLayout::rows, std::span(in).first(3), out); }),
            "3 arrays are given and 3 for results, 4 and 3 are needed");
  EXPECT_EQ(why([&] { gradient.launch(5, 4, GpuLayout::columns, in, out); }), "5 states do not fit a stride of 4");
}

}  // namespace
}  // namespace catena::gpu_gradient_test

// The layer gpu on a stub of CUDA (tests/gpu/stub_cuda.cpp): kernels run as plain code, every call is counted, any can
// fail. Results are held against Batch on the CPU.
#include "catena/gpu/batch.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "../src/gpu/session.hpp"
#include "catena/io/robot_file.hpp"
#include "support/cache_folder.hpp"
#include "support/free_robots.hpp"
#include "support/random_robot.hpp"

namespace catena::gpu_test {
namespace {

using test::Random;

Mechanism shipped(const char* name) { return make_mechanism(load_robot(find_model(name))); }

// The stub's own functions.
class Stub {
 public:
  Stub() : library_(::dlopen(CATENA_STUB_CUDA, RTLD_NOW | RTLD_LOCAL)) {}
  void reset() const { function<void()>("stub_reset")(); }
  void fail(const char* name, int from, int code) const {
    function<void(const char*, int, int)>("stub_fail")(name, from, code);
  }
  int calls(const char* name) const { return function<int(const char*)>("stub_calls")(name); }
  void limit(std::size_t bytes) const { function<void(std::size_t)>("stub_limit")(bytes); }
  std::size_t used() const { return function<std::size_t()>("stub_used")(); }
  template <class F>
  F* function(const char* name) const {
    return reinterpret_cast<F*>(::dlsym(library_, name));
  }

 private:
  void* library_;
};

class Gpu : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    ::setenv("CATENA_CUDA_LIBRARY", CATENA_STUB_CUDA, 1);
    ::setenv("CATENA_NVRTC_LIBRARY", CATENA_STUB_CUDA, 1);
  }
  void SetUp() override { stub.reset(); }
  void TearDown() override {
    stub.reset();
    EXPECT_EQ(stub.used(), 0U) << "memory that nobody gave back";
  }

  GpuOptions quickly() const {
    GpuOptions options;
    options.search = false;
    options.cache_folder = cache.path().string();
    options.threads = 2;
    return options;
  }
  // What the constructor or the run throws.
  template <class Work>
  static std::string failure(Work&& work) {
    try {
      work();
    } catch (const GpuError& error) {
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
      return error.what();
    }
    return "nothing was thrown";
  }

  Stub stub;
  test::CacheFolder cache;
};

enum class Shape { rows, columns, strided };

// States of a robot in some layout, with room for results around which nothing may be written.
template <class S>
struct Table {
  std::size_t states;
  Shape shape;
  std::array<std::vector<S>, std::size(all_inputs)> values;
  std::vector<std::vector<S>> results;
  std::vector<std::size_t> sizes;

  Table(const Batch<S>& like, std::size_t count, Shape laid, std::uint64_t seed = 1) : states(count), shape(laid) {
    Random random(seed);
    for (const InputInfo& info : all_inputs) {
      auto& array = values[std::size_t(info.input)];
      array.assign(room(like.size(info.input)), S(0));
      for (S& value : array) value = S(random.between(-3.0, 3.0));
    }
    for (const auto& output : like.outputs()) {
      results.emplace_back(room(output.size()), S(-7));
      sizes.push_back(output.size());
    }
  }
  std::size_t room(std::size_t entries) const {
    return shape == Shape::strided ? states * entries * 3 + 5 : states * entries;
  }
  template <class T>
  StateArray<T> laid(T* data, std::size_t entries) const {
    if (shape == Shape::rows) return states_in_rows(data, entries);
    if (shape == Shape::columns) return states_in_columns(data, states);
    return {data + 2, std::ptrdiff_t(3 * entries), 3};
  }
  BatchInputs<S> inputs(const Batch<S>& like) const {
    BatchInputs<S> in;
    for (const Input input : like.inputs())
      in[input] = laid<const S>(values[std::size_t(input)].data(), like.size(input));
    return in;
  }
  std::vector<StateArray<S>> outputs() {
    std::vector<StateArray<S>> out;
    for (std::size_t k = 0; k < results.size(); ++k) out.push_back(laid(results[k].data(), sizes[k]));
    return out;
  }
};

template <class S>
void expect_near(const Table<S>& actual, const Table<S>& expected, double allowed) {
  for (std::size_t k = 0; k < actual.results.size(); ++k) {
    double scale = 1e-3, worst = 0.0;
    for (const S value : expected.results[k])
      if (std::isfinite(value)) scale = std::max(scale, std::abs(double(value)));
    for (std::size_t j = 0; j < actual.results[k].size(); ++j) {
      const S a = actual.results[k][j], b = expected.results[k][j];
      if (!std::isfinite(a) || !std::isfinite(b))
        EXPECT_EQ(std::isfinite(a), std::isfinite(b)) << "output " << k << ", entry " << j;
      else
        worst = std::max(worst, std::abs(double(a) - double(b)));
    }
    EXPECT_LE(worst, allowed * scale) << "output " << k;
  }
}

template <class S>
void expect_like_batch(const Mechanism& robot, const std::vector<BatchJob>& jobs, const GpuOptions& options,
                       std::size_t states, Shape shape, double allowed) {
  Batch<S> cpu(robot, jobs, {.engine = BatchEngine::generic, .threads = 1});
  GpuBatch<S> gpu(robot, jobs, options);
  Table<S> expected(cpu, states, shape), actual = expected;
  const BatchReport right = cpu.run(states, expected.inputs(cpu), expected.outputs());
  const BatchReport report = gpu.run(states, actual.inputs(cpu), actual.outputs());
  EXPECT_EQ(report.states, states);
  EXPECT_EQ(report.failed, right.failed) << report.why;
  expect_near(actual, expected, allowed);
}

std::vector<BatchJob> all_jobs() {
  std::vector<BatchJob> all;
  for (const JobInfo& job : jobs()) all.push_back({std::string(job.name)});
  return all;
}

TEST_F(Gpu, SaysWhatIsThere) {
  const GpuSurvey survey = survey_gpus();
  EXPECT_TRUE(survey.usable());
  EXPECT_EQ(survey.driver_version, "13.0");
  EXPECT_EQ(survey.compiler_version, "13.0");
  ASSERT_EQ(survey.devices.size(), 2U);
  EXPECT_EQ(survey.devices[1].name, "Stub 1");
  EXPECT_EQ(survey.devices[1].architecture(), "90");
}

TEST_F(Gpu, EveryJobIsLikeOnTheCpu) {
  expect_like_batch<double>(shipped("ur5"), all_jobs(), quickly(), 37, Shape::rows, 1e-12);
  expect_like_batch<double>(shipped("stanford"), all_jobs(), quickly(), 41, Shape::columns, 1e-11);
  expect_like_batch<float>(shipped("panda"), all_jobs(), quickly(), 33, Shape::columns, 2e-3);
}

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
  for (const Shape shape : {Shape::rows, Shape::columns}) {
    expect_like_batch<double>(robot, {{"pose"}, {"forward"}, {"gravity"}}, options, 99, shape, 1e-12);
    expect_like_batch<float>(shipped("panda"), {{"inertia"}, {"inverse"}}, options, 99, shape, 1e-5);
  }
  options.share = false;
  EXPECT_EQ(names({{"inverse"}, {"inertia"}, {"pose"}}), "inverse of 1, inertia of 1, pose of 1, ");
}

// Two states a thread are taken where all arrays allow, one otherwise; nothing is written around them.
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

TEST_F(Gpu, TreesCoupledJointsAndFreeBases) {
  Random random(5);
  Robot tree =
      test::random_robot(random, {.joints = 7, .shape = test::Shape::tree, .massless_links = false, .drives = true});
  expect_like_batch<double>(make_mechanism(tree), {{"inverse"}, {"forward"}, {"jacobian"}}, quickly(), 20, Shape::rows,
                            1e-10);
  test::couple_some(random, tree, 0.5);
  expect_like_batch<double>(make_mechanism(tree), {{"inverse"}, {"inertia"}}, quickly(), 20, Shape::strided, 1e-10);
  // Random numbers are no quaternions: every state is handed to the CPU, which refuses it.
  const Mechanism free = make_mechanism(test::random_free(random, 3, false));
  expect_like_batch<double>(free, {{"inverse"}}, quickly(), 9, Shape::rows, 1e-10);
}

TEST_F(Gpu, ManyBlocksInEveryLayout) {
  GpuOptions options = quickly();
  options.staging = 1;  // the fewest states
  for (const Shape shape : {Shape::rows, Shape::columns, Shape::strided})
    for (const std::size_t states : {1U, 1023U, 1024U, 1025U, 4U * 1024U + 1U, 13U * 1024U + 77U}) {
      SCOPED_TRACE(std::to_string(int(shape)) + ", " + std::to_string(states));
      expect_like_batch<double>(shipped("planar2r"), {{"inverse"}, {"inertia"}}, options, states, shape, 1e-12);
    }
}

TEST_F(Gpu, ALaterRunMayBeLargerOrSmaller) {
  const Mechanism robot = shipped("planar2r");
  Batch<double> cpu(robot, {{"inverse"}}, {.engine = BatchEngine::generic, .threads = 1});
  GpuBatch<double> gpu(robot, {{"inverse"}}, quickly());
  for (const std::size_t states : {0U, 5U, 60000U, 7U}) {
    Table<double> expected(cpu, states, Shape::columns), actual = expected;
    cpu.run(states, expected.inputs(cpu), expected.outputs());
    EXPECT_EQ(gpu.run(states, actual.inputs(cpu), actual.outputs()).states, states);
    expect_near(actual, expected, 1e-12);
  }
}

TEST_F(Gpu, PageLockedArraysAreSentFromWhereTheyLie) {
  const Mechanism robot = shipped("planar2r");
  Batch<double> cpu(robot, {{"inverse"}}, {.engine = BatchEngine::generic, .threads = 1});
  GpuOptions options = quickly();
  options.staging = 1;
  constexpr std::size_t states = 3000;
  for (const Shape shape : {Shape::rows, Shape::columns}) {
    GpuBatch<double> gpu(robot, {{"inverse"}}, options);
    Table<double> expected(cpu, states, shape), actual = expected;
    cpu.run(states, expected.inputs(cpu), expected.outputs());
    std::vector<void*> blocks;
    const auto moved = [&](const std::vector<double>& from) {
      void* block = nullptr;
      stub.function<int(void**, std::size_t)>("cuMemAllocHost_v2")(&block, from.size() * sizeof(double));
      blocks.push_back(block);
      std::copy(from.begin(), from.end(), static_cast<double*>(block));
      return static_cast<double*>(block);
    };
    BatchInputs<double> in;
    for (const Input input : cpu.inputs())
      in[input] = actual.laid<const double>(moved(actual.values[std::size_t(input)]), 2);
    double* const tau = moved(actual.results[0]);
    gpu.run(states, in, std::vector{actual.laid(tau, 2)});
    std::copy(tau, tau + actual.results[0].size(), actual.results[0].begin());
    expect_near(actual, expected, 1e-12);
    for (void* block : blocks) stub.function<int(void*)>("cuMemFreeHost")(block);
  }
}

TEST_F(Gpu, StatesInDoubtAreDecidedByTheCpu) {
  const Mechanism robot = shipped("panda");
  Batch<double> cpu(robot, {{"inverse"}, {"pose"}}, {.engine = BatchEngine::generic, .threads = 1});
  GpuBatch<double> gpu(robot, {{"inverse"}, {"pose"}}, quickly());
  constexpr std::size_t states = 3000;
  Table<double> expected(cpu, states, Shape::rows);
  auto& q = expected.values[std::size_t(Input::q)];
  auto& qd = expected.values[std::size_t(Input::qd)];
  q[7 * 100 + 2] = std::numeric_limits<double>::quiet_NaN();
  q[7 * 2000 + 6] = std::numeric_limits<double>::infinity();
  qd[7 * 50 + 1] = 1e200;  // the torque overflows
  q[7 * 60] = 1e15;        // a result all the same
  Table<double> actual = expected;
  const BatchReport right = cpu.run(states, expected.inputs(cpu), expected.outputs());
  const BatchReport report = gpu.run(states, actual.inputs(cpu), actual.outputs());
  EXPECT_EQ(right.failed, 3U);
  EXPECT_EQ(report.failed, right.failed);
  EXPECT_EQ(report.first_failed, right.first_failed);
  EXPECT_EQ(report.why, right.why);
  for (std::size_t k = 0; k < states; ++k)
    EXPECT_EQ(std::isnan(actual.results[0][7 * k]), std::isnan(expected.results[0][7 * k])) << k;
  EXPECT_NEAR(actual.results[0][7 * 60 + 1], expected.results[0][7 * 60 + 1], 1e-9);
}

TEST_F(Gpu, ProgressCanStop) {
  GpuOptions options = quickly();
  options.staging = 1;
  const Mechanism robot = shipped("planar2r");
  Batch<double> cpu(robot, {{"inverse"}}, {.engine = BatchEngine::generic, .threads = 1});
  GpuBatch<double> gpu(robot, {{"inverse"}}, options);
  constexpr std::size_t states = 20 * 1024;
  Table<double> table(cpu, states, Shape::columns);
  std::vector<std::size_t> told;
  EXPECT_FALSE(gpu.run(states, table.inputs(cpu), table.outputs(),
                       [&](std::size_t done) {
                         told.push_back(done);
                         return true;
                       })
                   .stopped);
  EXPECT_EQ(told.back(), states);
  EXPECT_TRUE(std::is_sorted(told.begin(), told.end()));
  const BatchReport report = gpu.run(states, table.inputs(cpu), table.outputs(), [](std::size_t) { return false; });
  EXPECT_TRUE(report.stopped);
  EXPECT_LT(report.states, states);
}

// Device pointers, the caller's stream, both layouts.
TEST_F(Gpu, LaunchesOnTheCallersStream) {
  const Mechanism robot = shipped("planar2r");
  GpuBatch<double> gpu(robot, {{"inverse"}}, quickly());
  Batch<double> cpu(robot, {{"inverse"}}, {.engine = BatchEngine::generic, .threads = 1});
  constexpr std::size_t states = 300, stride = 320;
  const auto allocate = [&](std::size_t count) {
    unsigned long long block = 0;
    stub.function<int(unsigned long long*, std::size_t)>("cuMemAlloc_v2")(&block, count * sizeof(double));
    return reinterpret_cast<double*>(block);
  };
  // A context of the caller's, and streams on both devices.
  void* contexts[2]{};
  void* streams[2]{};
  for (int k = 0; k < 2; ++k) {
    stub.function<int(void**, int)>("cuDevicePrimaryCtxRetain")(&contexts[k], k);
    stub.function<int(void*)>("cuCtxPushCurrent_v2")(contexts[k]);
    stub.function<int(void**, unsigned)>("cuStreamCreate")(&streams[k], 0);
  }
  for (const GpuLayout layout : {GpuLayout::columns, GpuLayout::rows}) {
    std::vector<double*> arrays;
    for (int k = 0; k < 4; ++k) arrays.push_back(allocate(2 * stride));
    Random random(3);
    std::vector<double> one(6), expected(2);
    for (int k = 0; k < 3; ++k)
      for (std::size_t j = 0; j < 2 * stride; ++j) arrays[std::size_t(k)][j] = random.between(-3, 3);
    const double* in[] = {arrays[0], arrays[1], arrays[2]};
    double* out[] = {arrays[3]};
    arrays[3][0] = -7.0;
    gpu.launch(states, stride, layout, in, out, streams[0]);
    EXPECT_EQ(arrays[3][0], -7.0) << "nobody waited for the stream yet";
    stub.function<int(void*)>("cuStreamSynchronize")(streams[0]);
    const auto at = [&](int array, std::size_t state, std::size_t entry) {
      return arrays[std::size_t(array)][layout == GpuLayout::rows ? state * 2 + entry : entry * stride + state];
    };
    Call<double> call(robot, "inverse");
    for (std::size_t state = 0; state < states; ++state) {
      for (int a = 0; a < 3; ++a)
        for (std::size_t j = 0; j < 2; ++j) one[std::size_t(a) * 2 + j] = at(a, state, j);
      const std::span<const double> all(one);
      call({.q = all.subspan(0, 2), .qd = all.subspan(2, 2), .qdd = all.subspan(4, 2)}, expected);
      for (std::size_t j = 0; j < 2; ++j) EXPECT_NEAR(at(3, state, j), expected[j], 1e-11);
    }
    EXPECT_EQ(failure([&] { gpu.launch(states, stride, layout, in, out, streams[1]); }),
              "the stream belongs to another device or context than CUDA device 0, which computes");
    for (double* array : arrays)
      stub.function<int(unsigned long long)>("cuMemFree_v2")(reinterpret_cast<unsigned long long>(array));
  }
  EXPECT_THROW(gpu.launch(states, 10, GpuLayout::columns, {}, {}), std::invalid_argument);
  const double* in[] = {nullptr, nullptr, nullptr};
  double* out[] = {nullptr};
  EXPECT_THROW(gpu.launch(states, states, GpuLayout::columns, in, out), std::invalid_argument);
  EXPECT_NO_THROW(gpu.launch(0, 0, GpuLayout::columns, in, out));
  void* gone = nullptr;
  for (int k = 0; k < 2; ++k) stub.function<int(void**)>("cuCtxPopCurrent_v2")(&gone);
}

TEST_F(Gpu, KernelsComeFromTheCache) {
  const Mechanism robot = shipped("planar2r");
  const auto kernel = [&](int device = 0) {
    GpuOptions options = quickly();
    options.device = device;
    return GpuBatch<double>(robot, {{"inverse"}}, options).kernels().front();
  };
  const GpuKernelReport first = kernel();
  EXPECT_FALSE(first.from_cache);
  EXPECT_EQ(first.registers, 64);
  EXPECT_EQ(first.block, 128);
  EXPECT_DOUBLE_EQ(first.occupancy, 0.5);
  EXPECT_EQ(stub.calls("nvrtcCompileProgram"), 1);
  EXPECT_TRUE(kernel().from_cache);
  EXPECT_TRUE(kernel(1).from_cache) << "of the same architecture";
  EXPECT_EQ(stub.calls("nvrtcCompileProgram"), 1);
  GpuOptions options = quickly();
  options.only_cached = true;
  EXPECT_EQ(failure([&] { GpuBatch<float>(robot, {{"inverse"}}, options).kernels(); }),
            "not in the cache of compiled kernels");
  // One that somebody damaged is not used; one that gives other results neither.
  ASSERT_EQ(cache.files().size(), 1U);
  std::filesystem::resize_file(cache.files().front(), 100);
  EXPECT_FALSE(kernel().from_cache);
  EXPECT_EQ(stub.calls("nvrtcCompileProgram"), 2);
}

TEST_F(Gpu, EveryFailureIsOneLine) {
  const Mechanism robot = shipped("planar2r");
  const auto made = [&](int device = 0) {
    GpuOptions options = quickly();
    options.device = device;
    GpuBatch<double>(robot, {{"inverse"}}, options).kernels();
  };
  EXPECT_EQ(failure([&] { made(2); }), "no CUDA device 2: there are 0 to 1");
  const auto with = [&](const char* function, int from, int code) {
    stub.reset();
    stub.fail(function, from, code);
    return failure([&] { made(); });
  };
  EXPECT_EQ(with("cuDeviceGetCount", 1, 100), "CUDA: no CUDA-capable device is detected (cuDeviceGetCount, error 100)");
  EXPECT_EQ(with("cuDevicePrimaryCtxRetain", 1, 101),
            "cannot use CUDA device 0: stub error (cuDevicePrimaryCtxRetain, error 101)");
  EXPECT_EQ(with("nvrtcCompileProgram", 1, 6),
            "NVRTC does not compile the kernel: catena.cu(7): error: identifier \"arm\" is undefined");
  EXPECT_EQ(with("nvrtcCreateProgram", 1, 1), "NVRTC: NVRTC_ERROR_STUB");
  EXPECT_EQ(
      with("cuModuleLoadData", 1, 209),
      "the CUDA driver (for CUDA 13.0) does not take the compiled kernel: stub error (cuModuleLoadData, error 209)");
  EXPECT_EQ(with("cuLaunchKernel", 1, 701), "the kernel was not started: stub error (cuLaunchKernel, error 701)");
  EXPECT_EQ(with("cuStreamSynchronize", 1, 719),
            "the kernel for inverse failed: unspecified launch failure (cuStreamSynchronize, error 719)");
}

TEST_F(Gpu, AFailingRunGivesBackWhatItHolds) {
  const Mechanism robot = shipped("planar2r");
  Batch<double> cpu(robot, {{"inverse"}}, {.engine = BatchEngine::generic, .threads = 1});
  GpuOptions options = quickly();
  options.staging = 1;
  constexpr std::size_t states = 9000;
  Table<double> table(cpu, states, Shape::columns);
  GpuBatch<double>(robot, {{"inverse"}}, options).run(states, table.inputs(cpu), table.outputs());  // all compiled
  // Any call of the driver, early or late, may be the one that fails.
  for (const char* function :
       {"cuMemAlloc_v2", "cuMemAllocHost_v2", "cuMemcpyHtoDAsync_v2", "cuMemcpyDtoHAsync_v2", "cuMemsetD8Async",
        "cuStreamCreate", "cuStreamSynchronize", "cuLaunchKernel", "cuModuleLoadData", "cuModuleGetFunction",
        "cuFuncGetAttribute", "cuOccupancyMaxActiveBlocksPerMultiprocessor", "cuCtxPushCurrent_v2"})
    for (const int from : {1, 2, 5, 9, 14}) {
      stub.reset();
      stub.fail(function, from, 700);
      const std::string said = failure(
          [&] { GpuBatch<double>(robot, {{"inverse"}}, options).run(states, table.inputs(cpu), table.outputs()); });
      const bool reached = stub.calls(function) >= from;
      EXPECT_EQ(said != "nothing was thrown", reached) << function << " " << from << ": " << said;
      stub.reset();
      EXPECT_EQ(stub.used(), 0U) << function << " " << from;
    }
}

TEST_F(Gpu, LittleMemoryMakesSmallBlocksAndNoneIsSaid) {
  const Mechanism robot = shipped("ur5");
  Batch<double> cpu(robot, {{"inverse"}}, {.engine = BatchEngine::generic, .threads = 1});
  constexpr std::size_t states = 20000;
  Table<double> expected(cpu, states, Shape::rows), actual = expected;
  cpu.run(states, expected.inputs(cpu), expected.outputs());
  {
    GpuBatch<double> gpu(robot, {{"inverse"}}, quickly());
    stub.limit(std::size_t(2) << 20);
    EXPECT_EQ(gpu.run(states, actual.inputs(cpu), actual.outputs()).states, states);
    expect_near(actual, expected, 1e-12);
  }
  GpuBatch<double> gpu(robot, {{"inverse"}}, quickly());
  stub.limit(300000);
  EXPECT_EQ(failure([&] { gpu.run(states, actual.inputs(cpu), actual.outputs()); }).substr(0, 41),
            "out of memory on the CUDA device: 1 MiB a");
}

TEST_F(Gpu, RefusesWhatItCannotCompute) {
  EXPECT_THROW(GpuBatch<double>(shipped("planar2r"), {{"inverse"}, {"inverse"}}, quickly()), std::invalid_argument);
  EXPECT_THROW(GpuBatch<double>(shipped("planar2r"), {{"nothing"}}, quickly()), std::invalid_argument);
  EXPECT_EQ(parse_devices("cuda"), std::vector{0});
  EXPECT_EQ(parse_devices("cuda:3,cuda"), (std::vector{3, 0}));
  for (const char* text : {"", "cpu", "cuda:", "cuda:x", "cuda:-1", "cuda:1x", "CUDA"})
    EXPECT_THROW(parse_devices(text), std::invalid_argument) << text;
}

}  // namespace
}  // namespace catena::gpu_test

// The layer gpu on a stub of CUDA: every job, every layout, every failure.
#include "catena/gpu.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/free_robots.hpp"
#include "support/gpu_stub.hpp"

namespace catena::gpu_test {
namespace {

using Gpu = test::OnStub;
using test::expect_like_batch;
using test::expect_near;
using test::Lying;
using test::Random;
using test::shipped;
using test::Table;

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
  expect_like_batch<double>(shipped("ur5"), all_jobs(), quickly(), 37, Lying::rows, 1e-12);
  expect_like_batch<double>(shipped("stanford"), all_jobs(), quickly(), 41, Lying::columns, 1e-11);
  expect_like_batch<float>(shipped("panda"), all_jobs(), quickly(), 33, Lying::columns, 2e-3);
}

TEST_F(Gpu, TreesCoupledJointsFreeAndMovingBases) {
  Random random(5);
  Robot tree =
      test::random_robot(random, {.joints = 7, .shape = test::Shape::tree, .massless_links = false, .drives = true});
  expect_like_batch<double>(make_mechanism(tree), {{"inverse"}, {"forward"}, {"jacobian"}}, quickly(), 20, Lying::rows,
                            1e-10);
  test::couple_some(random, tree, 0.5);
  expect_like_batch<double>(make_mechanism(tree), {{"inverse"}, {"inertia"}}, quickly(), 20, Lying::strided, 1e-10);
  expect_like_batch<double>(on_moving_base(make_mechanism(tree)), {{"inverse"}, {"forward"}, {"drift"}}, quickly(), 20,
                            Lying::columns, 1e-10);
  // Random numbers are no quaternions: every state is handed to the CPU, which refuses it.
  const Mechanism free = make_mechanism(test::random_free(random, 3, false));
  expect_like_batch<double>(free, {{"inverse"}}, quickly(), 9, Lying::rows, 1e-10);
}

// Their rows leave in tiles, and formulations are chosen for kernels.
TEST_F(Gpu, LargeRobotsInEveryLayout) {
  Random random(7);
  const Robot tree = test::random_robot(random, {.joints = 21, .shape = test::Shape::tree, .massless_links = false});
  for (const Lying shape : {Lying::rows, Lying::columns}) {
    expect_like_batch<double>(make_mechanism(tree), {{"inertia"}, {"inverse"}}, quickly(), 45, shape, 1e-10);
    expect_like_batch<float>(make_mechanism(tree), {{"inertia"}}, quickly(), 45, shape, 2e-3);
  }
}

TEST_F(Gpu, ManyBlocksInEveryLayout) {
  GpuOptions options = quickly();
  options.staging = 1;  // the fewest states
  for (const Lying shape : {Lying::rows, Lying::columns, Lying::strided})
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
    Table<double> expected(cpu, states, Lying::columns), actual = expected;
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
  for (const Lying shape : {Lying::rows, Lying::columns}) {
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
  Table<double> expected(cpu, states, Lying::rows);
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
  Table<double> table(cpu, states, Lying::columns);
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
  for (void* stream : streams) stub.function<int(void*)>("cuStreamDestroy_v2")(stream);
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
  Table<double> table(cpu, states, Lying::columns);
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
  Table<double> expected(cpu, states, Lying::rows), actual = expected;
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
  GpuOptions three = quickly();
  three.together = 3;
  EXPECT_THROW(GpuBatch<float>(shipped("planar2r"), {{"inverse"}}, three).kernels(), std::invalid_argument);
  EXPECT_EQ(parse_devices("cuda"), std::vector{0});
  EXPECT_EQ(parse_devices("cuda:3,cuda"), (std::vector{3, 0}));
  for (const char* text : {"", "cpu", "cuda:", "cuda:x", "cuda:-1", "cuda:1x", "CUDA"})
    EXPECT_THROW(parse_devices(text), std::invalid_argument) << text;
}

}  // namespace
}  // namespace catena::gpu_test

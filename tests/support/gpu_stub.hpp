// A stub of CUDA (tests/gpu/stub_cuda.cpp) for tests of the layer gpu: kernels run as plain code, every call is
// counted, any can fail. Results are held against Batch on the CPU.
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cmath>

#include "catena/gpu.hpp"
#include "catena/robot_file.hpp"
#include "support/cache_folder.hpp"
#include "support/random_robot.hpp"

namespace catena::test {

inline Mechanism shipped(const char* name) { return make_mechanism(load_robot(find_model(name))); }

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

class OnStub : public testing::Test {
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
  CacheFolder cache;
};

enum class Lying { rows, columns, strided };

// States of a robot in some layout, with room for results around which nothing may be written.
template <class S>
struct Table {
  std::size_t states;
  Lying shape;
  std::array<std::vector<S>, std::size(all_inputs)> values;
  std::vector<std::vector<S>> results;
  std::vector<std::size_t> sizes;

  Table(const Batch<S>& like, std::size_t count, Lying laid, std::uint64_t seed = 1) : states(count), shape(laid) {
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
    return shape == Lying::strided ? states * entries * 3 + 5 : states * entries;
  }
  template <class T>
  StateArray<T> laid(T* data, std::size_t entries) const {
    if (shape == Lying::rows) return states_in_rows(data, entries);
    if (shape == Lying::columns) return states_in_columns(data, states);
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
                       std::size_t states, Lying shape, double allowed) {
  Batch<S> cpu(robot, jobs, {.engine = BatchEngine::generic, .threads = 1});
  GpuBatch<S> gpu(robot, jobs, options);
  Table<S> expected(cpu, states, shape), actual = expected;
  const BatchReport right = cpu.run(states, expected.inputs(cpu), expected.outputs());
  const BatchReport report = gpu.run(states, actual.inputs(cpu), actual.outputs());
  EXPECT_EQ(report.states, states);
  EXPECT_EQ(report.failed, right.failed) << report.why;
  expect_near(actual, expected, allowed);
}

}  // namespace catena::test

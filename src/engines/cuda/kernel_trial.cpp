#include "engines/cuda/kernel_trial.hpp"

#include "engines/self_test.hpp"

namespace catena::gpu {
namespace {

constexpr std::size_t most_states = 37, trial_stride = 40;  // more than a warp, and rows with gaps between them

// All inputs, or all outputs, of a program, concatenated in one array on the device.
template <class S>
struct Row {
  std::vector<S> values;
  std::vector<std::size_t> starts;
  std::vector<int> sizes;
  GpuLayout layout;
  DeviceMemory memory;

  template <class Arguments>
  Row(const SessionPointer& session, const Arguments& arguments, GpuLayout where) : layout(where) {
    std::size_t all = 0;
    for (const Argument& a : arguments) {
      starts.push_back(all);
      sizes.push_back(a.size());
      all += std::size_t(a.size()) * trial_stride;
    }
    values.assign(all, S(-7));
    memory = DeviceMemory(session, all * sizeof(S));
  }
  S& at(std::size_t array, int entry, std::size_t state) {
    const std::size_t j = std::size_t(entry);
    return values[starts[array] +
                  (layout == GpuLayout::columns ? j * trial_stride + state : state * std::size_t(sizes[array]) + j)];
  }
  // Some programs read nothing, or give nothing; a driver need not take a copy of nothing from nowhere.
  void send(const Driver& driver, Stream stream) const {
    if (!values.empty()) CATENA_CUDA(driver, cuMemcpyHtoDAsync_v2, memory.get(), values.data(), bytes(), stream);
  }
  void fetch(const Driver& driver, Stream stream) {
    if (!values.empty()) CATENA_CUDA(driver, cuMemcpyDtoHAsync_v2, values.data(), memory.get(), bytes(), stream);
  }
  std::size_t bytes() const { return values.size() * sizeof(S); }
};

}  // namespace

template <class S>
void require_results(const SessionPointer& session, const Kernel& kernel, const Program& program,
                     KernelLayout kernel_layout) {
  const GpuLayout layout = kernel_layout.layout;
  const std::size_t states = most_states - most_states % std::size_t(kernel_layout.states_per_thread);
  const Driver& driver = session->driver();
  const Session::Current current(*session);
  Row<S> in(session, program.inputs, layout), out(session, program.outputs, layout);
  const engines::StateRows given = engines::test_states<S>(program, states);
  for (std::size_t k = 0; k < states; ++k) {
    const double* next = given[k].data();
    for (std::size_t a = 0; a < in.sizes.size(); ++a)
      for (int j = 0; j < in.sizes[a]; ++j) in.at(a, j, k) = S(*next++);
  }
  const OwnStream stream(session);
  in.send(driver, stream.get());
  out.send(driver, stream.get());
  unsigned long long count = states, step = trial_stride;
  std::vector<DevicePointer> pointers;
  for (const std::size_t start : in.starts) pointers.push_back(in.memory.get() + start * sizeof(S));
  for (const std::size_t start : out.starts) pointers.push_back(out.memory.get() + start * sizeof(S));
  std::vector<void*> arguments{&count, &step};
  for (DevicePointer& pointer : pointers) arguments.push_back(&pointer);
  kernel.launch(states / std::size_t(kernel_layout.states_per_thread), stream.get(), arguments);
  out.fetch(driver, stream.get());
  driver.require(driver.cuStreamSynchronize(stream.get()), "cuStreamSynchronize",
                 "the kernel for " + program.jobs.front() + " failed");

  engines::StateRows results(states);
  for (std::size_t k = 0; k < states; ++k)
    for (std::size_t a = 0; a < out.sizes.size(); ++a)
      for (int j = 0; j < out.sizes[a]; ++j) results[k].push_back(double(out.at(a, j, k)));
  if (const std::string wrong = engines::disagreement<S>(program, given, results); !wrong.empty())
    throw GpuError("the kernel for " + program.jobs.front() + " " + wrong);
}

template void require_results<double>(const SessionPointer&, const Kernel&, const Program&, KernelLayout);
template void require_results<float>(const SessionPointer&, const Kernel&, const Program&, KernelLayout);

}  // namespace catena::gpu

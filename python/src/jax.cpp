// Jobs as functions that XLA calls from compiled JAX programs: on the CPU in batches, on graphics processors as kernels
// in XLA's own stream. catena/adapters/jax.py registers them.
#include <nanobind/stl/string.h>

#include <algorithm>
#include <mutex>

#include "bindings.hpp"
#include "evaluate.hpp"
#include "gpu_work.hpp"
#include "xla.hpp"

namespace catena::python {
namespace {

// A job that compiled programs refer to by its number. It lives as long as the process, as such programs may.
struct XlaJob {
  std::shared_ptr<Loaded> robot;
  std::size_t job = 0;
  bool gradient = false, search = true;
  system::ForkedMutex mutex;                                         // guards the kernels
  std::map<std::pair<int, bool>, std::unique_ptr<GpuWork>> kernels;  // by device and precision
};
struct AllJobs {
  system::ForkedMutex mutex;
  std::vector<std::unique_ptr<XlaJob>> jobs;
};
AllJobs& all_jobs() {
  static AllJobs& all = *new AllJobs;  // never freed: when the process ends, the driver may be unloaded first
  return all;
}

std::size_t add_job(const RobotCore& robot, const std::string& job, bool gradient, bool search) {
  auto made = std::make_unique<XlaJob>();
  made->robot = robot.loaded;
  made->job = job_index(job);
  made->gradient = gradient;
  made->search = search;
  const std::lock_guard lock(all_jobs().mutex);
  auto& all = all_jobs().jobs;
  const auto same = std::find_if(all.begin(), all.end(), [&](const std::unique_ptr<XlaJob>& other) {
    return other->robot == made->robot && other->job == made->job && other->gradient == gradient &&
           other->search == search;
  });
  if (same != all.end()) return std::size_t(same - all.begin());
  all.push_back(std::move(made));
  return all.size() - 1;
}

XlaJob& job_of(const xla::Call& call) {
  for (std::int64_t k = 0; k < call.attributes.count; ++k) {
    const xla::Text& name = *call.attributes.names[k];
    if (std::string_view(name.first, name.length) != "job") continue;
    const std::size_t number = std::size_t(
        *static_cast<const std::int64_t*>(static_cast<const xla::Scalar*>(call.attributes.values[k])->value));
    const std::lock_guard lock(all_jobs().mutex);
    return *all_jobs().jobs.at(number);
  }
  throw std::invalid_argument("the call does not say its job");
}

std::size_t numbers_of(const xla::Buffer& buffer) {
  std::size_t all = 1;
  for (std::int64_t d = 0; d < buffer.rank; ++d) all *= std::size_t(buffer.sides[d]);
  return all;
}

// All arrays as rows, in one precision.
struct Arrays {
  std::vector<std::size_t> in, out;  // addresses
  std::size_t states = 0;
  bool single = false;
};
Arrays arrays_of(const xla::Call& call, const std::vector<std::size_t>& in_sizes,
                 const std::vector<std::size_t>& out_sizes) {
  Arrays arrays;
  const auto take = [&](const xla::Buffers& all, const std::vector<std::size_t>& sizes, std::vector<std::size_t>& to) {
    if (std::size_t(all.count) != sizes.size())
      throw std::invalid_argument(std::to_string(all.count) + " arrays where the job has " +
                                  std::to_string(sizes.size()));
    for (std::size_t k = 0; k < sizes.size(); ++k) {
      const xla::Buffer& buffer = *all.buffers[k];
      const std::size_t numbers = numbers_of(buffer);
      if (call.arguments.buffers[0] == &buffer) {
        arrays.states = 1;
        for (std::int64_t d = 0; d + 1 < buffer.rank; ++d) arrays.states *= std::size_t(buffer.sides[d]);
        arrays.single = buffer.type == xla::Number::float32;
      }
      if (buffer.type != (arrays.single ? xla::Number::float32 : xla::Number::float64))
        throw std::invalid_argument("arrays must all be float32 or all be float64");
      if (numbers != arrays.states * sizes[k])
        throw std::invalid_argument("an array has " + std::to_string(numbers) + " numbers, " +
                                    std::to_string(arrays.states) + " states have " +
                                    std::to_string(arrays.states * sizes[k]));
      to.push_back(reinterpret_cast<std::size_t>(buffer.data));
    }
  };
  take(call.arguments, in_sizes, arrays.in);
  take(call.results, out_sizes, arrays.out);
  return arrays;
}

// --- on the CPU ---

template <class S>
void run_batch(XlaJob& job, const Arrays& arrays, const std::vector<std::size_t>& in_sizes,
               const std::vector<std::size_t>& out_sizes) {
  const std::vector<Input>& inputs = job.robot->inputs[job.job];
  BatchInputs<S> in;
  std::vector<StateArray<S>> out;
  for (std::size_t k = 0; k < in_sizes.size(); ++k)
    in[inputs[k]] = states_in_rows(reinterpret_cast<const S*>(arrays.in[k]), in_sizes[k]);
  for (std::size_t k = 0; k < out_sizes.size(); ++k)
    out.push_back(states_in_rows(reinterpret_cast<S*>(arrays.out[k]), out_sizes[k]));
  job.robot->servers<S>().batch(job.robot->mechanism, {.job = job.job})->run(arrays.states, in, out);
}

void on_cpu(const xla::Call& call) {
  XlaJob& job = job_of(call);
  const JobInfo& info = jobs()[job.job];
  const Sizes& sizes = job.robot->sizes;
  std::vector<std::size_t> in, out;
  for (const Input input : job.robot->inputs[job.job]) in.push_back(index(info_of(input).size(sizes)));
  for (const OutputInfo& output : info.outputs) out.push_back(index(output.size(sizes)));
  const Arrays arrays = arrays_of(call, in, out);
  if (arrays.states == 0) return;
  arrays.single ? run_batch<float>(job, arrays, in, out) : run_batch<double>(job, arrays, in, out);
}

// --- on a graphics processor ---

void* stream_of(const xla::Call& call) {
  xla::StreamArguments arguments{sizeof(xla::StreamArguments), nullptr, call.context, nullptr};
  if (xla::Error* error = call.api->stream_of(&arguments)) {
    xla::ErrorHandle handle{sizeof(xla::ErrorHandle), nullptr, error};
    call.api->give_back_error(&handle);
    throw std::runtime_error("the call has no stream");
  }
  return arguments.stream;
}

void on_gpu(const xla::Call& call) {
  XlaJob& job = job_of(call);
  void* const stream = stream_of(call);
  const bool single = call.arguments.count > 0 && call.arguments.buffers[0]->type == xla::Number::float32;
  const int device = device_of_stream(stream);
  const std::lock_guard lock(job.mutex);
  std::unique_ptr<GpuWork>& work = job.kernels[{device, single}];
  if (!work) {
    GpuOptions options;
    options.device = device;
    options.search = job.search;
    work = make_gpu_work(*job.robot, {job.job, job.gradient, single, ""}, options);
  }
  std::vector<std::size_t> in, out;
  for (const GpuArray& array : work->inputs()) in.push_back(array.size());
  for (const GpuArray& array : work->outputs()) out.push_back(array.size());
  const Arrays arrays = arrays_of(call, in, out);
  if (arrays.states > 0) work->launch(arrays.states, arrays.states, GpuLayout::rows, arrays.in, arrays.out, stream);
}

// The function that XLA calls: first to ask for metadata, then once per stage.
template <void (*work)(const xla::Call&)>
xla::Error* handler(xla::Call* call) {
  for (xla::Extension* asked = call->extensions; asked != nullptr; asked = asked->next)
    if (asked->type == 1) {
      xla::Metadata& told = *reinterpret_cast<xla::MetadataExtension*>(asked)->metadata;
      told.version.major = call->api->version.major;  // nothing used here differs between versions
      told.version.minor = call->api->version.minor;
      told.traits = 0;
      return nullptr;
    }
  if (call->stage != xla::execute) return nullptr;
  std::string message;
  try {
    work(*call);
    return nullptr;
  } catch (const std::exception& error) {
    message = std::string("catena: ") + error.what();
  }
  xla::ErrorArguments arguments{sizeof(xla::ErrorArguments), nullptr, message.c_str(), 13};
  return call->api->make_error(&arguments);
}

template <void (*work)(const xla::Call&)>
nb::capsule capsule() {
  return nb::capsule(reinterpret_cast<void*>(&handler<work>));
}

}  // namespace

void bind_jax(nb::module_& module) {
  module.def("xla_job", &add_job, nb::arg("robot"), nb::arg("job"), nb::arg("gradient"), nb::arg("search"));
  module.def("xla_handlers", [] {
    nb::dict all;
    all["cpu"] = capsule<on_cpu>();
    all["CUDA"] = capsule<on_gpu>();
    return all;
  });
}

}  // namespace catena::python

// Jobs as functions that XLA calls from compiled JAX programs: on the CPU in batches, on graphics processors as kernels
// in XLA's own stream. catena/adapters/jax.py registers them.
#include <nanobind/stl/string.h>

#include <algorithm>
#include <mutex>

#include "along_states.hpp"
#include "bindings.hpp"
#include "evaluate.hpp"
#include "gpu_work.hpp"
#include "xla.hpp"

namespace catena::python {
namespace {

// What a compiled program asks for: a job; its gradient, as a kernel; or its derivatives along directions.
struct XlaAsked {
  std::string job, frame;
  int order = 0;  // of the derivatives; 0: the job itself
  bool gradient = false, weighed = false, search = true;

  bool operator==(const XlaAsked&) const = default;
};
// Compiled programs refer to it by its number; those of another process by its words, from which it is made again. It
// lives as long as the process, as such programs may.
struct XlaJob {
  std::shared_ptr<Loaded> robot;
  XlaAsked asked;
  std::string words;
  std::size_t job = 0;
  int frame = tool_frame;
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

std::size_t add_job(const RobotCore& robot, const XlaAsked& asked, const std::string& words) {
  auto made = std::make_unique<XlaJob>();
  made->robot = robot.loaded;
  made->asked = asked;
  made->words = words;
  made->job = job_index(asked.job);
  made->frame = frame_of(robot.loaded->mechanism, asked.frame);
  const std::lock_guard lock(all_jobs().mutex);
  auto& all = all_jobs().jobs;
  const auto same = std::find_if(all.begin(), all.end(), [&](const std::unique_ptr<XlaJob>& other) {
    return other->robot == made->robot && other->asked == asked && other->words == words;
  });
  if (same != all.end()) return std::size_t(same - all.begin());
  all.push_back(std::move(made));
  return all.size() - 1;
}

// Null where this process has not made it.
XlaJob* job_with(std::size_t number, std::string_view words) {
  const std::lock_guard lock(all_jobs().mutex);
  const auto& all = all_jobs().jobs;
  if (number < all.size() && all[number]->words == words) return all[number].get();
  const auto same = std::find_if(all.begin(), all.end(), [&](const auto& other) { return other->words == words; });
  return same == all.end() ? nullptr : same->get();
}
const void* attribute(const xla::Call& call, std::string_view wanted) {
  for (std::int64_t k = 0; k < call.attributes.count; ++k) {
    const xla::Text& name = *call.attributes.names[k];
    if (std::string_view(name.first, name.length) == wanted) return call.attributes.values[k];
  }
  throw std::invalid_argument("the call does not say its " + std::string(wanted));
}
XlaJob& job_of(const xla::Call& call) {
  const auto number = *static_cast<const std::int64_t*>(static_cast<const xla::Scalar*>(attribute(call, "job"))->value);
  const xla::Text& text = *static_cast<const xla::Text*>(attribute(call, "words"));
  const std::string_view words(text.first, text.length);
  if (XlaJob* known = job_with(std::size_t(number), words)) return *known;
  const nb::gil_scoped_acquire python;  // a program that another process exported
  try {
    nb::module_::import_("catena.adapters.jax").attr("_made_again")(nb::str(words.data(), words.size()));
  } catch (const nb::python_error& error) {
    throw std::invalid_argument(error.what());
  }
  if (XlaJob* made = job_with(0, words)) return *made;
  throw std::invalid_argument("the exported program does not say its robot");
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
  job.robot->servers<S>()
      .batch(job.robot->mechanism, {.job = job.job, .frame = job.frame})
      ->run(arrays.states, in, out);
}
template <class S>
void run_along(AlongStates& work, const Arrays& arrays) {
  std::vector<const S*> in;
  std::vector<S*> out;
  for (const std::size_t address : arrays.in) in.push_back(reinterpret_cast<const S*>(address));
  for (const std::size_t address : arrays.out) out.push_back(reinterpret_cast<S*>(address));
  work.run(arrays.states, in, out);
}
void along_on_cpu(const xla::Call& call, XlaJob& job) {
  AlongStates& work = along_of(*job.robot, {job.job, job.asked.order, job.frame, job.asked.weighed});
  const Arrays arrays = arrays_of(call, work.in_sizes(), work.out_sizes());
  arrays.single ? run_along<float>(work, arrays) : run_along<double>(work, arrays);
}

void on_cpu(const xla::Call& call) {
  XlaJob& job = job_of(call);
  if (job.asked.order > 0) return along_on_cpu(call, job);
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
  if (job.asked.order > 0)
    throw std::invalid_argument("derivatives of '" + job.asked.job + "' of this robot are computed on the CPU alone");
  void* const stream = stream_of(call);
  const bool single = call.arguments.count > 0 && call.arguments.buffers[0]->type == xla::Number::float32;
  const int device = device_of_stream(stream);
  const std::lock_guard lock(job.mutex);
  std::unique_ptr<GpuWork>& work = job.kernels[{device, single}];
  if (!work) {
    GpuOptions options;
    options.device = device;
    options.search = job.asked.search;
    options.frame = job.frame;
    work = make_gpu_work(*job.robot, {job.job, job.asked.gradient, single, ""}, options);
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
  module.def(
      "xla_job",
      [](const RobotCore& robot, const std::string& words, const std::string& job, const std::string& frame, int order,
         bool gradient, bool weighed, bool search) {
        return add_job(robot, {job, frame, order, gradient, weighed, search}, words);
      },
      nb::arg("robot"), nb::arg("words"), nb::kw_only(), nb::arg("job"), nb::arg("frame") = "", nb::arg("order") = 0,
      nb::arg("gradient") = false, nb::arg("weighed") = false, nb::arg("search") = true);
  module.def("xla_handlers", [] {
    nb::dict all;
    all["cpu"] = capsule<on_cpu>();
    all["CUDA"] = capsule<on_gpu>();
    return all;
  });
}

}  // namespace catena::python

// Jobs on graphics processors, on arrays of the device by their addresses. catena/gpu.py knows whose arrays they are.
#include "catena/gpu/batch.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <variant>

#include "bindings.hpp"
#include "evaluate.hpp"

namespace catena::python {
namespace {

struct GpuJob {
  std::variant<GpuBatch<double>, GpuBatch<float>> batch;

  static std::variant<GpuBatch<double>, GpuBatch<float>> made(const RobotCore& robot, const std::string& job,
                                                              bool single, int device, const std::string& method,
                                                              const std::string& frame, bool search) {
    const JobInfo& info = jobs()[job_index(job)];
    if (!frame.empty() && !info.takes_frame) throw std::invalid_argument(python_name(info) + " takes no frame");
    GpuOptions options;
    options.device = device;
    options.search = search;
    options.frame = frame_of(robot.loaded->mechanism, frame);
    const std::vector<BatchJob> asked{{std::string(info.name), method}};
    const nb::gil_scoped_release others_run;
    if (single) return GpuBatch<float>(robot.loaded->mechanism, asked, options);
    return GpuBatch<double>(robot.loaded->mechanism, asked, options);
  }

  nb::list inputs() const {
    return std::visit(
        [](const auto& own) {
          nb::list all;
          for (const Input input : own.inputs())
            all.append(nb::make_tuple(std::string(info_of(input).name), own.size(input)));
          return all;
        },
        batch);
  }
  nb::list outputs() const {
    return std::visit(
        [](const auto& own) {
          nb::list all;
          for (const auto& output : own.outputs())
            all.append(nb::make_tuple(output.name, output.rows, output.columns, output.info->is_matrix(),
                                      output.info->is_number()));
          return all;
        },
        batch);
  }
  void launch(std::size_t states, std::size_t stride, bool rows, const std::vector<std::size_t>& in,
              const std::vector<std::size_t>& out, std::size_t stream) {
    const nb::gil_scoped_release others_run;
    std::visit(
        [&]<class S>(GpuBatch<S>& own) {
          std::vector<const S*> from;
          std::vector<S*> to;
          for (const std::size_t address : in) from.push_back(reinterpret_cast<const S*>(address));
          for (const std::size_t address : out) to.push_back(reinterpret_cast<S*>(address));
          own.launch(states, stride, rows ? GpuLayout::rows : GpuLayout::columns, from, to,
                     reinterpret_cast<void*>(stream));
        },
        batch);
  }
  nb::dict kernel(bool rows) {
    const GpuKernelReport report =
        std::visit([&](auto& own) { return own.kernels(rows ? GpuLayout::rows : GpuLayout::columns).front(); }, batch);
    nb::dict out;
    out["method"] = report.formulation;
    out["registers"] = report.registers;
    out["block"] = report.block;
    out["occupancy"] = report.occupancy;
    out["from_cache"] = report.from_cache;
    return out;
  }
};

nb::dict gpus() {
  const GpuSurvey survey = survey_gpus();
  nb::dict out;
  out["usable"] = survey.usable();
  out["driver"] = survey.driver_version.empty() ? survey.no_driver : survey.driver_version;
  out["nvrtc"] = survey.compiler_version.empty() ? survey.no_compiler : survey.compiler_version;
  nb::list devices;
  for (const GpuDevice& device : survey.devices) {
    nb::dict one;
    one["index"] = device.index;
    one["name"] = device.name;
    one["capability"] = nb::make_tuple(device.major, device.minor);
    one["memory"] = device.memory;
    devices.append(one);
  }
  out["devices"] = devices;
  return out;
}

}  // namespace

void bind_gpu(nb::module_& module) {
  nb::exception<GpuError>(module, "GpuError", PyExc_RuntimeError);
  module.def("gpus", &gpus);
  nb::class_<GpuJob>(module, "GpuJob")
      .def(
          "__init__",
          [](GpuJob* self, const RobotCore& robot, const std::string& job, bool single, int device,
             const std::string& method, const std::string& frame,
             bool search) { new (self) GpuJob{GpuJob::made(robot, job, single, device, method, frame, search)}; },
          nb::arg("robot"), nb::arg("job"), nb::arg("single"), nb::arg("device"), nb::arg("method"), nb::arg("frame"),
          nb::arg("search"))
      .def_prop_ro("inputs", &GpuJob::inputs)
      .def_prop_ro("outputs", &GpuJob::outputs)
      .def("kernel", &GpuJob::kernel, nb::arg("rows"))
      .def("launch", &GpuJob::launch, nb::arg("states"), nb::arg("stride"), nb::arg("rows"), nb::arg("arrays"),
           nb::arg("results"), nb::arg("stream"));
}

}  // namespace catena::python

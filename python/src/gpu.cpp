// Jobs on graphics processors, on device arrays given by their addresses. catena/gpu.py knows whose arrays they are.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "evaluate.hpp"
#include "gpu_work.hpp"

namespace catena::python {
namespace {

GpuLayout layout_of(bool rows) { return rows ? GpuLayout::rows : GpuLayout::columns; }

struct GpuJob {
  std::unique_ptr<GpuWork> work;

  GpuJob(const RobotCore& robot, const std::string& job, bool single, int device, const std::string& method,
         const std::string& frame, bool search, bool gradient) {
    const GpuAsked asked{job_index(job), gradient, single, method};
    const JobInfo& info = jobs()[asked.job];
    if (!frame.empty() && !info.takes_frame) throw std::invalid_argument(python_name(info) + " takes no frame");
    GpuOptions options;
    options.device = device;
    options.search = search;
    options.frame = frame_of(robot.loaded->mechanism, frame);
    const nb::gil_scoped_release others_run;
    work = make_gpu_work(*robot.loaded, asked, options);
  }

  nb::list inputs() const {
    nb::list all;
    for (const GpuArray& array : work->inputs()) all.append(nb::make_tuple(array.name, array.size()));
    return all;
  }
  nb::list outputs() const {
    nb::list all;
    for (const GpuArray& array : work->outputs())
      all.append(nb::make_tuple(array.name, array.rows, array.columns, array.is_matrix, array.is_number));
    return all;
  }
  void launch(std::size_t states, std::size_t stride, bool rows, const std::vector<std::size_t>& in,
              const std::vector<std::size_t>& out, std::size_t stream) {
    const nb::gil_scoped_release others_run;
    work->launch(states, stride, layout_of(rows), in, out, reinterpret_cast<void*>(stream));
  }
  nb::dict kernel(bool rows) {
    const GpuKernelReport report = work->kernel(layout_of(rows));
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
      .def(nb::init<const RobotCore&, const std::string&, bool, int, const std::string&, const std::string&, bool,
                    bool>(),
           nb::arg("robot"), nb::arg("job"), nb::arg("single"), nb::arg("device"), nb::arg("method"), nb::arg("frame"),
           nb::arg("search"), nb::arg("gradient"))
      .def_prop_ro("inputs", &GpuJob::inputs)
      .def_prop_ro("outputs", &GpuJob::outputs)
      .def("kernel", &GpuJob::kernel, nb::arg("rows"))
      .def("launch", &GpuJob::launch, nb::arg("states"), nb::arg("stride"), nb::arg("rows"), nb::arg("arrays"),
           nb::arg("results"), nb::arg("stream"));
}

}  // namespace catena::python

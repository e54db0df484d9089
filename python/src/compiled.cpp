// Code compiled for the robot and loaded, as a function.
#include <nanobind/stl/string.h>

#include <mutex>

#include "bindings.hpp"
#include "catena/compile.hpp"
#include "evaluate.hpp"
#include "model/asking.hpp"

namespace catena::python {
namespace {

// Only one thread at a time may use a call: threads take turns, or each has a copy.
struct CompiledJob {
  std::shared_ptr<Loaded> robot;
  std::size_t job;
  std::shared_ptr<Idle<double>> idle;
  Call<double> first;
  Extra extra;  // what it was compiled for

  nb::object operator()(const nb::args& given) {
    std::vector<nb::handle> all(given.begin(), given.end());
    const std::size_t taken = robot->inputs[job].size();
    if (all.size() != taken && all.size() != first.job().inputs.size())
      throw nb::type_error(
          ("this function takes " + std::to_string(taken) + " arrays, not " + std::to_string(all.size())).c_str());
    std::unique_ptr<Call<double>> call = idle->take();
    if (!call) call = std::make_unique<Call<double>>(first);
    const auto back = [&](Call<double>*) { idle->give_back(std::move(call)); };
    const std::unique_ptr<Call<double>, decltype(back)> at_the_end(call.get(), back);
    return evaluate(*call, *robot, job, all, extra);
  }
};

CompiledJob compile_job(const RobotCore& robot, const std::string& job, const std::string& method,
                        const std::string& frame, bool search, bool generic) {
  const std::size_t number = job_index(job);
  if (!frame.empty() && !jobs()[number].takes_frame)
    throw std::invalid_argument(python_name(jobs()[number]) + " takes no frame");
  CompileOptions options{.formulation = method, .frame = frame_of(robot.loaded->mechanism, frame), .search = search};
  options.progress = [](const CompileProgress& now) { ask(0.5 * now.share + (now.compiling ? 0.5 : 0.0)); };
  const nb::gil_scoped_release others_run;
  const auto make = generic ? &compile_or_generic : &compile;
  CompiledJob made{robot.loaded,
                   number,
                   std::make_shared<Idle<double>>(),
                   make(robot.loaded->mechanism, jobs()[number].name, options),
                   {.formulation = method, .frame = options.frame}};
  made.extra.engine = made.first.engine().kind == EngineKind::compiled ? BatchEngine::compiled : BatchEngine::generic;
  return made;
}

}  // namespace

void bind_compiled(nb::module_& module) {
  nb::class_<CompiledJob>(module, "CompiledJob",
                          "A job of one robot as code compiled for it: call it as the robot's method.")
      .def(nb::init<const CompiledJob&>())
      .def("__call__", &CompiledJob::operator(), nb::arg("given"),
           nb::sig("def __call__(self, *given: ArrayLike) -> Any"))
      .def_prop_ro(
          "job", [](const CompiledJob& c) { return std::string(c.first.job().name); }, "its name")
      .def_prop_ro(
          "method", [](const CompiledJob& c) { return std::string(c.first.formulation().name); }, "its formulation")
      .def_prop_ro(
          "engine",
          [](const CompiledJob& c) { return c.first.engine().kind == EngineKind::compiled ? "compiled" : "generic"; },
          "\"compiled\", or \"generic\" where it could not be compiled")
      .def_prop_ro(
          "why", [](const CompiledJob& c) { return c.first.engine().why; }, "why it is not compiled, if so")
      .def_prop_ro(
          "from_cache", [](const CompiledJob& c) { return c.first.engine().from_cache; },
          "whether it had been compiled before")
      .def("__repr__", [](const CompiledJob& c) {
        return "<" + std::string(c.first.engine().kind == EngineKind::compiled ? "compiled" : "generic") + " " +
               python_name(c.first.job()) + " of '" + c.robot->robot.name + "' by " +
               std::string(c.first.formulation().name) + ">";
      });
  module.def("compile_job", &compile_job);
}

}  // namespace catena::python

// Every job of the library as a method of Robot, generated from its description: no job is named here, except in the
// table of Python names.
#include <nanobind/stl/string.h>

#include <algorithm>
#include <deque>
#include <utility>

#include "arrays.hpp"
#include "bindings.hpp"
#include "evaluate.hpp"
#include "jobs/derivatives.hpp"
#include "jobs/extent_text.hpp"

namespace catena::python {
namespace {

struct Alias {
  std::string_view job, name;
};
constexpr Alias aliases[] = {{"inverse", "inverse_dynamics"},
                             {"forward", "forward_dynamics"},
                             {"inertia", "inertia_matrix"},
                             {"coriolis", "coriolis_matrix"}};

// Keeps a text alive to which Python holds a pointer.
const char* kept(std::string text) {
  static std::deque<std::string> all;
  return all.emplace_back(std::move(text)).c_str();
}

// --- docstrings ---

std::string unit_text(const Unit& unit) {
  if (unit.turning.empty()) return "mixed units";
  if (unit.turning == unit.sliding) return std::string(unit.turning);
  return std::string(unit.turning) + " (" + std::string(unit.sliding) + " where a joint slides)";
}
std::string output_shape(const OutputInfo& output) {
  if (output.is_number()) return "(...)";
  return "(..., " + extent_text(output.rows) + (output.is_matrix() ? ", " + extent_text(output.columns) : "") + ")";
}

std::string signature(const JobInfo& job) {
  std::string text = "def " + python_name(job) + "(self";
  for (const Input input : job.inputs) text += ", " + std::string(info_of(input).name) + ": ArrayLike";
  text += ", base: ArrayLike | None = None, *, method: str | None = None";
  if (job.feels_wrenches()) text += ", wrenches: Wrenches | None = None";
  if (job.takes_frame) text += ", frame: str | None = None";
  text += job.outputs.size() == 1 ? ", out: Array | None = None" : ", out: tuple[Array, ...] | None = None";
  return text + ", threads: int | None = None, engine: str | None = None, device: str | None = None) -> " +
         (job.outputs.size() == 1 ? "Array" : python_name(job) + "_result");
}

std::string documentation(const JobInfo& job) {
  std::string text = std::string(job.words) + ".\n\n";
  for (const Input input : job.inputs) {
    const InputInfo& info = info_of(input);
    text += std::string(info.name) + ": (..., " + extent_text(info.size) + "), " + std::string(info.words) + ", " +
            unit_text(info.unit) + "\n";
  }
  text += "base: (..., " + std::to_string(base_motion_size) + "), " + std::string(info_of(Input::base_motion).words) +
          ", of a robot on_moving_base(); without it at rest\n";
  text += "method: a formulation, see methods(); without one the fastest\n";
  if (job.feels_wrenches())
    text +=
        "wrenches: what the environment exerts, {frame: (fx, fy, fz, mx, my, mz)} in N and N m along the frame's "
        "axes,\n"
        "    or a list of Wrench; six numbers, or (..., 6): for each state\n";
  if (job.takes_frame) text += "frame: a link or frame by its name; without one the tool\n";
  text +=
      "out: where to write, instead of new arrays\n"
      "threads: how many may work on a batch; without it one a core\n"
      "engine: of batches: generic, compiled (code made for this robot) or auto; without it " +
      std::string(batch_engine_name(default_engine)) +
      "\n"
      "device: of batches: a graphics processor instead, cuda or cuda:1, or several, cuda:0,cuda:1; or cpu\n\nReturns ";
  if (job.outputs.size() > 1) text += "a named tuple of\n";
  for (const OutputInfo& output : job.outputs)
    text += std::string(output.name) + ": " + output_shape(output) + ", " + std::string(output.words) + ", " +
            unit_text(output.unit) + (output.symmetric ? ", symmetric" : "") + "\n";
  return text +
         "\nLeading dimensions of the arguments are broadcast. float32 in, float32 out; anything else is computed in "
         "float64.\n"
         "One state without a result raises NoResultError; in a batch it is marked by nan, and a NoResultWarning says "
         "where.";
}

// --- the methods ---

// Those of every job stand beside its own.
constexpr std::size_t most_inputs = std::size_t(
    std::count_if(std::begin(all_inputs), std::end(all_inputs), [](const InputInfo& i) { return i.by_joint(); }));

template <std::size_t>
using Given = nb::handle;

template <std::size_t... k>
void bind_job(nb::class_<RobotCore>& robot, std::size_t number, std::index_sequence<k...>) {
  const JobInfo& job = jobs()[number];
  robot.def(
      kept(python_name(job)),
      [number](RobotCore& self, Given<k>... given, nb::handle base_motion, nb::handle method, nb::handle wrenches,
               nb::handle frame, nb::handle out, nb::handle threads, nb::handle engine, nb::handle device) {
        const nb::handle all[] = {given..., base_motion};
        return evaluate(*self.loaded, number, std::span(all).first(sizeof...(k) + (base_motion.is_none() ? 0 : 1)),
                        {method, wrenches, frame, out, threads, engine, device});
      },
      nb::arg(kept(std::string(info_of(job.inputs[k]).name)))...,
      nb::arg(info_of(Input::base_motion).name.data()) = nb::none(), nb::kw_only(), nb::arg("method") = nb::none(),
      nb::arg("wrenches") = nb::none(), nb::arg("frame") = nb::none(), nb::arg("out") = nb::none(),
      nb::arg("threads") = nb::none(), nb::arg("engine") = nb::none(), nb::arg("device") = nb::none(),
      nb::sig(kept(signature(job))), kept(documentation(job)));
}

template <std::size_t count = 1>
void bind_job_of(nb::class_<RobotCore>& robot, std::size_t number) {
  if (jobs()[number].inputs.size() == count) return bind_job(robot, number, std::make_index_sequence<count>{});
  if constexpr (count < most_inputs) bind_job_of<count + 1>(robot, number);
}

std::vector<nb::object>& made_types() {
  static std::vector<nb::object> types;
  return types;
}

// The description of a job as plain data.
nb::dict job_facts(const JobInfo& job) {
  nb::dict facts;
  nb::list inputs, outputs, methods;
  for (const Input input : job.inputs) {
    const InputInfo& info = info_of(input);
    nb::dict entry;
    entry["name"] = info.name.data();
    entry["words"] = std::string(info.words);
    entry["shape"] = nb::make_tuple(extent_text(info.size));
    entry["unit"] = unit_text(info.unit);
    inputs.append(entry);
  }
  for (const OutputInfo& output : job.outputs) {
    nb::dict entry;
    entry["name"] = std::string(output.name);
    entry["words"] = std::string(output.words);
    nb::list shape;
    if (!output.is_number()) shape.append(extent_text(output.rows));
    if (output.is_matrix()) shape.append(extent_text(output.columns));
    entry["shape"] = nb::tuple(shape);
    entry["unit"] = unit_text(output.unit);
    entry["symmetric"] = output.symmetric;
    outputs.append(entry);
  }
  for (const FormulationInfo& f : job.formulations) methods.append(std::string(f.name));
  facts["name"] = std::string(job.name);
  facts["method_name"] = python_name(job);
  facts["words"] = std::string(job.words);
  facts["inputs"] = inputs;
  facts["outputs"] = outputs;
  facts["methods"] = methods;
  facts["takes_frame"] = job.takes_frame;
  if (const DerivativesInfo* known = derivatives_of(job.name)) {
    nb::list names;
    for (const std::string_view name : known->by_input) names.append(std::string(name));
    facts["derivatives"] = nb::make_tuple(std::string(known->derivatives), nb::tuple(names));
    facts["curvature"] = std::string(known->curvature);
  }
  facts["takes_wrenches"] = job.feels_wrenches();
  return facts;
}

}  // namespace

std::string python_name(const JobInfo& job) {
  for (const Alias& alias : aliases)
    if (alias.job == job.name) return std::string(alias.name);
  return std::string(job.name);
}

std::size_t job_index(std::string_view name) {
  const std::vector<JobInfo>& all = jobs();
  for (std::size_t k = 0; k < all.size(); ++k)
    if (all[k].name == name || python_name(all[k]) == name) return k;
  job_info(name);  // throws
  return 0;
}

const std::vector<nb::object>& result_types() { return made_types(); }

void make_result_types(nb::module_& module) {
  const nb::object named_tuple = nb::module_::import_("collections").attr("namedtuple");
  nb::dict all;
  for (const JobInfo& job : jobs()) {
    made_types().emplace_back(nb::none());
    if (job.outputs.size() == 1) continue;
    nb::list names;
    for (const OutputInfo& output : job.outputs) names.append(std::string(output.name));
    const std::string name = python_name(job) + "_result";
    nb::dict arguments;
    arguments["module"] = "catena._catena";
    made_types().back() = named_tuple(name, names, **arguments);
    module.attr(kept(name)) = made_types().back();
  }
}

void bind_jobs(nb::module_& module, nb::class_<RobotCore>& robot) {
  for (std::size_t k = 0; k < jobs().size(); ++k) bind_job_of(robot, k);
  robot.def(
      "evaluate",
      [](RobotCore& self, const std::string& job, const nb::args& given, nb::handle method, nb::handle wrenches,
         nb::handle frame, nb::handle out, nb::handle threads, nb::handle engine, nb::handle device) {
        const std::size_t number = job_index(job);
        const std::vector<nb::handle> all(given.begin(), given.end());
        const std::vector<Input>& inputs = self.loaded->inputs[number];
        const std::size_t most = inputs.size() - (self.loaded->constants ? 1 : 0);
        if (all.size() != most && all.size() != jobs()[number].inputs.size()) {
          std::string wanted;
          for (const Input input : inputs) wanted += (wanted.empty() ? "" : ", ") + std::string(info_of(input).name);
          throw nb::type_error(
              ("the job '" + job + "' takes " + wanted + "; " + std::to_string(all.size()) + " arrays were given")
                  .c_str());
        }
        return evaluate(*self.loaded, number, all, {method, wrenches, frame, out, threads, engine, device});
      },
      nb::arg("job"), nb::arg("given"), nb::kw_only(), nb::arg("method") = nb::none(), nb::arg("wrenches") = nb::none(),
      nb::arg("frame") = nb::none(), nb::arg("out") = nb::none(), nb::arg("threads") = nb::none(),
      nb::arg("engine") = nb::none(), nb::arg("device") = nb::none(),
      nb::sig("def evaluate(self, job: str, *given: ArrayLike, method: str | None = None, wrenches: Wrenches | None = "
              "None, "
              "frame: str | None = None, out: Array | tuple[Array, ...] | None = None, threads: int | None = None, "
              "engine: str | None = None, device: str | None = None) -> Any"),
      "A job by its name, see jobs(): the same as the method of that name.");
  robot.def(
      "_inputs",
      [](const RobotCore& self, const std::string& job) {
        nb::list all;
        for (const Input input : self.loaded->inputs[job_index(job)])
          all.append(nb::make_tuple(std::string(info_of(input).name), info_of(input).size(self.loaded->sizes)));
        return all;
      },
      "What a job takes of this robot: names and numbers of each.");
  robot.def(
      "_outputs",
      [](const RobotCore& self, const std::string& job) {
        nb::list all;
        for (const OutputInfo& output : jobs()[job_index(job)].outputs) {
          nb::list shape;
          if (!output.is_number()) shape.append(output.rows(self.loaded->sizes));
          if (output.is_matrix()) shape.append(output.columns(self.loaded->sizes));
          all.append(nb::make_tuple(std::string(output.name), nb::tuple(shape)));
        }
        return all;
      },
      "What a job gives of this robot: names and shapes.");
  module.def("result_type", [](const std::string& job) { return result_types()[job_index(job)]; });
  module.def("jobs", [] {
    nb::list all;
    for (const JobInfo& job : jobs()) all.append(job_facts(job));
    return all;
  });
}

}  // namespace catena::python

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

// As a type checker reads it: python/finish_stub.py.
std::string signature(const JobInfo& job) {
  std::string text = "def " + python_name(job) + "(self", methods;
  for (const Input input : job.inputs) text += ", " + std::string(info_of(input).name) + ": ArrayLike";
  for (const FormulationInfo& f : job.formulations)
    methods += (methods.empty() ? "\"" : ", \"") + std::string(f.name) + "\"";
  text += ", base: ArrayLike | None = None, *, method: Literal[" + methods + "] | None = None";
  if (job.feels_wrenches()) text += ", wrenches: Wrenches | None = None";
  if (job.takes_frame) text += ", frame: str | None = None";
  text += job.outputs.size() == 1 ? ", out: Array | None = None" : ", out: tuple[Array | None, ...] | None = None";
  return text + ", threads: int | None = None, engine: EngineName | None = None, device: str | None = None) -> " +
         (job.outputs.size() == 1 ? "Array" : python_name(job) + "_result");
}

// As inspect.signature() reads it, at the head of a docstring.
std::string text_signature(const JobInfo& job) {
  std::string text = python_name(job) + "($self";
  for (const Input input : job.inputs) text += ", " + std::string(info_of(input).name);
  text += ", base=None, *, method=None";
  if (job.feels_wrenches()) text += ", wrenches=None";
  if (job.takes_frame) text += ", frame=None";
  return text + ", out=None, threads=None, engine=None, device=None)\n--\n\n";
}

std::string outputs_text(const JobInfo& job) {
  std::string text;
  for (const OutputInfo& output : job.outputs)
    text += std::string(output.name) + ": " + output_shape(output) + ", " + std::string(output.words) + ", " +
            unit_text(output.unit) + (output.symmetric ? ", symmetric" : "") + "\n";
  return text;
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
      "threads: how many may work on a batch; without it one per core\n"
      "engine: of batches: generic, compiled (code made for this robot) or auto; without it " +
      std::string(batch_engine_name(default_engine)) +
      "\n"
      "device: of batches: a graphics processor instead, cuda or cuda:1, or several, cuda:0,cuda:1; or cpu\n\nReturns ";
  if (job.outputs.size() > 1) text += "a named tuple of\n";
  return text + outputs_text(job) +
         "\nLeading dimensions of the arguments are broadcast. float32 in, float32 out; anything else is computed in "
         "float64.\n"
         "One state without a result raises NoResultError; in a batch it is marked by nan, and a NoResultWarning says "
         "where.";
}

// --- the methods ---

// Methods of Python's own kind, not nanobind's: help(), inspect.signature() and pickles know them. Errors take the way
// through a function of nanobind, which knows how to translate them.
std::exception_ptr thrown;    // guarded by the interpreter's lock
PyObject* rethrow = nullptr;  // lives as long as the process

template <class Work>
PyObject* translated(Work&& work) {
  try {
    return work().release().ptr();
  } catch (...) {
    thrown = std::current_exception();
    return PyObject_CallNoArgs(rethrow);
  }
}

// Those of every job stand beside its own.
constexpr std::size_t most_inputs = std::size_t(
    std::count_if(std::begin(all_inputs), std::end(all_inputs), [](const InputInfo& i) { return i.by_joint(); }));
constexpr std::string_view option_names[] = {"method", "wrenches", "frame", "out", "threads", "engine", "device"};

RobotCore& core_of(PyObject* self) {
  if (!nb::inst_ready(self)) throw nb::type_error("this robot was not made: its __init__ was not called");
  return *nb::inst_ptr<RobotCore>(self);
}

Asked asked_of(const nb::handle (&options)[std::size(option_names)]) {
  return {options[0], options[1], options[2], options[3], options[4], options[5], options[6]};
}

// The option of this name, or nullptr.
nb::handle* option_named(std::string_view name, nb::handle (&options)[std::size(option_names)]) {
  const auto found = std::find(std::begin(option_names), std::end(option_names), name);
  return found == std::end(option_names) ? nullptr : &options[found - std::begin(option_names)];
}

std::string_view text_of(nb::handle name) {
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(name.ptr(), &size);
  if (text == nullptr) throw nb::python_error();
  return {text, std::size_t(size)};
}

[[noreturn]] void refuse(const JobInfo& job, const std::string& what) {
  std::string takes;
  for (const Input input : job.inputs) takes += std::string(info_of(input).name) + ", ";
  throw nb::type_error((python_name(job) + "() " + what + "; it takes " + takes +
                        "base, and by name method, wrenches, frame, out, threads, engine, device")
                           .c_str());
}

nb::object call_job(std::size_t number, RobotCore& core, PyObject* const* args, std::size_t count, PyObject* names) {
  const JobInfo& job = jobs()[number];
  const std::size_t inputs = job.inputs.size();
  if (count > inputs + 1) refuse(job, "was given " + std::to_string(count) + " arrays");
  nb::handle given[most_inputs + 1], options[std::size(option_names)];
  std::fill(std::begin(options), std::end(options), nb::handle(Py_None));
  for (std::size_t k = 0; k < count; ++k) given[k] = args[k];
  const std::size_t named = names == nullptr ? 0 : std::size_t(PyTuple_Size(names));
  for (std::size_t k = 0; k < named; ++k) {
    const std::string_view name = text_of(PyTuple_GetItem(names, Py_ssize_t(k)));
    nb::handle* place = option_named(name, options);
    for (std::size_t i = 0; i < inputs && place == nullptr; ++i)
      if (info_of(job.inputs[i]).name == name) place = &given[i];
    if (place == nullptr && name == info_of(Input::base_motion).name) place = &given[inputs];
    if (place == nullptr) refuse(job, "takes no argument '" + std::string(name) + "'");
    if (place->is_valid() && !place->is_none()) refuse(job, "was given '" + std::string(name) + "' twice");
    *place = args[count + k];
  }
  for (std::size_t i = 0; i < inputs; ++i)
    if (!given[i].is_valid()) refuse(job, "needs " + std::string(info_of(job.inputs[i]).name));
  const bool moved = given[inputs].is_valid() && !given[inputs].is_none();
  return evaluate(*core.loaded, number, std::span(given).first(inputs + (moved ? 1 : 0)), asked_of(options));
}

template <std::size_t number>
PyObject* job_method(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names) {
  return translated([&] { return call_job(number, core_of(self), args, std::size_t(count), names); });
}

using Method = PyObject* (*)(PyObject*, PyObject* const*, Py_ssize_t, PyObject*);
constexpr std::size_t most_jobs = 64;

template <std::size_t... number>
Method method_of(std::size_t job, std::index_sequence<number...>) {
  static constexpr Method all[] = {&job_method<number>...};
  return all[job];
}

void define(nb::class_<RobotCore>& robot, const std::string& name, Method method, const std::string& text) {
  static std::deque<PyMethodDef> all;  // Python keeps pointers to them
  PyMethodDef& made =
      all.emplace_back(PyMethodDef{kept(name), reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(method)),
                                   METH_FASTCALL | METH_KEYWORDS, kept(text)});
  robot.attr(made.ml_name) = nb::steal(PyDescr_NewMethod(reinterpret_cast<PyTypeObject*>(robot.ptr()), &made));
}

// A job by its name.
nb::object call_named(RobotCore& core, PyObject* const* args, std::size_t count, PyObject* names) {
  if (count == 0 || !PyUnicode_Check(args[0])) throw nb::type_error("evaluate() takes the name of a job, see jobs()");
  const std::string name(text_of(args[0]));
  const std::size_t number = job_index(name);
  const std::vector<Input>& inputs = core.loaded->inputs[number];
  const std::size_t most = inputs.size() - (core.loaded->constants ? 1 : 0);
  if (count - 1 != most && count - 1 != jobs()[number].inputs.size()) {
    std::string wanted;
    for (const Input input : inputs) wanted += (wanted.empty() ? "" : ", ") + std::string(info_of(input).name);
    throw nb::type_error(
        ("the job '" + name + "' takes " + wanted + "; " + std::to_string(count - 1) + " arrays were given").c_str());
  }
  return call_job(number, core, args + 1, count - 1, names);
}

PyObject* evaluate_method(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names) {
  return translated([&] { return call_named(core_of(self), args, std::size_t(count), names); });
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
    made_types().back().attr("__doc__") = "Result of " + python_name(job) + "().\n\n" + outputs_text(job);
    module.attr(kept(name)) = made_types().back();
  }
}

void bind_jobs(nb::module_& module, nb::class_<RobotCore>& robot) {
  module.def("_rethrow", [] { std::rethrow_exception(std::exchange(thrown, nullptr)); });
  rethrow = nb::object(module.attr("_rethrow")).release().ptr();
  if (jobs().size() > most_jobs) throw std::logic_error("most_jobs is less than there are");
  for (std::size_t k = 0; k < jobs().size(); ++k)
    define(robot, python_name(jobs()[k]), method_of(k, std::make_index_sequence<most_jobs>{}),
           text_signature(jobs()[k]) + documentation(jobs()[k]));
  define(robot, "evaluate", &evaluate_method,
         "evaluate($self, job, /, *given, method=None, wrenches=None, frame=None, out=None, threads=None, engine=None, "
         "device=None)\n--\n\nA job by its name, see jobs(): the same as the method of that name.");
  module.def("_signatures", [] {
    nb::dict all;
    for (const JobInfo& job : jobs()) all[python_name(job).c_str()] = signature(job);
    return all;
  });
  robot.def(
      "_inputs",
      [](const RobotCore& self, const std::string& job) {
        nb::list all;
        for (const Input input : self.loaded->inputs[job_index(job)])
          all.append(nb::make_tuple(std::string(info_of(input).name), info_of(input).size(self.loaded->sizes)));
        return all;
      },
      nb::sig("def _inputs(self, job: str, /) -> list[tuple[str, int]]"),
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
      nb::sig("def _outputs(self, job: str, /) -> list[tuple[str, tuple[int, ...]]]"),
      "What a job gives of this robot: names and shapes.");
  module.def("result_type", [](const std::string& job) { return result_types()[job_index(job)]; });
  module.def(
      "jobs",
      [] {
        nb::list all;
        for (const JobInfo& job : jobs()) all.append(job_facts(job));
        return all;
      },
      nb::sig("def jobs() -> list[dict[str, Any]]"));
}

}  // namespace catena::python

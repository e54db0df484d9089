// Control laws that run step by step, and as C.
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>

#include "arrays.hpp"
#include "bindings.hpp"
#include "catena/code.hpp"
#include "catena/laws.hpp"
#include "evaluate.hpp"
#include "law_core.hpp"

namespace catena::python {
namespace {

nb::list parts(const std::vector<LawPart>& list) {
  nb::list out;
  for (const LawPart& part : list) out.append(nb::make_tuple(part.name, part.words, part.size));
  return out;
}

nb::list laws() {
  nb::list out;
  for (const LawInfo& law : control_laws()) {
    nb::dict parameters;
    for (const LawParameter& p : law.parameters)
      parameters[std::string(p.name).c_str()] =
          nb::make_tuple(std::string(p.words), p.standard, p.by_inertia, p.per == LawParameter::Per::law);
    const char* follows = law.follows == LawInfo::Follows::joints  ? "joints"
                          : law.follows == LawInfo::Follows::frame ? "frame"
                                                                   : "both";
    out.append(nb::make_tuple(std::string(law.name), std::string(law.words), follows, parameters));
  }
  return out;
}

LawCore make(const RobotCore& core, const std::string& law,
             const std::map<std::string, std::vector<double>>& parameters, const std::string& frame, bool turns,
             const std::vector<double>& times, const std::vector<std::vector<double>>& gains, bool saturate) {
  LawOptions options{law, parameters, frame_of(core.loaded->mechanism, frame)};
  options.directions = turns ? Directions::all : Directions::translation;
  options.schedule = {times, gains};
  options.saturate = saturate;
  return {core.loaded, options};
}

nb::object step(LawCore& law, nb::handle measurement, nb::handle reference, double dt) {
  const std::vector<double> seen = numbers(measurement, "measurement"), wanted = numbers(reference, "reference");
  const NewArray torque = new_array({index(law.robot->sizes.velocities)});
  law.controller->step(seen, wanted, dt, torque.values);
  return torque.object;
}

nb::tuple code(const LawCore& law, const std::string& name, bool single_precision, const std::string& target) {
  CodeOptions options;
  options.name = name;
  options.single_precision = single_precision;
  options.version = CATENA_VERSION;
  options.target = target_named(target);
  if (options.target == Target::cortex_m) options.single_precision = true;
  const Code text = print_controller(law.robot->mechanism, law.controller->options(), options);
  return nb::make_tuple(text.source, text.header);
}

}  // namespace

void bind_laws(nb::module_& module) {
  nb::class_<LawCore>(module, "LawCore")
      .def_prop_ro("law", [](const LawCore& law) { return law.controller->options().law; })
      .def_prop_ro("measurement", [](const LawCore& law) { return parts(law.controller->measurement()); })
      .def_prop_ro("reference", [](const LawCore& law) { return parts(law.controller->reference()); })
      .def_prop_ro("state_parts", [](const LawCore& law) { return parts(law.controller->state_parts()); })
      .def_prop_rw(
          "state", [](LawCore& law) { return to_array(law.controller->state()); },
          [](LawCore& law, nb::handle values) {
            const std::vector<double> given = numbers(values, "state", law.controller->state().size());
            std::copy(given.begin(), given.end(), law.controller->state().begin());
          })
      .def("reset", [](LawCore& law) { law.controller->reset(); })
      .def("step", &step)
      .def("code", &code);
  module.def("make_law", &make);
  module.def("control_laws", &laws);
}

}  // namespace catena::python

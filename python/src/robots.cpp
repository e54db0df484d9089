// Robots with other parameters: one, or many of one structure.
#include <nanobind/stl/string.h>

#include <algorithm>

#include "arrays.hpp"
#include "bindings.hpp"
#include "catena/identify.hpp"
#include "catena/model/varied.hpp"
#include "loaded.hpp"

namespace catena::python {
namespace {

RobotCore one_robot(const RobotCore& core, nb::handle parameters) {
  return {std::make_shared<Loaded>(with_parameters(core.loaded->written, numbers(parameters, "theta")), moves(core),
                                   core.loaded->options)};
}

RobotCore many_robots(const RobotCore& core) {
  return {std::make_shared<Loaded>(core.loaded->written, moves(core), core.loaded->options, true)};
}

// The constants of all robots, (constants, robots and some room), from their parameters, robot after robot.
nb::object constants_of_all(const RobotCore& core, nb::handle given) {
  ConstantsOf of(core.loaded->mechanism);
  const std::vector<double> parameters = numbers(given, "theta");
  const std::size_t robots = parameters.size() / of.parameters();
  const std::size_t lines = (robots + 7) / 8;
  const std::size_t pitch = 8 * (lines | 1);  // an odd number of cache lines: columns do not share the cache's sets
  const NewArray made = new_array({of.size(), pitch});
  const nb::gil_scoped_release others_run;
  std::vector<double> own(of.size());
  for (std::size_t k = 0; k < robots; ++k) {
    try {
      of(std::span(parameters).subspan(k * of.parameters(), of.parameters()), own);
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument("robot " + std::to_string(k) + ": " + error.what());
    }
    for (std::size_t j = 0; j < own.size(); ++j) made.values[j * pitch + k] = own[j];
  }
  return made.object;
}

void take_constants(RobotCore& core, const nb::object& of_double, const nb::object& of_float) {
  core.loaded->constants = Loaded::Constants{of_double, of_float};
}

}  // namespace

void bind_many_robots(nb::module_& module) {
  module.def("one_robot", &one_robot);
  module.def("many_robots", &many_robots);
  module.def("constants_of_all", &constants_of_all);
  module.def("take_constants", &take_constants);
}

}  // namespace catena::python

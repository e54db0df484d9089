// What runs of all kinds share: one start, many starts, a robot that changes.
#pragma once

#include <nanobind/nanobind.h>

#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "catena/simulation.hpp"
#include "loaded.hpp"

namespace catena::python {

namespace nb = nanobind;

// The exception that Python raised inside the simulation, which itself only knows that something failed.
using Raised = std::shared_ptr<std::exception_ptr>;

template <class Function>
auto guarded(const Raised& raised, Function&& function) {
  const nb::gil_scoped_acquire held;
  try {
    return function();
  } catch (...) {
    if (!*raised) *raised = std::current_exception();
    throw std::runtime_error("a Python function raised");
  }
}

// A handle to a Python object that may be released without holding the interpreter's lock.
std::shared_ptr<nb::object> shared(nb::object object);

// The start of a run, for laws that move a frame from there.
struct Start {
  std::vector<double> q;
  double time = 0.0;
};

// What catena/_simulation.py says about a run.
struct Given {
  nb::dict law;
  nb::list events;
  nb::dict options;
};
// The same in the library's terms. `moves`: the robot that moves; the law may know another.
struct Setup {
  SimulationOptions options;
  TorqueLaw law;
  std::vector<Event> events;
  std::shared_ptr<std::string> not_compiled;  // why, if that was asked for
};
Setup set_up(const Given& given, const Loaded& moves, const Start& start, const Raised& raised);
// Whether each start needs a setup of its own: the law has a state, or moves a frame from there.
bool depends_on_start(const Given& given);

// An event without its effect, for the robot as it is now.
Event trigger_of(const nb::dict& given, const Mechanism& robot, const Raised& raised);
// Wrenches and the motion of the base over time.
Wrenches wrenches_of_run(const nb::list& given, const Mechanism& robot, Absent absent, const Raised& raised);
BaseLaw base_of_run(const nb::dict& given, const Raised& raised);

// The robot on a base at rest, whose motion is an option of the run.
std::shared_ptr<const Loaded> at_rest(const RobotCore& core);
nb::dict result_of(const SimulationResult& run, const Loaded& robot);
void add_columns(nb::dict& out, const std::vector<const Sample*>& samples);

nb::dict simulate_changing(const RobotCore& core, nb::handle q, nb::handle qd, nb::handle times, const nb::dict& law,
                           const nb::list& events, const nb::dict& options);
nb::dict simulate_many(const RobotCore& core, nb::handle q, nb::handle qd, nb::handle times, const nb::dict& law,
                       const nb::list& events, const nb::dict& options, int threads);

}  // namespace catena::python

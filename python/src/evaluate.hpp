// One job of one robot, over one state or any leading dimensions of states.
#pragma once

#include <nanobind/nanobind.h>

#include <array>

#include "loaded.hpp"
#include "run_states.hpp"

namespace catena::python {

namespace nb = nanobind;

// Python types whose names are those of the outputs, for jobs with several: by job. Made once, at import.
const std::vector<nb::object>& result_types();
void make_result_types(nb::module_& module);

// What is said beside the state; None where nothing is.
struct Asked {
  nb::handle method, wrenches, frame, out, threads, engine, device;

  bool nothing() const {
    return method.is_none() && wrenches.is_none() && frame.is_none() && out.is_none() && threads.is_none() &&
           engine.is_none() && device.is_none();
  }
};

// `given`: the inputs that the job takes of the robot, in their order; without the motion of a base that moves, that is
// at rest. Returns an array, or the job's named tuple of arrays.
nb::object evaluate(Loaded& robot, std::size_t job, std::span<const nb::handle> given, const Asked& asked);
// The same by a call that is somebody's own, one thread at a time.
nb::object evaluate(Call<double>& call, Loaded& robot, std::size_t job, std::span<const nb::handle> given,
                    const Extra& extra);

// A catena.UnitsWarning where positions look like degrees; `what` they are of.
void question_positions(const Loaded& robot, std::span<const double> q, const std::string& what);

// {"tool": (fx, fy, fz, mx, my, mz)} or a list of catena.Wrench.
std::vector<ExternalWrench<double>> wrenches_of(const Mechanism& robot, nb::handle given);

}  // namespace catena::python

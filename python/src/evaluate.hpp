// One job of one robot, at one state or at an array of states with any leading dimensions.
#pragma once

#include <nanobind/nanobind.h>

#include <array>

#include "loaded.hpp"
#include "run_states.hpp"

namespace catena::python {

namespace nb = nanobind;

// Named tuples for jobs with several outputs, by job; the field names are those of the outputs. Created at import.
const std::vector<nb::object>& result_types();
void make_result_types(nb::module_& module);

// The arguments other than the state; None where not given.
struct Asked {
  nb::handle method, wrenches, frame, out, threads, engine, device;

  bool nothing() const {
    return method.is_none() && wrenches.is_none() && frame.is_none() && out.is_none() && threads.is_none() &&
           engine.is_none() && device.is_none();
  }
};

// `given`: the job's inputs for this robot, in order; where the motion of a moving base is left out, the base is at
// rest. Returns an array, or the job's named tuple of arrays.
nb::object evaluate(Loaded& robot, std::size_t job, std::span<const nb::handle> given, const Asked& asked);
// The same with the caller's own call, one thread at a time.
nb::object evaluate(Call<double>& call, Loaded& robot, std::size_t job, std::span<const nb::handle> given,
                    const Extra& extra);

// Warns with catena.UnitsWarning where positions look like degrees; `what` names the positions.
void question_positions(const Loaded& robot, std::span<const double> q, const std::string& what);

// {"tool": (fx, fy, fz, mx, my, mz)} or a list of catena.Wrench.
std::vector<ExternalWrench<double>> wrenches_of(const Mechanism& robot, nb::handle given);
// The same, where one may be an array (..., 6) with numbers for each state: `rows` has that array, or None, for each.
std::vector<ExternalWrench<double>> wrenches_by_state(const Mechanism& robot, nb::handle given,
                                                      std::vector<nb::object>& rows);

}  // namespace catena::python

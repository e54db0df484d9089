// The parts of the module, one file a concern.
#pragma once

#include <nanobind/nanobind.h>

#include "loaded.hpp"

namespace catena::python {

namespace nb = nanobind;

void bind_robots(nb::module_& module);                              // reading, building, changing, describing
void bind_jobs(nb::module_& module, nb::class_<RobotCore>& robot);  // a method a job
void bind_compiled(nb::module_& module);                            // code made for the robot as a function
void bind_simulation(nb::module_& module);
void bind_motion(nb::module_& module);  // trajectories and limits
void bind_code(nb::module_& module);    // equations, generated code, counts
void bind_gpu(nb::module_& module);     // jobs on graphics processors
void bind_jax(nb::module_& module);     // jobs in compiled programs of JAX

}  // namespace catena::python

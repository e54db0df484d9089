// The pieces of the module, one file per topic.
#pragma once

#include <nanobind/nanobind.h>

#include "loaded.hpp"

namespace catena::python {

namespace nb = nanobind;

void bind_robots(nb::module_& module);                              // reading, building, describing
void bind_changes(nb::module_& module);                             // robots made from others
void bind_many_robots(nb::module_& module);                         // robots with other parameters
void bind_jobs(nb::module_& module, nb::class_<RobotCore>& robot);  // one method per job
void bind_compiled(nb::module_& module);                            // code compiled for the robot, as a function
void bind_simulation(nb::module_& module);
void bind_motion(nb::module_& module);       // trajectories and limits
void bind_calibration(nb::module_& module);  // motions to measure along, calibration
void bind_identify(nb::module_& module);     // parameters from logs
void bind_logs(nb::module_& module);         // signals, and logs of measured motions
void bind_control(nb::module_& module);      // linear models, models at a frame, inverse kinematics
void bind_laws(nb::module_& module);         // control laws that run step by step
void bind_links(nb::module_& module);        // models link by link, matrices of DeNOC
void bind_batches(nb::module_& module);      // beyond jobs: several in one pass, inertia at a frame, …
void bind_code(nb::module_& module);         // equations, generated code, counts
void bind_page(nb::module_& module);         // what a browser shows
void bind_gpu(nb::module_& module);          // jobs on graphics processors
void bind_along(nb::module_& module);        // derivatives of jobs along directions
void bind_rollout(nb::module_& module);      // many arms integrated on graphics processors
void bind_jax(nb::module_& module);          // jobs inside compiled programs of JAX
void bind_watching(nb::module_& module);     // Ctrl-C and bars

// Whether a batch that is done to this share goes on; if not, Python's exception is pending.
bool goes_on(double share);

// A joint as catena.Builder stores it. robot: has the links that it connects; nullptr: that is said elsewhere.
JointDescription joint_from(const Robot* robot, const nb::dict& given);

}  // namespace catena::python

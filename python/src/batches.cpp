// What goes beyond a job over many states: several jobs in one pass, the inertia felt at a frame, torques of motors
// inside closed loops, changes of parameters. States arrive as rows, which catena/_batches.py makes.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <functional>
#include <limits>

#include "arrays.hpp"
#include "bindings.hpp"
#include "catena/factorization.hpp"
#include "catena/identify.hpp"
#include "catena/model/parameters.hpp"
#include "coordinates/motor_torques.hpp"
#include "evaluate.hpp"
#include "model/assemblies.hpp"

namespace catena::python {
namespace {

bool no_interrupt() {
  const nb::gil_scoped_acquire held;
  return PyErr_CheckSignals() == 0;
}

nb::tuple summary(const BatchReport& report) {
  if (report.stopped) throw nb::python_error();
  return nb::make_tuple(report.failed, report.first_failed, report.why);
}

// Calls compute(row) for each; rows without a result become nan.
template <class Compute>
BatchReport each_row(std::size_t rows, std::span<double> out, Compute&& compute) {
  const nb::gil_scoped_release others_run;
  BatchReport report;
  report.states = rows;
  const std::size_t size = rows == 0 ? 0 : out.size() / rows;
  for (std::size_t k = 0; k < rows && !report.stopped; ++k) {
    const std::span<double> own = out.subspan(k * size, size);
    try {
      compute(k, own);
    } catch (const std::domain_error& error) {
      if (report.failed++ == 0) report.first_failed = k, report.why = error.what();
      std::fill(own.begin(), own.end(), std::numeric_limits<double>::quiet_NaN());
    }
    if (k % 1024 == 1023) report.stopped = !no_interrupt();
  }
  return report;
}

// Results of each job: (array of rows, rows and columns of one) for each output; then what has no result.
nb::tuple run_jobs(const RobotCore& core, const std::vector<std::string>& names,
                   const std::vector<std::string>& methods, const nb::dict& given, const std::string& frame,
                   nb::handle wrenches, int threads, const std::string& engine) {
  const Loaded& robot = *core.loaded;
  BatchOptions options{.engine = batch_engine(engine), .threads = threads, .frame = frame_of(robot.mechanism, frame)};
  if (!wrenches.is_none()) options.wrenches = wrenches_of(robot.mechanism, wrenches);
  std::vector<BatchJob> wanted;
  for (std::size_t k = 0; k < names.size(); ++k)
    wanted.push_back({std::string(jobs()[job_index(names[k])].name), methods[k]});
  Batch<double> batch(robot.mechanism, wanted, options);
  std::size_t states = 0;
  BatchInputs<double> in;
  for (const Input input : batch.inputs()) {
    const nb::str name(std::string(info_of(input).name).c_str());
    if (!given.contains(name) && input == Input::base_motion) continue;  // at rest
    const RowArray rows = row_array(given[name], info_of(input).name, batch.size(input));
    in[input] = {rows.data, std::ptrdiff_t(rows.columns), 1};
    states = rows.count;
  }
  nb::list out;
  std::vector<StateArray<double>> arrays;
  for (const auto& output : batch.outputs()) {
    const NewArray made = new_array({states, output.size()});
    arrays.push_back(states_in_rows(made.values.data(), output.size()));
    const int sides = output.info->is_number() ? 0 : output.info->is_matrix() ? 2 : 1;
    out.append(nb::make_tuple(std::string(output.job->name), std::string(output.info->name), made.object, sides,
                              output.rows, output.columns));
  }
  BatchReport report;
  {
    const nb::gil_scoped_release others_run;
    if (states > 0) report = batch.run(states, in, arrays, [](std::size_t) { return no_interrupt(); });
  }
  return nb::make_tuple(out, summary(report));
}

nb::tuple operational_inertia(const RobotCore& core, nb::handle q, const std::string& frame, bool translation) {
  const Mechanism& robot = core.loaded->mechanism;
  const RowArray rows = row_array(q, "q", index(robot.nq()));
  const int named = frame_of(robot, frame);
  const std::size_t size = translation ? 3 : 6;
  const NewArray Lambda = new_array({rows.count, size, size});
  Factorization<double> factorization(robot);
  const BatchReport report = each_row(rows.count, Lambda.values, [&](std::size_t k, std::span<double> out) {
    factorization.factor(rows.row(k));
    factorization.operational_inertia(named == tool_frame ? robot.tool : named, out,
                                      translation ? Directions::translation : Directions::all);
  });
  return nb::make_tuple(Lambda.object, summary(report));
}

// Torques tau at the coordinates as torques of motors at joints of the tree.
nb::tuple motor_torques(const RobotCore& core, nb::handle q, nb::handle tau, const std::vector<std::string>& joints,
                        nb::handle weights) {
  const Mechanism& robot = core.loaded->mechanism;
  const RowArray at = row_array(q, "q", index(robot.nq())), needed = row_array(tau, "tau", index(robot.nv()));
  const std::vector<double> cost = numbers(weights, "weights", joints.size());
  const std::vector<std::string>& names = robot.joint_names.list();
  std::vector<MotorTorques::Motor> motors;
  for (std::size_t k = 0; k < joints.size(); ++k) {
    const auto found = std::find(names.begin(), names.end(), joints[k]);
    if (found == names.end())
      throw std::invalid_argument("robot '" + robot.name + "' has no joint '" + joints[k] + "' that moves");
    if (!(cost[k] > 0.0)) throw std::invalid_argument("the weight of joint '" + joints[k] + "' must be positive");
    motors.push_back({TreeJoint(static_cast<int>(found - names.begin())), cost[k]});
  }
  const NewArray torques = new_array({at.count, motors.size()});
  MotorTorques share(robot, motors);
  const BatchReport report = each_row(
      at.count, torques.values, [&](std::size_t k, std::span<double> out) { share(at.row(k), needed.row(k), out); });
  return nb::make_tuple(torques.object, summary(report));
}

// Accelerations by parameters, at states with torques.
nb::tuple accelerations_by(const RobotCore& core, nb::handle q, nb::handle qd, nb::handle tau,
                           const std::vector<int>& parameters, nb::handle wrenches) {
  const Mechanism& robot = core.loaded->mechanism;
  const std::size_t n = index(robot.nv());
  const RowArray at = row_array(q, "q", index(robot.nq())), speed = row_array(qd, "qd", n),
                 effort = row_array(tau, "tau", n);
  std::vector<ExternalWrench<double>> acting;
  if (!wrenches.is_none()) acting = wrenches_of(robot, wrenches);
  ParameterSensitivity sensitivity(robot, parameters);
  const NewArray made = new_array({at.count, n, sensitivity.parameters()});
  const BatchReport report = each_row(at.count, made.values, [&](std::size_t k, std::span<double> out) {
    sensitivity.accelerations(at.row(k), speed.row(k), effort.row(k), out, acting);
  });
  return nb::make_tuple(made.object, summary(report));
}

// Positions and speeds by parameters along a recorded run: (rows, 2 n, p).
nb::object motion_by(const RobotCore& core, nb::handle t, nb::handle q, nb::handle qd, nb::handle tau,
                     const std::vector<int>& parameters) {
  const Mechanism& robot = core.loaded->mechanism;
  const std::size_t n = index(robot.nv());
  const RowArray at = row_array(q, "q", index(robot.nq())), speed = row_array(qd, "qd", n),
                 effort = row_array(tau, "tau", n);
  const std::vector<double> times = numbers(t, "t", at.count);
  ParameterSensitivity sensitivity(robot, parameters);
  const NewArray made = new_array({at.count, 2 * n, sensitivity.parameters()});
  const nb::gil_scoped_release others_run;
  for (std::size_t k = 0; k < at.count; ++k) {
    k == 0 ? sensitivity.start(times[k], at.row(k), speed.row(k), effort.row(k))
           : sensitivity.advance(times[k], at.row(k), speed.row(k), effort.row(k));
    std::copy(sensitivity.values().begin(), sensitivity.values().end(),
              made.values.begin() + std::ptrdiff_t(k * 2 * n * sensitivity.parameters()));
  }
  const nb::gil_scoped_acquire back;
  return made.object;
}

// (text, unit, value, terms of parameter's name and factor)
nb::list base_parameters_of(const RobotCore& core, bool drives) {
  const Mechanism& robot = core.loaded->mechanism;
  const std::vector<std::string> names = parameter_names(parameter_joints(robot));
  nb::list out;
  for (const BaseParameter& own : base_parameters(robot, drives && !core.loaded->options.rigid)) {
    nb::list terms;
    for (const auto& [parameter, factor] : own.terms) terms.append(nb::make_tuple(names[index(parameter)], factor));
    out.append(nb::make_tuple(own.text, own.unit, own.nominal, own.column(), terms));
  }
  return out;
}

nb::object assemblies(const RobotCore& core, nb::handle q, int starts) {
  const Mechanism& robot = core.loaded->mechanism;
  if (!robot.coordinates.is_closed()) throw std::invalid_argument("robot '" + robot.name + "' has no closed loop");
  return to_array(find_assemblies(robot, numbers(q, "q", index(robot.nq())), starts), index(robot.joints()));
}

}  // namespace

void bind_batches(nb::module_& module) {
  module.def("run", &run_jobs, nb::arg("robot"), nb::arg("jobs"), nb::arg("methods"), nb::arg("inputs"),
             nb::arg("frame"), nb::arg("wrenches").none(), nb::arg("threads"), nb::arg("engine"));
  module.def("operational_inertia", &operational_inertia);
  module.def("motor_torques", &motor_torques);
  module.def("accelerations_by", &accelerations_by, nb::arg("robot"), nb::arg("q"), nb::arg("qd"), nb::arg("tau"),
             nb::arg("parameters"), nb::arg("wrenches").none());
  module.def("motion_by", &motion_by);
  module.def("base_parameters", &base_parameters_of);
  module.def("assemblies", &assemblies);
}

}  // namespace catena::python

// Trajectories, and the check of them against a robot's limits.
#include <nanobind/stl/string.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "catena/elastic.hpp"
#include "catena/time_optimal.hpp"
#include "evaluate.hpp"

namespace catena::python {
namespace {

Trajectory through(const std::string& kind, nb::handle points, std::size_t joints, nb::handle times) {
  return Trajectory::through(profile_kind(kind), rows_of(points, "points", joints), numbers(times, "times"));
}
Trajectory within(const std::string& kind, nb::handle points, std::size_t joints, nb::handle velocity,
                  nb::handle acceleration) {
  const std::vector<double> v = numbers(velocity, "velocity", joints),
                            a = numbers(acceleration, "acceleration", joints);
  std::vector<Rates> rates;
  for (std::size_t k = 0; k < joints; ++k) rates.push_back({v[k], a[k]});
  return Trajectory::within(profile_kind(kind), rows_of(points, "points", joints), rates);
}

// q, qd, qdd at each time.
nb::tuple at(const Trajectory& motion, nb::handle times) {
  const std::vector<double> given = numbers(times, "t");
  const std::size_t n = motion.joints();
  const NewArray q = new_array({given.size(), n}), qd = new_array({given.size(), n}),
                 qdd = new_array({given.size(), n});
  for (std::size_t k = 0; k < given.size(); ++k)
    motion.at(given[k], q.values.subspan(k * n, n), qd.values.subspan(k * n, n), qdd.values.subspan(k * n, n));
  return nb::make_tuple(q.object, qd.object, qdd.object);
}

// q and its first four derivatives at each time.
nb::tuple rates_at(const Trajectory& motion, nb::handle times) {
  const std::vector<double> given = numbers(times, "t");
  const std::size_t n = motion.joints();
  std::vector<NewArray> out;
  for (int k = 0; k < 5; ++k) out.push_back(new_array({given.size(), n}));
  for (std::size_t r = 0; r < given.size(); ++r) {
    const auto row = [&](std::size_t k) { return out[k].values.subspan(r * n, n); };
    motion.at(given[r], row(0), row(1), row(2), row(3), row(4));
  }
  return nb::make_tuple(out[0].object, out[1].object, out[2].object, out[3].object, out[4].object);
}

nb::tuple peaks(const Trajectory& motion) {
  const NewArray velocity = new_array({motion.joints()}), acceleration = new_array({motion.joints()});
  for (std::size_t j = 0; j < motion.joints(); ++j) {
    const Rates rates = motion.peaks(j);
    velocity.values[j] = rates.velocity;
    acceleration.values[j] = rates.acceleration;
  }
  return nb::make_tuple(velocity.object, acceleration.object);
}

// --- limits ---

nb::dict event_of(const LimitEvent& event, const Mechanism& robot) {
  nb::dict out;
  out["kind"] = std::string(name_of(event.kind));
  out["joint"] = event.joint == all_joints ? std::string("all joints") : robot.name_of(Coordinate(event.joint));
  out["time"] = event.time;
  out["value"] = event.value;
  out["limit"] = event.limit;
  return out;
}

const char* name_of(TimeScale::Outcome outcome) {
  switch (outcome) {
    case TimeScale::Outcome::found:
      return "found";
    case TimeScale::Outcome::impossible:
      return "impossible";
    default:
      return "unbounded";
  }
}

nb::dict check(const RobotCore& core, const Trajectory& motion, nb::handle power, double total_power,
               nb::handle wrenches, const std::string& method, int samples) {
  const Mechanism& robot = core.loaded->mechanism;
  LimitOptions options{.total_power = total_power, .formulation = method, .samples = samples};
  if (!power.is_none()) options.power = numbers(power, "power", index(core.loaded->sizes.velocities));
  if (!wrenches.is_none()) options.wrenches = wrenches_of(robot, wrenches);
  options.proceed = [] {
    const nb::gil_scoped_acquire held;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    return true;
  };
  const LimitReport report = [&] {
    const nb::gil_scoped_release others_run;
    return check_limits(motion, robot, options);
  }();
  nb::list found_peaks, violations;
  for (const LimitEvent& peak : report.peaks) found_peaks.append(event_of(peak, robot));
  for (const Violation& violation : report.violations)
    violations.append(nb::make_tuple(event_of(violation.first, robot), event_of(violation.peak, robot)));
  nb::dict out;
  out["respected"] = report.respected();
  out["peaks"] = found_peaks;
  out["violations"] = violations;
  out["outcome"] = name_of(report.time_scale.outcome);
  out["factor"] = report.time_scale.factor;
  out["slower_too"] = report.time_scale.slower_too;
  out["binding"] = report.time_scale.outcome == TimeScale::Outcome::unbounded
                       ? nb::object(nb::none())
                       : nb::object(event_of(report.time_scale.binding, robot));
  return out;
}

// The motion, then by points of the path: s, ds/dt, the largest of it, t; least, idle, rounds.
nb::tuple optimal(const RobotCore& core, nb::handle points, bool stops, int intervals, nb::handle speeds,
                  nb::handle accelerations, nb::handle jerks) {
  const Mechanism& robot = core.loaded->mechanism;
  TimeOptimalOptions set{.stops = stops, .intervals = intervals};
  const auto take = [](nb::handle given, const char* what, std::vector<double>& into) {
    if (!given.is_none()) into = numbers(given, what);
  };
  take(speeds, "velocity", set.speeds), take(accelerations, "acceleration", set.accelerations);
  take(jerks, "jerk", set.jerks);
  const std::vector<JointPoint> rows = rows_of(points, "points", index(robot.nv()));
  const TimeOptimal found = [&] {
    const nb::gil_scoped_release others_run;
    return time_optimal(robot, rows, set);
  }();
  std::vector<double> s, speed, most, t;
  for (const PathPoint& point : found.path)
    s.push_back(point.s), speed.push_back(point.speed), most.push_back(point.most), t.push_back(point.time);
  return nb::make_tuple(found.motion, to_array(s), to_array(speed), to_array(most), to_array(t), found.least,
                        found.idle, found.rounds);
}

// Rows of q, qd, qdd, jerk and snap of the links; of q, qd, qdd and tau of links and motors.
nb::tuple elastic_inverse(const RobotCore& core, const nb::list& given) {
  ElasticInverse inverse(core.loaded->written);
  const std::size_t n = index(inverse.links().nv()), all = index(inverse.motors().nv());
  std::vector<std::vector<double>> in;
  for (const nb::handle rates : given) in.push_back(numbers(rates, "the motion of the links"));
  const std::size_t rows = in[0].size() / n;
  std::vector<NewArray> out;
  for (int k = 0; k < 4; ++k) out.push_back(new_array({rows, all}));
  for (std::size_t r = 0; r < rows; ++r) {
    const auto links = [&](std::size_t k) { return std::span<const double>(in[k]).subspan(r * n, n); };
    const auto motors = [&](std::size_t k) { return out[k].values.subspan(r * all, all); };
    inverse({links(0), links(1), links(2), links(3), links(4)}, {motors(0), motors(1), motors(2), motors(3)});
  }
  return nb::make_tuple(out[0].object, out[1].object, out[2].object, out[3].object);
}

}  // namespace

void bind_motion(nb::module_& module) {
  nb::class_<Trajectory>(module, "TrajectoryCore")
      .def("_at", &at)
      .def("_rates_at", &rates_at)
      .def("_peaks", &peaks)
      .def("_scaled", &Trajectory::scaled)
      .def(nb::init<const Trajectory&>())
      .def_prop_ro("start", &Trajectory::start, "s")
      .def_prop_ro("end", &Trajectory::end, "s")
      .def_prop_ro("duration", &Trajectory::duration, "s")
      .def_prop_ro("joints", &Trajectory::joints, "their number")
      .def_prop_ro(
          "breaks", [](const Trajectory& t) { return to_array(t.breaks()); },
          nb::for_getter(nb::sig("def breaks(self) -> Array")), "times between which everything is smooth, s");
  module.def("trajectory_through", &through);
  module.def("trajectory_within", &within);
  module.def("elastic_inverse", &elastic_inverse);
  module.def("time_optimal", &optimal, nb::arg("robot"), nb::arg("points"), nb::arg("stops"), nb::arg("intervals"),
             nb::arg("velocity").none(), nb::arg("acceleration").none(), nb::arg("jerk").none());
  module.def(
      "time_optimal_motion",
      [](const RobotCore& core, nb::handle points, bool stops, int intervals, nb::handle v, nb::handle a,
         nb::handle j) { return nb::cast<Trajectory>(optimal(core, points, stops, intervals, v, a, j)[0]); },
      nb::arg("robot"), nb::arg("points"), nb::arg("stops"), nb::arg("intervals"), nb::arg("velocity").none(),
      nb::arg("acceleration").none(), nb::arg("jerk").none());
  module.def("check_limits", &check, nb::arg("robot"), nb::arg("motion"), nb::arg("power").none(),
             nb::arg("total_power"), nb::arg("wrenches").none(), nb::arg("method"), nb::arg("samples"));
}

}  // namespace catena::python

// Signals and logs of measured motions.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "catena/log.hpp"
#include "catena/signals.hpp"
#include "catena/tables.hpp"

namespace catena::python {
namespace {

nb::object shaped(std::span<const double> values, std::size_t columns) {
  const NewArray made = new_array({values.size() / std::max<std::size_t>(columns, 1), columns});
  std::copy(values.begin(), values.end(), made.values.begin());
  return made.object;
}

// --- signals: columns of a table by rows ---

nb::object low_pass(nb::handle table, std::size_t columns, double rate, double cutoff, int order) {
  std::vector<double> values = numbers(table, "x");
  ZeroPhase({cutoff, order}, 1.0 / rate).apply_rows(values, columns);
  return shaped(values, columns);
}

nb::object derivative(nb::handle column, double rate, int order, std::size_t window, int degree) {
  return to_array(SavitzkyGolay(window, degree, 1.0 / rate).derivative(numbers(column, "x"), order));
}

nb::tuple spectrum_of(nb::handle column, double rate) {
  const Spectrum own = spectrum(numbers(column, "x"), 1.0 / rate);
  std::vector<double> frequencies;
  for (std::size_t k = 0; k < own.density.size(); ++k) frequencies.push_back(own.step * static_cast<double>(k));
  return nb::make_tuple(to_array(frequencies), to_array(own.density));
}

double cutoff_of(const nb::list& columns, double rate) {
  std::vector<Spectrum> all;
  for (nb::handle column : columns) all.push_back(spectrum(numbers(column, "x"), 1.0 / rate));
  return choose_cutoff(all).cutoff;
}

// --- logs ---

nb::dict findings_and_arrays(const PreparedLog& log) {
  const std::size_t n = log.joints.size();
  const auto marks = [&](const std::vector<std::uint8_t>& group) {
    return shaped(std::vector<double>(group.begin(), group.end()), n);
  };
  nb::list findings;
  for (const LogFinding& own : log.findings)
    findings.append(nb::make_tuple(own.kind, own.weight == LogFinding::Weight::warning,
                                   own.joint < 0 ? std::string() : log.joints[static_cast<std::size_t>(own.joint)],
                                   own.number, own.text, own.cure));
  nb::dict out;
  out["t"] = to_array(log.t);
  out["q"] = shaped(log.data.q, n), out["qd"] = shaped(log.data.qd, n), out["qdd"] = shaped(log.data.qdd, n);
  out["tau"] = log.data.tau.empty() ? nb::object(nb::none()) : shaped(log.data.tau, n);
  out["used"] = marks(log.data.used), out["resting"] = marks(log.resting);
  out["stretches"] = log.data.stretches;
  out["period"] = log.data.period;
  out["cutoff"] = log.filter.cutoff;
  out["order"] = log.filter.order;
  out["decimation"] = log.decimation;
  out["dead_band"] = to_array(log.dead_band);
  out["noise"] = to_array(log.noise);
  out["findings"] = findings;
  return out;
}

Log log_of(const RobotCore& core, nb::handle t, nb::handle q, nb::handle qd, nb::handle tau, double period) {
  Log log;
  log.joints = coordinate_names(core.loaded->mechanism);
  log.period = period;
  if (!t.is_none()) log.t = numbers(t, "t");
  log.q = numbers(q, "q");
  if (!qd.is_none()) log.qd = numbers(qd, "qd");
  if (!tau.is_none()) log.tau = numbers(tau, "tau");
  return log;
}

std::vector<double> gears_of(const RobotCore& core) {
  std::vector<double> gears;
  for (const int j : core.loaded->robot.moving_joints())
    gears.push_back(core.loaded->robot.joints[static_cast<std::size_t>(j)].drive.gear_ratio);
  return gears;
}

nb::dict prepare_log(const RobotCore& core, nb::handle t, nb::handle q, nb::handle qd, nb::handle tau, double period,
                     const std::vector<std::size_t>& files, double from, double to, double cutoff, int order,
                     bool savgol, const std::string& rest, std::size_t gap, bool diagnosed, bool torques_too) {
  const Mechanism& robot = core.loaded->mechanism;
  require_fixed_base(robot, "preparing logs does");
  Log log = log_of(core, t, q, qd, tau, period);
  log.files = files;
  PrepareOptions options;
  options.from = from, options.to = to, options.filter = {cutoff, order}, options.longest_gap = gap;
  options.derivative = savgol ? DerivativeBy::savitzky_golay : DerivativeBy::filter;
  options.rest = rest == "hold" ? Rest::hold : rest == "keep" ? Rest::keep : Rest::leave_out;
  if (torques_too) options.headroom = 1.0;
  PreparedLog prepared = prepare(std::move(log), options);
  if (diagnosed)
    for (LogFinding& own : diagnose(prepared, robot, gears_of(core))) prepared.findings.push_back(std::move(own));
  if (torques_too) filter_torques(prepared);
  return findings_and_arrays(prepared);
}

nb::tuple read(const RobotCore& core, const std::vector<std::string>& files, const std::vector<std::string>& columns,
               const std::vector<std::string>& units, const std::vector<std::string>& offsets,
               const std::vector<std::string>& header, nb::handle gears, double period) {
  const Mechanism& robot = core.loaded->mechanism;
  LogFormat format{.joints = coordinate_names(robot), .header = header, .columns = columns, .units = units};
  format.offsets = offsets, format.period = period;
  for (const Coordinate c : robot.coordinates.all())
    format.slides.push_back(!robot.links[index(robot.link_of(c))].revolute);
  if (!gears.is_none()) format.gears = numbers(gears, "gears", format.joints.size());
  try {
    const Log log = read_log(files, format);
    const std::size_t n = format.joints.size();
    const auto group = [&](const std::vector<double>& own) {
      return own.empty() ? nb::object(nb::none()) : shaped(own, n);
    };
    return nb::make_tuple(log.t.empty() ? nb::object(nb::none()) : to_array(log.t), group(log.q), group(log.qd),
                          group(log.tau));
  } catch (const TableError& error) {
    throw nb::value_error(error.what());
  }
}

}  // namespace

void bind_logs(nb::module_& module) {
  module.def("low_pass", &low_pass);
  module.def("derivative", &derivative);
  module.def("spectrum", &spectrum_of);
  module.def("choose_cutoff", &cutoff_of);
  module.def("prepare_log", &prepare_log, nb::arg("robot"), nb::arg("t").none(), nb::arg("q"), nb::arg("qd").none(),
             nb::arg("tau").none(), nb::arg("period"), nb::arg("files"), nb::arg("start"), nb::arg("end"),
             nb::arg("cutoff"), nb::arg("order"), nb::arg("savgol"), nb::arg("rest"), nb::arg("gap"),
             nb::arg("diagnosed"), nb::arg("torques_too"));
  module.def("read_log", &read, nb::arg("robot"), nb::arg("files"), nb::arg("columns"), nb::arg("units"),
             nb::arg("offsets"), nb::arg("header"), nb::arg("gears").none(), nb::arg("period"));
}

}  // namespace catena::python

// Many arms integrated on a graphics processor: GpuRollout, with arrays of the host and samples on the way.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "arrays.hpp"
#include "bindings.hpp"
#include "catena/gpu.hpp"

namespace catena::python {
namespace {

RolloutOptions options_of(const std::string& law, bool rk4, const std::vector<double>& kp,
                          const std::vector<double>& kd) {
  RolloutOptions out;
  std::string known;
  for (const RolloutLawInfo& info : rollout_laws()) {
    known.append(known.empty() ? "" : ", ").append(info.name);
    if (info.name != law) continue;
    out.law = info.law;
    out.scheme = rk4 ? RolloutScheme::rk4 : RolloutScheme::semi_implicit_euler;
    if (info.has_gains) out.kp = kp, out.kd = kd;
    return out;
  }
  throw std::invalid_argument("a rollout has no law '" + law + "'; there are " + known);
}

// Rows of arms (arms, n) as the columns (n, arms) of a device, and back.
template <class S>
std::vector<S> in_columns(const RowArray& rows) {
  std::vector<S> out(rows.count * rows.columns);
  for (std::size_t k = 0; k < rows.count; ++k)
    for (std::size_t j = 0; j < rows.columns; ++j) out[j * rows.count + k] = S(rows.row(k)[j]);
  return out;
}
// Into sample s of (arms, samples, n).
template <class S>
void put_sample(std::span<double> out, const std::vector<S>& columns, std::size_t arms, std::size_t samples,
                std::size_t s) {
  const std::size_t n = columns.size() / arms;
  for (std::size_t k = 0; k < arms; ++k)
    for (std::size_t j = 0; j < n; ++j) out[(k * samples + s) * n + j] = double(columns[j * arms + k]);
}

template <class S>
nb::tuple rolled(const Mechanism& robot, const RolloutOptions& options, int device, bool search, nb::handle q,
                 nb::handle qd, nb::handle target, double step, std::size_t steps, std::size_t samples) {
  const std::size_t n = index(robot.nv());
  const RowArray start = row_array(q, "q", n), speed = row_array(qd, "qd", n), given = row_array(target, "torque", n);
  const bool table = options.law == RolloutLaw::table;
  const NewArray positions = new_array({start.count, samples, n}), speeds = new_array({start.count, samples, n});
  if (start.count == 0) return nb::make_tuple(positions.object, speeds.object);
  std::vector<S> x = in_columns<S>(start), v = in_columns<S>(speed), goal = in_columns<S>(given);
  if (table) std::copy(given.data, given.data + goal.size(), goal.begin());  // by rows of steps
  const nb::gil_scoped_release others_run;
  GpuOptions set;
  set.device = device, set.search = search;
  const GpuRollout<S> rollout(robot, options, set);
  const std::size_t part = steps / (samples - 1);
  for (std::size_t s = 0; s < samples; ++s) {
    if (s > 0) {
      const std::span<const S> all(goal);
      rollout.run(start.count, part, step, table ? all.subspan((s - 1) * part * n, part * n) : all, x, v);
    }
    put_sample(positions.values, x, start.count, samples, s);
    put_sample(speeds.values, v, start.count, samples, s);
  }
  const nb::gil_scoped_acquire back;
  return nb::make_tuple(positions.object, speeds.object);
}

nb::tuple rollout(const RobotCore& core, const std::string& law, bool rk4, const std::vector<double>& kp,
                  const std::vector<double>& kd, bool single, int device, bool search, nb::handle q, nb::handle qd,
                  nb::handle target, double step, std::size_t steps, std::size_t samples) {
  const RolloutOptions options = options_of(law, rk4, kp, kd);
  return (single ? rolled<float> : rolled<double>)(core.loaded->mechanism, options, device, search, q, qd, target, step,
                                                   steps, samples);
}

}  // namespace

void bind_rollout(nb::module_& module) { module.def("rollout", &rollout); }

}  // namespace catena::python

// Wrenches and motions of the base during a run: constant, as tables over time, or Python functions.
#include <nanobind/stl/string.h>

#include <algorithm>

#include "arrays.hpp"
#include "bindings.hpp"
#include "simulation.hpp"

namespace catena::python {
namespace {

Wrenches function_of(const std::string& frame, nb::object given, Axes axes, Absent absent, const Raised& raised) {
  return wrench_function(
      frame,
      [function = shared(std::move(given)), raised](double t, std::span<const double> q, std::span<const double> qd,
                                                    Vec3<double>& force, Vec3<double>& moment) {
        guarded(raised, [&] {
          const std::vector<double> w =
              numbers((*function)(t, to_array(q), to_array(qd)), "the wrench that a Python function gave", 6);
          force = {w[0], w[1], w[2]}, moment = {w[3], w[4], w[5]};
        });
      },
      axes, absent);
}

Wrenches table_of(const std::string& frame, nb::handle given, Axes axes, Absent absent) {
  std::vector<WrenchRow> rows;
  for (const std::vector<double>& row : rows_of(given, "a table of wrenches (t, fx, fy, fz, mx, my, mz)", 7)) {
    rows.push_back({row[0]});
    std::copy(row.begin() + 1, row.end(), rows.back().values.begin());
  }
  return wrench_table(frame, std::move(rows), axes, absent);
}

}  // namespace

// A list of (frame, "constant", "table" or "function", values, whether along the world's axes).
Wrenches wrenches_of_run(const nb::list& given, const Mechanism& robot, Absent absent, const Raised& raised) {
  std::vector<Wrenches> all;
  for (const nb::handle own : given) {
    const std::string named = nb::cast<std::string>(own[0]), kind = nb::cast<std::string>(own[1]);
    const Axes axes = nb::cast<bool>(own[3]) ? Axes::world : Axes::frame;
    std::string frame = named;
    if (absent == Absent::refused || named.empty()) {
      const int found = frame_of(robot, named);  // throws
      frame = robot.frames[index(found == tool_frame ? robot.tool : found)].name;
    }
    if (kind == "function") {
      all.push_back(function_of(frame, nb::borrow(own[2]), axes, absent, raised));
    } else if (kind == "table") {
      all.push_back(table_of(frame, own[2], axes, absent));
    } else {
      const std::vector<double> w = numbers(own[2], "the wrench on '" + frame + "' (fx, fy, fz, mx, my, mz)", 6);
      all.push_back(constant_wrench({frame, {w[0], w[1], w[2]}, {w[3], w[4], w[5]}, axes}, absent));
    }
  }
  return all.empty() ? Wrenches{} : together(std::move(all));
}

// {} at rest; {"twist": 12 numbers at the start and how they change}, {"table": rows of 7 or 13} or {"function": of t}.
BaseLaw base_of_run(const nb::dict& given, const Raised& raised) {
  if (given.contains("twist")) {
    const std::vector<double> all = numbers(given["twist"], "base", base_motion_size);
    BaseTwist twist{}, rate{};
    std::copy_n(all.begin(), twist.size(), twist.begin());
    std::copy_n(all.begin() + 6, rate.size(), rate.begin());
    return constant_base_acceleration(twist, rate);
  }
  if (given.contains("table")) {
    const bool rates = nb::cast<bool>(given["rates"]);
    std::vector<BaseRow> rows;
    for (const std::vector<double>& row : rows_of(given["table"], "base", rates ? 13 : 7)) {
      rows.push_back({row[0]});
      std::copy_n(row.begin() + 1, 6, rows.back().twist.begin());
      if (rates) std::copy_n(row.begin() + 7, 6, rows.back().acceleration.begin());
    }
    return base_motion_table(std::move(rows), rates);
  }
  if (!given.contains("function")) return {};
  return [function = shared(nb::borrow(given["function"])), raised](double t) {
    return guarded(raised, [&] {
      const std::vector<double> all =
          numbers((*function)(t), "the motion of the base that a Python function gave", base_motion_size);
      BaseTwist twist{}, rate{};
      std::copy_n(all.begin(), twist.size(), twist.begin());
      std::copy_n(all.begin() + 6, rate.size(), rate.begin());
      return base_motion(twist, rate);
    });
  };
}

}  // namespace catena::python

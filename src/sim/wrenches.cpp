#include "catena/simulation.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "model/find_frame.hpp"

namespace catena {

Wrenches wrench_function(const std::string& frame, const WrenchFunction& function, Axes axes, Absent absent) {
  if (!function) throw std::invalid_argument("the wrench on '" + frame + "' needs a function");
  return [=](const Mechanism& robot) -> WrenchLaw {
    const int at = find_frame(robot, frame);
    if (at < 0 && absent == Absent::refused)
      throw std::invalid_argument("external wrench: the robot has no frame '" + frame + "'");
    if (at < 0) return [](double, auto, auto, auto&) {};
    return [=](double t, std::span<const double> q, std::span<const double> qd,
               std::vector<ExternalWrench<double>>& wrenches) {
      ExternalWrench<double>& wrench = wrenches.emplace_back();
      wrench.frame = at;
      wrench.axes = axes;
      function(t, q, qd, wrench.force, wrench.moment);
    };
  };
}

Wrenches constant_wrench(const FrameWrench& wrench, Absent absent) {
  return wrench_function(
      wrench.frame,
      [wrench](double, auto, auto, Vec3<double>& force, Vec3<double>& moment) {
        force = wrench.force;
        moment = wrench.moment;
      },
      wrench.axes, absent);
}

Wrenches wrench_table(const std::string& frame, std::vector<WrenchRow> rows, Axes axes, Absent absent) {
  if (rows.empty()) throw std::invalid_argument("a table of wrenches needs at least one row");
  for (std::size_t k = 1; k < rows.size(); ++k)
    if (!(rows[k].t > rows[k - 1].t)) throw std::invalid_argument("the times of a table of wrenches must increase");
  const auto table = std::make_shared<const std::vector<WrenchRow>>(std::move(rows));
  return wrench_function(
      frame,
      [table](double t, auto, auto, Vec3<double>& force, Vec3<double>& moment) {
        const auto after = std::upper_bound(table->begin(), table->end(), t,
                                            [](double at, const WrenchRow& row) { return at < row.t; });
        const WrenchRow& b = after == table->end() ? table->back() : *after;
        const WrenchRow& a = after == table->begin() ? b : *(after - 1);
        const double part = a.t == b.t ? 0.0 : (t - a.t) / (b.t - a.t);
        const auto at = [&](std::size_t k) { return a.values[k] + part * (b.values[k] - a.values[k]); };
        force = {at(0), at(1), at(2)};
        moment = {at(3), at(4), at(5)};
      },
      axes, absent);
}

Wrenches together(std::vector<Wrenches> all) {
  return [all = std::move(all)](const Mechanism& robot) -> WrenchLaw {
    std::vector<WrenchLaw> laws;
    laws.reserve(all.size());
    for (const Wrenches& each : all) laws.push_back(each(robot));
    return [laws = std::move(laws)](double t, std::span<const double> q, std::span<const double> qd,
                                    std::vector<ExternalWrench<double>>& wrenches) {
      for (const WrenchLaw& law : laws) law(t, q, qd, wrenches);
    };
  };
}

}  // namespace catena

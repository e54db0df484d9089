#include "catena/simulation.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <utility>

namespace catena {
namespace {

struct Component {
  double value, rate;
};

// Interpolation between two rows a time h apart, at the fraction s of the interval.
Component straight(double from, double to, double h, double s) {
  return {from + s * (to - from), (to - from) / h};
}  // (9)
Component cubic(double from, double to, double rate_from, double rate_to, double h, double s) {  // (10)
  const double chord = to - from, a = h * rate_from - chord, b = chord - h * rate_to;
  const double value = from + s * chord + s * (1.0 - s) * ((1.0 - s) * a + s * b);
  const double slope = chord + (1.0 - 2.0 * s) * ((1.0 - s) * a + s * b) + s * (1.0 - s) * (b - a);
  return {value, slope / h};
}

}  // namespace

BaseMotion<double> base_motion(const BaseTwist& twist, const BaseTwist& acceleration) {
  const auto part = [](const BaseTwist& list, std::size_t k) {
    return Vec3<double>{list[k], list[k + 1], list[k + 2]};
  };
  return {part(twist, 0), part(twist, 3), part(acceleration, 0), part(acceleration, 3)};
}

BaseLaw constant_base_acceleration(const BaseTwist& twist, const BaseTwist& acceleration) {
  return [=](double t) {
    BaseTwist now = twist;
    for (std::size_t k = 0; k < now.size(); ++k) now[k] += t * acceleration[k];
    return base_motion(now, acceleration);
  };
}

BaseLaw base_motion_table(std::vector<BaseRow> rows, bool with_accelerations) {
  if (rows.empty()) throw std::invalid_argument("a table of the base's motion needs at least one row");
  for (std::size_t k = 1; k < rows.size(); ++k)
    if (!(rows[k].t > rows[k - 1].t))
      throw std::invalid_argument("the times of a table of the base's motion must increase");
  const auto table = std::make_shared<const std::vector<BaseRow>>(std::move(rows));
  return [table, with_accelerations](double t) {
    const auto after =
        std::upper_bound(table->begin(), table->end(), t, [](double at, const BaseRow& row) { return at < row.t; });
    if (after == table->begin()) return base_motion(after->twist);
    const BaseRow& a = *(after - 1);
    if (after == table->end() && t > a.t) return base_motion(a.twist);
    const bool last = after == table->end();  // exactly at the last row: the end of the interval before it
    if (last && table->size() == 1) return base_motion(a.twist);
    const BaseRow &from = last ? *(after - 2) : a, &to = last ? a : *after;
    const double h = to.t - from.t, s = (t - from.t) / h;
    BaseTwist twist, rates;
    for (std::size_t k = 0; k < twist.size(); ++k) {
      const Component at = with_accelerations
                               ? cubic(from.twist[k], to.twist[k], from.acceleration[k], to.acceleration[k], h, s)
                               : straight(from.twist[k], to.twist[k], h, s);
      twist[k] = at.value, rates[k] = at.rate;
    }
    return base_motion(twist, rates);
  };
}

}  // namespace catena

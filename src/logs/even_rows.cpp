#include "logs/even_rows.hpp"

#include <span>

namespace catena::logs {
namespace {

std::vector<double> even_times(const Stretch& own, double period) {
  const auto count = static_cast<std::size_t>((own.times.back() - own.times.front()) / period + 1e-3) + 1;
  std::vector<double> times(own.even ? own.times.size() : count);
  for (std::size_t k = 0; k < times.size(); ++k) times[k] = own.times.front() + static_cast<double>(k) * period;
  return times;
}

// One column of one stretch, from those of its rows that are not marked bad, at even times. `marks` tells where there
// was no sample near.
struct Sampled {
  std::vector<double> values;
  std::vector<std::uint8_t> invented;
};
Sampled sampled(const std::vector<double>& group, std::size_t n, std::size_t joint, const Stretch& own,
                std::span<const double> at, const std::vector<std::uint8_t>* bad, double period) {
  std::vector<double> times, values;
  times.reserve(own.rows.size()), values.reserve(own.rows.size());
  for (std::size_t i = 0; i < own.rows.size(); ++i) {
    const std::size_t entry = own.rows[i] * n + joint;
    if (bad != nullptr && (*bad)[entry]) continue;
    times.push_back(own.times[i]), values.push_back(group[entry]);
  }
  Sampled out;
  out.invented.assign(at.size(), times.empty() ? 1 : 0);
  if (own.even && times.size() == at.size()) {
    out.values = std::move(values);
    return out;
  }
  out.values = resampled(times, values, at);
  for (std::size_t k = 0, i = 0; k < at.size() && !times.empty(); ++k) {
    while (i + 1 < times.size() && times[i + 1] < at[k]) ++i;
    const double next = i + 1 < times.size() ? std::abs(times[i + 1] - at[k]) : std::abs(times[i] - at[k]);
    out.invented[k] = std::min(std::abs(times[i] - at[k]), next) > 0.9 * period;
  }
  return out;
}

// Whether the stretches are all rows of the log in order, and even.
bool untouched(const Log& log, const Clock& clock) {
  std::size_t row = 0;
  for (const Stretch& own : clock.stretches) {
    if (!own.even) return false;
    for (const std::size_t r : own.rows)
      if (r != row++) return false;
  }
  return row == log.rows();
}

}  // namespace

EvenRows even_rows(Log& log, const BadValues& bad, const Clock& clock) {
  const std::size_t n = log.joints.size();
  EvenRows out;
  std::vector<double>().swap(log.t);
  for (const Stretch& own : clock.stretches) {
    out.stretches.push_back(out.t.size());
    const std::vector<double> times = even_times(own, clock.period);
    out.t.insert(out.t.end(), times.begin(), times.end());
  }
  out.invented.assign(out.t.size() * n, 0);
  const bool in_place = untouched(log, clock);
  const auto fill = [&](std::vector<double>& from, std::vector<double>& to, const std::vector<std::uint8_t>* marks) {
    if (from.empty()) return;
    const bool any = marks != nullptr && std::find(marks->begin(), marks->end(), 1) != marks->end();
    if (in_place && !any) {
      to = std::move(from);
      return;
    }
    to.resize(out.t.size() * n);
    for (std::size_t s = 0; s < clock.stretches.size(); ++s)
      for (std::size_t j = 0; j < n; ++j) {
        const std::size_t end = s + 1 < out.stretches.size() ? out.stretches[s + 1] : out.t.size();
        const Sampled own =
            sampled(from, n, j, clock.stretches[s], std::span(out.t).subspan(out.stretches[s], end - out.stretches[s]),
                    marks, clock.period);
        for (std::size_t k = 0; k < own.values.size(); ++k) {
          to[(out.stretches[s] + k) * n + j] = own.values[k];
          if (own.invented[k]) out.invented[(out.stretches[s] + k) * n + j] = 1;
        }
      }
    std::vector<double>().swap(from);  // = {} would keep its memory
  };
  fill(log.q, out.q, nullptr);  // rows without positions are not in the clock's stretches
  fill(log.qd, out.qd, nullptr);
  fill(log.tau, out.tau, &bad.torque);
  return out;
}

std::size_t drop_short(EvenRows& rows, std::size_t joints, std::size_t fewest) {
  const std::size_t before = rows.t.size();
  std::vector<std::size_t> kept;
  std::size_t to = 0;
  for (std::size_t s = 0; s < rows.stretches.size(); ++s) {
    const std::size_t first = rows.stretches[s], end = s + 1 < rows.stretches.size() ? rows.stretches[s + 1] : before;
    if (end - first < fewest) continue;
    kept.push_back(to);
    const auto move = [&](auto& group, std::size_t width) {
      if (group.empty() || to == first) return;
      std::copy(group.begin() + static_cast<std::ptrdiff_t>(first * width),
                group.begin() + static_cast<std::ptrdiff_t>(end * width),
                group.begin() + static_cast<std::ptrdiff_t>(to * width));
    };
    move(rows.t, 1), move(rows.q, joints), move(rows.qd, joints), move(rows.tau, joints), move(rows.invented, joints);
    to += end - first;
  }
  rows.stretches = kept;
  rows.t.resize(to), rows.q.resize(to * joints), rows.invented.resize(to * joints);
  if (!rows.qd.empty()) rows.qd.resize(to * joints);
  if (!rows.tau.empty()) rows.tau.resize(to * joints);
  return before - to;
}

}  // namespace catena::logs

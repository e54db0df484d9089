#include "logs/bad_values.hpp"

#include <numbers>
#include <span>

namespace catena::logs {
namespace {

constexpr double absurd = 1e6;            // beyond this nothing is an angle, a length or a torque
constexpr std::size_t longest_jump = 10;  // rows of a value that jumps away and comes back

struct Column {
  std::span<double> values;
  std::size_t width, joint;
  double& operator[](std::size_t row) const { return values[row * width + joint]; }
  std::size_t rows() const { return values.size() / width; }
};

double usual_step(const Column& own, std::span<const std::uint8_t> bad) {
  std::vector<double> steps;
  const std::size_t every = std::max<std::size_t>(1, own.rows() / 20000);
  for (std::size_t i = 1; i < own.rows(); i += every)
    if (!bad[i] && !bad[i - 1]) steps.push_back(std::abs(own[i] - own[i - 1]));
  return quantile(std::move(steps), 0.99);
}

// Marks runs of a few rows that begin and end with a step far larger than usual, and where the value comes back.
void mark_jumps(const Column& own, std::vector<std::uint8_t>& bad) {
  const double most = 20.0 * usual_step(own, bad);
  if (!(most > 0.0)) return;
  for (std::size_t i = 1; i + 1 < own.rows(); ++i) {
    if (bad[i] || bad[i - 1] || std::abs(own[i] - own[i - 1]) <= most) continue;
    const double before = own[i - 1], jump = own[i] - before;
    for (std::size_t k = i + 1; k < own.rows() && k <= i + longest_jump; ++k) {
      if (bad[k] || std::abs(own[k] - before) > 0.2 * std::abs(jump)) continue;
      if (std::abs(own[k] - own[k - 1]) > 0.5 * std::abs(jump) || bad[k - 1])
        std::fill(bad.begin() + static_cast<std::ptrdiff_t>(i), bad.begin() + static_cast<std::ptrdiff_t>(k), 1);
      break;
    }
  }
}

// An angle that is kept within a turn jumps by one. Returns how often.
std::size_t unwrap(const Column& own, std::span<const std::uint8_t> bad) {
  constexpr double turn = 2.0 * std::numbers::pi;
  std::size_t jumps = 0;
  double shift = 0.0, before = 0.0;
  bool any = false;
  for (std::size_t i = 0; i < own.rows(); ++i) {
    if (bad[i]) continue;
    const double value = own[i];
    if (any && std::abs(std::abs(value - before) - turn) < 0.1 * turn) shift += value > before ? -turn : turn, ++jumps;
    before = value, any = true;
    own[i] = value + shift;
  }
  return jumps;
}

std::size_t count(std::span<const std::uint8_t> marks) {
  return static_cast<std::size_t>(std::count(marks.begin(), marks.end(), std::uint8_t{1}));
}

std::vector<std::uint8_t> find_in(std::vector<double>& group, const Log& log, const char* what, FindingList& findings,
                                  bool wraps) {
  const std::size_t n = log.joints.size();
  std::vector<std::uint8_t> marks(group.size(), 0), bad(log.rows());
  for (std::size_t j = 0; j < n && !group.empty(); ++j) {
    const Column own{group, n, j};
    const auto name = [&] { return log.joints[j]; };
    for (std::size_t i = 0; i < own.rows(); ++i) bad[i] = !(std::abs(own[i]) < absurd);
    const std::size_t wrong = count(bad);
    mark_jumps(own, bad);
    const std::size_t jumps = count(bad) - wrong, turns = wraps ? unwrap(own, bad) : 0;
    const int joint = static_cast<int>(j);
    if (wrong == own.rows())
      findings.warn("missing-values", joint, static_cast<double>(wrong), fmt::format("{}: no {} at all", name(), what));
    else if (wrong > 0)
      findings.note("bad-values", joint, static_cast<double>(wrong),
                    fmt::format("{}: {} without a usable {} (missing, not finite or absurdly large): left out", name(),
                                counted(wrong, "row"), what));
    if (jumps > 0)
      findings.note("jumps", joint, static_cast<double>(jumps),
                    fmt::format("{}: {} whose {} jumps away and back: left out", name(), counted(jumps, "row"), what));
    if (turns > 0)
      findings.note("wrapped", joint, static_cast<double>(turns),
                    fmt::format("{}: the angle wraps around {}: made continuous", name(), counted(turns, "time")));
    for (std::size_t i = 0; i < own.rows(); ++i) marks[i * n + j] = bad[i];
  }
  return marks;
}

}  // namespace

BadValues find_bad_values(Log& log, FindingList& findings) {
  BadValues bad;
  bad.position = find_in(log.q, log, "position", findings, true);
  const std::vector<std::uint8_t> speeds = find_in(log.qd, log, "speed", findings, false);
  for (std::size_t k = 0; k < speeds.size(); ++k) bad.position[k] |= speeds[k];
  bad.torque = find_in(log.tau, log, "torque", findings, false);
  return bad;
}

}  // namespace catena::logs

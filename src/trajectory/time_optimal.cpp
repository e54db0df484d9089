// Time-optimal motion along a path by reachability: which speeds can still reach the end, from the end backward; then
// from the start as fast as these allow. Equations: docs/time-optimal.md.
#include "catena/time_optimal.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>

#include "model/asking.hpp"
#include "trajectory/checks.hpp"
#include "trajectory/path.hpp"
#include "trajectory/smoothing.hpp"

namespace catena {
namespace trajectory {
namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();
constexpr double settled = 1e-8;    // relative, of the duration
constexpr double respected = 1e-7;  // relative, of what limits allow between the points of the grid
constexpr double reached = 1e-5;    // relative: a limit is at work
constexpr int most_rounds = 12;

// (2) |a s̈ + b ṡ² + c| <= limit
struct Row {
  double a = 0.0, b = 0.0, c = 0.0, limit = unlimited;
};
struct GridPoint {
  double s = 0.0;
  bool mark = false;              // a joint may turn back here, and its friction with it
  double fastest = unlimited;     // (3) of ṡ²
  std::vector<Row> rows, ending;  // of the interval that begins here, and of the one that ends here
  // For what happens between the points: (8)
  double slower = 1.0;          // times fastest
  std::vector<double> margins;  // of the limits of rows
};

// The s̈ that an interval allows, as functions of x = ṡ² where it begins: below lines and above lines.
class Interval {
 public:
  Interval(const GridPoint& from, const GridPoint& to) : step_(to.s - from.s) {
    high_ = from.fastest * from.slower;
    for (std::size_t k = 0; k < from.rows.size(); ++k) {
      const Row &first = from.rows[k], &last = to.ending[k];
      add(first.a, first.b, first, from.margins[k]);
      add(last.a + 2.0 * step_ * last.b, last.b, last, to.margins[k]);  // (4)
    }
    end_within(0.0, to.fastest * to.slower);
  }
  // (5) The interval ends with ṡ² between these.
  void end_within(double low, double high) {
    if (high < unlimited) tops_.push_back({high / (2.0 * step_), -1.0 / (2.0 * step_)});
    bottoms_.push_back({low / (2.0 * step_), -1.0 / (2.0 * step_)});
  }
  double top(double x) const { return top_line(x).at(x); }

  // (6) The largest and the smallest x with any s̈. The room between tops and bottoms is concave in x: a step to where
  // the two lines that leave none meet never passes it.
  std::optional<double> largest() const { return edge(std::min(high_, 1e30), -1.0); }
  std::optional<double> smallest() const { return edge(low_, 1.0); }

 private:
  struct Line {
    double p, r;
    double at(double x) const { return p + r * x; }
  };
  void add(double alpha, double beta, const Row& row, double margin) {
    if (row.limit == unlimited) return;
    below(alpha, beta, row.limit - margin - row.c);
    below(-alpha, -beta, row.limit - margin + row.c);
  }
  // alpha s̈ + beta x <= gamma
  void below(double alpha, double beta, double gamma) {
    if (std::abs(alpha) > 1e-12 * (std::abs(beta) + std::abs(gamma)))
      return (alpha > 0.0 ? tops_ : bottoms_).push_back({gamma / alpha, -beta / alpha});
    if (beta > 0.0) high_ = std::min(high_, gamma / beta);
    if (beta < 0.0) low_ = std::max(low_, gamma / beta);
    if (beta == 0.0 && gamma < 0.0) high_ = -1.0;
  }
  static auto less_at(double x) {
    return [x](const Line& one, const Line& other) { return one.at(x) < other.at(x); };
  }
  Line top_line(double x) const {
    return tops_.empty() ? Line{1e30, 0.0} : *std::min_element(tops_.begin(), tops_.end(), less_at(x));
  }
  Line bottom_line(double x) const { return *std::max_element(bottoms_.begin(), bottoms_.end(), less_at(x)); }
  std::optional<double> edge(double x, double direction) const {
    for (int k = 0; k < 1000; ++k) {
      if (x < low_ || x > high_ || x < 0.0) return std::nullopt;
      const Line up = top_line(x), down = bottom_line(x);
      const double room = up.at(x) - down.at(x), slope = up.r - down.r;
      if (room >= -1e-11 * (std::abs(up.at(x)) + std::abs(down.at(x)))) return x;
      if (slope * direction <= 0.0) return std::nullopt;
      const double next = (down.p - up.p) / slope;
      if ((next - x) * direction <= 1e-15 * x) return x;  // rounding is all that is missing
      x = next;
    }
    return std::nullopt;
  }

  double step_, low_ = 0.0, high_ = unlimited;
  std::vector<Line> tops_, bottoms_;
};

struct Solution {
  std::vector<double> x, u, most;  // ṡ² and the largest of it by points, s̈ by intervals
  double duration = 0.0;
};

class Problem {
 public:
  Problem(const Mechanism& robot, const std::vector<JointPoint>& points, const TimeOptimalOptions& options)
      : robot_(robot),
        options_(options),
        path_(points),
        inverse_(robot, options.formulation),
        n_(points.front().size()) {
    for (std::vector<double>* v : {&q_, &q1_, &q2_, &q3_, &qd_, &qdd_, &still_, &tau_, &zero_}) v->resize(n_);
    const std::vector<double> marks = path_.marks();
    for (std::size_t k = 0; k + 1 < marks.size(); ++k) {
      const double length = marks[k + 1] - marks[k];
      const int parts = std::max(1, static_cast<int>(std::lround(options.intervals * length / path_.length())));
      for (int part = 0; part < parts; ++part) add_point(marks[k] + length * part / parts, part == 0);
    }
    add_point(marks.back(), true);
  }

  TimeOptimal solve() {
    Solution found;
    measure(std::vector<double>(grid_.size(), path_.length() * path_.length()));
    int rounds = 0;
    for (double before = unlimited;; before = found.duration) {  // friction
      found = fastest();
      measure(found.x);
      if (++rounds == most_rounds || std::abs(before - found.duration) <= settled * found.duration) break;
    }
    const double least = found.duration;
    for (; rounds < 2 * most_rounds && make_room(found) > respected; ++rounds) {
      found = fastest();
      measure(found.x);
    }
    return {motion_of(found), path_of(found), least, unlimited_run(found), rounds};
  }

 private:
  double speed_limit(std::size_t j) const {
    return options_.speeds.empty() ? robot_.limits(Coordinate(int(j))).velocity : options_.speeds[j];
  }

  void torques(const std::vector<double>& qd, const std::vector<double>& qdd, std::vector<double>& tau) {
    inverse_(q_, qd, qdd, tau, options_.wrenches);
  }

  void add_point(double s, bool mark) {
    grid_.push_back({s, mark, unlimited, std::vector<Row>(2 * n_), {}, 1.0, std::vector<double>(2 * n_)});
  }

  // (1), (2) at every point; friction by the line that touches it at the speeds of x. Where a joint turns back, on
  // either side.
  void measure(const std::vector<double>& x) {
    const double least = 1e-4 * *std::max_element(x.begin(), x.end()), aside = 1e-9 * path_.length();
    for (std::size_t i = 0; i < grid_.size(); ++i) {
      ask();
      GridPoint& point = grid_[i];
      const double v = std::sqrt(std::max(x[i], least));
      rows_at(std::min(point.s + (point.mark ? aside : 0.0), path_.length()), v, point.rows);
      if (point.mark) rows_at(std::max(0.0, point.s - aside), v, point.ending = point.rows);
      if (!point.mark) point.ending = point.rows;
      point.fastest = unlimited;
      for (std::size_t j = 0; j < n_; ++j)
        if (const double most = speed_limit(j) / std::abs(q1_[j]); q1_[j] != 0.0)
          point.fastest = std::min(point.fastest, most * most);
    }
  }
  void rows_at(double s, double v, std::vector<Row>& rows) {
    path_.at(s, q_, q1_, q2_, q3_);
    torques(zero_, zero_, still_);
    const auto inertia_times = [&](const std::vector<double>& direction, double Row::*part) {
      torques(zero_, direction, tau_);
      for (std::size_t j = 0; j < n_; ++j) rows[j].*part = tau_[j] - still_[j];
    };
    inertia_times(q1_, &Row::a);
    inertia_times(q2_, &Row::b);
    add_speed(v, rows);
    for (std::size_t j = 0; j < n_; ++j) {
      rows[j].limit = robot_.limits(Coordinate(int(j))).effort;
      rows[n_ + j] = {q1_[j], q2_[j], 0.0, options_.accelerations.empty() ? unlimited : options_.accelerations[j]};
    }
  }
  // What ṡ adds to torques, p0 + p1 ṡ + p2 ṡ² through three speeds, with p1 ṡ as its tangent in ṡ²: (7)
  void add_speed(double v, std::vector<Row>& rows) {
    constexpr double apart = 0.25;
    for (std::size_t k = 0; k < 3; ++k) {
      for (std::size_t j = 0; j < n_; ++j) qd_[j] = v * (1.0 + apart * (double(k) - 1.0)) * q1_[j];
      at_speed_[k].resize(n_);
      torques(qd_, zero_, at_speed_[k]);
    }
    for (std::size_t j = 0; j < n_; ++j) {
      const double h = apart * v, slow = at_speed_[0][j], middle = at_speed_[1][j], quick = at_speed_[2][j];
      const double p2 = (quick - 2.0 * middle + slow) / (2.0 * h * h);
      const double p1 = (quick - slow) / (2.0 * h) - 2.0 * p2 * v;
      rows[j].b += p2 + p1 / (2.0 * v);
      rows[j].c = middle - p1 * v / 2.0 - p2 * v * v;
    }
  }

  Solution fastest() const {
    const std::size_t last = grid_.size() - 1;
    std::vector<std::pair<double, double>> reaches(grid_.size());  // ṡ² from which the end can be reached
    for (std::size_t i = last; i-- > 0;) {
      Interval interval(grid_[i], grid_[i + 1]);
      interval.end_within(reaches[i + 1].first, reaches[i + 1].second);
      const auto low = interval.smallest(), high = interval.largest();
      if (!low || !high) fail(i);
      reaches[i] = {*low, *high};
    }
    if (reaches[0].first > 1e-9 * reaches[last / 2].second) fail(0);
    Solution out{std::vector<double>(grid_.size()), std::vector<double>(last), {}, 0.0};
    for (std::size_t i = 0; i < last; ++i) {
      Interval interval(grid_[i], grid_[i + 1]);
      interval.end_within(reaches[i + 1].first, reaches[i + 1].second);
      const double step = grid_[i + 1].s - grid_[i].s;
      out.x[i + 1] =
          std::clamp(out.x[i] + 2.0 * step * interval.top(out.x[i]), reaches[i + 1].first, reaches[i + 1].second);
      out.u[i] = (out.x[i + 1] - out.x[i]) / (2.0 * step);
      if (!(out.x[i + 1] + out.x[i] > 0.0)) fail(i);
      out.duration += 2.0 * step / (std::sqrt(out.x[i]) + std::sqrt(out.x[i + 1]));
    }
    for (const auto& [low, high] : reaches) out.most.push_back(high);
    return out;
  }

  // Names the joint that cannot hold itself on the path, if there is one.
  [[noreturn]] void fail(std::size_t i) const {
    const std::string where = text(grid_[i].s / path_.length() * 100.0) + " % of the path";
    for (std::size_t j = 0; j < n_; ++j)
      if (const Row& row = grid_[i].rows[j]; std::abs(row.c) >= row.limit)
        throw std::domain_error("at " + where + " joint " + std::to_string(j + 1) + " needs " + text(std::abs(row.c)) +
                                " to hold the arm and move it slowly; its limit is " + text(row.limit));
    throw std::domain_error("at " + where + " no speed keeps all limits");
  }

  // The largest magnitudes of the rows' values and of the speeds within an interval: of five places, and of the
  // parabolas through three of them.
  void peaks_between(std::size_t i, const Solution& found, std::vector<double>& values, std::vector<double>& speeds) {
    constexpr std::array<double, 5> shares{1e-12, 0.25, 0.5, 0.75, 1.0 - 1e-12};
    std::array<std::vector<double>, shares.size()> at;
    std::fill(speeds.begin(), speeds.end(), 0.0);
    for (std::size_t k = 0; k < shares.size(); ++k) {
      const double step = shares[k] * (grid_[i + 1].s - grid_[i].s), u = found.u[i];
      const double x = std::max(0.0, found.x[i] + 2.0 * step * u);
      path_.at(grid_[i].s + step, q_, q1_, q2_, q3_);
      for (std::size_t j = 0; j < n_; ++j) qd_[j] = std::sqrt(x) * q1_[j], qdd_[j] = q1_[j] * u + q2_[j] * x;
      torques(qd_, qdd_, tau_);
      at[k] = tau_;
      at[k].insert(at[k].end(), qdd_.begin(), qdd_.end());
      for (std::size_t j = 0; j < n_; ++j) speeds[j] = std::max(speeds[j], std::abs(qd_[j]));
    }
    for (std::size_t row = 0; row < values.size(); ++row) {
      values[row] = std::max(std::abs(at.front()[row]), std::abs(at.back()[row]));
      for (std::size_t k = 1; k + 1 < shares.size(); ++k) {
        const double before = at[k - 1][row], here = at[k][row], after = at[k + 1][row];
        const double slope = (after - before) / 2.0, bend = after - 2.0 * here + before;
        const bool inside = std::abs(slope) <= std::abs(bend);
        values[row] =
            std::max({values[row], std::abs(here), inside ? std::abs(here - slope * slope / (2.0 * bend)) : 0.0});
      }
    }
  }

  // Lowers what the ends of an interval allow by what it exceeds in between; the largest excess, relative.
  double make_room(const Solution& found) {
    double worst = 0.0;
    const std::vector<GridPoint> before = grid_;
    std::vector<double> values(2 * n_), speeds(n_);
    for (std::size_t i = 0; i + 1 < grid_.size(); ++i) {
      peaks_between(i, found, values, speeds);
      for (std::size_t row = 0; row < values.size(); ++row) {
        const double limit = grid_[i].rows[row].limit, excess = values[row] - limit;
        const double ratio = row < n_ ? speeds[row] / speed_limit(row) : 0.0;
        if (excess > 0.0) worst = std::max(worst, excess / limit);
        if (ratio > 1.0) worst = std::max(worst, ratio - 1.0);
        for (const std::size_t end : {i, i + 1}) {
          double &margin = grid_[end].margins[row], &slower = grid_[end].slower;
          if (excess > 0.0) margin = std::max(margin, before[end].margins[row] + 1.01 * excess);
          if (ratio > 1.0) slower = std::min(slower, before[end].slower / (ratio * ratio));
        }
      }
    }
    return worst;
  }

  // The longest run of intervals that are at none of their limits.
  int unlimited_run(const Solution& found) const {
    int longest = 0, run = 0;
    for (std::size_t i = 0; i + 1 < grid_.size(); ++i) {
      const auto reaches = [&](std::size_t end, const std::vector<Row>& rows) {
        if (found.x[end] >= (1.0 - reached) * grid_[end].fastest * grid_[end].slower) return true;
        for (std::size_t k = 0; k < rows.size(); ++k)
          if (const Row& row = rows[k]; std::abs(row.a * found.u[i] + row.b * found.x[end] + row.c) >=
                                        (1.0 - reached) * row.limit - grid_[end].margins[k])
            return true;
        return false;
      };
      run = reaches(i, grid_[i].rows) || reaches(i + 1, grid_[i + 1].ending) ? 0 : run + 1;
      longest = std::max(longest, run);
    }
    return longest;
  }

  std::vector<PathPoint> path_of(const Solution& found) const {
    std::vector<PathPoint> out;
    double t = 0.0;
    for (std::size_t i = 0; i < grid_.size(); ++i) {
      const double v = std::sqrt(found.x[i]);
      if (i > 0) t += 2.0 * (grid_[i].s - grid_[i - 1].s) / (std::sqrt(found.x[i - 1]) + v);
      out.push_back({grid_[i].s, v, i < found.u.size() ? found.u[i] : 0.0, std::sqrt(found.most[i]), t});
    }
    return out;
  }

  Trajectory motion_of(const Solution& found) {
    const PathMotion along(path_, path_of(found));
    return options_.jerks.empty() ? along.motion() : smoothed(along, robot_, options_);
  }

  const Mechanism& robot_;
  const TimeOptimalOptions& options_;
  Path path_;
  InverseDynamics<double> inverse_;
  std::size_t n_;
  std::vector<GridPoint> grid_;
  std::vector<double> q_, q1_, q2_, q3_, qd_, qdd_, still_, tau_, zero_, at_speed_[3];
};

void require_numbers(const std::vector<double>& values, std::size_t joints, const char* what) {
  require(values.empty() || values.size() == joints,
          std::to_string(values.size()) + " " + what + " for " + std::to_string(joints) + " joints");
  for (const double value : values) require(value > 0.0, std::string(what) + " must be positive, not " + text(value));
}

}  // namespace
}  // namespace trajectory

TimeOptimal time_optimal(const Mechanism& robot, const std::vector<JointPoint>& points,
                         const TimeOptimalOptions& options) {
  using trajectory::require;
  trajectory::require_points(points);
  const std::size_t n = points.front().size();
  require(!robot.coordinates.is_moving() && !robot.coordinates.is_free(),
          "robot '" + robot.name + "' has a base that is not fixed, which time-optimal motions do not support");
  require(n == index(robot.nv()), std::to_string(n) + " joints for a robot with " + std::to_string(robot.nv()));
  require(options.intervals >= 10 && options.intervals <= 1'000'000,
          std::to_string(options.intervals) + " intervals; give 10 to 1000000");
  trajectory::require_numbers(options.speeds, n, "speeds");
  trajectory::require_numbers(options.accelerations, n, "accelerations");
  trajectory::require_numbers(options.jerks, n, "jerks");
  bool limited = !options.accelerations.empty();
  for (const Coordinate c : robot.coordinates.all()) limited = limited || std::isfinite(robot.limits(c).effort);
  require(limited, "robot '" + robot.name + "' has no effort limits: give accelerations");
  std::optional<TimeOptimal> all;
  for (std::size_t k = 0; k + 1 < points.size(); ++k) {
    require(points[k] != points[k + 1],
            "points " + std::to_string(k + 1) + " and " + std::to_string(k + 2) + " are the same");
    if (!options.stops && k > 0) continue;
    TimeOptimal own =
        trajectory::Problem(robot, options.stops ? std::vector{points[k], points[k + 1]} : points, options).solve();
    if (!all) {
      all = std::move(own);
      continue;
    }
    const double t = all->path.back().time, s = all->path.back().s;
    all->path.pop_back();
    for (PathPoint& point : own.path) point.time += t, point.s += s, all->path.push_back(point);
    all->motion = all->motion.followed_by(own.motion);
    all->least += own.least, all->idle = std::max(all->idle, own.idle), all->rounds = std::max(all->rounds, own.rounds);
  }
  return std::move(*all);
}

}  // namespace catena

#include "catena/identify.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>

#include "catena/call.hpp"
#include "catena/model/parameters.hpp"
#include "identify/matrices.hpp"
#include "identify/motion_limits.hpp"
#include "identify/random_positions.hpp"
#include "model/asking.hpp"

namespace catena {
namespace {

using namespace identification;

void require_sensible(const Mechanism& robot, const ExcitationOptions& options) {
  const auto require = [](bool fits, const char* what) {
    if (!fits) throw std::invalid_argument(what);
  };
  require_fixed_base(robot, "identification does");
  require(robot.nv() > 0, "the robot has no moving joints: there is nothing to excite");
  require(options.period > 0.0 && std::isfinite(options.period), "the period is not a positive number");
  require(options.harmonics >= 2 && options.harmonics <= 50,
          "harmonics must be from 2 to 50: with one, a motion cannot begin at rest");
  require(options.starts >= 1 && options.steps >= 0, "a search needs at least one start");
  require(options.share > 0.0 && options.share <= 1.0, "the share of the limits must be between 0 and 1");
  require(options.free_range > 0.0 && options.free_speed > 0.0, "range and speed of free joints must be positive");
  for (const auto& [list, word] : {std::pair{&options.acceleration, "accelerations"}, {&options.weights, "weights"}})
    if (!list->empty() && list->size() != index(robot.nv()))
      throw std::invalid_argument(std::to_string(list->size()) + " " + word + " for " + std::to_string(robot.nv()) +
                                  " joints");
  for (const double a : options.acceleration) require(a > 0.0, "an acceleration limit must be a positive number");
  for (const double w : options.weights) require(w > 0.0 && std::isfinite(w), "a weight must be a positive number");
  for (const auto* boxes : {&options.around.inside, &options.around.outside})
    for (const Box& box : *boxes)
      require(box.lower.x < box.upper.x && box.lower.y < box.upper.y && box.lower.z < box.upper.z,
              "the lower corner of a box must be below its upper one");
}

// Where a joint may go, and how fast.
struct Range {
  double middle = 0.0, half = 0.0, speed = 0.0, acceleration = 0.0;
};
Range range_of(const JointLimits& limits, double acceleration, const ExcitationOptions& options) {
  Range range;
  const bool below = std::isfinite(limits.lower), above = std::isfinite(limits.upper);
  const double low = below ? limits.lower : above ? limits.upper - 2.0 * options.free_range : -options.free_range;
  const double high = above ? limits.upper : below ? limits.lower + 2.0 * options.free_range : options.free_range;
  range.middle = 0.5 * (low + high);
  range.half = 0.5 * options.share * std::max(high - low, 0.0);
  range.speed = options.share * (std::isfinite(limits.velocity) ? limits.velocity : options.free_speed);
  range.acceleration = options.share * acceleration;
  return range;
}

// The range of Σ_k s_k sin(kωt) + c_k cos(kωt) over a period. Between N even samples a series of K harmonics leaves
// the range of its values there by less than a factor 1/cos(πK/N) (Ehlich and Zeller, 1964).
class SeriesRange {
 public:
  SeriesRange(std::size_t harmonics, std::size_t samples)
      : harmonics_(harmonics), samples_(samples), waves_(2 * harmonics * samples) {
    const double turn = 2.0 * std::numbers::pi / static_cast<double>(samples);
    widened_ = 1.0 / std::cos(0.5 * turn * static_cast<double>(harmonics));
    for (std::size_t s = 0; s < samples; ++s)
      for (std::size_t k = 0; k < harmonics; ++k) {
        const double angle = turn * static_cast<double>((k + 1) * s % samples);
        waves_[2 * (s * harmonics + k)] = std::sin(angle), waves_[2 * (s * harmonics + k) + 1] = std::cos(angle);
      }
  }
  struct Ends {
    double middle = 0.0, half = 0.0;
  };
  Ends operator()(std::span<const double> sines_and_cosines) const {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (std::size_t s = 0; s < samples_; ++s) {
      const double value = dense::dot({waves_.data() + 2 * s * harmonics_, 2 * harmonics_}, sines_and_cosines);
      low = std::min(low, value), high = std::max(high, value);
    }
    return {0.5 * (low + high), 0.5 * widened_ * (high - low)};
  }

 private:
  std::size_t harmonics_, samples_;
  std::vector<double> waves_;
  double widened_ = 1.0;
};

// How good a point of the search is: first that limits are kept, then the criterion, both small.
struct Merit {
  double excess = std::numeric_limits<double>::infinity(), value = std::numeric_limits<double>::infinity();
  bool better_than(const Merit& other) const {
    return excess < other.excess || (excess == other.excess && value < other.value);
  }
};
struct Judgement {
  double condition = std::numeric_limits<double>::infinity();
  double information = -std::numeric_limits<double>::infinity();
};

class Search {
 public:
  Search(const Mechanism& robot, const ExcitationOptions& options)
      : options_(options),
        closed_(robot.coordinates.is_closed()),
        n_(index(robot.nv())),
        genes_(2 + 2 * index(options.harmonics)),
        width_(index(robot.joints()) * parameters_per_joint),
        parameters_(base_parameters(robot, options.drives)),
        regressor_(robot, "regressor"),
        limits_(robot, options, 64 * index(options.harmonics)),
        series_(index(options.harmonics), 64 * index(options.harmonics)),
        engine_(options.seed),
        Y_(regressor_.size()),
        x_(3 * n_) {
    const std::vector<double> home = closed_position(robot);
    for (const Coordinate c : robot.coordinates.all()) {
      const double acceleration =
          options.acceleration.empty() ? std::numeric_limits<double>::infinity() : options.acceleration[index(c)];
      ranges_.push_back(range_of(robot.limits(c), acceleration, options));
      const JointLimits& limits = robot.limits(c);
      if (robot.coordinates.is_closed() && !std::isfinite(limits.lower) && !std::isfinite(limits.upper))
        ranges_.back().middle = home[index(c)];
    }
    samples_ = options.samples;
    if (samples_ == 0) samples_ = std::max<std::size_t>(60, 4 * parameters_.size() / n_);
    if (parameters_.empty()) throw std::invalid_argument("torques depend on no parameter of the robot");
  }

  Excitation run() {
    Excitation out;
    Merit best, first;
    for (int start = 0; start < options_.starts; ++start) {
      ask(static_cast<double>(start) / options_.starts);
      std::vector<double> point;
      Merit merit = enter(point);
      if (merit.excess == 0.0 && merit.better_than(first)) {
        first = merit;
        const Judgement own = judge(motion_of(point));
        out.first_condition = own.condition, out.first_information = own.information;
      }
      if (merit.excess == 0.0) climb(point, merit, options_.steps, false);
      if (start > 0 && !merit.better_than(best)) continue;
      best = merit;
      out.motion = motion_of(point);
    }
    if (best.excess > 0.0) {
      limits_.excess(out.motion);
      throw std::domain_error("no motion within the limits was found: in the best, " + limits_.worst());
    }
    if (!std::isfinite(best.value))
      throw std::domain_error("no motion was found that determines all base parameters" + stuck());
    const Judgement own = judge(out.motion);
    out.condition = own.condition, out.information = own.information;
    return out;
  }

 private:
  static constexpr int attempts = 12, most_to_enter = 300;

  std::string stuck() const {
    for (std::size_t j = 0; j < n_; ++j)
      if (!(ranges_[j].half > 0.0) || !(ranges_[j].speed > 0.0))
        return ": joint " + std::to_string(j + 1) + " cannot move within its limits of position and speed";
    return "";
  }

  // Sum of uniform numbers: normal enough, and the same on every machine.
  double normal() {
    double sum = -6.0;
    for (int k = 0; k < 12; ++k) sum += 0x1.0p-53 * static_cast<double>(engine_() >> 11);
    return sum;
  }

  // A point within the limits, or the nearest: random ones, each after the other of less motion.
  Merit enter(std::vector<double>& best) {
    Merit merit;
    for (int attempt = 0; attempt < attempts && merit.excess > 0.0; ++attempt) {
      std::vector<double> point(n_ * genes_);
      for (double& v : point) v = normal();
      for (std::size_t j = 0; j < n_; ++j) point[j * genes_ + 1] -= 0.5 * attempt;
      Merit own = merit_of(point);
      climb(point, own, most_to_enter, true);
      if (attempt == 0 || own.better_than(merit)) merit = own, best = std::move(point);
    }
    return merit;
  }

  // One parent, one child; the step grows by success and shrinks by failure so that one in five succeeds. To enter:
  // until the limits are kept.
  void climb(std::vector<double>& point, Merit& merit, int steps, bool to_enter) {
    double step = 0.3;
    std::vector<double> child(point.size());
    for (int k = 0; k < steps && !(to_enter && (merit.excess == 0.0 || step < 1e-3)); ++k) {
      for (std::size_t i = 0; i < point.size(); ++i) child[i] = point[i] + step * normal();
      ask();
      const Merit found = merit_of(child);
      const bool better = found.better_than(merit);
      step *= better ? 1.5 : std::pow(1.5, -0.25);
      if (better) point = child, merit = found;
    }
  }

  // Any numbers as a motion within the limits of its joints' positions, speeds and accelerations at all times. Of each
  // joint: where in the room that is left, how much of it, and the series, made to begin at rest and without
  // acceleration: Σ a = 0, Σ k b = 0.
  FourierMotion motion_of(const std::vector<double>& point) const {
    const std::size_t harmonics = index(options_.harmonics);
    const double omega = 2.0 * std::numbers::pi / options_.period;
    FourierMotion out{options_.period, options_.harmonics, {}, {}, {}};
    std::vector<double> a(harmonics), b(harmonics), positions(2 * harmonics), speeds(2 * harmonics),
        accelerations(2 * harmonics);
    for (std::size_t j = 0; j < n_; ++j) {
      const double* own = point.data() + j * genes_;
      double sum = 0.0, weighted = 0.0, squares = 0.0;
      for (std::size_t k = 0; k < harmonics; ++k) {
        const double order = static_cast<double>(k + 1);
        a[k] = own[2 + 2 * k], b[k] = own[3 + 2 * k];
        sum += a[k], weighted += order * b[k], squares += order * order;
      }
      for (std::size_t k = 0; k < harmonics; ++k) {
        const double order = static_cast<double>(k + 1), rate = order * omega;
        a[k] -= sum / static_cast<double>(harmonics), b[k] -= order * weighted / squares;
        positions[2 * k] = a[k] / rate, positions[2 * k + 1] = -b[k] / rate;
        speeds[2 * k] = b[k], speeds[2 * k + 1] = a[k];
        accelerations[2 * k] = -rate * a[k], accelerations[2 * k + 1] = rate * b[k];
      }
      const Range& range = ranges_[j];
      const SeriesRange::Ends reach = series_(positions);
      const double fastest = farthest(series_(speeds)), hardest = farthest(series_(accelerations));
      const double most = std::min({range.half / reach.half, range.speed / fastest, range.acceleration / hardest});
      const double factor = fastest > 0.0 ? most * std::exp(std::min(0.0, own[1] + 1.0)) : 0.0;
      const double room = std::max(0.0, range.half - factor * reach.half);
      out.centre.push_back(range.middle - factor * reach.middle + std::tanh(own[0]) * room);
      for (std::size_t k = 0; k < harmonics; ++k)
        out.sines.push_back(factor * a[k]), out.cosines.push_back(factor * b[k]);
    }
    return out;
  }
  static double farthest(const SeriesRange::Ends& ends) { return std::abs(ends.middle) + ends.half; }

  Merit merit_of(const std::vector<double>& point) {
    const FourierMotion motion = motion_of(point);
    Merit out;
    out.excess = limits_.excess(motion);
    if (out.excess > 0.0) return out;
    const Judgement own = judge(motion);
    out.value = options_.criterion == ExcitationCriterion::condition ? own.condition : -own.information;
    return out;
  }

  Judgement judge(const FourierMotion& motion) {
    Matrix X(samples_ * n_, parameters_.size());
    const std::span<double> q(x_.data(), n_), qd(x_.data() + n_, n_), qdd(x_.data() + 2 * n_, n_);
    for (std::size_t s = 0; s < samples_; ++s) {
      motion.at(options_.period * static_cast<double>(s) / static_cast<double>(samples_), q, qd, qdd);
      regressor_({.q = q, .qd = qd, .qdd = qdd}, Y_);
      for (std::size_t j = 0; j < n_; ++j) {
        const double weight = options_.weights.empty() ? 1.0 : std::sqrt(options_.weights[j]);
        for (std::size_t p = 0; p < parameters_.size(); ++p)
          X(s * n_ + j, p) = weight * Y_[j * width_ + index(parameters_[p].column())];
      }
    }
    const Vector scales = inverse_lengths(X);
    X = scaled_columns(X, scales);
    std::vector<double> values = symmetric_eigenvalues(transposed(X) * X);
    if (closed_)  // some of the many parameters of loops may hardly show, and are not worth a refusal
      for (double& value : values) value = std::max(value, 2e-14 * values.back());
    if (!(values.front() > 1e-14 * values.back())) return {};
    Judgement out{std::sqrt(values.back() / values.front()), 0.0};
    const double count = static_cast<double>(parameters_.size());
    for (std::size_t p = 0; p < values.size(); ++p)
      out.information += (std::log(values[p]) - 2.0 * std::log(scales[p])) / count;
    out.information -= std::log(static_cast<double>(samples_));
    return out;
  }

  const ExcitationOptions& options_;
  bool closed_ = false;
  std::size_t n_, genes_, width_, samples_ = 0;  // width: of a regressor, which goes by joint of the tree
  std::vector<BaseParameter> parameters_;
  Call<double> regressor_;
  MotionLimits limits_;
  SeriesRange series_;
  std::mt19937_64 engine_;
  std::vector<double> Y_, x_;
  std::vector<Range> ranges_;
};

}  // namespace

void FourierMotion::at(double t, std::span<double> q, std::span<double> qd, std::span<double> qdd) const {
  const double omega = 2.0 * std::numbers::pi / period;
  for (std::size_t j = 0; j < centre.size(); ++j) {
    q[j] = centre[j], qd[j] = qdd[j] = 0.0;
    for (int k = 1; k <= harmonics; ++k) {
      const double a = sines[j * index(harmonics) + index(k - 1)], b = cosines[j * index(harmonics) + index(k - 1)];
      const double rate = k * omega, s = std::sin(rate * t), c = std::cos(rate * t);
      q[j] += (a * s - b * c) / rate;
      qd[j] += a * c + b * s;
      qdd[j] += rate * (b * c - a * s);
    }
  }
}

Excitation find_excitation(const Mechanism& robot, const ExcitationOptions& options) {
  require_sensible(robot, options);
  return Search(robot, options).run();
}

}  // namespace catena

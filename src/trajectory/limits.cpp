#include "catena/trajectory.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include "trajectory/checks.hpp"
#include "trajectory/limit_curves.hpp"

namespace catena {
namespace {

using trajectory::Curve;
using trajectory::ForbiddenSpeeds;
using trajectory::Probe;
using trajectory::require;
using trajectory::Sample;

struct Crest {
  double time = 0.0;
  double value = 0.0;
};

// A trajectory sampled piece by piece, smooth within each piece. The first and last sample of a piece lie just inside,
// so that jumps of the acceleration and Coulomb friction at the first moment of motion are included.
class SampledMotion {
 public:
  SampledMotion(const Trajectory& motion, const Mechanism& robot, const LimitOptions& options)
      : motion_(motion),
        probe_(robot, options),
        proceed_(options.proceed),
        q_(motion.joints()),
        qd_(motion.joints()),
        qdd_(motion.joints()) {
    require(motion.joints() == probe_.joints(), "the trajectory has " + std::to_string(motion.joints()) +
                                                    " joints, the robot has " + std::to_string(probe_.joints()));
    require(options.samples >= 2, "at least 2 samples are needed, not " + std::to_string(options.samples));
    const auto breaks = motion.breaks();
    for (std::size_t piece = 0; piece + 1 < breaks.size(); ++piece) {
      const double length = breaks[piece + 1] - breaks[piece], inset = this->inset(piece);
      const double share = std::ceil(options.samples * length / motion.duration());
      const int count = std::max(fewest, static_cast<int>(share));
      for (int k = 0; k < count; ++k) {
        Sample sample = measure(breaks[piece] + inset + (length - 2.0 * inset) * k / (count - 1));
        sample.piece = piece;
        samples_.push_back(std::move(sample));
      }
    }
  }

  const std::vector<Sample>& samples() const { return samples_; }

  Sample measure(double t) {
    if (proceed_ && ++measured_ % 1024 == 0 && !proceed_()) throw std::runtime_error("interrupted");
    Sample sample{.time = t, .piece = 0, .joints = {}};
    motion_.at(t, q_, qd_, qdd_);
    probe_.measure(q_, qd_, qdd_, sample);
    return sample;
  }

  // A time just inside a piece is reported as the time of the break beside it.
  double told(double t) const {
    const auto breaks = motion_.breaks();
    const auto next = std::upper_bound(breaks.begin() + 1, breaks.end() - 1, t);
    const auto piece = static_cast<std::size_t>(next - breaks.begin()) - 1;
    for (const double edge : {breaks[piece], breaks[piece + 1]})
      if (std::abs(t - edge) <= 2.0 * inset(piece)) return edge;
    return t;
  }

  // The highest point of a curve when the motion is run at speed x; the time is that of the original motion.
  Crest peak(const Curve& curve, double x) {
    const std::vector<double> heights = this->heights(curve, x);
    const auto [low, high] = std::minmax_element(heights.begin(), heights.end());
    std::vector<std::size_t> tops = crests(heights, *high - 0.01 * (*high - *low));
    std::stable_sort(tops.begin(), tops.end(), [&](std::size_t a, std::size_t b) { return heights[a] > heights[b]; });
    tops.resize(std::min(tops.size(), most_refined));
    const double noise = 1e-14 * (*high - *low);
    const Sample& top = samples_[highest(heights, *high - noise)];
    Crest best{top.time, curve.value(top, x)};
    for (const std::size_t i : tops) {
      const Crest refined = refine(curve, x, i);
      if (curve.height(refined.value) > curve.height(best.value) + noise) best = refined;
    }
    return best;
  }

  // How a crest is reported: positions and speeds do not jump, so they are evaluated exactly at the break.
  LimitEvent event(const Curve& curve, const Crest& crest) {
    const double time = told(crest.time);
    const bool continuous = curve.kind == LimitKind::position || curve.kind == LimitKind::speed;
    return curve.event(time, continuous && time != crest.time ? curve.value(measure(time), 1.0) : crest.value);
  }

  // The first time at which the curve of the original motion exceeds its limit; `found` says whether there is one.
  Crest first_crossing(const Curve& curve, bool& found) {
    const std::vector<double> heights = this->heights(curve, 1.0);
    const auto [low, high] = std::minmax_element(heights.begin(), heights.end());
    const std::vector<std::size_t> tops = crests(heights, curve.ceiling() - 0.02 * (*high - *low));
    auto top = tops.begin();
    for (std::size_t i = 0; i < samples_.size(); ++i) {
      Crest beyond{samples_[i].time, curve.value(samples_[i], 1.0)};
      bool crossed = curve.excess(beyond.value) > limit_tolerance;
      while (top != tops.end() && *top < i) ++top;
      if (!crossed && top != tops.end() && *top == i) {  // a crest just below the limit may exceed it between samples
        beyond = refine(curve, 1.0, i);
        crossed = curve.excess(beyond.value) > limit_tolerance;
      }
      if (!crossed) continue;
      found = true;
      return bisect(curve, before(i), beyond);
    }
    found = false;
    return {};
  }

 private:
  static constexpr int fewest = 16;  // samples per piece
  static constexpr std::size_t most_refined = 8;

  double inset(std::size_t piece) const {
    const auto breaks = motion_.breaks();
    const double large = std::max(std::abs(breaks[piece]), std::abs(breaks[piece + 1]));
    return 1e-12 * (breaks[piece + 1] - breaks[piece]) + 4.0 * std::numeric_limits<double>::epsilon() * large;
  }

  std::vector<double> heights(const Curve& curve, double x) const {
    std::vector<double> out;
    out.reserve(samples_.size());
    for (const Sample& sample : samples_) out.push_back(curve.height(curve.value(sample, x)));
    return out;
  }

  bool same_piece(std::size_t i, std::size_t j) const {
    return j < samples_.size() && samples_[i].piece == samples_[j].piece;
  }
  double before(std::size_t i) const { return i > 0 && same_piece(i, i - 1) ? samples_[i - 1].time : samples_[i].time; }
  double after(std::size_t i) const { return same_piece(i, i + 1) ? samples_[i + 1].time : samples_[i].time; }

  // A sample at least this high: the end of a piece if there is one, else the first.
  std::size_t highest(const std::vector<double>& heights, double at_least) const {
    std::size_t found = heights.size();
    for (std::size_t i = 0; i < heights.size(); ++i) {
      if (heights[i] < at_least) continue;
      if (before(i) == samples_[i].time || after(i) == samples_[i].time) return i;
      found = std::min(found, i);
    }
    return found;
  }

  // Samples at least as high as their neighbours in the same piece, and not on a plateau.
  std::vector<std::size_t> crests(const std::vector<double>& heights, double at_least) const {
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < heights.size(); ++i) {
      if (!(heights[i] >= at_least)) continue;
      const double left = i > 0 && same_piece(i, i - 1) ? heights[i - 1] : heights[i];
      const double right = same_piece(i, i + 1) ? heights[i + 1] : heights[i];
      const double drop = heights[i] - std::min(left, right);
      if (heights[i] >= left && heights[i] >= right && drop > 1e-13 * std::abs(heights[i])) out.push_back(i);
    }
    return out;
  }

  // Golden-section search around sample i.
  Crest refine(const Curve& curve, double x, std::size_t i) {
    constexpr double golden = 0.6180339887498949;
    double low = before(i), high = after(i);
    Crest best{samples_[i].time, curve.value(samples_[i], x)};
    const auto at = [&](double t) {
      const Crest here{t, curve.value(measure(t), x)};
      if (curve.height(here.value) > curve.height(best.value)) best = here;
      return curve.height(here.value);
    };
    double left = high - golden * (high - low), right = low + golden * (high - low);
    double at_left = at(left), at_right = at(right);
    for (int step = 0; step < 55 && left < right; ++step) {
      if (at_left >= at_right) {
        high = std::exchange(right, left);
        at_right = at_left;
        left = high - golden * (high - low);
        at_left = at(left);
      } else {
        low = std::exchange(left, right);
        at_left = at_right;
        right = low + golden * (high - low);
        at_right = at(right);
      }
    }
    return best;
  }

  // The limit is respected at `inside` and exceeded at `beyond`, or the piece starts beyond.
  Crest bisect(const Curve& curve, double inside, Crest beyond) {
    while (beyond.time - inside > 1e-12 * motion_.duration()) {
      const double middle = 0.5 * (inside + beyond.time);
      if (!(middle > inside && middle < beyond.time)) break;
      const double v = curve.value(measure(middle), 1.0);
      if (curve.excess(v) > limit_tolerance) {
        beyond = {middle, v};
      } else {
        inside = middle;
      }
    }
    return beyond;
  }

  const Trajectory& motion_;
  Probe probe_;
  std::function<bool()> proceed_;
  unsigned long measured_ = 0;
  std::vector<double> q_, qd_, qdd_;
  std::vector<Sample> samples_;
};

// Exchange method: takes the largest speed that the samples allow and adds the time at which that speed exceeds a
// limit between samples to the samples, until there is none.
TimeScale smallest_scale(SampledMotion& motion, const std::vector<Curve>& curves) {
  constexpr int most_rounds = 200, rounds_with_islands = 100;
  constexpr double exact = 1e-11;
  ForbiddenSpeeds forbidden;
  for (const Sample& sample : motion.samples())
    for (const Curve& curve : curves) forbidden.add(curve, sample, motion.told(sample.time));
  for (int round = 0; round < most_rounds; ++round) {
    // Allowed fast motions above forbidden slower ones are tried first, and given up when they keep failing.
    const bool slower_too = round >= rounds_with_islands;
    const TimeScale scale = forbidden.time_scale(slower_too);
    if (scale.outcome != TimeScale::Outcome::found) return scale;
    const double x = forbidden.largest(slower_too);
    double worst = exact, worst_time = 0.0;
    for (const Curve& curve : curves) {
      if (!std::isfinite(curve.limit) || curve.allows_nothing()) continue;
      const Crest crest = motion.peak(curve, x);
      if (const double excess = curve.excess(crest.value); excess > worst) {
        worst = excess;
        worst_time = crest.time;
      }
    }
    if (worst <= exact) return scale;
    const Sample sample = motion.measure(worst_time);
    for (const Curve& curve : curves) forbidden.add(curve, sample, motion.told(worst_time));
  }
  throw std::runtime_error("no time scale found: the limits are crossed too often between samples; use more samples");
}

}  // namespace

LimitReport check_limits(const Trajectory& motion, const Mechanism& robot, const LimitOptions& options) {
  require_fixed_base(robot, "trajectories do");
  const std::vector<Curve> curves = trajectory::make_curves(robot, options);
  SampledMotion sampled(motion, robot, options);
  LimitReport report;
  for (const Curve& curve : curves) {
    const Crest top = sampled.peak(curve, 1.0);
    report.peaks.push_back(sampled.event(curve, top));
    if (!std::isfinite(curve.limit)) continue;
    bool found = false;
    const Crest first = sampled.first_crossing(curve, found);
    if (found) report.violations.push_back({sampled.event(curve, first), report.peaks.back()});
  }
  std::stable_sort(report.violations.begin(), report.violations.end(),
                   [](const Violation& a, const Violation& b) { return a.first.time < b.first.time; });
  report.time_scale = smallest_scale(sampled, curves);
  return report;
}

}  // namespace catena

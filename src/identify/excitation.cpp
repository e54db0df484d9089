#include "catena/identify.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <stdexcept>
#include <string>

#include "catena/call.hpp"
#include "catena/model/parameters.hpp"
#include "identify/matrices.hpp"

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
  require(options.harmonics >= 1 && options.harmonics <= 50, "harmonics are from 1 to 50");
  require(options.starts >= 1 && options.steps >= 0, "a search has at least one start");
  require(options.share > 0.0 && options.share <= 1.0, "the share of the limits is between 0 and 1");
  require(options.free_range > 0.0 && options.free_speed > 0.0, "range and speed of free joints are positive");
}

// Where a joint may go.
struct Range {
  double middle = 0.0, half = 0.0, speed = 0.0;
};
Range range_of(const JointLimits& limits, const ExcitationOptions& options) {
  Range range;
  const bool below = std::isfinite(limits.lower), above = std::isfinite(limits.upper);
  const double low = below ? limits.lower : above ? limits.upper - 2.0 * options.free_range : -options.free_range;
  const double high = above ? limits.upper : below ? limits.lower + 2.0 * options.free_range : options.free_range;
  range.middle = 0.5 * (low + high);
  range.half = 0.5 * options.share * std::max(high - low, 0.0);
  range.speed = options.share * (std::isfinite(limits.velocity) ? limits.velocity : options.free_speed);
  return range;
}

class Search {
 public:
  Search(const Mechanism& robot, const ExcitationOptions& options)
      : options_(options),
        n_(index(robot.nv())),
        width_(index(robot.joints()) * parameters_per_joint),
        parameters_(base_parameters(robot, options.drives)),
        regressor_(robot, "regressor"),
        engine_(options.seed),
        Y_(regressor_.size()),
        x_(3 * n_) {
    for (const JointLimits& limits : robot.coordinates.limits) ranges_.push_back(range_of(limits, options));
    samples_ = options.samples;
    if (samples_ == 0) samples_ = std::max<std::size_t>(60, 4 * parameters_.size() / n_);
    if (parameters_.empty()) throw std::invalid_argument("no parameter of the robot shows in torques");
  }

  Excitation run() {
    Excitation best;
    best.condition = best.first_condition = std::numeric_limits<double>::infinity();
    for (int start = 0; start < options_.starts; ++start) {
      std::vector<double> point(n_ * (1 + 2 * index(options_.harmonics)));
      for (double& v : point) v = normal();
      double condition = condition_of(point);
      best.first_condition = std::min(best.first_condition, condition);
      improve(point, condition);
      if (start > 0 && !(condition < best.condition)) continue;
      best.condition = condition;
      best.motion = motion_of(point);
    }
    if (!std::isfinite(best.condition))
      throw std::domain_error("no motion was found that shows all base parameters" + stuck());
    return best;
  }

 private:
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

  // One parent, one child; the step grows by success and shrinks by failure so that one in five succeeds.
  void improve(std::vector<double>& point, double& condition) {
    double step = 0.3;
    std::vector<double> child(point.size());
    for (int k = 0; k < options_.steps; ++k) {
      for (std::size_t i = 0; i < point.size(); ++i) child[i] = point[i] + step * normal();
      const double found = condition_of(child);
      const bool better = found < condition;
      step *= better ? 1.5 : std::pow(1.5, -0.25);
      if (better) point = child, condition = found;
    }
  }

  // Any numbers as a motion within the limits. |q - centre| ≤ Σ |amplitude|/(kω) and |q̇| ≤ Σ |amplitude| hold at all
  // times, not at the samples alone.
  FourierMotion motion_of(const std::vector<double>& point) const {
    const std::size_t harmonics = index(options_.harmonics);
    const double omega = 2.0 * std::numbers::pi / options_.period;
    FourierMotion out{options_.period, options_.harmonics, {}, {}, {}};
    for (std::size_t j = 0; j < n_; ++j) {
      const double* own = point.data() + j * (1 + 2 * harmonics);
      const Range& range = ranges_[j];
      const double aside = 0.5 * std::tanh(own[0]);  // leaves half of the room at least
      double reach = 0.0, speed = 0.0;
      for (std::size_t k = 1; k <= harmonics; ++k) {
        const double amplitude = std::hypot(own[2 * k - 1], own[2 * k]);
        speed += amplitude, reach += amplitude / (static_cast<double>(k) * omega);
      }
      const double free = range.half * (1.0 - std::abs(aside));
      const double factor = speed > 0.0 ? std::min(free / reach, range.speed / speed) : 0.0;
      out.centre.push_back(range.middle + aside * range.half);
      for (std::size_t k = 1; k <= harmonics; ++k) {
        out.sines.push_back(factor * own[2 * k - 1]);
        out.cosines.push_back(factor * own[2 * k]);
      }
    }
    return out;
  }

  double condition_of(const std::vector<double>& point) {
    const FourierMotion motion = motion_of(point);
    Matrix X(samples_ * n_, parameters_.size());
    const std::span<double> q(x_.data(), n_), qd(x_.data() + n_, n_), qdd(x_.data() + 2 * n_, n_);
    for (std::size_t s = 0; s < samples_; ++s) {
      motion.at(options_.period * static_cast<double>(s) / static_cast<double>(samples_), q, qd, qdd);
      regressor_({.q = q, .qd = qd, .qdd = qdd}, Y_);
      for (std::size_t j = 0; j < n_; ++j)
        for (std::size_t p = 0; p < parameters_.size(); ++p)
          X(s * n_ + j, p) = Y_[j * width_ + index(parameters_[p].column())];
    }
    X = scaled_columns(X, inverse_lengths(X));
    const std::vector<double> values = symmetric_eigenvalues(transposed(X) * X);
    const double least = values.front(), most = values.back();
    return least > 1e-14 * most ? std::sqrt(most / least) : std::numeric_limits<double>::infinity();
  }

  const ExcitationOptions& options_;
  std::size_t n_, width_, samples_ = 0;  // width: of a regressor, which goes by joint of the tree
  std::vector<BaseParameter> parameters_;
  Call<double> regressor_;
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

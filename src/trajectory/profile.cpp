#include "catena/trajectory.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include "trajectory/checks.hpp"
#include "trajectory/polynomial.hpp"

namespace catena {
namespace {

using trajectory::require;
using trajectory::require_finite;
using trajectory::text;

constexpr double pi = std::numbers::pi;
constexpr std::array<std::string_view, 5> profile_names{"cycloid", "cubic", "quintic", "trapezoidal", "septic"};

// The peaks of f' and f'' for a distance of 1: |q̇| <= velocity · way / T and |q̈| <= acceleration · way / T².
Rates shape_peaks(ProfileKind kind, double ramp) {
  switch (kind) {
    case ProfileKind::cycloid:
      return {2.0, 2.0 * pi};
    case ProfileKind::cubic:
      return {1.5, 6.0};
    case ProfileKind::quintic:
      return {15.0 / 8.0, 10.0 / std::numbers::sqrt3};
    case ProfileKind::septic:
      return {35.0 / 16.0, 84.0 / (5.0 * std::sqrt(5.0))};
    default:
      return {1.0 / (1.0 - ramp), 1.0 / (ramp * (1.0 - ramp))};
  }
}

void require_rates(const Rates& limits) {
  require(limits.velocity > 0.0, "a velocity limit of " + text(limits.velocity) + "; it must be positive");
  require(limits.acceleration > 0.0 && std::isfinite(limits.acceleration),
          "an acceleration limit of " + text(limits.acceleration) + "; it must be positive and finite");
}

using Coefficients = std::array<double, 6>;  // of uᵏ

Coefficients cubic_from(double from, double to, double v0, double v1) {
  const double way = to - from;
  return {from, v0, 3.0 * way - 2.0 * v0 - v1, v0 + v1 - 2.0 * way, 0.0, 0.0};
}

Coefficients quintic_from(double from, double to, const EndMotion& start, const EndMotion& end) {
  const auto& [v0, a0] = start;
  // What u³, u⁴ and u⁵ must contribute at u = 1: position, velocity and acceleration beyond the first three terms.
  const double way = to - from - v0 - 0.5 * a0, dv = end.velocity - v0 - a0, da = end.acceleration - a0;
  return {from,
          v0,
          0.5 * a0,
          10.0 * way - 4.0 * dv + 0.5 * da,
          -15.0 * way + 7.0 * dv - da,
          6.0 * way - 3.0 * dv + 0.5 * da};
}

// A polynomial and its derivatives.
Profile::Point polynomial(const Coefficients& c, double u) {
  return {c[0] + u * (c[1] + u * (c[2] + u * (c[3] + u * (c[4] + u * c[5])))),
          c[1] + u * (2.0 * c[2] + u * (3.0 * c[3] + u * (4.0 * c[4] + u * 5.0 * c[5]))),
          2.0 * c[2] + u * (6.0 * c[3] + u * (12.0 * c[4] + u * 20.0 * c[5])),
          6.0 * c[3] + u * (24.0 * c[4] + u * 60.0 * c[5]), 24.0 * c[4] + u * 120.0 * c[5]};
}

// 35u⁴ - 84u⁵ + 70u⁶ - 20u⁷ and its derivatives.
Profile::Point septic_shape(double u) {
  const double v = 1.0 - u, w = u * v, bend = v - u;
  return {u * u * u * u * (35.0 + u * (-84.0 + u * (70.0 - 20.0 * u))), 140.0 * w * w * w, 420.0 * w * w * bend,
          840.0 * w * (1.0 - 5.0 * w), 840.0 * bend * (1.0 - 10.0 * w)};
}

struct Timing {
  double duration;
  double ramp;
};

// The shortest rest-to-rest motion over a distance of 1 within the limits.
Timing fastest(ProfileKind kind, const Rates& limits) {
  if (kind != ProfileKind::trapezoidal) {
    const Rates peak = shape_peaks(kind, 0.0);
    return {std::max(peak.velocity / limits.velocity, std::sqrt(peak.acceleration / limits.acceleration)), 0.0};
  }
  // Accelerating and decelerating takes v²/a of the distance: the velocity is a triangle when that is all of it.
  const double v = limits.velocity, a = limits.acceleration;
  if (v * v >= a) return {2.0 / std::sqrt(a), 0.5};
  const double duration = 1.0 / v + v / a;
  return {duration, v / a / duration};
}

}  // namespace

std::string_view name_of(ProfileKind kind) { return profile_names[static_cast<std::size_t>(kind)]; }

ProfileKind profile_kind(std::string_view name) {
  const auto found = std::find(profile_names.begin(), profile_names.end(), name);
  require(found != profile_names.end(),
          "no profile '" + std::string(name) + "'; known: cycloid, cubic, quintic, trapezoidal, septic");
  return static_cast<ProfileKind>(found - profile_names.begin());
}

Profile::Profile(ProfileKind kind, double from, double to, double duration)
    : kind_(kind), duration_(duration), end_(to), c_{from, to - from} {
  require_finite(from, "the start of a profile");
  require_finite(to, "the end of a profile");
  require_finite(to - from, "the way of a profile");
  require(duration > 0.0 && std::isfinite(duration),
          "a profile of " + text(duration) + " s; its duration must be positive");
}

Profile Profile::cycloid(double from, double to, double duration) {
  return Profile(ProfileKind::cycloid, from, to, duration);
}

Profile Profile::septic(double from, double to, double duration) {
  return Profile(ProfileKind::septic, from, to, duration);
}

Profile Profile::cubic(double from, double to, double duration, double start_velocity, double end_velocity) {
  Profile profile(ProfileKind::cubic, from, to, duration);
  require_finite(start_velocity, "the start velocity of a profile");
  require_finite(end_velocity, "the end velocity of a profile");
  const double v0 = start_velocity * duration, v1 = end_velocity * duration;
  profile.c_ = cubic_from(from, to, v0, v1);
  profile.back_ = cubic_from(to, from, -v1, -v0);
  return profile;
}

Profile Profile::quintic(double from, double to, double duration, EndMotion start, EndMotion end) {
  Profile profile(ProfileKind::quintic, from, to, duration);
  for (const double v : {start.velocity, start.acceleration, end.velocity, end.acceleration})
    require_finite(v, "the end motion of a profile");
  const double v0 = start.velocity * duration, v1 = end.velocity * duration;
  const double a0 = start.acceleration * duration * duration, a1 = end.acceleration * duration * duration;
  profile.c_ = quintic_from(from, to, {v0, a0}, {v1, a1});
  profile.back_ = quintic_from(to, from, {-v1, a1}, {-v0, a0});
  return profile;
}

Profile Profile::trapezoidal(double from, double to, double duration, double ramp) {
  Profile profile(ProfileKind::trapezoidal, from, to, duration);
  require(ramp > 0.0 && ramp <= 0.5, "a ramp of " + text(ramp) + " of the duration; it must be positive, at most 0.5");
  profile.ramp_ = ramp;
  return profile;
}

Profile Profile::trapezoidal(double from, double to, const Rates& limits) {
  return synchronized(ProfileKind::trapezoidal, {&from, 1}, {&to, 1}, {&limits, 1}).front();
}

Profile::Point Profile::shape(double u) const {
  const double from = c_[0], way = c_[1];
  switch (kind_) {
    case ProfileKind::cycloid: {
      const double s = std::sin(2.0 * pi * u), c = std::cos(2.0 * pi * u);
      const double round = 2.0 * pi;
      return {from + way * (u - s / round), way * (1.0 - c), way * round * s, way * round * round * c,
              -way * round * round * round * s};
    }
    case ProfileKind::septic: {
      const bool early = u <= 0.5;  // from the nearer end, as below
      const auto [f, df, ddf, jerk, snap] = septic_shape(early ? u : 1.0 - u);
      const double to = early ? way : 0.0 - way, base = early ? from : end_;  // and no negative zeros
      return {base + to * f, 0.0 + way * df, 0.0 + to * ddf, 0.0 + way * jerk, 0.0 + to * snap};
    }
    case ProfileKind::trapezoidal: {
      const double r = ramp_, cruise = way / (1.0 - r), steep = cruise / r;
      if (u < r) return {from + 0.5 * steep * u * u, steep * u, steep};
      const double left = 1.0 - u;
      if (left > r) return {from + cruise * (u - 0.5 * r), cruise, 0.0};
      return {from + way - 0.5 * steep * left * left, steep * left, -steep};
    }
    default: {
      // From the nearer end: near both ends the velocity then has full precision and the right sign.
      if (u <= 0.5) return polynomial(c_, u);
      const auto [f, df, ddf, jerk, snap] = polynomial(back_, 1.0 - u);
      return {f, 0.0 - df, ddf, 0.0 - jerk, snap};
    }
  }
}

Profile::Point Profile::at(double t) const {
  const double u = std::clamp(t / duration_, 0.0, 1.0);
  const auto [f, df, ddf, jerk, snap] = shape(u);
  const double square = duration_ * duration_;
  return {u < 1.0 ? f : end_, df / duration_, ddf / square, jerk / (square * duration_), snap / (square * square)};
}

Profile Profile::scaled(double factor) const {
  require(factor > 0.0 && std::isfinite(factor), "a time scale of " + text(factor) + "; it must be positive");
  Profile out = *this;
  out.duration_ *= factor;
  return out;
}

Rates Profile::peaks() const {
  Rates peak{0.0, 0.0};
  if (kind_ == ProfileKind::cycloid || kind_ == ProfileKind::trapezoidal || kind_ == ProfileKind::septic) {
    const Rates unit = shape_peaks(kind_, ramp_);
    peak = {unit.velocity * std::abs(c_[1]), unit.acceleration * std::abs(c_[1])};
  } else {
    // f' is largest where f'' vanishes, f'' where f''' does, or at an end.
    const trajectory::Cubic second{2.0 * c_[2], 6.0 * c_[3], 12.0 * c_[4], 20.0 * c_[5]};
    const auto visit = [&](double u) {
      const Point p = shape(u);
      peak = {std::max(peak.velocity, std::abs(p.qd)), std::max(peak.acceleration, std::abs(p.qdd))};
    };
    visit(0.0);
    visit(1.0);
    for (const double u : trajectory::sign_changes(second, 0.0, 1.0)) visit(u);
    for (const double u : trajectory::quadratic_roots(second[1], 2.0 * second[2], 3.0 * second[3], 0.0, 1.0)) visit(u);
  }
  return {peak.velocity / duration_, peak.acceleration / (duration_ * duration_)};
}

std::vector<Profile> synchronized(ProfileKind kind, std::span<const double> from, std::span<const double> to,
                                  std::span<const Rates> limits) {
  require(from.size() == to.size() && from.size() == limits.size(),
          "from, to and limits have " + std::to_string(from.size()) + ", " + std::to_string(to.size()) + " and " +
              std::to_string(limits.size()) + " joints");
  // Limits of the common shape: those of the joint with the longest distance relative to its limit.
  double velocity = std::numeric_limits<double>::infinity(), acceleration = velocity;
  for (std::size_t j = 0; j < from.size(); ++j) {
    require_finite(from[j], "the start of a profile");
    require_finite(to[j], "the end of a profile");
    const double way = std::abs(to[j] - from[j]);
    const bool stands = way == 0.0 && limits[j].velocity == 0.0;  // a joint that may not move, and does not
    require_rates({stands ? 1.0 : limits[j].velocity, limits[j].acceleration});
    if (way == 0.0) continue;
    velocity = std::min(velocity, limits[j].velocity / way);
    acceleration = std::min(acceleration, limits[j].acceleration / way);
  }
  require(std::isfinite(acceleration), "both ends are the same point; give a duration to wait there");
  const auto [duration, ramp] = fastest(kind, {velocity, acceleration});
  std::vector<Profile> profiles;
  for (std::size_t j = 0; j < from.size(); ++j) {
    switch (kind) {
      case ProfileKind::cycloid:
        profiles.push_back(Profile::cycloid(from[j], to[j], duration));
        break;
      case ProfileKind::cubic:
        profiles.push_back(Profile::cubic(from[j], to[j], duration));
        break;
      case ProfileKind::quintic:
        profiles.push_back(Profile::quintic(from[j], to[j], duration));
        break;
      case ProfileKind::trapezoidal:
        profiles.push_back(Profile::trapezoidal(from[j], to[j], duration, ramp));
        break;
      case ProfileKind::septic:
        profiles.push_back(Profile::septic(from[j], to[j], duration));
        break;
    }
  }
  return profiles;
}

}  // namespace catena

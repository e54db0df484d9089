// What check_limits and LimitMonitor share: a robot's forces split by their dependence on speed, the limited
// quantities as polynomials of speed, and the set of speeds that exceed a limit.
#pragma once

#include <span>
#include <vector>

#include "catena/trajectory.hpp"
#include "trajectory/polynomial.hpp"

namespace catena::trajectory {

// One coordinate at one time of the original motion. At x times the speed, the same point is passed with
//   velocity  x q̇      effort  fixed + viscous x + dynamic x² + Σ size exp(-(rate x)²), Stribeck friction
struct JointSample {
  struct Rise {
    double size, rate;
  };
  double q = 0.0, qd = 0.0;  // q: 0 where the coordinate has no position
  double fixed = 0.0;        // gravity, springs, wrenches, Coulomb friction
  double viscous = 0.0;      // viscous friction
  double dynamic = 0.0;      // inertia, Coriolis and centrifugal forces, rotors
  std::vector<Rise> rises{};

  double risen(double x) const;  // their sum
};

struct Sample {
  double time = 0.0;
  std::size_t piece = 0;  // index of the piece of the trajectory between two breaks
  std::vector<JointSample> joints;
};

class Probe {
 public:
  Probe(const Mechanism& robot, const LimitOptions& options);

  std::size_t joints() const { return tau_.size(); }
  const std::vector<double>& tau() const { return tau_; }  // from the last measurement
  void measure(std::span<const double> q, std::span<const double> qd, std::span<const double> qdd, Sample& out);

 private:
  // A joint of the tree with friction, and the coordinates that it follows.
  struct Rubbing {
    std::vector<FollowingJoint<double>::Term> terms;
    DriveConstants<double> drive;
  };

  InverseDynamics<double> inverse_;
  Coordinates coordinates_;
  std::vector<Rubbing> rubbing_;
  std::vector<ExternalWrench<double>> wrenches_;
  std::vector<double> tau_, fixed_, viscous_;
  std::vector<std::vector<JointSample::Rise>> rises_;  // by coordinate
};

// One limited quantity of one joint, or the total power.
struct Curve {
  enum class Side { both, above, below };  // |value| <= limit, value <= limit, value >= limit
  LimitKind kind;
  int joint;
  double limit;
  Side side = Side::both;

  Cubic polynomial(const Sample& sample) const;  // in the speed x, without Stribeck friction
  double value(const Sample& sample, double x) const;
  double height(double v) const { return side == Side::both ? std::abs(v) : side == Side::above ? v : -v; }
  double ceiling() const { return side == Side::below ? -limit : limit; }
  bool allows_nothing() const { return side == Side::both && limit == 0.0; }  // except rounding
  double excess(double v) const;  // how far beyond the limit, relative to it; <= 0: respected
  LimitEvent event(double time, double v) const { return {kind, joint, time, v, limit}; }
};

// Whether a coordinate has a position: those that rotate a free base have none.
bool has_position(const Coordinates& coordinates, Coordinate c);

// Position, speed, effort and power of each coordinate, then the total power; also quantities without a limit, for
// their peaks.
std::vector<Curve> make_curves(const Mechanism& robot, const LimitOptions& options);

// Ranges of speeds x > 0, relative to the original motion, at which a limit is exceeded. Touching ranges are merged.
class ForbiddenSpeeds {
 public:
  void add(const Curve& curve, const Sample& sample, double time);
  bool empty() const { return ranges_.empty(); }
  // The largest speed that is not forbidden, or, with `slower_too`, below which none is. 0: none is allowed.
  double largest(bool slower_too) const { return bound(slower_too).low; }
  TimeScale time_scale(bool slower_too = false) const;

 private:
  struct Range {
    double low, high;
    LimitEvent cause;  // at low
  };
  const Range& bound(bool slower_too) const { return slower_too ? ranges_.front() : ranges_.back(); }
  void insert(Range range);

  std::vector<Range> ranges_;  // ascending, disjoint
};

}  // namespace catena::trajectory

// Does a motion respect the robot's limits, where does it first not, and how much slower (or faster) may it be run?
// docs/trajectories.md derives the time scaling.
//
// Position, speed and effort limits are the model's (Mechanism::limits), by coordinate; power limits are the caller's.
#pragma once

#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "catena/dynamics/inverse_dynamics.hpp"
#include "catena/trajectory/trajectory.hpp"

namespace catena {

enum class LimitKind { position, speed, effort, power };
std::string_view name_of(LimitKind kind);

struct LimitOptions {
  std::vector<double> power{};  // W, one a joint, of |τ q̇|; empty: none
  double total_power =
      std::numeric_limits<double>::infinity();     // W, of |Σ τ q̇|: what all drives together take or return
  std::vector<ExternalWrench<double>> wrenches{};  // act all the time
  std::string formulation{};                       // of inverse dynamics; empty: the fastest
  int samples = 1000;                              // of a Trajectory; what lies between them is found by search
};

// Values within this share of the limit above it still count as respecting it.
inline constexpr double limit_tolerance = 1e-9;
inline constexpr int all_joints = -1;

// A quantity at a time. position: q, limit the nearer bound; speed: q̇; effort: τ; power: τ q̇ of a joint or of
// all_joints.
struct LimitEvent {
  LimitKind kind = LimitKind::position;
  int joint = 0;
  double time = 0.0;
  double value = 0.0;
  double limit = std::numeric_limits<double>::infinity();  // magnitude, but for positions
};

struct Violation {
  LimitEvent first;  // where the limit is crossed
  LimitEvent peak;   // where it is exceeded most
};

// Run in factor times the time, the motion just respects the limits; with a smaller factor it does not.
struct TimeScale {
  enum class Outcome {
    found,
    impossible,  // however slow: a position, or gravity and Coulomb friction alone, beyond the limit; binding says
                 // where
    unbounded,   // nothing limits the speed
  };
  Outcome outcome = Outcome::unbounded;
  double factor = 0.0;     // found: smallest factor; unbounded: 0; impossible: infinity
  bool slower_too = true;  // every larger factor respects the limits as well
  LimitEvent binding{};    // found: what touches its limit at that factor (time along the motion as given); impossible:
                           // what is beyond
};

struct LimitReport {
  std::vector<LimitEvent> peaks;  // lowest and highest position, top speed, effort and power of each joint; total power
  std::vector<Violation> violations;  // by time of crossing: the first is the first violation
  TimeScale time_scale;
  bool respected() const { return violations.empty(); }
};

// The whole motion, peaks and crossings located between the samples. Throws std::invalid_argument when the trajectory
// does not fit the robot, or its base is not fixed.
LimitReport check_limits(const Trajectory& motion, const Mechanism& robot, const LimitOptions& options = {});

// The same for a motion that comes row by row, in constant memory. Peaks and time scale are those of the rows; a
// crossing is located on the quintic that joins two rows. The base may be free, but not one that moves as it is told.
class LimitMonitor {
 public:
  explicit LimitMonitor(const Mechanism& robot, const LimitOptions& options = {});
  ~LimitMonitor();
  LimitMonitor(LimitMonitor&&) noexcept;

  // The times must increase. Returns τ of the row, valid until the next call.
  std::span<const double> add(double t, std::span<const double> q, std::span<const double> qd,
                              std::span<const double> qdd);
  LimitReport report() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace catena

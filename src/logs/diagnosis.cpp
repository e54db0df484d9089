// What seems wrong with a log: by its numbers alone, by the robot's limits, and by the torques that the model would
// need.
#include <fmt/ranges.h>

#include <array>
#include <numbers>

#include "logs/findings.hpp"
#include "logs/torque_hypotheses.hpp"

namespace catena {
namespace {

using logs::Change;
using logs::Explained;
using logs::FindingList;
using logs::quantile;

constexpr double slow_clock = 0.15;                    // s between rows: slower than any log of a motion
constexpr double fast_joint = 100.0;                   // rad/s: faster than any joint
constexpr double rests_always = 0.98;                  // of the rows
constexpr double many_turns = 4.0 * std::numbers::pi;  // rad: beyond what joints without limits do
constexpr double far = 10.0;                           // m: the same for joints that slide

class Diagnosis {
 public:
  Diagnosis(const PreparedLog& log, const Mechanism& robot, std::span<const double> gears)
      : log_(log), robot_(robot), gears_(gears), findings_(list_), n_(log.joints.size()) {}

  std::vector<LogFinding> run() {
    const std::vector<std::size_t> moving = moving_joints();
    const bool angles = positions();
    const bool times = clock(angles);
    speeds();
    torque_columns();
    if (moving.empty() || log_.data.tau.empty() || angles || times) return list_;
    torques();
    return list_;
  }

 private:
  std::string names(const std::vector<std::size_t>& joints) const {
    std::vector<std::string> own;
    for (const std::size_t j : joints) own.push_back(log_.joints[j]);
    return fmt::format("{}", fmt::join(own, ", "));
  }
  std::vector<double> column(const std::vector<double>& group, std::size_t j) const {
    std::vector<double> own;
    for (std::size_t i = j; i < group.size(); i += n_) own.push_back(group[i]);
    return own;
  }
  bool turns(std::size_t j) const { return robot_.links[index(robot_.link_of(Coordinate(j)))].revolute; }

  std::vector<std::size_t> moving_joints() {
    std::vector<std::size_t> moving, still;
    for (std::size_t j = 0; j < n_; ++j) {
      std::size_t resting = 0;
      for (std::size_t i = j; i < log_.resting.size(); i += n_) resting += log_.resting[i];
      const bool rests = static_cast<double>(resting) > rests_always * static_cast<double>(log_.rows());
      (rests ? still : moving).push_back(j);
    }
    if (moving.empty())
      findings_.warn("no-motion", -1, 0.0,
                     "nothing moves in this log: is it the right file and segment, and are the columns of q right?");
    else if (moving.size() == 1 && n_ > 1)
      findings_.warn("one-joint", static_cast<int>(moving[0]), 1.0,
                     fmt::format("only {} moves: parameters that matter only when several joints move cannot be found; "
                                 "move all joints at once (catena excite)",
                                 log_.joints[moving[0]]));
    else if (!still.empty())
      findings_.warn("still-joints", static_cast<int>(still[0]), static_cast<double>(still.size()),
                     fmt::format("{} {} not move: their own parameters cannot be found", names(still),
                                 still.size() == 1 ? "does" : "do"));
    return moving;
  }

  // True if the clock is in doubt.
  bool clock(bool told) {
    const double period = log_.data.period;
    double fastest = 0.0;
    for (std::size_t j = 0; j < n_; ++j)
      if (turns(j)) fastest = std::max(fastest, limited_speed(j));
    if (period > slow_clock) {
      const bool ns = period > 5e4, us = period > 90.0;
      const char* unit = ns ? "ns" : us ? "us" : "ms";
      findings_.warn("clock-unit", -1, period,
                     fmt::format("rows are {:.4g} s apart by this clock, which seems to count {} (or rows: --rate HZ)",
                                 period, unit),
                     fmt::format("--unit t={}", unit));
      return true;
    }
    if (fastest > 1.0 && !told)

      findings_.warn("too-fast", -1, fastest,
                     fmt::format("joints move {:.2g} times as fast as they can: is the clock, {:.6g} rows per second, "
                                 "right, and are positions in rad at the joints?",
                                 fastest, 1.0 / period));
    return fastest > 1.0;
  }
  // A joint's usual largest speed over twice its limit, or over what no joint does.
  double limited_speed(std::size_t j) const {
    std::vector<double> speeds = column(log_.data.qd, j);
    for (double& speed : speeds) speed = std::abs(speed);
    const double limit = robot_.limits(Coordinate(j)).velocity;
    return quantile(std::move(speeds), 0.99) / (std::isfinite(limit) && limit > 0.0 ? 2.0 * limit : fast_joint);
  }

  // Whether positions, times a factor for each joint, stay where the joints can be.
  bool possible(const std::vector<double>& factors, std::vector<std::size_t>* outside = nullptr) const {
    bool all = true;
    for (std::size_t j = 0; j < n_; ++j) {
      std::vector<double> q = column(log_.data.q, j);
      const double low = quantile(q, 0.001) * factors[j], high = quantile(std::move(q), 0.999) * factors[j];
      const JointLimits& limits = robot_.limits(Coordinate(j));
      const double free = turns(j) ? many_turns : far, margin = turns(j) ? 0.1 : 0.01;
      const double lower = std::isfinite(limits.lower) ? limits.lower - margin : -free,
                   upper = std::isfinite(limits.upper) ? limits.upper + margin : free;
      const bool inside = std::min(low, high) >= lower && std::max(low, high) <= upper;
      if (!inside && outside != nullptr) outside->push_back(j);
      all = all && inside;
    }
    return all;
  }

  // True if units or sides of the gears must be settled before torques can be compared.
  bool positions() {
    std::vector<double> factors(n_, 1.0);
    std::vector<std::size_t> outside;
    if (possible(factors, &outside)) return false;
    double widest = 0.0;
    bool slides = true;
    for (const std::size_t j : outside) {
      slides = slides && !turns(j);
      for (const double q : column(log_.data.q, j)) widest = std::max(widest, std::abs(q));
    }
    std::vector<double> degrees = factors, millimetres = factors, motors = factors;
    bool geared = false;
    for (std::size_t j = 0; j < n_; ++j) {
      (turns(j) ? degrees : millimetres)[j] = turns(j) ? std::numbers::pi / 180.0 : 1e-3;
      if (!gears_.empty() && gears_[j] != 0.0) motors[j] = 1.0 / gears_[j], geared = geared || gears_[j] != 1.0;
    }
    const std::string who = names(outside);
    const int joint = static_cast<int>(outside[0]);
    if (slides && possible(millimetres)) {
      findings_.warn("millimetres", joint, widest, fmt::format("{} reach {:.4g} m: in mm?", who, widest),
                     "--unit q=mm");
      return true;
    }
    if (widest < 2.0 * std::numbers::pi + 0.2) {
      findings_.warn("limits", joint, widest,
                     fmt::format("{} leave the model's limits: another zero, or another sign?", who));
      return false;
    }
    const bool by_degrees = possible(degrees), by_motors = geared && possible(motors);
    const double of_degrees = off_one(degrees), of_motors = off_one(motors);
    const bool motors_likelier = !by_degrees || (by_motors ? of_motors <= of_degrees : of_degrees > std::log(8.0));
    const char* cure = !motors_likelier ? "--unit q=deg" : by_motors ? "--gear model" : "--gear RATIOS";
    const std::string why = !motors_likelier ? "they seem to be in degrees; or angles of the motors (--gear)"
                            : by_degrees
                                ? "they seem to be angles of the motors, not of the joints; or degrees (--unit q=deg)"
                                : "they seem to be angles of the motors, not of the joints";
    findings_.warn(
        motors_likelier ? "motor-angles" : "degrees", joint, widest,
        fmt::format("positions of {} reach {:.4g}, which is beyond the range of the joints: {}", who, widest, why),
        cure);
    return true;
  }

  // How far the torques are from the model's if positions are multiplied by these factors: 0 if not at all.
  double off_one(const std::vector<double>& factors) const {
    if (log_.data.tau.empty()) return 0.0;
    Change change(n_);
    change.scale = factors;
    return std::abs(std::log(logs::TorqueComparison(log_, robot_).usual_factor(change)));
  }

  void speeds() {
    for (std::size_t j = 0; j < log_.speeds.size(); ++j) {
      const double ratio = log_.speeds[j], size = std::abs(ratio);
      if (std::abs(ratio - 1.0) < 0.05) continue;
      const auto near = [&](double value) { return std::abs(size / value - 1.0) < 0.1; };
      const std::string own = fmt::format("qd{}", j + 1);
      std::string why = "their unit or the clock", cure;
      if (size < 0.05)
        why = "they are not recorded";
      else if (near(1.0))
        why = "their sign", cure = fmt::format("--unit {}=-1", own);
      else if (near(180.0 / std::numbers::pi))
        why = "they seem to be in degrees", cure = "--unit qd=deg/s";
      else if (near(30.0 / std::numbers::pi))
        why = "they seem to be in turns per minute", cure = "--unit qd=rpm";
      else if (near(1000.0) || near(1e-3))
        why = "the clock or they seem to be off by a thousand";
      else if (!gears_.empty() && std::abs(gears_[j]) != 1.0 && near(std::abs(gears_[j])))
        why = "they seem to be those of the motor", cure = fmt::format("--unit {}=1/{:g}", own, gears_[j]);
      findings_.warn("speed-mismatch", static_cast<int>(j), ratio,
                     fmt::format("{}: measured speeds are {:.3g} times the change of its positions: {}; positions were "
                                 "differentiated instead",
                                 log_.joints[j], ratio, why),
                     cure);
    }
  }

  void torque_columns() {
    if (log_.data.tau.empty()) return;
    for (std::size_t j = 0; j < n_; ++j) {
      const std::vector<double> tau = column(log_.data.tau, j);
      const auto [low, high] = std::minmax_element(tau.begin(), tau.end());
      if (*low == *high) {
        findings_.warn("constant-torque", static_cast<int>(j), *low,
                       fmt::format("{}: the torque is {:.4g} in every row: was it recorded?", log_.joints[j], *low));
        continue;
      }
      std::size_t clipped = 0;
      for (std::size_t i = 1; i < tau.size(); ++i)
        clipped += tau[i] == tau[i - 1] && (tau[i] == *low || tau[i] == *high);
      const double share = static_cast<double>(clipped) / static_cast<double>(tau.size());
      if (share > 0.01)
        findings_.warn("clipped", static_cast<int>(j), share,
                       fmt::format("{}: the torque is at its largest value in {:.1f} % of the rows: a limit of the "
                                   "drive or the sensor; leave out these times (--from, --to)",
                                   log_.joints[j], 100.0 * share));
    }
  }

  void torques() {
    const logs::TorqueComparison comparison(log_, robot_);
    Change change(n_);
    bool guessed = false;
    for (int k = 0; k < 4; ++k) {
      const auto guess = logs::best_guess(comparison, change, log_, robot_, gears_);
      if (!guess) break;
      list_.push_back(guess->finding);
      change = guess->change;
      guessed = true;
    }
    const double whole = comparison.score(change);
    const std::vector<Explained> explained = comparison.explained(change);
    std::vector<std::string> shares;
    for (std::size_t j = 0; j < n_; ++j)
      shares.push_back(explained[j].known ? fmt::format("{} {:.0f} %", log_.joints[j], 100.0 * explained[j].share)
                                          : fmt::format("{} -", log_.joints[j]));
    findings_.note("explained", -1, whole,
                   fmt::format("beyond friction and offsets, the model explains {:.0f} % of the torques{} ({})",
                               100.0 * whole, guessed ? ", with these changes" : "", fmt::join(shares, ", ")));
    factors(explained, whole);
    delay(comparison, change, whole);
    if (whole < 0.25)
      findings_.warn(
          "unexplained", -1, whole,
          fmt::format("the model explains {:.0f} % of the torques beyond friction and offsets: is it the right "
                      "robot, the right order of columns, the right payload?",
                      100.0 * whole));
  }

  // Torques in other units: the same factor for all joints, or the gears'.
  void factors(const std::vector<Explained>& explained, double whole) {
    std::vector<double> sizes, by_gear;
    for (std::size_t j = 0; j < n_; ++j) {
      if (!explained[j].known || explained[j].share < 0.3 || explained[j].factor <= 0.0) continue;
      sizes.push_back(explained[j].factor);
      if (!gears_.empty()) by_gear.push_back(explained[j].factor * std::abs(gears_[j]));
    }
    if (sizes.empty() || whole < 0.4) return;
    const double usual = quantile(sizes, 0.5);
    if (usual > 0.25 && usual < 4.0) return;
    const auto near = [](double value, double to) { return value > 0.5 * to && value < 2.0 * to; };
    std::string why = "currents, or another unit", cure = "--unit tau=FACTOR";
    if (near(usual, 1000.0))
      why = "they seem to be in mN m", cure = "--unit tau=mNm";
    else if (!by_gear.empty() && near(quantile(by_gear, 0.5), 1.0))
      why = "they seem to be those of the motors", cure = "--gear model";
    findings_.warn("torque-scale", -1, usual,
                   fmt::format("torques are {:.3g} times those of the model: {}", usual, why), cure);
  }

  void delay(const logs::TorqueComparison& comparison, const Change& from, double whole) {
    if (whole < 0.3) return;
    const double period = log_.data.period;
    std::ptrdiff_t best = 0;
    double most = whole + 0.02;
    for (double seconds = std::max(2.0 * period, 2e-3); seconds < 0.3; seconds *= 1.3)
      for (const double sign : {1.0, -1.0}) {
        Change later = from;
        later.lag = static_cast<std::ptrdiff_t>(std::lround(sign * seconds / period));
        const double own = comparison.score(later);
        if (own > most) most = own, best = later.lag;
      }
    if (best != 0 && 1.0 - most < 0.8 * (1.0 - whole))
      findings_.warn(
          "delay", -1, static_cast<double>(best) * period,
          fmt::format(
              "torques seem to come {:.3g} s {} than positions: were the columns recorded with different clocks?",
              std::abs(static_cast<double>(best)) * period, best > 0 ? "later" : "earlier"));
  }

  const PreparedLog& log_;
  const Mechanism& robot_;
  std::span<const double> gears_;
  std::vector<LogFinding> list_;
  FindingList findings_;
  std::size_t n_;
};

}  // namespace

std::vector<LogFinding> diagnose(const PreparedLog& log, const Mechanism& robot, std::span<const double> gears) {
  if (log.joints.size() != static_cast<std::size_t>(robot.nv()))
    throw std::invalid_argument(fmt::format("the log has {} joints, the robot {}", log.joints.size(), robot.nv()));
  return Diagnosis(log, robot, gears).run();
}

}  // namespace catena

// Bad logs: each fault is noticed and named with its likely cause, and good logs raise no alarm.
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "catena/log.hpp"
#include "catena/robot_file.hpp"
#include "support/raw_log.hpp"

namespace catena::diagnosis_test {
namespace {

using test::raw_log;
using test::RawLogOptions;

struct Faulty {
  std::string robot = "ur5";
  RawLogOptions options{};
  std::function<void(Log&)> fault;
  std::string kind;
  int joint = -1;
  std::string words{};  // in the text or the cure
};

std::vector<double> gears_of(const Robot& robot) {
  std::vector<double> gears;
  for (const int j : robot.moving_joints()) gears.push_back(robot.joints[static_cast<std::size_t>(j)].drive.gear_ratio);
  return gears;
}
Robot load(const std::string& name) { return load_robot(std::string(CATENA_SOURCE_DIR "/models/") + name + ".toml"); }
std::string listed(const std::vector<LogFinding>& found) {
  std::string text;
  for (const LogFinding& own : found)
    text += own.kind + " " + std::to_string(own.joint) + ": " + own.text + " [" + own.cure + "]\n";
  return text;
}

// Calls with (row, joint, value) of a group.
void each(Log& log, std::vector<double>& group, auto change) {
  const std::size_t n = log.joints.size();
  for (std::size_t k = 0; k < group.size(); ++k) change(k / n, k % n, group[k]);
}
void scale(Log& log, std::vector<double> Log::*group, double factor, int joint = -1) {
  each(log, log.*group, [&](std::size_t, std::size_t j, double& x) {
    if (joint < 0 || static_cast<int>(j) == joint) x *= factor;
  });
}
void swap(Log& log, std::vector<double> Log::*group, std::size_t a, std::size_t b) {
  const std::size_t n = log.joints.size();
  for (std::size_t i = 0; i < log.rows(); ++i) std::swap((log.*group)[i * n + a], (log.*group)[i * n + b]);
}
void freeze(Log& log, auto which) {
  const std::vector<double> first(log.q.begin(), log.q.begin() + static_cast<long>(log.joints.size()));
  each(log, log.q, [&](std::size_t, std::size_t j, double& x) {
    if (which(j)) x = first[j];
  });
}

constexpr double degree = 180.0 / std::numbers::pi;

std::vector<Faulty> faults_of_motion() {
  return {
      {.fault = [](Log& log) { freeze(log, [](std::size_t) { return true; }); }, .kind = "no-motion"},
      {.fault = [](Log& log) { freeze(log, [](std::size_t j) { return j != 2; }); },
       .kind = "one-joint",
       .joint = 2,
       .words = "elbow"},
      {.fault = [](Log& log) { freeze(log, [](std::size_t j) { return j == 4; }); },
       .kind = "still-joints",
       .joint = 4},
      {.fault = [](Log& log) { swap(log, &Log::q, 1, 2), swap(log, &Log::tau, 1, 2); },
       .kind = "swapped",
       .joint = 1,
       .words = "--swap q2,q3"},
      {.fault = [](Log& log) { swap(log, &Log::tau, 1, 2); }, .kind = "swapped-torques", .joint = 1},
      {.fault = [](Log& log) { swap(log, &Log::q, 1, 2); }, .kind = "swapped-positions", .joint = 1},
      {.fault = [](Log& log) { scale(log, &Log::tau, -1.0, 1); },
       .kind = "torque-sign",
       .joint = 1,
       .words = "--unit tau2=-1"},
      {.robot = "panda", .fault = [](Log& log) { scale(log, &Log::tau, -1.0); }, .kind = "torque-sign", .words = "all"},
      {.fault = [](Log& log) { scale(log, &Log::q, -1.0, 2); },
       .kind = "position-sign",
       .joint = 2,
       .words = "--unit q3=-1"},
      {.fault =
           [](Log& log) {
             each(log, log.q,
                  [](std::size_t, std::size_t j, double& x) { x += j == 1 ? 0.5 * std::numbers::pi : 0.0; });
           },
       .kind = "zero",
       .joint = 1,
       .words = "-pi/2"},
  };
}

std::vector<Faulty> faults_of_units() {
  return {
      {.robot = "panda", .fault = [](Log& log) { scale(log, &Log::q, degree); }, .kind = "degrees", .words = "q=deg"},
      {.robot = "iiwa14", .fault = [](Log& log) { scale(log, &Log::q, degree); }, .kind = "degrees", .words = "q=deg"},
      {.robot = "puma560",
       .fault =
           [](Log& log) {
             const std::vector<double> gears = gears_of(load("puma560"));
             each(log, log.q, [&](std::size_t, std::size_t j, double& x) { x *= gears[j]; });
             each(log, log.tau, [&](std::size_t, std::size_t j, double& x) { x /= gears[j]; });
           },
       .kind = "motor-angles",
       .words = "--gear model"},
      {.robot = "panda",
       .fault = [](Log& log) { scale(log, &Log::q, 100.0), scale(log, &Log::tau, 0.01); },
       .kind = "motor-angles",
       .words = "--gear"},
      {.fault =
           [](Log& log) {
             for (double& t : log.t) t *= 1e3;
           },
       .kind = "clock-unit",
       .words = "t=ms"},
      {.fault =
           [](Log& log) {
             for (double& t : log.t) t *= 1e6;
           },
       .kind = "clock-unit",
       .words = "t=us"},
      {.fault =
           [](Log& log) {
             for (double& t : log.t) t = 1.6e18 + t * 1e9;
           },
       .kind = "clock-unit",
       .words = "t=ns"},
      {.fault =
           [](Log& log) {
             for (double& t : log.t) t *= 1e-3;
           },
       .kind = "too-fast"},
      {.fault = [](Log& log) { scale(log, &Log::tau, 1e3); }, .kind = "torque-scale", .words = "mNm"},
      {.robot = "puma560",
       .fault =
           [](Log& log) {
             const std::vector<double> gears = gears_of(load("puma560"));
             each(log, log.tau, [&](std::size_t, std::size_t j, double& x) { x /= std::abs(gears[j]); });
           },
       .kind = "torque-scale",
       .words = "--gear model"},
  };
}

std::vector<Faulty> faults_of_columns() {
  return {
      {.fault = [](Log& log) { scale(log, &Log::tau, 0.0, 3); }, .kind = "constant-torque", .joint = 3},
      {.fault =
           [](Log& log) {
             double low = 1e9, high = -1e9;
             each(log, log.tau, [&](std::size_t, std::size_t j, double& x) {
               if (j == 1) low = std::min(low, x), high = std::max(high, x);
             });
             each(log, log.tau, [&](std::size_t, std::size_t j, double& x) {
               if (j == 1) x = std::clamp(x, low + 0.2 * (high - low), high - 0.2 * (high - low));
             });
           },
       .kind = "clipped",
       .joint = 1},
      {.fault =
           [](Log& log) {
             const std::vector<double> tau = log.tau;
             each(log, log.tau,
                  [&](std::size_t i, std::size_t j, double& x) { x = tau[(i < 50 ? 0 : i - 50) * 6 + j]; });
           },
       .kind = "delay",
       .words = "later"},
      {.options = {.speeds = true},
       .fault = [](Log& log) { scale(log, &Log::qd, degree); },
       .kind = "speed-mismatch",
       .words = "deg/s"},
      {.options = {.speeds = true},
       .fault = [](Log& log) { scale(log, &Log::qd, 30.0 / std::numbers::pi, 1); },
       .kind = "speed-mismatch",
       .joint = 1,
       .words = "rpm"},
      {.options = {.speeds = true},
       .fault = [](Log& log) { scale(log, &Log::qd, -1.0, 0); },
       .kind = "speed-mismatch",
       .joint = 0,
       .words = "qd1=-1"},
      {.robot = "stanford",
       .fault = [](Log& log) { scale(log, &Log::q, 1e3, 2); },
       .kind = "millimetres",
       .joint = 2,
       .words = "q=mm"},
      {.fault =
           [](Log& log) {
             std::mt19937 random(1);
             std::normal_distribution<double> normal(0.0, 20.0);
             for (double& x : log.tau) x = normal(random);
           },
       .kind = "unexplained"},
  };
}

std::vector<Faulty> faults() {
  std::vector<Faulty> all = faults_of_motion();
  for (const auto& more : {faults_of_units(), faults_of_columns()}) all.insert(all.end(), more.begin(), more.end());
  return all;
}

TEST(Diagnosis, NamesTheCauseOfEveryFault) {
  for (const Faulty& own : faults()) {
    const Robot robot = load(own.robot);
    const Mechanism mechanism = make_mechanism(robot);
    Log log = raw_log(mechanism, own.options).log;
    own.fault(log);
    const std::vector<LogFinding> found = diagnose(prepare(log), mechanism, gears_of(robot));
    const auto warned = [&](const LogFinding& one) {
      return one.kind == own.kind && one.weight == LogFinding::Weight::warning &&
             (own.joint < 0 || one.joint == own.joint) && (one.text + one.cure).find(own.words) != std::string::npos;
    };
    EXPECT_TRUE(std::any_of(found.begin(), found.end(), warned))
        << own.robot << ", expected " << own.kind << " " << own.joint << " " << own.words << "; found\n"
        << listed(found);
    // What it names first is the fault, or no more than what follows from it.
    const auto warnings = std::count_if(
        found.begin(), found.end(), [](const LogFinding& one) { return one.weight == LogFinding::Weight::warning; });
    EXPECT_LE(warnings, own.kind == "speed-mismatch" ? 6 : 3) << own.robot << " " << own.kind << "\n" << listed(found);
  }
  EXPECT_GE(faults().size(), 20U);
}

TEST(Diagnosis, GoodLogsRaiseNoAlarm) {
  for (const std::string name :
       {"planar2r", "planar3r", "ur5", "panda", "iiwa14", "puma560", "stanford", "pelican", "gripper", "parallelogram"})
    for (const RawLogOptions& options : {RawLogOptions{}, RawLogOptions{.rest = 0.3, .seed = 3},
                                         RawLogOptions{.friction = 0.3, .speeds = true, .seed = 5}}) {
      const Robot robot = load(name);
      const Mechanism mechanism = make_mechanism(robot);
      const PreparedLog log = prepare(raw_log(mechanism, options).log);
      for (const LogFinding& own : diagnose(log, mechanism, gears_of(robot)))
        EXPECT_EQ(own.weight, LogFinding::Weight::note) << name << " " << options.seed << ": " << own.text;
      for (const LogFinding& own : log.findings)
        EXPECT_EQ(own.weight, LogFinding::Weight::note) << name << " " << options.seed << ": " << own.text;
    }
}

// Parameters that are off by 30 % and more are no fault of the log.
TEST(Diagnosis, AModelThatIsOffIsNoFaultOfTheLog) {
  for (const std::string name : {"ur5", "panda", "puma560", "stanford"}) {
    const Robot truth = load(name);
    Robot nominal = truth;
    std::mt19937 random(4);
    std::uniform_real_distribution<double> factor(0.6, 1.5);
    for (LinkDescription& link : nominal.links) {
      const double mass = factor(random);
      link.inertial.mass *= mass;
      link.inertial.inertia = mass * link.inertial.inertia;
    }
    const Mechanism mechanism = make_mechanism(nominal);
    const PreparedLog log = prepare(raw_log(make_mechanism(truth), {.friction = 0.2}).log);
    for (const LogFinding& own : diagnose(log, mechanism, gears_of(truth)))
      EXPECT_EQ(own.weight, LogFinding::Weight::note) << name << ": " << own.text;
  }
}

TEST(Diagnosis, RefusesALogOfAnotherRobot) {
  const Mechanism ur5 = make_mechanism(load("ur5")), panda = make_mechanism(load("panda"));
  EXPECT_THROW(diagnose(prepare(raw_log(ur5).log), panda), std::invalid_argument);
}

}  // namespace
}  // namespace catena::diagnosis_test

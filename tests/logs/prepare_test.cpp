// Raw logs with known faults: each is found, counted, and mended or left out; what remains is the truth.
#include <gtest/gtest.h>

#include <limits>
#include <map>

#include "catena/log.hpp"
#include "catena/robot_file.hpp"
#include "support/raw_log.hpp"

namespace catena::prepare_test {
namespace {

using test::raw_log;
using test::RawLog;
using test::RawLogOptions;

constexpr double none = std::numeric_limits<double>::quiet_NaN();

Mechanism model(const std::string& name) {
  return make_mechanism(load_robot(std::string(CATENA_SOURCE_DIR "/models/") + name + ".toml"));
}
const LogFinding* find(const PreparedLog& log, const std::string& kind, int joint = -1) {
  for (const LogFinding& own : log.findings)
    if (own.kind == kind && (joint < 0 || own.joint == joint)) return &own;
  return nullptr;
}
double count_of(const PreparedLog& log, const std::string& kind, int joint = -1) {
  const LogFinding* found = find(log, kind, joint);
  return found == nullptr ? 0.0 : found->number;
}
// Rows of the log with these left out, and t moved by `jitter`.
void keep(Log& log, auto wanted) {
  const std::size_t n = log.joints.size(), rows = log.rows();
  Log out{.joints = log.joints, .t = {}, .period = log.period, .q = {}, .qd = {}, .tau = {}};
  for (std::size_t i = 0; i < rows; ++i)
    for (int copies = wanted(i); copies > 0; --copies) {
      if (!log.t.empty()) out.t.push_back(log.t[i]);
      for (std::size_t j = 0; j < n; ++j) {
        out.q.push_back(log.q[i * n + j]), out.tau.push_back(log.tau[i * n + j]);
        if (!log.qd.empty()) out.qd.push_back(log.qd[i * n + j]);
      }
    }
  log = out;
}

// The largest root mean square error over the joints, as a share of the truth, of rows that are not at an edge.
struct Errors {
  double q = 0.0, qd = 0.0, qdd = 0.0;
};
Errors errors(const PreparedLog& got, const Mechanism& robot, const RawLogOptions& options) {
  const test::RawMotion motion(robot, options);
  const std::size_t n = got.joints.size();
  std::vector<double> q, qd, qdd;
  Errors out;
  std::vector<std::array<double, 5>> sums(n);
  for (std::size_t i = 0; i < got.rows(); ++i) {
    motion.at(got.t[i], q, qd, qdd);
    for (std::size_t j = 0; j < n; ++j) {
      if (!got.data.used[i * n + j]) continue;
      sums[j][0] = std::max(sums[j][0], std::abs(got.data.q[i * n + j] - q[j]));
      sums[j][1] += std::pow(got.data.qd[i * n + j] - qd[j], 2), sums[j][2] += qd[j] * qd[j];
      sums[j][3] += std::pow(got.data.qdd[i * n + j] - qdd[j], 2), sums[j][4] += qdd[j] * qdd[j];
    }
  }
  for (const auto& sum : sums) {
    out.q = std::max(out.q, sum[0]);
    out.qd = std::max(out.qd, std::sqrt(sum[1] / sum[2]));
    out.qdd = std::max(out.qdd, std::sqrt(sum[3] / sum[4]));
  }
  return out;
}

TEST(PrepareLog, DerivativesAreRightForRobotsOfEveryKind) {
  for (const std::string name : {"planar2r", "ur5", "panda", "stanford", "gripper", "parallelogram"})
    for (const DerivativeBy by : {DerivativeBy::filter, DerivativeBy::savitzky_golay}) {
      const Mechanism robot = model(name);
      const RawLogOptions options;
      const PreparedLog got = prepare(raw_log(robot, options).log, {.derivative = by});
      const Errors off = errors(got, robot, options);
      EXPECT_LT(off.q, 3e-4) << name;
      EXPECT_LT(off.qd, 5e-3) << name;
      EXPECT_LT(off.qdd, 3e-2) << name;
      EXPECT_EQ(got.rows(), 10000U) << name;
      EXPECT_NEAR(got.data.period, 2e-3, 1e-12);
      EXPECT_GT(got.filter.cutoff, 0.7) << name;
      EXPECT_LT(got.filter.cutoff, 15.0) << name;
      EXPECT_GE(got.decimation, 2U);
    }
}

TEST(PrepareLog, StampsThatAreWrongAreFoundAndMended) {
  const Mechanism robot = model("planar2r");
  const RawLogOptions options{.torque_noise = 0.03};
  const Log good = raw_log(robot, options).log;
  const auto check = [&](const Log& log, const std::string& kind, double count, std::size_t stretches = 1) {
    const PreparedLog got = prepare(log);
    EXPECT_EQ(count_of(got, kind), count) << kind;
    EXPECT_EQ(got.data.stretches.size(), stretches) << kind;
    const Errors off = errors(got, robot, options);
    EXPECT_LT(off.q, 3e-4) << kind;
    EXPECT_LT(off.qdd, 3e-2) << kind;
    return got;
  };
  Log log = good;  // rows written twice
  keep(log, [](std::size_t i) { return i % 100 == 7 ? 2 : 1; });
  EXPECT_EQ(check(log, "doubled", 100.0).rows(), 10000U);
  log = good;  // rows that are missing, one by one: interpolated
  keep(log, [](std::size_t i) { return i % 50 == 9 ? 0 : 1; });
  EXPECT_EQ(check(log, "missing", 200.0).rows(), 10000U);
  log = good;  // and many at once: a new stretch
  keep(log, [](std::size_t i) { return i >= 4000 && i < 4100 ? 0 : 1; });
  EXPECT_EQ(check(log, "missing", 100.0, 2).rows(), 9900U);
  log = good;  // stamps that stand still although the values change, then catch up
  for (std::size_t i = 5; i + 10 < log.t.size(); i += 40) log.t[i] = log.t[i - 1];
  EXPECT_EQ(check(log, "stale", 250.0).rows(), 10000U);
  log = good;  // a clock four times as coarse as the rows
  for (std::size_t i = 0; i < log.t.size(); ++i) log.t[i] = good.t[i - i % 4];
  EXPECT_GT(check(log, "stale", 7500.0).rows(), 9990U);
  log = good;  // rows out of order
  for (std::size_t i = 300; i < 9000; i += 300) log.t[i] -= 0.1;
  check(log, "backward", 29.0);
  log = good;  // no stamp
  for (std::size_t i = 100; i < 9000; i += 100) log.t[i] = none;
  check(log, "unreadable", 89.0);
  log = good;  // written five times as fast as measured
  keep(log, [](std::size_t i) { return i % 5 == 0 ? 5 : 0; });
  log.t = good.t;
  const PreparedLog held = check(log, "held", 8000.0);
  EXPECT_NEAR(held.data.period, 0.01, 1e-9);
  log = good;  // the clock starts anew
  for (std::size_t i = 5000; i < log.t.size(); ++i) log.t[i] -= 10.0;
  const PreparedLog set_back = prepare(log);
  EXPECT_EQ(count_of(set_back, "set-back"), 1.0);
  EXPECT_EQ(set_back.data.stretches.size(), 2U);
}

TEST(PrepareLog, JitterInTheSamplingIsResampledAndJitterInTheStampsIsCounted) {
  const Mechanism robot = model("ur5");
  const RawLogOptions options;
  std::mt19937 random(3);
  std::normal_distribution<double> normal(0.0, 0.15 / options.rate);
  const test::RawMotion motion(robot, options);
  Log sampling = raw_log(robot, options).log, stamps = sampling;
  std::vector<double> q, qd, qdd;
  for (std::size_t i = 1; i < sampling.t.size(); ++i) {
    const double off = std::clamp(normal(random), -0.4 / options.rate, 0.4 / options.rate);
    sampling.t[i] += off, stamps.t[i] += off;
    motion.at(sampling.t[i], q, qd, qdd);  // taken when the stamp says
    for (std::size_t j = 0; j < 6; ++j) sampling.q[6 * i + j] = options.encoder * std::round(q[j] / options.encoder);
  }
  for (const auto& [log, words] : {std::pair{sampling, "resampled"}, std::pair{stamps, "counted"}}) {
    const PreparedLog got = prepare(log);
    ASSERT_NE(find(got, "jitter"), nullptr);
    EXPECT_NE(find(got, "jitter")->text.find(words), std::string::npos) << find(got, "jitter")->text;
    EXPECT_LT(errors(got, robot, options).qdd, 0.04) << words;
  }
  EXPECT_EQ(find(prepare(raw_log(robot, options).log), "jitter"), nullptr);
}

TEST(PrepareLog, BadValuesAreLeftOutByJoint) {
  const Mechanism robot = model("ur5");
  const RawLogOptions options;
  Log log = raw_log(robot, options).log;
  for (std::size_t i = 1000; i < 1003; ++i) log.tau[6 * i + 2] = none;
  log.tau[6 * 2000 + 1] = 1e30;
  log.tau[6 * 3000 + 4] += 500.0;                                    // jumps
  for (std::size_t i = 4000; i < 4003; ++i) log.q[6 * i + 3] = 0.0;  // the encoder drops out
  log.q[6 * 5000] = none;
  const PreparedLog got = prepare(log);
  EXPECT_EQ(count_of(got, "bad-values", 2), 3.0);
  EXPECT_EQ(count_of(got, "bad-values", 1), 1.0);
  EXPECT_EQ(count_of(got, "jumps", 4), 1.0);
  EXPECT_EQ(count_of(got, "jumps", 3), 3.0);
  EXPECT_EQ(count_of(got, "bad-values", 0), 1.0);
  ASSERT_EQ(got.rows(), 10000U);
  const PreparedLog kept = prepare(log, {.rest = Rest::keep});
  for (const auto& [row, joint] : {std::pair{1001UL, 2UL}, {2000UL, 1UL}, {3000UL, 4UL}}) {
    EXPECT_TRUE(kept.invented[6 * row + joint]);
    for (std::size_t j = 0; j < 6; ++j) EXPECT_EQ(kept.data.used[6 * row + j], j != joint) << row << " " << j;
    EXPECT_LT(std::abs(kept.data.tau[6 * row + joint]), 200.0);
  }
  EXPECT_LT(errors(got, robot, options).q, 3e-4);
}

TEST(PrepareLog, AnglesThatWrapAreMadeContinuous) {
  const Mechanism robot = model("planar2r");
  Log log = raw_log(robot).log;
  const std::vector<double> truth = log.q;
  for (double& q : log.q) q = std::remainder(q + 2.6, 2.0 * std::numbers::pi);
  const PreparedLog got = prepare(log);
  EXPECT_GT(count_of(got, "wrapped"), 0.0);
  for (std::size_t k = 200; k < truth.size() - 200; ++k) {
    const double turns = (got.data.q[k] - truth[k] - 2.6) / (2.0 * std::numbers::pi);
    ASSERT_NEAR(turns, std::round(turns), 1e-3);
  }
}

TEST(PrepareLog, SegmentsAreSecondsSinceTheFirstRow) {
  const Mechanism robot = model("planar2r");
  Log log = raw_log(robot).log;
  for (double& t : log.t) t += 1.6e9;
  const PreparedLog got = prepare(log, {.from = 2.0, .to = 12.0});
  EXPECT_EQ(got.rows(), 5001U);
  EXPECT_NEAR(got.t.front(), 1.6e9 + 2.0, 1e-6);
  EXPECT_EQ(count_of(got, "outside"), 4999.0);
  EXPECT_THROW(prepare(log, {.from = 100.0}), std::invalid_argument);
}

TEST(PrepareLog, RestIsFoundByTheNoiseOfTheSpeed) {
  const Mechanism robot = model("panda");
  for (const double rest : {0.2, 0.33}) {
    const RawLogOptions options{.rest = rest};
    const RawLog raw = raw_log(robot, options);
    const PreparedLog got = prepare(raw.log);
    for (std::size_t j = 0; j < 7; ++j) {
      const LogFinding* found = find(got, "rest", static_cast<int>(j));
      ASSERT_NE(found, nullptr);
      EXPECT_GT(found->number, rest) << j;
      EXPECT_LT(found->number, rest + 0.15) << j;
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < got.rows(); ++i)
        wrong += raw.qd[7 * i + j] == 0.0 && (!got.resting[7 * i + j] || got.data.used[7 * i + j]);
      EXPECT_EQ(wrong, 0U) << j;
      // The filter carries rest to the rows beside.
      const double before = 0.5 * (1.0 - rest) * options.duration - 0.4 / got.filter.cutoff;
      EXPECT_TRUE(got.resting[7 * static_cast<std::size_t>(before * options.rate) + j]) << j;
    }
    for (const Rest kept : {Rest::keep, Rest::hold}) {
      const PreparedLog all = prepare(raw.log, {.rest = kept});
      EXPECT_EQ(all.resting, got.resting);
      EXPECT_EQ(all.data.used[7 * 5000], 1);
    }
  }
  const PreparedLog given = prepare(raw_log(robot).log, {.dead_band = std::vector<double>(7, 1e9)});
  EXPECT_EQ(std::count(given.data.used.begin(), given.data.used.end(), 1), 0);
}

TEST(PrepareLog, MeasuredSpeedsAreTakenWhereTheyAgree) {
  const Mechanism robot = model("ur5");
  const RawLogOptions options{.speeds = true};
  Log log = raw_log(robot, options).log;
  const PreparedLog good = prepare(log);
  EXPECT_LT(errors(good, robot, options).qd, errors(prepare(log, {.measured_speeds = false}), robot, options).qd);
  for (const double ratio : good.speeds) EXPECT_NEAR(ratio, 1.0, 1e-3);
  for (double& speed : log.qd) speed *= 57.29578;
  const PreparedLog wrong = prepare(log);
  EXPECT_NEAR(wrong.speeds[2], 57.3, 0.2);
  EXPECT_LT(errors(wrong, robot, options).qd, 5e-3);
}

TEST(PrepareLog, SeveralRunsStayApart) {
  const Mechanism robot = model("ur5");
  Log log = raw_log(robot).log;
  append(log, raw_log(robot, {.seed = 9}).log);
  const PreparedLog got = prepare(log);
  EXPECT_EQ(got.data.stretches, (std::vector<std::size_t>{0, 10000}));
  EXPECT_EQ(got.rows(), 20000U);
  EXPECT_EQ(got.data.used[6 * 10000], 0);
}

TEST(PrepareLog, ACutoffThatIsGivenIsTakenAndQuestioned) {
  const Mechanism robot = model("ur5");
  const Log log = raw_log(robot).log;
  const PreparedLog fine = prepare(log, {.filter = {5.0, 2}});
  EXPECT_EQ(fine.filter.cutoff, 5.0);
  EXPECT_EQ(fine.filter.order, 2);
  EXPECT_EQ(find(fine, "cutoff-far"), nullptr);
  EXPECT_NE(find(prepare(log, {.filter = {100.0}}), "cutoff-far"), nullptr);
  EXPECT_NE(find(prepare(log, {.filter = {0.3}}), "cutoff-far"), nullptr);
  EXPECT_THROW(prepare(log, {.filter = {300.0}}), std::invalid_argument);
}

TEST(PrepareLog, RefusesWhatIsNoLog) {
  const Mechanism robot = model("planar2r");
  const Log good = raw_log(robot).log;
  Log log = good;
  std::fill(log.t.begin(), log.t.end(), 1.0);
  EXPECT_THROW(prepare(log), std::invalid_argument);
  log = good, log.t.clear();
  EXPECT_THROW(prepare(log), std::invalid_argument);
  log = good, std::fill(log.q.begin(), log.q.end(), none);
  EXPECT_THROW(prepare(log), std::invalid_argument);
  log = good, log.tau.pop_back();
  EXPECT_THROW(prepare(log), std::invalid_argument);
  EXPECT_THROW(prepare({}), std::invalid_argument);
  log = good, log.t.clear(), log.period = 2e-3;
  EXPECT_EQ(prepare(log).rows(), 10000U);
}

}  // namespace
}  // namespace catena::prepare_test

// Intervals under noise that is correlated in time, doubts, and models that are held against other data.
#include <gtest/gtest.h>

#include <cstdlib>

#include "catena/identify.hpp"
#include "catena/model/parameters.hpp"
#include "support/simulated_log.hpp"

namespace catena::test::uncertainty_test {
namespace {

// CATENA_DRAWS=200 is what tools/measure_coverage.py runs.
int draws() {
  const char* given = std::getenv("CATENA_DRAWS");
  return given != nullptr ? std::atoi(given) : 8;
}

struct Coverage {
  std::size_t inside = 0, all = 0;
  double share() const { return static_cast<double>(inside) / static_cast<double>(all); }
};

Coverage coverage_of(const std::string& name, double correlation_time, int count) {
  const LogOfArm exact = log_of(arm(name));
  Random random(77);
  Coverage out;
  for (int draw = 0; draw < count; ++draw) {
    LogOfArm log = exact;
    add_noise(log, 0.05, correlation_time, random);
    const Identification found = identify(log.robot, log.data, {.weights_from_residuals = true});
    for (const Estimate& own : found.estimates) {
      out.inside += own.lower <= own.parameter.nominal && own.parameter.nominal <= own.upper ? 1U : 0U;
      ++out.all;
    }
  }
  return out;
}

TEST(Uncertainty, IntervalsHoldUnderCorrelatedNoise) {
  Coverage all;
  for (const std::string& name : six_arms()) {
    const Coverage own = coverage_of(name, 0.05, draws());
    std::printf("coverage %s %.4f of %zu\n", name.c_str(), own.share(), own.all);
    all.inside += own.inside, all.all += own.all;
    if (draws() < 100) continue;
    EXPECT_GT(own.share(), 0.93) << name;
    EXPECT_LT(own.share(), 0.97) << name;
  }
  EXPECT_GT(all.share(), 0.93);
  EXPECT_LT(all.share(), 0.97);
}

// Every joint's own noise counts: of that of one joint, which is correlated, (1 + a)/(1 - a) rows say as much as one, a
// from row to row; of that of the others each says its own.
TEST(Uncertainty, EveryJointHasTheCorrelationOfItsNoise) {
  const LogOfArm exact = log_of(arm("ur5"), {.duration = 60.0});
  const double time = 0.05, kept = std::exp(-exact.data.period / time), expected = (1.0 + kept) / (1.0 - kept);
  for (std::size_t joint = 0; joint < exact.n; ++joint) {
    Random random(78);
    LogOfArm log = exact;
    add_noise_of(log, 0.05, random, [=](std::size_t j) { return j == joint ? time : 0.0; });
    const Identification found = identify(log.robot, log.data, {.weights_from_residuals = true});
    for (std::size_t j = 0; j < exact.n; ++j)
      EXPECT_NEAR(found.correlation[j] / (j == joint ? expected : 1.0), 1.0, 0.25) << joint << ' ' << j;
  }
}

// Rows that are filtered on both sides and decimated say the same; unfiltered noise of high frequency does not matter.
TEST(Uncertainty, FilteredRowsGiveTheSameParameters) {
  LogOfArm log = log_of(arm("ur5"), {.duration = 20.0, .rate = 500.0});
  const Identification exact = identify(log.robot, log.data, {.cutoff = 10.0, .decimate = 10});
  EXPECT_EQ(exact.samples, 1000U);
  for (const Estimate& own : exact.estimates)
    EXPECT_NEAR(own.value, own.parameter.nominal, 1e-6 * (1.0 + std::abs(own.parameter.nominal))) << own.parameter.text;
  // Gaps and samples that do not count change nothing either.
  log.data.stretches = {0, 3000, 3100};
  log.data.used.assign(log.data.tau.size(), 1);
  for (std::size_t k = 0; k < log.data.tau.size(); k += 7) {
    log.data.used[k] = 0;
    log.data.tau[k] = 1e6;
  }
  const Identification gaps = identify(log.robot, log.data, {.cutoff = 10.0, .decimate = 10, .threads = 1});
  EXPECT_EQ(gaps.samples, 1000U);
  EXPECT_GT(gaps.equations, gaps.samples * log.n * 9 / 10);
  for (const Estimate& own : gaps.estimates)
    EXPECT_NEAR(own.value, own.parameter.nominal, 1e-6 * (1.0 + std::abs(own.parameter.nominal))) << own.parameter.text;
}

TEST(Uncertainty, DoubtsNameWhatIsHardlyShown) {
  LogOfArm log = log_of(arm("ur5"));
  Random random(12);
  add_noise(log, 0.01, 0.02, random);
  for (const FitDoubt& doubt : identify(log.robot, log.data, {.weights_from_residuals = true}).doubts)
    ADD_FAILURE() << doubt.text;
  const double keep = log.data.q[5];
  for (std::size_t k = 5; k < log.data.q.size(); k += 6) {  // the last joint hardly moves
    log.data.q[k] = keep + 1e-4 * (log.data.q[k] - keep);
    log.data.qd[k] *= 1e-4, log.data.qdd[k] *= 1e-4;
  }
  bool motion = false, doubtful = false;
  for (const FitDoubt& doubt : identify(log.robot, log.data).doubts)
    motion = motion || (doubt.kind == "motion" && doubt.text.find("wrist_3") != std::string::npos);
  EXPECT_TRUE(motion);
  for (std::size_t k = 0; k < log.data.q.size(); k += 6)  // speeds of one size: friction cannot be told apart
    log.data.qd[k] = std::copysign(0.7 + 1e-4 * log.data.q[k + 1], log.data.qd[k]);
  for (const FitDoubt& doubt : identify(log.robot, log.data).doubts)
    doubtful = doubtful || (doubt.kind == "correlated" && doubt.text.find("'fv1' from 'fc1'") != std::string::npos);
  EXPECT_TRUE(doubtful);
}

// The model that is written leaves hardly more of torques that it was not fitted to than least squares do.
TEST(Uncertainty, PossibleModelsHoldAgainstOtherData) {
  for (const std::string& name : six_arms()) {
    SCOPED_TRACE(name);
    LogOfArm log = log_of(arm(name)), other = log_of(arm(name), {.seed = 2});
    Random random(31);
    add_noise(log, 0.05, 0.03, random);
    add_noise(other, 0.05, 0.03, random);
    const Identification found = identify(log.robot, log.data, {.weights_from_residuals = true, .folds = 4});
    const PhysicalOptions options;
    const PhysicalFit fit = fit_physical(log.robot, found, options);
    const Validation held = validate(log.robot, found, &fit, other.data),
                     folds = cross_validate(log.robot, found, &options);
    double held_ratio = 0.0, folds_ratio = 0.0;  // means over the joints, weighted
    for (std::size_t j = 0; j < log.n; ++j) {
      held_ratio += std::pow(held.physical.rms[j] / held.least_squares.rms[j], 2) / static_cast<double>(log.n);
      folds_ratio += std::pow(folds.physical.rms[j] / folds.least_squares.rms[j], 2) / static_cast<double>(log.n);
      EXPECT_NEAR(held.written.rms[j] / held.physical.rms[j], 1.0, 1e-9) << j;
      EXPECT_GT(held.least_squares.explained[j], 0.8) << j;
    }
    EXPECT_LT(std::sqrt(held_ratio), 1.02);
    const std::vector<double> tau = predict(log.robot, found, &fit, other.data.q, other.data.qd, other.data.qdd);
    double left = 0.0;
    for (std::size_t k = 0; k < tau.size(); k += log.n) left += std::pow(tau[k] - other.data.tau[k], 2);
    EXPECT_NEAR(std::sqrt(left * static_cast<double>(log.n) / static_cast<double>(tau.size())) / held.physical.rms[0],
                1.0, 1e-6);
    EXPECT_LT(std::sqrt(folds_ratio), 1.02);
  }
}

// With a strong prior and bounds, links keep masses that they can have.
TEST(Uncertainty, PriorsAndBoundsHoldMassesInPlace) {
  LogOfArm log = log_of(arm("panda"));
  Random random(6);
  add_noise(log, 0.1, 0.03, random);
  const Identification found = identify(log.robot, log.data, {.weights_from_residuals = true});
  const std::vector<double> truth = standard_parameters(log.robot);
  PhysicalOptions strict{.prior = 1.0};
  for (std::size_t k = 0; k < truth.size(); k += parameters_per_joint)
    strict.bounds.push_back({0.8 * truth[k], 1.2 * truth[k], 0.03});
  const PhysicalFit fit = fit_physical(log.robot, found, strict);
  for (std::size_t k = 0; k < truth.size(); k += parameters_per_joint) {
    EXPECT_GT(fit.parameters[k], 0.8 * truth[k]);
    EXPECT_LT(fit.parameters[k], 1.2 * truth[k]);
    double away = 0.0;
    for (std::size_t i = 1; i <= 3; ++i)
      away += std::pow(fit.parameters[k + i] / fit.parameters[k] - truth[k + i] / truth[k], 2);
    EXPECT_LT(std::sqrt(away), 0.03);
  }
  // Where the log shows other centres, those that are allowed about the model's.
  Robot moved = arm("panda");
  for (LinkDescription& link : moved.links) link.inertial.com.x += 0.1;
  const Identification shifted = identify(log.robot, log_of(moved).data);
  PhysicalOptions close{.prior = 1e-3, .bounds = std::vector<BodyBounds>(log.n, {.centre_within = 0.02})};
  const PhysicalFit held = fit_physical(log.robot, shifted, close);
  double farthest = 0.0;
  for (std::size_t k = 0; k < truth.size(); k += parameters_per_joint) {
    double away = 0.0;
    for (std::size_t i = 1; i <= 3; ++i)
      away += std::pow(held.parameters[k + i] / held.parameters[k] - truth[k + i] / truth[k], 2);
    EXPECT_LT(std::sqrt(away), 0.02) << k;
    farthest = std::max(farthest, std::sqrt(away));
  }
  EXPECT_GT(farthest, 0.019);
  strict.bounds[0] = {2.0, 1.0};
  EXPECT_THROW(fit_physical(log.robot, found, strict), std::invalid_argument);
  strict.bounds.pop_back();
  EXPECT_THROW(fit_physical(log.robot, found, strict), std::invalid_argument);
}

}  // namespace
}  // namespace catena::test::uncertainty_test

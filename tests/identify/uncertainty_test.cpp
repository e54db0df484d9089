// Intervals under noise that is correlated in time, doubts, and models that are held against other data.
#include <gtest/gtest.h>

#include <cstdlib>

#include "catena/identify.hpp"
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

}  // namespace
}  // namespace catena::test::uncertainty_test

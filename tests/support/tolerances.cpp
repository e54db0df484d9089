#include "support/tolerances.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

namespace catena::test {
namespace {

// The worst residual of every test, printed when the program ends and someone asked for it.
class ResidualLog {
 public:
  ~ResidualLog() {
    if (std::getenv("CATENA_SHOW_RESIDUALS") == nullptr) return;
    for (const auto& [name, entry] : worst_)
      std::printf("residual %-60s %12.3g relative %12.4g eps, allowed %12.4g eps\n", name.c_str(), entry.residual,
                  entry.residual / entry.epsilon, entry.allowed / entry.epsilon);
  }
  void record(double residual, const Tolerance& tolerance) {
    const testing::TestInfo* test = testing::UnitTest::GetInstance()->current_test_info();
    if (test == nullptr) return;
    Entry& entry = worst_[std::string(test->test_suite_name()) + "." + test->name()];
    if (residual / tolerance.relative < entry.residual / entry.allowed) return;
    entry = {residual, tolerance.relative, tolerance.epsilon};
  }

 private:
  struct Entry {
    double residual = 0.0, allowed = 1.0, epsilon = 1.0;
  };
  std::map<std::string, Entry> worst_;
};

ResidualLog& residual_log() {
  static ResidualLog log;
  return log;
}

}  // namespace

testing::AssertionResult near(const Values& actual, const Values& expected, const Values& scale, Tolerance tolerance) {
  if (actual.size() != expected.size() || actual.size() != scale.size())
    return testing::AssertionFailure() << actual.size() << " values compared with " << expected.size() << " on "
                                       << scale.size() << " scales";
  std::size_t worst = 0;
  double worst_ratio = 0.0, worst_residual = 0.0;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    const double difference = std::abs(actual[i] - expected[i]);
    const double bound = tolerance.relative * scale[i];
    // Written so that NaN on either side counts as infinitely far.
    const double ratio = difference == 0.0 ? 0.0
                         : !(difference <= bound) && !(bound > 0.0 && difference > bound)
                             ? std::numeric_limits<double>::infinity()
                             : difference / bound;
    if (ratio > worst_ratio) {
      worst = i;
      worst_ratio = ratio;
      worst_residual = ratio * tolerance.relative;
    }
  }
  residual_log().record(worst_residual, tolerance);
  if (worst_ratio <= 1.0) return testing::AssertionSuccess();
  char line[256];
  std::snprintf(line, sizeof line, "entry %zu of %zu: %.17g, expected %.17g (scale %.3g), %.3g times the bound %.3g",
                worst, actual.size(), actual[worst], expected[worst], scale[worst], worst_ratio,
                tolerance.relative * scale[worst]);
  return testing::AssertionFailure() << line;
}

testing::AssertionResult near(const Values& actual, const Values& expected, double scale, Tolerance tolerance) {
  return near(actual, expected, Values(expected.size(), scale), tolerance);
}

testing::AssertionResult near(double actual, double expected, double scale, Tolerance tolerance) {
  return near(Values{actual}, Values{expected}, Values{scale}, tolerance);
}

testing::AssertionResult near(const Values& actual, const Values& expected, Tolerance tolerance) {
  return near(actual, expected, largest(expected), tolerance);
}

double largest(const Values& values) {
  double result = 0.0;
  for (const double v : values) result = std::max(result, std::abs(v));
  return result;
}

}  // namespace catena::test

// Comparison relative to a stated scale, the same for every test: |actual - expected| <= tolerance * scale, entry by
// entry. A failure names the worst entry, both values and how far beyond the bound they are. With CATENA_SHOW_RESIDUALS
// set, each test's worst residual is printed at the end of the program, so that a bound can be seen to be tight.
#pragma once

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace catena::test {

struct Tolerance {
  double relative = 0.0;
  double epsilon = std::numeric_limits<double>::epsilon();  // residuals are shown in multiples of this
};

// k units in the last place of the scale, in the scalar that was computed with.
template <class S>
constexpr Tolerance ulps(double k) {
  constexpr double epsilon = std::numeric_limits<S>::epsilon();
  return {k * epsilon, epsilon};
}
constexpr Tolerance relative(double bound) { return {bound}; }

using Values = std::vector<double>;

testing::AssertionResult near(const Values& actual, const Values& expected, const Values& scale, Tolerance tolerance);
testing::AssertionResult near(const Values& actual, const Values& expected, double scale, Tolerance tolerance);
testing::AssertionResult near(double actual, double expected, double scale, Tolerance tolerance);

// Every entry of one vector against a scale of the vector's own: its largest magnitude.
testing::AssertionResult near(const Values& actual, const Values& expected, Tolerance tolerance);

double largest(const Values& values);  // max |v|, 0 for none

template <class Range>
Values to_values(const Range& range) {
  return Values(range.begin(), range.end());
}

}  // namespace catena::test

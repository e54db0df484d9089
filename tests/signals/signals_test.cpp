// Filters against their closed forms: the squared Butterworth gain, polynomials, spectra of known signals.
#include "catena/signals.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

namespace catena::signals_test {
namespace {

constexpr double pi = std::numbers::pi;

std::vector<double> sampled(std::size_t n, double period, auto f) {
  std::vector<double> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = f(static_cast<double>(i) * period);
  return x;
}
std::vector<double> noise(std::size_t n, double size, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(0.0, size);
  std::vector<double> x(n);
  for (double& value : x) value = normal(random);
  return x;
}
double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double most = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}

// The gain of the bilinear transform is the analog one at tan(πfT); run twice, its square. There is no phase.
TEST(ZeroPhase, HasTheSquaredButterworthGainAndNoPhase) {
  const double period = 1e-3;
  for (const int order : {1, 2, 3, 4, 7, 8})
    for (const double cutoff : {5.0, 40.0, 300.0})
      for (const double f : {0.3, 1.0, 1.7}) {
        const double w = 2.0 * pi * f * cutoff;
        if (f * cutoff > 450.0) continue;
        const std::vector<double> in = sampled(8001, period, [&](double t) { return std::sin(w * t + 0.3); });
        std::vector<double> out = in;
        ZeroPhase({cutoff, order}, period).apply(out);
        const double gain =
            1.0 / (1.0 + std::pow(std::tan(pi * f * cutoff * period) / std::tan(pi * cutoff * period), 2.0 * order));
        for (std::size_t i = 3900; i < 4100; ++i)
          ASSERT_NEAR(out[i], gain * in[i], 1e-9) << order << " " << cutoff << " " << f;
      }
}

TEST(ZeroPhase, LeavesStraightLinesAsTheyAre) {
  for (const std::size_t n : {1UL, 2UL, 5UL, 37UL, 1000UL})
    for (const int order : {1, 4, 5}) {
      const std::vector<double> line = sampled(n, 0.01, [](double t) { return 3.0 - 2.0 * t; });
      std::vector<double> out = line;
      ZeroPhase({2.0, order}, 0.01).apply(out);
      EXPECT_LT(largest_difference(out, line), 1e-8) << n << " " << order;
    }
}

TEST(ZeroPhase, IsTheSameBackwardAndByBlocksAndByRows) {
  const std::vector<double> in = noise(3000, 1.0);
  const ZeroPhase filter({20.0, 4}, 1e-3);
  std::vector<double> whole = in, back(in.rbegin(), in.rend());
  filter.apply(whole);
  filter.apply(back);
  std::reverse(back.begin(), back.end());
  EXPECT_LT(largest_difference(whole, back), 1e-8);
  // A block with its surroundings gives the block.
  const std::size_t from = 1200, to = 1300, reach = filter.reach();
  std::vector<double> block(in.begin() + static_cast<long>(from - reach), in.begin() + static_cast<long>(to + reach));
  filter.apply(block);
  for (std::size_t i = from; i < to; ++i) EXPECT_NEAR(block[i - from + reach], whole[i], 1e-8);
  // Three columns at once, and one by its stride.
  std::vector<double> table(3 * in.size()), strided;
  for (std::size_t i = 0; i < in.size(); ++i)
    for (std::size_t c = 0; c < 3; ++c) table[3 * i + c] = static_cast<double>(c + 1) * in[i];
  strided = table;
  filter.apply_rows(table, 3);
  filter.apply(std::span(strided).subspan(1), 3);
  for (std::size_t i = 0; i < in.size(); ++i) {
    EXPECT_NEAR(table[3 * i + 2], 3.0 * whole[i], 1e-12);
    EXPECT_NEAR(strided[3 * i + 1], 2.0 * whole[i], 1e-12);
    EXPECT_EQ(strided[3 * i], in[i]);
  }
}

TEST(ZeroPhase, AnImpulseEndsAtItsReach) {
  for (const double cutoff : {1.0, 30.0, 400.0}) {
    const ZeroPhase filter({cutoff, 4}, 1e-3);
    const std::size_t reach = filter.reach();
    std::vector<double> x(4 * reach + 1, 0.0);
    x[2 * reach] = 1.0;
    filter.apply(x);
    double beyond = 0.0;
    for (std::size_t i = 3 * reach + 1; i < x.size(); ++i) beyond = std::max(beyond, std::abs(x[i]));
    EXPECT_LT(beyond, 2e-10 * x[2 * reach]) << cutoff;
    EXPECT_GT(std::abs(x[2 * reach + reach / 2]), 1e-10 * x[2 * reach]) << cutoff;
  }
}

TEST(ZeroPhase, RefusesWhatIsNoLowPass) {
  EXPECT_THROW(ZeroPhase({500.0, 4}, 1e-3), std::invalid_argument);
  EXPECT_THROW(ZeroPhase({0.0, 4}, 1e-3), std::invalid_argument);
  EXPECT_THROW(ZeroPhase({10.0, 0}, 1e-3), std::invalid_argument);
  EXPECT_THROW(ZeroPhase({10.0, 4}, 0.0), std::invalid_argument);
  EXPECT_THROW(ZeroPhase({std::nan(""), 4}, 1e-3), std::invalid_argument);
}

TEST(SavitzkyGolay, IsExactOnPolynomialsEdgesIncluded) {
  const double period = 0.02;
  for (const auto& [window, degree] : {std::pair{5UL, 2}, {7UL, 6}, {21UL, 4}, {51UL, 3}}) {
    const auto value = [degree = degree](double t, int order) {  // Σ (k+1) tᵏ, its derivatives
      double sum = 0.0;
      for (int k = order; k <= degree; ++k) {
        double factor = k + 1.0;
        for (int m = 0; m < order; ++m) factor *= k - m;
        sum += factor * std::pow(t, k - order);
      }
      return sum;
    };
    const std::vector<double> x = sampled(120, period, [&](double t) { return value(t, 0); });
    const SavitzkyGolay filter(window, degree, period);
    for (int order = 0; order <= std::min(degree, 3); ++order) {
      const std::vector<double> out = filter.derivative(x, order);
      for (std::size_t i = 0; i < x.size(); ++i) {
        const double expected = value(static_cast<double>(i) * period, order);
        ASSERT_NEAR(out[i], expected, 1e-12 * std::pow(1.0 / period, order) * 2000.0) << window << " " << order;
      }
    }
  }
}

TEST(SavitzkyGolay, SevenAndSixAreDifferencesOfSixthOrder) {
  std::vector<double> impulse(21, 0.0);
  impulse[10] = 1.0;
  const std::vector<double> first = SavitzkyGolay(7, 6, 1.0).derivative(impulse, 1);
  const double expected[] = {1.0 / 60, -9.0 / 60, 45.0 / 60, 0.0, -45.0 / 60, 9.0 / 60, -1.0 / 60};
  for (std::size_t k = 0; k < 7; ++k) EXPECT_NEAR(first[7 + k], expected[k], 1e-13);
  EXPECT_THROW(SavitzkyGolay(6, 3, 1.0), std::invalid_argument);
  EXPECT_THROW(SavitzkyGolay(5, 5, 1.0), std::invalid_argument);
  EXPECT_THROW(SavitzkyGolay(7, 6, 1.0).derivative(std::vector<double>(6), 1), std::invalid_argument);
}

TEST(Spectrum, SumsToTheVarianceAndFindsLines) {
  const double period = 1e-3, rate = 1.0 / period;
  const Spectrum white = spectrum(noise(60000, 0.5), period, 1024);
  double sum = 0.0;
  for (const double density : white.density) sum += density * white.step;
  EXPECT_NEAR(sum, 0.25, 0.01);
  EXPECT_NEAR(white.density[100], 0.25 / (0.5 * rate), 0.3 * 0.25 / (0.5 * rate));
  const Spectrum line =
      spectrum(sampled(60000, period, [](double t) { return 3.0 * std::sin(2.0 * pi * 50.0 * t); }), period, 1024);
  double near = 0.0, all = 0.0;
  for (std::size_t k = 0; k < line.density.size(); ++k) {
    const double f = line.step * static_cast<double>(k);
    all += line.density[k] * line.step;
    if (std::abs(f - 50.0) < 4.0) near += line.density[k] * line.step;
  }
  EXPECT_NEAR(near, 4.5, 0.05);
  EXPECT_NEAR(all, 4.5, 0.05);
}

TEST(Cutoff, LiesBetweenMotionAndNoise) {
  const double period = 1e-3;
  const auto motion = [](double t) {
    double sum = 0.0;
    for (int k = 1; k <= 10; ++k) sum += std::sin(2.0 * pi * 0.2 * k * t + k) / k;
    return sum;
  };
  const auto acceleration = [](double t) {
    double sum = 0.0;
    for (int k = 1; k <= 10; ++k) sum -= std::pow(0.4 * pi * k, 2) * std::sin(2.0 * pi * 0.2 * k * t + k) / k;
    return sum;
  };
  const std::vector<double> exact = sampled(30000, period, motion), truth = sampled(30000, period, acceleration);
  for (const double size : {1e-7, 1e-5, 1e-4}) {
    std::vector<double> q = exact;
    const std::vector<double> error = noise(q.size(), size);
    for (std::size_t i = 0; i < q.size(); ++i) q[i] += error[i];
    const CutoffChoice choice = choose_cutoff(std::vector<Spectrum>{spectrum(q, period)});
    EXPECT_GT(choice.cutoff, 2.0) << size;
    EXPECT_LT(choice.cutoff, 12.0) << size;
    EXPECT_NEAR(choice.noise[0], size, 0.1 * size);
    // Filtered with it, accelerations are right; without, they are not.
    std::vector<double> filtered = q;
    ZeroPhase({2.0 * choice.cutoff, 4}, period).apply(filtered);
    const SavitzkyGolay differences(7, 6, period);
    const std::vector<double> good = differences.derivative(filtered, 2), raw = differences.derivative(q, 2);
    double of_good = 0.0, of_raw = 0.0, of_truth = 0.0;
    for (std::size_t i = 2000; i + 2000 < q.size(); ++i) {
      of_good += std::pow(good[i] - truth[i], 2);
      of_raw += std::pow(raw[i] - truth[i], 2);
      of_truth += truth[i] * truth[i];
    }
    EXPECT_LT(std::sqrt(of_good / of_truth), size < 1e-4 ? 0.01 : 0.03) << size;
    EXPECT_GT(std::sqrt(of_raw / of_truth), size < 1e-6 ? 0.01 : 1.0) << size;
  }
  // What is small in the positions may be half of the accelerations.
  const std::vector<double> fast = sampled(
      30000, period, [](double t) { return std::sin(2.0 * pi * 0.3 * t) + 1e-3 * std::sin(2.0 * pi * 8.0 * t); });
  EXPECT_GT(choose_cutoff(std::vector<Spectrum>{spectrum(fast, period)}).cutoff, 8.0);
  EXPECT_EQ(choose_cutoff(std::vector<Spectrum>{spectrum(noise(30000, 1e-4), period)}).cutoff, 0.0);
  EXPECT_EQ(choose_cutoff(std::vector<Spectrum>{spectrum(std::vector<double>(30000, 1.0), period)}).cutoff, 0.0);
}

TEST(Resampling, IsExactOnParabolasAndAtSamples) {
  std::vector<double> times{0.0, 0.9, 2.1, 3.0, 4.2, 4.9, 6.0}, x, at, expected;
  for (const double t : times) x.push_back(1.0 + 2.0 * t - 0.5 * t * t);
  for (double t = 0.9; t < 4.9; t += 0.13) at.push_back(t), expected.push_back(1.0 + 2.0 * t - 0.5 * t * t);
  EXPECT_LT(largest_difference(resampled(times, x, at), expected), 1e-12);
  EXPECT_EQ(resampled(times, x, times), x);
  EXPECT_EQ(resampled(times, x, std::vector<double>{-1.0, 7.0}), (std::vector<double>{x.front(), x.back()}));
}

}  // namespace
}  // namespace catena::signals_test

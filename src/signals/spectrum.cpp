#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "catena/signals.hpp"

namespace catena {
namespace {

using Complex = std::complex<double>;

// Fast Fourier transform in place; the length is a power of two.
void transform(std::vector<Complex>& x) {
  const std::size_t n = x.size();
  for (std::size_t i = 1, j = 0; i < n; ++i) {
    std::size_t bit = n / 2;
    for (; j & bit; bit /= 2) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(x[i], x[j]);
  }
  for (std::size_t length = 2; length <= n; length *= 2)
    for (std::size_t k = 0; k < length / 2; ++k) {
      const Complex turn =
          std::polar(1.0, -2.0 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(length));
      for (std::size_t i = k; i < n; i += length) {
        const Complex odd = turn * x[i + length / 2];
        x[i + length / 2] = x[i] - odd;
        x[i] += odd;
      }
    }
}

// Takes out the straight line that fits best.
void straighten(std::vector<double>& x) {
  const double n = static_cast<double>(x.size()), middle = 0.5 * (n - 1.0);
  double mean = 0.0, moment = 0.0, square = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double place = static_cast<double>(i) - middle;
    mean += x[i] / n, moment += place * x[i], square += place * place;
  }
  for (std::size_t i = 0; i < x.size(); ++i) x[i] -= mean + moment / square * (static_cast<double>(i) - middle);
}

}  // namespace

Spectrum spectrum(std::span<const double> column, double period, std::size_t longest_segment) {
  std::size_t length = 8;
  while (2 * length <= std::min(longest_segment, column.size() / 2)) length *= 2;
  if (column.size() < length) return {};
  Spectrum out{1.0 / (static_cast<double>(length) * period), std::vector<double>(length / 2 + 1, 0.0)};
  double power = 0.0;  // of the window
  std::vector<double> window(length), part(length);
  for (std::size_t i = 0; i < length; ++i) {
    window[i] = std::pow(std::sin(std::numbers::pi * static_cast<double>(i) / static_cast<double>(length)), 4);
    power += window[i] * window[i];
  }
  double segments = 0.0;
  std::vector<Complex> x(length);
  for (std::size_t first = 0; first + length <= column.size(); first += length / 2, segments += 1.0) {
    std::copy_n(column.begin() + static_cast<std::ptrdiff_t>(first), length, part.begin());
    straighten(part);
    for (std::size_t i = 0; i < length; ++i) x[i] = window[i] * part[i];
    transform(x);
    for (std::size_t k = 0; k <= length / 2; ++k)
      out.density[k] += std::norm(x[k]) * period / power * (k == 0 || k == length / 2 ? 1.0 : 2.0);
  }
  for (double& density : out.density) density /= segments;
  return out;
}

namespace {

constexpr double valley_below = 20.0;  // the valley is this much lower than the hill before it, or there is no motion
constexpr double valley_width = 2.0;   // times its lowest density: where it begins
constexpr double enough = 1e-4;        // of the hill: what is lower need not be kept, even where there is no noise

// f⁴ times a density, averaged over an octave around each frequency.
std::vector<double> accelerations(const Spectrum& own) {
  std::vector<double> sums{0.0}, out;
  for (std::size_t k = 0; k < own.density.size(); ++k) {
    const double f = own.step * static_cast<double>(k);
    sums.push_back(sums.back() + f * f * f * f * own.density[k]);
  }
  for (std::size_t k = 0; k < own.density.size(); ++k) {
    const double middle = static_cast<double>(k);
    const auto from = static_cast<std::size_t>(middle / std::numbers::sqrt2),
               to = std::min(own.density.size(), static_cast<std::size_t>(middle * std::numbers::sqrt2) + 2);
    out.push_back((sums[to] - sums[from]) / static_cast<double>(to - from));
  }
  return out;
}

// Where the motion of a column ends; 0 if none stands out. The valley is where the density is lowest as a share of the
// highest before it; above the valley's level there is motion below it, in one hill or several.
std::size_t end_of_motion(const std::vector<double>& hills) {
  std::size_t highest = 1, top = 1, valley = 1;
  for (std::size_t k = 2; k < hills.size(); ++k) {
    if (hills[k] > hills[highest]) highest = k;
    if (hills[k] * hills[top] < hills[valley] * hills[highest]) valley = k, top = highest;
  }
  if (hills.size() < 4 || !(hills[valley] * valley_below < hills[top])) return 0;
  const double level = std::max(valley_width * hills[valley], enough * hills[top]);
  std::size_t end = valley;
  while (end > top && hills[end - 1] <= level) --end;
  return std::max<std::size_t>(end, 3);
}

double median_of_upper_half(const std::vector<double>& density) {
  std::vector<double> upper(density.begin() + static_cast<std::ptrdiff_t>(density.size() / 2), density.end());
  const auto middle = upper.begin() + static_cast<std::ptrdiff_t>(upper.size() / 2);
  std::nth_element(upper.begin(), middle, upper.end());
  return upper.empty() ? 0.0 : *middle;
}

}  // namespace

CutoffChoice choose_cutoff(std::span<const Spectrum> positions) {
  CutoffChoice out;
  for (const Spectrum& own : positions) {
    const double highest = own.step * static_cast<double>(own.density.size());
    out.noise.push_back(std::sqrt(median_of_upper_half(own.density) * highest));
    const std::size_t end = std::min(end_of_motion(accelerations(own)), own.density.size() * 2 / 5);
    out.motion_up_to.push_back(own.step * static_cast<double>(end));
    out.cutoff = std::max(out.cutoff, out.motion_up_to.back());
  }
  for (const Spectrum& own : positions) {
    double noise = 0.0, motion = 0.0;
    const std::size_t end =
        std::min(own.density.size(), static_cast<std::size_t>(out.cutoff / std::max(own.step, 1e-300)) + 1);
    const double floor = median_of_upper_half(own.density);
    for (std::size_t k = 0; k < end; ++k) {
      const double f = own.step * static_cast<double>(k), weight = f * f * f * f;
      noise += weight * floor, motion += weight * std::max(own.density[k] - floor, 0.0);
    }
    out.error.push_back(motion > 0.0 ? std::sqrt(noise / motion) : 0.0);
  }
  return out;
}

}  // namespace catena

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
    window[i] = 0.5 - 0.5 * std::cos(2.0 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(length));
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

constexpr double above_noise = 3.0;  // times the noise's density: motion

// What of a spectrum is motion and what is noise.
struct Split {
  double noise = 0.0;          // density
  std::vector<double> motion;  // density at each frequency up to where it sinks into the noise; there it ends
};

Split split(const Spectrum& own) {
  const std::size_t n = own.density.size();
  Split out;
  if (n < 4) return out;
  std::vector<double> upper(own.density.begin() + static_cast<std::ptrdiff_t>(n / 2), own.density.end());
  std::nth_element(upper.begin(), upper.begin() + static_cast<std::ptrdiff_t>(upper.size() / 2), upper.end());
  // Averages over a few segments have medians a little below their means.
  out.noise = upper[upper.size() / 2] / 0.95;
  std::size_t end = 1;  // the last frequency whose neighbourhood stands out, without a gap of half an octave before it
  for (std::size_t k = 1; k < n && k < end + end / 2 + 4; ++k) {
    const std::size_t from = k - k / 10, to = std::min(n - 1, k + k / 10);
    double mean = 0.0;
    for (std::size_t i = from; i <= to; ++i) mean += own.density[i] / static_cast<double>(to - from + 1);
    if (mean > above_noise * out.noise) end = k + 1;
  }
  if (end == 1) return out;
  for (std::size_t k = 0; k < end; ++k) out.motion.push_back(std::max(own.density[k] - out.noise, 0.0));
  return out;
}

}  // namespace

CutoffChoice choose_cutoff(std::span<const Spectrum> positions, int order) {
  CutoffChoice best;
  std::vector<Split> parts;
  double highest = 0.0, lowest = 0.0;
  for (const Spectrum& own : positions) {
    parts.push_back(split(own));
    const double last = own.step * static_cast<double>(own.density.size());
    best.noise.push_back(std::sqrt(parts.back().noise * last));
    highest = std::max(highest, 0.4 * last), lowest = std::max(lowest, 2.0 * own.step);
  }
  best.error.assign(positions.size(), 0.0);
  double least = 0.0;
  for (double cutoff = lowest; cutoff <= highest && cutoff > 0.0; cutoff *= 1.05) {
    double sum = 0.0;
    std::vector<double> errors(positions.size(), 0.0);
    for (std::size_t j = 0; j < positions.size(); ++j) {
      if (parts[j].motion.empty()) continue;
      double error = 0.0, all = 0.0;
      for (std::size_t k = 0; k < positions[j].density.size(); ++k) {
        const double f = positions[j].step * static_cast<double>(k), weight = f * f * f * f;
        const double gain = 1.0 / (1.0 + std::pow(f / cutoff, 2 * order));
        const double motion = k < parts[j].motion.size() ? parts[j].motion[k] : 0.0;
        error += weight * ((1.0 - gain) * (1.0 - gain) * motion + gain * gain * parts[j].noise);
        all += weight * motion;
      }
      if (!(all > 0.0)) continue;
      errors[j] = std::sqrt(error / all);
      sum += error / all;
    }
    if (sum == 0.0) break;
    if (best.cutoff == 0.0 || sum < least) best.cutoff = cutoff, best.error = errors, least = sum;
  }
  return best;
}

}  // namespace catena

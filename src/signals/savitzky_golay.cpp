#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "catena/signals.hpp"

namespace catena {

SavitzkyGolay::SavitzkyGolay(std::size_t window, int degree, double period)
    : window_(window), degree_(degree), period_(period) {
  if (window % 2 == 0) throw std::invalid_argument("Savitzky-Golay: the window must be odd");
  if (degree < 0 || static_cast<std::size_t>(degree) >= window)
    throw std::invalid_argument("Savitzky-Golay: the window must be longer than the degree");
  if (!(period > 0.0) || !std::isfinite(period))
    throw std::invalid_argument("Savitzky-Golay: the time between samples must be positive");
}

// Σ_k P_k(i) P_k⁽ˢ⁾(at) / ‖P_k‖² over the polynomials that are orthogonal on the window, with x = -1 … 1 over it:
// P_{k+1} = x P_k - β_k P_{k-1}, and P_{k+1}⁽ˢ⁾ = x P_k⁽ˢ⁾ + s P_k⁽ˢ⁻¹⁾ - β_k P_{k-1}⁽ˢ⁾.
std::vector<double> SavitzkyGolay::weights(double at, int order) const {
  const double half = std::max(0.5 * (static_cast<double>(window_) - 1.0), 0.5);
  const auto place = [&](double i) { return (i - half) / half; };
  const std::size_t orders = static_cast<std::size_t>(order) + 1;
  std::vector<double> before(window_, 0.0), own(window_, 1.0), weights(window_, 0.0);
  std::vector<double> before_at(orders, 0.0), own_at(orders, 0.0);
  own_at[0] = 1.0;
  double norm_before = 1.0;
  for (int k = 0; k <= degree_; ++k) {
    double norm = 0.0;
    for (const double value : own) norm += value * value;
    for (std::size_t i = 0; i < window_; ++i) weights[i] += own[i] * own_at.back() / norm;
    const double beta = k == 0 ? 0.0 : norm / norm_before;
    for (std::size_t i = 0; i < window_; ++i) {
      const double next = place(static_cast<double>(i)) * own[i] - beta * before[i];
      before[i] = own[i], own[i] = next;
    }
    for (std::size_t s = orders; s-- > 0;) {
      const double lower = s > 0 ? static_cast<double>(s) * own_at[s - 1] : 0.0;
      const double next = place(at) * own_at[s] + lower - beta * before_at[s];
      before_at[s] = own_at[s], own_at[s] = next;
    }
    norm_before = norm;
  }
  for (double& weight : weights) weight /= std::pow(half * period_, order);
  return weights;
}

std::vector<double> SavitzkyGolay::derivative(std::span<const double> column, int order) const {
  if (column.size() < window_) throw std::invalid_argument("Savitzky-Golay: the stretch is shorter than the window");
  const std::size_t half = window_ / 2, n = column.size();
  std::vector<double> out(n);
  const auto put = [&](const std::vector<double>& weights, std::size_t first, std::size_t to) {
    double sum = 0.0;
    for (std::size_t i = 0; i < window_; ++i) sum += weights[i] * column[first + i];
    out[to] = sum;
  };
  const std::vector<double> middle = weights(static_cast<double>(half), order);
  for (std::size_t first = 0; first + window_ <= n; ++first) put(middle, first, first + half);
  for (std::size_t k = 0; k < half; ++k) {
    put(weights(static_cast<double>(k), order), 0, k);
    put(weights(static_cast<double>(window_ - 1 - k), order), n - window_, n - 1 - k);
  }
  return out;
}

}  // namespace catena

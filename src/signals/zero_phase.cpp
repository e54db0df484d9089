#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>

#include "catena/signals.hpp"

namespace catena {

// The analog prototype's poles, exp(iπ(2k + 1 + order)/(2 order)), by the bilinear transform with the cutoff kept.
ZeroPhase::ZeroPhase(const LowPass& filter, double period) {
  const auto refuse = [](const std::string& words) { throw std::invalid_argument("low-pass filter: " + words); };
  if (!(period > 0.0) || !std::isfinite(period)) refuse("the time between samples must be positive");
  if (filter.order < 1 || filter.order > 12) refuse("the order must be 1 to 12, not " + std::to_string(filter.order));
  if (!(filter.cutoff > 0.0) || !(filter.cutoff * period < 0.5))
    refuse("the cutoff must be above 0 and below half the rate (" + std::to_string(0.5 / period) + " Hz), not " +
           std::to_string(filter.cutoff) + " Hz");
  const double w = std::tan(std::numbers::pi * filter.cutoff * period);
  for (int k = 0; k < filter.order / 2; ++k) {
    const double damping = 2.0 * w * std::sin(std::numbers::pi * (2.0 * k + 1.0) / (2.0 * filter.order));
    const double scale = 1.0 / (1.0 + damping + w * w);
    sections_.push_back({w * w * scale, 2.0 * (w * w - 1.0) * scale, (1.0 - damping + w * w) * scale, false});
  }
  if (filter.order % 2 == 1) sections_.push_back({w / (1.0 + w), (w - 1.0) / (1.0 + w), 0.0, true});
  // An impulse, once forward; what the way back leaves of it beyond an offset is its correlation with itself.
  double slowest = 0.0;
  for (const Section& own : sections_)
    slowest = std::max(slowest, own.single ? std::abs(own.a1) : std::sqrt(std::abs(own.a2)));
  reach_ = static_cast<std::size_t>(std::ceil(std::log(1e-12) / std::log(std::max(slowest, 1e-3)))) + 4;
  std::vector<double> impulse(2 * reach_ + 1, 0.0);
  impulse[reach_] = 1.0;
  apply(impulse);
  while (reach_ > 1 && std::abs(impulse[impulse.size() / 2 + reach_]) < 1e-10 * std::abs(impulse[impulse.size() / 2]))
    --reach_;
}

// One direction over rows of columns: the states of all sections of each column.
class ZeroPhase::Pass {
 public:
  Pass(const std::vector<Section>& sections, std::size_t columns)
      : sections_(sections), columns_(columns), first_(sections.size() * columns), second_(first_) {}

  // As if the row had been the same for ever.
  void settle(const double* row) {
    for (std::size_t s = 0; s < sections_.size(); ++s)
      for (std::size_t c = 0; c < columns_; ++c) {
        const Section& own = sections_[s];
        first_[s * columns_ + c] = (1.0 - own.gain) * row[c];
        second_[s * columns_ + c] = own.single ? 0.0 : (own.gain - own.a2) * row[c];
      }
  }
  void step(double* row) {
    for (std::size_t s = 0; s < sections_.size(); ++s) {
      const Section own = sections_[s];
      const double middle = own.single ? own.gain : 2.0 * own.gain, last = own.single ? 0.0 : own.gain;
      double* __restrict first = first_.data() + s * columns_;
      double* __restrict second = second_.data() + s * columns_;
      double* __restrict x = row;
      for (std::size_t c = 0; c < columns_; ++c) {
        const double in = x[c], out = own.gain * in + first[c];
        first[c] = middle * in - own.a1 * out + second[c];
        second[c] = last * in - own.a2 * out;
        x[c] = out;
      }
    }
  }

 private:
  const std::vector<Section>& sections_;
  std::size_t columns_;
  std::vector<double> first_, second_;
};

namespace {

// Row i of a table that is continued beyond both ends by point reflection there, again and again.
class Continued {
 public:
  Continued(std::span<const double> table, std::size_t columns)
      : table_(table), columns_(columns), last_(static_cast<std::ptrdiff_t>(table.size() / columns) - 1) {}

  void row(std::ptrdiff_t i, double* out) const {
    const std::ptrdiff_t whole = std::max<std::ptrdiff_t>(2 * last_, 1);
    const std::ptrdiff_t turns = i >= 0 ? i / whole : -((-i + whole - 1) / whole), rest = i - turns * whole;
    for (std::size_t c = 0; c < columns_; ++c) {
      const double own = rest <= last_ ? at(rest, c) : 2.0 * at(last_, c) - at(2 * last_ - rest, c);
      out[c] = own + 2.0 * static_cast<double>(turns) * (at(last_, c) - at(0, c));
    }
  }

 private:
  double at(std::ptrdiff_t row, std::size_t c) const { return table_[static_cast<std::size_t>(row) * columns_ + c]; }

  std::span<const double> table_;
  std::size_t columns_;
  std::ptrdiff_t last_;
};

}  // namespace

void ZeroPhase::apply_rows(std::span<double> table, std::size_t columns) const {
  if (table.empty() || columns == 0) return;
  const std::size_t rows = table.size() / columns;
  const auto beyond = static_cast<std::ptrdiff_t>(reach_), end = static_cast<std::ptrdiff_t>(rows);
  const Continued continued(table, columns);
  std::vector<double> after(reach_ * columns), row(columns);
  for (std::ptrdiff_t k = 0; k < beyond; ++k)
    continued.row(end + k, after.data() + static_cast<std::size_t>(k) * columns);
  Pass forward(sections_, columns);
  for (std::ptrdiff_t k = -beyond; k < 0; ++k) {
    continued.row(k, row.data());
    if (k == -beyond) forward.settle(row.data());
    forward.step(row.data());
  }
  for (std::size_t i = 0; i < rows; ++i) forward.step(table.data() + i * columns);
  for (std::size_t i = 0; i < reach_; ++i) forward.step(after.data() + i * columns);
  Pass backward(sections_, columns);
  backward.settle(after.data() + (reach_ - 1) * columns);
  for (std::size_t i = reach_; i-- > 0;) backward.step(after.data() + i * columns);
  for (std::size_t i = rows; i-- > 0;) backward.step(table.data() + i * columns);
}

void ZeroPhase::apply(std::span<double> column, std::size_t stride) const {
  if (stride == 1) return apply_rows(column, 1);
  std::vector<double> own;
  for (std::size_t i = 0; i < column.size(); i += stride) own.push_back(column[i]);
  apply_rows(own, 1);
  for (std::size_t i = 0, k = 0; i < column.size(); i += stride) column[i] = own[k++];
}

}  // namespace catena

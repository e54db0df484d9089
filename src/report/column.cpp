#include "report/column.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace catena::report {
namespace {

constexpr std::size_t kept_exactly = 10001;  // values of a column; longer ones are rounded
constexpr double finest = 1e-9;              // relative to the range
constexpr double largest = 0x1p52;   // integers that JavaScript represents exactly, with a margin for differences
constexpr int most_differences = 4;  // differences of higher order contain only rounding

using Integers = std::vector<std::int64_t>;

double scaled(double value, int digits) {
  const double power = std::pow(10.0, std::abs(digits));
  return digits >= 0 ? value * power : value / power;
}

// The number of decimal places: scaling by a power of ten keeps times such as 0.001 exact.
int digits_for(double lowest, double highest) {
  int digits = static_cast<int>(std::ceil(-std::log10(finest * (highest - lowest))));
  digits = std::clamp(digits, -290, 290);
  const double size = std::max(std::abs(lowest), std::abs(highest));
  while (scaled(size, digits) > largest) --digits;
  return digits;
}

// A missing number is replaced by the one before it, so that differences stay small.
Integers integers_of(std::span<const double> values, int digits) {
  Integers k(values.size());
  const auto first = std::find_if(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
  std::int64_t latest = std::llround(scaled(*first, digits));
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isfinite(values[i])) latest = std::llround(scaled(values[i], digits));
    k[i] = latest;
  }
  return k;
}

// Replaces the entries of k after `order` by differences; the entry at `order` is kept.
void difference(Integers& k, std::size_t order) {
  for (std::size_t i = k.size(); i-- > order + 1;) k[i] -= k[i - 1];
}

std::uint64_t zigzag(std::int64_t v) {
  return (static_cast<std::uint64_t>(v) << 1U) ^ static_cast<std::uint64_t>(v >> 63);
}

// The size in bits of the entries from `from` on, and the largest of them.
struct Cost {
  double bits = 0.0;
  std::uint64_t largest = 0;
};
Cost cost_of(const Integers& k, std::size_t from) {
  Cost cost;
  for (std::size_t i = from; i < k.size(); ++i) {
    const std::uint64_t z = zigzag(k[i]);
    cost.bits += static_cast<double>(std::bit_width(z));
    cost.largest = std::max(cost.largest, z);
  }
  return cost;
}

std::string planes_of(const Integers& k, std::size_t from, std::size_t planes) {
  std::string bytes;
  bytes.reserve((k.size() - from) * planes);
  for (std::size_t plane = 0; plane < planes; ++plane)
    for (std::size_t i = from; i < k.size(); ++i)
      bytes.push_back(static_cast<char>((zigzag(k[i]) >> (8 * plane)) & 0xFFU));
  return bytes;
}

// Whether the page gets the very numbers back from these integers.
bool restores(const Integers& k, std::span<const double> values, int digits) {
  for (std::size_t i = 0; i < k.size(); ++i) {
    const double whole = static_cast<double>(k[i]);
    if (std::isfinite(values[i]) && scaled(whole, -digits) != values[i]) return false;
  }
  return true;
}

// All bits of all values: their first bytes, then their second ones, and so on.
std::string bits_of(std::span<const double> values) {
  std::string bytes;
  bytes.reserve(values.size() * sizeof(double));
  for (std::size_t plane = 0; plane < sizeof(double); ++plane)
    for (const double v : values)
      bytes.push_back(static_cast<char>((std::bit_cast<std::uint64_t>(v) >> (8 * plane)) & 0xFFU));
  return bytes;
}

Json gaps_of(std::span<const double> values) {
  const auto kind = [](double v) { return std::isnan(v) ? "nan" : v > 0.0 ? "inf" : "-inf"; };
  Json gaps = Json::array();
  for (std::size_t i = 0; i < values.size();) {
    std::size_t end = i + 1;
    if (!std::isfinite(values[i])) {
      while (end < values.size() && !std::isfinite(values[end]) &&
             kind(values[end]) == std::string_view(kind(values[i])))
        ++end;
      gaps.push_back({i, end - i, kind(values[i])});
    }
    i = end;
  }
  return gaps;
}

}  // namespace

Json packed(std::span<const double> values) {
  if (values.empty()) return {{"constant", nullptr}};
  double lowest = HUGE_VAL, highest = -HUGE_VAL;
  for (const double v : values)
    if (std::isfinite(v)) lowest = std::min(lowest, v), highest = std::max(highest, v);
  const bool whole = std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
  const bool none = lowest > highest;
  if (whole && lowest == highest) return {{"constant", lowest}};
  if (none && std::all_of(values.begin(), values.end(), [](double v) { return std::isnan(v); }))
    return {{"constant", nullptr}};
  int digits = 0;
  Integers k(values.size());
  if (!none) {
    digits = lowest == highest ? 15 : digits_for(lowest, highest);
    while (scaled(std::max(std::abs(lowest), std::abs(highest)), digits) > largest) --digits;
    k = integers_of(values, digits);
    if (values.size() <= kept_exactly && !restores(k, values, digits))
      return {{"exact", base64(deflated(bits_of(values)))}};
  }
  Integers best = k;
  std::size_t order = 0;
  Cost least = cost_of(k, 0);
  for (std::size_t next = 1; next <= std::min<std::size_t>(most_differences, k.size()); ++next) {
    difference(k, next - 1);
    const Cost cost = cost_of(k, next);
    if (cost.bits >= least.bits) continue;
    least = cost, best = k, order = next;
  }
  const std::size_t planes = (static_cast<std::size_t>(std::bit_width(least.largest)) + 7) / 8;
  Json out = {{"digits", digits},
              {"order", order},
              {"start", Integers(best.begin(), best.begin() + static_cast<std::ptrdiff_t>(order))},
              {"planes", planes},
              {"bytes", planes == 0 ? "" : base64(deflated(planes_of(best, order, planes)))}};
  if (!whole) out["gaps"] = gaps_of(values);
  return out;
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t word = 0;
    for (std::size_t k = 0; k < 3; ++k)
      word = (word << 8U) | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k)
      out.push_back(i + k > bytes.size() ? '=' : digits[(word >> (18 - 6 * k)) & 63U]);
  }
  return out;
}

std::string deflated(std::string_view bytes) {
  uLongf size = compressBound(static_cast<uLong>(bytes.size()));
  std::string out(size, '\0');
  const int status =
      compress2(reinterpret_cast<Bytef*>(out.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()),
                static_cast<uLong>(bytes.size()), Z_BEST_COMPRESSION);
  if (status != Z_OK) throw std::runtime_error("zlib cannot compress a column");
  out.resize(size);
  return out;
}

}  // namespace catena::report

#include "output/count_polynomial.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace catena::cli {
namespace {

constexpr int largest_degree = 4;

// Σ Δᵏ C(n - start, k), multiplied out: Newton's form on whole numbers. differences[k] = Δᵏ at start.
CountPolynomial from_differences(const std::vector<long>& differences, long start) {
  CountPolynomial sum;
  std::vector<long> product{CountPolynomial::whole};  // times (n - start)(n - start - 1)…, lowest power first
  long factorial = 1;
  for (std::size_t k = 0; k < differences.size(); ++k) {
    if (k > 0) {
      const long root = start + static_cast<long>(k) - 1;
      std::vector<long> next(product.size() + 1, 0);
      for (std::size_t power = 0; power < product.size(); ++power) {
        next[power + 1] += product[power];
        next[power] -= root * product[power];
      }
      product = next;
      factorial *= static_cast<long>(k);
    }
    for (std::size_t power = 0; power < product.size(); ++power)
      sum.parts[largest_degree - power] += differences[k] * product[power] / factorial;  // 24 / k! is whole
  }
  return sum;
}

}  // namespace

long CountPolynomial::at(long n) const {
  long value = 0;
  for (const long c : parts) value = value * n + c;
  if (value % whole != 0) throw std::logic_error("a count that is no whole number: " + text());
  return value / whole;
}

std::string CountPolynomial::text() const {
  static constexpr const char* powers[] = {"n⁴", "n³", "n²", "n", ""};
  std::string out;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    if (parts[k] == 0) continue;
    const long divisor = std::gcd(parts[k], whole), size = std::labs(parts[k]) / divisor;
    const std::string number = size == 1 && k + 1 < parts.size() ? "" : std::to_string(size);
    const std::string below = divisor == whole ? "" : fmt::format("/{}", whole / divisor);
    out += out.empty() ? (parts[k] < 0 ? "-" : "") : (parts[k] < 0 ? " - " : " + ");
    out += number + powers[k] + below;
  }
  return out.empty() ? "0" : out;
}

CountPolynomial operator+(const CountPolynomial& a, const CountPolynomial& b) {
  CountPolynomial sum = a;
  for (std::size_t k = 0; k < sum.parts.size(); ++k) sum.parts[k] += b.parts[k];
  return sum;
}

std::optional<FittedCount> fit_count(const std::function<long(int n)>& count) {
  std::vector<long> values;
  for (int n = fitted_from; n <= fitted_to; ++n) values.push_back(count(n));
  for (int start = fitted_from; start <= fitted_from + 2; ++start) {
    const std::vector<long> counted(values.begin() + (start - fitted_from), values.end());
    std::vector<long> row = counted, differences;
    for (int degree = 0; degree <= largest_degree; ++degree) {
      differences.push_back(row.front());
      for (std::size_t k = 0; k + 1 < row.size(); ++k) row[k] = row[k + 1] - row[k];
      row.pop_back();
    }
    while (differences.size() > 1 && differences.back() == 0) differences.pop_back();
    const CountPolynomial fitted = from_differences(differences, start);
    bool exact = true;
    for (std::size_t k = 0; k < counted.size(); ++k) exact &= fitted.at(start + static_cast<long>(k)) == counted[k];
    if (exact) return FittedCount{fitted, start};
  }
  return std::nullopt;
}

}  // namespace catena::cli

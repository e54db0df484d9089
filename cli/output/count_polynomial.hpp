// Operation counts as polynomials in the number of joints, exact.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>

namespace catena::cli {

// (a n⁴ + b n³ + c n² + d n + e) / 24, the parts in that order: every polynomial of that degree that is a whole number
// at every n has this form.
struct CountPolynomial {
  static constexpr long whole = 24;
  std::array<long, 5> parts{};

  constexpr CountPolynomial() = default;
  constexpr CountPolynomial(long linear, long constant) : parts{0, 0, 0, whole * linear, whole * constant} {}
  constexpr CountPolynomial(long square, long linear, long constant)
      : parts{0, 0, whole * square, whole * linear, whole * constant} {}
  static constexpr CountPolynomial in_halves(long square, long linear, long constant) {
    return in_sixths(0, 3 * square, 3 * linear, 3 * constant);
  }
  static constexpr CountPolynomial in_sixths(long cube, long square, long linear, long constant) {
    CountPolynomial p;
    p.parts = {0, 4 * cube, 4 * square, 4 * linear, 4 * constant};
    return p;
  }

  // Throws std::logic_error when the value is no whole number.
  long at(long n) const;
  std::string text() const;  // n³/6 + 23n²/2 - 47

  friend bool operator==(const CountPolynomial&, const CountPolynomial&) = default;
};

CountPolynomial operator+(const CountPolynomial& a, const CountPolynomial& b);

constexpr int fitted_from = 2, fitted_to = 12;  // joints

struct FittedCount {
  CountPolynomial polynomial;
  int from = fitted_from;  // it holds for every n from here to fitted_to
};

// The polynomial of least degree, at most 4, that meets count(n) exactly for every n from 2, 3 or 4 on; none where no
// such polynomial does.
std::optional<FittedCount> fit_count(const std::function<long(int n)>& count);

}  // namespace catena::cli

// Operation counts as polynomials in the number of joints, exact.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>

namespace catena::cli {

// (a n³ + b n² + c n + d) / 6, the sixths in that order: every published count is of that form.
struct CountPolynomial {
  std::array<long, 4> sixths{};

  constexpr CountPolynomial() = default;
  constexpr CountPolynomial(long linear, long constant) : sixths{0, 0, 6 * linear, 6 * constant} {}
  constexpr CountPolynomial(long square, long linear, long constant)
      : sixths{0, 6 * square, 6 * linear, 6 * constant} {}
  static constexpr CountPolynomial in_halves(long square, long linear, long constant) {
    return in_sixths(0, 3 * square, 3 * linear, 3 * constant);
  }
  static constexpr CountPolynomial in_sixths(long cube, long square, long linear, long constant) {
    CountPolynomial p;
    p.sixths = {cube, square, linear, constant};
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

// The polynomial of least degree, at most 3, that meets count(n) exactly for every n from 2, 3 or 4 on; none where no
// such polynomial does.
std::optional<FittedCount> fit_count(const std::function<long(int n)>& count);

}  // namespace catena::cli

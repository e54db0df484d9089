// Solves A x = b for more equations than unknowns that agree with each other, and Aᵀ y = c for the shortest y, by
// modified Gram-Schmidt without square roots: A = Q R with Qᵀ Q = D diagonal and R unit upper triangular. It needs no
// pivots and only + - * /, so that it runs on every scalar, and its error grows with the condition of A, not with its
// square. Entries known to be zero are left out. Equations: docs/equations/closed_loops.md (8).
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <span>
#include <vector>

#include "catena/math/index.hpp"
#include "catena/scalar/scalar.hpp"

namespace catena {

template <class S>
class LeastSquares {
 public:
  // is_filled(row, column): whether that entry may differ from zero.
  template <class IsFilled>
  LeastSquares(int rows, int columns, const IsFilled& is_filled)
      : rows_(index(rows)), columns_(index(columns)), Q_(rows_ * columns_), D_(columns_), y_(columns_) {
    for (std::size_t c = 0; c < columns_; ++c) {
      Column own{rows_, 0, {}};
      for (std::size_t r = 0; r < rows_; ++r)
        if (is_filled(static_cast<int>(r), static_cast<int>(c)))
          own.first = std::min(own.first, r), own.end = std::max(own.end, r + 1);
      for (std::size_t k = 0; k < c; ++k) {  // what an earlier column takes from this one fills its rows
        if (list_[k].end <= own.first || own.end <= list_[k].first) continue;
        own.earlier.push_back({k, S{}});
        own.first = std::min(own.first, list_[k].first), own.end = std::max(own.end, list_[k].end);
      }
      list_.push_back(std::move(own));
    }
  }

  // entry(row, column)
  template <class Entry>
  void factor(const Entry& entry) {
    for (std::size_t c = 0; c < columns_; ++c) {
      Column& own = list_[c];
      S* const q = column(c);
      for (std::size_t r = own.first; r < own.end; ++r) q[r] = entry(r, c);
      for (auto& [k, R] : own.earlier) {
        R = along(k, q) * D_[k];
        take(k, R, q);
      }
      S square{};
      for (std::size_t r = own.first; r < own.end; ++r) square += q[r] * q[r];
      D_[c] = S(ConstantOf<S>(1)) / square;
      if constexpr (std::floating_point<S>) own.length = square;
    }
  }
  // x from b; b is used up.
  void solve(std::span<S> b, std::span<S> x) const {
    for (std::size_t c = 0; c < columns_; ++c) {
      x[c] = along(c, b.data()) * D_[c];
      take(c, x[c], b.data());
    }
    for (std::size_t c = columns_; c-- > 0;)
      for (const auto& [k, R] : list_[c].earlier) x[k] -= R * x[c];
  }
  // y from c.
  void solve_transposed(std::span<const S> c, std::span<S> y) const {
    std::fill(y.begin(), y.end(), S{});
    for (std::size_t k = 0; k < columns_; ++k) {
      y_[k] = c[k];
      for (const auto& [earlier, R] : list_[k].earlier) y_[k] -= R * y_[earlier];
    }
    // From the last column, and less what y has along a column already: rounding leaves columns not quite orthogonal.
    for (std::size_t k = columns_; k-- > 0;) {
      if (k + 1 < columns_) y_[k] -= along(k, y.data());
      take(k, -(y_[k] * D_[k]), y.data());
    }
  }
  // How long a column is once its part along the columns before it is taken away: zero if it depends on them.
  auto length(int of) const requires std::floating_point<S> { return std::sqrt(list_[index(of)].length); }

 private:
  struct Earlier {
    std::size_t column;
    S R;
  };
  struct Column {
    std::size_t first, end;        // rows where Q may differ from zero
    std::vector<Earlier> earlier;  // columns that meet it
    ConstantOf<S> length{};        // squared
  };
  S* column(std::size_t c) { return &Q_[c * rows_]; }
  const S* column(std::size_t c) const { return &Q_[c * rows_]; }
  // Qᵀ x, and x -= k Q, by one column of Q.
  S along(std::size_t c, const S* x) const {
    const S* const q = column(c);
    S sum{};
    for (std::size_t r = list_[c].first; r < list_[c].end; ++r) sum += q[r] * x[r];
    return sum;
  }
  void take(std::size_t c, const S& k, S* x) const {
    const S* const q = column(c);
    for (std::size_t r = list_[c].first; r < list_[c].end; ++r) x[r] -= k * q[r];
  }

  std::size_t rows_, columns_;
  std::vector<S> Q_, D_;  // D: 1 / QᵀQ
  mutable std::vector<S> y_;
  std::vector<Column> list_;
};

}  // namespace catena

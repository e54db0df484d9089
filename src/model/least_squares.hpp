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
      std::vector<char> filled(rows_, 0);
      for (std::size_t r = 0; r < rows_; ++r) filled[r] = is_filled(static_cast<int>(r), static_cast<int>(c)) ? 1 : 0;
      Column own;
      for (std::size_t k = 0; k < c; ++k) {  // what an earlier column takes from this one fills its rows
        const auto meets = [&](std::size_t r) { return filled[r] != 0; };
        if (std::none_of(list_[k].rows.begin(), list_[k].rows.end(), meets)) continue;
        own.earlier.push_back({k, {}});
        for (const std::size_t r : list_[k].rows) filled[r] = 1;
      }
      for (std::size_t r = 0; r < rows_; ++r)
        if (filled[r] != 0) own.rows.push_back(r);
      list_.push_back(std::move(own));
    }
  }

  // entry(row, column)
  template <class Entry>
  void factor(const Entry& entry) {
    for (std::size_t c = 0; c < columns_; ++c) {
      Column& own = list_[c];
      for (const std::size_t r : own.rows) Q(r, c) = entry(static_cast<int>(r), static_cast<int>(c));
      for (auto& [k, R] : own.earlier) {
        S along{};
        for (const std::size_t r : list_[k].rows) along += Q(r, k) * Q(r, c);
        R = along * D_[k];
        for (const std::size_t r : list_[k].rows) Q(r, c) -= R * Q(r, k);
      }
      S square{};
      for (const std::size_t r : own.rows) square += Q(r, c) * Q(r, c);
      D_[c] = S(ConstantOf<S>(1)) / square;
      if constexpr (std::floating_point<S>) own.length = std::sqrt(square);
    }
  }
  // x from b; b is used up.
  void solve(std::span<S> b, std::span<S> x) const {
    for (std::size_t c = 0; c < columns_; ++c) {
      S along{};
      for (const std::size_t r : list_[c].rows) along += Q(r, c) * b[r];
      x[c] = along * D_[c];
      for (const std::size_t r : list_[c].rows) b[r] -= x[c] * Q(r, c);
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
    for (std::size_t k = 0; k < columns_; ++k) {
      const S share = y_[k] * D_[k];
      for (const std::size_t r : list_[k].rows) y[r] += share * Q(r, k);
    }
  }
  // How long a column is once its part along the columns before it is taken away: zero if it depends on them.
  auto length(int column) const requires std::floating_point<S> { return list_[index(column)].length; }

 private:
  struct Earlier {
    std::size_t column;
    S R;
  };
  struct Column {
    std::vector<std::size_t> rows;  // where Q may differ from zero
    std::vector<Earlier> earlier;   // columns that meet it
    ConstantOf<S> length{};
  };
  S& Q(std::size_t row, std::size_t column) { return Q_[column * rows_ + row]; }
  const S& Q(std::size_t row, std::size_t column) const { return Q_[column * rows_ + row]; }

  std::size_t rows_, columns_;
  std::vector<S> Q_, D_;  // D: 1 / QᵀQ
  mutable std::vector<S> y_;
  std::vector<Column> list_;
};

}  // namespace catena

// A = L D Lᵀ of a dense symmetric matrix. Equations (3)-(6): docs/equations/composite_ldlt.md.
// Up to a dozen rows it is unrolled for its size: there, loops cost more than the arithmetic.
#pragma once

#include <type_traits>
#include <utility>

#include "catena/formulation/formulation.hpp"
#include "formulations/shared/lanes.hpp"

namespace catena {

inline constexpr int largest_unrolled_ldlt = 10;

namespace detail {
// body(0), …, body(N - 1), each index a constant.
template <int N, class Body>
[[gnu::always_inline]] constexpr void unrolled(Body&& body) {
  [&]<int... k>(std::integer_sequence<int, k...>) { (body(std::integral_constant<int, k>{}), ...); }
  (std::make_integer_sequence<int, N>{});
}
}  // namespace detail

template <class S, int N>
struct Ldlt {
  // Rows of the lower triangle, one after the other: first A, then L below the diagonal and D on it.
  S entries[N * (N + 1) / 2];
  S inverse_pivots[N];

  static constexpr int at(int row, int column) { return row * (row + 1) / 2 + column; }

  // (3): column by column, L_ik = A_ik / D_k, A_ij -= L_ik D_k L_jk.
  void factor() {
    detail::unrolled<N>([&](auto k) {
      inverse_pivots[k] = ConstantOf<S>(1) / entries[at(k, k)];
      detail::unrolled<N - 1 - k>([&](auto back) {  // from the last row up: A_jk is needed before it becomes L_jk
        constexpr int i = N - 1 - back;
        const S l = entries[at(i, k)] * inverse_pivots[k];
        detail::unrolled<i - k>([&](auto above) {
          constexpr int j = k + 1 + above;
          entries[at(i, j)] -= l * entries[at(j, k)];
        });
        entries[at(i, k)] = l;
      });
    });
  }

  // (4)-(6): x = L⁻ᵀ D⁻¹ L⁻¹ x, for one x or for several in lanes
  template <class X>
  void solve(X (&x)[N]) const {
    detail::unrolled<N>([&](auto k) {
      detail::unrolled<N - 1 - k>([&](auto below) {
        constexpr int i = k + 1 + below;
        x[i] -= entries[at(i, k)] * x[k];
      });
    });
    detail::unrolled<N>([&](auto k) { x[k] = x[k] * inverse_pivots[k]; });
    detail::unrolled<N>([&](auto back) {
      constexpr int i = N - 1 - back;
      detail::unrolled<i>([&](auto k) { x[k] -= entries[at(i, k)] * x[i]; });
    });
  }
};

// Calls visit(integral_constant<int, n>) for n up to the largest unrolled size; returns false for larger n.
template <int N = 1, class Visitor>
bool with_unrolled_size(int n, Visitor&& visit) {
  if (n == N) {
    visit(std::integral_constant<int, N>{});
    return true;
  }
  if constexpr (N < largest_unrolled_ldlt) {
    return with_unrolled_size<N + 1>(n, visit);
  } else {
    return false;
  }
}

// Any size, by rows of the upper triangle: A becomes D on the diagonal and Lᵀ beside it. The operations are the same as
// in the unrolled version.
template <class S>
void factor_ldlt(const MatrixView<S>& A, std::span<S> inverse_pivots) {
  for (int k = 0; k < A.n; ++k) {
    S* pivot_row = &A(k, 0);
    inverse_pivots[index(k)] = ConstantOf<S>(1) / pivot_row[k];
    for (int i = k + 1; i < A.n; ++i) {  // (3)
      const S l = pivot_row[i] * inverse_pivots[index(k)];
      S* row = &A(i, 0);
      for (int j = i; j < A.n; ++j) row[j] -= l * pivot_row[j];
      pivot_row[i] = l;
    }
  }
}
template <class S>
void solve_ldlt(const MatrixView<S>& A, std::span<const S> inverse_pivots, std::span<S> x) {
  for (int k = 0; k < A.n; ++k) {  // (4), (5)
    const S* row = &A(k, 0);
    for (int i = k + 1; i < A.n; ++i) x[index(i)] -= row[i] * x[index(k)];
    x[index(k)] = x[index(k)] * inverse_pivots[index(k)];
  }
  for (int k = A.n - 1; k >= 0; --k) {  // (6)
    const S* row = &A(k, 0);
    S rest = x[index(k)];
    for (int i = k + 1; i < A.n; ++i) rest -= row[i] * x[index(i)];
    x[index(k)] = rest;
  }
}

// The same for all columns of the unit matrix, several at a time. A column is zero above its one, so the first half
// starts there.
template <std::floating_point S>
void solve_units_ldlt(const MatrixView<S>& A, std::span<const S> inverse_pivots, const MatrixView<S>& X) {
  using Lanes = detail::Lanes<S>;
  const int n = A.n;
  detail::for_each_lanes<S>(n, [&](int j) {
    for (int row = 0; row < n; ++row)
      for (int lane = 0; lane < detail::lane_count<S>; ++lane) X(row, j + lane) = S(row == j + lane ? 1 : 0);
    Lanes x, other;
    for (int k = j; k < n; ++k) {  // (4), (5)
      const S* row = &A(k, 0);
      detail::load_lanes<S>(&X(k, j), x);
      for (int i = k + 1; i < n; ++i) {
        detail::load_lanes<S>(&X(i, j), other);
        other -= row[i] * x;
        detail::store_lanes<S>(other, &X(i, j));
      }
      x *= inverse_pivots[index(k)];
      detail::store_lanes<S>(x, &X(k, j));
    }
    for (int k = n - 1; k >= 0; --k) {  // (6)
      const S* row = &A(k, 0);
      Lanes rest[2];
      detail::load_lanes<S>(&X(k, j), rest[0]);
      rest[1] = Lanes{};
      int i = k + 1;
      for (; i + 1 < n; i += 2) {  // two sums in parallel: each waits for its last product
        detail::load_lanes<S>(&X(i, j), x);
        detail::load_lanes<S>(&X(i + 1, j), other);
        rest[0] -= row[i] * x;
        rest[1] -= row[i + 1] * other;
      }
      if (i < n) {
        detail::load_lanes<S>(&X(i, j), x);
        rest[0] -= row[i] * x;
      }
      rest[0] += rest[1];
      detail::store_lanes<S>(rest[0], &X(k, j));
    }
  });
}

// X = A⁻¹ for a positive definite A, of which only the upper triangle is read; A is overwritten.
template <class S>
void invert_ldlt(const MatrixView<S>& A, std::span<S> inverse_pivots, const MatrixView<S>& X) {
  const auto unit = [](int k, int row) { return S(ConstantOf<S>(row == k ? 1 : 0)); };
  const bool small = with_unrolled_size(A.n, [&](auto size) {
    constexpr int N = size;
    Ldlt<S, N> ldlt;
    detail::unrolled<N>([&](auto row) {
      detail::unrolled<row + 1>([&](auto column) { ldlt.entries[ldlt.at(row, column)] = A(column, row); });
    });
    ldlt.factor();
    constexpr bool in_lanes = [] {  // machine numbers, several columns at a time
      if constexpr (std::floating_point<S>) return N >= detail::lane_count<S>;
      return false;
    }();
    if constexpr (in_lanes) {
      using T = std::enable_if_t<(N > 0), S>;  // S, but dependent on N: Clang 14 checks this branch for every S
      detail::for_each_lanes<T>(N, [&](int k) {
        detail::Lanes<T> x[N];
        for (int row = 0; row < N; ++row) {
          T units[detail::lane_count<T>];
          for (int lane = 0; lane < detail::lane_count<T>; ++lane) units[lane] = unit(k + lane, row);
          detail::load_lanes<T>(units, x[row]);
        }
        ldlt.solve(x);
        for (int row = 0; row < N; ++row) detail::store_lanes<T>(x[row], &X(row, k));
      });
    } else {
      for (int k = 0; k < N; ++k) {
        S x[N];
        for (int row = 0; row < N; ++row) x[row] = unit(k, row);
        ldlt.solve(x);
        for (int row = 0; row < N; ++row) X(k, row) = x[row];
      }
    }
  });
  if (small) return;
  factor_ldlt<S>(A, inverse_pivots);
  if constexpr (std::floating_point<S>)
    if (A.n >= detail::lane_count<S>) return solve_units_ldlt<S>(A, inverse_pivots, X);  // a robot may have no joints
  for (int k = 0; k < A.n; ++k) {
    const std::span<S> row = X.entries.subspan(index(k) * index(A.n), index(A.n));
    for (int j = 0; j < A.n; ++j) row[index(j)] = unit(k, j);
    solve_ldlt<S>(A, inverse_pivots, row);
  }
}

// `rows` rows of C = -A B starting at row i, for the columns starting at j.
template <class S, int rows>
void minus_rows(const MatrixView<S>& A, const MatrixView<S>& B, int i, int j, const MatrixView<S>& C) {
  detail::Lanes<S> sums[rows]{}, row;
  for (int k = 0; k < C.n; ++k) {
    detail::load_lanes<S>(&B(k, j), row);
    for (int r = 0; r < rows; ++r) sums[r] -= A(i + r, k) * row;
  }
  for (int r = 0; r < rows; ++r) detail::store_lanes<S>(sums[r], &C(i + r, j));
}
// C = -A B; for machine numbers several columns at a time.
template <class S>
void minus_product(const MatrixView<S>& A, const MatrixView<S>& B, const MatrixView<S>& C) {
  const int n = C.n;
  if constexpr (std::floating_point<S>)
    if (n >= detail::lane_count<S>) {
      detail::for_each_lanes<S>(n, [&](int j) {
        int i = 0;  // several rows in parallel: each sum waits for its last product
        for (; i + 3 < n; i += 4) minus_rows<S, 4>(A, B, i, j, C);
        for (; i < n; ++i) minus_rows<S, 1>(A, B, i, j, C);
      });
      return;
    }
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      S sum = A(i, 0) * B(0, j);
      for (int k = 1; k < n; ++k) sum += A(i, k) * B(k, j);
      C(i, j) = -sum;
    }
}

}  // namespace catena

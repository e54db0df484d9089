// M = U D Uᵀ along the branches of a robot: elimination in an existing matrix, and solving with the factors. Equations:
// docs/equations/factor.md.
//
// U is unit upper triangular if joints are numbered as in the mechanism, base to tip, and has entries only where
// one joint carries the other: eliminating from the tips inward causes no fill-in. U is returned in the user's
// order of q, with rows and columns permuted alike, so it need not look triangular; its diagonal entries are still
// ones.
#pragma once

#include <span>

#include "catena/formulation/formulation.hpp"

namespace catena {

// Where a factorization is written, in the user's order of q.
template <class S>
struct FactorView {
  MatrixView<S> U;
  std::span<S> D;
};
// U and D in sequence.
template <class S>
FactorView<S> factor_view(std::span<S> factors, int n) {
  const std::size_t square = index(n) * index(n);
  return {{factors.first(square), n}, factors.subspan(square)};
}

// Which joint carries which, for elimination in an existing matrix. Joints are numbered by their index in q.
struct Branches {
  Array<int> order;   // base to tips
  Array<int> parent;  // the joint that carries a joint, or base

  template <class T>
  explicit Branches(const BasicTree<T>& robot) : order(index(robot.joints())), parent(index(robot.joints())) {
    for (int k = 0; k < robot.joints(); ++k) {
      const auto& link = robot.link(k);
      order[index(k)] = link.q;
      parent[index(link.q)] = link.parent == base_link ? base_link : robot.link(link.parent).q;
    }
  }
  // Every joint carries the next: no zeros to exploit.
  explicit Branches(int n) : order(index(n)), parent(index(n)) {
    for (int k = 0; k < n; ++k) order[index(k)] = k, parent[index(k)] = k - 1;
    static_assert(base_link == -1);
  }
};

// The factors of an existing M, in place: M becomes U and D, tips first, only along the branches (7). On a chain that
// is every entry: with the joints numbered from the tip, M = L D Lᵀ. Works in the entries (joint, ancestor).
template <class S>
void eliminate(const Branches& branches, const FactorView<S>& out) {
  using T = ConstantOf<S>;
  const MatrixView<S>& M = out.U;
  const Array<int>& parent = branches.parent;
  for (std::size_t k = branches.order.size(); k-- > 0;) {
    const int column = branches.order[k];
    const S pivot = M(column, column);
    const S inverse_pivot = T(1) / pivot;
    for (int row = parent[index(column)]; row != base_link; row = parent[index(row)]) {
      const S u = inverse_pivot * M(column, row);
      for (int other = row; other != base_link; other = parent[index(other)]) M(row, other) -= u * M(column, other);
      M(row, column) = u;
      M(column, row) = S{};  // no later row reads it
    }
    M(column, column) = S(T(1));
    out.D[index(column)] = pivot;
  }
}

// x = U⁻¹ x: (8)
template <class S>
void reduce_factored(const Branches& branches, const FactorView<const S>& factors, std::span<S> x) {
  const Array<int>& parent = branches.parent;
  for (std::size_t k = branches.order.size(); k-- > 0;) {
    const int column = branches.order[k];
    for (int row = parent[index(column)]; row != base_link; row = parent[index(row)])
      x[index(row)] -= factors.U(row, column) * x[index(column)];
  }
}

// x = M⁻¹ x = U⁻ᵀ D⁻¹ U⁻¹ x: (8), (9)
template <class S>
void solve_factored(const Branches& branches, const FactorView<const S>& factors, std::span<S> x) {
  const Array<int>& parent = branches.parent;
  reduce_factored<S>(branches, factors, x);
  for (const int column : branches.order) {
    S value = x[index(column)] / factors.D[index(column)];
    for (int row = parent[index(column)]; row != base_link; row = parent[index(row)])
      value -= factors.U(row, column) * x[index(row)];
    x[index(column)] = value;
  }
}

}  // namespace catena

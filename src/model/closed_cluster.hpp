// The dependent joints of one cluster of closed loops: their part of G, and what the loops make of rates, accelerations
// and forces. Equations (8)-(13): docs/equations/closed_loops.md.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <limits>
#include <span>
#include <vector>

#include "model/least_squares.hpp"
#include "model/loop_equations.hpp"

namespace catena {

template <class S>
class ClosedCluster {
 public:
  using T = ConstantOf<S>;

  ClosedCluster(const TreeFor<S>& tree, const Closure<T>& closure, const LoopCluster& cluster)
      : equations_(tree, closure, cluster),
        dependent_(cluster.dependent),
        independent_(cluster.independent),
        columns_d_(columns(dependent_)),
        columns_i_(columns(independent_)),
        solver_(equations_.rows(), static_cast<int>(dependent_.size()),
                [&](int r, int c) { return equations_.is_filled(r, columns_d_[index(c)]); }),
        G_(dependent_.size() * independent_.size()),
        G_along_(G_.size()),
        by_position_(G_.size()),
        b_(index(equations_.rows())),
        d_(dependent_.size()),
        column_(index(equations_.columns())),
        twice_(b_.size() * independent_.size()),
        h_(column_.size() * column_.size()),
        half_(column_.size()) {}

  const LoopEquations<S>& equations() const { return equations_; }
  const std::vector<int>& dependent() const { return dependent_; }      // movers
  const std::vector<int>& independent() const { return independent_; }  // movers
  // By dependent and independent movers, as are the other matrices here.
  const S& G(std::size_t d, std::size_t i) const { return G_[d * independent_.size() + i]; }

  // φ and J at the positions of the movers, and the factors of J's columns of the dependent ones.
  template <class... Turns>
  void place(std::span<const S> x, const Turns&... turns) {
    equations_.place(x, turns...);
    const std::size_t n = index(equations_.columns());
    const S* const J = equations_.J().data();
    solver_.factor([&](std::size_t r, std::size_t c) { return J[r * n + index(columns_d_[c])]; });
  }
  // What the dependent movers do while the independent ones do u, entries of all movers: G u, without G. With
  // `second`: G u + g, for the rates of φ̈ that second_rate() gave.
  std::span<const S> follow(std::span<const S> u, std::span<const S> second = {}) {
    const std::size_t n = index(equations_.columns());
    const S* const J = equations_.J().data();
    for (std::size_t r = 0; r < b_.size(); ++r) {
      S sum = second.empty() ? S{} : second[r];
      for (std::size_t i = 0; i < columns_i_.size(); ++i)
        sum += J[r * n + index(columns_i_[i])] * u[index(independent_[i])];
      b_[r] = -sum;
    }
    solver_.solve(b_, d_);
    return d_;
  }
  // How far the dependent movers go while the independent ones go `way`, entries of all movers: G way, and if it is
  // small against that, + ½ Ġ way with the derivative along the way itself: (14).
  void look_ahead(std::span<S> way, std::span<S> by) requires std::floating_point<S> {
    const std::span<const S> first = follow(way);
    std::copy(first.begin(), first.end(), by.begin());
    for (std::size_t d = 0; d < dependent_.size(); ++d) way[index(dependent_[d])] = by[d];
    const std::span<const S> second = drift(equations_.second_rate_by_movers(way));
    S most(0), bent(0);
    for (std::size_t d = 0; d < dependent_.size(); ++d)
      most = std::max(most, std::abs(by[d])), bent = std::max(bent, std::abs(second[d]));
    if (bent > S(0.1) * most) return;  // it would lead elsewhere
    for (std::size_t d = 0; d < dependent_.size(); ++d) by[d] += S(0.5) * second[d];
  }
  // g of the dependent movers.
  std::span<const S> drift(std::span<const S> second) {
    for (std::size_t r = 0; r < b_.size(); ++r) b_[r] = -second[r];
    solver_.solve(b_, d_);
    return d_;
  }
  std::span<const S> second_rate(std::span<const S> qd) { return equations_.second_rate(qd); }
  // add(i, -J_iᵀ λ): what forces at the dependent movers are worth at independent mover i.
  template <class Add>
  void pull(std::span<const S> tau, const Add& add) {
    const std::span<const S> lambda = multipliers(tau);
    const std::size_t n = index(equations_.columns());
    const S* const J = equations_.J().data();
    for (std::size_t i = 0; i < columns_i_.size(); ++i) {
      S sum{};
      for (std::size_t r = 0; r < lambda.size(); ++r) sum += J[r * n + index(columns_i_[i])] * lambda[r];
      add(i, -sum);
    }
  }
  // A step of Newton's method for the dependent movers: (8).
  void newton_step(std::span<S> x, std::span<S> step) {
    for (int r = 0; r < equations_.rows(); ++r) b_[index(r)] = -equations_.phi()[index(r)];
    solver_.solve(b_, step);
    for (std::size_t d = 0; d < dependent_.size(); ++d) x[index(dependent_[d])] += step[d];
  }
  // (9)
  void find_G() {
    for_each_column(G_, [&](std::size_t i) {
      for (int r = 0; r < equations_.rows(); ++r) b_[index(r)] = -J(r, columns_i_[i]);
    });
  }
  // The derivative of G along rates of the tree's joints: (11).
  std::span<const S> G_along(std::span<const S> qd) {
    const std::span<const S> J_dot = equations_.J_along(qd);
    for_each_column(G_along_, [&](std::size_t i) {
      spread(i, G_);
      multiply(J_dot, [&](int column) { return column_[index(column)]; });
    });
    return G_along_;
  }
  // The derivative of the dependent movers' accelerations with respect to the independent positions: (12).
  std::span<const S> acceleration_by_position(std::span<const S> qd, std::span<const S> qdd) {
    G_along(qd);
    const std::size_t rows = index(equations_.rows());
    std::fill(twice_.begin(), twice_.end(), S{});
    const std::span<const S> J_dot = equations_.J_along(qd);
    for (std::size_t i = 0; i < independent_.size(); ++i)
      for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t d = 0; d < dependent_.size(); ++d) {
          const S part = at(J_dot, r, columns_d_[d]) * G_along_[d * independent_.size() + i];
          twice_[i * rows + r] += part + part;
        }
    const std::span<const S> W = equations_.second_rate_by_position(qd, qdd);
    for_each_column(by_position_, [&](std::size_t i) {
      spread(i, G_);
      multiply(W, [&](int column) { return column_[index(column)]; });
      for (std::size_t r = 0; r < rows; ++r) b_[r] -= twice_[i * rows + r];
    });
    return by_position_;
  }
  // Multipliers of the loops that hold forces at all movers, and what these add to ∂τ/∂q: (13).
  std::span<const S> multipliers(std::span<const S> tau) {
    for (std::size_t d = 0; d < dependent_.size(); ++d) d_[d] = tau[index(dependent_[d])];
    solver_.solve_transposed(d_, b_);
    return b_;
  }
  template <class Add>
  void add_bent(std::span<const S> tau, const Add& add) {
    const std::size_t n = index(equations_.columns());
    std::fill(h_.begin(), h_.end(), S{});
    equations_.add_curvature(multipliers(tau), h_);
    for (std::size_t l = 0; l < independent_.size(); ++l) {
      spread(l, G_);
      std::fill(half_.begin(), half_.end(), S{});
      for (std::size_t r = 0; r < n; ++r)
        for (std::size_t c = 0; c < n; ++c) half_[r] += h_[r * n + c] * column_[c];
      for (std::size_t k = 0; k < independent_.size(); ++k) {
        spread(k, G_);
        S sum{};
        for (std::size_t r = 0; r < n; ++r) sum += column_[r] * half_[r];
        add(k, l, -sum);
      }
    }
  }
  // The smallest part of a column that those before it do not have, by the longest column: 0 where the dependent
  // movers cannot be found from the others. `worst`: which one.
  T regularity(std::size_t& worst) const requires std::floating_point<S> {
    T least = std::numeric_limits<T>::infinity(), most(0);
    for (std::size_t c = 0; c < dependent_.size(); ++c) {
      const T length = solver_.length(static_cast<int>(c));
      most = std::max(most, length);
      if (!(length >= least)) least = length, worst = c;
    }
    return dependent_.empty() ? T(1) : least / most;
  }

 private:
  std::vector<int> columns(const std::vector<int>& movers) const {
    std::vector<int> out;
    for (const int m : movers)
      out.push_back(static_cast<int>(std::find(equations_.movers().begin(), equations_.movers().end(), m) -
                                     equations_.movers().begin()));
    return out;
  }
  int mover(int column) const { return equations_.movers()[index(column)]; }
  const S& at(std::span<const S> matrix, std::size_t r, int column) const {
    return matrix[r * index(equations_.columns()) + index(column)];
  }
  const S& J(int r, int column) const { return at(equations_.J(), index(r), column); }
  // Column i of G, by all movers of the cluster.
  void spread(std::size_t i, const std::vector<S>& G) {
    std::fill(column_.begin(), column_.end(), S{});
    column_[index(columns_i_[i])] = S(T(1));
    for (std::size_t d = 0; d < dependent_.size(); ++d) column_[index(columns_d_[d])] = G[d * independent_.size() + i];
  }
  // b = -matrix x
  template <class X>
  void multiply(std::span<const S> matrix, const X& x) {
    for (std::size_t r = 0; r < b_.size(); ++r) {
      S sum{};
      for (int c = 0; c < equations_.columns(); ++c) sum += at(matrix, r, c) * x(c);
      b_[r] = -sum;
    }
  }
  template <class Fill>
  void for_each_column(std::vector<S>& out, const Fill& fill) {
    for (std::size_t i = 0; i < independent_.size(); ++i) {
      fill(i);
      solver_.solve(b_, d_);
      for (std::size_t d = 0; d < d_.size(); ++d) out[d * independent_.size() + i] = d_[d];
    }
  }

  LoopEquations<S> equations_;
  std::vector<int> dependent_, independent_, columns_d_, columns_i_;
  LeastSquares<S> solver_;
  std::vector<S> G_, G_along_, by_position_, b_, d_, column_, twice_, h_, half_;
};

}  // namespace catena

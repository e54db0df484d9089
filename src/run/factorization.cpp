#include "catena/factorization.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "formulations/factor/branches.hpp"
#include "formulations/kinematics/frames.hpp"
#include "jobs/checks.hpp"
#include "jobs/instance_scalar.hpp"

namespace catena {
namespace {

// Inverts a positive semidefinite matrix of 3 translations and perhaps 3 rotations in place, or finds its rank if it is
// singular. It is scaled to a unit diagonal, so that metres and radians have the same weight, then swept pivot by
// pivot, largest first (13). A row that is only the rounding error of a Jacobian's entries, compared with the other
// rows of its kind, counts as zero.
template <class S>
int invert(const MatrixView<S>& A) {
  constexpr S epsilon = std::numeric_limits<S>::epsilon(), tolerance = S(4096) * epsilon;
  std::array<S, 6> scale;
  std::array<bool, 6> done{};
  for (int i = 0; i < A.n; ++i) {
    const int kind = i < 3 ? 0 : 3;
    const S most = std::max({A(kind, kind), A(kind + 1, kind + 1), A(kind + 2, kind + 2)});
    scale[index(i)] = A(i, i) > S(4096) * epsilon * epsilon * most ? S(1) / std::sqrt(A(i, i)) : S(0);
  }
  for (int i = 0; i < A.n; ++i)
    for (int j = 0; j < A.n; ++j) A(i, j) *= scale[index(i)] * scale[index(j)];
  for (int rank = 0; rank < A.n; ++rank) {
    int k = -1;
    for (int i = 0; i < A.n; ++i)
      if (!done[index(i)] && (k < 0 || A(i, i) > A(k, k))) k = i;
    if (!(A(k, k) > tolerance)) return rank;
    done[index(k)] = true;
    const S share = S(1) / A(k, k);
    for (int i = 0; i < A.n; ++i)
      for (int j = 0; j < A.n; ++j)
        if (i != k && j != k) A(i, j) -= share * (A(i, k) * A(k, j));
    for (int i = 0; i < A.n; ++i)
      if (i != k) A(i, k) *= share, A(k, i) *= share;
    A(k, k) = -share;
  }
  for (int i = 0; i < A.n; ++i)
    for (int j = 0; j < A.n; ++j) A(i, j) *= -scale[index(i)] * scale[index(j)];
  return A.n;
}

}  // namespace

template <class S>
struct Factorization<S>::Impl {
  MechanismFor<S> robot;
  Call<S> call, jacobian;
  Branches branches;
  std::vector<S> q, factors, rows;  // rows: six of length n, of the Jacobian
  bool factored = false;

  Impl(const Mechanism& given, Call<S> made)
      : robot(given.cast<ConstantOf<S>>()),
        call(std::move(made)),
        jacobian(given, "jacobian", "kinematics"),  // not optimized: independent directions are recognized exactly
        branches(robot.nv() != robot.joints() ? Branches(robot.nv()) : Branches(robot)),
        q(index(robot.nq())),
        factors(call.size()),
        rows(6 * n()) {}

  std::size_t n() const { return index(robot.nv()); }
  FactorView<const S> need_factors() const {
    if (!factored) throw std::logic_error("the inertia matrix has not been factored");
    return factor_view<const S>(factors, robot.nv());
  }
};

template <class S>
Factorization<S>::Factorization(const Mechanism& robot, std::string_view formulation)
    : impl_(std::make_unique<Impl>(robot, Call<S>(robot, "factor", formulation))) {}
template <class S>
Factorization<S>::Factorization(const Mechanism& robot, Call<S> call)
    : impl_(std::make_unique<Impl>(robot, std::move(call))) {
  if (impl_->call.job().name != "factor") throw std::invalid_argument("a Factorization needs a call of 'factor'");
}
template <class S>
Factorization<S>::~Factorization() = default;
template <class S>
Factorization<S>::Factorization(Factorization&&) noexcept = default;
template <class S>
Factorization<S>& Factorization<S>::operator=(Factorization&&) noexcept = default;

template <class S>
void Factorization<S>::factor(std::span<const S> q) {
  impl_->factored = false;
  impl_->call({.q = q}, impl_->factors);
  std::copy(q.begin(), q.end(), impl_->q.begin());
  impl_->factored = true;
}

template <class S>
std::span<const S> Factorization<S>::U() const {
  return impl_->need_factors().U.entries;
}
template <class S>
std::span<const S> Factorization<S>::D() const {
  return impl_->need_factors().D;
}

template <class S>
void Factorization<S>::solve(std::span<const S> rhs, std::span<S> x) const {
  const std::size_t n = impl_->n();
  if (n == 0 ? !rhs.empty() : rhs.size() % n != 0)
    throw std::invalid_argument("rhs has " + std::to_string(rhs.size()) + " values, a multiple of " +
                                std::to_string(n) + " is needed");
  require_length(x.size(), rhs.size(), "x");
  const FactorView<const S> factors = impl_->need_factors();
  if (x.data() != rhs.data()) std::copy(rhs.begin(), rhs.end(), x.begin());
  for (std::size_t start = 0; start < x.size(); start += n)
    solve_factored<S>(impl_->branches, factors, x.subspan(start, n));
  if (!all_finite<S>(x))
    throw std::domain_error("the solution is not finite: the right-hand side is not, or too large");
}

template <class S>
void Factorization<S>::inverse(std::span<S> M_inverse) const {
  const std::size_t n = impl_->n();
  require_length(M_inverse.size(), n * n, "M_inverse");
  const FactorView<const S> factors = impl_->need_factors();
  const MatrixView<S> out{M_inverse, impl_->robot.nv()};
  out.set_zero();
  for (int j = 0; j < out.n; ++j) {  // (11): row j is column j
    out(j, j) = S(1);
    solve_factored<S>(impl_->branches, factors, M_inverse.subspan(index(j) * n, n));
  }
  for (int i = 0; i < out.n; ++i)
    for (int j = 0; j < i; ++j) out.set_symmetric(i, j, (out(i, j) + out(j, i)) / S(2));
}

template <class S>
void Factorization<S>::operational_inertia(int frame, std::span<S> Lambda, Directions directions) {
  const auto& robot = impl_->robot;
  const std::size_t n = impl_->n(), m = directions == Directions::all ? 6 : 3;
  require_length(Lambda.size(), m * m, "Lambda");
  require_frame(robot, frame);
  const FactorView<const S> factors = impl_->need_factors();
  const std::span<S> rows(impl_->rows);
  impl_->jacobian({.q = impl_->q, .frame = frame}, rows);
  for (std::size_t r = 0; r < m; ++r)
    reduce_factored<S>(impl_->branches, factors, rows.subspan(r * n, n));  // (12) U⁻¹ Jᵀ
  const MatrixView<S> out{Lambda, static_cast<int>(m)};
  for (std::size_t r = 0; r < m; ++r)
    for (std::size_t c = 0; c <= r; ++c) {
      S sum(0);
      for (std::size_t j = 0; j < n; ++j) sum += rows[r * n + j] * rows[c * n + j] / factors.D[j];
      out.set_symmetric(static_cast<int>(r), static_cast<int>(c), sum);
    }
  if (const int rank = invert(out); rank < out.n)
    throw std::domain_error("frame '" + robot.frames[index(frame)].name +
                            "' cannot be accelerated in all directions here: " + std::to_string(rank) + " of " +
                            std::to_string(m) + " are independent");
}

template <class S>
const FormulationInfo& Factorization<S>::formulation() const {
  return impl_->call.formulation();
}
template <class S>
const EngineReport& Factorization<S>::engine() const {
  return impl_->call.engine();
}
template <class S>
int Factorization<S>::nv() const {
  return impl_->robot.nv();
}

template class Factorization<InstanceScalar>;

}  // namespace catena

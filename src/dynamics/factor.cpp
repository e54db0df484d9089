#include "catena/dynamics/factor.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "catena/dynamics/kinematics.hpp"
#include "engine.hpp"

namespace catena {
namespace {

// U and D stand one behind the other.
template <class S>
FactorView<S> view(std::span<S> factors, int n) {
  const std::size_t square = index(n) * index(n);
  return {{factors.first(square), n}, factors.subspan(square)};
}

struct FactorJob {
  static constexpr std::string_view name = "the factors of the inertia matrix";
  using Formulations = FormulationList<ReverseElimination, FormedElimination>;
  template <class Formulation, class S, class Workspace>
  static void call(const BasicMechanism<ConstantOf<S>>& robot, const Inputs<S>& in, Workspace& ws, std::span<S> out) {
    Formulation::template run<S>(robot, in.q, ws, view(out, robot.n()));
  }
};

// Whether link i or one that hangs on it has mass or inertia.
template <class T>
bool moves_mass(const BasicMechanism<T>& robot, int i) {
  for (int k = i; k < robot.n(); ++k) {
    const auto& link = robot.links[index(k)];
    int ancestor = k;
    while (ancestor > i) ancestor = robot.links[index(ancestor)].parent;
    if (ancestor == i && (link.mass != T(0) || link.inertia_com != Sym3<T>{})) return true;
  }
  return false;
}

template <class S>
[[noreturn]] void report_pivot(const BasicMechanism<S>& robot, int i, const S& pivot, const S& tolerance) {
  const std::string joint = "joint '" + robot.joint_names[index(robot.links[index(i)].q)] + "': ";
  if (!moves_mass(robot, i))
    throw std::domain_error(
        joint + "the inertia matrix is singular: nothing that this joint moves has mass, nor has it a rotor");
  if (pivot < -tolerance)
    throw std::domain_error(joint + "the inertia matrix is not positive definite (pivot " + std::to_string(pivot) +
                            "): no real body has the inertia of the links beyond this joint");
  throw std::domain_error(
      joint +
      "the inertia matrix is singular here: the joints beyond this one can undo all that it does to "
      "the masses, as over a massless link");
}

// (10): a pivot must stand out from M_ii = Σ U_ik² D_k, of which it is what is left. Tips first: the first bad one is
// the cause, and what lies between it and the base is not looked at. `diagonal` is scratch.
template <class S>
void check_pivots(const BasicMechanism<S>& robot, const FactorView<S>& factors, const Inputs<S>& in,
                  std::span<S> diagonal) {
  constexpr S share = S(8) * std::numeric_limits<S>::epsilon();
  std::fill(diagonal.begin(), diagonal.end(), S(0));
  for (int k = robot.n() - 1; k >= 0; --k) {
    const int column = robot.links[index(k)].q;
    const S pivot = factors.D[index(column)];
    const S tolerance = share * (diagonal[index(column)] + std::abs(pivot));
    if (!std::isfinite(pivot) || !std::isfinite(tolerance)) report_not_finite(in, "the inertia matrix");
    if (!(pivot > tolerance)) report_pivot(robot, k, pivot, tolerance);
    for (int i = robot.links[index(k)].parent; i != base; i = robot.links[index(i)].parent) {
      const int row = robot.links[index(i)].q;
      diagonal[index(row)] += factors.U(row, column) * factors.U(row, column) * pivot;
    }
  }
}

// A positive semidefinite matrix of 3 translations and perhaps 3 rotations, in place: its inverse, or, where it has
// none, its rank. Scaled to a unit diagonal, so that metres and radians weigh the same, then swept pivot by pivot, the
// largest first (13). A row that is nothing but the rounding of a Jacobian's entries beside the others of its kind is a
// row of zeros.
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
struct Factorization<S>::Parts {
  std::unique_ptr<Engine<S>> engine;
  Kinematics<S> kinematics;
  Branches branches;
  std::vector<S> q, factors, rows;  // rows: six of n, of the Jacobian
  std::vector<JacobianColumn<S>> jacobian;
  bool factored = false;

  explicit Parts(std::unique_ptr<Engine<S>> made)
      : engine(std::move(made)),
        kinematics(engine->robot),
        branches(engine->robot),
        q(n()),
        factors(n() * n() + n()),
        rows(6 * n()),
        jacobian(n()) {}

  std::size_t n() const { return engine->robot.links.size(); }
  FactorView<const S> need_factors() const {
    if (!factored) throw std::logic_error("the inertia matrix has not been factored");
    return view<const S>(factors, engine->robot.n());
  }
};

template <class S>
Factorization<S>::Factorization(const Mechanism& robot, std::string_view method)
    : parts_(std::make_unique<Parts>(method.empty()
                                         ? make_engine<FactorJob, S>(optimize(robot), default_factor(robot.n()))
                                         : make_engine<FactorJob, S>(robot, method))) {}
template <class S>
Factorization<S>::~Factorization() = default;
template <class S>
Factorization<S>::Factorization(Factorization&&) noexcept = default;
template <class S>
Factorization<S>& Factorization<S>::operator=(Factorization&&) noexcept = default;

template <class S>
void Factorization<S>::factor(std::span<const S> q) {
  require_length<S>(q, parts_->n(), "q");
  parts_->factored = false;
  const Inputs<S> in{q, {}, {}, {}, {}};
  parts_->engine->run(in, parts_->factors);
  check_pivots<S>(parts_->engine->robot, view<S>(parts_->factors, parts_->engine->robot.n()), in,
                  std::span(parts_->rows).first(q.size()));
  std::copy(q.begin(), q.end(), parts_->q.begin());
  parts_->factored = true;
}

template <class S>
std::span<const S> Factorization<S>::U() const {
  return parts_->need_factors().U.entries;
}
template <class S>
std::span<const S> Factorization<S>::D() const {
  return parts_->need_factors().D;
}

template <class S>
void Factorization<S>::solve(std::span<const S> rhs, std::span<S> x) const {
  const std::size_t n = parts_->n();
  if (n == 0 ? !rhs.empty() : rhs.size() % n != 0)
    throw std::invalid_argument("rhs has " + std::to_string(rhs.size()) + " values, a multiple of " +
                                std::to_string(n) + " is needed");
  require_length<S>(x, rhs.size(), "x");
  const FactorView<const S> factors = parts_->need_factors();
  if (x.data() != rhs.data()) std::copy(rhs.begin(), rhs.end(), x.begin());
  for (std::size_t start = 0; start < x.size(); start += n)
    solve_factored<S>(parts_->branches, factors, x.subspan(start, n));
  if (!all_finite<S>(x))
    throw std::domain_error("the solution is not finite: the right-hand side is not, or too large");
}

template <class S>
void Factorization<S>::inverse(std::span<S> M_inverse) const {
  const std::size_t n = parts_->n();
  require_length<S>(M_inverse, n * n, "M_inverse");
  const FactorView<const S> factors = parts_->need_factors();
  const MatrixView<S> out{M_inverse, parts_->engine->robot.n()};
  out.set_zero();
  for (int j = 0; j < out.n; ++j) {  // (11): row j is column j
    out(j, j) = S(1);
    solve_factored<S>(parts_->branches, factors, M_inverse.subspan(index(j) * n, n));
  }
  for (int i = 0; i < out.n; ++i)
    for (int j = 0; j < i; ++j) out.set_symmetric(i, j, (out(i, j) + out(j, i)) / S(2));
}

template <class S>
void Factorization<S>::operational_inertia(int frame, std::span<S> Lambda, Directions directions) {
  const auto& robot = parts_->engine->robot;
  const std::size_t n = parts_->n(), m = directions == Directions::all ? 6 : 3;
  require_length<S>(Lambda, m * m, "Lambda");
  if (frame < 0 || frame >= static_cast<int>(robot.frames.size()))
    throw std::invalid_argument("frame " + std::to_string(frame) + " does not exist; the robot has " +
                                std::to_string(robot.frames.size()) + " frames");
  const FactorView<const S> factors = parts_->need_factors();
  parts_->kinematics.update(parts_->q);
  parts_->kinematics.jacobian(frame, parts_->jacobian);
  const std::span<S> rows(parts_->rows);
  for (std::size_t j = 0; j < n; ++j) {
    const auto& [v, w] = parts_->jacobian[j];
    const std::array<S, 6> column{v.x, v.y, v.z, w.x, w.y, w.z};
    for (std::size_t r = 0; r < m; ++r) rows[r * n + j] = column[r];
  }
  for (std::size_t r = 0; r < m; ++r)
    reduce_factored<S>(parts_->branches, factors, rows.subspan(r * n, n));  // (12) U⁻¹ Jᵀ
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
const FormulationInfo& Factorization<S>::method() const {
  return parts_->engine->info;
}

template class Factorization<double>;
template class Factorization<float>;

}  // namespace catena

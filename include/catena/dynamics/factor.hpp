// The factors M = U D Uᵀ of the inertia matrix, and what is solved with them. Equations: docs/equations/factor.md.
//
// U is unit upper triangular when joints are numbered as the mechanism numbers them, base to tip, and has entries only
// where one joint carries the other: eliminating from the tips inward fills nothing in. In the user's order of q, which
// is how U is returned, rows and columns are permuted alike, so U need not look triangular; it has ones on the diagonal
// all the same.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "catena/dynamics/forward/articulated_inertia.hpp"
#include "catena/dynamics/forward/drives.hpp"
#include "catena/dynamics/inertia/generalized_links.hpp"
#include "catena/dynamics/matrices.hpp"
#include "catena/dynamics/shape.hpp"

namespace catena {

// Where a factorization is written, in the user's order of q.
template <class S>
struct FactorView {
  MatrixView<S> U;
  std::span<S> D;
};

// Reverse Gaussian elimination without forming M (Saha 1999, appendix B): the pivots are what each joint feels of its
// articulated inertia, (1)-(6). A pivot of zero makes infinities from there to the base: whoever calls looks at D
// first.
struct ReverseElimination {
  static constexpr FormulationInfo info{"denoc", "factor", "Saha 1999, appendix B", "docs/equations/factor.md",
                                        "none published"};

  template <class S>
  struct Workspace {
    std::vector<ArticulatedInertia<S>> children;  // (5) what hangs on the link, its frame, about its origin
    JointTurns<S> turns;

    explicit Workspace(const BasicMechanism<ConstantOf<S>>& robot) : children(index(robot.n())), turns(robot.n()) {}
  };

  template <class S>
  static void run(const BasicMechanism<ConstantOf<S>>& robot, std::span<const S> q, Workspace<S>& ws,
                  const FactorView<S>& out) {
    joint_turns<S>(robot, q, ws.turns);
    out.U.set_zero();
    for (auto& A : ws.children) A = {};
    if (robot.flat) {
      sweep<FlatChain>(robot, q, ws, out);
    } else {
      sweep<AnyTree>(robot, q, ws, out);
    }
  }

 private:
  template <class Shape, class S>
  static void sweep(const BasicMechanism<ConstantOf<S>>& robot, std::span<const S> q, Workspace<S>& ws,
                    const FactorView<S>& out) {
    using T = ConstantOf<S>;
    for (int k = robot.n() - 1; k >= 0; --k) {
      const auto& link = robot.links[index(k)];
      const bool revolute = Shape::revolute(link);
      const T rotor = rotor_inertia(robot, link);
      ArticulatedInertia<S>& A = ws.children[index(k)];
      add_moments(A, Shape::moment(link), Shape::pseudo(link));  // (1)
      if (!revolute) add_mass(A, link.augmented_mass);
      const Vec3<S> n = revolute ? A.I.column_z() : A.H.column_z();  // (2)
      const Vec3<S> f = revolute ? row_z(A.H) : A.M.column_z();
      S pivot = revolute ? n.z : f.z;
      if (rotor != T(0)) pivot += rotor;  // (3)
      out.D[index(link.q)] = pivot;
      out.U(link.q, link.q) = S(T(1));
      if (link.parent == base) continue;
      const S inverse_pivot = T(1) / pivot;
      const Wrench<S> psi{inverse_pivot * n, inverse_pivot * f};
      ArticulatedInertia<S> rest;
      if (revolute && rotor == T(0)) {
        rest = to_parent(Shape::twist(link), ws.turns[k], give_way_about_axis(A, psi.moment, psi.force));  // (4)
      } else {
        give_way(A, n, f, psi.moment, psi.force);
        rest = to_parent(Shape::twist(link), ws.turns[k], A);
      }
      move_origin(rest, Shape::offset(link, q));  // (5)
      if (!revolute) add_mass(rest, -link.augmented_mass);
      ws.children[index(link.parent)] += rest;
      write_column<Shape>(robot, q, k, psi, ws, out);
    }
  }

  // (6): carries ψ_k from joint k to the base.
  template <class Shape, class S>
  static void write_column(const BasicMechanism<ConstantOf<S>>& robot, std::span<const S> q, int k, Wrench<S> psi,
                           const Workspace<S>& ws, const FactorView<S>& out) {
    const int column = robot.links[index(k)].q;
    for (int i = k; robot.links[index(i)].parent != base;) {
      const auto& step = robot.links[index(i)];
      psi.force = to_parent(Shape::twist(step), ws.turns[i], psi.force);
      psi.moment = add_cross(to_parent(Shape::twist(step), ws.turns[i], psi.moment), Shape::offset(step, q), psi.force);
      i = step.parent;
      const auto& ancestor = robot.links[index(i)];
      out.U(ancestor.q, column) = Shape::revolute(ancestor) ? psi.moment.z : psi.force.z;
    }
  }
};

// Which joint carries which, for eliminating in a matrix that is there already. Joints by their place in q.
struct Branches {
  std::vector<int> order;   // base to tips
  std::vector<int> parent;  // the joint that carries a joint, or base

  template <class T>
  explicit Branches(const BasicMechanism<T>& robot) : order(index(robot.n())), parent(index(robot.n())) {
    for (int k = 0; k < robot.n(); ++k) {
      const auto& link = robot.links[index(k)];
      order[index(k)] = link.q;
      parent[index(link.q)] = link.parent == base ? base : robot.links[index(link.parent)].q;
    }
  }
  // Every joint carries the next: no zeros to make use of.
  explicit Branches(int n) : order(index(n)), parent(index(n)) {
    for (int k = 0; k < n; ++k) order[index(k)] = k, parent[index(k)] = k - 1;
    static_assert(base == -1);
  }
};

// The factors of a formed M, in place: M becomes U and D, tips first, only along the branches (7). On a chain that is
// every entry: with the joints numbered from the tip it is M = L D Lᵀ. Works in the entries (joint, ancestor).
template <class S>
void eliminate(const Branches& branches, const FactorView<S>& out) {
  using T = ConstantOf<S>;
  const MatrixView<S>& M = out.U;
  const std::vector<int>& parent = branches.parent;
  for (std::size_t k = branches.order.size(); k-- > 0;) {
    const int column = branches.order[k];
    const S pivot = M(column, column);
    const S inverse_pivot = T(1) / pivot;
    for (int row = parent[index(column)]; row != base; row = parent[index(row)]) {
      const S u = inverse_pivot * M(column, row);
      for (int other = row; other != base; other = parent[index(other)]) M(row, other) -= u * M(column, other);
      M(row, column) = u;
      M(column, row) = S{};  // no later row asks for it
    }
    M(column, column) = S(T(1));
    out.D[index(column)] = pivot;
  }
}

// LDLᵀ: forms M by generalized links, then eliminates.
struct FormedElimination {
  static constexpr FormulationInfo info{"ldlt", "factor", "Featherstone 2008, section 8.5; M by generalized links",
                                        "docs/equations/factor.md", "none published"};

  template <class S>
  struct Workspace {
    GeneralizedLinks::Workspace<S> inertia;
    Branches constants;

    explicit Workspace(const BasicMechanism<ConstantOf<S>>& robot) : inertia(robot), constants(robot) {}
  };

  template <class S>
  static void run(const BasicMechanism<ConstantOf<S>>& robot, std::span<const S> q, Workspace<S>& ws,
                  const FactorView<S>& out) {
    GeneralizedLinks::run<S>(robot, q, ws.inertia, out.U);
    add_rotor_inertia<S>(robot, out.U);
    eliminate<S>(ws.constants, out);
  }
};

// x = U⁻¹ x: (8)
template <class S>
void reduce_factored(const Branches& branches, const FactorView<const S>& factors, std::span<S> x) {
  const std::vector<int>& parent = branches.parent;
  for (std::size_t k = branches.order.size(); k-- > 0;) {
    const int column = branches.order[k];
    for (int row = parent[index(column)]; row != base; row = parent[index(row)])
      x[index(row)] -= factors.U(row, column) * x[index(column)];
  }
}

// x = M⁻¹ x = U⁻ᵀ D⁻¹ U⁻¹ x: (8), (9)
template <class S>
void solve_factored(const Branches& branches, const FactorView<const S>& factors, std::span<S> x) {
  const std::vector<int>& parent = branches.parent;
  reduce_factored<S>(branches, factors, x);
  for (const int column : branches.order) {
    S value = x[index(column)] / factors.D[index(column)];
    for (int row = parent[index(column)]; row != base; row = parent[index(row)])
      value -= factors.U(row, column) * x[index(row)];
    x[index(column)] = value;
  }
}

// The faster of the two for n joints, as measured: forming M grows with the cube.
constexpr std::string_view default_factor(int n) { return n < 12 ? "ldlt" : "denoc"; }

enum class Directions { all, translation };

// M = U D Uᵀ, rotors included, as an object that owns its workspace; calls allocate nothing.
template <class S>
class Factorization {
 public:
  // Methods: "denoc" (without forming M) and "ldlt", on the mechanism as it is. Without one: the faster, on the
  // optimized mechanism. Throws std::invalid_argument on any other.
  explicit Factorization(const Mechanism& robot, std::string_view method = {});
  ~Factorization();
  Factorization(Factorization&&) noexcept;
  Factorization& operator=(Factorization&&) noexcept;

  // Throws std::invalid_argument on a wrong length and std::domain_error when q is not finite or a pivot is not
  // positive, naming the joint and why; there are no factors then. The calls below throw std::logic_error when there
  // are none.
  void factor(std::span<const S> q);

  std::span<const S> U() const;  // n x n row-major, user's order of q
  std::span<const S> D() const;  // n
  // M x = rhs for any number of right-hand sides, n entries each, one after the other. x may be rhs.
  void solve(std::span<const S> rhs, std::span<S> x) const;
  void inverse(std::span<S> M_inverse) const;  // n x n

  // Λ = (J M⁻¹ Jᵀ)⁻¹ of a frame: force and moment per acceleration of its origin, along the world's axes. 6 x 6,
  // translation first, or 3 x 3 for translation alone. Throws std::domain_error where the frame cannot be accelerated
  // in all directions.
  void operational_inertia(int frame, std::span<S> Lambda, Directions directions = Directions::all);

  const FormulationInfo& method() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

extern template class Factorization<double>;
extern template class Factorization<float>;

}  // namespace catena

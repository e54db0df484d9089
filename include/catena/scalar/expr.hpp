// Expr: a scalar that records the operations on it. Run a formulation on it, and the graph holds the whole computation
// with constants folded: symbolic output and generated code are printed from it.
//
// A constant carries its value and needs no graph; an operation with a variable is recorded in the variable's graph.
// For Expr, robot constants are Expr too: a parameter may remain a symbol.
#pragma once

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include "catena/scalar/graph.hpp"
#include "catena/scalar/scalar.hpp"

namespace catena {

class Expr;
template <>
struct constant_of<Expr> {
  using type = Expr;
};

class Expr {
 public:
  constexpr Expr() = default;
  constexpr Expr(double constant) : constant_(constant) {}
  Expr(Graph& graph, NodeRef ref) : graph_(&graph), ref_(ref) {
    if (graph.is_constant(ref)) *this = Expr(graph.constant_value(ref));
  }
  static Expr input(Graph& graph, std::string name) { return {graph, graph.input(std::move(name))}; }

  bool is_constant() const { return graph_ == nullptr; }
  double constant() const { return constant_; }  // its value, if it is a constant
  NodeRef in(Graph& graph) const { return is_constant() ? graph.constant(constant_) : ref_; }

  friend Expr operator+(const Expr& a, const Expr& b) {
    if (a.is_constant() && b.is_constant()) return a.constant_ + b.constant_;
    Graph& g = common(a, b);
    return {g, g.add(a.in(g), b.in(g))};
  }
  friend Expr operator-(const Expr& a, const Expr& b) { return a + -b; }
  friend Expr operator*(const Expr& a, const Expr& b) {
    if (a.is_constant() && b.is_constant()) return a.constant_ * b.constant_;
    Graph& g = common(a, b);
    return {g, g.multiply(a.in(g), b.in(g))};
  }
  friend Expr operator/(const Expr& a, const Expr& b) {
    if (b.is_constant()) return a.is_constant() ? Expr(a.constant_ / b.constant_) : a * Expr(1.0 / b.constant_);
    Graph& g = *b.graph_;
    return a * Expr(g, g.reciprocal(b.ref_));
  }
  friend Expr operator-(const Expr& a) {
    return a.is_constant() ? Expr(0.0 - a.constant_) : Expr(*a.graph_, -a.ref_);  // no negative zero
  }
  Expr& operator+=(const Expr& b) { return *this = *this + b; }
  Expr& operator-=(const Expr& b) { return *this = *this - b; }
  Expr& operator*=(const Expr& b) { return *this = *this * b; }

  // Equal for all inputs: the same constant, or the same node.
  friend bool operator==(const Expr& a, const Expr& b) {
    if (a.is_constant() || b.is_constant()) return a.is_constant() && b.is_constant() && a.constant_ == b.constant_;
    return a.graph_ == b.graph_ && a.ref_ == b.ref_;
  }

  // Off-line comparisons of robot constants. A symbol has no value: std::domain_error.
  friend bool operator<(const Expr& a, const Expr& b) { return a.known() < b.known(); }
  friend bool operator>(const Expr& a, const Expr& b) { return b < a; }
  friend bool operator<=(const Expr& a, const Expr& b) { return a.known() <= b.known(); }
  friend bool operator>=(const Expr& a, const Expr& b) { return b <= a; }
  friend Expr sqrt(const Expr& a) { return std::sqrt(a.known()); }
  friend Expr abs(const Expr& a) { return std::abs(a.known()); }

  // A constant angle takes three fused steps instead of four products: two shears along x around one along y.
  friend Plane<Expr> rotate(const Expr& c, const Expr& s, const Expr& x, const Expr& y) {
    const Expr zero;
    const bool plain = !c.is_constant() || !s.is_constant() || c == zero || s == zero || x == zero || y == zero;
    if (plain) return {c * x - s * y, s * x + c * y};
    if (c.constant_ < 0.0) {  // half a turn less, where the shears are small
      const Plane<Expr> opposite = rotate(-c, -s, x, y);
      return {-opposite.x, -opposite.y};
    }
    const Expr t(s.constant_ / (1.0 + c.constant_));
    const Expr sheared = x - t * y;
    const Expr turned_y = y + s * sheared;
    return {sheared - t * turned_y, turned_y};
  }
  friend Plane<Expr> rotate_back(const Expr& c, const Expr& s, const Expr& x, const Expr& y) {
    return rotate(c, -s, x, y);
  }

  friend Turn<Expr> sincos(const Expr& x) {
    if (x.is_constant()) {
      const Turn<double> t = library_sincos(x.constant_);
      return {t.c, t.s};
    }
    Graph& g = *x.graph_;
    return {Expr(g, g.cosine(x.ref_)), Expr(g, g.sine(x.ref_))};
  }
  // q + offset; an offset of quarter turns, to double precision, exchanges sine and cosine instead.
  friend Turn<Expr> sincos_of_sum(const Expr& q, const Expr& offset) {
    constexpr double quarter = 1.5707963267948966;
    if (!offset.is_constant() || q.is_constant()) return sincos(q + offset);
    const double turns = std::round(offset.constant_ / quarter);
    if (std::abs(offset.constant_ - turns * quarter) > 1e-15 * std::abs(offset.constant_)) return sincos(q + offset);
    const Turn<Expr> t = sincos(q);
    switch (static_cast<int>(std::fmod(turns, 4.0) + 4.0) % 4) {
      case 0:
        return t;
      case 1:
        return {-t.s, t.c};
      case 2:
        return {-t.c, -t.s};
      default:
        return {t.s, -t.c};
    }
  }
  friend Expr sign(const Expr& x) {
    return x.is_constant() ? Expr(catena::sign(x.constant_)) : Expr(*x.graph_, x.graph_->sign(x.ref_));
  }
  friend Expr decay(const Expr& x) {
    return x.is_constant() ? Expr(catena::decay(x.constant_)) : Expr(*x.graph_, x.graph_->decay(x.ref_));
  }

 private:
  double known() const {
    if (is_constant()) return constant_;
    throw std::domain_error("this formulation compares a robot constant, which is a symbol here");
  }
  static Graph& common(const Expr& a, const Expr& b) { return *(a.is_constant() ? b.graph_ : a.graph_); }

  Graph* graph_ = nullptr;  // null: a constant
  NodeRef ref_{};
  double constant_ = 0.0;
};

static_assert(Scalar<Expr>);

}  // namespace catena

template <>
struct std::numeric_limits<catena::Expr> : std::numeric_limits<double> {};

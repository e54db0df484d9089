// Counted: a double that counts the operations on it. Run a formulation on it to see how many operations it takes.
#pragma once

#include <array>
#include <string_view>

#include "catena/scalar/scalar.hpp"

namespace catena {

struct OperationCount {
  long multiplications = 0, additions = 0, divisions = 0, sincos = 0;

  OperationCount& operator+=(const OperationCount& b) {
    multiplications += b.multiplications, additions += b.additions;
    divisions += b.divisions, sincos += b.sincos;
    return *this;
  }
  friend OperationCount operator-(const OperationCount& a, const OperationCount& b) {
    return {a.multiplications - b.multiplications, a.additions - b.additions, a.divisions - b.divisions,
            a.sincos - b.sincos};
  }
  friend bool operator==(const OperationCount&, const OperationCount&) = default;
};

// The operations of one equation: formulations/shared/counted_as.hpp.
struct LineCount {
  std::string_view equation;
  OperationCount online;
};

class Counted {
 public:
  constexpr Counted() = default;
  constexpr Counted(double v) : value_(v) {}  // a constant costs nothing
  static constexpr Counted variable(double v) { return {v, false}; }
  constexpr double value() const { return value_; }

  // The running count of this thread, and of it what was charged to equations.
  struct Tally {
    OperationCount total, charged;
    std::array<LineCount, 32> lines;
    bool constants_known = false;  // what 0, 1, -1 and other constants make superfluous is not counted
  };
  static Tally& tally() {
    thread_local Tally here;
    return here;
  }
  static OperationCount& count() { return tally().total; }
  static void reset() { tally() = {}; }

  // All operations since the last call belong to this equation.
  static void charge(std::string_view equation) {
    Tally& here = tally();
    for (LineCount& line : here.lines) {
      if (!line.equation.empty() && line.equation != equation) continue;
      line.equation = equation;
      line.online += here.total - here.charged;
      break;
    }
    here.charged = here.total;
  }

  friend Counted operator+(Counted a, Counted b) { return sum(a, b, a.value_ + b.value_); }
  friend Counted operator-(Counted a, Counted b) { return sum(a, b, a.value_ - b.value_); }
  friend Counted operator*(Counted a, Counted b) {
    const bool known = (a.known_ && b.known_) || a.is(0.0) || b.is(0.0);
    Tally& here = tally();
    if (!here.constants_known || !(known || a.is(1.0) || a.is(-1.0) || b.is(1.0) || b.is(-1.0)))
      ++here.total.multiplications;
    return {a.value_ * b.value_, known};
  }
  friend Counted operator/(Counted a, Counted b) {
    ++count().divisions;
    return {a.value_ / b.value_, a.known_ && b.known_};
  }
  friend Counted operator-(Counted a) { return {-a.value_, a.known_}; }  // a sign costs nothing
  Counted& operator+=(Counted b) { return *this = *this + b; }
  Counted& operator-=(Counted b) { return *this = *this - b; }
  Counted& operator*=(Counted b) { return *this = *this * b; }
  friend Turn<Counted> sincos(Counted x) {
    ++count().sincos;
    const Turn<double> t = catena::sincos(x.value_);
    return {{t.c, x.known_}, {t.s, x.known_}};
  }
  // The papers' tables take θ as the joint variable: adding a normalized frame's constant to q counts as part of the
  // sine.
  friend Turn<Counted> sincos_of_sum(Counted q, double offset) { return sincos(Counted(q.value_ + offset, q.known_)); }
  friend Counted sign(Counted x) { return {catena::sign(x.value_), x.known_}; }
  friend Counted decay(Counted x) { return {catena::decay(x.value_), x.known_}; }  // no column of the tables has it

 private:
  constexpr Counted(double v, bool known) : value_(v), known_(known) {}
  constexpr bool is(double constant) const { return known_ && value_ == constant; }
  static Counted sum(Counted a, Counted b, double value) {
    Tally& here = tally();
    const bool known = a.known_ && b.known_;
    if (!here.constants_known || !(known || a.is(0.0) || b.is(0.0))) ++here.total.additions;
    return {value, known};
  }

  double value_ = 0.0;
  bool known_ = true;  // a constant, or made of constants
};

static_assert(Scalar<Counted>);

}  // namespace catena

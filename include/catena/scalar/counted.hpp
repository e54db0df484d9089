// Counted: a double that counts the operations on it. Run a formulation on it to see how many operations it takes.
#pragma once

#include "catena/scalar/scalar.hpp"

namespace catena {

struct OperationCount {
  long multiplications = 0, additions = 0, divisions = 0, sincos = 0;

  friend OperationCount operator-(const OperationCount& a, const OperationCount& b) {
    return {a.multiplications - b.multiplications, a.additions - b.additions, a.divisions - b.divisions,
            a.sincos - b.sincos};
  }
  friend bool operator==(const OperationCount&, const OperationCount&) = default;
};

class Counted {
 public:
  constexpr Counted() = default;
  constexpr Counted(double v) : value_(v) {}  // a constant costs nothing
  constexpr double value() const { return value_; }

  // The running count of this thread.
  static OperationCount& count() {
    thread_local OperationCount total;
    return total;
  }
  static void reset() { count() = {}; }

  friend Counted operator+(Counted a, Counted b) {
    ++count().additions;
    return a.value_ + b.value_;
  }
  friend Counted operator-(Counted a, Counted b) {
    ++count().additions;
    return a.value_ - b.value_;
  }
  friend Counted operator*(Counted a, Counted b) {
    ++count().multiplications;
    return a.value_ * b.value_;
  }
  friend Counted operator/(Counted a, Counted b) {
    ++count().divisions;
    return a.value_ / b.value_;
  }
  friend Counted operator-(Counted a) { return -a.value_; }  // a sign costs nothing
  Counted& operator+=(Counted b) { return *this = *this + b; }
  Counted& operator-=(Counted b) { return *this = *this - b; }
  Counted& operator*=(Counted b) { return *this = *this * b; }
  friend Turn<Counted> sincos(Counted x) {
    ++count().sincos;
    const Turn<double> t = catena::sincos(x.value_);
    return {t.c, t.s};
  }
  // The papers' tables take θ as the joint variable: adding a normalized frame's constant to q counts as part of the
  // sine.
  friend Turn<Counted> sincos_of_sum(Counted q, double offset) { return sincos(Counted(q.value_ + offset)); }
  friend Counted sign(Counted x) { return catena::sign(x.value_); }

 private:
  double value_ = 0.0;
};

static_assert(Scalar<Counted>);

}  // namespace catena

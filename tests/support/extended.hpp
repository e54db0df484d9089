// The scalar of references: the processor's extended precision, 64 bits of mantissa on x86-64. It is a class, so that
// formulations take their general text and not what they have for machine numbers.
#pragma once

#include <cmath>

#include "catena/job.hpp"
#include "catena/scalar/scalar.hpp"
#include "run/charted_curvature.hpp"

namespace catena {

struct Extended {
  long double value = 0.0L;

  constexpr Extended() = default;
  constexpr Extended(long double number) : value(number) {}

  friend constexpr Extended operator+(Extended a, Extended b) { return Extended(a.value + b.value); }
  friend constexpr Extended operator-(Extended a, Extended b) { return Extended(a.value - b.value); }
  friend constexpr Extended operator*(Extended a, Extended b) { return Extended(a.value * b.value); }
  friend constexpr Extended operator/(Extended a, Extended b) { return Extended(a.value / b.value); }
  friend constexpr Extended operator-(Extended a) { return Extended(-a.value); }
  constexpr Extended& operator+=(Extended b) { return *this = *this + b; }
  constexpr Extended& operator-=(Extended b) { return *this = *this - b; }
  constexpr Extended& operator*=(Extended b) { return *this = *this * b; }

  friend Turn<Extended> sincos(Extended x) { return {Extended(std::cos(x.value)), Extended(std::sin(x.value))}; }
  friend constexpr Extended sign(Extended x) { return Extended(catena::sign(x.value)); }
  friend Extended decay(Extended x) { return Extended(std::exp(-x.value)); }
};
static_assert(Scalar<Extended>);

// support/extended_loop_curvature.cpp
template <>
std::unique_ptr<Runner<Extended>> make_loop_curvature(std::shared_ptr<const Mechanism> robot,
                                                      const FormulationInfo& asked);

}  // namespace catena

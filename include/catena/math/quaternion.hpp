// Rotations as quaternions (x, y, z, w), which need not have length 1: only their direction counts.
#pragma once

#include <cmath>

#include "catena/math/mat3.hpp"
#include "catena/scalar/scalar.hpp"

namespace catena {

// R of ξ / |ξ|.
template <class S>
constexpr Mat3<S> rotation_of(const S& x, const S& y, const S& z, const S& w) {
  using T = ConstantOf<S>;
  const S s = S(T(2)) / (((x * x + y * y) + z * z) + w * w);
  const S sx = s * x, sy = s * y, sz = s * z;
  const S xx = sx * x, yy = sy * y, zz = sz * z, xy = sx * y, xz = sx * z, yz = sy * z;
  const S wx = sx * w, wy = sy * w, wz = sz * w;
  const T unit(1);
  return {unit - (yy + zz), xy - wz, xz + wy, xy + wz, unit - (xx + zz), yz - wx, xz - wy, yz + wx, unit - (xx + yy)};
}

inline void normalize_quaternion(double* xi) {
  const double length = std::hypot(std::hypot(xi[0], xi[1]), std::hypot(xi[2], xi[3]));
  for (int k = 0; k < 4; ++k) xi[k] /= length;
}

// The rate of ξ while its frame turns at ω along its own axes, ½ ξ ⊗ (ω, 0), plus a term that restores length 1, which
// does not affect R.
inline void quaternion_rate(const double* xi, const Vec3<double>& omega, double* rate) {
  const Vec3<double> axis{xi[0], xi[1], xi[2]};
  const double w = xi[3], back = 0.5 * (1.0 - dot(axis, axis) - w * w);
  const Vec3<double> turned = 0.5 * (w * omega + cross(axis, omega));
  rate[0] = turned.x + back * axis.x;
  rate[1] = turned.y + back * axis.y;
  rate[2] = turned.z + back * axis.z;
  rate[3] = -0.5 * dot(axis, omega) + back * w;
}

}  // namespace catena

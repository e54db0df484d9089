// Rotations that fit measurements best, and as three numbers.
#pragma once

#include <cmath>

#include "catena/math/pose.hpp"
#include "catena/robot.hpp"
#include "identify/matrices.hpp"

namespace catena::identification {

inline double length(const Vec3<double>& v) { return std::sqrt(dot(v, v)); }

// Angle times axis of the rotation R with the largest trace(Rᵀ M), the angle at most π: the quaternion that belongs to
// the largest eigenvalue (Horn, 1987).
inline Vec3<double> rotation_vector_of(const Mat3<double>& M) {
  const double trace = M.xx + M.yy + M.zz, a = M.zy - M.yz, b = M.xz - M.zx, c = M.yx - M.xy;
  const double xy = M.xy + M.yx, xz = M.xz + M.zx, yz = M.yz + M.zy;
  const Matrix N(4, 4,
                 std::vector<double>{trace, a, b, c,                 //
                                     a, 2.0 * M.xx - trace, xy, xz,  //
                                     b, xy, 2.0 * M.yy - trace, yz,  //
                                     c, xz, yz, 2.0 * M.zz - trace});
  const Matrix vectors = dense::symmetric_eigen(N).vectors;
  const double sign = std::copysign(1.0, vectors(0, 3));
  const Vec3<double> v = sign * Vec3<double>{vectors(1, 3), vectors(2, 3), vectors(3, 3)};
  const double sine = length(v);
  return sine == 0.0 ? Vec3<double>{} : (2.0 * std::atan2(sine, std::abs(vectors(0, 3))) / sine) * v;
}
inline Mat3<double> rotation_of(const Vec3<double>& vector) {
  const double angle = length(vector);
  return angle == 0.0 ? Mat3<double>::identity() : rotation_about((1.0 / angle) * vector, angle);
}
inline Mat3<double> nearest_rotation(const Mat3<double>& M) { return rotation_of(rotation_vector_of(M)); }

}  // namespace catena::identification

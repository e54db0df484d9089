// Principal axes of a symmetric matrix, and Ball's principal screws of inertia of a rigid body. Equations (1)-(5):
// docs/equations/principal_screws.md.
#pragma once

#include <array>

#include "catena/robot.hpp"

namespace catena {

struct PrincipalAxes {
  Vec3<double> moments;  // ascending
  Mat3<double> axes;     // a rotation, its columns in the order of the moments
};
PrincipalAxes principal_axes(const Sym3<double>& matrix);

// A line and a pitch: a rotation about the axis by an angle, with a translation along it of pitch times the angle.
struct Screw {
  Vec3<double> axis{};   // unit
  Vec3<double> point{};  // on the axis
  double pitch = 0.0;    // m/rad; infinite: a pure translation along the axis
};

// (5): the screw that a twist is on, the velocity that of the frame's origin; its point is the one nearest to the
// origin. Throws std::domain_error for a twist that is zero.
Screw screw_of(const Vec3<double>& angular, const Vec3<double>& velocity);

// (1): the axes are the principal axes through the mass centre, each with pitch +r and -r, r its radius of gyration; in
// the link's frame, smallest moment first. An impulse on one of them starts a twist on the same one. Throws
// std::domain_error for a body without mass or with a moment that is negative beyond rounding.
std::array<Screw, 6> principal_screws(const Inertial& body);

}  // namespace catena

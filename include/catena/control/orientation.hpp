// The Cartesian vector χ of a frame: its position and three numbers of its rotation, by several conventions; and how
// well the joints can move it. Equations (18)-(22): docs/equations/cartesian_models.md.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "catena/math/pose.hpp"

namespace catena {

// R = R_first(a) R_second(b) R_third(c) about axes that turn along. `reversed`: the angles are named from the last to
// the first, as roll, pitch and yaw are.
struct AngleConvention {
  std::string_view name, axes;
  bool reversed = false;
};
inline constexpr std::array<AngleConvention, 4> angle_conventions{
    {{"rpy", "zyx", true}, {"zyz", "zyz"}, {"zxz", "zxz"}, {"xyz", "xyz"}}};

// The angles, the middle one in [-π/2, π/2], or in [0, π] where the first axis is also the last; (18), (19). Where two
// of the axes are one and only a sum of angles counts, the last of `axes` is 0. Throws std::invalid_argument where two
// axes that follow one another are the same.
Vec3<double> angles_of(const Mat3<double>& rotation, const AngleConvention& convention);
Mat3<double> rotation_of(const Vec3<double>& angles, const AngleConvention& convention);

// Of the singular values of a matrix m x n by rows, all min(m, n) of them: their product, the largest over the smallest
// (infinity where the smallest is 0) and the smallest, (22).
struct Dexterity {
  double manipulability = 0.0, condition = 0.0, smallest_singular_value = 0.0;
};
Dexterity dexterity(std::span<const double> J, std::size_t rows, std::size_t columns);

}  // namespace catena

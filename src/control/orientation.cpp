#include "catena/control.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "catena/robot.hpp"
#include "dense/dense.hpp"

namespace catena {
namespace {

// Axes i, j, k as numbers; l is the one beside i and j; sign is that of the permutation i, j, l.
struct Order {
  int i, j, k, l;
  double sign;

  explicit Order(std::string_view axes) {
    if (axes.size() != 3 || axes.find_first_not_of("xyz") != std::string_view::npos || axes[0] == axes[1] ||
        axes[1] == axes[2])
      throw std::invalid_argument("three axes of x, y and z, no two that follow one another the same: '" +
                                  std::string(axes) + "'");
    i = axes[0] - 'x', j = axes[1] - 'x', k = axes[2] - 'x', l = 3 - i - j;
    sign = (j - i + 3) % 3 == 1 ? 1.0 : -1.0;
  }
};

constexpr double degenerate = 1e-12;  // sine or cosine of the middle angle: below, two axes are one

}  // namespace

Vec3<double> angles_of(const Mat3<double>& R, const AngleConvention& convention) {
  const Order o(convention.axes);
  const double entries[3][3] = {{R.xx, R.xy, R.xz}, {R.yx, R.yy, R.yz}, {R.zx, R.zy, R.zz}};
  const auto r = [&](int row, int column) { return entries[row][column]; };
  const bool twice = o.i == o.k;
  const double across = twice ? std::hypot(r(o.i, o.j), r(o.i, o.l)) : std::hypot(r(o.i, o.i), r(o.i, o.j));
  const double b = twice ? std::atan2(across, r(o.i, o.i)) : std::atan2(o.sign * r(o.i, o.l), across);
  // The last angle first, then what is left of the first once it is undone: both come from large entries.   (18), (19)
  double c = 0.0;
  if (across > degenerate)
    c = twice ? std::atan2(r(o.i, o.j), o.sign * r(o.i, o.l)) : std::atan2(-o.sign * r(o.i, o.j), r(o.i, o.i));
  const double cc = std::cos(c), sc = std::sin(c);
  // R R_k(-c) e_j = R_i(a) e_j = cos a e_j + sign sin a e_l                                                        (20)
  const int m = 3 - o.j - o.k;  // R_k(-c) e_j = cos c e_j ± sin c e_m
  const double turn = (o.j - o.k + 3) % 3 == 1 ? -sc : sc;
  const double a = std::atan2(o.sign * (cc * r(o.l, o.j) + turn * r(o.l, m)), cc * r(o.j, o.j) + turn * r(o.j, m));
  return convention.reversed ? Vec3<double>{c, b, a} : Vec3<double>{a, b, c};
}

Mat3<double> rotation_of(const Vec3<double>& angles, const AngleConvention& convention) {
  const Order o(convention.axes);
  const Vec3<double> unit[] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
  const double first = convention.reversed ? angles.z : angles.x, last = convention.reversed ? angles.x : angles.z;
  return rotation_about(unit[o.i], first) * rotation_about(unit[o.j], angles.y) * rotation_about(unit[o.k], last);
}

Dexterity dexterity(std::span<const double> J, std::size_t rows, std::size_t columns) {
  if (J.size() != rows * columns) throw std::invalid_argument("the matrix does not have that many entries");
  if (J.empty()) return {0.0, std::numeric_limits<double>::infinity(), 0.0};
  const std::vector<double> values = dense::singular_values({rows, columns, J});
  const double largest = values.front(), smallest = values.back();
  const double product = std::accumulate(values.begin(), values.end(), 1.0, std::multiplies<>());
  return {product, smallest > 0.0 ? largest / smallest : std::numeric_limits<double>::infinity(), smallest};
}

}  // namespace catena

#include "control/cartesian_motion.hpp"

#include <array>
#include <cmath>
#include <stdexcept>

namespace catena::control {
namespace {

double root(double x) { return std::sqrt(x); }
template <class T>
Dual<T> root(const Dual<T>& x) {
  const T r = root(x.value);
  return {r, x.derivative / (r + r)};
}
double plain(const Dual<Dual<double>>& x) { return x.value.value; }

constexpr double least_sine = 1e-8;  // of the angle that is in the way, before the others have no rates

// (2), (14): the rates of roll, pitch and yaw for an angular velocity w.
template <class S>
Vec3<S> rpy_rates(const Mat3<S>& R, const Vec3<S>& w) {
  const S square = R.xx * R.xx + R.yx * R.yx;  // cos² pitch
  if (!(plain(square) > least_sine * least_sine))
    throw std::domain_error(
        "the pitch is 90°, where roll and yaw turn about the same axis and have no rates: choose other coordinates");
  const S roll = (R.xx * w.x + R.yx * w.y) / square;
  return {roll, (R.xx * w.y - R.yx * w.x) / root(square), w.z - R.zx * roll};
}
// (3), (15): those of the angles about z, y and z.
template <class S>
Vec3<S> zyz_rates(const Mat3<S>& R, const Vec3<S>& w) {
  const S square = R.xz * R.xz + R.yz * R.yz;  // sin² beta
  if (!(plain(square) > least_sine * least_sine))
    throw std::domain_error(
        "beta is 0° or 180°, where alpha and gamma turn about the same axis and have no rates: choose other "
        "coordinates");
  const S gamma = (R.xz * w.x + R.yz * w.y) / square;
  return {w.z - R.zz * gamma, (R.xz * w.y - R.yz * w.x) / root(square), gamma};
}

template <class S>
std::array<S, 6> rates(FrameCoordinates coordinates, const Mat3<S>& R, const JacobianColumn<S>& column) {
  Vec3<S> turn = column.angular;
  if (coordinates == FrameCoordinates::rpy) turn = rpy_rates(R, column.angular);
  if (coordinates == FrameCoordinates::zyz) turn = zyz_rates(R, column.angular);
  return {column.linear.x, column.linear.y, column.linear.z, turn.x, turn.y, turn.z};
}

// Dual numbers cannot search for the positions of loops.
const Mechanism& taken(const Mechanism& robot) {
  require_fixed_base(robot, "Cartesian models do");
  if (robot.coordinates.is_closed()) require_uncoupled(robot, "Cartesian models");
  return robot;
}

}  // namespace

CoordinateRates::CoordinateRates(const Mechanism& robot, int frame, FrameCoordinates coordinates, std::vector<int> rows)
    : kinematics_(taken(robot)),
      frame_(frame),
      coordinates_(coordinates),
      rows_(std::move(rows)),
      q_(index(robot.nv())),
      columns_(index(robot.nv())) {
  J = J_dot = J_ddot = {rows_.size(), columns_.size()};
}

// (1): q(t + ε) to the second order in ε, in nested dual numbers.
void CoordinateRates::update(std::span<const double> q, std::span<const double> qd, std::span<const double> qdd) {
  for (std::size_t j = 0; j < q_.size(); ++j) q_[j] = {{q[j], qd[j]}, {qd[j], qdd[j]}};
  kinematics_.update(q_);
  kinematics_.jacobian(frame_, columns_);
  const Pose<Twice> moving = kinematics_.pose(frame_);
  const Mat3<Twice>& R = moving.R;
  pose = {{plain(R.xx), plain(R.xy), plain(R.xz), plain(R.yx), plain(R.yy), plain(R.yz), plain(R.zx), plain(R.zy),
           plain(R.zz)},
          {plain(moving.p.x), plain(moving.p.y), plain(moving.p.z)}};
  for (std::size_t j = 0; j < J.columns(); ++j) {
    const auto column = rates(coordinates_, R, columns_[j]);
    for (std::size_t i = 0; i < J.rows(); ++i) {
      const Twice& entry = column[index(rows_[i])];
      J(i, j) = entry.value.value;
      J_dot(i, j) = entry.value.derivative;
      J_ddot(i, j) = entry.derivative.derivative;
    }
  }
}

}  // namespace catena::control

#include "sim/carried_base.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "catena/math/quaternion.hpp"

namespace catena {

CarriedBase::CarriedBase(const Mechanism& robot, BaseLaw law)
    : law_(std::move(law)),
      moving_(robot.coordinates.is_moving() ? robot : on_moving_base(robot), "bias"),
      still_(robot, "bias"),
      alone_(still_.size()),
      gravity_(robot.world_from_base.R * robot.gravity) {}

Quaternion CarriedBase::unit(Turned xi) {
  Quaternion unit{xi[0], xi[1], xi[2], xi[3]};
  normalize_quaternion(unit.data());
  return unit;
}

void CarriedBase::forces(double t, std::span<const double> q, std::span<const double> qd, Turned xi,
                         std::span<double> delta) {
  BaseMotion<double> motion = law_(t);
  omega_ = motion.angular_velocity;
  // Rᵀg from the normalized quaternion: R is a rotation even if the integrator changes its length.                  (7)
  const auto [x, y, z, w] = unit(xi);
  const Vec3<double> axis{x, y, z};
  const Vec3<double> across = 2.0 * cross(gravity_, axis);
  motion.acceleration -= w * across + cross(across, axis);  // minus the change of gravity, Rᵀg - g
  try {
    const auto told = motion.numbers();
    if (!std::all_of(told.begin(), told.end(), [](double number) { return std::isfinite(number); }))
      throw std::domain_error("the motion of the base is not a finite number");
    moving_({.q = q, .qd = qd, .base = told}, delta);
    still_({.q = q, .qd = qd}, alone_);
  } catch (const std::domain_error& error) {
    throw std::domain_error(std::string(error.what()) + " at t = " + std::to_string(t) + " s");
  }
  for (std::size_t j = 0; j < alone_.size(); ++j) delta[j] -= alone_[j];  // weight and friction cancel              (6)
}

// docs/equations/moving_base.md (8)
void CarriedBase::turn(Turned xi, std::span<double, 4> rate) const { quaternion_rate(xi.data(), omega_, rate.data()); }

}  // namespace catena

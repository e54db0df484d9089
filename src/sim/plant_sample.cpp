// What is told of a plant: its samples, and what an event did to a joint.
#include <array>

#include "catena/math/quaternion.hpp"
#include "sim/plant.hpp"

namespace catena {

std::string Plant::what_changed(std::size_t j, const Joint& before) const {
  const Joint& now = joints_[j];
  if (now.hit_speed > 0.0)
    return std::string("hits its ") + (now.hit == Stop::upper ? "upper" : "lower") + " stop at " +
           std::to_string(now.hit_speed);
  const auto slides = [](const Joint& joint) {
    return joint.mode == Mode::sliding_up || joint.mode == Mode::sliding_down;
  };
  if (before.mode == Mode::held && now.mode != Mode::held)
    return before.stop == Stop::none ? "slips" : "leaves its stop";
  if (slides(before) && now.mode == Mode::held) return "comes to rest";
  if (slides(before) && slides(now) && before.mode != now.mode) return "turns back";
  return {};
}

Plant::Energies Plant::energies(std::span<const double> y) {
  std::array<double, 2> out{};
  energy_({.q = q(y), .qd = qd(y)}, out);
  return {out[0], out[1]};
}

Sample Plant::sample(double t, std::span<const double> y) {
  torques(t, y);
  Sample s;
  s.t = t;
  s.q.assign(q(y).begin(), q(y).end());
  s.qd.assign(qd(y).begin(), qd(y).end());
  s.tau = tau_;
  const auto [kinetic, potential] = energies(y);
  s.kinetic = kinetic;
  s.potential = potential;
  if (robot_->coordinates.is_free()) normalize_quaternion(&s.q[3]);
  s.work = y[work_at()];
  s.losses = y[work_at() + 1];
  if (wrenches_) s.external = y[work_at() + 2];
  if (base_) s.base_work = y[base_at()], s.base_orientation = CarriedBase::unit(y.last<4>());
  return s;
}

}  // namespace catena

#include "sim/base_path.hpp"

#include <algorithm>
#include <cmath>

#include "catena/math/quaternion.hpp"

namespace catena {

BasePath::Place BasePath::rate(double t, const Place& place) const {
  const BaseMotion<double> motion = law_(t);
  const Vec3<double> v = rotation_of(place[3], place[4], place[5], place[6]) * motion.velocity;
  Place out{v.x, v.y, v.z};
  quaternion_rate(&place[3], motion.angular_velocity, &out[3]);  // docs/equations/moving_base.md (8)
  return out;
}

const BasePath::Place& BasePath::at(double t) {
  constexpr double longest = 1e-3;  // s
  const double span = t - t_, steps = std::max(1.0, std::ceil(span / longest)), h = span / steps;
  const auto from = [this](double share, const Place& by) {
    Place out = place_;
    for (std::size_t k = 0; k < out.size(); ++k) out[k] += share * by[k];
    return out;
  };
  for (double step = 0.0; span > 0.0 && step < steps; ++step) {
    const double start = t_ + step * h;
    const Place k1 = rate(start, place_), k2 = rate(start + 0.5 * h, from(0.5 * h, k1)),
                k3 = rate(start + 0.5 * h, from(0.5 * h, k2)), k4 = rate(start + h, from(h, k3));
    for (std::size_t k = 0; k < place_.size(); ++k) place_[k] += h / 6.0 * (k1[k] + 2.0 * (k2[k] + k3[k]) + k4[k]);
  }
  t_ = std::max(t_, t);
  return place_;
}

}  // namespace catena

// The motion of a moving base, supplied by the caller: of the origin of the base link, along that link's axes. These
// are the readings of gyroscopes and a speedometer fixed to it, and their rates of change. An accelerometer there reads
// v̇ + ω × v - g. docs/equations/moving_base.md (1)
#pragma once

#include <array>

#include "catena/math/vec3.hpp"
#include "catena/model/coordinates.hpp"

namespace catena {

template <class S>
struct BaseMotion {
  Vec3<S> velocity{};              // v, m/s
  Vec3<S> angular_velocity{};      // ω, rad/s
  Vec3<S> acceleration{};          // v̇: the derivatives of the components of v, m/s²
  Vec3<S> angular_acceleration{};  // ω̇, rad/s²

  // In the form the input `base` of a job takes.
  std::array<S, base_motion_size> numbers() const {
    const auto& [v, w, a, alpha] = *this;
    return {v.x, v.y, v.z, w.x, w.y, w.z, a.x, a.y, a.z, alpha.x, alpha.y, alpha.z};
  }
};

}  // namespace catena

// What is told of a base that moves: along the axes of the base link, and of its origin: what gyroscopes and a
// speedometer bolted to it would show, and how fast these readings change. An accelerometer there shows v̇ + ω × v - g.
// docs/equations/moving_base.md (1)
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

  // As the input `base` of a job takes it.
  std::array<S, base_motion_size> numbers() const {
    const auto& [v, w, a, alpha] = *this;
    return {v.x, v.y, v.z, w.x, w.y, w.z, a.x, a.y, a.z, alpha.x, alpha.y, alpha.z};
  }
};

}  // namespace catena

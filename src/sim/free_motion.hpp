// The rates of a free base's coordinates, position and quaternion, from its twist along its own axes.
#pragma once

#include <span>

#include "catena/math/quaternion.hpp"

namespace catena {

// ṗ = R v, and the quaternion's rate: the first seven entries of ẏ. docs/equations/free_base.md (10).
inline void move_base(std::span<const double> q, std::span<const double> qd, std::span<double> rates) {
  const Vec3<double> velocity = rotation_of(q[3], q[4], q[5], q[6]) * Vec3<double>{qd[0], qd[1], qd[2]};
  rates[0] = velocity.x, rates[1] = velocity.y, rates[2] = velocity.z;
  quaternion_rate(&q[3], {qd[3], qd[4], qd[5]}, &rates[3]);
}

}  // namespace catena

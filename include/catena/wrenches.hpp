// A force and a moment that the environment exerts on a robot.
#pragma once

#include "catena/math/vec3.hpp"

namespace catena {

// At the frame's origin.
enum class Axes { frame, world };
template <class S>
struct ExternalWrench {
  int frame = 0;  // index into Tree::frames
  Vec3<S> force{};
  Vec3<S> moment{};         // about the frame's origin
  Axes axes = Axes::frame;  // resolved along the frame's own axes or the user's base axes
};

}  // namespace catena

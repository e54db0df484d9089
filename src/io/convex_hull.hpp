// The convex hull of points.
#pragma once

#include <array>
#include <vector>

#include "catena/math/vec3.hpp"

namespace catena::io {

// Its faces, triangles that are counterclockwise seen from outside. Throws ModelError where the points lie in a plane.
std::vector<std::array<Vec3<double>, 3>> convex_hull(const std::vector<Vec3<double>>& points);

}  // namespace catena::io

// The convex hull of points.
#pragma once

#include <array>
#include <vector>

#include "catena/math/vec3.hpp"

namespace catena::io {

// Its faces, triangles that are counterclockwise seen from outside. Coordinates are rounded to `float`, in which meshes
// are kept: what is above a face is then decided exactly. Throws ModelError where the points lie in a plane.
std::vector<std::array<Vec3<double>, 3>> convex_hull(std::vector<Vec3<double>> points);

}  // namespace catena::io

// Triangles of a mesh, and the volume, mass centre and inertia of what they enclose or, of a shell, of themselves.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catena/math/mat3.hpp"

namespace catena::io {

using Triangle = std::array<Vec3<double>, 3>;

struct Mesh {
  std::vector<Triangle> faces;
  std::vector<Vec3<double>> points;  // whether in a face or not
};

// Of density 1: the volume (a shell: the area), its centre, and the inertia about it.
struct MassProperties {
  double mass = 0.0;
  Vec3<double> com{};
  Sym3<double> inertia{};
};

enum class MeshInertia { legacy, exact, convex, shell };

// The bytes of an .stl, .obj or .msh file. Of an .obj file the first object, as MuJoCo takes it; polygons are cut into
// triangles. A file may have points only. Throws ModelError, without a name in front.
Mesh read_mesh(std::string_view bytes, std::string_view ending);
// Throws ModelError where the mesh encloses nothing. Of "convex" the faces must be those of the hull.
MassProperties mass_properties(const std::vector<Triangle>& mesh, MeshInertia kind);

}  // namespace catena::io

// Triangles of a mesh, and the volume, mass centre and inertia of what they enclose.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catena/math/mat3.hpp"

namespace catena::io {

using Triangle = std::array<Vec3<double>, 3>;

// Of density 1: the volume (a shell: the area), its centre, and the inertia about it.
struct MassProperties {
  double mass = 0.0;
  Vec3<double> com{};
  Sym3<double> inertia{};
};

enum class MeshInertia { legacy, exact, shell };

// The bytes of an .stl (binary), .obj or .msh file. Throws ModelError, without a name in front.
std::vector<Triangle> read_mesh(std::string_view bytes, std::string_view ending);
// Throws ModelError where the mesh encloses nothing.
MassProperties mass_properties(const std::vector<Triangle>& mesh, MeshInertia kind);

}  // namespace catena::io

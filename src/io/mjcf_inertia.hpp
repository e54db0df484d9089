// Masses in an MJCF file: <inertial>, geoms of a density or mass where there is none, and what <compiler> makes of
// them.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "io/mjcf_element.hpp"
#include "io/mjcf_mesh.hpp"

namespace catena::io {

// MuJoCo lets no moving body have less (kg, kg m²). The writer gives it to links without, and the reader takes it back.
inline constexpr double least_mass = 1e-15;

// Principal moments and, as columns, their axes.
std::pair<Vec3<double>, Mat3<double>> principal(const Sym3<double>& matrix);

// An element in a body: what the elements around it give it.
struct MjcfItem {
  const MjcfNode* node = nullptr;
  std::string inherited;  // class
  std::string suffix;     // of its name, in <replicate>
  Pose<double> frame{};   // of the <frame> elements around it, in the body
};

// A geom's type, its sizes as MuJoCo counts them (half lengths), and its pose, also where it is given by two points.
struct MjcfGeom {
  std::string type;
  std::array<double, 3> size{};
  Pose<double> pose{};
};
MjcfGeom geom_of(const MjcfElement& geom);

// How the vertices of a mesh are moved: they are turned about an origin, then scaled.
struct MeshPlace {
  Vec3<double> scale{}, origin{};
  Mat3<double> turn = Mat3<double>::identity();
  bool is_turned = false;

  Vec3<double> operator()(const Vec3<double>& v) const {
    const Vec3<double> p = turn * (v - origin);
    return {p.x * scale.x, p.y * scale.y, p.z * scale.z};
  }
  bool mirrors() const { return scale.x * scale.y * scale.z < 0.0; }
};
MeshPlace place_of(const MjcfElement& mesh);
std::string mesh_path(const MjcfElement& mesh, const MjcfModel& model);
// Before they are moved, from a file or the element itself; those of the convex hull where that is asked for, or there
// are points without faces. Throws ModelError.
std::vector<Triangle> triangles_of(const MjcfElement& mesh, const MjcfModel& model, bool hull = false);

class MjcfMasses {
 public:
  explicit MjcfMasses(MjcfModel& model) : model_(model) {}

  void add_mesh(const MjcfNode& asset);
  // Of a body at this place with these <inertial> and <geom> elements.
  Inertial of(const std::string& who, const std::vector<MjcfItem>& inertials, const std::vector<MjcfItem>& geoms,
              const Vec3<double>& place);
  // After all bodies: settotalmass.
  void scale(std::vector<LinkDescription>& links) const;

 private:
  Inertial explicit_inertial(const std::string& who, const MjcfItem& item) const;
  Inertial of_geom(const std::string& who, const MjcfItem& item);
  std::optional<MassProperties> of_mesh(const MjcfElement& geom);
  Inertial corrected(const std::string& who, const MjcfItem* where, Inertial body) const;

  MjcfModel& model_;
  std::map<std::string, const MjcfNode*> assets_;  // meshes by name
  std::map<std::string, std::optional<MassProperties>> meshes_;
};

}  // namespace catena::io

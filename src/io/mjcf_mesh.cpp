#include "io/mjcf_mesh.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>

#include "catena/validate.hpp"
#include "io/limits.hpp"
#include "io/text.hpp"

namespace catena::io {
namespace {

static_assert(std::endian::native == std::endian::little, "meshes are read as they are in the file");

template <class T>
T value_at(std::string_view bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

Vec3<double> point_at(std::string_view bytes, std::size_t at) {
  return {value_at<float>(bytes, at), value_at<float>(bytes, at + 4), value_at<float>(bytes, at + 8)};
}

std::string_view next_word(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  const std::size_t length = std::min(text.find_first_of(" \t\r\n"), text.size());
  const std::string_view word = text.substr(0, length);
  text.remove_prefix(length);
  return word;
}

// Rounded as MuJoCo keeps them; none: not three numbers.
std::optional<Vec3<double>> next_point(std::string_view& text) {
  std::array<double, 3> v{};
  for (double& x : v) {
    const auto read = parse_number(next_word(text));
    if (!read) return std::nullopt;
    x = static_cast<double>(static_cast<float>(*read));
  }
  return Vec3<double>{v[0], v[1], v[2]};
}

void add_points(Mesh& mesh) {
  for (const Triangle& face : mesh.faces) mesh.points.insert(mesh.points.end(), face.begin(), face.end());
}

// "facet normal ... outer loop vertex x y z vertex ... vertex ... endloop endfacet"
Mesh read_text_stl(std::string_view text) {
  Mesh mesh;
  while (!text.empty()) {
    if (next_word(text) != "vertex") continue;
    const auto point = next_point(text);
    if (!point) throw ModelError(fmt::format("vertex {} is not three numbers", mesh.points.size()));
    mesh.points.push_back(*point);
  }
  if (mesh.points.empty() || mesh.points.size() % 3 != 0)
    throw ModelError("a text STL file has three vertices for each face, and at least one face");
  for (std::size_t k = 0; k < mesh.points.size(); k += 3)
    mesh.faces.push_back({mesh.points[k], mesh.points[k + 1], mesh.points[k + 2]});
  return mesh;
}

Mesh read_stl(std::string_view bytes) {
  constexpr std::size_t head = 84, each = 50;
  const std::size_t count = bytes.size() < head ? 0 : value_at<std::uint32_t>(bytes, 80);
  const bool is_binary = bytes.size() >= head && bytes.size() == head + each * count;
  if (!is_binary && bytes.starts_with("solid")) return read_text_stl(bytes);
  if (bytes.size() < head) throw ModelError("the file is too short for an STL file");
  if (!is_binary)
    throw ModelError(
        fmt::format("a binary STL file of {} faces has {} bytes, not {}", count, head + each * count, bytes.size()));
  Mesh mesh;
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t at = head + each * k + 12;
    mesh.faces.push_back({point_at(bytes, at), point_at(bytes, at + 12), point_at(bytes, at + 24)});
  }
  add_points(mesh);
  return mesh;
}

Mesh read_msh(std::string_view bytes) {
  constexpr std::size_t head = 16;
  if (bytes.size() < head) throw ModelError("the file is too short for an MSH file");
  const std::size_t vertices = value_at<std::uint32_t>(bytes, 0), normals = value_at<std::uint32_t>(bytes, 4),
                    textures = value_at<std::uint32_t>(bytes, 8), faces = value_at<std::uint32_t>(bytes, 12);
  const std::size_t expected = head + 12 * (vertices + normals + faces) + 8 * textures;
  if (bytes.size() != expected)
    throw ModelError(fmt::format("an MSH file of these counts has {} bytes, not {}", expected, bytes.size()));
  const std::size_t first = head + 12 * (vertices + normals) + 8 * textures;
  Mesh mesh;
  for (std::size_t k = 0; k < vertices; ++k) mesh.points.push_back(point_at(bytes, head + 12 * k));
  for (std::size_t k = 0; k < faces; ++k) {
    Triangle triangle;
    for (std::size_t c = 0; c < 3; ++c) {
      const std::size_t vertex = value_at<std::uint32_t>(bytes, first + 12 * k + 4 * c);
      if (vertex >= vertices) throw ModelError(fmt::format("face {} has no vertex {}", k, vertex));
      triangle[c] = mesh.points[vertex];
    }
    mesh.faces.push_back(triangle);
  }
  return mesh;
}

Vec3<double> doubled_area(const Triangle& t) { return cross(t[1] - t[0], t[2] - t[0]); }

// Four corners are cut along the shorter diagonal, more of them ear by ear, so that a polygon need not be convex.
void add_polygon(std::vector<Vec3<double>> corners, Mesh& mesh) {
  const auto square = [](const Vec3<double>& v) { return dot(v, v); };
  if (corners.size() == 4 && !(square(corners[2] - corners[0]) < square(corners[3] - corners[1])))
    std::rotate(corners.begin(), corners.begin() + 1, corners.end());
  Vec3<double> up{};
  for (std::size_t k = 1; k + 1 < corners.size(); ++k) up += doubled_area({corners[0], corners[k], corners[k + 1]});
  const auto turns = [&](const Vec3<double>& a, const Vec3<double>& b, const Vec3<double>& c) {
    return dot(up, doubled_area({a, b, c}));
  };
  const auto is_ear = [&](std::size_t k) {
    const std::size_t n = corners.size();
    const Triangle ear{corners[(k + n - 1) % n], corners[k], corners[(k + 1) % n]};
    if (!(turns(ear[0], ear[1], ear[2]) > 0.0)) return false;
    return std::none_of(corners.begin(), corners.end(), [&](const Vec3<double>& p) {
      if (p == ear[0] || p == ear[1] || p == ear[2]) return false;
      return turns(ear[0], ear[1], p) >= 0.0 && turns(ear[1], ear[2], p) >= 0.0 && turns(ear[2], ear[0], p) >= 0.0;
    });
  };
  while (corners.size() > 4) {
    std::size_t k = 1;
    while (k < corners.size() && !is_ear(k)) ++k;
    if (k == corners.size()) k = 1;  // none, by rounding or where edges cross
    mesh.faces.push_back({corners[k - 1], corners[k], corners[(k + 1) % corners.size()]});
    corners.erase(corners.begin() + static_cast<std::ptrdiff_t>(k));
  }
  if (corners.size() == 4 && !is_ear(1)) std::rotate(corners.begin(), corners.begin() + 1, corners.end());
  for (std::size_t k = 2; k < corners.size(); ++k) mesh.faces.push_back({corners[0], corners[k - 1], corners[k]});
}

// "v x y z" and "f 1 2/3 4/5/6 ...": counted from 1, or from the end where negative. The first object ends where
// another "o" or "g" begins.
Mesh read_obj(std::string_view bytes) {
  Mesh mesh;
  bool is_first = true;
  double work = 0.0;
  for (int number = 1; !bytes.empty(); ++number) {
    std::string_view line = bytes.substr(0, bytes.find('\n'));
    bytes.remove_prefix(std::min(line.size() + 1, bytes.size()));
    const auto bad = [&] { return ModelError(fmt::format("line {} cannot be read", number)); };
    const std::string_view kind = next_word(line);
    if (kind == "v") {
      const auto point = next_point(line);
      if (!point) throw bad();
      mesh.points.push_back(*point);
    } else if (kind == "o" || kind == "g") {
      is_first = is_first && mesh.faces.empty();
    } else if (kind == "f" && is_first) {
      std::vector<Vec3<double>> corners;
      for (std::string_view word = next_word(line); !word.empty(); word = next_word(line)) {
        const auto read = parse_number(word.substr(0, word.find('/')));
        const double last = static_cast<double>(mesh.points.size());
        const double at = read.value_or(0.0) < 0.0 ? last + *read : read.value_or(0.0) - 1.0;
        if (!(at >= 0.0 && at < last) || at != std::floor(at) || corners.size() > 1000) throw bad();
        corners.push_back(mesh.points[static_cast<std::size_t>(at)]);
      }
      if (corners.size() < 3) throw bad();
      if (corners.size() > 4) work += std::pow(static_cast<double>(corners.size()), 3.0);
      if (work > limits::corners) throw ModelError("its polygons have too many corners; cut them into triangles");
      add_polygon(std::move(corners), mesh);
    }
  }
  return mesh;
}

double length(const Vec3<double>& v) { return std::sqrt(dot(v, v)); }
Vec3<double> middle(const Triangle& t) { return (1.0 / 3.0) * (t[0] + t[1] + t[2]); }

// The tetrahedron between a face and a point, as a volume; of a shell, the area of the face.
double weight(const Triangle& t, const Vec3<double>& apex, MeshInertia kind) {
  if (kind == MeshInertia::shell) return 0.5 * length(doubled_area(t));
  const double volume = dot(middle(t) - apex, doubled_area(t)) / 6.0;
  return kind == MeshInertia::legacy ? std::abs(volume) : volume;
}

// Second moments ∫ x xᵀ over the tetrahedron between a face and the origin (20) or over the face (12), by the weight.
Sym3<double> second_moments(const Triangle& t, double weight, bool shell) {
  const Vec3<double> sum = t[0] + t[1] + t[2];
  return (weight / (shell ? 12.0 : 20.0)) * (outer(t[0]) + outer(t[1]) + outer(t[2]) + outer(sum));
}

}  // namespace

Mesh read_mesh(std::string_view bytes, std::string_view ending) {
  Mesh mesh;
  if (ending == ".stl" || ending == ".STL")
    mesh = read_stl(bytes);
  else if (ending == ".obj" || ending == ".OBJ")
    mesh = read_obj(bytes);
  else if (ending == ".msh" || ending == ".MSH")
    mesh = read_msh(bytes);
  else
    throw ModelError("meshes are read from .stl, .obj and .msh files");
  for (const Vec3<double>& v : mesh.points)
    if (!std::isfinite(v.x) || !std::isfinite(v.y) || !std::isfinite(v.z))
      throw ModelError("a vertex is not a finite number");
  if (mesh.points.empty()) throw ModelError("the mesh has no faces");
  return mesh;
}

// The tetrahedra meet first in the centre of the faces, which gives the mass centre, and then there, which gives mass
// and inertia. Of a closed surface both are exact wherever they meet; with all volumes positive ("legacy") they are
// not.
MassProperties mass_properties(const std::vector<Triangle>& mesh, MeshInertia kind) {
  const bool shell = kind == MeshInertia::shell;
  Vec3<double> apex{};
  double area = 0.0;
  for (const Triangle& t : mesh) {
    const double a = length(doubled_area(t));
    area += a;
    apex += a * middle(t);
  }
  if (!(area > 0.0)) throw ModelError("the faces of the mesh have no area");
  apex = (1.0 / area) * apex;
  MassProperties all;
  for (const Triangle& t : mesh) {
    const double w = weight(t, apex, kind);
    all.mass += w;
    all.com += w * (shell ? middle(t) : 0.75 * middle(t) + 0.25 * apex);
  }
  if (!(all.mass > 1e-14)) throw ModelError("the mesh encloses no volume, or its faces are turned inside out");
  all.com = (1.0 / all.mass) * all.com;
  Sym3<double> moments;
  all.mass = 0.0;
  for (const Triangle& face : mesh) {
    const Triangle t{face[0] - all.com, face[1] - all.com, face[2] - all.com};
    const double w = weight(t, {}, kind);
    all.mass += w;
    moments += second_moments(t, w, shell);
  }
  if (!(all.mass > 1e-14)) throw ModelError("the mesh is not closed, or its faces are turned inside out");
  const double trace = moments.trace();
  all.inertia = Sym3<double>::diagonal(trace, trace, trace) - moments;
  return all;
}

}  // namespace catena::io

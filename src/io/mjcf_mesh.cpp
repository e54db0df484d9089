#include "io/mjcf_mesh.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "catena/validate.hpp"
#include "io/text.hpp"

namespace catena::io {
namespace {

static_assert(std::endian::native == std::endian::little, "meshes are read as they lie in the file");

template <class T>
T value_at(std::string_view bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

Vec3<double> point_at(std::string_view bytes, std::size_t at) {
  return {value_at<float>(bytes, at), value_at<float>(bytes, at + 4), value_at<float>(bytes, at + 8)};
}

std::vector<Triangle> read_stl(std::string_view bytes) {
  constexpr std::size_t head = 84, each = 50;
  if (bytes.size() < head) throw ModelError("the file is too short for a binary STL file");
  const std::size_t count = value_at<std::uint32_t>(bytes, 80);
  if (bytes.size() != head + each * count)
    throw ModelError(fmt::format("a binary STL file of {} faces has {} bytes, not {}; text STL files are not read",
                                 count, head + each * count, bytes.size()));
  std::vector<Triangle> mesh;
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t at = head + each * k + 12;
    mesh.push_back({point_at(bytes, at), point_at(bytes, at + 12), point_at(bytes, at + 24)});
  }
  return mesh;
}

std::vector<Triangle> read_msh(std::string_view bytes) {
  constexpr std::size_t head = 16;
  if (bytes.size() < head) throw ModelError("the file is too short for an MSH file");
  const std::size_t vertices = value_at<std::uint32_t>(bytes, 0), normals = value_at<std::uint32_t>(bytes, 4),
                    textures = value_at<std::uint32_t>(bytes, 8), faces = value_at<std::uint32_t>(bytes, 12);
  const std::size_t expected = head + 12 * (vertices + normals + faces) + 8 * textures;
  if (bytes.size() != expected)
    throw ModelError(fmt::format("an MSH file of these counts has {} bytes, not {}", expected, bytes.size()));
  const std::size_t first = head + 12 * (vertices + normals) + 8 * textures;
  std::vector<Triangle> mesh;
  for (std::size_t k = 0; k < faces; ++k) {
    Triangle triangle;
    for (std::size_t c = 0; c < 3; ++c) {
      const std::size_t vertex = value_at<std::uint32_t>(bytes, first + 12 * k + 4 * c);
      if (vertex >= vertices) throw ModelError(fmt::format("face {} has no vertex {}", k, vertex));
      triangle[c] = point_at(bytes, head + 12 * vertex);
    }
    mesh.push_back(triangle);
  }
  return mesh;
}

std::string_view next_word(std::string_view& line) {
  line = trimmed(line);
  const std::size_t length = std::min(line.find_first_of(" \t\r"), line.size());
  const std::string_view word = line.substr(0, length);
  line.remove_prefix(length);
  return word;
}

// "v x y z" and "f 1 2/3 4/5/6 ...": counted from 1, or from the end where negative. A face is a fan of triangles.
std::vector<Triangle> read_obj(std::string_view bytes) {
  std::vector<Vec3<double>> vertices;
  std::vector<Triangle> mesh;
  for (int number = 1; !bytes.empty(); ++number) {
    std::string_view line = bytes.substr(0, bytes.find('\n'));
    bytes.remove_prefix(std::min(line.size() + 1, bytes.size()));
    const auto bad = [&] { return ModelError(fmt::format("line {} cannot be read", number)); };
    const std::string_view kind = next_word(line);
    if (kind == "v") {
      std::array<double, 3> v{};
      for (double& x : v) {
        const auto read = parse_number(next_word(line));
        if (!read) throw bad();
        x = static_cast<double>(static_cast<float>(*read));
      }
      vertices.push_back({v[0], v[1], v[2]});
    } else if (kind == "f") {
      std::vector<Vec3<double>> corners;
      for (std::string_view word = next_word(line); !word.empty(); word = next_word(line)) {
        const auto read = parse_number(word.substr(0, word.find('/')));
        const double last = static_cast<double>(vertices.size());
        const double at = read.value_or(0.0) < 0.0 ? last + *read : read.value_or(0.0) - 1.0;
        if (!(at >= 0.0 && at < last) || at != std::floor(at)) throw bad();
        corners.push_back(vertices[static_cast<std::size_t>(at)]);
      }
      if (corners.size() < 3) throw bad();
      for (std::size_t k = 2; k < corners.size(); ++k) mesh.push_back({corners[0], corners[k - 1], corners[k]});
    }
  }
  return mesh;
}

Vec3<double> doubled_area(const Triangle& t) { return cross(t[1] - t[0], t[2] - t[0]); }
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

std::vector<Triangle> read_mesh(std::string_view bytes, std::string_view ending) {
  std::vector<Triangle> mesh;
  if (ending == ".stl" || ending == ".STL")
    mesh = read_stl(bytes);
  else if (ending == ".obj" || ending == ".OBJ")
    mesh = read_obj(bytes);
  else if (ending == ".msh" || ending == ".MSH")
    mesh = read_msh(bytes);
  else
    throw ModelError("meshes are read from .stl, .obj and .msh files");
  for (const Triangle& t : mesh)
    for (const Vec3<double>& v : t)
      if (!std::isfinite(v.x) || !std::isfinite(v.y) || !std::isfinite(v.z))
        throw ModelError("a vertex is not a finite number");
  if (mesh.empty()) throw ModelError("the mesh has no faces");
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
  const double trace = moments.trace();
  all.inertia = Sym3<double>::diagonal(trace, trace, trace) - moments;
  return all;
}

}  // namespace catena::io

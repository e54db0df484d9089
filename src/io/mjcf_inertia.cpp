#include "io/mjcf_inertia.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>
#include <system_error>
#include <utility>

#include "catena/validate.hpp"
#include "io/convex_hull.hpp"
#include "io/text.hpp"

namespace catena::io {
namespace {

namespace fs = std::filesystem;
constexpr double pi = std::numbers::pi;

// m (|d|² 1 - d dᵀ): what a mass adds to the inertia about a point at the distance d.
Sym3<double> of_point(double mass, const Vec3<double>& d) {
  const double square = dot(d, d);
  return mass * (Sym3<double>::diagonal(square, square, square) - outer(d));
}

Inertial sum(const std::vector<Inertial>& bodies) {
  Inertial all;
  for (const Inertial& body : bodies) {
    all.mass += body.mass;
    all.com += body.mass * body.com;
  }
  if (!(all.mass > 0.0)) return {};
  all.com = (1.0 / all.mass) * all.com;
  for (const Inertial& body : bodies) all.inertia += body.inertia + of_point(body.mass, body.com - all.com);
  return all;
}

// Of mass 1 and radius r, half length h, about the middle: a cylinder between two halves of a sphere.
Sym3<double> of_capsule(double r, double h) {
  const double sphere = 4.0 / 3.0 * r, cylinder = 2.0 * h, all = sphere + cylinder;  // volumes / (π r²)
  const double ball = sphere / all, rod = cylinder / all;
  const double along = rod * r * r / 2.0 + ball * 2.0 / 5.0 * r * r;
  const double across = rod * (r * r / 4.0 + h * h / 3.0) + ball * (2.0 / 5.0 * r * r + h * h + 3.0 / 4.0 * r * h);
  return Sym3<double>::diagonal(across, across, along);
}

// Volume, and inertia of mass 1, by the sizes of the geom; none: another type.
std::optional<MassProperties> of_shape(std::string_view type, const std::array<double, 3>& s) {
  const double x = s[0] * s[0], y = s[1] * s[1], z = s[2] * s[2];
  if (type == "sphere")
    return MassProperties{4.0 / 3.0 * pi * x * s[0], {}, Sym3<double>::diagonal(0.4 * x, 0.4 * x, 0.4 * x)};
  if (type == "capsule") return MassProperties{pi * x * (2.0 * s[1] + 4.0 / 3.0 * s[0]), {}, of_capsule(s[0], s[1])};
  if (type == "cylinder") {
    const double across = x / 4.0 + y / 3.0;
    return MassProperties{2.0 * pi * x * s[1], {}, Sym3<double>::diagonal(across, across, x / 2.0)};
  }
  if (type == "ellipsoid")
    return MassProperties{
        4.0 / 3.0 * pi * s[0] * s[1] * s[2], {}, Sym3<double>::diagonal((y + z) / 5.0, (x + z) / 5.0, (x + y) / 5.0)};
  if (type == "box")
    return MassProperties{
        8.0 * s[0] * s[1] * s[2], {}, Sym3<double>::diagonal((y + z) / 3.0, (x + z) / 3.0, (x + y) / 3.0)};
  return std::nullopt;
}

// The inertia by the second moments along the axes.
Sym3<double> of_moments(double x, double y, double z) { return Sym3<double>::diagonal(y + z, x + z, x + y); }

// Of an ellipsoid's shell MuJoCo takes Thomsen's area, and as inertia that of a coat of a micrometre.
MassProperties of_ellipsoid_shell(const std::array<double, 3>& s) {
  constexpr double p = 1.6075, coat = 1e-6;
  const double powers = std::pow(s[0] * s[1], p) + std::pow(s[1] * s[2], p) + std::pow(s[2] * s[0], p);
  std::array<double, 3> moments{};
  double volume = 0.0;
  for (const double sign : {1.0, -1.0}) {
    std::array<double, 3> a = s;
    for (double& half : a) half += sign > 0.0 ? coat : 0.0;
    const double own = sign * a[0] * a[1] * a[2];
    volume += own;
    for (std::size_t k = 0; k < 3; ++k) moments[k] += own * a[k] * a[k] / 5.0;
  }
  return {4.0 * pi * std::pow(powers / 3.0, 1.0 / p),
          {},
          of_moments(moments[0] / volume, moments[1] / volume, moments[2] / volume)};
}

// Area, and inertia of mass 1 that lies on the surface; none: another type.
std::optional<MassProperties> of_shell(std::string_view type, const std::array<double, 3>& s) {
  const double x = s[0] * s[0], y = s[1] * s[1], z = s[2] * s[2];
  if (type == "sphere") return MassProperties{4.0 * pi * x, {}, of_moments(x / 3.0, x / 3.0, x / 3.0)};
  if (type == "capsule") {
    const double ball = s[0] / (s[0] + s[1]), tube = 1.0 - ball;  // areas by that of both
    const double across = ball * x / 3.0 + tube * x / 2.0;
    const double along = ball * (x / 3.0 + s[0] * s[1] + y) + tube * y / 3.0;
    return MassProperties{4.0 * pi * s[0] * (s[0] + s[1]), {}, of_moments(across, across, along)};
  }
  if (type == "cylinder") {
    const double ends = s[0] / (s[0] + 2.0 * s[1]), tube = 1.0 - ends;
    const double across = ends * x / 4.0 + tube * x / 2.0;
    return MassProperties{
        2.0 * pi * s[0] * (s[0] + 2.0 * s[1]), {}, of_moments(across, across, ends * y + tube * y / 3.0)};
  }
  if (type == "ellipsoid") return of_ellipsoid_shell(s);
  if (type == "box") {
    const double all = s[1] * s[2] + s[2] * s[0] + s[0] * s[1];
    const auto moment = [&](double square, double ends) { return square * (1.0 + 2.0 * ends / all) / 3.0; };
    return MassProperties{
        8.0 * all, {}, of_moments(moment(x, s[1] * s[2]), moment(y, s[2] * s[0]), moment(z, s[0] * s[1]))};
  }
  return std::nullopt;
}

std::size_t size_count(std::string_view type) {
  return type == "sphere" ? 1 : type == "capsule" || type == "cylinder" ? 2 : 3;
}

// Sizes and pose of a geom between two points: the last size is half their distance, and z points to the first.
void span_points(const MjcfElement& geom, std::string_view type, std::array<double, 3>& size, Pose<double>& pose) {
  const auto ends = geom.numbers("fromto", 6, 6);
  if (!ends) return;
  const Vec3<double> from{(*ends)[0], (*ends)[1], (*ends)[2]}, to{(*ends)[3], (*ends)[4], (*ends)[5]};
  const auto z = normalized(from - to);
  if (!z || type == "sphere")
    return geom.error("<geom> fromto needs two different points, and cannot be used for a sphere");
  const double half = 0.5 * std::sqrt(dot(from - to, from - to));
  if (size_count(type) == 3) size = {size[0], size[0], half};
  if (size_count(type) == 2) size = {size[0], half, 0.0};
  pose = {rotation_to_z(*z), 0.5 * (from + to)};
}

std::optional<MeshInertia> mesh_kind(std::string_view name) {
  if (name == "legacy") return MeshInertia::legacy;
  if (name == "exact") return MeshInertia::exact;
  if (name == "convex") return MeshInertia::convex;
  if (name == "shell") return MeshInertia::shell;
  return std::nullopt;
}

Mesh inline_mesh(const std::vector<double>& vertices, const std::vector<double>& faces) {
  Mesh mesh;
  const auto rounded = [](double x) { return static_cast<double>(static_cast<float>(x)); };
  for (std::size_t k = 0; k + 2 < vertices.size(); k += 3)
    mesh.points.push_back({rounded(vertices[k]), rounded(vertices[k + 1]), rounded(vertices[k + 2])});
  for (std::size_t k = 0; k + 2 < faces.size(); k += 3) {
    Triangle triangle;
    for (std::size_t c = 0; c < 3; ++c) {
      const double at = faces[k + c];
      if (!(at >= 0.0 && at < static_cast<double>(mesh.points.size())) || at != std::floor(at))
        throw ModelError(fmt::format("face {} has no vertex {}", k / 3, at));
      triangle[c] = mesh.points[static_cast<std::size_t>(at)];
    }
    mesh.faces.push_back(triangle);
  }
  return mesh;
}

}  // namespace

std::string mesh_path(const MjcfElement& mesh, const MjcfModel& model) {
  std::string file = mesh.text("file").value_or("");
  if (model.compiler.strip_path) file = fs::path(file).filename().string();
  const fs::path folder(model.folder);
  const fs::path path = folder / model.compiler.mesh_folder / file;
  std::error_code ignored;  // where an included file names it, it may be beside that
  if (fs::is_regular_file(path, ignored)) return path.string();
  return (folder / mesh.node().folder / model.compiler.mesh_folder / file).string();
}

std::vector<Triangle> triangles_of(const MjcfElement& mesh, const MjcfModel& model, bool hull) {
  constexpr std::size_t most = 30'000'000;
  const auto vertices = mesh.numbers("vertex", 12, most), faces = mesh.numbers("face", 3, most);
  if (!vertices && mesh.has("builtin")) throw ModelError("shapes that MuJoCo generates (builtin) are not read");
  if (!vertices && mesh.text("file").value_or("").empty())
    throw ModelError("it has neither a file nor vertices, which are needed for its mass");
  const std::string path = mesh_path(mesh, model);
  const Mesh whole = vertices ? inline_mesh(*vertices, faces.value_or(std::vector<double>{}))
                              : read_mesh(read_small_file(path), fs::path(path).extension().string());
  return hull || whole.faces.empty() ? convex_hull(whole.points) : whole.faces;
}

MeshPlace place_of(const MjcfElement& mesh) {
  MeshPlace place{mesh.vector("scale", {1.0, 1.0, 1.0}), mesh.vector("refpos", {})};
  if (const auto q = mesh.numbers("refquat", 4, 4))
    if (const auto axis = normalized({(*q)[1], (*q)[2], (*q)[3]}))
      place.is_turned = true,
      place.turn = rotation_about(*axis, -2.0 * std::atan2(std::hypot((*q)[1], (*q)[2], (*q)[3]), (*q)[0]));
  return place;
}

MjcfGeom geom_of(const MjcfElement& geom) {
  MjcfGeom shape{geom.text("type").value_or(geom.has("mesh") ? "mesh" : "sphere"), {}, geom.pose()};
  if (const auto given = geom.numbers("size", 1, 3)) std::copy(given->begin(), given->end(), shape.size.begin());
  span_points(geom, shape.type, shape.size, shape.pose);
  return shape;
}

// By Jacobi's rotations: the matrix becomes diagonal.
std::pair<Vec3<double>, Mat3<double>> principal(const Sym3<double>& matrix) {
  Mat3<double> axes = Mat3<double>::identity();
  Sym3<double> a = matrix;
  for (int sweep = 0; sweep < 60; ++sweep) {
    const double xy = std::abs(a.xy), xz = std::abs(a.xz), yz = std::abs(a.yz);
    const double largest = std::max({xy, xz, yz});
    if (!(largest > 1e-18 * std::abs(a.trace()))) break;
    const bool in_xy = largest == xy, in_xz = !in_xy && largest == xz;
    const double off = in_xy ? a.xy : in_xz ? a.xz : a.yz;
    const double first = in_xy || in_xz ? a.xx : a.yy, second = in_xy ? a.yy : a.zz;
    const double angle = 0.5 * std::atan2(2.0 * off, first - second);
    const Vec3<double> axis = in_xy   ? Vec3<double>{0.0, 0.0, 1.0}
                              : in_xz ? Vec3<double>{0.0, -1.0, 0.0}
                                      : Vec3<double>{1.0, 0.0, 0.0};
    const Mat3<double> turn = rotation_about(axis, angle);
    axes = axes * turn;
    a = congruence(axes.transpose(), matrix);
  }
  return {{a.xx, a.yy, a.zz}, axes};
}

void MjcfMasses::add_mesh(const MjcfNode& asset) {
  const std::string* name = asset.find("name");
  const std::string* file = asset.find("file");
  if (name != nullptr || file != nullptr) assets_[name != nullptr ? *name : fs::path(*file).stem().string()] = &asset;
}

Inertial MjcfMasses::of(const std::string& who, const std::vector<MjcfItem>& inertials,
                        const std::vector<MjcfItem>& geoms, const Vec3<double>& place) {
  using FromGeom = MjcfCompiler::FromGeom;
  if (inertials.size() > 1)
    MjcfElement(model_, *inertials[1].node, who).error("a second <inertial>; a body has only one");
  const FromGeom when = model_.compiler.from_geoms;
  const bool is_explicit = !inertials.empty() && when != FromGeom::always;
  if (is_explicit) return corrected(who, &inertials[0], explicit_inertial(who, inertials[0]));
  std::vector<Inertial> parts;
  for (const MjcfItem& geom : geoms)
    if (when != FromGeom::no) parts.push_back(of_geom(who, geom));
  Inertial whole = sum(parts);
  if (whole.mass == 0.0 && model_.compiler.bound_mass > 0.0) whole.com = place;  // the compiler's choice
  return corrected(who, geoms.empty() ? nullptr : &geoms[0], whole);
}

Inertial MjcfMasses::explicit_inertial(const std::string& who, const MjcfItem& item) const {
  const MjcfElement element(model_, *item.node, who, item.inherited);
  const Pose<double> pose = item.frame * element.pose();
  Inertial body{element.number("mass", 0.0), pose.p, {}};
  if (!element.has("mass")) element.error("<inertial> has no attribute 'mass', which is required");
  if (!element.has("pos")) element.error("<inertial> has no attribute 'pos', which is required");
  if (body.mass < 0.0) element.error(fmt::format("mass {} must not be negative", body.mass));
  body.mass = std::max(body.mass, 0.0);
  const auto full = element.numbers("fullinertia", 6, 6);
  if (full && element.has("diaginertia")) element.error("<inertial> has fullinertia and diaginertia; give one");
  const auto none_if_least = [](double x) { return x == least_mass ? 0.0 : x; };
  body.mass = none_if_least(body.mass);
  const Vec3<double> moments = element.vector("diaginertia", {});
  const Sym3<double> own =
      full ? Sym3<double>{(*full)[0], (*full)[1], (*full)[2], (*full)[3], (*full)[4], (*full)[5]}
           : Sym3<double>::diagonal(none_if_least(moments.x), none_if_least(moments.y), none_if_least(moments.z));
  body.inertia = pose.R == Mat3<double>::identity() ? own : congruence(pose.R, own);
  return body;
}

Inertial MjcfMasses::of_geom(const std::string& who, const MjcfItem& item) {
  const MjcfElement geom(model_, *item.node, who, item.inherited);
  const std::string type = geom.text("type").value_or(geom.has("mesh") ? "mesh" : "sphere");
  const double group = geom.number("group", 0.0);
  const bool counts = group >= model_.compiler.groups[0] && group <= model_.compiler.groups[1];
  const bool weighs = geom.has("mass") ? geom.number("mass", 0.0) != 0.0 : geom.number("density", 1000.0) != 0.0;
  if (!counts || !weighs || type == "plane" || type == "hfield") return {};
  if (geom.has("mesh") && type != "mesh") {
    geom.refuse("the mass of a <geom> that is fitted to a mesh");
    return {};
  }
  const bool shell = geom.truth("shellinertia", false);
  auto [of_type, size, pose] = geom_of(geom);
  auto shape = type == "mesh" ? of_mesh(geom) : shell ? of_shell(type, size) : of_shape(type, size);
  if (!shape) {
    if (type != "mesh") geom.refuse(fmt::format("the mass of a <geom> of type {}", io::quoted(type)));
    return {};
  }
  if (type != "mesh")
    for (std::size_t k = 0; k < size_count(type); ++k)
      if (!(size[k] > 0.0)) {
        geom.error(fmt::format("<geom> size of a {} must be {} positive numbers", type, size_count(type)));
        return {};
      }
  if (type == "mesh") shape->inertia = (1.0 / shape->mass) * shape->inertia;
  const double mass = geom.has("mass") ? geom.number("mass", 0.0) : geom.number("density", 1000.0) * shape->mass;
  if (mass < 0.0) geom.error("<geom> mass and density must not be negative");
  pose = item.frame * pose;
  return {mass, pose.p + pose.R * shape->com, congruence(pose.R, mass * shape->inertia)};
}

std::optional<MassProperties> MjcfMasses::of_mesh(const MjcfElement& geom) {
  const std::string name = geom.text("mesh").value_or("");
  const auto asset = assets_.find(name);
  if (asset == assets_.end()) {
    geom.error(fmt::format("<geom> mesh {} is no <mesh> of <asset>", io::quoted(name)));
    return std::nullopt;
  }
  const MjcfElement mesh(model_, *asset->second, fmt::format("mesh {}: ", io::quoted(name)));
  const std::string kind = geom.truth("shellinertia", false) ? "shell" : mesh.text("inertia").value_or("legacy");
  const auto [found, is_new] = meshes_.try_emplace(name + '\n' + kind);
  if (!is_new) return found->second;
  if (!mesh_kind(kind)) {
    mesh.refuse(fmt::format("<mesh> inertia {} must be legacy, exact, convex or shell", io::quoted(kind)));
    return std::nullopt;
  }
  const MeshPlace moved = place_of(mesh);
  try {
    const bool convex = *mesh_kind(kind) == MeshInertia::convex;
    if (convex && mesh.number("maxhullvert", -1.0) >= 0.0)
      throw ModelError("a hull of a few vertices (maxhullvert) is not read");
    std::vector<Triangle> faces = triangles_of(mesh, model_, convex);
    for (Triangle& face : faces) {
      for (Vec3<double>& v : face) v = moved(v);
      if (moved.mirrors()) std::swap(face[1], face[2]);
    }
    found->second = mass_properties(faces, *mesh_kind(kind));
  } catch (const ModelError& e) {
    mesh.refuse(fmt::format("its mass cannot be found: {}", e.what()));
  }
  return found->second;
}

// boundmass, boundinertia, balanceinertia.
Inertial MjcfMasses::corrected(const std::string& who, const MjcfItem* where, Inertial body) const {
  const MjcfCompiler& compiler = model_.compiler;
  body.mass = std::max(body.mass, compiler.bound_mass);
  const Vec3<double> lowest = eigenvalues(body.inertia);
  if (lowest.x < compiler.bound_inertia) {
    const auto [moments, axes] = principal(body.inertia);
    const auto bounded = [&](double moment) { return std::max(moment, compiler.bound_inertia); };
    body.inertia = congruence(axes, Sym3<double>::diagonal(bounded(moments.x), bounded(moments.y), bounded(moments.z)));
  }
  const Vec3<double> moments = eigenvalues(body.inertia);
  if (compiler.balance && moments.x + moments.y < moments.z) {
    const double mean = body.inertia.trace() / 3.0;
    body.inertia = Sym3<double>::diagonal(mean, mean, mean);
    if (where != nullptr) MjcfElement(model_, *where->node, who).warning("balanceinertia replaces its inertia");
  }
  return body;
}

void MjcfMasses::scale(std::vector<LinkDescription>& links) const {
  if (!(model_.compiler.total_mass > 0.0)) return;
  double all = 0.0;
  for (const LinkDescription& link : links) all += link.inertial.mass;
  if (!(all > 0.0)) return;
  const double factor = model_.compiler.total_mass / all;
  for (LinkDescription& link : links) {
    link.inertial.mass *= factor;
    link.inertial.inertia = factor * link.inertial.inertia;
  }
}

}  // namespace catena::io

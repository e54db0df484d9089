// The shapes of the geoms in an MJCF file: those that are there to be seen, or, where none is marked so, all.
#include "io/mjcf_visuals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <utility>

#include "io/text.hpp"

namespace catena::io {
namespace {

using Color = std::array<double, 4>;

std::optional<Color> rgba_of(const MjcfElement& element) {
  const auto v = element.numbers("rgba", 4, 4);
  if (!v) return std::nullopt;
  return Color{(*v)[0], (*v)[1], (*v)[2], (*v)[3]};
}

std::string obj_text(const std::vector<Triangle>& mesh) {
  std::string out;
  for (const Triangle& triangle : mesh)
    for (const Vec3<double>& v : triangle) fmt::format_to(std::back_inserter(out), "v {}\n", listed(v, " "));
  for (std::size_t k = 0; k < 3 * mesh.size(); k += 3)
    fmt::format_to(std::back_inserter(out), "f {} {} {}\n", k + 1, k + 2, k + 3);
  return out;
}

class GeomVisuals {
 public:
  GeomVisuals(MjcfModel& model, const MjcfNode& root) : model_(model) {
    for (const MjcfNode& section : root.children)
      if (section.name == "asset")
        for (const MjcfNode& asset : section.children) add_asset(asset);
  }

  std::optional<Visual> of(const MjcfItem& item) {
    const MjcfElement geom(model_, *item.node, "", item.inherited);
    const MjcfGeom shape = geom_of(geom);
    Visual visual;
    visual.origin = item.frame * shape.pose;
    visual.color = color_of(geom);
    if (visual.color && (*visual.color)[3] == 0.0) return std::nullopt;
    const bool drawn = shape.type == "mesh" ? set_mesh(geom, visual) : !geom.has("mesh") && set_shape(shape, visual);
    if (!drawn) return std::nullopt;
    return visual;
  }

  // By what collision takes no part in, or by the group that is customary for what is seen.
  bool is_marked(const MjcfItem& item) {
    const MjcfElement geom(model_, *item.node, "", item.inherited);
    return geom.number("group", 0.0) == 2.0 ||
           (geom.number("contype", 1.0) == 0.0 && geom.number("conaffinity", 1.0) == 0.0);
  }

 private:
  void add_asset(const MjcfNode& asset) {
    const std::string* name = asset.find("name");
    const std::string* file = asset.find("file");
    if (name == nullptr && file == nullptr) return;
    auto& of_kind = asset.name == "mesh" ? meshes_ : materials_;
    if (asset.name == "mesh" || asset.name == "material")
      of_kind[name != nullptr ? *name : std::filesystem::path(*file).stem().string()] = &asset;
  }

  // That of the geom, unless it is the default and there is a material.
  std::optional<Color> color_of(const MjcfElement& geom) {
    const auto own = rgba_of(geom);
    const auto material = materials_.find(geom.text("material").value_or(""));
    if (material == materials_.end() || (own && *own != Color{0.5, 0.5, 0.5, 1.0})) return own;
    return rgba_of(MjcfElement(model_, *material->second, ""));
  }

  static bool set_shape(const MjcfGeom& geom, Visual& visual) {
    using Shape = Visual::Shape;
    const auto& [a, b, c] = geom.size;
    const std::pair<std::string_view, Shape> kinds[] = {{"box", Shape::box},
                                                        {"cylinder", Shape::cylinder},
                                                        {"sphere", Shape::sphere},
                                                        {"capsule", Shape::capsule},
                                                        {"ellipsoid", Shape::ellipsoid}};
    for (const auto& [type, shape] : kinds) {
      if (geom.type != type) continue;
      visual.shape = shape;
      visual.size = geom.size;
      if (shape == Shape::box) visual.size = {2.0 * a, 2.0 * b, 2.0 * c};
      if (shape == Shape::cylinder || shape == Shape::capsule) visual.size = {a, 2.0 * b, 0.0};
      return a > 0.0;
    }
    return false;
  }

  bool set_mesh(const MjcfElement& geom, Visual& visual) {
    const auto asset = meshes_.find(geom.text("mesh").value_or(""));
    if (asset == meshes_.end()) return false;
    const MjcfElement mesh(model_, *asset->second, "");
    const MeshPlace place = place_of(mesh);
    const auto& [x, y, z] = place.scale;
    const bool skewed = place.is_turned && (x != y || y != z);  // a scale before the turn would be another
    visual.file = mesh.text("file").value_or(asset->first);
    visual.path = mesh.has("file") ? mesh_path(mesh, model_) : "";
    if (mesh.has("file") && std::filesystem::path(visual.file).extension() != ".msh" && !skewed) {
      visual.origin = visual.origin * Pose<double>{place.turn, place({})};
      visual.size = {x, y, z};
      std::error_code ignored;
      if (!std::filesystem::is_regular_file(visual.path, ignored)) visual.path.clear();
      return true;
    }
    try {
      std::vector<Triangle> faces = triangles_of(mesh, model_);
      for (Triangle& face : faces) {
        for (Vec3<double>& v : face) v = place(v);
        if (place.mirrors()) std::swap(face[1], face[2]);
      }
      visual.obj = obj_text(faces);
    } catch (const ModelError&) {
      return false;
    }
    return true;
  }

  MjcfModel& model_;
  std::map<std::string, const MjcfNode*> meshes_, materials_;
};

}  // namespace

std::vector<Visual> visuals_of(MjcfModel& model, const MjcfNode& root, const std::vector<MjcfShape>& shapes) {
  GeomVisuals geoms(model, root);
  const bool marked =
      std::any_of(shapes.begin(), shapes.end(), [&](const MjcfShape& s) { return geoms.is_marked(s.geom); });
  std::vector<Visual> all;
  for (const MjcfShape& shape : shapes) {
    if (marked && !geoms.is_marked(shape.geom)) continue;
    auto visual = geoms.of(shape.geom);
    if (!visual) continue;
    visual->link = shape.link;
    all.push_back(std::move(*visual));
  }
  return all;
}

}  // namespace catena::io

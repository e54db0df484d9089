// The shapes of <visual> elements in an SDF file.
#include "io/sdf_visuals.hpp"

#include <filesystem>
#include <string_view>
#include <system_error>

namespace catena::io {
namespace {

namespace fs = std::filesystem;

// The file that an element stands in: "cell.sdf:3: hand/model.sdf:12: " is in hand/model.sdf, seen from the folder.
fs::path folder_of(const SdfNode& node, const fs::path& file) {
  std::string_view place = node.place;
  if (place.size() < 2) return file.parent_path();
  place.remove_suffix(2);
  if (const std::size_t last = place.rfind(": "); last != std::string_view::npos) place.remove_prefix(last + 2);
  const fs::path own(place.substr(0, place.rfind(':')));
  return (own.is_absolute() ? own : file.parent_path() / own).parent_path();
}

std::string mesh_at(const SdfElement& mesh, const std::string& uri, const fs::path& file) {
  const std::size_t colon = uri.find("://");
  const std::string scheme = colon == std::string::npos ? "" : uri.substr(0, colon);
  const fs::path rest = scheme.empty() ? uri : uri.substr(colon + 3), folder = folder_of(mesh.node(), file);
  std::vector<fs::path> places{folder};
  if (scheme == "model" || scheme == "package") places = sdf_model_folders(folder);
  for (const fs::path& place : places) {
    std::error_code ignored;
    if (fs::is_regular_file(place / rest, ignored)) return (place / rest).lexically_normal().string();
  }
  return {};
}

bool read_shape(const SdfElement& geometry, const fs::path& file, Visual& visual) {
  using Shape = Visual::Shape;
  if (const auto mesh = geometry.child("mesh")) {
    const Vec3<double> scale = mesh->vector("scale", {1.0, 1.0, 1.0});
    visual.size = {scale.x, scale.y, scale.z};
    visual.file = mesh->text("uri");
    visual.path = mesh_at(*mesh, visual.file, file);
    return !visual.file.empty();
  }
  if (const auto box = geometry.child("box")) {
    const Vec3<double> size = box->vector("size", {1.0, 1.0, 1.0});
    visual.shape = Shape::box, visual.size = {size.x, size.y, size.z};
    return true;
  }
  if (const auto ellipsoid = geometry.child("ellipsoid")) {
    const Vec3<double> radii = ellipsoid->vector("radii", {1.0, 1.0, 1.0});
    visual.shape = Shape::ellipsoid, visual.size = {radii.x, radii.y, radii.z};
    return true;
  }
  for (const auto& [name, shape, length] :
       {std::tuple{"sphere", Shape::sphere, 0.0}, {"cylinder", Shape::cylinder, 1.0}, {"capsule", Shape::capsule, 1.0}})
    if (const auto round = geometry.child(name)) {
      visual.shape = shape;
      visual.size = {round->number("radius", shape == Shape::sphere ? 1.0 : 0.5), round->number("length", length), 0.0};
      return true;
    }
  return false;
}

}  // namespace

std::optional<Visual> sdf_visual(const SdfFrames& frames, int link, const SdfElement& element,
                                 const std::string& file) {
  Visual visual;
  visual.link = frames.at(link).name;
  visual.origin = element.pose();
  const auto pose = element.child("pose");
  if (const std::string base = pose ? pose->attribute("relative_to") : ""; !base.empty()) {
    const int seen_from = frames.find(frames.at(link).scope, base);
    if (seen_from < 0) return std::nullopt;
    visual.origin = frames.between(link, seen_from) * visual.origin;
  }
  const auto geometry = element.child("geometry");
  if (!geometry || !read_shape(*geometry, file, visual)) return std::nullopt;
  const auto material = element.child("material");
  const auto diffuse = material ? material->child("diffuse") : std::nullopt;
  const auto color = diffuse ? diffuse->numbers(4) : std::nullopt;
  if (color) visual.color = {(*color)[0], (*color)[1], (*color)[2], (*color)[3]};
  return visual;
}

}  // namespace catena::io

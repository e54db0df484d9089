#include <tinyxml2.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <sstream>

#include "catena/robot.hpp"
#include "io/visuals.hpp"

namespace catena::io {
namespace {

namespace fs = std::filesystem;
using tinyxml2::XMLElement;

// As many numbers as the text has, at most N; the others are unchanged.
template <std::size_t N>
bool read_numbers(const char* text, std::array<double, N>& to) {
  if (text == nullptr) return false;
  std::istringstream in(text);
  in.imbue(std::locale::classic());
  for (double& value : to)
    if (!(in >> value)) return false;
  return true;
}

Pose<double> read_origin(const XMLElement& visual) {
  Pose<double> pose;
  const XMLElement* origin = visual.FirstChildElement("origin");
  if (origin == nullptr) return pose;
  std::array<double, 3> xyz{}, rpy{};
  if (read_numbers(origin->Attribute("xyz"), xyz)) pose.p = {xyz[0], xyz[1], xyz[2]};
  if (read_numbers(origin->Attribute("rpy"), rpy)) pose.R = rotation_from_rpy({rpy[0], rpy[1], rpy[2]});
  return pose;
}

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

std::vector<fs::path> listed_folders(const char* variable, const char* below) {
  std::vector<fs::path> out;
  const char* value = std::getenv(variable);  // NOLINT(concurrency-mt-unsafe): read only
  std::istringstream in(value == nullptr ? "" : value);
  for (std::string folder; std::getline(in, folder, ':');)
    if (!folder.empty()) out.push_back(fs::path(folder) / below);
  return out;
}

// package://NAME/REST: in a folder NAME that is above the file or beside such a folder, or in a ROS workspace.
std::string find_in_package(const std::string& rest, const fs::path& folder) {
  std::vector<fs::path> places;
  for (fs::path up = folder;; up = up.parent_path()) {
    places.push_back(up);
    if (up == up.parent_path()) break;
  }
  for (fs::path& place : listed_folders("ROS_PACKAGE_PATH", "")) places.push_back(std::move(place));
  for (fs::path& place : listed_folders("AMENT_PREFIX_PATH", "share")) places.push_back(std::move(place));
  for (const fs::path& place : places)
    if (is_file(place / rest)) return (place / rest).string();
  // The package's own folder may have another name: any folder above the file is tried as the package.
  const std::size_t slash = rest.find('/');
  if (slash == std::string::npos) return {};
  for (fs::path up = folder;; up = up.parent_path()) {
    if (is_file(up / rest.substr(slash + 1))) return (up / rest.substr(slash + 1)).string();
    if (up == up.parent_path()) return {};
  }
}

using Colors = std::map<std::string, std::array<double, 4>>;

std::optional<std::array<double, 4>> color_of(const XMLElement* material) {
  const XMLElement* color = material == nullptr ? nullptr : material->FirstChildElement("color");
  std::array<double, 4> rgba{};
  if (color == nullptr || !read_numbers(color->Attribute("rgba"), rgba)) return std::nullopt;
  return rgba;
}

// Materials are defined once, in the robot or where they are first used, and referred to by name elsewhere.
Colors named_colors(const XMLElement& robot) {
  Colors colors;
  const auto take = [&](const XMLElement* material) {
    if (material == nullptr || material->Attribute("name") == nullptr) return;
    if (const auto color = color_of(material)) colors[material->Attribute("name")] = *color;
  };
  for (const auto* m = robot.FirstChildElement("material"); m != nullptr; m = m->NextSiblingElement("material"))
    take(m);
  for (const auto* link = robot.FirstChildElement("link"); link != nullptr; link = link->NextSiblingElement("link"))
    for (const auto* v = link->FirstChildElement("visual"); v != nullptr; v = v->NextSiblingElement("visual"))
      take(v->FirstChildElement("material"));
  return colors;
}

// False where the shape is unknown.
bool read_shape(const XMLElement& geometry, const std::string& file, Visual& visual) {
  if (const XMLElement* mesh = geometry.FirstChildElement("mesh")) {
    if (mesh->Attribute("filename") == nullptr) return false;
    visual.file = mesh->Attribute("filename");
    read_numbers(mesh->Attribute("scale"), visual.size);
    visual.path = find_mesh(visual.file, file);
    return true;
  }
  if (const XMLElement* box = geometry.FirstChildElement("box")) {
    visual.shape = Visual::Shape::box;
    return read_numbers(box->Attribute("size"), visual.size);
  }
  if (const XMLElement* cylinder = geometry.FirstChildElement("cylinder")) {
    visual.shape = Visual::Shape::cylinder;
    visual.size = {cylinder->DoubleAttribute("radius"), cylinder->DoubleAttribute("length"), 0.0};
    return true;
  }
  if (const XMLElement* sphere = geometry.FirstChildElement("sphere")) {
    visual.shape = Visual::Shape::sphere;
    visual.size = {sphere->DoubleAttribute("radius"), 0.0, 0.0};
    return true;
  }
  return false;
}

}  // namespace

std::string find_mesh(const std::string& name, const std::string& file) {
  constexpr std::string_view package = "package://", local = "file://";
  std::error_code ignored;
  const fs::path folder = fs::absolute(file, ignored).parent_path();
  if (name.starts_with(package)) return find_in_package(name.substr(package.size()), folder);
  const fs::path path = name.starts_with(local) ? fs::path(name.substr(local.size())) : fs::path(name);
  const fs::path whole = path.is_absolute() ? path : folder / path;
  return is_file(whole) ? whole.lexically_normal().string() : "";
}

std::vector<Visual> urdf_visuals(const RobotText& source) {
  tinyxml2::XMLDocument document;
  if (document.Parse(source.text.data(), source.text.size()) != tinyxml2::XML_SUCCESS) return {};
  const XMLElement* robot = document.FirstChildElement("robot");
  if (robot == nullptr) return {};
  const Colors colors = named_colors(*robot);
  std::vector<Visual> out;
  for (const auto* link = robot->FirstChildElement("link"); link != nullptr; link = link->NextSiblingElement("link"))
    for (const auto* v = link->FirstChildElement("visual"); v != nullptr; v = v->NextSiblingElement("visual")) {
      const XMLElement* geometry = v->FirstChildElement("geometry");
      Visual visual;
      if (geometry == nullptr || link->Attribute("name") == nullptr || !read_shape(*geometry, source.file, visual))
        continue;
      visual.link = link->Attribute("name");
      visual.origin = read_origin(*v);
      const XMLElement* material = v->FirstChildElement("material");
      visual.color = color_of(material);
      if (!visual.color && material != nullptr && material->Attribute("name") != nullptr)
        if (const auto named = colors.find(material->Attribute("name")); named != colors.end())
          visual.color = named->second;
      out.push_back(std::move(visual));
    }
  return out;
}

}  // namespace catena::io

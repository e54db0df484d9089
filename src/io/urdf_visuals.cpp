#include <tinyxml2.h>

#include <filesystem>
#include <map>
#include <sstream>

#include "catena/robot.hpp"
#include "io/packages.hpp"
#include "io/source_text.hpp"
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

// Finds the files of meshes. Packages are searched for when the first is asked for.
class MeshFiles {
 public:
  MeshFiles(const std::string& file, const std::vector<std::string>& package_path) : package_path_(package_path) {
    std::error_code ignored;
    file_ = fs::absolute(file, ignored).string();
    folder_ = fs::path(file_).parent_path();
  }

  std::string find(const std::string& name) {
    constexpr std::string_view package = "package://", file = "file://";
    if (name.starts_with(package)) return find_in_package(name.substr(package.size()));
    const fs::path path = name.starts_with(file) ? fs::path(name.substr(file.size())) : fs::path(name);
    const fs::path whole = path.is_absolute() ? path : folder_ / path;
    return is_file(whole) ? whole.lexically_normal().string() : "";
  }

 private:
  // NAME/REST: in the package, or in a folder NAME above the file or beside such a folder; the package's own folder may
  // have another name, so any folder above the file is tried as the package.
  std::string find_in_package(const std::string& name) {
    const std::size_t slash = name.find('/');
    if (slash == std::string::npos) return {};
    const std::string rest = name.substr(slash + 1);
    if (!packages_) packages_ = io::find_packages(package_path_, file_);
    const auto package = packages_->find(name.substr(0, slash));
    if (package != packages_->end() && is_file(fs::path(package->second) / rest))
      return (fs::path(package->second) / rest).string();
    for (const std::string& wanted : {name, rest})
      for (fs::path up = folder_;; up = up.parent_path()) {
        if (is_file(up / wanted)) return (up / wanted).string();
        if (up == up.parent_path()) break;
      }
    return {};
  }

  std::string file_;
  fs::path folder_;
  std::vector<std::string> package_path_;
  std::optional<std::map<std::string, std::string>> packages_;
};

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
bool read_shape(const XMLElement& geometry, MeshFiles& files, Visual& visual) {
  if (const XMLElement* mesh = geometry.FirstChildElement("mesh")) {
    if (mesh->Attribute("filename") == nullptr) return false;
    visual.file = mesh->Attribute("filename");
    read_numbers(mesh->Attribute("scale"), visual.size);
    visual.path = files.find(visual.file);
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

std::vector<Visual> urdf_visuals(const RobotText& source) {
  tinyxml2::XMLDocument document;
  if (document.Parse(source.text.data(), source.text.size()) != tinyxml2::XML_SUCCESS) return {};
  const XMLElement* robot = document.FirstChildElement("robot");
  if (robot == nullptr) return {};
  MeshFiles files(source.file, source.package_path);
  const Colors colors = named_colors(*robot);
  std::vector<Visual> out;
  for (const auto* link = robot->FirstChildElement("link"); link != nullptr; link = link->NextSiblingElement("link"))
    for (const auto* v = link->FirstChildElement("visual"); v != nullptr; v = v->NextSiblingElement("visual")) {
      const XMLElement* geometry = v->FirstChildElement("geometry");
      Visual visual;
      if (geometry == nullptr || link->Attribute("name") == nullptr || !read_shape(*geometry, files, visual)) continue;
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

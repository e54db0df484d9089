#include "io/sdf_document.hpp"

#include <fmt/format.h>
#include <tinyxml2.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <optional>
#include <system_error>

#include "io/mjcf_document.hpp"
#include "io/packages.hpp"
#include "io/text.hpp"
#include "io/xml_text.hpp"

namespace catena::io {
namespace {

namespace fs = std::filesystem;
using tinyxml2::XMLElement;

constexpr std::string_view sdf_holds = "an SDF file holds <sdf version=\"1.9\"> ... </sdf>";
constexpr std::array<const char*, 4> path_variables{"GZ_SIM_RESOURCE_PATH", "IGN_GAZEBO_RESOURCE_PATH",
                                                    "GAZEBO_MODEL_PATH", "SDF_PATH"};
constexpr std::array<std::string_view, 2> scenery{"sun", "ground_plane"};     // of every world, and no part of a robot
constexpr std::size_t deepest = 32, most_files = 1000, most_nodes = 200'000;  // of included files
constexpr int levels_above = 3;  // the folders where model:// is looked for

// 9 of "1.9"; none: no version.
std::optional<int> minor_of(std::string_view version) {
  version = trimmed(version);
  int minor = 0;
  if (!version.starts_with("1.")) return std::nullopt;
  const auto [end, error] = std::from_chars(version.data() + 2, version.data() + version.size(), minor);
  if (error != std::errc{} || (end != version.data() + version.size() && *end != '.')) return std::nullopt;
  return minor;
}

std::string text_of(const XMLElement& xml, const char* child) {
  const XMLElement* found = xml.FirstChildElement(child);
  const char* text = found == nullptr ? nullptr : found->GetText();
  return text == nullptr ? "" : std::string(trimmed(text));
}

void set_attribute(SdfNode& node, const std::string& name, const std::string& value) {
  std::erase_if(node.attributes, [&](const auto& attribute) { return attribute.first == name; });
  node.attributes.emplace_back(name, value);
}

class SdfExpander {
 public:
  SdfExpander(const RobotText& source, Reading& out) : source_(source), out_(out) {
    std::error_code ignored;
    open_.push_back({fs::path(source.file).parent_path(), fs::weakly_canonical(source.file, ignored), "", 0});
  }

  SdfNode read() {
    tinyxml2::XMLDocument document;
    SdfNode root;
    if (const auto problem = parse_xml(document, source_.text, sdf_holds)) {
      out_.error(problem->line, problem->text);
      return root;
    }
    if (const std::string why = set_version(*document.RootElement()); !why.empty()) {
      out_.error(document.RootElement()->GetLineNum(), why);
      return root;
    }
    return node_of(*document.RootElement());
  }

 private:
  struct File {
    fs::path folder, canonical;
    std::string shown;  // in messages; empty: the file that was asked for
    int minor = 0;
  };

  // Why this is no <sdf> of a version that is read.
  std::string set_version(const XMLElement& top) {
    if (std::string_view(top.Name()) != "sdf")
      return fmt::format("the outermost element is <{}>; {}", printable(top.Name()), sdf_holds);
    const char* version = top.Attribute("version");
    if (version == nullptr) return "<sdf> has no attribute 'version', which is required";
    const auto minor = minor_of(version);
    if (!minor || *minor < oldest_sdf || *minor > newest_sdf)
      return fmt::format("<sdf> version {}: versions 1.{} to 1.{} are read", io::quoted(version), oldest_sdf,
                         newest_sdf);
    open_.back().minor = *minor;
    return "";
  }

  int line_of(const XMLElement& xml) const { return open_.size() > 1 ? line_of_include_ : xml.GetLineNum(); }
  std::string place_of(const XMLElement& xml) const {
    return open_.size() > 1 ? fmt::format("{}:{}: ", printable(open_.back().shown), xml.GetLineNum()) : "";
  }
  void error(const XMLElement& xml, const std::string& what) { out_.error(line_of(xml), place_of(xml) + what); }

  SdfNode node_of(const XMLElement& xml) {
    SdfNode node;
    node.name = xml.Name();
    node.line = line_of(xml);
    node.place = place_of(xml);
    node.minor = open_.back().minor;
    if (const char* text = xml.GetText()) node.text = trimmed(text);
    for (const auto* a = xml.FirstAttribute(); a != nullptr; a = a->Next())
      node.attributes.emplace_back(a->Name(), a->Value());
    const bool includes = node.name == "sdf" || node.name == "world" || node.name == "model";
    for (const auto* e = xml.FirstChildElement(); e != nullptr; e = e->NextSiblingElement()) {
      if (open_.size() > 1 && ++included_nodes_ > most_nodes) break;
      if (includes && std::string_view(e->Name()) == "include")
        include(*e, node);
      else
        node.children.push_back(node_of(*e));
    }
    return node;
  }

  // ---- <include> ----

  void include(const XMLElement& xml, SdfNode& into) {
    const std::string uri = text_of(xml, "uri");
    const std::string who = fmt::format("<include> {}: ", io::quoted(uri));
    if (uri.empty()) return error(xml, "<include> has no <uri>, which is required");
    std::string why;
    const fs::path path = located(uri, why);
    if (path.empty() && why.empty()) return;
    SdfNode given;
    given.children = node_of(xml).children;
    const SdfNode* still = given.child("static");
    if (!why.empty() && into.name == "world" && still != nullptr && still->text == "true")
      return;  // no part of a robot
    if (why.empty()) why = refusal(path);
    if (!why.empty()) return error(xml, who + why);
    if (xml.FirstChildElement("experimental:params") != nullptr) {
      const std::string what = who + "<experimental:params> changes what is included";
      if (!source_.lenient) return error(xml, what + "; it would change the results; --lenient ignores it");
      out_.warning(line_of(xml), "", what, place_of(xml) + what + "; it is ignored, which changes the results");
    }
    const bool outermost = open_.size() == 1;
    if (outermost) line_of_include_ = xml.GetLineNum();
    const std::string before = place_of(xml);
    std::error_code ignored;
    open_.push_back({path.parent_path(), fs::weakly_canonical(path, ignored), shown(path), 0});
    SdfNode model;
    why = read_model(path, model);
    open_.pop_back();
    if (!why.empty()) return out_.error(line_of(xml), before + who + why);
    if (model.name.empty()) return;  // a light, an actor
    override_with(given, model, xml);
    const char* merge = xml.Attribute("merge");
    if (merge != nullptr && (std::string_view(merge) == "true" || std::string_view(merge) == "1"))
      set_attribute(model, "merge", "true");
    into.children.push_back(std::move(model));
  }

  std::string refusal(const fs::path& path) {
    std::error_code ignored;
    const fs::path canonical = fs::weakly_canonical(path, ignored);
    if (std::any_of(open_.begin(), open_.end(), [&](const File& file) { return file.canonical == canonical; }))
      return "a file cannot include itself";
    if (open_.size() > deepest) return fmt::format("files are included more than {} deep", deepest);
    if (++included_files_ > most_files) return fmt::format("more than {} files are included", most_files);
    if (included_nodes_ > most_nodes) return fmt::format("included files have more than {} elements", most_nodes);
    return "";
  }

  // The file's <model>. Why there is none, without the name of the file.
  std::string read_model(const fs::path& path, SdfNode& model) {
    std::string text;
    try {
      text = read_small_file(path.string());
    } catch (const ModelError& e) {
      return e.what();
    }
    tinyxml2::XMLDocument document;
    if (const auto problem = parse_xml(document, text, sdf_holds))
      return fmt::format("{}:{}: {}", printable(open_.back().shown), problem->line, problem->text);
    const XMLElement& top = *document.RootElement();
    if (const std::string why = set_version(top); !why.empty())
      return fmt::format("{}:{}: {}", printable(open_.back().shown), top.GetLineNum(), why);
    const XMLElement* found = top.FirstChildElement("model");
    if (found != nullptr) model = node_of(*found);
    const bool is_other = top.FirstChildElement("light") != nullptr || top.FirstChildElement("actor") != nullptr;
    if (found == nullptr && !is_other) return "there is no <model> in this file";
    if (included_nodes_ > most_nodes) return fmt::format("included files have more than {} elements", most_nodes);
    return "";
  }

  // What the <include> says wins over what the model says.
  void override_with(const SdfNode& given, SdfNode& model, const XMLElement& xml) {
    const SdfNode* name = given.child("name");
    const SdfNode* placement = given.child("placement_frame");
    if (name != nullptr && !name->text.empty()) set_attribute(model, "name", name->text);
    for (const char* element : {"pose", "static"}) {
      const SdfNode* wins = given.child(element);
      if (wins == nullptr) continue;
      std::erase_if(model.children, [&](const SdfNode& child) { return child.name == element; });
      model.children.push_back(*wins);
    }
    for (const SdfNode& child : given.children)
      if (child.name == "plugin") model.children.push_back(child);
    if (placement == nullptr) return;
    set_attribute(model, "placement_frame", placement->text);
    if (given.child("pose") == nullptr) error(xml, "<include> has a <placement_frame> and no <pose>, which it places");
  }

  std::string shown(const fs::path& path) const {
    const fs::path beside = path.lexically_relative(open_.front().folder.empty() ? "." : open_.front().folder);
    return beside.empty() || *beside.begin() == ".." ? path.lexically_normal().string() : beside.string();
  }

  // ---- where it is ----

  // Neither a path nor a reason: it need not be read. A name that is not a file may be that of a model.
  fs::path located(const std::string& uri, std::string& why) const {
    const std::size_t colon = uri.find("://");
    const std::string scheme = colon == std::string::npos ? "" : uri.substr(0, colon);
    const fs::path rest = scheme.empty() ? uri : uri.substr(colon + 3);
    if (scheme == "model") return located_model(rest, why);
    if (!scheme.empty() && scheme != "file") {
      why = "models are not downloaded; copy the model to a folder beside this file";
      return {};
    }
    const fs::path& folder = open_.back().folder;
    const fs::path path = folder / rest;
    std::error_code ignored;
    if ((scheme.empty() && rest.is_absolute()) || !is_inside(folder.string(), path.string()))
      why = "is outside the folder of the file";
    else if (fs::is_directory(path, ignored))
      return file_in(path, why);
    else if (!fs::exists(path, ignored) && scheme.empty())
      return located_model(rest, why);
    else if (!fs::exists(path, ignored))
      why = "there is no such file";
    return path;
  }

  fs::path located_model(const fs::path& name, std::string& why) const {
    if (name.empty() || name.is_absolute() || std::find(name.begin(), name.end(), "..") != name.end()) {
      why = "a model is named by model://NAME, without '..'";
      return {};
    }
    for (const fs::path& root : sdf_model_folders(open_.back().folder)) {
      const fs::path path = root / name;
      std::error_code ignored;
      if (!fs::exists(path, ignored) || !is_inside(root.string(), path.string())) continue;
      return fs::is_directory(path, ignored) ? file_in(path, why) : path;
    }
    if (std::find(scenery.begin(), scenery.end(), name.string()) != scenery.end()) return {};
    why = fmt::format("there is no such model in the folders above the file, nor in those of {}",
                      fmt::join(path_variables, ", "));
    return {};
  }

  // The file that model.config names, of the newest version that is read; model.sdf where there is none.
  static fs::path file_in(const fs::path& folder, std::string& why) {
    fs::path file = folder / "model.sdf";
    std::error_code ignored;
    if (fs::exists(folder / "model.config", ignored)) {
      tinyxml2::XMLDocument document;
      try {
        const std::string text = read_small_file((folder / "model.config").string());
        if (parse_xml(document, text, "it holds <model> ... </model>")) why = "its model.config is no XML";
      } catch (const ModelError& e) {
        why = fmt::format("its model.config: {}", e.what());
      }
      if (!why.empty()) return {};
      int newest = -1;
      for (const auto* e = document.RootElement()->FirstChildElement("sdf"); e != nullptr;
           e = e->NextSiblingElement("sdf")) {
        const int minor = minor_of(e->Attribute("version") == nullptr ? "1.4" : e->Attribute("version")).value_or(-1);
        if (e->GetText() == nullptr || minor <= newest || minor > newest_sdf) continue;
        newest = minor;
        file = folder / std::string(trimmed(e->GetText()));
      }
    }
    if (!is_inside(folder.string(), file.string())) why = "its model.config names a file outside its folder";
    return file;
  }

  const RobotText& source_;
  Reading& out_;
  std::vector<File> open_;  // the file, what it includes, and so on
  int line_of_include_ = 0;
  std::size_t included_files_ = 0, included_nodes_ = 0;
};

}  // namespace

std::vector<std::filesystem::path> sdf_model_folders(const std::filesystem::path& beside) {
  std::error_code ignored;
  std::vector<fs::path> all;
  fs::path folder = fs::weakly_canonical(beside.empty() ? "." : beside, ignored);
  for (int level = 0; level <= levels_above && folder.has_relative_path(); ++level, folder = folder.parent_path()) {
    all.push_back(folder);
    all.push_back(folder / "models");
  }
  for (const char* variable : path_variables)
    for (const std::string& listed : listed_folders(variable)) all.emplace_back(listed);
  return all;
}

const std::string* SdfNode::find(std::string_view attribute) const {
  for (const auto& [key, value] : attributes)
    if (key == attribute) return &value;
  return nullptr;
}

const SdfNode* SdfNode::child(std::string_view element) const {
  for (const SdfNode& node : children)
    if (node.name == element) return &node;
  return nullptr;
}

SdfNode read_sdf_document(const RobotText& source, Reading& out) { return SdfExpander(source, out).read(); }

}  // namespace catena::io

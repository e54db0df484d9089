#include "io/mjcf_document.hpp"

#include <fmt/format.h>
#include <tinyxml2.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <set>
#include <system_error>

#include "io/text.hpp"
#include "io/xml_text.hpp"

namespace catena::io {
namespace {

namespace fs = std::filesystem;
using tinyxml2::XMLElement;

constexpr std::string_view holds = "an MJCF file holds <mujoco> ... </mujoco>";
constexpr std::array<std::string_view, 12> actuators{"general",     "motor",    "position",    "velocity",
                                                     "intvelocity", "pid",      "damper",      "muscle",
                                                     "cylinder",    "adhesion", "orientation", "dcmotor"};

class Expander {
 public:
  Expander(const RobotText& source, Reading& out)
      : source_(source), out_(out), folder_(fs::path(source.file).parent_path()) {
    seen_.insert(fs::path(source.file).filename().string());
  }

  MjcfNode read() {
    MjcfNode root;
    tinyxml2::XMLDocument document;
    if (const auto problem = parse_xml(document, source_.text, holds)) {
      out_.error(problem->line, problem->text);
      return root;
    }
    const XMLElement& top = *document.RootElement();
    if (std::string_view(top.Name()) != "mujoco") {
      out_.error(top.GetLineNum(), fmt::format("the outermost element is <{}>; {}", printable(top.Name()), holds));
      return root;
    }
    line_of_include_ = 0;
    return node_of(top);
  }

 private:
  MjcfNode node_of(const XMLElement& xml) {
    MjcfNode node;
    node.name = xml.Name();
    node.line = line_of_include_ != 0 ? line_of_include_ : xml.GetLineNum();
    if (line_of_include_ != 0) node.place = fmt::format("{}:{}: ", printable(included_), xml.GetLineNum());
    for (const auto* a = xml.FirstAttribute(); a != nullptr; a = a->Next())
      node.attributes.emplace_back(a->Name(), a->Value());
    add_children(xml, node);
    return node;
  }

  void add_children(const XMLElement& xml, MjcfNode& node) {
    for (const auto* e = xml.FirstChildElement(); e != nullptr; e = e->NextSiblingElement()) {
      if (std::string_view(e->Name()) == "include")
        include(*e, node);
      else
        node.children.push_back(node_of(*e));
    }
  }

  // Why a file is not included; empty: it is.
  std::string refusal(const std::string& file) {
    const fs::path path(file);
    if (file.empty()) return "<include> has no attribute 'file', which is required";
    if (path.is_absolute() || !is_inside(folder_.string(), (folder_ / path).string()))
      return fmt::format("<include> {} is outside the folder of the model", io::quoted(file));
    if (!seen_.insert(path.lexically_normal().string()).second)
      return fmt::format("<include> {}: a file is included once, and never in itself", io::quoted(file));
    return "";
  }

  void include(const XMLElement& xml, MjcfNode& into) {
    const int line = line_of_include_ != 0 ? line_of_include_ : xml.GetLineNum();
    const std::string before =
        line_of_include_ != 0 ? fmt::format("{}:{}: ", printable(included_), xml.GetLineNum()) : "";
    const std::string file = xml.Attribute("file") != nullptr ? xml.Attribute("file") : "";
    if (const std::string why = refusal(file); !why.empty()) return out_.error(line, before + why);
    tinyxml2::XMLDocument document;
    std::string text;
    try {
      text = read_small_file((folder_ / file).string());
    } catch (const ModelError& e) {
      return out_.error(line, fmt::format("{}<include> {}: {}", before, io::quoted(file), e.what()));
    }
    if (const auto problem = parse_xml(document, text, "an included file holds <mujocoinclude> ... </mujocoinclude>"))
      return out_.error(line, fmt::format("{}:{}: {}", printable(file), problem->line, problem->text));
    const auto outer = std::make_pair(line_of_include_, included_);
    line_of_include_ = line;
    included_ = file;
    add_children(*document.RootElement(), into);
    std::tie(line_of_include_, included_) = outer;
  }

  const RobotText& source_;
  Reading& out_;
  fs::path folder_;
  std::set<std::string> seen_;
  int line_of_include_ = 0;  // 0: in the file itself
  std::string included_;
};

}  // namespace

const std::string* MjcfNode::find(std::string_view attribute) const {
  for (const auto& [key, value] : attributes)
    if (key == attribute) return &value;
  return nullptr;
}

MjcfNode read_mjcf_document(const RobotText& source, Reading& out) { return Expander(source, out).read(); }

std::string read_small_file(const std::string& path) {
  constexpr std::uintmax_t largest = std::uintmax_t{64} << 20U;
  std::error_code error;
  if (!fs::is_regular_file(path, error)) throw ModelError("there is no such file");
  const std::uintmax_t size = fs::file_size(path, error);
  if (error || size > largest) throw ModelError("the file is larger than 64 MiB");
  std::string text(static_cast<std::size_t>(size), '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file) throw ModelError("the file cannot be read");
  return text;
}

bool is_inside(const std::string& folder, const std::string& path) {
  std::error_code ignored;
  const fs::path inside = fs::weakly_canonical(folder.empty() ? fs::path(".") : fs::path(folder), ignored);
  const fs::path real = fs::weakly_canonical(fs::path(path).lexically_normal(), ignored);
  return std::mismatch(inside.begin(), inside.end(), real.begin(), real.end()).first == inside.end();
}

void MjcfDefaults::add(const MjcfNode& section, const std::string& parent, Reading& out) {
  const std::string* given = section.find("class");
  if (given == nullptr && !parent.empty())
    return out.error(section.line, section.place + "<default> has no attribute 'class'; only the outermost has none");
  const std::string name = given == nullptr ? "main" : *given;
  if (parent.empty() && name != "main")
    return out.error(section.line, section.place + fmt::format("<default> class {}: the outermost class is main; put "
                                                               "this one inside",
                                                               io::quoted(name)));
  const auto [found, is_new] = classes_.try_emplace(name, Class{parent, {}});
  if (!is_new && (name != "main" || !parent.empty()))
    return out.error(section.line,
                     section.place + fmt::format("<default> class {} is defined twice", io::quoted(name)));
  for (const MjcfNode& element : section.children)
    if (element.name != "default") found->second.elements.insert(found->second.elements.begin(), &element);
  for (const MjcfNode& element : section.children)
    if (element.name == "default") add(element, name, out);
}

std::vector<const MjcfNode*> MjcfDefaults::of(const std::string& name, std::string_view kind) const {
  std::vector<const MjcfNode*> all;
  for (auto at = classes_.find(name.empty() ? "main" : name); at != classes_.end();
       at = classes_.find(at->second.parent))
    for (const MjcfNode* element : at->second.elements)
      if (mjcf_kind(element->name) == kind) all.push_back(element);
  return all;
}

std::string_view mjcf_kind(std::string_view element) {
  if (std::find(actuators.begin(), actuators.end(), element) != actuators.end()) return "actuator";
  if (element == "freejoint") return "freejoint";
  return element;
}

}  // namespace catena::io

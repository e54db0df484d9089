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
#include <tuple>
#include <utility>

#include "io/limits.hpp"
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

// The XML reader takes about a hundred elements inside each other, and a chain of bodies may have more. What is deeper
// is cut out, and read by itself; something stands in for it, with as many lines.
constexpr std::string_view stand_in = "catena-deep";
constexpr int depth_of_piece = 80, most_pieces = 12;
struct CutText {
  std::string shallow;
  std::vector<std::pair<std::string, int>> deep{};  // with the number of lines before it
};

// Behind the tag, comment or other markup that begins here; npos: it does not end.
std::size_t end_of_markup(std::string_view text, std::size_t at) {
  const auto behind = [&](std::string_view mark) {
    const std::size_t found = text.find(mark, at);
    return found == std::string_view::npos ? found : found + mark.size();
  };
  const std::string_view rest = text.substr(at);
  if (rest.starts_with("<!--")) return behind("-->");
  if (rest.starts_with("<![CDATA[")) return behind("]]>");
  if (rest.starts_with("<?")) return behind("?>");
  if (rest.starts_with("<!")) return behind(">");
  while (at < text.size() && text[at] != '>') {
    if (text[at] == '"' || text[at] == '\'') at = std::min(text.find(text[at], at + 1), text.size() - 1);
    ++at;
  }
  return at < text.size() ? at + 1 : std::string_view::npos;
}

CutText cut_deep(std::string_view text) {
  if (text.find(stand_in) != std::string_view::npos) return {std::string(text)};  // it could not be told apart
  CutText out;
  int line = 0, line_of_start = 0;
  int depth = 0;
  std::size_t done = 0, start = 0, counted = 0;
  for (std::size_t at = text.find('<'), end = 0; at != std::string_view::npos; at = text.find('<', end)) {
    line += static_cast<int>(std::count(text.begin() + static_cast<std::ptrdiff_t>(counted),
                                        text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
    counted = at;
    end = end_of_markup(text, at);
    if (end == std::string_view::npos) return {std::string(text)};
    const std::string_view tag = text.substr(at, end - at);
    if (tag.starts_with("<!") || tag.starts_with("<?") || tag.ends_with("/>")) continue;
    if (!tag.starts_with("</")) {
      if (depth++ == depth_of_piece) start = at, line_of_start = line;
      continue;
    }
    if (--depth != depth_of_piece) continue;
    out.deep.emplace_back(text.substr(start, end - start), line_of_start);
    out.shallow += fmt::format("{}<{}/>{}", text.substr(done, start - done), stand_in,
                               std::string(static_cast<std::size_t>(line - line_of_start), '\n'));
    done = end;
  }
  out.shallow += text.substr(done);
  return out;
}

class Expander {
 public:
  Expander(const RobotText& source, Reading& out)
      : source_(source), out_(out), folder_(fs::path(source.file).parent_path()) {
    seen_.insert(fs::path(source.file).filename().string());
  }

  MjcfNode read() {
    MjcfNode root;
    parse(source_.text, 0, holds, [&](const XMLElement& top) {
      if (std::string_view(top.Name()) == "mujoco")
        root = node_of(top);
      else
        out_.error(top.GetLineNum(), fmt::format("the outermost element is <{}>; {}", printable(top.Name()), holds));
    });
    return root;
  }

 private:
  // Hands the outermost element of a text to `use`; `above` is the number of lines before the text.
  template <class Use>
  void parse(std::string_view text, int above, std::string_view what_it_holds, const Use& use) {
    const CutText cut = cut_deep(text);
    tinyxml2::XMLDocument document;
    auto problem = parse_xml(document, cut.shallow, what_it_holds);
    if (pieces_ == most_pieces)
      problem = Problem{1, fmt::format("elements are nested more than {} deep", most_pieces * depth_of_piece)};
    if (problem) {
      const std::string before = line_of_include_ != 0 ? place(problem->line + above) : "";
      return out_.error(line_of_include_ != 0 ? line_of_include_ : problem->line + above, before + problem->text);
    }
    const Piece outer = std::exchange(piece_, {&cut, above, 0});
    use(*document.RootElement());
    piece_ = outer;
  }

  std::string place(int line) const { return fmt::format("{}:{}: ", printable(included_), line); }
  int line_in_file(const XMLElement& xml) const { return xml.GetLineNum() + piece_.above; }

  MjcfNode node_of(const XMLElement& xml) {
    MjcfNode node;
    node.name = xml.Name();
    node.line = line_of_include_ != 0 ? line_of_include_ : line_in_file(xml);
    if (line_of_include_ != 0) node.place = place(line_in_file(xml));
    if (line_of_include_ != 0) node.folder = fs::path(included_).parent_path().string();
    for (const auto* a = xml.FirstAttribute(); a != nullptr; a = a->Next())
      node.attributes.emplace_back(a->Name(), a->Value());
    add_children(xml, node);
    return node;
  }

  void add_children(const XMLElement& xml, MjcfNode& node) {
    for (const auto* e = xml.FirstChildElement(); e != nullptr; e = e->NextSiblingElement()) {
      if (std::string_view(e->Name()) == "include")
        include(*e, node);
      else if (e->Name() == stand_in && piece_.next < piece_.cut->deep.size())
        add_deep(piece_.cut->deep[piece_.next++], node);
      else
        node.children.push_back(node_of(*e));
    }
  }

  void add_deep(const std::pair<std::string, int>& piece, MjcfNode& into) {
    ++pieces_;
    parse(piece.first, piece_.above + piece.second, holds,
          [&](const XMLElement& top) { into.children.push_back(node_of(top)); });
    --pieces_;
  }

  // In the model's folder or, where there is no such file, beside the one that includes it.
  fs::path place_of(const fs::path& file) const {
    std::error_code ignored;
    const fs::path beside = fs::path(included_).parent_path() / file;
    return fs::is_regular_file(folder_ / file, ignored) || !fs::is_regular_file(folder_ / beside, ignored) ? file
                                                                                                           : beside;
  }

  // Why a file is not included; empty: it is.
  std::string refusal(const std::string& file, const fs::path& path) {
    if (file.empty()) return "<include> has no attribute 'file', which is required";
    if (path.is_absolute() || !is_inside(folder_.string(), (folder_ / path).string()))
      return fmt::format("<include> {} is outside the folder of the model", io::quoted(file));
    if (!seen_.insert(path.lexically_normal().string()).second)
      return fmt::format("<include> {}: a file may be included only once, and never in itself", io::quoted(file));
    return "";
  }

  void include(const XMLElement& xml, MjcfNode& into) {
    const int line = line_of_include_ != 0 ? line_of_include_ : line_in_file(xml);
    const std::string before = line_of_include_ != 0 ? place(line_in_file(xml)) : "";
    const std::string given = xml.Attribute("file") != nullptr ? xml.Attribute("file") : "";
    const std::string file = place_of(given).string();
    if (const std::string why = refusal(given, file); !why.empty()) return out_.error(line, before + why);
    std::string text;
    try {
      text = read_small_file((folder_ / file).string());
    } catch (const ModelError& e) {
      return out_.error(line, fmt::format("{}<include> {}: {}", before, io::quoted(file), e.what()));
    }
    const auto outer = std::make_pair(line_of_include_, included_);
    line_of_include_ = line;
    included_ = file;
    parse(text, 0, "an included file holds <mujocoinclude> ... </mujocoinclude>",
          [&](const XMLElement& top) { add_children(top, into); });
    std::tie(line_of_include_, included_) = outer;
  }

  const RobotText& source_;
  Reading& out_;
  fs::path folder_;
  std::set<std::string> seen_;
  int line_of_include_ = 0;  // 0: in the file itself
  struct Piece {
    const CutText* cut = nullptr;
    int above = 0;         // lines before it
    std::size_t next = 0;  // of what was cut out of it
  };
  Piece piece_;
  int pieces_ = 0;  // around this one
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
  std::error_code error;
  if (!fs::is_regular_file(path, error)) throw ModelError("there is no such file");
  const std::uintmax_t size = fs::file_size(path, error);
  if (error || size > limits::file) throw ModelError("the file is larger than 64 MiB");
  std::string text(static_cast<std::size_t>(size), '\0');
  std::ifstream file(std::filesystem::path(path), std::ios::binary);
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
    return out.error(section.line,
                     section.place + "<default> has no attribute 'class'; only the outermost may omit it");
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

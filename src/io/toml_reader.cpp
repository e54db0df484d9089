// The TOML format of docs/robot-files.md: which keys a file has and what they mean.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "io/composite_joint.hpp"
#include "io/limits.hpp"
#include "io/reading.hpp"
#include "io/text.hpp"
#include "io/toml_joint.hpp"
#include "io/toml_loops.hpp"
#include "io/toml_section.hpp"

namespace catena::io {

namespace {

constexpr std::array<std::string_view, 11> root_keys{"name", "convention", "angles", "gravity",     "tool", "base",
                                                     "link", "frame",      "loop",   "independent", "start"};
constexpr std::array<std::string_view, 4> base_keys{"name", "mass", "com", "inertia"};
constexpr std::array<std::string_view, 7> link_keys{"name", "joint", "joint_name", "parent", "mass", "com", "inertia"};
constexpr std::array<std::string_view, 6> dh_keys{"a", "alpha", "d", "theta", "gamma", "epsilon"};
constexpr std::array<std::string_view, 1> classic_keys{"r"};
constexpr std::array<std::string_view, 5> explicit_keys{"xyz", "rpy", "axis", "frame_xyz", "frame_rpy"};
constexpr std::array<std::string_view, 4> frame_keys{"name", "link", "xyz", "rpy"};

constexpr double two_turns = 4.0 * std::numbers::pi;

enum class Convention { unknown, classic, modified, frames };

class TomlReader {
 public:
  explicit TomlReader(const toml::table& file) : root_(out_, file, "") {}

  Reading read() {
    root_.check_keys(root_keys);
    read_settings();
    read_base();
    for_each_table("link", [this](const toml::table& table) { read_link(table); });
    if (!root_.has("link") && !root_.has("base"))
      out_.error(1,
                 "there is no [[link]]; a robot needs at least one (a load of a single body needs a [base] instead)");
    for (std::size_t k = 0; k < out_.robot.joints.size(); ++k) resolve_parent(k);
    for_each_table("frame", [this](const toml::table& table) { read_frame(table); });
    read_tool();
    compose(out_, composites_);
    for_each_table("loop", [this, number = std::size_t{0}](const toml::table& table) mutable {
      read_loop(out_, table, ++number, at_the_top);
    });
    read_loop_joints(root_, degrees_, out_.robot);
    return std::move(out_);
  }

 private:
  template <class Read>
  void for_each_table(std::string_view key, Read read_one) {
    const toml::node* node = root_.find(key);
    if (node == nullptr) return;
    const toml::array* array = node->as_array();
    if (array == nullptr || !array->is_homogeneous(toml::node_type::table))
      return root_.error(key, fmt::format("{} must be tables: write [[{}]] above each", key, key));
    for (const toml::node& entry : *array) read_one(*entry.as_table());
  }

  // ---- the top of the file ----

  void read_settings() {
    if (const auto name = root_.text("name")) out_.robot.name = *name;
    if (root_.has("name")) out_.robot.line = line_of(*root_.find("name"));
    if (const auto gravity = root_.vector("gravity")) out_.robot.gravity = *gravity;

    const std::string unit = root_.text("angles").value_or("rad");
    degrees_ = unit == "deg";
    if (unit != "deg" && unit != "rad")
      root_.error("angles", fmt::format(R"(angles {} must be "rad" or "deg")", io::quoted(unit)));

    constexpr std::string_view choices = R"("classic", "modified" or "frames")";
    if (!root_.has("convention") && !root_.has("link") && root_.has("base")) return;  // a single body needs none
    if (!root_.has("convention")) return out_.error(1, fmt::format("convention is missing; give {}", choices));
    const auto convention = root_.text("convention");
    if (!convention) return;
    convention_name_ = *convention;
    if (*convention == "classic") convention_ = Convention::classic;
    if (*convention == "modified") convention_ = Convention::modified;
    if (*convention == "frames") convention_ = Convention::frames;
    if (convention_ == Convention::unknown)
      root_.error("convention", fmt::format("convention {} must be {}", io::quoted(*convention), choices));
  }

  void read_base() {
    const toml::node* node = root_.find("base");
    const toml::table* table = node != nullptr ? node->as_table() : nullptr;
    if (node != nullptr && table == nullptr) root_.error("base", "base must be a table: write [base]");
    if (table == nullptr) return add_link("base", {}, 0);
    TomlSection section(out_, *table, "base: ");
    const std::string name = section.text("name").value_or("base");
    section.rename(fmt::format("base {}: ", io::quoted(name)));
    section.check_keys(base_keys, in_another_place());
    add_link(name, read_inertial(section, false), section.line());
  }

  void read_tool() {
    const auto tool = root_.text("tool");
    if (!tool || tool->empty()) return;
    std::vector<std::string_view> names = link_names();
    for (const FrameDescription& frame : out_.robot.frames) names.push_back(frame.name);
    if (contains(names, *tool))
      out_.robot.tool = *tool;
    else
      root_.error("tool", fmt::format("tool {} is not a link or frame of this robot{}", io::quoted(*tool),
                                      did_you_mean(*tool, names)));
  }

  // ---- links and joints ----

  void add_link(const std::string& name, const Inertial& inertial, int line) {
    const int index = out_.robot.add_link(name, inertial);
    out_.robot.links.back().line = line;
    if (!link_by_name_.try_emplace(name, index).second) out_.connected = false;  // the name is reported as used twice
  }

  void read_link(const toml::table& table) {
    const std::size_t number = out_.robot.links.size();  // the links between the joints of a composite joint come last
    TomlSection link(out_, table, fmt::format("link {}: ", number));
    const std::string name = link.text("name").value_or(fmt::format("link{}", number));
    link.rename(fmt::format("link {} {}: ", number, io::quoted(name)));
    const CompositeKind* kind = composite_kind(joint_type(link));
    const bool by_poses = is_by_poses(link, kind);
    check_link_keys(link, kind, by_poses);
    add_link(name, read_inertial(link, true), link.line());

    const std::string joint_name = link.text("joint_name").value_or(fmt::format("joint{}", number));
    TomlSection section(out_, table, fmt::format("joint {}: ", io::quoted(joint_name)));
    JointDescription joint = read_placement(section, read_joint_type(section, kind), by_poses);
    joint.name = joint_name;
    joint.child = static_cast<int>(number);
    joint.parent = joint.child - 1;
    joint.line = link.line();
    if (kind != nullptr && kind->is_free && link.has("axis"))
      section.error("axis", "is floating and cannot have an axis, because it moves along all of them");
    if (kind != nullptr)
      read_parts(section, *kind, joint_name);
    else
      read_joint_data(section, degrees_, joint);
    out_.robot.joints.push_back(joint);
    joint_tables_.push_back(&table);
  }

  // A floating joint has no row, and a fixed one need not have one.
  bool is_by_poses(const TomlSection& link, const CompositeKind* kind) const {
    if (convention_ == Convention::frames || (kind != nullptr && kind->is_free)) return true;
    const bool placed = link.has("xyz") || link.has("rpy") || link.has("frame_xyz") || link.has("frame_rpy");
    return convention_ != Convention::unknown && joint_type(link) == "fixed" && placed;
  }

  // The type of a composite joint, empty if there is none; invalid values are rejected elsewhere.
  static std::string joint_type(const TomlSection& link) {
    const toml::node* node = link.find("joint");
    return node != nullptr && node->is_string() ? node->as_string()->get() : "";
  }

  // x = { limits = { … }, friction = { … } }, one table per joint; pitch where the last follows the first.
  void read_parts(TomlSection& section, const CompositeKind& kind, const std::string& joint_name) {
    Composite composite{out_.robot.joints.size(), &kind, {}};
    for (const JointPart& part : kind.parts) {
      JointDescription joint;
      joint.type = part.type;
      if (auto table = section.subtable(part.name, joint_data_keys)) read_joint_data(*table, degrees_, joint);
      composite.parts.push_back(joint);
    }
    if (kind.has_pitch) couple_screw(section, kind, joint_name, composite);
    composites_.push_back(composite);
  }

  static void couple_screw(TomlSection& section, const CompositeKind& kind, const std::string& joint_name,
                           Composite& screw) {
    double pitch = section.number("pitch").value_or(1.0);
    if (!section.has("pitch")) section.error("pitch", "pitch is missing; give it in metres per turn");
    if (pitch == 0.0) {
      section.error("pitch", "pitch 0 must not be zero; a joint that only turns is revolute");
      pitch = 1.0;
    }
    Coupling& coupling = screw.parts.back().coupling;
    if (!coupling.terms.empty() || screw.parts.back().passive)
      section.error(kind.parts.back().name,
                    fmt::format("{} follows {} by the pitch, so it can be neither passive nor coupled to others",
                                kind.parts.back().name, kind.parts.front().name));
    coupling = {{{fmt::format("{}_{}", joint_name, kind.parts.front().name), pitch / (2.0 * std::numbers::pi)}}, 0.0};
    screw.parts.back().passive = false;
  }

  void check_link_keys(TomlSection& link, const CompositeKind* kind, bool by_poses) {
    std::vector<std::string_view> known(link_keys.begin(), link_keys.end());
    if (kind == nullptr) known.insert(known.end(), joint_data_keys.begin(), joint_data_keys.end());
    if (kind != nullptr)
      for (const JointPart& part : kind->parts) known.push_back(part.name);
    if (kind != nullptr && kind->has_pitch) known.emplace_back("pitch");
    // While the convention is unknown, keys of any convention may be meant.
    if (!by_poses) known.insert(known.end(), dh_keys.begin(), dh_keys.end());
    if (convention_ == Convention::classic || convention_ == Convention::unknown)
      known.insert(known.end(), classic_keys.begin(), classic_keys.end());
    if (by_poses || convention_ == Convention::unknown)
      known.insert(known.end(), explicit_keys.begin(), explicit_keys.end());
    link.check_keys(known, kind != nullptr ? in_a_part(*kind) : in_another_place());
  }

  std::function<std::string(std::string_view)> in_a_part(const CompositeKind& kind) const {
    return [this, &kind](std::string_view key) -> std::string {
      if (!contains(joint_data_keys, key)) return in_another_place()(key);
      if (kind.is_free) return " of a floating joint, which has neither limits nor a drive";
      const std::string_view part = kind.parts.front().name;
      return fmt::format(" of a joint with several degrees of freedom: give it for each part, {} = {{ {} = … }}", part,
                         key);
    };
  }

  // A hint for keys that are valid elsewhere; TOML puts everything after a [[link]] into that link.
  std::function<std::string(std::string_view)> in_another_place() const {
    return [this](std::string_view key) -> std::string {
      const std::string here = fmt::format(", and this file says convention = \"{}\"", convention_name_);
      if (contains(dh_keys, key) && convention_ != Convention::frames)
        return " here: a joint that is placed by xyz and rpy has no row; give one of them";
      if (contains(dh_keys, key)) return " here: it belongs to DH rows" + here;
      if (contains(classic_keys, key)) return " here: it belongs to convention = \"classic\"" + here;
      if (contains(explicit_keys, key)) return " here: it belongs to convention = \"frames\"" + here;
      return at_the_top(key);
    };
  }
  static std::string at_the_top(std::string_view key) {
    return contains(root_keys, key) ? " here: it belongs to the top of the file, before the first [table]" : "";
  }

  JointType read_joint_type(TomlSection& section, const CompositeKind* kind) {
    constexpr std::string_view choices = R"("revolute", "prismatic" or "fixed")";
    if (kind != nullptr && !kind->is_free &&
        (convention_ == Convention::classic || convention_ == Convention::modified))
      section.error("joint", fmt::format("joint type '{}' needs convention = \"frames\", and this file says "
                                         "convention = \"{}\"; use {}",
                                         kind->name, convention_name_, choices));
    if (kind != nullptr) return JointType::revolute;
    if (!section.has("joint")) section.error("joint", fmt::format("its type is missing; give joint = {}", choices));
    const auto type = section.text("joint");
    if (!type || type == "revolute") return JointType::revolute;
    if (type == "prismatic") return JointType::prismatic;
    if (type == "fixed") return JointType::fixed;
    section.error("joint", fmt::format("joint type {} is not supported; use {}, or in convention = \"frames\" {}",
                                       io::quoted(*type), choices, composite_choices()));
    return JointType::revolute;
  }

  static std::string composite_choices() {
    std::string out;
    for (const CompositeKind& kind : composite_kinds()) {
      if (!out.empty()) out += &kind == &composite_kinds().back() ? " or " : ", ";
      out += fmt::format("\"{}\"", kind.name);
    }
    return out;
  }

  JointDescription read_placement(TomlSection& section, JointType type, bool by_poses) {
    JointDescription joint;
    joint.type = type;
    if (convention_ == Convention::unknown) return joint;
    if (by_poses) {
      joint.origin = read_pose(section, "xyz", "rpy");
      joint.axis = read_axis(section);
      joint.child_frame = read_pose(section, "frame_xyz", "frame_rpy");
      return joint;
    }
    DhRow row;
    row.a = section.number("a").value_or(0.0);
    row.alpha = angle(section, "alpha");
    row.d = section.number("d").value_or(0.0);
    row.theta = angle(section, "theta");
    row.gamma = angle(section, "gamma");
    row.epsilon = section.number("epsilon").value_or(0.0);
    return convention_ == Convention::classic ? classic_dh(row, type) : modified_dh(row, type);
  }

  Vec3<double> read_axis(TomlSection& section) {
    constexpr Vec3<double> along_z{0.0, 0.0, 1.0};
    const auto axis = section.vector("axis");
    if (!axis) return along_z;
    if (const auto unit = normalized(*axis)) return *unit;
    section.error(
        "axis", fmt::format("axis [{}] has zero length; give a direction, e.g. axis = [0, 0, 1]", listed(*axis, " ")));
    return along_z;
  }

  Inertial read_inertial(TomlSection& section, bool required) {
    Inertial body;
    if (const auto mass = section.number("mass", Range::not_negative)) body.mass = *mass;
    if (const auto com = section.vector("com")) body.com = *com;
    if (convention_ == Convention::classic) read_arm(section, body);
    if (const auto inertia = section.inertia("inertia")) body.inertia = *inertia;
    if (required && !section.has("mass"))
      section.error("mass", "mass is missing; give it in kg (mass = 0 for a frame without mass)");
    if (body.mass > 0.0 && !section.has("com") && !section.has("r"))
      section.error("com", "com is missing; give the mass centre in the link frame, com = [x, y, z]");
    if (body.mass > 0.0 && !section.has("inertia"))
      section.error("inertia", "inertia is missing; give it about the mass centre, inertia = [xx, yy, zz]");
    return body;
  }

  // r: from the mass centre to the origin of the next joint's frame, which is the link frame of a classic row.
  static void read_arm(TomlSection& section, Inertial& body) {
    const auto r = section.vector("r");
    if (!r) return;
    if (section.has("com")) section.error("r", "r and com both give the mass centre; give only one, com = -r");
    body.com = Vec3<double>{} - *r;
  }

  // A parent may be anywhere in the file, so it is looked up when all links are known.
  void resolve_parent(std::size_t k) {
    JointDescription& joint = out_.robot.joints[k];
    TomlSection section(out_, *joint_tables_[k], fmt::format("joint {}: ", io::quoted(joint.name)));
    if (!section.has("parent")) return;
    const auto parent = section.text("parent");
    if (const auto link = parent ? find_link(section, "parent", *parent) : std::nullopt)
      joint.parent = *link;
    else
      out_.connected = false;
  }

  // ---- frames ----

  void read_frame(const toml::table& table) {
    TomlSection section(out_, table, "frame: ");
    FrameDescription frame;
    frame.line = section.line();
    frame.name = section.text("name").value_or("");
    if (!frame.name.empty()) section.rename(fmt::format("frame {}: ", io::quoted(frame.name)));
    if (!section.has("name")) section.error("name", "name is missing");
    section.check_keys(frame_keys, in_another_place());
    frame.pose = read_pose(section, "xyz", "rpy");
    if (!section.has("link")) section.error("link", "link is missing; name the link this frame is fixed to");
    if (const auto link = section.text("link"))
      if (const auto index = find_link(section, "link", *link)) frame.link = *index;
    if (!frame.name.empty()) out_.robot.frames.push_back(frame);
  }

  // ---- shared ----

  Pose<double> read_pose(TomlSection& section, std::string_view xyz, std::string_view rpy) {
    const Vec3<double> turn = section.vector(rpy).value_or(Vec3<double>{});
    for (const double value : {turn.x, turn.y, turn.z}) warn_of_degrees(section, rpy, value);
    return {rotation_from_rpy({radians(turn.x), radians(turn.y), radians(turn.z)}),
            section.vector(xyz).value_or(Vec3<double>{})};
  }

  double angle(TomlSection& section, std::string_view key) {
    const double value = section.number(key).value_or(0.0);
    warn_of_degrees(section, key, value);
    return radians(value);
  }

  double radians(double value) const { return degrees_ ? value * std::numbers::pi / 180.0 : value; }

  void warn_of_degrees(TomlSection& section, std::string_view key, double value) {
    if (degrees_ || std::abs(value) <= two_turns) return;
    section.warning(
        key, "degrees",
        fmt::format("{} {} rad is more than two turns; if it is in degrees, write angles = \"deg\" at the top", key,
                    value));
  }

  std::optional<int> find_link(TomlSection& section, std::string_view key, const std::string& name) {
    const auto found = link_by_name_.find(name);
    if (found != link_by_name_.end()) return found->second;
    section.error(key, fmt::format("{} {} is not a link of this robot{}", key, io::quoted(name),
                                   did_you_mean(name, link_names())));
    return std::nullopt;
  }

  std::vector<std::string_view> link_names() const {
    std::vector<std::string_view> names;
    for (const LinkDescription& link : out_.robot.links) names.push_back(link.name);
    return names;
  }

  Reading out_;
  TomlSection root_;
  Convention convention_ = Convention::unknown;
  std::string convention_name_;
  bool degrees_ = false;
  std::unordered_map<std::string, int> link_by_name_;
  std::vector<const toml::table*> joint_tables_;  // by joint
  std::vector<Composite> composites_;
};

// toml++ limits the nesting of values but not the length of a dotted key, which it stores and frees recursively.
std::optional<int> overlong_key_line(std::string_view text) {
  constexpr int most_dots = 64;
  int line = 1, dots = 0;
  bool quotes = false, comment = false;
  for (const char c : text) {
    if (c == '\n') {
      ++line;
      dots = 0;
      quotes = comment = false;
    } else if (c == '"' || c == '\'') {
      quotes = true;  // from here on '#' may be part of a key
    } else if (c == '#') {
      comment = comment || !quotes;
    } else if (c == '.' && !comment && ++dots > most_dots) {
      return line;
    }
  }
  return std::nullopt;
}

}  // namespace

Reading read_toml(const RobotText& source) {
  const std::string_view text = source.text;
  Reading failed;
  if (const auto line = overlong_key_line(text)) {
    failed.error(*line, "more than 64 dots on a line; no key or list in a robot file is that long");
    return failed;
  }
  for (const char mark : {'=', ',', '['})
    if (static_cast<std::size_t>(std::count(text.begin(), text.end(), mark)) > limits::marks) {
      failed.error(1, fmt::format("more than {} values; this is not a robot file", limits::marks));
      return failed;
    }
  try {
    const toml::table file = toml::parse(text);
    return TomlReader(file).read();
  } catch (const toml::parse_error& e) {
    std::string_view what = e.description();
    what = what.substr(0, what.find(" (TOML_"));  // the name of the library's macro is of no use to a user
    failed.error(static_cast<int>(e.source().begin.line), fmt::format("TOML syntax: {}", what));
    return failed;
  }
}

}  // namespace catena::io

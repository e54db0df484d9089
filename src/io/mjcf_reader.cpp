// MJCF, the format of MuJoCo (docs/robot-files.md): which elements matter to dynamics and what they mean.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <numbers>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/composite_joint.hpp"
#include "io/limits.hpp"
#include "io/mjcf_custom.hpp"
#include "io/mjcf_inertia.hpp"
#include "io/mjcf_names.hpp"
#include "io/mjcf_relations.hpp"
#include "io/mjcf_visuals.hpp"
#include "io/text.hpp"

namespace catena::io {
namespace {

constexpr std::array<std::string_view, 17> known_sections{
    "compiler", "option",     "size",     "statistic", "visual",   "default", "extension", "asset", "worldbody",
    "contact",  "deformable", "equality", "tendon",    "actuator", "sensor",  "keyframe",  "custom"};
constexpr std::array<std::string_view, 14> parts_of_body{"inertial", "joint",  "freejoint", "geom",   "attach",
                                                         "site",     "camera", "light",     "plugin", "composite",
                                                         "flexcomp", "frame",  "replicate", "body"};
constexpr std::array<std::string_view, 4> makers{"attach", "plugin", "composite", "flexcomp"};  // of bodies, of forces
constexpr std::size_t most_items = 20'000;  // that <replicate> may make

class MjcfReader {
 public:
  MjcfReader(const MjcfNode& root, const RobotText& source)
      : root_(root),
        model_{out_, source.lenient, std::filesystem::path(source.file).parent_path().string()},
        masses_(model_) {}

  Reading read() {
    out_.robot.line = root_.line;
    if (const std::string* name = root_.find("model"); name != nullptr && !name->empty()) out_.robot.name = *name;
    for (const MjcfNode& section : root_.children) check_section(section);
    for (const MjcfNode* section : all("compiler")) read_compiler(MjcfElement(model_, *section, ""));
    for (const MjcfNode* section : all("default")) model_.defaults.add(*section, out_);
    for (const MjcfNode* section : all("option")) read_option(MjcfElement(model_, *section, ""));
    for (const MjcfNode* section : all("asset"))
      for (const MjcfNode& asset : section->children)
        if (asset.name == "mesh") masses_.add_mesh(asset);
    read_world();
    if (items_ > most_items) out_.robot = {};  // nothing follows from a part of it
    if (items_ > most_items) return std::move(out_);
    out_.require_few_parts();
    read_actuators(model_, tree_, all("actuator"));
    read_equalities(model_, tree_, all("equality"), all("tendon"));
    read_keys(model_, tree_, all("keyframe"));
    masses_.scale(out_.robot.links);
    compose(out_, composites_);
    check_mjcf_names(model_, root_);
    read_customs(model_, tree_, all("custom"));
    report_once();
    return std::move(out_);
  }

  // After read().
  std::vector<Visual> visuals() { return visuals_of(model_, root_, shapes_); }

 private:
  // ---- sections ----

  std::vector<const MjcfNode*> all(std::string_view name) const {
    std::vector<const MjcfNode*> found;
    for (const MjcfNode& section : root_.children)
      if (section.name == name) found.push_back(&section);
    return found;
  }

  void check_section(const MjcfNode& section) {
    const MjcfElement element(model_, section, "");
    if (std::find(known_sections.begin(), known_sections.end(), section.name) == known_sections.end())
      element.error(fmt::format("unknown element {}{}", element.tag(), did_you_mean(section.name, known_sections)));
    if (section.name != "deformable") return;
    for (const MjcfNode& part : section.children)
      if (part.name != "skin") MjcfElement(model_, part, "").refuse(fmt::format("<{}>", printable(part.name)));
  }

  void read_compiler(const MjcfElement& element) {
    MjcfCompiler& compiler = model_.compiler;
    if (const auto angle = element.text("angle")) {
      if (*angle != "degree" && *angle != "radian")
        element.error(fmt::format(R"(<compiler> angle {} must be "degree" or "radian")", io::quoted(*angle)));
      compiler.angle = *angle == "radian" ? 1.0 : std::numbers::pi / 180.0;
    }
    if (const auto order = element.text("eulerseq")) {
      const bool good = order->size() == 3 && order->find_first_not_of("xyzXYZ") == std::string::npos;
      if (!good) element.error(fmt::format("<compiler> eulerseq {} must be three of xyzXYZ", io::quoted(*order)));
      if (good) compiler.eulerseq = *order;
    }
    compiler.autolimits = element.truth("autolimits", compiler.autolimits);
    compiler.balance = element.truth("balanceinertia", compiler.balance);
    compiler.strip_path = element.truth("strippath", compiler.strip_path);
    compiler.mesh_folder = element.text("meshdir").value_or(element.text("assetdir").value_or(compiler.mesh_folder));
    compiler.bound_mass = element.number("boundmass", compiler.bound_mass);
    compiler.bound_inertia = element.number("boundinertia", compiler.bound_inertia);
    compiler.total_mass = element.number("settotalmass", compiler.total_mass);
    if (const auto range = element.numbers("inertiagrouprange", 2, 2)) compiler.groups = {(*range)[0], (*range)[1]};
    if (element.has("inertiafromgeom")) {
      using FromGeom = MjcfCompiler::FromGeom;
      const bool automatic = element.text("inertiafromgeom") == "auto";
      compiler.from_geoms = automatic                                 ? FromGeom::if_missing
                            : element.truth("inertiafromgeom", false) ? FromGeom::always
                                                                      : FromGeom::no;
    }
    if (element.text("coordinate").value_or("local") != "local") element.refuse("<compiler> coordinate=\"global\"");
    if (element.truth("alignfree", false)) element.refuse("<compiler> alignfree");
  }

  void read_option(const MjcfElement& element) {
    out_.robot.gravity = element.vector("gravity", out_.robot.gravity);
    for (const char* fluid : {"density", "viscosity"})
      if (element.number(fluid, 0.0) != 0.0) element.refuse(fmt::format("<option> {}: forces of a fluid", fluid));
    for (const MjcfNode& child : element.node().children) {
      if (child.name != "flag") continue;
      const MjcfElement flag(model_, child, "");
      const auto off = [&](const char* what) { return flag.text(what).value_or("enable") == "disable"; };
      if (off("gravity")) out_.robot.gravity = {};
      for (const char* what : {"spring", "damper", "frictionloss", "equality", "constraint"})
        if (off(what)) flag.refuse(fmt::format("<flag> {}=\"disable\"", what));
    }
  }

  // An attribute that several questions ask for is wrong once.
  void report_once() {
    std::set<std::pair<int, std::string>> said;
    std::erase_if(out_.findings.errors, [&](const Problem& p) { return !said.insert({p.line, p.text}).second; });
  }

  // ---- bodies ----

  struct Body {
    int link = 0;
    std::string who, inherited, suffix;
  };
  using Items = std::map<std::string_view, std::vector<MjcfItem>>;

  void read_world() {
    base_ = base_of(all("custom"));
    out_.robot.add_link("world");
    tree_.bodies["world"] = 0;
    tree_.places.emplace_back();
    Items items;
    for (const MjcfNode* world : all("worldbody")) {
      const std::string* inherited = world->find("childclass");
      collect({world, inherited == nullptr ? "" : *inherited, "", {}}, "world: ", items);
    }
    if (out_.robot.links.size() == 1 && items["body"].empty())
      out_.error(root_.line, "there is no <body> in <worldbody>; a robot needs at least one");
    for (const char* joint : {"joint", "freejoint", "inertial"})
      for (const MjcfItem& item : items[joint])
        MjcfElement(model_, *item.node, "").error(fmt::format("<{}> must be in a <body>", joint));
    read_sites(items["site"], 0);
    keep_shapes(items["geom"], 0);
    for (const MjcfItem& item : items["body"]) read_body(item, 0);
    add_sites();
  }

  // The elements in a body by their kind, those in <frame> and <replicate> too.
  void collect(const MjcfItem& around, const std::string& who, Items& items) {
    for (const MjcfNode& child : around.node->children) {
      const auto known = std::find(parts_of_body.begin(), parts_of_body.end(), child.name);
      const bool is_part = known != parts_of_body.end() && child.name != "frame" && child.name != "replicate" &&
                           std::find(makers.begin(), makers.end(), child.name) == makers.end();
      if (!around.suffix.empty() && ++items_ > most_items) return too_many(MjcfElement(model_, child, who));
      if (is_part)
        items[*known].push_back({&child, around.inherited, around.suffix, around.frame});
      else
        collect_from(MjcfElement(model_, child, who, around.inherited), around, who, items);
    }
  }

  void collect_from(const MjcfElement& element, const MjcfItem& around, const std::string& who, Items& items) {
    const MjcfNode& node = element.node();
    if (std::find(makers.begin(), makers.end(), node.name) != makers.end())
      element.refuse(element.tag());
    else if (node.name == "replicate")
      replicate(around, element, who, items);
    else if (node.name == "frame")
      collect({&node, class_in(element, around), around.suffix, around.frame * element.pose()}, who, items);
    else
      element.error(fmt::format("unknown element {}{}", element.tag(), did_you_mean(node.name, parts_of_body)));
  }

  void too_many(const MjcfElement& element) {
    if (items_ == most_items + 1) element.error(fmt::format("<replicate> makes more than {} elements", most_items));
  }

  void replicate(const MjcfItem& around, const MjcfElement& element, const std::string& who, Items& items) {
    const double count = element.number("count", 0.0);
    if (!(count >= 1.0 && count <= 1e5) || count != std::floor(count))
      return element.error("<replicate> count must be a whole number from 1 to 100000");
    const Pose<double> step{element.pose().R, element.vector("offset", {})};
    const std::string separator = element.text("sep").value_or("");
    if (around.suffix.size() + separator.size() > limits::name)
      return element.error(overlong_name(separator + around.suffix));
    const std::size_t digits = fmt::format("{}", static_cast<int>(count)).size();
    Pose<double> frame = around.frame;
    for (int k = 0; k < static_cast<int>(count) && items_ <= most_items; ++k, frame = frame * step)
      collect({&element.node(), class_in(element, around),
               fmt::format("{}{:0{}}{}", separator, k, digits, around.suffix), frame},
              who, items);
  }

  // The class that elements in this body or frame have by default.
  std::string class_in(const MjcfElement& element, const MjcfItem& around) {
    const std::string* own = element.node().find("childclass");
    if (own == nullptr) return around.inherited;
    if (!model_.defaults.has(*own))
      element.error(fmt::format("childclass {} is not a class of <default>", io::quoted(*own)));
    return *own;
  }

  std::string new_link_name(const MjcfItem& item) {
    if (const std::string* given = item.node->find("name")) return *given + item.suffix;
    std::string name = fmt::format("body{}", tree_.bodies.size());
    while (tree_.bodies.contains(name)) name += "_";
    return name;
  }

  void read_body(const MjcfItem& item, int parent) {
    const std::string name = new_link_name(item);
    const std::string who = fmt::format("body {}: ", io::quoted(name));
    const MjcfElement element(model_, *item.node, who, item.inherited);
    Items items;
    collect({item.node, class_in(element, item), item.suffix, {}}, who, items);
    if (element.number("gravcomp", 0.0) != 0.0) element.refuse("gravcomp: gravity that is taken away from a body");
    const Pose<double> pose = item.frame * element.pose();
    if (parent == 0 && name == base_ && pose == Pose<double>{}) return read_base(name, items, *item.node);
    const int link = out_.robot.add_link(name, masses_.of(who, items["inertial"], items["geom"], pose.p));
    out_.robot.links.back().line = item.node->line;
    if (!tree_.bodies.try_emplace(name, link).second) out_.connected = false;  // the name is reported as used twice
    tree_.places.push_back(tree_.places[static_cast<std::size_t>(parent)] * pose);
    std::vector<MjcfItem> joints = items["joint"];
    joints.insert(joints.end(), items["freejoint"].begin(), items["freejoint"].end());
    read_joints(name, joints, parent, link, pose);
    read_sites(items["site"], link);
    keep_shapes(items["geom"], link);
    for (const MjcfItem& child : items["body"]) read_body(child, link);
  }

  // Instead of the world.
  void read_base(const std::string& name, Items& items, const MjcfNode& node) {
    const std::string who = fmt::format("body {}: ", io::quoted(name));
    out_.robot.links[0] = {name, masses_.of(who, items["inertial"], items["geom"], {}), node.line};
    tree_.bodies[name] = 0;
    for (const char* joint : {"joint", "freejoint"})
      for (const MjcfItem& item : items[joint])
        MjcfElement(model_, *item.node, who).error("the base of the robot cannot have a joint");
    read_sites(items["site"], 0);
    keep_shapes(items["geom"], 0);
    for (const MjcfItem& child : items["body"]) read_body(child, 0);
  }

  void keep_shapes(const std::vector<MjcfItem>& items, int link) {
    for (const MjcfItem& item : items) shapes_.push_back({out_.robot.links[static_cast<std::size_t>(link)].name, item});
  }

  void read_sites(const std::vector<MjcfItem>& items, int link) {
    for (const MjcfItem& item : items) {
      const std::string* given = item.node->find("name");
      if (given == nullptr || is_own(given)) continue;
      const MjcfElement site(model_, *item.node, fmt::format("site {}: ", io::quoted(*given)), item.inherited);
      sites_.push_back({*given + item.suffix, link, item.frame * site.pose(), item.node->line});
    }
  }

  // Links and frames share names here; bodies and sites do not there. A site that is its body in name and place is the
  // link's own frame.
  void add_sites() {
    for (FrameDescription& site : sites_) {
      const std::string name = site.name;
      const auto same = tree_.bodies.find(name);
      if (same != tree_.bodies.end() && same->second == site.link && site.pose == Pose<double>{}) {
        tree_.sites.try_emplace(name, name);
        continue;
      }
      while (tree_.bodies.contains(site.name)) site.name += "_site";
      tree_.sites.try_emplace(name, site.name);
      out_.robot.frames.push_back(std::move(site));
    }
  }

  // ---- joints ----

  // One behind the other, with links without mass between them; none: the body is fixed.
  void read_joints(const std::string& body, const std::vector<MjcfItem>& items, int parent, int link,
                   const Pose<double>& pose) {
    Pose<double> origin = pose;
    for (std::size_t k = 0; k < items.size(); ++k) {
      const bool last = k + 1 == items.size();
      const std::string* given = items[k].node->find("name");
      const std::string name = given != nullptr
                                   ? *given + items[k].suffix
                                   : (items.size() == 1 ? body + "_joint" : fmt::format("{}_joint{}", body, k + 1));
      const MjcfElement element(model_, *items[k].node, fmt::format("joint {}: ", io::quoted(name)),
                                items[k].inherited);
      JointDescription joint;
      joint.name = name;
      joint.line = items[k].node->line;
      joint.parent = parent;
      joint.child = parent = last ? link : out_.robot.add_link(name + "_link");
      if (!last) {
        out_.robot.links.back().line = items[k].node->line;
        tree_.places.push_back(tree_.places[static_cast<std::size_t>(link)]);
      }
      read_joint(element, items[k].frame, origin, items.size() > 1, joint);
      out_.robot.joints.push_back(joint);
      origin = {};
    }
    if (!items.empty()) return;
    JointDescription fixed;
    fixed.name = body + "_fixed";
    fixed.type = JointType::fixed;
    fixed.parent = parent;
    fixed.child = link;
    fixed.origin = pose;
    fixed.line = out_.robot.links[static_cast<std::size_t>(link)].line;
    out_.robot.joints.push_back(fixed);
  }

  void read_joint(const MjcfElement& element, const Pose<double>& frame, const Pose<double>& origin, bool several,
                  JointDescription& joint) {
    const std::string type = element.node().name == "freejoint" ? "free" : element.text("type").value_or("hinge");
    const Vec3<double> anchor = frame.p + frame.R * element.vector("pos", {});
    joint.origin = origin;
    if (type == "free") return read_free(element, joint.parent, several, joint);
    if (type != "hinge" && type != "slide" && type != "ball")
      element.error(fmt::format("type {} must be hinge, slide, ball or free", io::quoted(type)));
    joint.origin = origin * Pose<double>{Mat3<double>::identity(), anchor};
    joint.child_frame.p = -1.0 * anchor;
    if (type == "ball") return add_composite(element, "spherical", 4);
    joint.type = type == "slide" ? JointType::prismatic : JointType::revolute;
    joint.axis = frame.R * element.direction("axis", {0.0, 0.0, 1.0});
    const double unit = type == "hinge" ? model_.compiler.angle : 1.0;
    const double reference = unit * element.number("ref", 0.0);
    if (reference != 0.0)
      joint.origin = joint.origin * (type == "slide" ? Pose<double>{Mat3<double>::identity(), -reference * joint.axis}
                                                     : Pose<double>{rotation_about(joint.axis, -reference), {}});
    read_limits(element, unit, joint.limits);
    read_drive(element, unit, joint.drive);
    tree_.joints.try_emplace(joint.name, out_.robot.joints.size());
    tree_.references.try_emplace(joint.name, reference);
    tree_.coordinates.push_back({joint.name, 1});
  }

  void read_free(const MjcfElement& element, int parent, bool several, JointDescription& joint) {
    if (parent != 0 || several) element.error("a free joint must be the only one of a body in <worldbody>");
    if (element.truth("align", false)) element.refuse("align of a free joint");
    joint.origin = {};  // its position is that in the world
    add_composite(element, "floating", 7);
  }

  void add_composite(const MjcfElement& element, std::string_view kind_name, std::size_t positions) {
    for (const char* acts : {"damping", "armature", "frictionloss", "stiffness"}) {
      const bool is_free_joint = element.node().name == "freejoint";
      const auto v = is_free_joint ? std::nullopt : element.numbers(acts, 1, 3);
      if (v && std::any_of(v->begin(), v->end(), [](double x) { return x != 0.0; }))
        element.refuse(fmt::format("{} of a joint with several degrees of freedom", acts));
    }
    const CompositeKind* kind = composite_kind(kind_name);
    composites_.push_back({out_.robot.joints.size(), kind, std::vector<JointDescription>(kind->parts.size())});
    tree_.coordinates.push_back({"", positions});
  }

  static void read_limits(const MjcfElement& element, double unit, JointLimits& limits) {
    const auto range = element.limited("limited", "range") ? element.numbers("range", 2, 2) : std::nullopt;
    if (range) {
      limits.lower = limit_of(unit * (*range)[0]);
      limits.upper = limit_of(unit * (*range)[1]);
    }
    if (element.limited("actuatorfrclimited", "actuatorfrcrange")) limits.effort = element.effort("actuatorfrcrange");
  }

  static void read_drive(const MjcfElement& element, double unit, JointDrive& drive) {
    const auto not_negative = [&](const char* attribute, double value) {
      if (value < 0.0) element.error(fmt::format("{} {} must not be negative", attribute, value));
      return std::max(value, 0.0);
    };
    const std::vector<double> damping = element.numbers("damping", 1, 3).value_or(std::vector<double>{0.0});
    const std::vector<double> stiffness = element.numbers("stiffness", 1, 3).value_or(std::vector<double>{0.0});
    const auto any = [](auto from, auto to) { return std::any_of(from, to, [](double x) { return x != 0.0; }); };
    if (any(damping.begin() + 1, damping.end())) element.refuse("nonlinear damping");
    if (any(stiffness.begin() + 1, stiffness.end())) element.refuse("nonlinear stiffness");
    const std::vector<double> timed = element.numbers("springdamper", 2, 2).value_or(std::vector<double>{0.0, 0.0});
    if (timed[0] > 0.0 && timed[1] > 0.0) element.refuse("springdamper: give stiffness and damping");
    drive.viscous = not_negative("damping", damping[0]);
    drive.spring = not_negative("stiffness", stiffness[0]);
    drive.spring_rest = unit * element.number("springref", 0.0);
    drive.coulomb = not_negative("frictionloss", element.number("frictionloss", 0.0));
    drive.rotor_inertia = not_negative("armature", element.number("armature", 0.0));
  }

  const MjcfNode& root_;
  Reading out_;
  MjcfModel model_;
  MjcfMasses masses_;
  MjcfTree tree_;
  std::vector<Composite> composites_;
  std::vector<FrameDescription> sites_;
  std::vector<MjcfShape> shapes_;
  std::size_t items_ = 0;
  std::string base_;  // the body that is the base; empty: the world
};

}  // namespace

Reading read_mjcf(const RobotText& source) {
  Reading failed;
  const MjcfNode root = read_mjcf_document(source, failed);
  if (!failed.findings.ok()) return failed;
  return MjcfReader(root, source).read();
}

std::vector<Visual> mjcf_visuals(const RobotText& source) {
  Reading failed;
  const MjcfNode root = read_mjcf_document(source, failed);
  if (!failed.findings.ok()) return {};
  MjcfReader reader(root, source);
  reader.read();
  return reader.visuals();
}

}  // namespace catena::io

// URDF as found in practice (docs/robot-files.md): which elements matter to dynamics and what they mean.
#include <fmt/format.h>
#include <tinyxml2.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "io/composite_joint.hpp"
#include "io/reading.hpp"
#include "io/text.hpp"
#include "io/urdf_element.hpp"
#include "io/urdf_loops.hpp"
#include "io/xml_text.hpp"

namespace catena::io {

namespace {

using tinyxml2::XMLElement;

constexpr std::array<std::string_view, 4> link_children{"inertial", "visual", "collision", "contact"};
constexpr std::array<std::string_view, 3> inertial_children{"origin", "mass", "inertia"};
constexpr std::array<std::string_view, 10> joint_children{
    "origin", "parent", "child", "axis", "calibration", "limit", "mimic", "dynamics", "catena", "safety_controller"};
constexpr std::array<std::string_view, 4> root_children{"link", "joint", "transmission", "catena"};
// What is known and says nothing about dynamics, and what a simulator adds to them.
constexpr std::array<std::string_view, 3> unused_in_links{"visual", "collision", "contact"};
constexpr std::array<std::string_view, 2> unused_in_joints{"calibration", "safety_controller"};
constexpr std::array<std::string_view, 5> unused_in_robots{"material", "gazebo", "sensor", "ros2_control", "group"};
constexpr std::array<std::string_view, 7> acts_in_gazebo{
    "springStiffness", "springReference", "turnGravityOff", "gravity", "joint", "dampingFactor", "plugin"};
constexpr std::array<std::string_view, 2> names_of_elements{"name", "type"};
constexpr std::array<std::string_view, 4> limit_attributes{"lower", "upper", "velocity", "effort"};
constexpr std::array<std::string_view, 2> dynamics_attributes{"damping", "friction"};
constexpr std::array<std::string_view, 11> drive_attributes{"rotor_inertia",   "gear_ratio",      "spring",
                                                            "spring_rest",     "torque_offset",   "stribeck",
                                                            "stribeck_speed",  "passive",         "elastic_stiffness",
                                                            "elastic_damping", "elastic_coupling"};
constexpr std::array<std::string_view, 2> robot_attributes{"gravity", "tool"};
constexpr std::array<std::string_view, 1> axis_attributes{"xyz"};
constexpr std::array<std::string_view, 3> mimic_attributes{"joint", "multiplier", "offset"};
constexpr std::array<std::string_view, 1> own_children{"coupling"};
constexpr std::array<std::string_view, 1> coupling_children{"term"};
constexpr std::array<std::string_view, 1> coupling_attributes{"offset"};
constexpr std::array<std::string_view, 2> term_attributes{"joint", "factor"};

class UrdfReader {
 public:
  explicit UrdfReader(const XMLElement& robot) : root_(robot) {}

  Reading read() {
    if (const char* name = root_.Attribute("name")) out_.robot.name = name;
    out_.robot.line = root_.GetLineNum();
    refuse_xacro();
    for (const auto* e = root_.FirstChildElement("link"); e != nullptr; e = e->NextSiblingElement("link"))
      read_link(*e);
    if (out_.robot.links.empty()) out_.error(root_.GetLineNum(), "there is no <link>; a robot needs at least one");
    for (const auto* e = root_.FirstChildElement("joint"); e != nullptr; e = e->NextSiblingElement("joint"))
      read_joint(*e);
    for (const auto* e = root_.FirstChildElement("transmission"); e != nullptr;
         e = e->NextSiblingElement("transmission"))
      read_transmission(*e);
    for (const auto& [joint, ratio] : own_ratios_) out_.robot.joints[joint].drive.gear_ratio = ratio;
    compose(out_, composites_);
    read_extension();
    note_unused();
    return std::move(out_);
  }

 private:
  // xacro is a language that generates URDF; its result is not in the file.
  void refuse_xacro() {
    for (const auto* e = root_.FirstChildElement(); e != nullptr; e = e->NextSiblingElement()) {
      if (!std::string_view(e->Name()).starts_with("xacro:")) continue;
      return out_.error(e->GetLineNum(),
                        fmt::format("<{}> is xacro, not URDF; expand the file with xacro first", e->Name()));
    }
  }

  // For `catena check`; names that are nearly known are errors already.
  void note_unused() {
    for (const auto* e = root_.FirstChildElement(); e != nullptr; e = e->NextSiblingElement()) {
      const std::string_view name = e->Name();
      if (name == "link" || name == "joint") {
        for (const auto* part = e->FirstChildElement(); part != nullptr; part = part->NextSiblingElement())
          note_element(*part, name == "link" ? std::span<const std::string_view>(link_children) : joint_children,
                       name == "link" ? std::span<const std::string_view>(unused_in_links) : unused_in_joints);
      } else {
        note_element(*e, root_children, unused_in_robots);
      }
    }
  }
  void note_element(const XMLElement& xml, std::span<const std::string_view> known,
                    std::span<const std::string_view> unused) {
    const auto is_in = [&](std::span<const std::string_view> names) {
      return std::find(names.begin(), names.end(), std::string_view(xml.Name())) != names.end();
    };
    const std::string tag = fmt::format("<{}>", printable(xml.Name()));
    for (const std::string_view acts : acts_in_gazebo)
      if (tag == "<gazebo>" && xml.FirstChildElement(std::string(acts).c_str()) != nullptr)
        return out_.note_unknown(xml.GetLineNum(), fmt::format("<{}> in <gazebo>", acts));
    if (is_in(unused))
      out_.note(xml.GetLineNum(), "", tag);
    else if (!is_in(known))
      out_.note_unknown(xml.GetLineNum(), tag);
  }

  void read_link(const XMLElement& xml) {
    const std::size_t number = out_.robot.links.size();
    const UrdfElement element(out_, xml, fmt::format("link {}: ", number));
    const std::string name = element.required_text("name").value_or("");
    const UrdfElement link(out_, xml, fmt::format("link {} {}: ", number, quoted(name)));
    link.check_names(link_children, names_of_elements);
    const int index = out_.robot.add_link(name, read_inertial(link));
    out_.robot.links.back().line = link.line();
    if (!link_by_name_.try_emplace(name, index).second) out_.connected = false;  // the name is reported as used twice
  }

  // No <inertial>: a frame without mass. If present, it must be complete.
  static Inertial read_inertial(const UrdfElement& link) {
    Inertial body;
    const auto inertial = link.child("inertial");
    if (!inertial) return body;
    inertial->check_names(inertial_children, {});
    const Pose<double> pose = inertial->origin();
    body.com = pose.p;
    if (const auto mass = inertial->required_child("mass")) {
      body.mass = mass->required_number("value").value_or(0.0);
      if (body.mass < 0.0) mass->error(fmt::format("mass {} must not be negative", body.mass));
      if (body.mass < 0.0) body.mass = 0.0;
    }
    if (const auto inertia = inertial->required_child("inertia")) {
      const auto i = read_moments(*inertia);
      const bool turned = !(pose.R == Mat3<double>::identity());
      if (i) body.inertia = turned ? congruence(pose.R, *i) : *i;
    }
    return body;
  }

  // All or nothing: an unreadable entry has been reported, and further errors caused by it would only confuse.
  static std::optional<Sym3<double>> read_moments(const UrdfElement& inertia) {
    constexpr std::array<const char*, 6> entries{"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
    std::array<double, 6> v{};
    bool complete = true;
    for (std::size_t k = 0; k < entries.size(); ++k) {
      const auto entry = inertia.required_number(entries[k]);
      complete = complete && entry;
      v[k] = entry.value_or(0.0);
    }
    if (!complete) return std::nullopt;
    return Sym3<double>{v[0], v[1], v[2], v[3], v[4], v[5]};
  }

  void read_joint(const XMLElement& xml) {
    const std::string name = UrdfElement(out_, xml, "joint: ").required_text("name").value_or("");
    const UrdfElement element(out_, xml, fmt::format("joint {}: ", quoted(name)));
    element.check_names(joint_children, names_of_elements);
    JointDescription joint;
    joint.name = name;
    joint.line = element.line();
    const std::string type = element.required_text("type").value_or("fixed");
    const bool composed = type == "planar" || type == "floating";
    joint.type = composed ? JointType::revolute : read_type(element, type);
    joint.parent = read_end(element, "parent");
    joint.child = read_end(element, "child");
    joint.origin = element.origin();
    joint.axis = read_axis(element, joint.type);
    if (composed)
      add_composed(element, type);
    else
      read_data(element, type == "continuous", joint);
    joint_by_name_.try_emplace(name, out_.robot.joints.size());
    out_.robot.joints.push_back(joint);
  }

  void read_data(const UrdfElement& element, bool continuous, JointDescription& joint) {
    const auto own = element.child("catena");
    read_limits(element, continuous, joint.limits);
    read_drive(element, own, joint);
    read_mimic(element, own, joint);
  }

  // The limits and friction of URDF are for one degree of freedom.
  void add_composed(const UrdfElement& element, const std::string& type) {
    const CompositeKind* kind = composite_kind(type);
    const std::string whose =
        fmt::format("a {} joint, which has {} degrees of freedom", type, kind->is_free ? "six" : "three");
    for (const char* name : {"limit", "dynamics", "catena"})
      if (const auto child = element.first_child(name))
        child->warning(type + " joint", fmt::format("{} has no effect on {}", child->tag(), whose));
    if (const auto mimic = element.first_child("mimic"))
      mimic->error(fmt::format("<mimic> cannot be used on {}", whose));
    composites_.push_back({out_.robot.joints.size(), kind, std::vector<JointDescription>(kind->parts.size())});
  }

  static JointType read_type(const UrdfElement& element, const std::string& type) {
    if (type == "revolute" || type == "continuous") return JointType::revolute;
    if (type == "prismatic") return JointType::prismatic;
    if (type != "fixed")
      element.error(
          fmt::format("joint type {} is not supported; the types are 'revolute', 'continuous', 'prismatic', 'planar', "
                      "'fixed' and, at the base, 'floating'",
                      quoted(type)));
    return JointType::fixed;
  }

  int read_end(const UrdfElement& joint, const char* which) {
    if (const auto end = joint.required_child(which)) {
      if (const auto name = end->required_text("link")) {
        const auto found = link_by_name_.find(*name);
        if (found != link_by_name_.end()) return found->second;
        std::vector<std::string_view> names;
        for (const LinkDescription& link : out_.robot.links) names.push_back(link.name);
        end->error(
            fmt::format("{} {} is not a link of this robot{}", which, quoted(*name), did_you_mean(*name, names)));
      }
    }
    out_.connected = false;
    return -1;
  }

  // A fixed joint has no axis; files may still give it one, of any length.
  static Vec3<double> read_axis(const UrdfElement& joint, JointType type) {
    constexpr Vec3<double> along_x{1.0, 0.0, 0.0};  // URDF's default
    if (type == JointType::fixed) return JointDescription{}.axis;
    const auto axis = joint.first_child("axis");
    if (!axis) return along_x;
    axis->check_names({}, axis_attributes);
    const auto direction = axis->vector("xyz");
    if (!direction) return along_x;
    if (const auto unit = normalized(*direction)) return *unit;
    axis->error(fmt::format("axis [{}] has zero length; give a direction, e.g. <axis xyz=\"0 0 1\"/>",
                            listed(*direction, " ")));
    return along_x;
  }

  // The URDF specification: lower and upper are 0 when <limit> omits them, and are meaningless for a continuous joint.
  static void read_limits(const UrdfElement& joint, bool continuous, JointLimits& limits) {
    const auto limit = joint.child("limit");
    if (!limit) return;
    limit->check_names({}, limit_attributes);
    if (!continuous) {
      limits.lower = limit->limit("lower").value_or(0.0);
      limits.upper = limit->limit("upper").value_or(0.0);
    }
    limits.velocity = limit->limit("velocity").value_or(limits.velocity);
    limits.effort = limit->limit("effort").value_or(limits.effort);
  }

  void read_drive(const UrdfElement& element, const std::optional<UrdfElement>& own, JointDescription& joint) {
    JointDrive& drive = joint.drive;
    if (const auto dynamics = element.child("dynamics")) {
      dynamics->check_names({}, dynamics_attributes);
      drive.viscous = not_negative(*dynamics, "damping");
      drive.coulomb = not_negative(*dynamics, "friction");
    }
    if (own) {
      own->check_names(own_children, drive_attributes);
      drive.rotor_inertia = not_negative(*own, "rotor_inertia");
      drive.spring = not_negative(*own, "spring");
      drive.spring_rest = own->number("spring_rest").value_or(0.0);
      drive.offset = own->number("torque_offset").value_or(0.0);
      drive.stribeck = not_negative(*own, "stribeck");
      drive.stribeck_speed = not_negative(*own, "stribeck_speed");
      if (const auto ratio = own->number("gear_ratio")) own_ratios_.emplace_back(out_.robot.joints.size(), *ratio);
      joint.passive = read_passive(*own, joint.type);
      read_elastic(*own, joint.elastic);
    }
  }

  static void read_elastic(const UrdfElement& own, std::optional<JointElasticity>& elastic) {
    const auto stiffness = own.number("elastic_stiffness");
    const double damping = not_negative(own, "elastic_damping");
    const auto coupling = own.text("elastic_coupling");
    if (coupling && coupling != "reduced" && coupling != "full")
      own.error(fmt::format(R"({} elastic_coupling {} must be "reduced" or "full")", own.tag(), quoted(*coupling)));
    if (stiffness)
      elastic = {*stiffness, damping, coupling == "full"};
    else if (damping != 0.0 || coupling)
      own.error(fmt::format("{} is elastic without a stiffness; give elastic_stiffness", own.tag()));
  }

  static bool read_passive(const UrdfElement& own, JointType type) {
    const std::string passive = own.text("passive").value_or("false");
    if (passive != "true" && passive != "false")
      own.error(fmt::format(R"({} passive {} must be "true" or "false")", own.tag(), quoted(passive)));
    if (passive == "true" && type == JointType::fixed)
      own.error("is fixed and cannot be passive: only a joint that moves can lack a motor");
    return passive == "true" && type != JointType::fixed;
  }

  static void read_mimic(const UrdfElement& element, const std::optional<UrdfElement>& own, JointDescription& joint) {
    const auto mimic = element.child("mimic");
    if (mimic) {
      mimic->check_names({}, mimic_attributes);
      const double multiplier = mimic->number("multiplier").value_or(1.0),
                   offset = mimic->number("offset").value_or(0.0);
      if (const auto master = mimic->required_text("joint")) joint.coupling = {{{*master, multiplier}}, offset};
    }
    const auto coupling = own ? own->child("coupling") : std::nullopt;
    if (!coupling) return;
    if (mimic) return coupling->error("<coupling> and <mimic> both say what it follows; give only one");
    read_coupling(*coupling, joint.coupling);
  }

  // <coupling offset="0.1"><term joint="left" factor="0.5"/><term joint="right" factor="-0.5"/></coupling>
  static void read_coupling(const UrdfElement& element, Coupling& coupling) {
    element.check_names(coupling_children, coupling_attributes);
    coupling.offset = element.number("offset").value_or(0.0);
    const std::vector<UrdfElement> terms = element.children("term");
    if (terms.empty())
      element.error("<coupling> has no <term>; write <term joint=\"...\" factor=\"...\"/> for each joint");
    for (const UrdfElement& term : terms) {
      term.check_names({}, term_attributes);
      const double factor = term.number("factor").value_or(1.0);
      if (const auto master = term.required_text("joint")) coupling.terms.push_back({*master, factor});
    }
  }

  static double not_negative(const UrdfElement& element, const char* attribute) {
    const double value = element.number(attribute).value_or(0.0);
    if (value >= 0.0) return value;
    element.error(fmt::format("{} {} {} must not be negative", element.tag(), attribute, value));
    return 0.0;
  }

  // One joint driven by one actuator; transmissions between several joints concern control and are ignored.
  void read_transmission(const XMLElement& xml) {
    const auto* joint = xml.FirstChildElement("joint");
    const auto* actuator = xml.FirstChildElement("actuator");
    const char* name = joint != nullptr ? joint->Attribute("name") : nullptr;
    const bool coupled = (joint != nullptr && joint->NextSiblingElement("joint") != nullptr) ||
                         (actuator != nullptr && actuator->NextSiblingElement("actuator") != nullptr);
    if (name == nullptr || coupled) return out_.note(xml.GetLineNum(), "", "<transmission> of several joints");
    const auto* reduction = actuator != nullptr ? actuator->FirstChildElement("mechanicalReduction") : nullptr;
    if (reduction == nullptr) reduction = xml.FirstChildElement("mechanicalReduction");
    const auto found = joint_by_name_.find(name);
    if (reduction == nullptr || found == joint_by_name_.end()) return;
    read_reduction(UrdfElement(out_, *reduction, fmt::format("joint {}: ", quoted(name))), found->second);
  }

  // A gear matters only with a rotor: without one, or where <catena> gives the ratio, an unreadable value is harmless.
  void read_reduction(const UrdfElement& reduction, std::size_t joint) {
    JointDrive& drive = out_.robot.joints[joint].drive;
    const auto own =
        std::find_if(own_ratios_.begin(), own_ratios_.end(), [&](const auto& ratio) { return ratio.first == joint; });
    const bool needed = drive.rotor_inertia != 0.0 && own == own_ratios_.end();
    const auto readable = parse_number(reduction.content_text());
    if (!needed && !(readable && std::isfinite(*readable)))
      return reduction.warning(
          "reduction", fmt::format("{} {} is not a number; it is ignored, because a gear without a rotor has no effect",
                                   reduction.tag(), quoted(reduction.content_text())));
    if (const auto ratio = reduction.content()) drive.gear_ratio = *ratio;
  }

  // <catena gravity="0 0 -9.81" tool="tcp"/>: data of a Robot that URDF cannot express. Closed loops are its children.
  void read_extension() {
    const auto own = UrdfElement(out_, root_, "").child("catena");
    if (!own) return;
    own->check_names(loop_elements, robot_attributes);
    read_loops(*own, out_.robot);
    if (const auto gravity = own->vector("gravity")) out_.robot.gravity = *gravity;
    const auto tool = own->text("tool");
    if (!tool || tool->empty()) return;
    if (link_by_name_.contains(*tool))
      out_.robot.tool = *tool;
    else
      own->error(fmt::format("tool {} is not a link of this robot", quoted(*tool)));
  }

  const XMLElement& root_;
  Reading out_;
  std::unordered_map<std::string, int> link_by_name_;
  std::unordered_map<std::string, std::size_t> joint_by_name_;
  std::vector<std::pair<std::size_t, double>> own_ratios_;  // by joint; they win over <transmission>
  std::vector<Composite> composites_;
};

std::string foreign_words(std::string_view tag) {
  if (tag == "sdf") return "this is SDF; name the file .sdf";
  if (tag == "mujoco") return "this is MJCF; name the file .xml";
  return fmt::format("the outermost element is <{}>; a URDF file holds <robot name=\"...\"> ... </robot>", tag);
}

}  // namespace

Reading read_urdf(const RobotText& source) {
  Reading failed;
  tinyxml2::XMLDocument document;
  if (const auto problem = parse_xml(document, source.text, "a URDF file holds <robot name=\"...\"> ... </robot>")) {
    failed.findings.errors.push_back(*problem);
    return failed;
  }
  const XMLElement* root = document.RootElement();
  if (std::string_view(root->Name()) != "robot") {
    failed.error(root->GetLineNum(), foreign_words(root->Name()));
    return failed;
  }
  return UrdfReader(*root).read();
}

}  // namespace catena::io

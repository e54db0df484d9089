#include "io/mjcf_relations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "io/text.hpp"

namespace catena::io {
namespace {

// "motor 'shoulder': "
std::string subject(const MjcfNode& node) {
  const std::string* name = node.find("name");
  return name == nullptr ? fmt::format("{}: ", printable(node.name))
                         : fmt::format("{} {}: ", printable(node.name), io::quoted(*name));
}

Pose<double> moved(const JointDescription& joint, double q) {
  if (joint.type == JointType::prismatic) return {Mat3<double>::identity(), q * joint.axis};
  return {rotation_about(joint.axis, q), {}};
}

// ---- actuators ----

// Several on one joint: their inertia and damping add up, and no gear ratio is that of the joint.
struct Drive {
  int actuators = 0;
  double gear = 1.0, armature = 0.0, damping = 0.0, effort = 0.0;
};

double effort_of(const MjcfElement& actuator, double gear) {
  double effort = std::numeric_limits<double>::infinity();
  if (actuator.limited("forcelimited", "forcerange")) effort = actuator.effort("forcerange");
  if (actuator.node().name == "motor" && actuator.limited("ctrllimited", "ctrlrange"))
    effort = std::min(effort, actuator.effort("ctrlrange"));
  return effort * std::abs(gear);
}

void set_drive(JointDescription& joint, const Drive& drive) {
  joint.limits.effort = std::min(joint.limits.effort, drive.effort);
  joint.drive.viscous += drive.damping;
  const double reflected = joint.drive.rotor_inertia + drive.armature;
  const bool geared = drive.actuators == 1 && drive.gear > 0.0;
  joint.drive.gear_ratio = geared ? drive.gear : 1.0;
  joint.drive.rotor_inertia = geared ? reflected / (drive.gear * drive.gear) : reflected;
}

// ---- equalities ----

// Σ coefficient q = constant
struct Relation {
  std::vector<std::pair<std::string, double>> terms;
  double constant = 0.0;

  void add(const std::string& joint, double coefficient) {
    for (auto& [name, factor] : terms)
      if (name == joint) return static_cast<void>(factor += coefficient);
    terms.emplace_back(joint, coefficient);
  }
};

class Equalities {
 public:
  Equalities(MjcfModel& model, const MjcfTree& tree, const std::vector<const MjcfNode*>& tendons)
      : model_(model), robot_(model.out.robot), tree_(tree) {
    for (const MjcfNode* section : tendons)
      for (const MjcfNode& tendon : section->children) add_tendon(tendon);
  }

  void read(const MjcfNode& node) {
    if (is_own(node.find("name"))) return;
    const MjcfElement element(model_, node, subject(node));
    const MjcfElement settings(model_, with_name(node, "equality"), subject(node));  // their defaults
    if (!settings.truth("active", true)) return;
    if (node.name == "joint") return read_joint(element);
    if (node.name == "tendon") return read_tendon(element);
    if (node.name == "connect" || node.name == "weld") return read_loop(element, node.name == "weld");
    element.refuse(fmt::format("<{}> of <equality>", printable(node.name)));
  }

 private:
  const MjcfNode& with_name(const MjcfNode& node, const std::string& name) {
    renamed_ = node;
    renamed_.name = name;
    return renamed_;
  }

  void add_tendon(const MjcfNode& node) {
    const MjcfElement tendon(model_, node, subject(node));
    const MjcfElement settings(model_, with_name(node, "tendon"), subject(node));
    for (const char* acts : {"stiffness", "damping", "frictionloss", "armature"})
      if (const auto v = settings.numbers(acts, 1, 3);
          v && std::any_of(v->begin(), v->end(), [](double x) { return x != 0.0; }))
        tendon.refuse(fmt::format("{} of a tendon", acts));
    if (const std::string* name = node.find("name")) tendons_[*name] = &node;
  }

  // The polynomial's constant and its linear term; none: reported.
  std::optional<std::pair<double, double>> line_of(const MjcfElement& element) {
    std::vector<double> c = element.numbers("polycoef", 1, 5).value_or(std::vector<double>{0.0, 1.0});
    c.resize(5);
    if (c[2] == 0.0 && c[3] == 0.0 && c[4] == 0.0) return std::make_pair(c[0], c[1]);
    element.refuse("polycoef has a term of a higher order than the first: a coupling is linear");
    return std::nullopt;
  }

  bool add_joint(const MjcfElement& element, const std::string& name, double coefficient, Relation& relation) {
    if (!tree_.joints.contains(name)) {
      element.error(fmt::format("joint {} is not a hinge or a slide", io::quoted(name)));
      return false;
    }
    relation.add(name, coefficient);
    relation.constant += coefficient * tree_.references.at(name);
    return true;
  }

  bool add_tendon(const MjcfElement& element, const std::string& name, double factor, Relation& relation) {
    const auto found = tendons_.find(name);
    if (found == tendons_.end() || found->second->name != "fixed") {
      element.refuse(fmt::format("tendon {} is not <fixed>", io::quoted(name)));
      return false;
    }
    bool good = true;
    for (const MjcfNode& part : found->second->children) {
      const MjcfElement term(model_, part, subject(*found->second));
      good = good && add_joint(term, term.text("joint").value_or(""), factor * term.number("coef", 1.0), relation);
    }
    return good;
  }

  void read_joint(const MjcfElement& element) {
    const auto line = line_of(element);
    Relation relation;
    if (!line || !add_joint(element, element.text("joint1").value_or(""), 1.0, relation)) return;
    const std::string second = element.text("joint2").value_or("");
    if (!second.empty() && !add_joint(element, second, -line->second, relation)) return;
    relation.constant += line->first;
    apply(element, relation);
  }

  void read_tendon(const MjcfElement& element) {
    const auto line = line_of(element);
    Relation relation;
    if (!line || !add_tendon(element, element.text("tendon1").value_or(""), 1.0, relation)) return;
    const std::string second = element.text("tendon2").value_or("");
    if (!second.empty() && !add_tendon(element, second, -line->second, relation)) return;
    relation.constant += line->first;
    apply(element, relation);
  }

  // The first joint that does not follow others yet follows the rest; one that is alone stands still.
  void apply(const MjcfElement& element, const Relation& relation) {
    for (const auto& [name, factor] : relation.terms) {
      JointDescription& joint = robot_.joints[tree_.joints.at(name)];
      if (factor == 0.0 || !joint.moves() || joint.is_coupled()) continue;
      Coupling coupling;
      for (const auto& [other, coefficient] : relation.terms)
        if (other != name && coefficient != 0.0) coupling.terms.push_back({other, -coefficient / factor});
      coupling.offset = relation.constant / factor;
      if (coupling.terms.empty()) {
        joint.origin = joint.origin * moved(joint, coupling.offset);
        joint.type = JointType::fixed;
        joint.axis = JointDescription{}.axis;
        joint.limits = {};
        joint.drive = {};
      } else {
        joint.coupling = std::move(coupling);
      }
      return;
    }
    element.error("every joint of it already follows others or is fixed");
  }

  std::string add_frame(const std::string& wanted, int link, const Pose<double>& pose, const MjcfElement& element) {
    std::string name = wanted;
    const auto taken = [&] {
      return robot_.link_index(name) >= 0 || std::any_of(robot_.frames.begin(), robot_.frames.end(),
                                                         [&](const FrameDescription& f) { return f.name == name; });
    };
    while (taken()) name += "_";
    robot_.add_frame(name, link, pose);
    robot_.frames.back().line = element.node().line;
    return name;
  }

  std::optional<int> body(const MjcfElement& element, const char* attribute, bool required) {
    const std::string name = element.text(attribute).value_or(required ? "" : "world");
    const auto found = tree_.bodies.find(name);
    if (found != tree_.bodies.end()) return found->second;
    element.error(fmt::format("{} {} is not a body", attribute, io::quoted(name)));
    return std::nullopt;
  }

  void read_loop(const MjcfElement& element, bool weld) {
    LoopDescription loop;
    loop.name = element.text("name").value_or(fmt::format("{}{}", weld ? "weld" : "connect", robot_.loops.size() + 1));
    loop.type = weld ? LoopType::fixed : LoopType::spherical;
    loop.line = element.node().line;
    const bool by_sites = element.has("site1") || element.has("site2");
    if (by_sites ? !loop_of_sites(element, loop) : !loop_of_bodies(element, weld, loop)) return;
    robot_.loops.push_back(std::move(loop));
  }

  bool loop_of_sites(const MjcfElement& element, LoopDescription& loop) {
    for (std::size_t k = 0; k < 2; ++k) {
      const std::string name = element.text(k == 0 ? "site1" : "site2").value_or("");
      const auto found = tree_.sites.find(name);
      if (found == tree_.sites.end()) {
        element.error(fmt::format("site{} {} is not a site", k + 1, io::quoted(name)));
        return false;
      }
      loop.frames[k] = found->second;
    }
    return true;
  }

  bool loop_of_bodies(const MjcfElement& element, bool weld, LoopDescription& loop) {
    const auto first = body(element, "body1", true), second = body(element, "body2", false);
    if (!first || !second) return false;
    const auto place = [&](int link) { return tree_.places[static_cast<std::size_t>(link)]; };
    Pose<double> at{Mat3<double>::identity(), weld ? Vec3<double>{} : element.vector("anchor", {})};
    Pose<double> there = place(*second).inverse() * place(*first) * at;
    const auto relative = weld ? element.numbers("relpose", 7, 7) : std::nullopt;
    if (relative) {
      const std::vector<double>& v = *relative;
      const double sine = std::hypot(v[4], v[5], v[6]);
      if (v[3] != 0.0 || sine != 0.0) {
        const auto axis = normalized({v[4], v[5], v[6]});
        at = {axis ? rotation_about(*axis, 2.0 * std::atan2(sine, v[3])) : Mat3<double>::identity(),
              {v[0], v[1], v[2]}};
        there = {};
      }
    }
    loop.frames = {add_frame(loop.name + "_1", *first, at, element),
                   add_frame(loop.name + "_2", *second, there, element)};
    return true;
  }

  MjcfModel& model_;
  Robot& robot_;
  const MjcfTree& tree_;
  std::map<std::string, const MjcfNode*> tendons_;
  MjcfNode renamed_;
};

}  // namespace

void read_actuators(MjcfModel& model, const MjcfTree& tree, const std::vector<const MjcfNode*>& sections) {
  std::map<std::string, Drive> drives;
  for (const MjcfNode* section : sections)
    for (const MjcfNode& node : section->children) {
      const MjcfElement actuator(model, node, subject(node));
      const std::string joint = actuator.text("joint").value_or(actuator.text("jointinparent").value_or(""));
      if (!tree.joints.contains(joint)) {
        for (const char* acts : {"armature", "damping"})
          if (const auto v = actuator.numbers(acts, 1, 3); v && v->front() != 0.0)
            actuator.refuse(fmt::format("{} of an actuator that drives no single joint", acts));
        continue;
      }
      const double gear = actuator.numbers("gear", 1, 6).value_or(std::vector<double>{1.0}).front();
      Drive& drive = drives[joint];
      ++drive.actuators;
      drive.gear = gear;
      drive.armature += gear * gear * actuator.number("armature", 0.0);
      const std::vector<double> damping = actuator.numbers("damping", 1, 3).value_or(std::vector<double>{0.0});
      if (std::any_of(damping.begin() + 1, damping.end(), [](double x) { return x != 0.0; }))
        actuator.refuse("nonlinear damping");
      drive.damping += gear * gear * damping[0];
      drive.effort += effort_of(actuator, gear);
    }
  for (const auto& [name, drive] : drives) set_drive(model.out.robot.joints[tree.joints.at(name)], drive);
}

void read_equalities(MjcfModel& model, const MjcfTree& tree, const std::vector<const MjcfNode*>& sections,
                     const std::vector<const MjcfNode*>& tendons) {
  Equalities equalities(model, tree, tendons);
  for (const MjcfNode* section : sections)
    for (const MjcfNode& node : section->children) {
      equalities.read(node);
      model.out.require_few_parts();
    }
}

void read_keys(MjcfModel& model, const MjcfTree& tree, const std::vector<const MjcfNode*>& sections) {
  Robot& robot = model.out.robot;
  for (const MjcfNode* section : sections)
    for (const MjcfNode& node : section->children) {
      if (robot.loops.empty() || node.find("qpos") == nullptr || is_own(node.find("name"))) continue;
      const MjcfElement key(model, node, subject(node));
      std::size_t count = 0;
      for (const MjcfTree::Coordinate& coordinate : tree.coordinates) count += coordinate.positions;
      const auto qpos = key.numbers("qpos", count, count);
      if (!qpos) return;
      std::size_t at = 0;
      for (const MjcfTree::Coordinate& coordinate : tree.coordinates) {
        const int k = coordinate.joint.empty() ? -1 : robot.joint_index(coordinate.joint);
        if (k >= 0 && robot.joints[static_cast<std::size_t>(k)].moves() &&
            !robot.joints[static_cast<std::size_t>(k)].is_coupled())
          robot.start[coordinate.joint] = (*qpos)[at];
        at += coordinate.positions;
      }
      return;
    }
}

}  // namespace catena::io

#include "output/description.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "catena/mechanism.hpp"
#include "model/free_base.hpp"
#include "options/numbers.hpp"

namespace catena::cli {
namespace {

const LinkDescription& link(const Robot& robot, int index) { return robot.links[static_cast<std::size_t>(index)]; }
const JointDescription& joint(const Robot& robot, int index) { return robot.joints[static_cast<std::size_t>(index)]; }

std::string type_name(JointType type) {
  switch (type) {
    case JointType::revolute:
      return "revolute";
    case JointType::prismatic:
      return "prismatic";
    default:
      return "fixed";
  }
}

std::vector<double> list(const Vec3<double>& v) { return {v.x, v.y, v.z}; }

Json elastic_json(const JointDescription& j) {
  if (!j.elastic) return nullptr;
  const auto& [stiffness, damping, full] = *j.elastic;
  return {{"stiffness", stiffness}, {"damping", damping}, {"coupling", full ? "full" : "reduced"}};
}

Json joint_json(const Robot& robot, const JointDescription& j) {
  return {{"name", j.name},
          {"type", type_name(j.type)},
          {"parent", link(robot, j.parent).name},
          {"link", link(robot, j.child).name},
          {"lower", j.limits.lower},
          {"upper", j.limits.upper},
          {"velocity", j.limits.velocity},
          {"effort", j.limits.effort},
          {"passive", j.passive},
          {"viscous", j.drive.viscous},
          {"coulomb", j.drive.coulomb},
          {"rotor_inertia", j.drive.rotor_inertia},
          {"gear_ratio", j.drive.gear_ratio},
          {"spring", j.drive.spring},
          {"spring_rest", j.drive.spring_rest},
          {"elastic", elastic_json(j)},
          {"torque_offset", j.drive.offset},
          {"stribeck", j.drive.stribeck},
          {"stribeck_speed", j.drive.stribeck_speed}};
}

Json link_json(const LinkDescription& l) {
  const Sym3<double>& i = l.inertial.inertia;
  return {{"name", l.name},
          {"mass", l.inertial.mass},
          {"com", list(l.inertial.com)},
          {"inertia", Rows{{i.xx, i.xy, i.xz}, {i.xy, i.yy, i.yz}, {i.xz, i.yz, i.zz}}}};
}

std::string limit_text(double value) { return std::isfinite(value) ? fmt::format("{:.5g}", value) : "-"; }

// -2 left + 0.02
std::string coupling_text(const Coupling& coupling) {
  std::string out;
  const auto add = [&](double value, const std::string& words) {
    const char* sign = out.empty() ? (value < 0.0 ? "-" : "") : (value < 0.0 ? " - " : " + ");
    out += sign + words;
  };
  for (const CouplingTerm& term : coupling.terms) {
    const double size = std::abs(term.factor);
    add(term.factor, size == 1.0 ? term.joint : fmt::format("{:.6g} {}", size, term.joint));
  }
  if (coupling.offset != 0.0) add(coupling.offset, fmt::format("{:.6g}", std::abs(coupling.offset)));
  return out;
}

Json coupling_json(const JointDescription& j) {
  Json terms = Json::array();
  for (const CouplingTerm& term : j.coupling.terms) terms.push_back({{"joint", term.joint}, {"factor", term.factor}});
  return {{"joint", j.name}, {"terms", terms}, {"offset", j.coupling.offset}};
}

// What loops make of the joints, cluster by cluster of those that share some.
struct LoopGroup {
  std::vector<std::string> loops, independent, dependent;
  int equations = 0, idle = 0, redundant = 0;  // idle: no joint changes them
};
std::vector<LoopGroup> loop_groups(const Robot& robot) {
  std::vector<LoopGroup> groups;
  if (robot.loops.empty()) return groups;
  const Mechanism mechanism = make_mechanism(robot);
  const Closure<double>& closure = mechanism.coordinates.closure;
  for (const LoopCluster& cluster : closure.clusters) {
    LoopGroup group;
    const auto name = [&](int mover) { return mechanism.joint_names[closure.movers[static_cast<std::size_t>(mover)]]; };
    for (const int l : cluster.loops) group.loops.push_back(closure.loops[static_cast<std::size_t>(l)].name);
    for (const int m : cluster.independent) group.independent.push_back(name(m));
    for (const int m : cluster.dependent) group.dependent.push_back(name(m));
    group.equations = static_cast<int>(cluster.kept.size());
    group.idle = static_cast<int>(std::count(cluster.kept.begin(), cluster.kept.end(), 0));
    group.redundant = cluster.redundant;
    groups.push_back(std::move(group));
  }
  return groups;
}
std::string loops_text(const Robot& robot) {
  std::string out;
  for (const LoopDescription& loop : robot.loops)
    out += fmt::format("loop     {}: {}, {} to {}\n", loop.name, name_of(loop.type), loop.frames[0], loop.frames[1]);
  for (const LoopGroup& group : loop_groups(robot)) {
    out += fmt::format("closed   {}: {} move{} {}", fmt::join(group.loops, ", "),
                       group.independent.empty() ? "nothing" : fmt::format("{}", fmt::join(group.independent, ", ")),
                       group.independent.size() > 1 ? "" : "s", fmt::join(group.dependent, ", "));
    if (group.idle > 0)
      out += fmt::format("; {} of {} equations hold wherever the joints are", group.idle, group.equations);
    if (group.redundant > 0)
      out += fmt::format("; {} of {} equations follow from the others", group.redundant, group.equations);
    out += "\n";
  }
  return out;
}
Json loops_json(const Robot& robot) {
  Json out = Json::array();
  for (const LoopDescription& loop : robot.loops)
    out.push_back({{"name", loop.name}, {"type", name_of(loop.type)}, {"frames", loop.frames}});
  return out;
}
Json closed_json(const Robot& robot) {
  Json out = Json::array();
  for (const LoopGroup& group : loop_groups(robot))
    out.push_back({{"loops", group.loops},
                   {"independent", group.independent},
                   {"dependent", group.dependent},
                   {"equations", group.equations},
                   {"idle", group.idle},
                   {"redundant", group.redundant}});
  return out;
}

// Every joint in the order of the file; independent joints are numbered as in q.
TextTable joint_table(const Robot& robot) {
  using Align = TextTable::Align;
  TextTable table;
  table.column("q");
  for (const char* title : {"joint", "type", "parent", "link"}) table.column(title, Align::left);
  for (const char* title : {"mass kg", "lower", "upper", "velocity", "effort"}) table.column(title);
  int q = 0;
  if (!robot.floating.empty()) {
    const JointDescription whole = free_joint(robot);
    q = base_joints + 1;
    table.row({fmt::format("1-{}", q), whole.name, "floating", link(robot, whole.parent).name,
               link(robot, whole.child).name, fmt::format("{:.5g}", link(robot, whole.child).inertial.mass), "", "", "",
               ""});
  }
  for (std::size_t k = 0; k < robot.joints.size(); ++k) {
    if (is_free_part(robot, k)) continue;
    const JointDescription& j = robot.joints[k];
    const bool moves = j.moves(), by_itself = moves && !j.is_coupled() && !j.dependent;
    table.row({by_itself ? fmt::format("{}", ++q) : "", j.name, type_name(j.type), link(robot, j.parent).name,
               link(robot, j.child).name, fmt::format("{:.5g}", link(robot, j.child).inertial.mass),
               moves ? limit_text(j.limits.lower) : "", moves ? limit_text(j.limits.upper) : "",
               moves ? limit_text(j.limits.velocity) : "", moves ? limit_text(j.limits.effort) : ""});
  }
  return table;
}

// The layout of q, and of q̇, q̈ and τ.
std::string free_base_text(const Robot& robot) {
  const JointDescription whole = free_joint(robot);
  return fmt::format(
      "free     {} by {}: q has {} entries, qd, qdd and tau {}\n"
      "q        {}\n"
      "qd       {}\n"
      "         position of {} in {} and quaternion (x, y, z, w), then joints; velocity and angular velocity of {}\n"
      "         along its own axes, then joints; tau: force and moment on it along these axes, then joints\n",
      link(robot, whole.child).name, robot.floating, robot.dof() + 1, robot.dof(),
      fmt::join(position_names(robot), " "), fmt::join(joint_names(robot), " "), link(robot, whole.child).name,
      link(robot, whole.parent).name, link(robot, whole.child).name);
}

}  // namespace

std::vector<std::string> passive_joints(const Robot& robot) {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < robot.joints.size(); ++k)
    if (robot.joints[k].passive && !robot.joints[k].dependent && !is_free_part(robot, k))
      names.push_back(robot.joints[k].name);
  return names;
}

Json describe_json(const Robot& robot) {
  Json out{{"name", robot.name},
           {"dof", robot.dof()},
           {"floating", robot.floating.empty() ? Json(nullptr) : Json(robot.floating)},
           {"positions", position_names(robot)},
           {"joints", Json::array()},
           {"mass", robot.mass()},
           {"warnings", Json::array()}};
  for (const Warning& warning : robot.warnings) out["warnings"].push_back(warning.text);
  out["types"] = Json::array();
  out["passive"] = passive_joints(robot);
  out["coupled"] = Json::array();
  for (const JointDescription& j : robot.joints)
    if (j.is_coupled()) out["coupled"].push_back(coupling_json(j));
  out["loops"] = loops_json(robot);
  out["closed"] = closed_json(robot);
  out["limits"] = Json::array();
  for (const int j : robot.moving_joints()) {
    const JointDescription& moving = joint(robot, j);
    out["joints"].push_back(moving.name);
    out["types"].push_back(type_name(moving.type));
    out["limits"].push_back({{"lower", moving.limits.lower},
                             {"upper", moving.limits.upper},
                             {"velocity", moving.limits.velocity},
                             {"effort", moving.limits.effort}});
  }
  out["base"] = link(robot, robot.root()).name;
  out["tool"] = robot.tool_name();
  out["gravity"] = list(robot.gravity);
  out["links"] = Json::array();
  for (const LinkDescription& l : robot.links) out["links"].push_back(link_json(l));
  out["frames"] = Json::array();
  for (const LinkDescription& l : robot.links) out["frames"].push_back(l.name);
  for (const FrameDescription& f : robot.frames) out["frames"].push_back(f.name);
  out["tree"] = Json::array();
  for (const JointDescription& j : robot.joints) out["tree"].push_back(joint_json(robot, j));
  return out;
}

std::string describe_text(const Robot& robot) {
  const LinkDescription& root = link(robot, robot.root());
  const int joints = robot.dof() - (robot.floating.empty() ? 0 : base_joints);
  std::string out =
      fmt::format("{}: {}{} joint{}, {:.6g} kg\n", robot.name, robot.floating.empty() ? "" : "a free base and ", joints,
                  joints == 1 ? "" : "s", robot.mass());
  out += fmt::format("base     {} ({:.5g} kg)\n", root.name, root.inertial.mass);
  out += fmt::format("tool     {}\n", robot.tool_name());
  out += fmt::format("gravity  {:g} {:g} {:g} m/s²\n", robot.gravity.x, robot.gravity.y, robot.gravity.z);
  if (!robot.floating.empty()) out += free_base_text(robot);
  if (const std::vector<std::string> passive = passive_joints(robot); !passive.empty())
    out += fmt::format("passive  {} (no motor)\n", fmt::join(passive, ", "));
  for (const JointDescription& j : robot.joints)
    if (j.is_coupled()) out += fmt::format("coupled  {} = {}\n", j.name, coupling_text(j.coupling));
  for (const JointDescription& j : robot.joints)
    if (j.moves() && j.drive.spring != 0.0)
      out += fmt::format("spring   {}: {:.6g} {}, at rest at {:.6g} {}\n", j.name, j.drive.spring,
                         j.type == JointType::revolute ? "N m/rad" : "N/m", j.drive.spring_rest,
                         j.type == JointType::revolute ? "rad" : "m");
  for (const JointDescription& j : robot.joints)
    if (j.elastic)
      out += fmt::format("elastic  {}: {:.6g} {}, damping {:.6g}, {} coupling\n", j.name, j.elastic->stiffness,
                         j.type == JointType::revolute ? "N m/rad" : "N/m", j.elastic->damping,
                         j.elastic->full ? "full" : "reduced");
  for (const JointDescription& j : robot.joints) {
    const bool turns = j.type == JointType::revolute;
    if (j.moves() && j.drive.stribeck != 0.0)
      out += fmt::format("stribeck {}: {:.6g} {} more at rest, 1/e of it at {:.6g} {}\n", j.name, j.drive.stribeck,
                         turns ? "N m" : "N", j.drive.stribeck_speed, turns ? "rad/s" : "m/s");
    if (j.moves() && j.drive.offset != 0.0)
      out += fmt::format("offset   {}: {:.6g} {}\n", j.name, j.drive.offset, turns ? "N m" : "N");
  }
  for (const FrameDescription& f : robot.frames)
    out += fmt::format("frame    {} on {}\n", f.name, link(robot, f.link).name);
  out += loops_text(robot);
  out += "\n";
  out += joint_table(robot).text();
  return out;
}

}  // namespace catena::cli

// Writes a Robot as URDF. What URDF cannot express: a link frame that is not the joint's (written with a massless link
// between), named frames (massless links), gravity, tool, closed loops, rotors, springs, offsets, Stribeck
// friction, passive joints and joints that follow several others (<catena> elements, which other readers ignore).
#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "catena/robot_file.hpp"
#include "io/lines.hpp"
#include "io/text.hpp"
#include "io/writing.hpp"
#include "model/free_base.hpp"

namespace catena {

namespace {

using namespace io;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double no_limit = 1e308;  // URDF requires a number; the reader turns it back into "no limit"

std::string triple(const Vec3<double>& v) { return fmt::format("\"{}\"", listed(v, " ")); }

class UrdfWriter : private io::Lines {
 public:
  explicit UrdfWriter(const Robot& robot) : robot_(robot) {
    for (const LinkDescription& link : robot.links) used_.insert(link.name);
    for (const JointDescription& joint : robot.joints) used_.insert(joint.name);
    for (const FrameDescription& frame : robot.frames) used_.insert(frame.name);
  }

  std::string write() {
    line("<?xml version=\"1.0\"?>");
    line("<robot name={}>", xml_string(robot_.name));
    line("  <catena gravity={} tool={}{}>", triple(robot_.gravity), xml_string(robot_.tool_name()),
         robot_.loops.empty() ? "/" : "");
    if (!robot_.loops.empty()) write_loops();
    for (int k = 0; k < static_cast<int>(robot_.links.size()); ++k)
      if (!is_between_free_parts(robot_, k)) write_link(link(k).name, link(k).inertial);
    if (!robot_.floating.empty()) write_floating();
    for (std::size_t k = 0; k < robot_.joints.size(); ++k)
      if (!is_free_part(robot_, k)) write_joint(robot_.joints[k]);
    for (const FrameDescription& frame : robot_.frames) {
      write_link(frame.name, {});
      write_fixed(unused(frame.name + "_fixed"), link(frame.link).name, frame.name, frame.pose);
    }
    line("</robot>");
    return out_;
  }

 private:
  const LinkDescription& link(int k) const { return robot_.links[static_cast<std::size_t>(k)]; }

  std::string unused(const std::string& wish) {
    std::string name = wish;
    for (int k = 2; !used_.insert(name).second; ++k) name = fmt::format("{}_{}", wish, k);
    return name;
  }

  // The children of the robot's <catena>, and its end.
  void write_loops() {
    for (const LoopDescription& loop : robot_.loops)
      line("    <loop name={} type=\"{}\"><frame name={}/><frame name={}/></loop>", xml_string(loop.name),
           name_of(loop.type), xml_string(loop.frames[0]), xml_string(loop.frames[1]));
    if (!robot_.independent.empty()) {
      line("    <independent>");
      for (const std::string& name : robot_.independent) line("      <joint name={}/>", xml_string(name));
      line("    </independent>");
    }
    if (!robot_.start.empty()) {
      line("    <start>");
      for (const auto& [name, position] : robot_.start)
        line("      <joint name={} position=\"{}\"/>", xml_string(name), shortest(position));
      line("    </start>");
    }
    line("  </catena>");
  }

  void write_link(const std::string& name, const Inertial& body) {
    if (is_massless(body)) return line("  <link name={}/>", xml_string(name));
    const Sym3<double>& i = body.inertia;
    line("  <link name={}>", xml_string(name));
    line("    <inertial>");
    line("      <origin xyz={} rpy=\"0 0 0\"/>", triple(body.com));
    line("      <mass value=\"{}\"/>", shortest(body.mass));
    line(R"(      <inertia ixx="{}" ixy="{}" ixz="{}" iyy="{}" iyz="{}" izz="{}"/>)", shortest(i.xx), shortest(i.xy),
         shortest(i.xz), shortest(i.yy), shortest(i.yz), shortest(i.zz));
    line("    </inertial>");
    line("  </link>");
  }

  void write_ends(const std::string& parent, const std::string& child, const Pose<double>& origin) {
    line("    <parent link={}/>", xml_string(parent));
    line("    <child link={}/>", xml_string(child));
    line("    <origin xyz={} rpy={}/>", triple(origin.p), triple(rpy_from_rotation(origin.R)));
  }

  void write_fixed(const std::string& name, const std::string& parent, const std::string& child,
                   const Pose<double>& origin) {
    line("  <joint name={} type=\"fixed\">", xml_string(name));
    write_ends(parent, child, origin);
    line("  </joint>");
  }

  void write_joint(const JointDescription& joint) {
    const std::string& parent = link(joint.parent).name;
    const std::string& child = link(joint.child).name;
    if (joint.type == JointType::fixed) {
      line("  <joint name={} type=\"fixed\">", xml_string(joint.name));
      write_ends(parent, child, joint.origin * joint.child_frame);
      write_joint_data(joint);
      return line("  </joint>");
    }
    if (joint.child_frame == Pose<double>{}) return write_moving(joint, parent, child);
    // The joint moves a massless link in its own frame, to which the actual link is fixed.
    const std::string between = unused(child + "_joint");
    write_link(between, {});
    write_moving(joint, parent, between);
    write_fixed(unused(child + "_frame"), between, child, joint.child_frame);
  }

  void write_floating() {
    const JointDescription joint = free_joint(robot_);
    const std::string& child = link(joint.child).name;
    const bool own_frame = joint.child_frame == Pose<double>{};
    const std::string moved = own_frame ? child : unused(child + "_joint");
    if (!own_frame) write_link(moved, {});
    line("  <joint name={} type=\"floating\">", xml_string(joint.name));
    write_ends(link(joint.parent).name, moved, joint.origin);
    line("  </joint>");
    if (!own_frame) write_fixed(unused(child + "_frame"), moved, child, joint.child_frame);
  }

  void write_moving(const JointDescription& joint, const std::string& parent, const std::string& child) {
    const bool continuous = joint.type == JointType::revolute && unbounded(joint.limits);
    line("  <joint name={} type=\"{}\">", xml_string(joint.name), continuous ? "continuous" : type_name(joint.type));
    write_ends(parent, child, joint.origin);
    line("    <axis xyz={}/>", triple(joint.axis));
    write_joint_data(joint);
    line("  </joint>");
  }

  static bool unbounded(const JointLimits& limits) { return limits.lower == -infinity && limits.upper == infinity; }

  void write_joint_data(const JointDescription& joint) {
    const JointLimits& limits = joint.limits;
    const bool continuous = joint.type == JointType::revolute && unbounded(limits);
    const std::string range =
        continuous ? "" : fmt::format(R"( lower="{}" upper="{}")", limit(limits.lower), limit(limits.upper));
    if (joint.type == JointType::prismatic || !unbounded(limits) || limits.effort != infinity ||
        limits.velocity != infinity)
      line(R"(    <limit{} effort="{}" velocity="{}"/>)", range, limit(limits.effort), limit(limits.velocity));
    const JointDrive& drive = joint.drive;
    if (drive.viscous != 0.0 || drive.coulomb != 0.0)
      line(R"(    <dynamics damping="{}" friction="{}"/>)", shortest(drive.viscous), shortest(drive.coulomb));
    write_own_data(joint);
    if (joint.coupling.terms.size() != 1) return;
    const auto& [master, factor] = joint.coupling.terms.front();
    const double offset = joint.coupling.offset;
    const bool plain = factor == 1.0 && offset == 0.0;
    line("    <mimic joint={}{}/>", xml_string(master),
         plain ? "" : fmt::format(R"( multiplier="{}" offset="{}")", shortest(factor), shortest(offset)));
  }

  // <catena>: rotors, springs, offsets, Stribeck friction, passive joints, and those that follow several others.
  void write_own_data(const JointDescription& joint) {
    const JointDrive& drive = joint.drive;
    const auto& [terms, offset] = joint.coupling;
    std::string attributes;
    if (drive.rotor_inertia != 0.0 || drive.gear_ratio != 1.0)
      attributes = fmt::format(R"( rotor_inertia="{}" gear_ratio="{}")", shortest(drive.rotor_inertia),
                               shortest(drive.gear_ratio));
    if (drive.spring != 0.0 || drive.spring_rest != 0.0)
      attributes +=
          fmt::format(R"( spring="{}" spring_rest="{}")", shortest(drive.spring), shortest(drive.spring_rest));
    for (const auto& [name, value] : {std::pair{"torque_offset", drive.offset},
                                      {"stribeck", drive.stribeck},
                                      {"stribeck_speed", drive.stribeck_speed}})
      if (value != 0.0) attributes += fmt::format(R"( {}="{}")", name, shortest(value));
    if (joint.elastic)
      attributes += fmt::format(R"( elastic_stiffness="{}" elastic_damping="{}" elastic_coupling="{}")",
                                shortest(joint.elastic->stiffness), shortest(joint.elastic->damping),
                                joint.elastic->full ? "full" : "reduced");
    if (joint.passive) attributes += R"( passive="true")";
    if (terms.size() < 2) {
      if (!attributes.empty()) line("    <catena{}/>", attributes);
      return;
    }
    line("    <catena{}>", attributes);
    line("      <coupling offset=\"{}\">", shortest(offset));
    for (const CouplingTerm& term : terms)
      line("        <term joint={} factor=\"{}\"/>", xml_string(term.joint), shortest(term.factor));
    line("      </coupling>");
    line("    </catena>");
  }

  static std::string limit(double value) {
    return shortest(std::isinf(value) ? std::copysign(no_limit, value) : value);
  }

  const Robot& robot_;
  std::unordered_set<std::string> used_;
};

}  // namespace

std::string to_urdf(const Robot& robot) {
  io::require_valid(robot);
  return UrdfWriter(robot).write();
}

}  // namespace catena

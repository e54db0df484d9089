// Writes a Robot as TOML, convention "frames" or DH rows: every number with enough digits to read back exactly.
#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <numbers>
#include <optional>
#include <string>
#include <string_view>

#include "catena/robot_file.hpp"
#include "io/lines.hpp"
#include "io/text.hpp"
#include "io/writing.hpp"
#include "model/free_base.hpp"

namespace catena {

namespace {

using namespace io;

std::string toml_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;  // names are free of control characters: the robot was validated
  }
  return out + "\"";
}

std::string array(const Vec3<double>& v) { return fmt::format("[{}]", listed(v, ", ")); }

class TomlWriter : private io::Lines {
 public:
  explicit TomlWriter(const Robot& robot, const DhForm* rows = nullptr) : robot_(robot), rows_(rows) {}

  std::string write() {
    line("name = {}", toml_string(robot_.name));
    line("convention = \"{}\"", rows_ != nullptr ? name_of(rows_->convention) : "frames");
    line("gravity = {}", array(robot_.gravity));
    line("tool = {}", toml_string(robot_.tool_name()));  // explicit: the last link of this file may be another one
    if (!robot_.loops.empty()) write_loop_joints();
    line("\n[base]");
    line("name = {}", toml_string(link(robot_.root()).name));
    write_inertial(link(robot_.root()).inertial, false);
    if (!robot_.floating.empty()) write_link(free_joint(robot_), "floating");
    for (std::size_t k = 0; k < robot_.joints.size(); ++k)
      if (!is_free_part(robot_, k)) write_link(robot_.joints[k], type_name(robot_.joints[k].type), row_of(k));
    for (const FrameDescription& frame : robot_.frames) {
      line("\n[[frame]]");
      line("name = {}", toml_string(frame.name));
      line("link = {}", toml_string(link(frame.link).name));
      write_pose("xyz", "rpy", frame.pose);
    }
    for (const LoopDescription& loop : robot_.loops) write_loop(loop);
    return out_;
  }

 private:
  const LinkDescription& link(int k) const { return robot_.links[static_cast<std::size_t>(k)]; }

  // null: it is placed by poses, as a fixed joint may be among rows
  const DhRow* row_of(std::size_t k) const {
    const JointDescription& joint = robot_.joints[k];
    return rows_ != nullptr && (joint.moves() || keeps_row(joint)) ? &rows_->rows[k] : nullptr;
  }

  void write_loop_joints() {
    std::string independent, start;
    for (const std::string& name : robot_.independent)
      independent += (independent.empty() ? "" : ", ") + toml_string(name);
    for (const auto& [name, position] : robot_.start)
      start += fmt::format("{}{} = {}", start.empty() ? "" : ", ", toml_string(name), shortest(position));
    if (!independent.empty()) line("independent = [{}]", independent);
    flush("start", start);
  }

  void write_loop(const LoopDescription& loop) {
    line("\n[[loop]]");
    line("name = {}", toml_string(loop.name));
    line("type = \"{}\"", name_of(loop.type));
    line("frames = [{}, {}]", toml_string(loop.frames[0]), toml_string(loop.frames[1]));
  }

  void write_link(const JointDescription& joint, std::string_view type, const DhRow* row = nullptr) {
    const LinkDescription& child = link(joint.child);
    line("\n[[link]]");
    line("name = {}", toml_string(child.name));
    line("joint = \"{}\"", type);
    line("joint_name = {}", toml_string(joint.name));
    line("parent = {}", toml_string(link(joint.parent).name));
    if (row != nullptr)
      write_row(*row);
    else
      write_placement(joint, type != "floating");
    write_inertial(child.inertial, true);
    write_joint_data(joint);
  }

  void write_placement(const JointDescription& joint, bool has_axis) {
    write_pose("xyz", "rpy", joint.origin);
    if (joint.type != JointType::fixed && has_axis) line("axis = {}", array(joint.axis));
    write_pose("frame_xyz", "frame_rpy", joint.child_frame);
  }

  void write_row(const DhRow& row) {
    const auto entry = [&](const char* key, double value) {
      if (value != 0.0) line("{} = {}", key, shortest(value));
    };
    const auto angle = [&](const char* key, double value) {
      if (value != 0.0) line("{} = {:<21} # {:.10g}°", key, shortest(value), value * 180.0 / std::numbers::pi);
    };
    angle("gamma", row.gamma);
    entry("epsilon", row.epsilon);
    entry("a", row.a);
    angle("alpha", row.alpha);
    entry("d", row.d);
    angle("theta", row.theta);
  }

  void write_pose(std::string_view xyz, std::string_view rpy, const Pose<double>& pose) {
    if (!(pose.p == Vec3<double>{})) line("{} = {}", xyz, array(pose.p));
    if (!(pose.R == Mat3<double>::identity())) line("{} = {}", rpy, array(rpy_from_rotation(pose.R)));
  }

  void write_inertial(const Inertial& body, bool mass_required) {
    const Sym3<double>& i = body.inertia;
    if (is_massless(body)) {
      if (mass_required) line("mass = 0");
      return;
    }
    line("mass = {}", shortest(body.mass));
    line("com = {}", array(body.com));
    const std::string moments = listed({i.xx, i.yy, i.zz}, ", ");
    const bool diagonal = i.xy == 0.0 && i.xz == 0.0 && i.yz == 0.0;
    line("inertia = [{}{}]", moments, diagonal ? "" : ", " + listed({i.xy, i.xz, i.yz}, ", "));
  }

  void write_joint_data(const JointDescription& joint) {
    const JointLimits &limits = joint.limits, none;
    std::string entries;
    const auto entry = [&](const char* key, double value, bool wanted) {
      if (wanted) entries += fmt::format("{}{} = {}", entries.empty() ? "" : ", ", key, shortest(value));
    };
    entry("lower", limits.lower, limits.lower != none.lower);
    entry("upper", limits.upper, limits.upper != none.upper);
    entry("velocity", limits.velocity, limits.velocity != none.velocity);
    entry("effort", limits.effort, limits.effort != none.effort);
    flush("limits", entries);
    entry("viscous", joint.drive.viscous, joint.drive.viscous != 0.0);
    entry("coulomb", joint.drive.coulomb, joint.drive.coulomb != 0.0);
    entry("stribeck", joint.drive.stribeck, joint.drive.stribeck != 0.0);
    entry("stribeck_speed", joint.drive.stribeck_speed, joint.drive.stribeck_speed != 0.0);
    flush("friction", entries);
    entry("inertia", joint.drive.rotor_inertia, joint.drive.rotor_inertia != 0.0);
    entry("gear_ratio", joint.drive.gear_ratio, joint.drive.gear_ratio != 1.0);
    flush("rotor", entries);
    const bool sprung = joint.drive.spring != 0.0 || joint.drive.spring_rest != 0.0;
    entry("stiffness", joint.drive.spring, sprung);
    entry("rest", joint.drive.spring_rest, joint.drive.spring_rest != 0.0);
    flush("spring", entries);
    if (joint.elastic)
      line("elastic = {{ stiffness = {}, damping = {}, coupling = \"{}\" }}", shortest(joint.elastic->stiffness),
           shortest(joint.elastic->damping), joint.elastic->full ? "full" : "reduced");
    if (joint.drive.offset != 0.0) line("torque_offset = {}", shortest(joint.drive.offset));
    if (joint.passive) line("passive = true");
    if (!joint.coupling.terms.empty()) write_coupling(joint.coupling);
  }

  void write_coupling(const Coupling& coupling) {
    const auto& [terms, offset] = coupling;
    const std::string name = toml_string(terms.front().joint);
    if (terms.size() == 1 && terms.front().factor == 1.0 && offset == 0.0) return line("mimic = {}", name);
    if (terms.size() == 1)
      return line("mimic = {{ joint = {}, multiplier = {}, offset = {} }}", name, shortest(terms.front().factor),
                  shortest(offset));
    std::string joints;
    for (const CouplingTerm& term : terms)
      joints += fmt::format("{}{} = {}", joints.empty() ? "" : ", ", toml_string(term.joint), shortest(term.factor));
    line("coupling = {{ joints = {{ {} }}, offset = {} }}", joints, shortest(offset));
  }

  void flush(const char* key, std::string& entries) {
    if (!entries.empty()) line("{} = {{ {} }}", key, entries);
    entries.clear();
  }

  const Robot& robot_;
  const DhForm* rows_;  // null: frames
};

}  // namespace

std::string to_toml(const Robot& robot) {
  io::require_valid(robot);
  if (const std::optional<DhForm> rows = rows_as_written(robot)) return TomlWriter(rows->robot, &*rows).write();
  return TomlWriter(robot).write();
}

std::string to_toml(const DhForm& rows) {
  io::require_valid(rows.robot);
  return TomlWriter(rows.robot, &rows).write();
}

}  // namespace catena

// Elastic joints as joints, links and springs. Equations: docs/equations/elastic_joints.md.
#include <algorithm>
#include <cmath>
#include <utility>

#include "catena/changes.hpp"
#include "catena/math/index.hpp"
#include "model/check_couplings.hpp"
#include "model/free_base.hpp"
#include "model/places.hpp"
#include "model/words.hpp"

namespace catena {

using namespace words;

namespace {

// The rotor as a body without mass: a thin disc, of which only the moment about its axis shows.
Sym3<double> disc(const JointDescription& joint) {
  const Vec3<double> axis = joint.origin.R * joint.axis;
  const double half = 0.5 * joint.drive.rotor_inertia;
  return Sym3<double>::diagonal(half, half, half) + half * outer(axis);
}

// Whether a link moves: the base and what is fixed to it do not.
bool link_moves(const Robot& robot, int link) {
  for (bool up = true; up;) {
    up = false;
    for (const JointDescription& joint : robot.joints)
      if (joint.child == link) {
        if (joint.moves()) return true;
        link = joint.parent, up = true;
        break;
      }
  }
  return false;
}

class ElasticCheck {
 public:
  ElasticCheck(const Robot& robot, Findings& findings) : robot_(robot), findings_(findings) {}

  void check() {
    for (std::size_t k = 0; k < robot_.joints.size(); ++k)
      if (robot_.joints[k].elastic) check_joint(k);
  }

 private:
  void error(const JointDescription& joint, const std::string& what) {
    findings_.errors.push_back({joint.line, joint_label(joint) + ": " + what});
  }

  void check_joint(std::size_t k) {
    const JointDescription& joint = robot_.joints[k];
    const auto& [stiffness, damping, full] = *joint.elastic;
    if (!(stiffness > 0.0 && std::isfinite(stiffness)))
      error(joint, "elastic stiffness " + text(stiffness) + " must be positive");
    if (!(damping >= 0.0 && std::isfinite(damping)))
      error(joint, "elastic damping " + text(damping) + " must not be negative");
    if (!joint.moves()) return error(joint, "is fixed and cannot be elastic");
    if (joint.passive)
      return error(joint, "is passive and cannot be elastic, because there is no motor behind the spring");
    if (joint.is_coupled()) return error(joint, "is coupled and cannot be elastic; its masters can be");
    if (is_free_part(robot_, k)) return error(joint, "is a part of the free base and cannot be elastic");
    if (!robot_.loops.empty()) return error(joint, "cannot be elastic in a robot with closed loops");
    if (!(joint.drive.rotor_inertia > 0.0))
      error(joint, "is elastic and needs a rotor with inertia: rotor = { inertia = ..., gear_ratio = ... }");
    for (const char* part : {"_motor", "_twist", "_rotor"})
      if (robot_.joint_index(joint.name + part) >= 0 || has_frame(robot_, joint.name + part))
        error(joint, "is elastic, so no other joint may be called '" + joint.name + part + "'");
    if (full && joint.drive.rotor_inertia > 0.0) check_carrier(k);
  }

  // The link that carries the rotor has it at rest, with those of other motors that it carries.
  void check_carrier(std::size_t k) {
    const JointDescription& joint = robot_.joints[k];
    if (!link_moves(robot_, joint.parent)) return;
    const Sym3<double> whole = robot_.links[index(joint.parent)].inertial.inertia;
    Sym3<double> rest = whole - disc(joint);
    std::string others;
    for (std::size_t other = 0; other < k; ++other) {
      if (!gives_a_rotor(other, joint.parent)) continue;
      rest = rest - disc(robot_.joints[other]);
      others += (others.empty() ? ", after that of '" : "', '") + robot_.joints[other].name;
    }
    if (eigenvalues(rest).x >= -1e-9 * std::abs(whole.trace())) return;
    if (!others.empty()) others += "'";
    error(joint, "full coupling takes the rotor (" + rounded(joint.drive.rotor_inertia) + " kg m²) out of " +
                     link_label(robot_, joint.parent) + others + ", and the inertia of that link is too small for it");
  }
  bool gives_a_rotor(std::size_t k, int link) const {
    const JointDescription& joint = robot_.joints[k];
    return joint.parent == link && joint.elastic && joint.elastic->full && joint.drive.rotor_inertia > 0.0;
  }

  const Robot& robot_;
  Findings& findings_;
};

// A joint at the place of another, that moves a link of its own.
JointDescription& add_beside(Robot& robot, std::size_t joint, const char* part, const Sym3<double>& inertia = {}) {
  JointDescription made;
  const JointDescription& other = robot.joints[joint];
  made.name = other.name + part;
  made.type = other.type;
  made.parent = other.parent;
  made.origin = other.origin;
  made.axis = other.axis;
  made.line = other.line;
  made.child = robot.add_link(made.name, {0.0, {}, inertia});
  robot.add_joint(made);
  return robot.joints.back();
}

void add_rotor(Robot& robot, std::size_t joint, const std::string& motor, const JointDrive& drive) {
  JointDescription holder = robot.joints[joint];
  holder.drive = drive;
  Inertial& carrier = robot.links[index(holder.parent)].inertial;
  if (link_moves(robot, holder.parent)) carrier.inertia = carrier.inertia - disc(holder);
  holder.origin = {};  // in its own frame
  JointDescription& rotor = add_beside(robot, joint, "_rotor", disc(holder));
  rotor.type = JointType::revolute;
  rotor.coupling = {{{motor, drive.gear_ratio}}, 0.0};
}

void split(Robot& robot, std::size_t joint) {
  const JointElasticity elastic = *std::exchange(robot.joints[joint].elastic, std::nullopt);
  const JointDrive drive = std::exchange(robot.joints[joint].drive, {});
  const std::string name = robot.joints[joint].name;
  JointDescription& motor = add_beside(robot, joint, "_motor");
  const std::string motor_name = motor.name;
  JointDescription& link = robot.joints[joint];
  motor.drive = drive;
  motor.drive.spring = motor.drive.spring_rest = 0.0;
  motor.drive.more.clear();
  motor.limits.velocity = link.limits.velocity;
  motor.limits.effort = std::exchange(link.limits.effort, JointLimits{}.effort);
  link.drive.spring = drive.spring;
  link.drive.spring_rest = drive.spring_rest;
  link.drive.more = drive.more;
  link.passive = true;
  if (elastic.full) motor.drive.rotor_inertia = 0.0;
  JointDescription& twist = add_beside(robot, joint, "_twist");
  twist.coupling = {{{name, 1.0}, {motor_name, -1.0}}, 0.0};
  twist.drive.spring = elastic.stiffness;
  twist.drive.viscous = elastic.damping;
  if (elastic.full) add_rotor(robot, joint, motor_name, drive);
}

}  // namespace

void check_elastic(const Robot& robot, Findings& findings) { ElasticCheck(robot, findings).check(); }

bool has_elastic_joints(const Robot& robot) {
  return std::any_of(robot.joints.begin(), robot.joints.end(), [](const JointDescription& j) { return !!j.elastic; });
}

Robot with_motors(const Robot& robot) {
  if (!has_elastic_joints(robot)) return robot;
  require_valid(robot);
  Robot out = robot;
  out.tool = robot.tool_name();
  for (std::size_t k = 0; k < robot.joints.size(); ++k)
    if (robot.joints[k].elastic) split(out, k);
  return out;
}

Robot with_stiff_joints(Robot robot) {
  for (JointDescription& joint : robot.joints) joint.elastic.reset();
  return robot;
}

}  // namespace catena

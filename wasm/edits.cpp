// Changes that a user makes to a robot in the page: Edit of page/src/engine.ts.
#include <stdexcept>

#include "catena/changes.hpp"
#include "catena/robot_file.hpp"
#include "report/robot.hpp"
#include "session.hpp"

namespace catena::wasm {
namespace {

std::vector<double> list(const Json& edit, const char* key, std::size_t size) {
  const auto out = edit.at(key).get<std::vector<double>>();
  if (out.size() != size) throw std::invalid_argument(std::string(key) + " needs " + std::to_string(size) + " numbers");
  return out;
}
Vec3<double> vec3(const Json& edit, const char* key) {
  const auto v = list(edit, key, 3);
  return {v[0], v[1], v[2]};
}
bool has(const Json& edit, const char* key) { return edit.contains(key) && !edit.at(key).is_null(); }

// The index into the robot for an index of the description; -1 is the floating joint, which cannot be edited.
int picked(const std::vector<int>& described, const Json& edit, const char* key) {
  const auto at = edit.at(key).get<std::size_t>();
  if (at >= described.size() || described[at] < 0) throw std::invalid_argument(std::string("there is no such ") + key);
  return described[at];
}

void edit_link(Robot& robot, const Json& edit) {
  Inertial& body = robot.links[index(picked(report::described_links(robot), edit, "link"))].inertial;
  if (has(edit, "mass")) body.mass = edit.at("mass");
  if (has(edit, "com")) body.com = vec3(edit, "com");
  if (!has(edit, "inertia")) return;
  const auto i = list(edit, "inertia", 9);
  body.inertia = {i[0], i[4], i[8], i[1], i[2], i[5]};
}

void edit_row(Robot& robot, const Json& edit) {
  JointDescription& joint = robot.joints[index(picked(report::described_joints(robot), edit, "joint"))];
  const DhRow row{edit.at("a"),     edit.at("alpha"),         edit.at("d"),
                  edit.at("theta"), edit.value("gamma", 0.0), edit.value("epsilon", 0.0)};
  const JointDescription placed =
      edit.at("convention") == "classic" ? classic_dh(row, joint.type) : modified_dh(row, joint.type);
  joint.origin = placed.origin;
  joint.axis = placed.axis;
  joint.child_frame = placed.child_frame;
  joint.row = placed.row;
}

void edit_joint(Robot& robot, const Json& edit) {
  JointDescription& joint = robot.joints[index(picked(report::described_joints(robot), edit, "joint"))];
  if (has(edit, "origin")) {
    const auto m = list(edit, "origin", 16);
    joint.origin = {{m[0], m[1], m[2], m[4], m[5], m[6], m[8], m[9], m[10]}, {m[3], m[7], m[11]}};
  }
  if (has(edit, "axis")) {
    const Vec3<double> axis = vec3(edit, "axis");
    const double length = std::sqrt(dot(axis, axis));
    if (!(length > 0.0)) throw std::invalid_argument("joint '" + joint.name + "': its axis has no direction");
    joint.axis = (1.0 / length) * axis;
  }
  const auto number = [&](const char* key, double& value) {
    if (has(edit, key)) value = edit.at(key);
  };
  number("lower", joint.limits.lower);
  number("upper", joint.limits.upper);
  number("velocity", joint.limits.velocity);
  number("effort", joint.limits.effort);
  number("viscous", joint.drive.viscous);
  number("coulomb", joint.drive.coulomb);
  number("spring", joint.drive.spring);
  number("spring_rest", joint.drive.spring_rest);
  number("torque_offset", joint.drive.offset);
  number("stribeck", joint.drive.stribeck);
  number("stribeck_speed", joint.drive.stribeck_speed);
}

}  // namespace

std::string Session::edited(const Json& edits) const {
  Robot robot = this->robot();
  for (const Json& edit : edits) {
    const std::string kind = edit.at("kind");
    if (kind == "link") {
      edit_link(robot, edit);
    } else if (kind == "dh") {
      edit_row(robot, edit);
    } else if (kind == "joint") {
      edit_joint(robot, edit);
    } else if (kind == "gravity") {
      robot.gravity = vec3(edit, "gravity");
    } else if (kind == "payload") {
      robot = add_payload(robot, edit.at("frame").get<std::string>(), {edit.at("mass"), vec3(edit, "com"), {}});
    } else {
      throw std::invalid_argument("there is no edit '" + kind + "'");
    }
  }
  return to_toml(robot);
}

}  // namespace catena::wasm

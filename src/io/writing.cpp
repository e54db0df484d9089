#include "io/writing.hpp"

#include "catena/validate.hpp"

namespace catena::io {

void require_valid(const Robot& robot) {
  const Findings findings = validate(robot);
  if (!findings.ok()) throw ModelError(format_problems(robot.name, findings.errors));
  for (const JointDescription& joint : robot.joints)
    if (!joint.drive.more.empty())
      throw ModelError(robot.name + ": joint '" + joint.name + "': files have no word for its constant '" +
                       joint.drive.more.begin()->first + "'");
}

const char* type_name(JointType type) {
  switch (type) {
    case JointType::revolute:
      return "revolute";
    case JointType::prismatic:
      return "prismatic";
    case JointType::fixed:
      break;
  }
  return "fixed";
}

bool is_massless(const Inertial& body) {
  return body.mass == 0.0 && body.com == Vec3<double>{} && body.inertia == Sym3<double>{};
}

std::string xml_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;  // names are free of control characters: the robot was validated
    }
  }
  return out + "\"";
}

}  // namespace catena::io

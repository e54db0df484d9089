#include "model/free_base.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "catena/mechanism.hpp"
#include "catena/validate.hpp"
#include "model/check_free_base.hpp"
#include "model/words.hpp"

namespace catena {

using namespace words;

namespace {

struct OneJoint {
  std::string_view name;
  JointType type;
  Vec3<double> axis;
};
constexpr Vec3<double> x{1.0, 0.0, 0.0}, y{0.0, 1.0, 0.0}, z{0.0, 0.0, 1.0};
constexpr std::array<OneJoint, base_joints> parts{{{"x", JointType::prismatic, x},
                                                   {"y", JointType::prismatic, y},
                                                   {"z", JointType::prismatic, z},
                                                   {"rx", JointType::revolute, x},
                                                   {"ry", JointType::revolute, y},
                                                   {"rz", JointType::revolute, z}}};

std::string unused(const Robot& robot, const std::string& wish) {
  const auto taken = [&](const std::string& name) {
    const auto same = [&](const FrameDescription& frame) { return frame.name == name; };
    return robot.link_index(name) >= 0 || robot.joint_index(name) >= 0 ||
           std::any_of(robot.frames.begin(), robot.frames.end(), same);
  };
  std::string name = wish;
  for (int k = 2; taken(name); ++k) name = wish + "_" + std::to_string(k);
  return name;
}

const JointDescription& joint_at(const Robot& robot, std::size_t k) { return robot.joints[k]; }

}  // namespace

void set_free(Robot& robot, std::size_t joint) {
  const JointDescription whole = robot.joints[joint];
  robot.joints.erase(robot.joints.begin() + static_cast<std::ptrdiff_t>(joint));
  std::vector<JointDescription> six;
  int parent = whole.parent;
  for (const OneJoint& part : parts) {
    JointDescription own;
    own.name = whole.name + "_" + std::string(part.name);
    own.type = part.type;
    own.axis = part.axis;
    own.passive = true;
    own.line = whole.line;
    own.parent = parent;
    if (six.empty()) own.origin = whole.origin;
    if (six.size() + 1 == parts.size()) {
      own.child = whole.child;
      own.child_frame = whole.child_frame;
    } else {
      own.child = parent = robot.add_link(own.name + "_link");
      robot.links.back().line = whole.line;
    }
    six.push_back(own);
  }
  robot.joints.insert(robot.joints.begin(), six.begin(), six.end());
  robot.floating = whole.name;
}

Robot on_free_base(Robot robot, const std::string& joint, const std::string& world) {
  if (!robot.floating.empty())
    throw ModelError(robot.name + ": its base is free already, by joint '" + robot.floating + "'");
  const std::string tool = robot.tool_name();
  JointDescription whole;
  whole.name = unused(robot, joint);
  whole.child = robot.root();
  whole.parent = robot.add_link(unused(robot, world));
  robot.joints.insert(robot.joints.begin(), whole);
  set_free(robot, 0);
  robot.tool = tool;
  return robot;
}

JointDescription free_joint(const Robot& robot) {
  JointDescription whole = robot.joints.front();
  const JointDescription& last = joint_at(robot, base_joints - 1);
  whole.name = robot.floating;
  whole.child = last.child;
  whole.child_frame = last.child_frame;
  whole.passive = false;
  return whole;
}

bool is_free_part(const Robot& robot, std::size_t joint) {
  return !robot.floating.empty() && joint < static_cast<std::size_t>(base_joints);
}

bool is_between_free_parts(const Robot& robot, int link) {
  if (robot.floating.empty()) return false;
  const auto end = robot.joints.begin() + base_joints - 1;
  return std::any_of(robot.joints.begin(), end, [&](const JointDescription& joint) { return joint.child == link; });
}

std::vector<std::string> position_names(const Robot& robot) {
  Mechanism named;
  for (const int j : robot.moving_joints()) {
    named.coordinates.joints.push_back(named.joint_names.next());
    named.joint_names.push_back(robot.joints[index(j)].name);
  }
  if (!robot.floating.empty()) named.coordinates.base = BaseKind::free;
  return position_names(named);
}

namespace {

// The joint whose child a link is; nullptr for the root.
const JointDescription* joint_below(const Robot& robot, int link) {
  for (const JointDescription& joint : robot.joints)
    if (joint.child == link) return &joint;
  return nullptr;
}
// The first joint that moves between the link and the root.
const JointDescription* moved_by(const Robot& robot, int link) {
  const JointDescription* joint = joint_below(robot, link);
  while (joint != nullptr && !joint->moves()) joint = joint_below(robot, joint->parent);
  return joint;
}

bool is_whole(const Robot& robot) {
  if (robot.joints.size() < parts.size()) return false;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const JointDescription& joint = robot.joints[k];
    if (joint.type != parts[k].type || !(joint.axis == parts[k].axis) || !joint.coupling.terms.empty()) return false;
    if (joint.name != robot.floating + "_" + std::string(parts[k].name)) return false;
    if (k > 0 && joint.parent != robot.joints[k - 1].child) return false;
  }
  return true;
}

}  // namespace

void check_free_base(const Robot& robot, Findings& findings) {
  if (robot.floating.empty()) return;
  const auto error = [&](int line, const std::string& what) {
    findings.errors.push_back({line, "joint '" + robot.floating + "': " + what});
  };
  if (!is_whole(robot))
    return error(robot.line, "is floating, but the first six joints are not those of a free base any more");
  const JointDescription& first = robot.joints.front();
  if (const JointDescription* before = moved_by(robot, first.parent))
    return error(first.line, "is floating and hangs on link '" + robot.links[index(first.parent)].name +
                                 "', which joint '" + before->name +
                                 "' moves; only the base can be free, so a floating joint must come first");
  for (std::size_t k = parts.size(); k < robot.joints.size(); ++k) {
    const JointDescription& joint = robot.joints[k];
    if (joint.moves() && moved_by(robot, joint.parent) == nullptr)
      error(joint.line, "is floating, and joint '" + joint.name +
                            "' moves beside it; everything that moves must be carried by the free base");
  }
}

}  // namespace catena

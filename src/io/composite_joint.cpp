#include "io/composite_joint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "io/text.hpp"
#include "model/free_base.hpp"

namespace catena::io {
namespace {

constexpr JointType turn = JointType::revolute, slide = JointType::prismatic;

constexpr std::array<JointPart, 3> planar{
    {{"x", slide, Direction::x}, {"y", slide, Direction::y}, {"turn", turn, Direction::z}}};
constexpr std::array<JointPart, 2> universal{{{"x", turn, Direction::x}, {"y", turn, Direction::y}}};
constexpr std::array<JointPart, 2> along_axis{{{"turn", turn, Direction::z}, {"slide", slide, Direction::z}}};
// The angles of rpy: R = Rz(yaw) Ry(pitch) Rx(roll).
constexpr std::array<JointPart, 3> spherical{
    {{"yaw", turn, Direction::z}, {"pitch", turn, Direction::y}, {"roll", turn, Direction::x}}};

constexpr std::array<CompositeKind, 6> kinds{{{"planar", planar},
                                              {"universal", universal},
                                              {"cylindrical", along_axis},
                                              {"screw", along_axis, true},
                                              {"spherical", spherical},
                                              {"floating", {}, false, true}}};

// The frame's own axes after the shortest rotation that brings z to the joint's axis. Where that axis points down, they
// are those of the opposite axis with y reversed: near -z the shortest rotation is ill-defined.
Vec3<double> direction(const Vec3<double>& axis, Direction which) {
  if (which == Direction::z) return axis;
  const double sign = axis.z < 0.0 ? -1.0 : 1.0;
  const Vec3<double> own = which == Direction::x ? Vec3<double>{1.0, 0.0, 0.0} : Vec3<double>{0.0, sign, 0.0};
  const Vec3<double> across = cross(Vec3<double>{0.0, 0.0, 1.0}, sign * axis), turned = cross(across, own);
  return own + turned + (1.0 / (1.0 + sign * axis.z)) * cross(across, turned);
}

std::vector<JointDescription> parts_of(Robot& robot, const Composite& composite) {
  const JointDescription whole = robot.joints[composite.joint];
  std::vector<JointDescription> parts = composite.parts;
  int parent = whole.parent;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const JointPart& part = composite.kind->parts[k];
    JointDescription& joint = parts[k];
    joint.name = whole.name + "_" + std::string(part.name);
    joint.type = part.type;
    joint.axis = direction(whole.axis, part.direction);
    joint.line = whole.line;
    if (k == 0) joint.origin = whole.origin;
    joint.parent = parent;
    if (k + 1 == parts.size()) {
      joint.child = whole.child;
      joint.child_frame = whole.child_frame;
      continue;
    }
    joint.child = parent = robot.add_link(joint.name + "_link");
    robot.links.back().line = whole.line;
  }
  return parts;
}

}  // namespace

std::span<const CompositeKind> composite_kinds() { return kinds; }

const CompositeKind* composite_kind(std::string_view name) {
  const auto found = std::find_if(kinds.begin(), kinds.end(), [&](const CompositeKind& k) { return k.name == name; });
  return found == kinds.end() ? nullptr : &*found;
}

namespace {

void compose_parts(Robot& robot, const std::vector<Composite>& composites) {
  std::vector<JointDescription> joints;
  std::size_t next = 0;
  for (const Composite& composite : composites) {
    for (; next < composite.joint; ++next) joints.push_back(robot.joints[next]);
    if (composite.kind->is_free) continue;
    for (JointDescription& part : parts_of(robot, composite)) joints.push_back(std::move(part));
    ++next;
  }
  for (; next < robot.joints.size(); ++next) joints.push_back(robot.joints[next]);
  robot.joints = std::move(joints);
}

}  // namespace

void compose(Reading& out, const std::vector<Composite>& composites) {
  std::vector<std::string> floating;
  for (const Composite& composite : composites) {
    if (!composite.kind->is_free) continue;
    const JointDescription& joint = out.robot.joints[composite.joint];
    if (!floating.empty())
      out.error(joint.line, fmt::format("joint {}: is floating, and so is {}; a robot has only one free base",
                                        io::quoted(joint.name), io::quoted(floating.front())));
    floating.push_back(joint.name);
  }
  compose_parts(out.robot, composites);
  if (floating.size() == 1) set_free(out.robot, static_cast<std::size_t>(out.robot.joint_index(floating.front())));
}

}  // namespace catena::io

#include "catena/model/assembly.hpp"
#include "catena/model/regroup.hpp"
#include "catena/model/validate.hpp"

namespace catena {
namespace {

constexpr const char* mount =
    "";  // links[0] of a part: the frame that it is attached to; no link of a file is called so

Robot single_body(const std::string& name, const Inertial& body) {
  Robot robot;
  robot.name = name;
  robot.add_link(name, body);
  return robot;
}

JointDescription fixed_joint() {
  JointDescription joint;
  joint.type = JointType::fixed;
  return joint;
}

// The part on its joint, standing on the mount.
Robot mounted(const Robot& robot, JointDescription joint) {
  if (const Findings found = validate(robot); !found.ok()) throw ModelError(format_problems(robot.name, found.errors));
  Robot out = robot;
  out.links.insert(out.links.begin(), LinkDescription{mount, {}, 0});
  for (JointDescription& own : out.joints) ++own.parent, ++own.child;
  for (FrameDescription& frame : out.frames) ++frame.link;
  joint.parent = 0;
  joint.child = robot.root() + 1;
  if (joint.name.empty()) joint.name = robot.links[static_cast<std::size_t>(robot.root())].name + "_joint";
  out.joints.insert(out.joints.begin(), joint);
  out.tool.clear();
  return out;
}

}  // namespace

Part::Part(std::string name, const Inertial& body) : Part(single_body(name, body), fixed_joint()) {}
Part::Part(std::string name, const Inertial& body, const JointDescription& joint)
    : Part(single_body(name, body), joint) {}
Part::Part(const Robot& robot, const JointDescription& joint, const MechanismOptions& options)
    : name_(robot.name), robot_(mounted(robot, joint)) {
  Robot named = robot_;  // make_mechanism wants names
  std::string unused = "mount";
  while (robot.link_index(unused) >= 0) unused += "_";
  named.links[0].name = unused;
  mechanism_ = slide_origins(make_mechanism(named, options));
}

}  // namespace catena

#include <algorithm>
#include <cmath>

#include "assembly_parts.hpp"
#include "words.hpp"

namespace catena {

using words::escaped;
using words::rounded;

namespace {

// links[0] of a part stands for the frame that it is attached to; no link of a file is called so.
constexpr const char* mount = "";

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

void require_body(std::string_view robot, std::string_view link, const Inertial& body) {
  const auto refuse = [&](const std::string& what) {  // words only where something is wrong: a change must not allocate
    throw ModelError(escaped(robot) + ": link '" + escaped(link) + "': " + what);
  };
  const Vec3<double>& c = body.com;
  const Sym3<double>& I = body.inertia;
  for (const double x : {body.mass, c.x, c.y, c.z, I.xx, I.yy, I.zz, I.xy, I.xz, I.yz})
    if (!std::isfinite(x)) refuse("mass, mass centre and inertia must be finite numbers");
  if (body.mass < 0.0) refuse("mass " + rounded(body.mass) + " must not be negative");
  const Vec3<double> moments = eigenvalues(I);
  if (moments.x < -1e-12 * std::max(1e-300, moments.z))
    refuse("inertia is not positive semidefinite (eigenvalues " + rounded(moments.x) + ", " + rounded(moments.y) +
           ", " + rounded(moments.z) + ")");
}

Part::Part(std::string name, const Inertial& body) : Part(single_body(name, body), fixed_joint()) {}
Part::Part(std::string name, const Inertial& body, const JointDescription& joint)
    : Part(single_body(name, body), joint) {}
Part::Part(const Robot& robot, const JointDescription& joint, const MechanismOptions& options)
    : name_(robot.name), robot_(mounted(robot, joint)) {
  // validate() lets an inertia pass that nothing turns; here something will.
  for (const LinkDescription& link : robot.links)
    if (!robot.lenient) require_body(robot.name, link.name, link.inertial);
  Robot named = robot_;  // make_mechanism wants names
  std::string unused = "mount";
  while (robot.link_index(unused) >= 0) unused += "_";
  named.links[0].name = unused;
  mechanism_ = slide_origins(make_mechanism(named, options));
}

}  // namespace catena

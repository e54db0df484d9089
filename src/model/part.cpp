#include <algorithm>
#include <cmath>

#include "catena/changes.hpp"
#include "model/assembly_impl.hpp"
#include "model/places.hpp"
#include "model/words.hpp"

namespace catena {

using words::escaped;
using words::rounded;

namespace {

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

// The part on its joint, attached to a new link that represents the frame it will be attached to.
Robot mounted(const Robot& robot, const JointDescription& joint) {
  std::string unused = "mount";
  while (has_frame(robot, unused)) unused += "_";
  Robot mount;
  mount.add_link(unused);
  Robot out = join(mount, unused, robot, joint);
  out.name = robot.name;
  return out;
}

}  // namespace

void require_body(std::string_view robot, std::string_view link, const Inertial& body) {
  const auto refuse = [&](const std::string& what) {  // no text unless something is wrong: a change must not allocate
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

Part::Part(const std::string& name, const Inertial& body) : Part(single_body(name, body), fixed_joint()) {}
Part::Part(const std::string& name, const Inertial& body, const JointDescription& joint)
    : Part(single_body(name, body), joint) {}
Part::Part(const Robot& robot, const JointDescription& joint, const MechanismOptions& options)
    : name_(robot.name), robot_(mounted(robot, joint)) {
  // validate() accepts an inertia that no joint turns; once attached, some joint will.
  for (const LinkDescription& link : robot.links)
    if (!robot.lenient) require_body(robot.name, link.name, link.inertial);
  mechanism_ = slide_origins(make_mechanism(robot_, options));
  require_uncoupled(mechanism_, "parts that are attached while running");
  require_fixed_base(mechanism_, "parts that are attached while running do");
}

}  // namespace catena

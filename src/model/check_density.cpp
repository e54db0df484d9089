#include "model/check_density.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "catena/math/index.hpp"
#include "model/words.hpp"

namespace catena {
namespace {

constexpr double steel = 7850.0;  // kg/m³; no robot is solid steel

double size(const Vec3<double>& v) { return std::hypot(v.x, v.y, v.z); }

// How far a link may extend from its frame: its mass centre, plus the ball that has its moments.
double reach(const Inertial& body) {
  const double square = body.mass > 0.0 ? 5.0 / 6.0 * body.inertia.trace() / body.mass : 0.0;
  return size(body.com) + std::sqrt(std::max(0.0, square));
}

double stroke(const JointDescription& joint) {
  const bool slides = joint.type == JointType::prismatic && std::isfinite(joint.limits.lower + joint.limits.upper);
  return slides ? std::max(std::abs(joint.limits.lower), std::abs(joint.limits.upper)) : 0.0;
}

}  // namespace

// Treats the robot, stretched out, as a ball of that diameter. A fixed base may have any mass. A link that is too heavy
// by itself has already been reported.
void check_density(const Robot& robot, Findings& findings) {
  const auto body = [&](int link) -> const Inertial& { return robot.links[index(link)].inertial; };
  const auto spoken_of = [](const LinkDescription& link) { return link.inertial.mass > largest_mass; };
  if (std::any_of(robot.links.begin(), robot.links.end(), spoken_of)) return;
  std::vector<double> path(robot.links.size(), 0.0);  // from the base to the link's frame, along the joints
  double mass = robot.floating.empty() ? 0.0 : body(robot.root()).mass, extent = reach(body(robot.root()));
  for (const int j : robot.joints_outward()) {
    const JointDescription& joint = robot.joints[index(j)];
    double& own = path[index(joint.child)];
    own = path[index(joint.parent)] + size(joint.origin.p) + size(joint.child_frame.p) + stroke(joint);
    mass += body(joint.child).mass;
    extent = std::max(extent, own + reach(body(joint.child)));
  }
  const double ball = std::numbers::pi / 6.0 * extent * extent * extent;
  if (!std::isfinite(mass) || !(extent > 0.0) || mass <= steel * ball) return;
  findings.warnings.push_back({robot.line,
                               "the links that move weigh " + words::rounded(mass) + " kg within " +
                                   words::rounded(extent) +
                                   " m, which is more than a steel ball of that size; grams instead of kg?",
                               {},
                               "grams"});
}

}  // namespace catena

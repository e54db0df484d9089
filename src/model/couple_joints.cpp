#include "couple_joints.hpp"

#include <algorithm>
#include <cmath>

namespace catena {
namespace {

using Joint = CoupledJoint<double>;

void add_term(Joint& joint, int coordinate, double factor) {
  for (Joint::Term& term : joint.terms)
    if (term.coordinate == coordinate) {
      term.factor += factor;
      return;
    }
  joint.terms.push_back({coordinate, factor});
}

// Follows couplings to the joints that move by themselves. place: by joint of the robot, the entry of q or -1.
void follow(const Robot& robot, const std::vector<int>& place, int joint, double factor, Joint& out) {
  if (place[index(joint)] >= 0) return add_term(out, place[index(joint)], factor);
  const Coupling& coupling = robot.joints[index(joint)].coupling;
  out.offset += factor * coupling.offset;
  for (const CouplingTerm& term : coupling.terms)
    follow(robot, place, robot.joint_index(term.joint), factor * term.factor, out);
}

// Where q may be so that the joint keeps its own limits.
void narrow(const Joint& joint, JointLimits& limits) {
  const double factor = joint.terms.front().factor, size = std::abs(factor);
  double lower = (joint.limits.lower - joint.offset) / factor, upper = (joint.limits.upper - joint.offset) / factor;
  if (factor < 0.0) std::swap(lower, upper);
  limits.lower = std::max(limits.lower, lower);
  limits.upper = std::min(limits.upper, upper);
  limits.velocity = std::min(limits.velocity, joint.limits.velocity / size);
}

}  // namespace

void couple_joints(const Robot& robot, Mechanism& out) {
  const std::vector<int> moving = robot.moving_joints(), all = robot.tree_joints();
  if (moving.size() == all.size()) return;
  std::vector<int> place(robot.joints.size(), -1);
  for (std::size_t q = 0; q < moving.size(); ++q) place[index(moving[q])] = static_cast<int>(q);

  const auto names = std::move(out.joint_names);
  const auto limits = std::move(out.limits);
  const auto drives = std::move(out.drives);
  const auto passive = std::move(out.passive);
  out.joint_names.clear(), out.limits.clear(), out.drives.assign(moving.size(), {}), out.passive.clear();
  for (std::size_t k = 0; k < all.size(); ++k) {
    Joint joint{names[k], {}, 0.0, limits[k], drives[k]};
    follow(robot, place, all[k], 1.0, joint);
    std::erase_if(joint.terms, [](const Joint::Term& term) { return term.factor == 0.0; });
    if (place[index(all[k])] >= 0) {
      out.joint_names.push_back(names[k]);
      out.limits.push_back(limits[k]);
      out.passive.push_back(passive[k]);
    }
    out.coupled.push_back(std::move(joint));
  }
  for (const Joint& joint : out.coupled) {  // what one entry of q alone moves acts on it like its own
    if (joint.terms.size() != 1) continue;
    const auto& [q, factor] = joint.terms.front();
    narrow(joint, out.limits[index(q)]);
    DriveConstants<double>& drive = out.drives[index(q)];
    drive.viscous += factor * factor * joint.drive.viscous;
    drive.coulomb += std::abs(factor) * joint.drive.coulomb;
    drive.reflected_inertia += factor * factor * joint.drive.reflected_inertia;
  }
}

}  // namespace catena

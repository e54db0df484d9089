// A robot built link by link, without a file: two rods that swing and a slider along the second one. Prints where the
// tip is, the energy, and the joint torques that both inverse dynamics formulations find for the same motion.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "catena/catena.hpp"

namespace {

// A thin rod along x, starting at the origin of its link frame.
catena::Inertial rod(double mass, double length) {
  const double across = mass * length * length / 12.0;
  return {mass, {length / 2.0, 0.0, 0.0}, catena::Sym3<double>::diagonal(0.0, across, across)};
}

catena::JointDescription joint(const char* name, catena::JointType type, int parent, int child) {
  catena::JointDescription description;
  description.name = name;
  description.type = type;
  description.parent = parent;
  description.child = child;
  return description;
}

catena::Robot make_robot() {
  catena::Robot robot;
  robot.name = "two rods and a slider";
  robot.gravity = {0.0, -9.81, 0.0};
  const int base = robot.add_link("base");  // the first link is the base
  const int upper = robot.add_link("upper", rod(2.0, 0.5));
  const int lower = robot.add_link("lower", rod(1.0, 0.4));
  const int slider = robot.add_link("slider", {0.3, {}, catena::Sym3<double>::diagonal(1e-4, 1e-4, 1e-4)});

  robot.add_joint(joint("shoulder", catena::JointType::revolute, base, upper));  // about z, the default axis
  auto elbow = joint("elbow", catena::JointType::revolute, upper, lower);
  elbow.origin.p = {0.5, 0.0, 0.0};
  elbow.drive.viscous = 0.05;  // N m s/rad
  robot.add_joint(elbow);
  auto slide = joint("slide", catena::JointType::prismatic, lower, slider);
  slide.axis = {1.0, 0.0, 0.0};  // along the rod
  robot.add_joint(slide);

  robot.add_frame("tip", slider, {catena::Mat3<double>::identity(), {0.1, 0.0, 0.0}});
  robot.tool = "tip";
  return robot;
}

}  // namespace

int main() {
  const catena::Mechanism mechanism = catena::make_mechanism(make_robot());
  const std::array q{0.3, 0.7, 0.2}, qd{0.5, -0.4, 0.1}, qdd{1.0, 2.0, -0.5};

  catena::Kinematics<double> kinematics(mechanism);
  kinematics.update(q, qd, qdd);
  const auto tip = kinematics.pose(mechanism.tool);
  std::printf("tip at %.6f %.6f %.6f m, kinetic energy %.6f J, potential energy %.6f J\n", tip.p.x, tip.p.y, tip.p.z,
              kinematics.kinetic_energy(), kinematics.potential_energy());

  std::array<double, 3> first{};
  double largest_difference = 0.0;
  for (const catena::FormulationInfo& formulation : catena::formulations("inverse")) {
    catena::InverseDynamics<double> inverse_dynamics(mechanism, formulation.name);
    std::array<double, 3> tau{};
    inverse_dynamics(q, qd, qdd, tau);
    std::printf("%-18.*s %12.8f N m %12.8f N m %12.8f N\n", static_cast<int>(formulation.name.size()),
                formulation.name.data(), tau[0], tau[1], tau[2]);
    if (formulation.name == catena::formulations("inverse").front().name) first = tau;
    for (std::size_t j = 0; j < tau.size(); ++j)
      largest_difference = std::max(largest_difference, std::abs(tau[j] - first[j]));
  }
  std::printf("largest difference %.1e\n", largest_difference);
  return largest_difference < 1e-12 ? 0 : 1;
}

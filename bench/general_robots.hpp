// Robots made in code, the same on every machine, with no zero parameter: chains, and what has branches.
#pragma once

#include <array>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "catena/robot.hpp"
#include "model/free_base.hpp"

namespace catena::bench {

// Uniform in [-1, 1], the same bits everywhere.
inline double uniform(std::mt19937_64& random) { return static_cast<double>(random() >> 11) * 0x1p-52 - 1.0; }

// Revolute joints: link i + 1 hangs on link parents[i], 0 is the base.
inline Robot general_robot(std::span<const int> parents) {
  std::mt19937_64 random(parents.size());
  const auto u = [&] { return uniform(random); };
  Robot robot;
  robot.add_link("base");
  for (const int parent : parents) {
    const Sym3<double> inertia{0.3 + 0.1 * u(), 0.3 + 0.1 * u(), 0.3 + 0.1 * u(), 0.02 * u(), 0.02 * u(), 0.02 * u()};
    const std::string number = std::to_string(robot.links.size());
    const int link = robot.add_link("link" + number, {1.0 + 0.5 * u(), {0.3 * u(), 0.3 * u(), 0.3 * u()}, inertia});
    JointDescription joint = modified_dh({0.5 * u(), 2.0 * u(), 0.5 * u(), 3.0 * u(), 0.0, 0.0}, JointType::revolute);
    joint.name = "joint" + number;
    joint.parent = parent;
    joint.child = link;
    robot.add_joint(joint);
  }
  return robot;
}

// Every link on the one before it.
inline std::vector<int> chain(int joints) {
  std::vector<int> parents(static_cast<std::size_t>(joints));
  std::iota(parents.begin(), parents.end(), 0);
  return parents;
}
// Limbs in series on the last link there is.
inline std::vector<int> with_limbs(std::vector<int> parents, const std::vector<int>& limbs) {
  const int trunk = static_cast<int>(parents.size());
  for (const int joints : limbs)
    for (int k = 0; k < joints; ++k) parents.push_back(k == 0 ? trunk : static_cast<int>(parents.size()));
  return parents;
}
// Two legs of six joints, and a trunk that carries the other limbs.
inline std::vector<int> humanoid(int trunk, const std::vector<int>& limbs) {
  std::vector<int> parents = with_limbs({}, {6, 6});
  for (int k = 0; k < trunk; ++k) parents.push_back(k == 0 ? 0 : static_cast<int>(parents.size()));
  return with_limbs(std::move(parents), limbs);
}

// The robot on a free base of its own, with mass.
inline Robot on_general_free_base(Robot robot) {
  robot.links[0].inertial = {12.0, {0.02, -0.01, 0.05}, {0.8, 0.7, 0.6, 0.02, -0.01, 0.03}};
  return on_free_base(std::move(robot));
}

struct BranchedRobot {
  std::string_view name;
  std::vector<int> parents;
  bool free = false;  // on a base of its own

  Robot robot() const { return free ? on_general_free_base(general_robot(parents)) : general_robot(parents); }
};

inline const std::vector<BranchedRobot>& branched_robots() {
  static const std::vector<BranchedRobot> all{
      {"tree30", with_limbs({0, 1}, {7, 7, 7, 7})},
      {"hand24", with_limbs({0, 1}, {5, 4, 4, 4, 5})},  // a wrist of two joints, five fingers
      {"dual_arm15", with_limbs({0}, {7, 7})},
      {"humanoid29", humanoid(3, {7, 7})},
      {"quadruped_free18", with_limbs({}, {3, 3, 3, 3}), true},
      {"humanoid_free38", humanoid(2, {8, 8, 2}), true},
  };
  return all;
}

}  // namespace catena::bench

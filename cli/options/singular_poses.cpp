#include "options/singular_poses.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string_view>

#include "catena/math/index.hpp"
#include "terminal/errors.hpp"
#include "terminal/words.hpp"

namespace catena::cli {
namespace {

constexpr double near_quarter_turn = 0.01;  // cos(pitch), about half a degree

bool is_massless(const Robot& robot, int link) {
  const Inertial& body = robot.links[index(link)].inertial;
  return body.mass == 0.0 && body.inertia == Sym3<double>{};
}

// Whether only a massless link lies between `inner` and `outer`: then they belong to one joint.
bool are_parts(const Robot& robot, int inner, int outer) {
  if (inner < 0 || outer < 0) return false;
  const JointDescription &a = robot.joints[index(inner)], &b = robot.joints[index(outer)];
  return a.type == JointType::revolute && b.type == JointType::revolute && a.child == b.parent &&
         is_massless(robot, a.child);
}

}  // namespace

SingularPoses::SingularPoses(const Robot& robot) {
  constexpr std::string_view middle = "_pitch";
  const std::vector<int> moving = robot.moving_joints();
  for (std::size_t q = 0; q < moving.size(); ++q) {
    const std::string& part = robot.joints[index(moving[q])].name;
    if (!part.ends_with(middle)) continue;
    const std::string name = part.substr(0, part.size() - middle.size());
    if (are_parts(robot, robot.joint_index(name + "_yaw"), moving[q]) &&
        are_parts(robot, moving[q], robot.joint_index(name + "_roll")))
      joints_.push_back({name, robot.floating.empty() ? q : q + 1});  // a free base's quaternion has one entry more
  }
}

void SingularPoses::look(std::span<const double> q) {
  std::erase_if(joints_, [&](const Joint& joint) {
    if (joint.pitch >= q.size() || std::abs(std::cos(q[joint.pitch])) > near_quarter_turn) return false;
    note(
        fmt::format("catena: joint '{0}' is near its singular pose, {0}_pitch = {1:.6g}: {0}_yaw and {0}_roll turn "
                    "about nearly the same axis",
                    printable(joint.name), q[joint.pitch]));
    return true;
  });
}

}  // namespace catena::cli

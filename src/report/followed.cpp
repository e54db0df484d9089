// What a law followed, beside what the robot did: columns of a recording.
#include <array>
#include <cmath>
#include <utility>

#include "catena/inverse_kinematics.hpp"
#include "catena/kinematics.hpp"
#include "catena/mechanism.hpp"
#include "report/scene.hpp"

namespace catena::report {

void Recording::put_reference(std::span<const std::vector<double>> positions) {
  const std::size_t first = columns_.size();
  add_reference();
  for (std::size_t c = first; c < columns_.size(); ++c)
    for (const std::vector<double>& row : positions) columns_[c].values.push_back(row[index(columns_[c].joint)]);
}

void Recording::put_path(const Mechanism& robot, int frame, bool turns, std::span<const Pose<double>> poses) {
  constexpr std::array<const char*, 3> axes{"x", "y", "z"};
  const std::string of = " of " + robot.frames[index(frame)].name;
  std::array<Column, 3> is, wanted;
  for (std::size_t k = 0; k < 3; ++k) {
    is[k] = {axes[k], axes[k] + of, "m", "frame"};
    wanted[k] = {axes[k] + std::string("_ref"), axes[k] + of, "m", "frame_ref"};
  }
  Column turned{"turn_error", "rotation" + of, "rad", "turn"};
  Kinematics<double> kinematics(robot);
  for (std::size_t i = 0; i < poses.size(); ++i) {
    kinematics.update(numbers("q", i));
    const Pose<double> pose = kinematics.pose(frame);
    const Vec3<double> rest = rotation_vector(poses[i].R * pose.R.transpose());
    const std::array<double, 3> at{pose.p.x, pose.p.y, pose.p.z}, to{poses[i].p.x, poses[i].p.y, poses[i].p.z};
    for (std::size_t k = 0; k < 3; ++k) is[k].values.push_back(at[k]), wanted[k].values.push_back(to[k]);
    turned.values.push_back(std::sqrt(dot(rest, rest)));
  }
  for (std::size_t k = 0; k < 3; ++k) columns_.push_back(std::move(is[k]));
  for (std::size_t k = 0; k < 3; ++k) columns_.push_back(std::move(wanted[k]));
  if (turns) columns_.push_back(std::move(turned));
}

}  // namespace catena::report

#include "catena/robot.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "catena/validate.hpp"

namespace catena {

int Robot::add_link(std::string link_name, const Inertial& inertial) {
  links.push_back({std::move(link_name), inertial, 0});
  return static_cast<int>(links.size()) - 1;
}

int Robot::add_joint(JointDescription joint) {
  const int count = static_cast<int>(links.size());
  if (joint.parent < 0 || joint.parent >= count || joint.child < 0 || joint.child >= count)
    throw ModelError("joint '" + joint.name + "': parent and child must be links of the robot");
  joints.push_back(std::move(joint));
  return static_cast<int>(joints.size()) - 1;
}

int Robot::add_frame(std::string frame_name, int link, const Pose<double>& pose) {
  if (link < 0 || link >= static_cast<int>(links.size()))
    throw ModelError("frame '" + frame_name + "': its link must be a link of the robot");
  frames.push_back({std::move(frame_name), link, pose, 0});
  return static_cast<int>(frames.size()) - 1;
}

int Robot::link_index(std::string_view link_name) const {
  for (std::size_t k = 0; k < links.size(); ++k)
    if (links[k].name == link_name) return static_cast<int>(k);
  return -1;
}

int Robot::joint_index(std::string_view joint_name) const {
  for (std::size_t k = 0; k < joints.size(); ++k)
    if (joints[k].name == joint_name) return static_cast<int>(k);
  return -1;
}

int Robot::root() const {
  std::vector<bool> is_child(links.size(), false);
  for (const JointDescription& j : joints)
    if (j.child >= 0 && j.child < static_cast<int>(links.size())) is_child[static_cast<std::size_t>(j.child)] = true;
  for (std::size_t k = 0; k < links.size(); ++k)
    if (!is_child[k]) return static_cast<int>(k);
  return -1;
}

std::vector<int> Robot::moving_joints() const {
  std::vector<int> moving;
  for (std::size_t k = 0; k < joints.size(); ++k)
    if (joints[k].moves() && !joints[k].is_coupled() && !joints[k].dependent) moving.push_back(static_cast<int>(k));
  return moving;
}

std::vector<int> Robot::tree_joints() const {
  std::vector<int> moving;
  for (std::size_t k = 0; k < joints.size(); ++k)
    if (joints[k].moves()) moving.push_back(static_cast<int>(k));
  return moving;
}

double Robot::mass() const {
  double total = 0.0;
  for (const LinkDescription& l : links) total += l.inertial.mass;
  return total;
}

std::vector<int> Robot::joints_outward() const {
  const auto at = [](auto& list, int k) -> auto& { return list[static_cast<std::size_t>(k)]; };
  std::vector<std::vector<int>> joints_on(links.size());
  for (std::size_t j = 0; j < joints.size(); ++j) at(joints_on, joints[j].parent).push_back(static_cast<int>(j));
  std::vector<bool> seated(links.size(), false);
  std::vector<int> open, order;
  const auto seat = [&](int link) {
    if (seated[static_cast<std::size_t>(link)]) return;  // only reached twice if the robot is not a tree
    seated[static_cast<std::size_t>(link)] = true;
    open.insert(open.end(), at(joints_on, link).begin(), at(joints_on, link).end());
  };
  if (const int base = root(); base >= 0) seat(base);
  while (!open.empty()) {
    const auto next = std::min_element(open.begin(), open.end(), [&](int a, int b) {
      const bool fixed_a = at(joints, a).type == JointType::fixed, fixed_b = at(joints, b).type == JointType::fixed;
      return fixed_a != fixed_b ? fixed_a : a < b;
    });
    const int j = *next;
    open.erase(next);
    order.push_back(j);
    seat(at(joints, j).child);
  }
  return order;
}

std::string Robot::tool_name() const {
  if (!tool.empty()) return tool;
  std::vector<int> moved_by(links.size(), -1);  // the last moving joint between the base and the link
  std::vector<bool> carries(links.size(), false);
  int last = -1;
  for (const int j : joints_outward()) {
    const JointDescription& joint = joints[static_cast<std::size_t>(j)];
    const int parent = moved_by[static_cast<std::size_t>(joint.parent)];
    carries[static_cast<std::size_t>(joint.parent)] = true;
    moved_by[static_cast<std::size_t>(joint.child)] = joint.type == JointType::fixed ? parent : j;
    if (joint.type != JointType::fixed) last = j;
  }
  for (std::size_t k = links.size(); k-- > 0;)
    if (!carries[k] && moved_by[k] == last) return links[k].name;
  return links.empty() ? "" : links.back().name;
}

Mat3<double> rotation_about(const Vec3<double>& u, double angle) {
  const double c = std::cos(angle), s = std::sin(angle), v = 1.0 - c;
  return {c + v * u.x * u.x,       v * u.x * u.y - s * u.z, v * u.x * u.z + s * u.y,
          v * u.x * u.y + s * u.z, c + v * u.y * u.y,       v * u.y * u.z - s * u.x,
          v * u.x * u.z - s * u.y, v * u.y * u.z + s * u.x, c + v * u.z * u.z};
}

Mat3<double> rotation_from_rpy(const Vec3<double>& rpy) {
  const double cr = std::cos(rpy.x), sr = std::sin(rpy.x);
  const double cp = std::cos(rpy.y), sp = std::sin(rpy.y);
  const double cy = std::cos(rpy.z), sy = std::sin(rpy.z);
  return {cy * cp,
          cy * sp * sr - sy * cr,
          cy * sp * cr + sy * sr,
          sy * cp,
          sy * sp * sr + cy * cr,
          sy * sp * cr - cy * sr,
          -sp,
          cp * sr,
          cp * cr};
}

Vec3<double> rpy_from_rotation(const Mat3<double>& r) {
  const double cp = std::hypot(r.xx, r.yx);
  const double pitch = std::atan2(-r.zx, cp);
  // Yaw first, then the roll that remains without yaw: exact even if pitch is ±90° and only their sum matters.
  const double yaw = cp > 1e-15 ? std::atan2(r.yx, r.xx) : 0.0;
  const double cy = std::cos(yaw), sy = std::sin(yaw);
  const double roll = std::atan2(sy * r.xz - cy * r.yz, cy * r.yy - sy * r.xy);
  return {roll, pitch, yaw};
}

namespace {

Pose<double> screw_z(double angle, double shift) { return {rotation_about({0.0, 0.0, 1.0}, angle), {0.0, 0.0, shift}}; }
Pose<double> screw_x(double angle, double shift) { return {rotation_about({1.0, 0.0, 0.0}, angle), {shift, 0.0, 0.0}}; }

}  // namespace

JointDescription classic_dh(const DhRow& row, JointType type) {
  JointDescription joint;
  joint.type = type;
  joint.origin = screw_z(row.gamma + row.theta, row.epsilon + row.d);
  joint.child_frame = screw_x(row.alpha, row.a);
  joint.row = {DhConvention::classic, row};
  return joint;
}

JointDescription modified_dh(const DhRow& row, JointType type) {
  JointDescription joint;
  joint.type = type;
  joint.origin = screw_z(row.gamma, row.epsilon) * screw_x(row.alpha, row.a) * screw_z(row.theta, row.d);
  joint.row = {DhConvention::modified, row};
  return joint;
}

}  // namespace catena

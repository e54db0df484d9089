#include "robots.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <stdexcept>

#include "formulations/shared/carrier.hpp"
#include "general_robots.hpp"
#include "harness.hpp"

namespace catena::peers {
namespace {

// Where the joint's frame stands in its parent's at q = 0: Rot(z, γ) Rot(x, α) Rot(z, θ).
Mat3<double> rotation_at_zero(const LinkConstants<double>& link) {
  const Vec3<double> x{1, 0, 0}, z{0, 0, 1};
  const auto [ca, sa, cg, sg, turned] = link.tilt;
  const double theta = link.revolute ? link.theta : std::atan2(link.fixed_turn.s, link.fixed_turn.c);
  return rotation_about(z, std::atan2(sg, cg)) * rotation_about(x, std::atan2(sa, ca)) * rotation_about(z, theta);
}

Body body_of(const LinkConstants<double>& link) {
  const Mat3<double> R = rotation_at_zero(link);
  const auto& [p, c, i] = std::tie(link.p_parent_to_link, link.com, link.inertia_com);
  return {link.parent,
          link.revolute,
          {R.xx, R.xy, R.xz, R.yx, R.yy, R.yz, R.zx, R.zy, R.zz},
          {p.x, p.y, p.z},
          link.mass,
          {c.x, c.y, c.z},
          {i.xx, i.yy, i.zz, i.xy, i.xz, i.yz}};
}

Mat3<double> matrix_of(const double (&R)[9]) { return {R[0], R[1], R[2], R[3], R[4], R[5], R[6], R[7], R[8]}; }
Sym3<double> turned(const Mat3<double>& R, const Sym3<double>& K) {
  const Mat3<double> m = R * Mat3<double>{K.xx, K.xy, K.xz, K.xy, K.yy, K.yz, K.xz, K.yz, K.zz} * R.transpose();
  return {m.xx, m.yy, m.zz, m.xy, m.xz, m.yz};
}
// Where the joint stands in a parent frame with other axes.
void turn(const Mat3<double>& R, Body& body) {
  const Mat3<double> m = R * matrix_of(body.R);
  const Vec3<double> p = R * Vec3<double>{body.p[0], body.p[1], body.p[2]};
  const double rows[] = {m.xx, m.xy, m.xz, m.yx, m.yy, m.yz, m.zx, m.zy, m.zz};
  std::copy(std::begin(rows), std::end(rows), body.R);
  body.p[0] = p.x, body.p[1] = p.y, body.p[2] = p.z;
}

Description describe(const std::string& name, const Robot& robot, const std::string& folder) {
  const Mechanism mechanism = make_mechanism(robot, {.rigid = true});
  Description description{
      name,  {}, {mechanism.gravity.x, mechanism.gravity.y, mechanism.gravity.z}, folder + "/" + name + ".toml",
      false, {}};
  for (int i = 0; i < mechanism.joints(); ++i) {
    if (mechanism.link(i).q != i) throw std::logic_error(name + ": the joints are not in the order of q");
    description.bodies.push_back(body_of(mechanism.link(i)));
  }
  save_robot(robot, description.file);
  return description;
}

// A robot on a free base. Its frame there is along the axes of the joints that carry it.
Description describe_free(const std::string& name, const Robot& robot, const std::string& folder) {
  const Mechanism mechanism = make_mechanism(robot, {.rigid = true});
  const Mat3<double> axes_from_link = Carrier<double>(mechanism).link_from_axes.transpose();
  Description description{name, {}, {robot.gravity.x, robot.gravity.y, robot.gravity.z}, folder + "/" + name + ".toml",
                          true, {}};
  LinkConstants<double> base = mechanism.link(base_joints - 1);
  base.com = axes_from_link * base.com;
  base.inertia_com = turned(axes_from_link, base.inertia_com);
  description.base = body_of(base);
  for (int i = base_joints; i < mechanism.joints(); ++i) {
    if (mechanism.link(i).q != i) throw std::logic_error(name + ": the joints are not in the order of q");
    Body body = body_of(mechanism.link(i));
    body.parent -= base_joints;
    if (body.parent < 0) turn(axes_from_link, body);
    description.bodies.push_back(body);
  }
  save_robot(robot, description.file);
  return description;
}

}  // namespace

std::vector<Description> all_robots(const std::string& folder) {
  std::vector<Description> robots;
  for (const char* name : {"ur5", "panda", "iiwa14", "stanford", "puma560"})
    robots.push_back(describe(name, load_robot(find_model(name)), folder));
  for (const int n : {2, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96})
    robots.push_back(describe("chain" + std::to_string(n), bench::general_robot(bench::chain(n)), folder));
  for (const bench::BranchedRobot& branched : bench::branched_robots()) {
    const std::string name(branched.name);
    robots.push_back((branched.free ? describe_free : describe)(name, branched.robot(), folder));
  }
  return robots;
}

Table make_table(const Description& robot) {
  static_assert(state_count == bench::state_count);
  const bench::States states(static_cast<int>(robot.n())), positions(static_cast<int>(robot.positions()));
  Table table{robot.n(), robot.positions(), {}, {}, {}};
  for (std::size_t k = 0; k < state_count; ++k) {
    table.q.insert(table.q.end(), positions.q(k).begin(), positions.q(k).end());
    table.qd.insert(table.qd.end(), states.qd(k).begin(), states.qd(k).end());
    table.x.insert(table.x.end(), states.qdd(k).begin(), states.qdd(k).end());
    if (!robot.free) continue;
    double* quaternion = &table.q[k * table.positions + 3];
    const double length =
        std::hypot(std::hypot(quaternion[0], quaternion[1]), std::hypot(quaternion[2], quaternion[3]));
    for (int i = 0; i < 4; ++i) quaternion[i] /= length;
  }
  return table;
}

}  // namespace catena::peers

#include "robots.hpp"

#include <numeric>
#include <stdexcept>

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

Description describe(const std::string& name, const Robot& robot, const std::string& folder) {
  const Mechanism mechanism = make_mechanism(robot, {.rigid = true});
  Description description{
      name, {}, {mechanism.gravity.x, mechanism.gravity.y, mechanism.gravity.z}, folder + "/" + name + ".toml"};
  for (int i = 0; i < mechanism.joints(); ++i) {
    if (mechanism.link(i).q != i) throw std::logic_error(name + ": the joints are not in the order of q");
    description.bodies.push_back(body_of(mechanism.link(i)));
  }
  save_robot(robot, description.file);
  return description;
}

// A trunk of two joints with four limbs of seven.
std::vector<int> tree_of_30() {
  std::vector<int> parents{0, 1};
  for (int limb = 0; limb < 4; ++limb)
    for (int k = 0; k < 7; ++k) parents.push_back(k == 0 ? 2 : static_cast<int>(parents.size()));
  return parents;
}

}  // namespace

std::vector<Description> all_robots(const std::string& folder) {
  std::vector<Description> robots;
  for (const char* name : {"ur5", "panda", "iiwa14", "stanford", "puma560"})
    robots.push_back(describe(name, load_robot(find_model(name)), folder));
  for (const int n : {2, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96}) {
    std::vector<int> parents(static_cast<std::size_t>(n));
    std::iota(parents.begin(), parents.end(), 0);
    robots.push_back(describe("chain" + std::to_string(n), bench::general_robot(parents), folder));
  }
  robots.push_back(describe("tree30", bench::general_robot(tree_of_30()), folder));
  return robots;
}

Table make_table(std::size_t n) {
  static_assert(state_count == bench::state_count);
  const bench::States states(static_cast<int>(n));
  Table table{n, {}, {}, {}};
  for (std::size_t k = 0; k < state_count; ++k) {
    table.q.insert(table.q.end(), states.q(k).begin(), states.q(k).end());
    table.qd.insert(table.qd.end(), states.qd(k).begin(), states.qd(k).end());
    table.x.insert(table.x.end(), states.qdd(k).begin(), states.qdd(k).end());
  }
  return table;
}

}  // namespace catena::peers

#include "io/sdf_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <deque>
#include <optional>
#include <string>

#include "io/text.hpp"
#include "model/free_base.hpp"

namespace catena::io {
namespace {

constexpr double parallel = 1e-9;  // the sine of the angle between two axes

// A right-handed frame with this z, and this x where one is given.
Mat3<double> frame_along(const Vec3<double>& z, std::optional<Vec3<double>> x = std::nullopt) {
  const double a = std::abs(z.x), b = std::abs(z.y), c = std::abs(z.z);
  const Vec3<double> across = a <= b && a <= c ? Vec3<double>{1.0, 0.0, 0.0}
                              : b <= c         ? Vec3<double>{0.0, 1.0, 0.0}
                                               : Vec3<double>{0.0, 0.0, 1.0};
  const Vec3<double> first = x ? *x : *normalized(cross(across, z));
  return Mat3<double>::from_columns(first, cross(z, first), z);
}

class SdfTree {
 public:
  SdfTree(SdfModel& shared, const SdfFrames& frames, const std::map<int, int>& links,
          const std::vector<SdfJoint>& joints)
      : shared_(shared), robot_(shared.out.robot), frames_(frames), links_(links), joints_(joints) {
    for (const auto& [frame, link] : links_) component_[frame] = frame;
    for (SdfJoint& joint : joints_)
      if (joint.type != "gearbox") edges_.push_back({&joint});
  }

  void connect() {
    choose();
    hold_static_links();
    const int root = free_root();
    if (!shared_.out.findings.ok()) return;
    if (root > 0) edges_.push_back({nullptr, root, 1});
    turn_outward();
    for (const Edge& edge : edges_) emit(edge);
    for (const SdfJoint& joint : joints_)
      if (joint.type == "gearbox") read_gearbox(joint);
    if (root > 0) set_free(robot_, robot_.joints.size() - 1);
  }

 private:
  struct Edge {
    const SdfJoint* joint = nullptr;  // null: the free base
    int root = 0;                     // that it carries
    int direction = 0;                // 1: as in the file, -1: turned round, 0: it closes a loop

    int parent() const { return joint == nullptr ? 0 : joint->parent; }
    int child() const { return joint == nullptr ? root : joint->child; }
  };

  // ---- which joints make the tree ----

  int component(int link) {
    while (component_.at(link) != link) link = component_.at(link) = component_.at(component_.at(link));
    return link;
  }

  // In the order of the file: first those whose child has no parent yet, then those that can be turned round.
  void choose() {
    std::map<int, bool> has_parent;
    for (const bool cut : {false, true})
      for (const bool forward : {true, false})
        for (Edge& edge : edges_) {
          if (edge.direction != 0 || edge.joint->is_cut != cut || (forward && has_parent[edge.child()])) continue;
          const int a = component(edge.parent()), b = component(edge.child());
          if (a == b) continue;
          component_[b] = a;
          edge.direction = 1;
          has_parent[edge.child()] = true;
        }
  }

  void hold_static_links() {
    for (const auto& [frame, link] : links_) {
      if (!frames_.at(frame).is_static || component(frame) == component(0)) continue;
      component_[component(frame)] = component(0);
      SdfJoint held;
      held.frame = frame;
      held.name = unused(frames_.at(frame).name + "_fixed");
      held.type = "fixed";
      held.parent = 0;
      held.child = frame;
      held.origin = frames_.between(0, frame);
      held_.push_back(held);
      edges_.push_back({&held_.back(), 0, 1});
    }
  }

  // The link that is free, 0 where the world holds all. More than one is an error.
  int free_root() {
    std::map<int, int> roots;  // by component: the first link that is not a joint's child
    std::map<int, bool> is_child;
    for (const Edge& edge : edges_)
      if (edge.direction != 0) is_child[edge.child()] = true;
    for (const auto& [frame, link] : links_)
      if (component(frame) != component(0) && !is_child[frame]) roots.try_emplace(component(frame), frame);
    const bool on_world = std::any_of(links_.begin(), links_.end(), [&](const auto& link) {
      return link.first != 0 && component(link.first) == component(0);
    });
    if (roots.empty()) return 0;
    const int root = roots.begin()->second;
    for (const auto& [number, other] : roots) {
      if (!on_world && other == root) continue;
      frames_.element(other).error(
          fmt::format("no joint connects it with {}; a robot must be fixed to the world, or free, as a whole",
                      on_world ? "the world, as others are" : "link " + io::quoted(frames_.at(root).name)));
    }
    return root;
  }

  // From the world outward, over joints of the tree.
  void turn_outward() {
    std::map<int, std::vector<Edge*>> at;
    for (Edge& edge : edges_) {
      if (edge.direction == 0) continue;
      at[edge.parent()].push_back(&edge);
      at[edge.child()].push_back(&edge);
    }
    std::vector<int> next{0};
    std::map<int, bool> reached{{0, true}};
    while (!next.empty()) {
      const int link = next.back();
      next.pop_back();
      for (Edge* edge : at[link]) {
        const int other = edge->parent() == link ? edge->child() : edge->parent();
        if (reached[other]) continue;
        reached[other] = true;
        edge->direction = edge->parent() == link ? 1 : -1;
        if (edge->joint != nullptr && edge->joint->motions.empty()) held_links_[other] = link;
        next.push_back(other);
      }
    }
  }

  // ---- what they become ----

  std::string unused(const std::string& wanted) const {
    std::string name = wanted;
    const auto taken = [&] {
      const auto same = [&](const auto& other) { return other.name == name; };
      return robot_.link_index(name) >= 0 || std::any_of(robot_.frames.begin(), robot_.frames.end(), same) ||
             std::any_of(joints_.begin(), joints_.end(), same);
    };
    while (taken()) name += "_";
    return name;
  }

  void emit(const Edge& edge) {
    if (edge.joint == nullptr) return emit_free(edge);
    if (edge.direction == 0) return emit_loop(*edge.joint);
    emit_joint(*edge.joint, edge.direction < 0);
  }

  // Its position is that in the world.
  void emit_free(const Edge& edge) {
    JointDescription joint;
    joint.name = unused("floating_base");
    joint.parent = 0;
    joint.child = links_.at(edge.root);
    joint.line = frames_.at(edge.root).node->line;
    robot_.joints.push_back(joint);
  }

  // With links without mass between its motions. The inverse of origin * motions(q) * child_frame has the motions in
  // the reverse order about the opposite axes; of a ball, whose angles only say how it is turned, they stay.
  void emit_joint(const SdfJoint& joint, bool reversed) {
    std::vector<SdfMotion> motions = joint.motions;
    if (reversed && joint.type != "ball") {
      std::reverse(motions.begin(), motions.end());
      for (SdfMotion& motion : motions) motion.axis = -motion.axis;
    }
    if (motions.empty()) motions.push_back({joint.name, JointType::fixed});
    int parent = links_.at(reversed ? joint.child : joint.parent);
    for (std::size_t k = 0; k < motions.size(); ++k) {
      const bool last = k + 1 == motions.size();
      JointDescription one;
      one.name = motions[k].name;
      one.type = motions[k].type;
      one.axis = motions[k].axis;
      one.limits = motions[k].limits;
      one.drive = motions[k].drive;
      one.coupling = motions[k].coupling;
      one.line = frames_.at(joint.frame).node->line;
      one.parent = parent;
      if (k == 0) one.origin = reversed ? joint.child_frame.inverse() : joint.origin;
      if (last) {
        one.child = links_.at(reversed ? joint.parent : joint.child);
        one.child_frame = reversed ? joint.origin.inverse() : joint.child_frame;
      } else {
        one.child = parent = robot_.add_link(one.name + "_link");
        robot_.links.back().line = one.line;
      }
      robot_.joints.push_back(one);
    }
  }

  static std::optional<LoopType> loop_type_of(const std::string& type) {
    if (type == "revolute" || type == "continuous") return LoopType::revolute;
    if (type == "prismatic") return LoopType::prismatic;
    if (type == "fixed") return LoopType::fixed;
    if (type == "ball") return LoopType::spherical;
    if (type == "universal" || type == "revolute2") return LoopType::universal;
    return std::nullopt;
  }

  // Where fixed joints of the tree end, seen from a link.
  int held_by(int link) const {
    for (auto above = held_links_.find(link); above != held_links_.end(); above = held_links_.find(link))
      link = above->second;
    return link;
  }

  void emit_loop(const SdfJoint& joint) {
    const SdfElement element = frames_.element(joint.frame);
    if (held_by(joint.parent) == held_by(joint.child)) {
      if (joint.type != "fixed") element.warning("held", "its parent and its child are fixed to each other");
      return;
    }
    const auto type = loop_type_of(joint.type);
    if (!type) return element.refuse(fmt::format("a {} joint that closes a loop", joint.type));
    Mat3<double> R = joint.motions.empty() ? Mat3<double>::identity() : frame_along(joint.motions.front().axis);
    if (*type == LoopType::universal) {
      const Vec3<double>&first = joint.motions[0].axis, &second = joint.motions[1].axis;
      if (std::abs(dot(first, second)) > parallel)
        return element.refuse("a joint that closes a loop and has two axes that are not perpendicular");
      R = frame_along(first, second);
    }
    for (const SdfMotion& motion : joint.motions) {
      if (!motion.coupling.terms.empty()) element.refuse("<mimic> of a joint that closes a loop");
      if (motion.drive.viscous != 0.0 || motion.drive.coulomb != 0.0 || motion.drive.spring != 0.0)
        element.refuse("damping, friction and springs of a joint that closes a loop");
    }
    LoopDescription loop;
    loop.name = joint.name;
    loop.type = *type;
    loop.line = element.node().line;
    const Pose<double> turned{R, {}};
    loop.frames = {add_frame(joint.name + "_1", joint.parent, joint.origin * turned, loop.line),
                   add_frame(joint.name + "_2", joint.child, joint.child_frame.inverse() * turned, loop.line)};
    robot_.loops.push_back(std::move(loop));
  }

  std::string add_frame(const std::string& wanted, int link, const Pose<double>& pose, int line) {
    const std::string name = unused(wanted);
    robot_.add_frame(name, links_.at(link), pose);
    robot_.frames.back().line = line;
    return name;
  }

  // ---- gearboxes ----

  // A joint of the tree that turns `link` on `body`, and the sign of its position about this direction in the world.
  struct Turned {
    std::size_t joint;  // of the robot
    double sign;
  };
  std::optional<Turned> turned(int body, int link, const Vec3<double>& direction) {
    for (const Edge& edge : edges_) {
      if (edge.joint == nullptr || edge.direction == 0 || edge.joint->motions.size() != 1) continue;
      const SdfJoint& joint = *edge.joint;
      const bool forward = joint.parent == body && joint.child == link;
      if (!forward && !(joint.parent == link && joint.child == body)) continue;
      const Vec3<double> axis = frames_.between(0, joint.frame).R * joint.motions[0].axis;
      const Vec3<double> off = cross(axis, direction);
      if (joint.motions[0].type != JointType::revolute || std::hypot(off.x, off.y, off.z) > parallel) continue;
      const double sign = (dot(axis, direction) > 0.0 ? 1.0 : -1.0) * (forward ? 1.0 : -1.0);
      return Turned{static_cast<std::size_t>(robot_.joint_index(joint.name)), sign};
    }
    return std::nullopt;
  }

  // θ₂ = -ratio θ₁: of its parent about <axis>, of its child about <axis2>, both on gearbox_reference_body.
  void read_gearbox(const SdfJoint& joint) {
    const SdfElement element = frames_.element(joint.frame);
    const auto named = element.child("gearbox_reference_body");
    if (!named) return element.error("<joint> has no <gearbox_reference_body>, which a gearbox requires");
    const int found = frames_.named(frames_.at(joint.frame).scope, named->node().text, *named, named->tag());
    if (found < 0) return;
    const int body = frames_.link_of(found);
    const double ratio = element.number("gearbox_ratio", 1.0);
    if (ratio == 0.0) return element.error("<gearbox_ratio> must not be 0");
    const Mat3<double> R = frames_.between(0, joint.frame).R;
    const auto first = turned(body, joint.parent, R * joint.motions[0].axis);
    const auto second = turned(body, joint.child, R * joint.motions[1].axis);
    if (!first || !second || first->joint == second->joint)
      return element.refuse(
          "a gearbox whose parent and child do not each turn on gearbox_reference_body, by one "
          "revolute joint along <axis> and <axis2>");
    JointDescription &a = robot_.joints[first->joint], &b = robot_.joints[second->joint];
    const double factor = -ratio * first->sign / second->sign;
    if (!b.is_coupled())
      b.coupling = {{{a.name, factor}}, 0.0};
    else if (!a.is_coupled())
      a.coupling = {{{b.name, 1.0 / factor}}, 0.0};
    else
      element.refuse("a gearbox between two joints that already follow others");
  }

  SdfModel& shared_;
  Robot& robot_;
  const SdfFrames& frames_;
  const std::map<int, int>& links_;
  std::vector<SdfJoint> joints_;
  std::deque<SdfJoint> held_;
  std::vector<Edge> edges_;
  std::map<int, int> component_;
  std::map<int, int> held_links_;  // on fixed joints: by what
};

}  // namespace

void connect_sdf(SdfModel& shared, const SdfFrames& frames, const std::map<int, int>& links,
                 const std::vector<SdfJoint>& joints) {
  SdfTree(shared, frames, links, joints).connect();
}

}  // namespace catena::io

#include "catena/program.hpp"

#include <optional>
#include <vector>

namespace catena {
namespace {

// Whether the link's axis is parallel to its parent's, and both joints are revolute.
template <class T>
bool joins_parent(const BasicMechanism<T>& robot, int i) {
  const auto& link = robot.link(i);
  if (robot.carried && link.parent < base_joints) return false;  // a moving base keeps its own frame
  return link.parent != base_link && link.revolute && robot.link(link.parent).revolute && !link.tilt.turned &&
         link.tilt.cos_alpha == T(1) && link.tilt.sin_alpha == T(0);
}

Vec3<Expr> turned(const Turn<Expr>& t, const Vec3<Expr>& v) {
  return {t.c * v.x - t.s * v.y, t.s * v.x + t.c * v.y, v.z};
}
Mat3<Expr> turned(const Turn<Expr>& t, const Mat3<Expr>& m) {
  return Mat3<Expr>::from_columns(turned(t, m.column_x()), turned(t, m.column_y()), turned(t, m.column_z()));
}

// Rot(z) E Rot(z)ᵀ. For zero rotation it is E itself, which the general function does not detect.
Sym3<Expr> turned(const Turn<Expr>& t, const Sym3<Expr>& e) {
  return t.s == Expr(0) && t.c == Expr(1) ? e : detail::congruence_z(t.c, t.s, e);
}

// (1): the orientation of a link in its shared frame.
struct Standing {
  Expr angle{}, offset{};  // sum of the q, sum of the constant angles
  Turn<Expr> turn{Expr(1), Expr(0)};
};

}  // namespace

BasicMechanism<Expr> share_parallel_frames(const BasicMechanism<Expr>& robot, std::span<const Expr> q,
                                           SharedFrames shared) {
  BasicMechanism<Expr> out = robot;
  if (shared == SharedFrames::none) return out;
  out.flat = false;
  std::vector<bool> in_group(robot.links.size(), false);
  for (int i = 0; i < robot.joints(); ++i)
    if (joins_parent(robot, i)) in_group[index(i)] = in_group[index(robot.link(i).parent)] = true;
  std::vector<Standing> standings(robot.links.size());
  for (int i = 0; i < robot.joints(); ++i) {
    const auto& link = robot.link(i);
    auto& own = out.links[index(i)];
    const Standing in_parent = link.parent == base_link ? Standing{} : standings[index(link.parent)];
    const bool joins = joins_parent(robot, i);
    Standing& standing = standings[index(i)];
    if (in_group[index(i)] && (joins || shared == SharedFrames::before_first)) {  // (1)
      standing = joins ? in_parent : Standing{};
      standing.angle += q[index(link.q)];
      standing.offset += link.theta;
      standing.turn = sincos_of_sum(standing.angle, standing.offset);
      own.theta = -q[index(link.q)];  // θ + q = 0: the frame does not turn with the joint
    }
    if (!joins && !(in_parent.turn.s == Expr(0))) {  // (2): the parent's rotation comes before the tilt
      const Turn<Expr> first = in_parent.turn;
      const Expr c = link.tilt.cos_gamma, s = link.tilt.sin_gamma;
      own.tilt.cos_gamma = first.c * c - first.s * s;
      own.tilt.sin_gamma = first.s * c + first.c * s;
      own.tilt.turned = true;
    }
    own.p_parent_to_link = turned(in_parent.turn, link.p_parent_to_link);  // (3)
    own.z_in_parent = turned(in_parent.turn, link.z_in_parent);
    own.com = turned(standing.turn, link.com);
    own.inertia_com = turned(standing.turn, link.inertia_com);
    own.pseudo_com = turned(standing.turn, link.pseudo_com);
    own.augmented_moment = turned(standing.turn, link.augmented_moment);
    own.augmented_pseudo = turned(standing.turn, link.augmented_pseudo);
  }
  for (auto& frame : out.frames) {
    if (frame.link == base_link) continue;
    const Turn<Expr>& turn = standings[index(frame.link)].turn;
    frame.in_link = {turned(turn, frame.in_link.R), turned(turn, frame.in_link.p)};
  }
  return out;
}

bool has_parallel_axes(const Mechanism& robot) {
  for (int i = 0; i < robot.joints(); ++i)
    if (joins_parent(robot, i)) return true;
  return false;
}

}  // namespace catena

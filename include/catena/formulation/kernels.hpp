// Shared by several formulations: storage for pairs (link, ancestor), composite bodies, and small functions with known
// zeros left out.
#pragma once

#include <algorithm>
#include <span>

#include "catena/formulation/formulation.hpp"

namespace catena {

// One slot for every pair of a link and one of its ancestors. Slot 0 of a link's row is the link itself, slot k its
// k-th ancestor: slot k + 1 of a child and slot k of its parent refer to the same joint.
template <class Slot>
class AncestorRows {
 public:
  template <class T>
  explicit AncestorRows(const BasicTree<T>& robot)
      : stride_(index(longest_path(robot))), slots_(index(robot.joints()) * stride_) {}
  std::span<Slot> operator[](int i) { return std::span(slots_).subspan(index(i) * stride_, stride_); }

 private:
  std::size_t stride_;
  Array<Slot> slots_;
};

// z of the parent frame, seen in the child frame: Aᵀ z.  2M
template <class K, class S>
constexpr Vec3<S> parent_z_in_child(const K& k, const Turn<S>& t) {
  return {k.sin_alpha * t.s, k.sin_alpha * t.c, S(k.cos_alpha)};
}
// v_child = Aᵀ v_parent for v_parent.z = 0.  6M 2A
template <class K, class S, class V>
constexpr Vec3<S> to_child(const K& k, const Turn<S>& t, const FlatVec3<V>& v_parent) {
  if (k.turned) return to_child(k, t, Vec3<V>{v_parent.x, v_parent.y, V{}});
  const S y = k.cos_alpha * v_parent.y;
  return {t.c * v_parent.x + t.s * y, t.c * y - t.s * v_parent.x, S(-(k.sin_alpha * v_parent.y))};
}
// R A: the orientation of a child, from that of its parent.  24M 12A
template <class K, class S>
constexpr Mat3<S> compose(const Mat3<S>& r, const K& k, const Turn<S>& t) {
  const Vec3<S> x = to_child(k, t, r.row_x()), y = to_child(k, t, r.row_y()), z = to_child(k, t, r.row_z());
  return {x.x, x.y, x.z, y.x, y.y, y.z, z.x, z.y, z.z};
}

// μ a aᵀ, from μ a and a.  6M
template <class S>
constexpr Sym3<S> outer_parallel(const Vec3<S>& scaled, const Vec3<S>& a) {
  return {scaled.x * a.x, scaled.y * a.y, scaled.z * a.z, scaled.x * a.y, scaled.x * a.z, scaled.y * a.z};
}
// Steiner's term of a mass μ at a, from μ a and a.  6M 3A
template <class S>
constexpr Sym3<S> steiner_parallel(const Vec3<S>& scaled, const Vec3<S>& a) {
  const S x = scaled.x * a.x, y = scaled.y * a.y, z = scaled.z * a.z;
  return {y + z, x + z, x + y, -(scaled.x * a.y), -(scaled.x * a.z), -(scaled.y * a.z)};
}
// The moment of inertia about a unit axis k, k · (tr(Ê) 1 - Ê) k, of a pseudo-inertia Ê.  12M 11A
template <class S>
constexpr S moment_about(const Vec3<S>& k, const Sym3<S>& pseudo) {
  return pseudo.trace() - dot(k, pseudo * k);
}
// v · E v.  9M 7A
template <class E, class S>
constexpr S quadratic_form(const Sym3<E>& e, const Vec3<S>& v) {
  const S y = e.xy * v.y + e.xz * v.z, z = e.yz * v.z;
  return (v.x * (e.xx * v.x + (y + y)) + v.y * (e.yy * v.y + (z + z))) + e.zz * (v.z * v.z);
}

// A link and everything attached to it outward, in its frame about its origin.
template <class S>
struct CompositeBody {
  Vec3<S> c;  // first moment
  Sym3<S> J;  // pseudo-inertia
};
// What a composite adds to its parent. The augmented link of the parent already includes the mass at o_i, unless the
// joint slides.
template <class S, class T>
void add_to_parent(const LinkConstants<T>& link, const Turn<S>& turn, const S& q, const CompositeBody<S>& own,
                   CompositeBody<S>& parent) {
  const Vec3<S> s = joint_offset(link, q);
  const Vec3<S> c = to_parent(link.tilt, turn, own.c);
  parent.c += c;
  parent.J += to_parent(link.tilt, turn, own.J) + outer_symmetric(s, c);
  if (link.revolute) return;
  const Vec3<S> slid = link.augmented_mass * s;
  parent.c += slid;
  parent.J += outer_parallel(slid, s);
}

// The upper half of a matrix whose entries are stored by (link, ancestor).
template <class S>
void mirror_to_ancestors(const TreeFor<S>& robot, const MatrixView<S>& M) {
  for (const auto& link : robot.links)
    for (int m = link.parent; m != base_link; m = robot.link(m).parent)
      M(robot.link(m).q, link.q) = M(link.q, robot.link(m).q);
}

}  // namespace catena

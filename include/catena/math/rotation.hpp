// The factored rotation of a normalized link frame, R_parent_from_child = Rot(z, γ) Rot(x, α) Rot(z, θ), applied factor
// by factor: 8M 4A per vector instead of 9M 6A, 16M 15A per symmetric congruence. γ is present only on a second or
// later child of a link (`turned`), where each vector costs one more plane rotation.
#pragma once

#include "catena/math/mat3.hpp"

namespace catena {

// The constant part, which belongs to the link: the orientation of its axis relative to its parent's.
template <class T>
struct Tilt {
  T cos_alpha = T(1), sin_alpha = T(0);
  T cos_gamma = T(1), sin_gamma = T(0);
  bool turned = false;  // γ ≠ 0
};

// The same if no link of the robot is turned: γ costs nothing, not even a branch.
template <class T>
struct PlainTilt {
  T cos_alpha = T(1), sin_alpha = T(0);
  static constexpr T cos_gamma = T(1), sin_gamma = T(0);
  static constexpr bool turned = false;
};

// The variable part: cos θ and sin θ of one joint.
template <class S>
struct Turn {
  S c{}, s{};
};

// Rotates a plane vector (x, y) by the angle of c and s, and back.  4M 2A
// A scalar type may know a cheaper way for a constant angle (Expr does).
template <class R>
struct Plane {
  R x, y;
};
template <class C, class A, class B>
constexpr auto rotate(const C& c, const C& s, const A& x, const B& y) {
  using R = decltype(c * x - s * y);
  return Plane<R>{c * x - s * y, s * x + c * y};
}
template <class C, class A, class B>
constexpr auto rotate_back(const C& c, const C& s, const A& x, const B& y) {
  using R = decltype(c * x + s * y);
  return Plane<R>{c * x + s * y, c * y - s * x};
}

namespace detail {
// Plane congruence E' = Rot(z) E Rot(z)ᵀ, with w = s (E_xx - E_yy) + 2c E_xy.  8M 8A; 7A if the angle is constant
template <class C, class E>
constexpr auto congruence_z(const C& c, const C& s, const Sym3<E>& e) {
  using R = decltype(c * e.xx);
  const R w = s * (e.xx - e.yy) + (c + c) * e.xy;
  const R sw = s * w;
  return Sym3<R>{e.xx - sw, e.yy + sw, R(e.zz), c * w - e.xy, c * e.xz - s * e.yz, s * e.xz + c * e.yz};
}
// Plane congruence E' = Rot(x) E Rot(x)ᵀ: the same with x, y, z -> y, z, x.
template <class C, class E>
constexpr auto congruence_x(const C& c, const C& s, const Sym3<E>& e) {
  using R = decltype(c * e.xx);
  const R w = s * (e.yy - e.zz) + (c + c) * e.yz;
  const R sw = s * w;
  return Sym3<R>{R(e.xx), e.yy - sw, e.zz + sw, c * e.xy - s * e.xz, s * e.xy + c * e.xz, c * w - e.yz};
}
// The rotated 2x2 block of a general matrix is the old one plus [-t, w; w, t].  6M 8A
template <class S>
struct Block {
  S xx, xy, yx, yy;
};
template <class C, class S>
constexpr Block<S> turn_block(const C& c, const C& s, const Block<S>& b) {
  const S difference = b.xx - b.yy, sum = b.xy + b.yx;
  const S t = s * (s * difference + c * sum), w = s * (c * difference - s * sum);
  return {b.xx - t, b.xy + w, b.yx + w, b.yy + t};
}
template <class C, class S>
constexpr Mat3<S> congruence_z(const C& c, const C& s, const Mat3<S>& m) {  // 14M 12A
  const Block<S> b = turn_block(c, s, Block<S>{m.xx, m.xy, m.yx, m.yy});
  return {b.xx, b.xy, c * m.xz - s * m.yz, b.yx, b.yy, s * m.xz + c * m.yz, c * m.zx - s * m.zy, s * m.zx + c * m.zy,
          m.zz};
}
template <class C, class S>
constexpr Mat3<S> congruence_x(const C& c, const C& s, const Mat3<S>& m) {  // 14M 12A
  const Block<S> b = turn_block(c, s, Block<S>{m.yy, m.yz, m.zy, m.zz});
  return {m.xx, c * m.xy - s * m.xz, s * m.xy + c * m.xz, c * m.yx - s * m.zx, b.xx, b.xy, s * m.yx + c * m.zx, b.yx,
          b.yy};
}
}  // namespace detail

// v_parent = R_parent_from_child v_child.  8M 4A
template <class K, class S, class V>
constexpr auto to_parent(const K& k, const Turn<S>& t, const Vec3<V>& v) {
  using R = decltype(t.c * v.x);
  const R x = t.c * v.x - t.s * v.y;
  const R y = t.s * v.x + t.c * v.y;
  const Plane<R> yz = rotate(k.cos_alpha, k.sin_alpha, y, v.z);
  if (!k.turned) return Vec3<R>{x, yz.x, yz.y};
  const Plane<R> xy = rotate(k.cos_gamma, k.sin_gamma, x, yz.x);
  return Vec3<R>{xy.x, xy.y, yz.y};
}
// The same for a vector whose z is known to be zero.  6M 2A
template <class K, class S, class V>
constexpr auto to_parent(const K& k, const Turn<S>& t, const FlatVec3<V>& v) {
  using R = decltype(t.c * v.x);
  const R x = t.c * v.x - t.s * v.y;
  const R y = t.s * v.x + t.c * v.y;
  const R y2 = k.cos_alpha * y;
  const R z2 = k.sin_alpha * y;
  if (!k.turned) return Vec3<R>{x, y2, z2};
  return Vec3<R>{k.cos_gamma * x - k.sin_gamma * y2, k.sin_gamma * x + k.cos_gamma * y2, z2};
}
// If only x and y of the result are needed (6M 3A), or only z (4M 2A; γ does not change it).
template <class K, class S, class V>
constexpr auto to_parent_xy(const K& k, const Turn<S>& t, const Vec3<V>& v) {
  using R = decltype(t.c * v.x);
  const R x = t.c * v.x - t.s * v.y;
  const R y = k.cos_alpha * (t.s * v.x + t.c * v.y) - k.sin_alpha * v.z;
  if (!k.turned) return FlatVec3<R>{x, y};
  return FlatVec3<R>{k.cos_gamma * x - k.sin_gamma * y, k.sin_gamma * x + k.cos_gamma * y};
}
template <class K, class S, class V>
constexpr auto to_parent_z(const K& k, const Turn<S>& t, const Vec3<V>& v) {
  return k.sin_alpha * (t.s * v.x + t.c * v.y) + k.cos_alpha * v.z;
}
// v_child = R_child_from_parent v_parent.  8M 4A
template <class K, class S, class V>
constexpr auto to_child(const K& k, const Turn<S>& t, const Vec3<V>& v_parent) {
  using R = decltype(t.c * v_parent.x);
  Vec3<R> v = static_cast<Vec3<R>>(v_parent);
  if (k.turned) {
    const auto xy = rotate_back(k.cos_gamma, k.sin_gamma, v_parent.x, v_parent.y);
    v.x = R(xy.x);
    v.y = R(xy.y);
  }
  const Plane<R> yz = rotate_back(k.cos_alpha, k.sin_alpha, v.y, v.z);
  return Vec3<R>{t.c * v.x + t.s * yz.x, t.c * yz.x - t.s * v.x, yz.y};
}
// The same without a tilt: for a link whose axis is its parent's z.  4M 2A
template <class S, class V>
constexpr auto to_child(const Turn<S>& t, const Vec3<V>& v) {
  using R = decltype(t.c * v.x);
  return Vec3<R>{t.c * v.x + t.s * v.y, t.c * v.y - t.s * v.x, R(v.z)};
}
// v_child for v_parent = (0, 0, z), which γ does not change.  4M
template <class K, class S>
constexpr Vec3<S> z_to_child(const K& k, const Turn<S>& t, const S& z) {
  const S across = k.sin_alpha * z;
  return {t.s * across, t.c * across, k.cos_alpha * z};
}
// E_parent = R E_child Rᵀ for symmetric E.  16M 15A
template <class K, class S, class V>
constexpr auto to_parent(const K& k, const Turn<S>& t, const Sym3<V>& e) {
  const auto in_parent = detail::congruence_x(k.cos_alpha, k.sin_alpha, detail::congruence_z(t.c, t.s, e));
  if (!k.turned) return in_parent;
  return detail::congruence_z(k.cos_gamma, k.sin_gamma, in_parent);
}
// The same for any matrix.  28M 24A
template <class K, class S>
constexpr Mat3<S> to_parent(const K& k, const Turn<S>& t, const Mat3<S>& m) {
  const Mat3<S> in_parent = detail::congruence_x(k.cos_alpha, k.sin_alpha, detail::congruence_z(t.c, t.s, m));
  if (!k.turned) return in_parent;
  return detail::congruence_z(k.cos_gamma, k.sin_gamma, in_parent);
}
// Only its zz entry.  7M 7A
template <class K, class S, class V>
constexpr auto to_parent_zz(const K& k, const Turn<S>& t, const Sym3<V>& e) {
  const auto yy = e.yy + t.s * (t.s * (e.xx - e.yy) + (t.c + t.c) * e.xy);
  const auto yz = t.s * e.xz + t.c * e.yz;
  const auto two_sc = k.sin_alpha * (k.cos_alpha + k.cos_alpha);
  return e.zz + ((k.sin_alpha * k.sin_alpha) * (yy - e.zz) + two_sc * yz);
}
template <class K, class S>
constexpr S to_parent_zz(const K& k, const Turn<S>& t, const Mat3<S>& m) {  // 10M 8A
  const S yy = m.yy + t.s * (t.s * (m.xx - m.yy) + t.c * (m.xy + m.yx));
  const S across = t.s * (m.xz + m.zx) + t.c * (m.yz + m.zy);
  return m.zz + ((k.sin_alpha * k.sin_alpha) * (yy - m.zz) + (k.sin_alpha * k.cos_alpha) * across);
}
// The rotation as a matrix, for kinematics.
template <class T, class S>
constexpr Mat3<S> matrix(const Tilt<T>& k, const Turn<S>& t) {
  const Vec3<S> x{t.c, k.cos_alpha * t.s, k.sin_alpha * t.s};
  const Vec3<S> y{-t.s, k.cos_alpha * t.c, k.sin_alpha * t.c};
  const Vec3<S> z{S(T(0)), S(-k.sin_alpha), S(k.cos_alpha)};
  Mat3<S> r = Mat3<S>::from_columns(x, y, z);
  if (!k.turned) return r;
  const Mat3<T> turn{k.cos_gamma, -k.sin_gamma, T(0), k.sin_gamma, k.cos_gamma, T(0), T(0), T(0), T(1)};
  return turn * r;
}

}  // namespace catena

// The inertia of a link with everything beyond it, where the joints beyond are free to move, and the steps of the
// recursions: release the link's own joint, rotate to the parent's frame, move to the parent's origin. Equations
// (A1)-(A6): docs/equations/articulated_body.md. Always inlined, whatever their size: a call would pass all 21 numbers
// through memory.
#pragma once

#include "catena/formulation/shape.hpp"
#include "catena/math/pose.hpp"
#include "catena/math/rotation.hpp"

namespace catena {

// (A1) Moment n about the origin and force f needed for an acceleration (α, a): n = I α + H a, f = Hᵀ α + M a.
template <class S>
struct ArticulatedInertia {
  Sym3<S> I;
  Mat3<S> H;
  Sym3<S> M;

  constexpr ArticulatedInertia& operator+=(const ArticulatedInertia& b) {
    I += b.I;
    H += b.H;
    M += b.M;
    return *this;
  }
  template <class U>
  constexpr explicit operator ArticulatedInertia<U>() const {
    return {static_cast<Sym3<U>>(I), static_cast<Mat3<U>>(H), static_cast<Sym3<U>>(M)};
  }
};

// What passes a free revolute joint without a rotor: no moment about z, so that the z row and column of I and the z row
// of H are zero and not stored.
template <class S>
struct RevoluteRest {
  S I_xx, I_yy, I_xy;
  Vec3<S> H_x, H_y;  // rows
  Sym3<S> M;
};

// (A1) for a joint along z.

// The wrench for a unit acceleration of the joint: a column of A.
template <class S>
constexpr Wrench<S> along_z(bool revolute, const ArticulatedInertia<S>& A) {
  if (revolute) return {A.H.row_z(), A.I.column_z()};
  return {A.M.column_z(), A.H.column_z()};
}
// The wrench for an acceleration (x, y) of the same kind across the axis.  12M 6A
template <class S>
constexpr Wrench<S> across_z(bool revolute, const ArticulatedInertia<S>& A, const S& x, const S& y) {
  if (revolute) return {x * A.H.row_x() + y * A.H.row_y(), x * A.I.column_x() + y * A.I.column_y()};
  return {x * A.M.column_x() + y * A.M.column_y(), x * A.H.column_x() + y * A.H.column_y()};
}

// (A2) Rigid bodies.

// A += a body with first moment u, pseudo-inertia K about the same origin and no mass: I += tr(K) 1 - K, H += u~.
template <class S, class T>
constexpr void add_moments(ArticulatedInertia<S>& A, const Vec3<T>& u, const Sym3<T>& K) {
  A.I += inertia_from_pseudo(K);
  A.H.xy -= u.z, A.H.xz += u.y, A.H.yz -= u.x;
  A.H.yx += u.z, A.H.zx -= u.y, A.H.zy += u.x;
}
template <class S, class T>
constexpr void add_moments(ArticulatedInertia<S>& A, const FlatVec3<T>& u, const FlatSym3<T>& K) {
  A.I.xx += K.yy, A.I.yy += K.xx, A.I.zz += K.xx + K.yy;
  A.I.xy -= K.xy, A.I.xz -= K.xz, A.I.yz -= K.yz;
  A.H.xz += u.y, A.H.yz -= u.x, A.H.zx -= u.y, A.H.zy += u.x;
}
template <class S, class T>
constexpr void add_mass(ArticulatedInertia<S>& A, const T& mass) {
  A.M.xx += mass, A.M.yy += mass, A.M.zz += mass;
}

// Adds an augmented link. The mass that its parent already includes is left out, unless the link slides.
template <class Shape, class S, class T>
constexpr void add_link(ArticulatedInertia<S>& A, const LinkConstants<T>& link) {
  add_moments(A, Shape::moment(link), Shape::pseudo(link));
  if (!Shape::revolute(link)) add_mass(A, link.augmented_mass);
}

// (A3) The joint is released.

// A - U Uᵀ / d with U = along_z and k = U / d, for any joint.  21M 21A
template <class S>
[[gnu::always_inline]] constexpr void give_way(ArticulatedInertia<S>& A, const Wrench<S>& U, const Wrench<S>& k) {
  const auto &n = U.moment, &f = U.force, &kn = k.moment, &kf = k.force;
  A.I.xx -= kn.x * n.x, A.I.yy -= kn.y * n.y, A.I.zz -= kn.z * n.z;
  A.I.xy -= kn.x * n.y, A.I.xz -= kn.x * n.z, A.I.yz -= kn.y * n.z;
  A.H.xx -= kn.x * f.x, A.H.xy -= kn.x * f.y, A.H.xz -= kn.x * f.z;
  A.H.yx -= kn.y * f.x, A.H.yy -= kn.y * f.y, A.H.yz -= kn.y * f.z;
  A.H.zx -= kn.z * f.x, A.H.zy -= kn.z * f.y, A.H.zz -= kn.z * f.z;
  A.M.xx -= kf.x * f.x, A.M.yy -= kf.y * f.y, A.M.zz -= kf.z * f.z;
  A.M.xy -= kf.x * f.y, A.M.xz -= kf.x * f.z, A.M.yz -= kf.y * f.z;
}
// The same for a revolute joint without a rotor, about a point on its axis: U is the z column.  15M 15A
template <class S>
[[gnu::always_inline]] constexpr RevoluteRest<S> give_way_about_axis(const ArticulatedInertia<S>& A,
                                                                     const Wrench<S>& k) {
  const auto& [I, H, M] = A;
  const auto& [kf, kn] = k;
  const Vec3<S> Uf = H.row_z();
  return {I.xx - kn.x * I.xz,
          I.yy - kn.y * I.yz,
          I.xy - kn.x * I.yz,
          {H.xx - kn.x * Uf.x, H.xy - kn.x * Uf.y, H.xz - kn.x * Uf.z},
          {H.yx - kn.y * Uf.x, H.yy - kn.y * Uf.y, H.yz - kn.y * Uf.z},
          {M.xx - kf.x * Uf.x, M.yy - kf.y * Uf.y, M.zz - kf.z * Uf.z, M.xy - kf.x * Uf.y, M.xz - kf.x * Uf.z,
           M.yz - kf.y * Uf.z}};
}

// (A4) Rotation. Symmetric blocks rotate as in math/rotation.hpp.

namespace detail {
template <class K, class S>
constexpr void turn_by_gamma(const K& k, ArticulatedInertia<S>& A) {
  if (!k.turned) return;
  A = {congruence_z(k.cos_gamma, k.sin_gamma, A.I), congruence_z(k.cos_gamma, k.sin_gamma, A.H),
       congruence_z(k.cos_gamma, k.sin_gamma, A.M)};
}
}  // namespace detail

// Everything in the parent's axes, still about o_i.  60M 56A
template <class K, class S>
[[gnu::always_inline]] constexpr ArticulatedInertia<S> to_parent(const K& k, const Turn<S>& t,
                                                                 const ArticulatedInertia<S>& A) {
  using namespace detail;
  ArticulatedInertia<S> out{congruence_x(k.cos_alpha, k.sin_alpha, congruence_z(t.c, t.s, A.I)),
                            congruence_x(k.cos_alpha, k.sin_alpha, congruence_z(t.c, t.s, A.H)),
                            congruence_x(k.cos_alpha, k.sin_alpha, congruence_z(t.c, t.s, A.M))};
  turn_by_gamma(k, out);
  return out;
}
// 51M 37A
template <class K, class S>
[[gnu::always_inline]] constexpr ArticulatedInertia<S> to_parent(const K& k, const Turn<S>& t,
                                                                 const RevoluteRest<S>& rest) {
  using namespace detail;
  const auto &ca = k.cos_alpha, &sa = k.sin_alpha;
  const S w = t.s * (rest.I_xx - rest.I_yy) + (t.c + t.c) * rest.I_xy, sw = t.s * w;
  const S yy = rest.I_yy + sw, xy = t.c * w - rest.I_xy, c_yy = ca * yy;
  const Block<S> b = turn_block(t.c, t.s, Block<S>{rest.H_x.x, rest.H_x.y, rest.H_y.x, rest.H_y.y});
  const S xz = t.c * rest.H_x.z - t.s * rest.H_y.z, yz = t.s * rest.H_x.z + t.c * rest.H_y.z;
  const S y_y = ca * b.yy - sa * yz, y_z = sa * b.yy + ca * yz;
  ArticulatedInertia<S> out{
      {rest.I_xx - sw, ca * c_yy, sa * (sa * yy), ca * xy, sa * xy, sa * c_yy},
      {b.xx, ca * b.xy - sa * xz, sa * b.xy + ca * xz, ca * b.yx, ca * y_y, ca * y_z, sa * b.yx, sa * y_y, sa * y_z},
      congruence_x(ca, sa, congruence_z(t.c, t.s, rest.M))};
  turn_by_gamma(k, out);
  return out;
}

// (A5) Moving the origin.

// From a point p away (p from the new origin to the old): H' = H + p~ M, I' = I + p~ Hᵀ + (p~ H'ᵀ)ᵀ.  36M 42A
template <class S, class V>
[[gnu::always_inline]] constexpr void move_origin(ArticulatedInertia<S>& A, const Vec3<V>& p) {
  auto& [I, H, M] = A;
  const Mat3<S> G{(H.xx + p.y * M.xz) - p.z * M.xy, (H.xy + p.y * M.yz) - p.z * M.yy, (H.xz + p.y * M.zz) - p.z * M.yz,
                  (H.yx + p.z * M.xx) - p.x * M.xz, (H.yy + p.z * M.xy) - p.x * M.yz, (H.yz + p.z * M.xz) - p.x * M.zz,
                  (H.zx + p.x * M.xy) - p.y * M.xx, (H.zy + p.x * M.yy) - p.y * M.xy, (H.zz + p.x * M.yz) - p.y * M.xz};
  I.xx = (I.xx + p.y * (H.xz + G.xz)) - p.z * (H.xy + G.xy);
  I.yy = (I.yy + p.z * (H.yx + G.yx)) - p.x * (H.yz + G.yz);
  I.zz = (I.zz + p.x * (H.zy + G.zy)) - p.y * (H.zx + G.zx);
  I.xy = (((I.xy + p.y * H.yz) - p.z * H.yy) + p.z * G.xx) - p.x * G.xz;
  I.xz = (((I.xz + p.y * H.zz) - p.z * H.zy) + p.x * G.xy) - p.y * G.xx;
  I.yz = (((I.yz + p.z * H.zx) - p.x * H.zz) + p.x * G.yy) - p.y * G.yx;
  H = G;
}
// The same with p.z = 0.  24M 28A
template <class S, class T>
[[gnu::always_inline]] constexpr void move_origin(ArticulatedInertia<S>& A, const FlatVec3<T>& p) {
  auto& [I, H, M] = A;
  const Mat3<S> G{H.xx + p.y * M.xz,
                  H.xy + p.y * M.yz,
                  H.xz + p.y * M.zz,
                  H.yx - p.x * M.xz,
                  H.yy - p.x * M.yz,
                  H.yz - p.x * M.zz,
                  (H.zx + p.x * M.xy) - p.y * M.xx,
                  (H.zy + p.x * M.yy) - p.y * M.xy,
                  (H.zz + p.x * M.yz) - p.y * M.xz};
  I.xx = I.xx + p.y * (H.xz + G.xz);
  I.yy = I.yy - p.x * (H.yz + G.yz);
  I.zz = (I.zz + p.x * (H.zy + G.zy)) - p.y * (H.zx + G.zx);
  I.xy = (I.xy + p.y * H.yz) - p.x * G.xz;
  I.xz = ((I.xz + p.y * H.zz) + p.x * G.xy) - p.y * G.xx;
  I.yz = ((I.yz - p.x * H.zz) + p.x * G.yy) - p.y * G.yx;
  H = G;
}

// (A3)-(A5) What A adds to the parent, in its frame about its origin; s from there to o_i. A is overwritten.
template <class Shape, class S, class T, class Offset>
[[gnu::always_inline]] constexpr ArticulatedInertia<S> felt_by_parent(const LinkConstants<T>& link, const T& rotor,
                                                                      const Turn<S>& turn, const Offset& s,
                                                                      const Wrench<S>& U, const Wrench<S>& k,
                                                                      ArticulatedInertia<S>& A) {
  ArticulatedInertia<S> felt;
  if (Shape::revolute(link) && rotor == T(0)) {
    felt = to_parent(Shape::tilt(link), turn, give_way_about_axis(A, k));
  } else {
    give_way(A, U, k);
    felt = to_parent(Shape::tilt(link), turn, A);
  }
  move_origin(felt, s);
  return felt;
}

// (A4), (A5) The same for a joint with a given acceleration, which is not released.
template <class Shape, class S, class T, class Offset>
[[gnu::always_inline]] constexpr ArticulatedInertia<S> borne_by_parent(const LinkConstants<T>& link,
                                                                       const Turn<S>& turn, const Offset& s,
                                                                       const ArticulatedInertia<S>& A) {
  ArticulatedInertia<S> borne = to_parent(Shape::tilt(link), turn, A);
  move_origin(borne, s);
  return borne;
}

// (A6) What a rotating link needs while nothing accelerates.

// ω~ω~ = ω ωᵀ - (ω·ω) 1.  6M 3A
template <class S>
constexpr Sym3<S> centrifugal_tensor(const Vec3<S>& w) {
  const S xx = w.x * w.x, yy = w.y * w.y, zz = w.z * w.z;
  return {-(yy + zz), -(xx + zz), -(xx + yy), w.x * w.y, w.x * w.z, w.y * w.z};
}
// The force of a first moment, (ω~ω~) u, is a product; the moment of a pseudo-inertia is Euler's equation with ω̇ = 0.
// 12M 12A
template <class S, class T>
constexpr Vec3<S> centrifugal_moment(const Sym3<S>& o, const Sym3<T>& k) {
  return {o.xz * k.xy - o.xy * k.xz + (o.zz - o.yy) * k.yz + o.yz * (k.yy - k.zz),
          o.xy * k.yz - o.yz * k.xy + (o.xx - o.zz) * k.xz + o.xz * (k.zz - k.xx),
          o.yz * k.xz - o.xz * k.yz + (o.yy - o.xx) * k.xy + o.xy * (k.xx - k.yy)};
}
template <class S, class T>
constexpr Vec3<S> centrifugal_moment(const Sym3<S>& o, const FlatSym3<T>& k) {
  return {o.xz * k.xy - o.xy * k.xz + (o.zz - o.yy) * k.yz + o.yz * k.yy,
          o.xy * k.yz - o.yz * k.xy + (o.xx - o.zz) * k.xz - o.xz * k.xx,
          o.yz * k.xz - o.xz * k.yz + (o.yy - o.xx) * k.xy + o.xy * (k.xx - k.yy)};
}
template <class S, class T>
constexpr Vec3<S> operator*(const Sym3<S>& m, const FlatVec3<T>& v) {  // 6M 3A
  return {m.xx * v.x + m.xy * v.y, m.xy * v.x + m.yy * v.y, m.xz * v.x + m.yz * v.y};
}
// v + b x p
template <class S, class T>
constexpr Vec3<S> add_cross(const Vec3<S>& v, const Vec3<S>& b, const FlatVec3<T>& p) {  // 4M 4A
  return {v.x - b.z * p.y, v.y + b.z * p.x, (v.z + b.x * p.y) - b.y * p.x};
}

}  // namespace catena

// 3x3 matrices, general (Mat3) and symmetric (Sym3), with the operations of the recursions written out entry by entry.
#pragma once

#include "catena/math/vec3.hpp"

namespace catena {

template <class T>
struct Mat3 {
  T xx{}, xy{}, xz{}, yx{}, yy{}, yz{}, zx{}, zy{}, zz{};

  static constexpr Mat3 identity() { return {T(1), T(0), T(0), T(0), T(1), T(0), T(0), T(0), T(1)}; }
  static constexpr Mat3 from_rows(const Vec3<T>& a, const Vec3<T>& b, const Vec3<T>& c) {
    return {a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z};
  }
  static constexpr Mat3 from_columns(const Vec3<T>& a, const Vec3<T>& b, const Vec3<T>& c) {
    return {a.x, b.x, c.x, a.y, b.y, c.y, a.z, b.z, c.z};
  }
  constexpr Mat3 transpose() const { return {xx, yx, zx, xy, yy, zy, xz, yz, zz}; }
  constexpr Vec3<T> column_x() const { return {xx, yx, zx}; }
  constexpr Vec3<T> column_y() const { return {xy, yy, zy}; }
  constexpr Vec3<T> column_z() const { return {xz, yz, zz}; }
  constexpr Vec3<T> row_x() const { return {xx, xy, xz}; }
  constexpr Vec3<T> row_y() const { return {yx, yy, yz}; }
  constexpr Vec3<T> row_z() const { return {zx, zy, zz}; }

  template <class U>
  constexpr Mat3& operator+=(const Mat3<U>& b) {
    xx += b.xx, xy += b.xy, xz += b.xz;
    yx += b.yx, yy += b.yy, yz += b.yz;
    zx += b.zx, zy += b.zy, zz += b.zz;
    return *this;
  }
  template <class U>
  constexpr explicit operator Mat3<U>() const {
    return {U(xx), U(xy), U(xz), U(yx), U(yy), U(yz), U(zx), U(zy), U(zz)};
  }
  friend bool operator==(const Mat3&, const Mat3&) = default;
};

template <class A, class B>
constexpr auto operator*(const Mat3<A>& m, const Vec3<B>& v) {  // 9M 6A
  return Vec3<decltype(m.xx * v.x)>{m.xx * v.x + m.xy * v.y + m.xz * v.z, m.yx * v.x + m.yy * v.y + m.yz * v.z,
                                    m.zx * v.x + m.zy * v.y + m.zz * v.z};
}
template <class A, class B>
constexpr auto operator*(const Mat3<A>& a, const Mat3<B>& b) {
  using R = decltype(a.xx * b.xx);
  return Mat3<R>::from_columns(a * b.column_x(), a * b.column_y(), a * b.column_z());
}

template <class T>
struct Sym3 {
  T xx{}, yy{}, zz{}, xy{}, xz{}, yz{};

  constexpr T trace() const { return xx + yy + zz; }
  static constexpr Sym3 diagonal(const T& a, const T& b, const T& c) { return {a, b, c, T(0), T(0), T(0)}; }
  constexpr Mat3<T> full() const { return {xx, xy, xz, xy, yy, yz, xz, yz, zz}; }
  constexpr Vec3<T> column_x() const { return {xx, xy, xz}; }
  constexpr Vec3<T> column_y() const { return {xy, yy, yz}; }
  constexpr Vec3<T> column_z() const { return {xz, yz, zz}; }

  template <class U>
  constexpr Sym3& operator+=(const Sym3<U>& b) {
    xx += b.xx, yy += b.yy, zz += b.zz;
    xy += b.xy, xz += b.xz, yz += b.yz;
    return *this;
  }
  template <class U>
  constexpr Sym3& operator-=(const Sym3<U>& b) {
    xx -= b.xx, yy -= b.yy, zz -= b.zz;
    xy -= b.xy, xz -= b.xz, yz -= b.yz;
    return *this;
  }
  template <class U>
  constexpr explicit operator Sym3<U>() const {
    return {U(xx), U(yy), U(zz), U(xy), U(xz), U(yz)};
  }
  friend bool operator==(const Sym3&, const Sym3&) = default;
};

template <class A, class B>
constexpr auto operator+(const Sym3<A>& a, const Sym3<B>& b) {
  return Sym3<decltype(a.xx + b.xx)>{a.xx + b.xx, a.yy + b.yy, a.zz + b.zz, a.xy + b.xy, a.xz + b.xz, a.yz + b.yz};
}
template <class A, class B>
constexpr auto operator-(const Sym3<A>& a, const Sym3<B>& b) {
  return Sym3<decltype(a.xx - b.xx)>{a.xx - b.xx, a.yy - b.yy, a.zz - b.zz, a.xy - b.xy, a.xz - b.xz, a.yz - b.yz};
}
template <class K, class A>
constexpr auto operator*(const K& k, const Sym3<A>& a) -> Sym3<decltype(k * a.xx)> {
  return {k * a.xx, k * a.yy, k * a.zz, k * a.xy, k * a.xz, k * a.yz};
}
template <class A, class B>
constexpr auto operator*(const Sym3<A>& m, const Vec3<B>& v) {  // 9M 6A
  return Vec3<decltype(m.xx * v.x)>{m.xx * v.x + m.xy * v.y + m.xz * v.z, m.xy * v.x + m.yy * v.y + m.yz * v.z,
                                    m.xz * v.x + m.yz * v.y + m.zz * v.z};
}

// a bᵀ + b aᵀ
template <class A, class B>
constexpr auto outer_symmetric(const Vec3<A>& a, const Vec3<B>& b) {
  using R = decltype(a.x * b.x);
  const R xx = a.x * b.x, yy = a.y * b.y, zz = a.z * b.z;
  return Sym3<R>{xx + xx, yy + yy, zz + zz, a.x * b.y + a.y * b.x, a.x * b.z + a.z * b.x, a.y * b.z + a.z * b.y};
}
// a aᵀ
template <class A>
constexpr Sym3<A> outer(const Vec3<A>& a) {
  return {a.x * a.x, a.y * a.y, a.z * a.z, a.x * a.y, a.x * a.z, a.y * a.z};
}
// Steiner's term -ãã = (a.a) 1 - a aᵀ: the inertia of a unit point mass at a.
template <class A>
constexpr Sym3<A> steiner(const Vec3<A>& a) {
  const A x = a.x * a.x, y = a.y * a.y, z = a.z * a.z;
  return {y + z, x + z, x + y, -(a.x * a.y), -(a.x * a.z), -(a.y * a.z)};
}
// Pseudo-inertia Î = ½ tr(I) 1 - I: the second-moment matrix of the mass distribution.
template <class A>
constexpr Sym3<A> pseudo_inertia(const Sym3<A>& i) {
  const A half = A(0.5) * i.trace();
  return {half - i.xx, half - i.yy, half - i.zz, -i.xy, -i.xz, -i.yz};
}
// The inverse map: I = tr(Î) 1 - Î.
template <class A>
constexpr Sym3<A> inertia_from_pseudo(const Sym3<A>& p) {
  const A trace = p.trace();
  return {trace - p.xx, trace - p.yy, trace - p.zz, -p.xy, -p.xz, -p.yz};
}
// Congruence with a constant rotation, R E Rᵀ, by plain products: for building models, not for sweeps.
template <class A>
constexpr Sym3<A> congruence(const Mat3<A>& r, const Sym3<A>& e) {
  const Mat3<A> m = r * e.full() * r.transpose();
  const A h = A(0.5);
  return {m.xx, m.yy, m.zz, h * (m.xy + m.yx), h * (m.xz + m.zx), h * (m.yz + m.zy)};
}

// Ω = ω̇~ + ω~ω~, the angular acceleration tensor.  6M 9A
template <class S>
constexpr Mat3<S> angular_acceleration_tensor(const Vec3<S>& w, const Vec3<S>& wd) {
  const S xx = w.x * w.x, yy = w.y * w.y, zz = w.z * w.z;
  const S xy = w.x * w.y, xz = w.x * w.z, yz = w.y * w.z;
  return {-(yy + zz), xy - wd.z, xz + wd.y, xy + wd.z, -(xx + zz), yz - wd.x, xz - wd.y, yz + wd.x, -(xx + yy)};
}
// The same from ω and ω̇ before a joint adds its rate about z: the mixed entries cost 4M 5A, and each sum has its own
// product to fuse with. With the updated ω̇ that would be 2M 2A for ω̇ and 2M 4A in the form above.
template <class S>
constexpr Mat3<S> angular_acceleration_tensor(const Vec3<S>& before, const Vec3<S>& before_dot, const S& rate,
                                              const S& acceleration) {
  const S &x = before.x, &y = before.y;
  const S z = before.z + rate, further = z + rate, wd_z = before_dot.z + acceleration;
  const S xx = x * x, yy = y * y, zz = z * z, xy = x * y;
  return {-(yy + zz),
          xy - wd_z,
          x * before.z + before_dot.y,
          xy + wd_z,
          -(xx + zz),
          y * before.z - before_dot.x,
          x * further - before_dot.y,
          y * further + before_dot.x,
          -(xx + yy)};
}
// Euler's equation in tensor form: μ = dual(Ω K̂ - (Ω K̂)ᵀ), K̂ a pseudo-inertia.  15M 15A
template <class S, class T>
constexpr Vec3<S> euler_moment(const Mat3<S>& o, const Sym3<T>& k) {
  return {o.zx * k.xy - o.yx * k.xz + (o.zz - o.yy) * k.yz + o.zy * k.yy - o.yz * k.zz,
          o.xy * k.yz - o.zy * k.xy + (o.xx - o.zz) * k.xz + o.xz * k.zz - o.zx * k.xx,
          o.yz * k.xz - o.xz * k.yz + (o.yy - o.xx) * k.xy + o.yx * k.xx - o.xy * k.yy};
}

// a~ K for symmetric K.  15M 9A: the diagonal entries share products
template <class S, class T>
constexpr auto cross(const Vec3<S>& a, const Sym3<T>& k) {
  using R = decltype(a.x * k.xx);
  const R x = a.x * k.yz, y = a.y * k.xz, z = a.z * k.xy;
  return Mat3<R>{y - z, a.y * k.yz - a.z * k.yy, a.y * k.zz - a.z * k.yz, a.z * k.xx - a.x * k.xz,
                 z - x, a.z * k.xz - a.x * k.zz, a.x * k.xy - a.y * k.xx, a.x * k.yy - a.y * k.xy,
                 x - y};
}
// -(a~ b~) = (a.b) 1 - b aᵀ.  9M 3A
template <class A, class B>
constexpr auto minus_cross_cross(const Vec3<A>& a, const Vec3<B>& b) {
  using R = decltype(a.x * b.x);
  const R x = a.x * b.x, y = a.y * b.y, z = a.z * b.z;
  return Mat3<R>{y + z,        -(b.x * a.y), -(b.x * a.z), -(b.y * a.x), x + z,
                 -(b.y * a.z), -(b.z * a.x), -(b.z * a.y), x + y};
}
// -(a~ b~ + b~ a~) = 2 (a.b) 1 - a bᵀ - b aᵀ: the change of an inertia when its reference point moves.  9M 9A
template <class A, class B>
constexpr auto minus_cross_cross_symmetric(const Vec3<A>& a, const Vec3<B>& b) {
  const auto p = outer_symmetric(a, b);
  return Sym3<decltype(a.x * b.x)>{p.yy + p.zz, p.xx + p.zz, p.xx + p.yy, -p.xy, -p.xz, -p.yz};
}

// Constants of a regrouped link (model/regroup.hpp): entries known to be zero are not stored, so that they cost no
// operations. The functions are those above without the zeros.
template <class T>
struct FlatVec3 {  // z = 0
  T x{}, y{};
};
template <class T>
struct FlatSym3 {  // zz = 0
  T xx{}, yy{}, xy{}, xz{}, yz{};
};

// The entry that may be missing.
template <class T>
constexpr T z_of(const Vec3<T>& v) {
  return v.z;
}
template <class T>
constexpr T z_of(const FlatVec3<T>&) {
  return T(0);
}
template <class T>
constexpr T zz_of(const Sym3<T>& m) {
  return m.zz;
}
template <class T>
constexpr T zz_of(const FlatSym3<T>&) {
  return T(0);
}

template <class S, class T>
constexpr Vec3<S> operator*(const Mat3<S>& m, const FlatVec3<T>& v) {  // 6M 3A
  return {m.xx * v.x + m.xy * v.y, m.yx * v.x + m.yy * v.y, m.zx * v.x + m.zy * v.y};
}
template <class S, class T>
constexpr Vec3<S> add_cross(const Vec3<S>& n, const FlatVec3<T>& a, const Vec3<S>& b) {  // 4M 4A
  return {n.x + a.y * b.z, n.y - a.x * b.z, (n.z + a.x * b.y) - a.y * b.x};
}
template <class S, class T>
constexpr Vec3<S> euler_moment(const Mat3<S>& o, const FlatSym3<T>& k) {  // 13M 13A
  return {o.zx * k.xy - o.yx * k.xz + (o.zz - o.yy) * k.yz + o.zy * k.yy,
          o.xy * k.yz - o.zy * k.xy + (o.xx - o.zz) * k.xz - o.zx * k.xx,
          o.yz * k.xz - o.xz * k.yz + (o.yy - o.xx) * k.xy + o.yx * k.xx - o.xy * k.yy};
}

template <class S, class T>
constexpr Vec3<S>& operator+=(Vec3<S>& a, const FlatVec3<T>& b) {
  a.x += b.x, a.y += b.y;
  return a;
}
template <class S, class T>
constexpr Sym3<S>& operator+=(Sym3<S>& a, const FlatSym3<T>& b) {
  a.xx += b.xx, a.yy += b.yy, a.xy += b.xy, a.xz += b.xz, a.yz += b.yz;
  return a;
}
// e + a bᵀ + b aᵀ
template <class S, class A>
constexpr Sym3<S> add_outer_symmetric(const Sym3<S>& e, const FlatVec3<A>& a, const Vec3<S>& b) {  // 6M 6A
  return {e.xx + (a.x + a.x) * b.x,       e.yy + (a.y + a.y) * b.y, e.zz,
          (e.xy + a.x * b.y) + a.y * b.x, e.xz + a.x * b.z,         e.yz + a.y * b.z};
}
template <class S, class A>
constexpr Sym3<S> add_outer_symmetric(const Sym3<S>& e, const Vec3<A>& a, const Vec3<S>& b) {  // 9M 12A
  return e + outer_symmetric(a, b);
}

// m + a bᵀ
template <class S, class B>
constexpr Mat3<S> add_outer(const Mat3<S>& m, const Vec3<S>& a, const Vec3<B>& b) {  // 9M 9A
  return {m.xx + a.x * b.x, m.xy + a.x * b.y, m.xz + a.x * b.z, m.yx + a.y * b.x, m.yy + a.y * b.y,
          m.yz + a.y * b.z, m.zx + a.z * b.x, m.zy + a.z * b.y, m.zz + a.z * b.z};
}
template <class S, class B>
constexpr Mat3<S> add_outer(const Mat3<S>& m, const Vec3<S>& a, const FlatVec3<B>& b) {  // 6M 6A
  return {m.xx + a.x * b.x, m.xy + a.x * b.y, m.xz, m.yx + a.y * b.x, m.yy + a.y * b.y, m.yz,
          m.zx + a.z * b.x, m.zy + a.z * b.y, m.zz};
}
// a x b
template <class S, class B>
constexpr Vec3<S> cross(const Vec3<S>& a, const FlatVec3<B>& b) {  // 4M 1A
  return {-(a.z * b.y), a.z * b.x, a.x * b.y - a.y * b.x};
}
// a~ K with K_zz = 0
template <class S, class T>
constexpr Mat3<S> cross(const Vec3<S>& a, const FlatSym3<T>& k) {  // 13M 7A
  const S x = a.x * k.yz, y = a.y * k.xz, z = a.z * k.xy;
  return {y - z,
          a.y * k.yz - a.z * k.yy,
          -(a.z * k.yz),
          a.z * k.xx - a.x * k.xz,
          z - x,
          a.z * k.xz,
          a.x * k.xy - a.y * k.xx,
          a.x * k.yy - a.y * k.xy,
          x - y};
}

}  // namespace catena

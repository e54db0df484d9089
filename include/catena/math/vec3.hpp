// Three-component vectors over any scalar. Mixed operands (a constant times a variable) give the variable's type.
#pragma once

namespace catena {

template <class T>
struct Vec3 {
  T x{}, y{}, z{};

  template <class U>
  constexpr Vec3& operator+=(const Vec3<U>& b) {
    x += b.x;
    y += b.y;
    z += b.z;
    return *this;
  }
  template <class U>
  constexpr Vec3& operator-=(const Vec3<U>& b) {
    x -= b.x;
    y -= b.y;
    z -= b.z;
    return *this;
  }
  template <class U>
  constexpr explicit operator Vec3<U>() const {
    return {U(x), U(y), U(z)};
  }
  friend bool operator==(const Vec3&, const Vec3&) = default;
};

template <class A, class B>
constexpr auto operator+(const Vec3<A>& a, const Vec3<B>& b) {
  return Vec3<decltype(a.x + b.x)>{a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class A, class B>
constexpr auto operator-(const Vec3<A>& a, const Vec3<B>& b) {
  return Vec3<decltype(a.x - b.x)>{a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class A>
constexpr Vec3<A> operator-(const Vec3<A>& a) {
  return {-a.x, -a.y, -a.z};
}
template <class K, class A>
constexpr auto operator*(const K& k, const Vec3<A>& a) -> Vec3<decltype(k * a.x)> {
  return {k * a.x, k * a.y, k * a.z};
}
template <class A, class B>
constexpr auto dot(const Vec3<A>& a, const Vec3<B>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class A, class B>
constexpr auto cross(const Vec3<A>& a, const Vec3<B>& b) {  // 6M 3A
  return Vec3<decltype(a.x * b.x)>{a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
// v x z, with z = (0, 0, 1): no operations.
template <class A>
constexpr Vec3<A> cross_z(const Vec3<A>& v) {
  return {v.y, -v.x, A{}};
}
// n + a x b, written so that every addition can fuse with a product.
template <class N, class A, class B>
constexpr auto add_cross(const Vec3<N>& n, const Vec3<A>& a, const Vec3<B>& b) {
  return Vec3<decltype(n.x + a.x * b.x)>{(n.x + a.y * b.z) - a.z * b.y, (n.y + a.z * b.x) - a.x * b.z,
                                         (n.z + a.x * b.y) - a.y * b.x};
}

}  // namespace catena

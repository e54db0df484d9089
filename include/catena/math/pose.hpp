// A rigid displacement: R_a_from_b and p_a_to_b, both in frame a.
#pragma once

#include "catena/math/mat3.hpp"

namespace catena {

template <class T>
struct Pose {
  Mat3<T> R = Mat3<T>::identity();
  Vec3<T> p{};

  constexpr Pose inverse() const {
    const Mat3<T> rt = R.transpose();
    return {rt, -(rt * p)};
  }
  friend bool operator==(const Pose&, const Pose&) = default;
};

// a_from_c = a_from_b * b_from_c
template <class A, class B>
constexpr auto operator*(const Pose<A>& a, const Pose<B>& b) {
  return Pose<decltype(a.p.x * b.p.x)>{a.R * b.R, a.p + a.R * b.p};
}

// A force, and a moment about a stated point.
template <class S>
struct Wrench {
  Vec3<S> force{};
  Vec3<S> moment{};

  constexpr Wrench& operator+=(const Wrench& b) {
    force += b.force;
    moment += b.moment;
    return *this;
  }
  template <class U>
  constexpr explicit operator Wrench<U>() const {
    return {static_cast<Vec3<U>>(force), static_cast<Vec3<U>>(moment)};
  }
};
template <class A>
constexpr Wrench<A> operator+(const Wrench<A>& a, const Wrench<A>& b) {
  return {a.force + b.force, a.moment + b.moment};
}
template <class K, class A>
constexpr auto operator*(const K& k, const Wrench<A>& w) -> Wrench<decltype(k * w.force.x)> {
  return {k * w.force, k * w.moment};
}
// An angular velocity and the velocity of a stated point.
template <class S>
struct Twist {
  Vec3<S> omega{};
  Vec3<S> v{};

  template <class U>
  constexpr explicit operator Twist<U>() const {
    return {static_cast<Vec3<U>>(omega), static_cast<Vec3<U>>(v)};
  }
};

// Motion of a frame: of its origin, along the world's axes.
template <class S>
struct FrameMotion {
  Vec3<S> omega{}, omega_dot{};  // angular velocity, angular acceleration
  Vec3<S> velocity{}, acceleration{};
};

// One column of a geometric Jacobian.
template <class S>
struct JacobianColumn {
  Vec3<S> linear{}, angular{};
};

}  // namespace catena

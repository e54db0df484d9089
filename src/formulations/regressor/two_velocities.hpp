// The regressor Y of τ = M q̈ + C(q, q̇) q̇_r + g = Y θ: as that of inverse dynamics, with the motion that two velocities
// have together. Equations (8), (9): docs/equations/two_velocities.md.
#pragma once

#include "formulations/inverse/two_velocities.hpp"
#include "formulations/regressor/tensor.hpp"

namespace catena {

// As OneVelocity: of two velocities.
struct TwoVelocityColumns : TwoVelocities {
  template <class S, class T>
  static LinkMotion<S> as_seen(const LinkMotion<S>& own, const Pose<T>& user) {
    const Mat3<T> R = user.R.transpose();
    const Vec3<S> omega = R * own.omega, omega_r = R * own.omega_r, omega_dot = R * own.omega_dot;
    return {omega, omega_r, omega_dot, tensor(omega, omega_r, omega_dot), R * (own.a_origin + own.Omega * user.p)};
  }

  // m; m c; J.                                                                                                  (8),
  // (9)
  template <class S>
  static void put(const LinkMotion<S>& motion, const Twist<S>& axis, std::span<S> y) {
    const auto& [w, r, wd, Omega, a] = motion;
    const Vec3<S>& z = axis.omega;
    y[0] = dot(axis.v, a);
    const Vec3<S> moment = add_cross(Omega.transpose() * axis.v, a, z);
    y[1] = moment.x, y[2] = moment.y, y[3] = moment.z;
    const ConstantOf<S> half(0.5);
    const Vec3<S> t = half * cross(z, w), t_r = half * cross(z, r);
    y[4] = z.x * wd.x + (t.x * r.x + t_r.x * w.x);
    y[5] = z.y * wd.y + (t.y * r.y + t_r.y * w.y);
    y[6] = z.z * wd.z + (t.z * r.z + t_r.z * w.z);
    y[7] = (z.x * wd.y + z.y * wd.x) + ((t.x * r.y + t.y * r.x) + (t_r.x * w.y + t_r.y * w.x));
    y[8] = (z.x * wd.z + z.z * wd.x) + ((t.x * r.z + t.z * r.x) + (t_r.x * w.z + t_r.z * w.x));
    y[9] = (z.y * wd.z + z.z * wd.y) + ((t.y * r.z + t.z * r.y) + (t_r.y * w.z + t_r.z * w.y));
  }
};

struct TensorRegressorTwo : RegressorOf<TwoVelocityColumns> {
  static constexpr FormulationInfo info{"tensor", "regressor_two", "derived by us", "docs/equations/two_velocities.md",
                                        "none published"};
};

}  // namespace catena

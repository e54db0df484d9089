// The regressor Y of the inertial parameters, τ = Y θ: the motion of every link as in inverse dynamics; the axes of all
// joints between the base and a link are carried out to it, and each gives its row of the link's columns. Equations
// (1)-(7): docs/equations/regressor.md. Quantities of link i are in frame i, about its origin, until (3).
#pragma once

#include "catena/model/parameters.hpp"
#include "forces/joint_forces.hpp"
#include "formulations/inverse/tensor_augmented.hpp"

namespace catena {

// `Moving` has the motion of a link, (1), how it is seen from the model's frame, (3), and its columns, (5), (6).
template <class Moving>
struct RegressorOf {
  template <class S>
  struct Workspace {
    Array<typename Moving::template LinkMotion<S>> motions;  // (1)
    Array<Twist<S>> axes;                                    // (2) of joint j at link i: index i n + j
    JointTurns<S> turns;

    explicit Workspace(const TreeFor<S>& robot)
        : motions(index(robot.joints())), axes(motions.size() * motions.size()), turns(robot.joints()) {}
  };

  template <class S>
  static void run(const TreeFor<S>& robot, const typename Moving::template State<S>& x, Workspace<S>& ws,
                  std::span<S> Y) {
    for (S& entry : Y) entry = S{};  // links that a joint does not move do not affect it
    joint_turns<S>(robot, x.q, ws.turns);
    const std::size_t n = index(robot.joints());
    for (int i = 0; i < robot.joints(); ++i) {
      const auto& link = robot.link(i);
      Moving::template move<S>(robot, i, x, ws.turns[i], ws.motions);
      carry_axes<S>(robot, i, x.q, ws);
      const Pose<ConstantOf<S>>& user = robot.frames[index(link.frame)].in_link;
      const bool same = is_link_frame(user);
      const auto seen = same ? ws.motions[index(i)] : Moving::as_seen(ws.motions[index(i)], user);
      for (int j = i; j != base_link; j = robot.link(j).parent) {
        const Twist<S>& axis = ws.axes[index(i) * n + index(j)];
        Moving::put(seen, same ? axis : as_seen(axis, user), entries(Y, robot.link(j).q, link.q, n));
      }
      const std::size_t j = index(link.q);
      put_force_columns<S>(robot.drives[link.q], {x.q[j], x.qd[j], x.qdd[j]},
                           entries(Y, link.q, link.q, n).subspan(link_parameters));  // (7)
    }
  }

 private:
  // The effect on this row's joint of the parameters of that link and joint.
  template <class S>
  static std::span<S> entries(std::span<S> Y, int row, int block, std::size_t n) {
    return Y.subspan((index(row) * n + index(block)) * parameters_per_joint, parameters_per_joint);
  }

  // (2): this joint's axis, and those of its parent's joints, carried one link further.
  template <class S>
  static void carry_axes(const TreeFor<S>& robot, int i, std::span<const S> q, Workspace<S>& ws) {
    const std::size_t n = index(robot.joints());
    const auto& link = robot.link(i);
    Twist<S>& own = ws.axes[index(i) * n + index(i)];
    own = {};
    (link.revolute ? own.omega : own.v).z = S(ConstantOf<S>(1));
    const Vec3<S> s = joint_offset(link, q[index(link.q)]);
    for (int j = link.parent; j != base_link; j = robot.link(j).parent) {
      const Twist<S>& at_parent = ws.axes[index(link.parent) * n + index(j)];
      ws.axes[index(i) * n + index(j)] = {to_child(link.tilt, ws.turns[i], at_parent.omega),
                                          to_child(link.tilt, ws.turns[i], add_cross(at_parent.v, at_parent.omega, s))};
    }
  }

  // Whether the model's link has the same frame as the mechanism's.
  template <class T>
  static bool is_link_frame(const Pose<T>& user) {
    const auto& [R, p] = user;
    const T zero(0), unit(1);
    for (const T* entry : {&R.xy, &R.xz, &R.yx, &R.yz, &R.zx, &R.zy, &p.x, &p.y, &p.z})
      if (!(*entry == zero)) return false;
    return R.xx == unit && R.yy == unit && R.zz == unit;
  }
  // (4)
  template <class S, class T>
  static Twist<S> as_seen(const Twist<S>& axis, const Pose<T>& user) {
    const Mat3<T> R = user.R.transpose();
    return {R * axis.omega, R * add_cross(axis.v, axis.omega, user.p)};
  }
};

// Of inverse dynamics.
struct OneVelocity : protected TensorAugmented {
  template <class S>
  using State = Motion<S>;
  template <class S>
  using LinkMotion = TensorAugmented::LinkMotion<S>;

  // (1)
  template <class S>
  static void move(const TreeFor<S>& robot, int i, const Motion<S>& x, const Turn<S>& turn,
                   Array<LinkMotion<S>>& motions) {
    const auto& link = robot.link(i);
    const S &qd = x.qd[index(link.q)], &qdd = x.qdd[index(link.q)];
    LinkMotion<S>& own = motions[index(i)];
    if (link.parent == base_link) {
      own = {};
      own.a_origin = base_acceleration(robot, i, turn);
      if (!link.revolute) {
        own.a_origin.z += qdd;
        return;
      }
      const S square = qd * qd;
      own.omega.z = qd, own.omega_dot.z = qdd;
      own.Omega = {-square, -qdd, S{}, qdd, -square, S{}, S{}, S{}, S{}};
      return;
    }
    own = carry(motions[index(link.parent)], Step{link.tilt, turn, joint_offset(link, x.q[index(link.q)])});
    if (link.revolute) {
      TensorAugmented::turn(own, qd, qdd, false);
    } else {
      Sliding<S> sliding;
      slide(own, qd, qdd, sliding);
    }
  }

  // (3): in the frame of the model's link, about its origin.
  template <class S, class T>
  static LinkMotion<S> as_seen(const LinkMotion<S>& own, const Pose<T>& user) {
    const Mat3<T> R = user.R.transpose();
    const Vec3<S> omega = R * own.omega, omega_dot = R * own.omega_dot;
    return {omega, omega_dot, angular_acceleration_tensor(omega, omega_dot), R * (own.a_origin + own.Omega * user.p)};
  }
  // (5), (6): m; m c; J.
  template <class S>
  static void put(const LinkMotion<S>& motion, const Twist<S>& axis, std::span<S> y) {
    const auto& [w, wd, Omega, a] = motion;
    const Vec3<S>& z = axis.omega;
    const Vec3<S>& v = axis.v;
    y[0] = dot(v, a);
    const Vec3<S> moment = add_cross(Omega.transpose() * v, a, z);
    y[1] = moment.x, y[2] = moment.y, y[3] = moment.z;
    const Vec3<S> t = cross(z, w);
    y[4] = z.x * wd.x + t.x * w.x;
    y[5] = z.y * wd.y + t.y * w.y;
    y[6] = z.z * wd.z + t.z * w.z;
    y[7] = ((z.x * wd.y + z.y * wd.x) + t.x * w.y) + t.y * w.x;
    y[8] = ((z.x * wd.z + z.z * wd.x) + t.x * w.z) + t.z * w.x;
    y[9] = ((z.y * wd.z + z.z * wd.y) + t.y * w.z) + t.z * w.y;
  }
};

struct TensorRegressor : RegressorOf<OneVelocity> {
  static constexpr FormulationInfo info{"tensor", "regressor", "textbook mechanics; motions of Balafoutis 1989",
                                        "docs/equations/regressor.md", "none published"};
};

}  // namespace catena

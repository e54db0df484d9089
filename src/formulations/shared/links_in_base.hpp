// Pose, velocity and inertia of every link along the axes of the mechanism's base frame: the first step of the
// formulations that work in one common frame. Equations: docs/equations/denoc_coriolis.md (1)-(4).
#pragma once

#include "catena/formulation/kernels.hpp"

namespace catena {

template <class S>
struct LinkInBase {
  Mat3<S> R;         // R_base_from_link
  Vec3<S> axis;      // joint axis e
  Vec3<S> axis_dot;  // ω x e
  Vec3<S> omega;     // angular velocity
  Vec3<S> origin;    // from the base origin to o_i
  Vec3<S> origin_dot;
  Vec3<S> arm;  // d: from o_i to the mass centre
  Vec3<S> com;  // from the base origin to the mass centre
  Vec3<S> com_dot;
  Sym3<S> inertia;  // about the mass centre
};

// R K Rᵀ for symmetric K.  45M 30A
template <class S, class T>
Sym3<S> turn_symmetric(const Mat3<S>& R, const Sym3<T>& K) {
  const Vec3<S> x = R.row_x(), y = R.row_y(), z = R.row_z();
  const Vec3<S> Kx = K * x, Ky = K * y, Kz = K * z;
  return {dot(x, Kx), dot(y, Ky), dot(z, Kz), dot(x, Ky), dot(x, Kz), dot(y, Kz)};
}

// I - ½ tr(I) 1, about the mass centre: minus the pseudo-inertia.
template <class T, class S>
Sym3<S> trace_free_inertia(const LinkConstants<T>& link, const LinkInBase<S>& placed) {
  const T half = link.pseudo_com.trace();  // tr(Î) = ½ tr(I), in any axes
  const Sym3<S>& I = placed.inertia;
  return {I.xx - half, I.yy - half, I.zz - half, I.xy, I.xz, I.yz};
}

// (1)-(3): the frame of link i, from its parent's.
template <class S>
void place_frame(const TreeFor<S>& robot, int i, std::span<const S> q, std::span<const S> qd,
                 const JointTurns<S>& turns, Array<LinkInBase<S>>& links) {
  const auto& link = robot.link(i);
  const S& rate = qd[index(link.q)];
  LinkInBase<S>& own = links[index(i)];
  const Vec3<S> offset = joint_offset(link, q[index(link.q)]);
  if (link.parent == base_link) {  // the axis of a first joint does not move
    own.R = matrix(link.tilt, turns[i]);
    own.axis = own.R.column_z();
    own.omega = own.axis_dot = own.origin_dot = {};
    own.origin = offset;
    if (link.revolute) own.omega = rate * own.axis;
  } else {
    const LinkInBase<S>& parent = links[index(link.parent)];
    const Vec3<S> step = parent.R * offset;
    own.R = compose(parent.R, link.tilt, turns[i]);  // (1)
    own.axis = own.R.column_z();
    own.axis_dot = cross(parent.omega, own.axis);  // (2)
    own.omega = link.revolute ? parent.omega + rate * own.axis : parent.omega;
    own.origin = parent.origin + step;  // (3)
    own.origin_dot = add_cross(parent.origin_dot, parent.omega, step);
  }
  if (!link.revolute) own.origin_dot += rate * own.axis;
}

// (4): the mass of a body in a placed frame: the link itself, or something fixed to it.
template <class S, class T>
void place_body(const LinkConstants<T>& body, LinkInBase<S>& own) {
  own.arm = own.R * body.com;  // (4)
  own.com = own.origin + own.arm;
  own.com_dot = add_cross(own.origin_dot, own.omega, own.arm);
  own.inertia = turn_symmetric(own.R, body.inertia_com);
}

template <class S>
void place_links(const TreeFor<S>& robot, std::span<const S> q, std::span<const S> qd, const JointTurns<S>& turns,
                 Array<LinkInBase<S>>& links) {
  for (int i = 0; i < robot.joints(); ++i) {
    place_frame(robot, i, q, qd, turns, links);
    place_body(robot.link(i), links[index(i)]);
  }
}

}  // namespace catena

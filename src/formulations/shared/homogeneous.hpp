// Homogeneous matrices without their last row, for the formulations of Lagrange's equations that use them. Equations
// (7), (8): docs/equations/hollerbach_4x4.md; the last row is (0, 0, 0, 1) for a displacement and zero for its
// derivatives.
#pragma once

#include "catena/formulation/formulation.hpp"

namespace catena::homogeneous {

// The upper three rows.
template <class S>
struct Rows {
  Mat3<S> R;
  Vec3<S> p;

  friend Rows operator+(Rows a, const Rows& b) {
    a.R += b.R;
    a.p += b.p;
    return a;
  }
  friend Rows operator*(const S& k, const Rows& m) {
    return {Mat3<S>::from_columns(k * m.R.column_x(), k * m.R.column_y(), k * m.R.column_z()), k * m.p};
  }
};

// W T, for a displacement T. W is a displacement or a derivative of one.
template <class S>
Rows<S> product(const Rows<S>& W, const Rows<S>& T) {
  return {W.R * T.R, W.R * T.p + W.p};
}
// W Q: Q differentiates the joint's own motion, z~ in the rotation (revolute) or z in the last column (prismatic).  (7)
template <class S>
Rows<S> times_Q(const Rows<S>& W, bool revolute) {
  if (revolute) return {Mat3<S>::from_columns(W.R.column_y(), -W.R.column_x(), Vec3<S>{}), Vec3<S>{}};
  return {Mat3<S>{}, W.R.column_z()};
}
// W Q Q; zero for a prismatic joint.  (8)
template <class S>
Rows<S> times_QQ(const Rows<S>& W, bool revolute) {
  if (revolute) return {Mat3<S>::from_columns(-W.R.column_x(), -W.R.column_y(), Vec3<S>{}), Vec3<S>{}};
  return {};
}

// Displacement of every link and its time derivatives.
template <class S>
struct Displacement {
  Rows<S> T;                 // parent from link
  Rows<S> W, W_dot, W_ddot;  // base from link
};
// Equations (1)-(3) of that page. `parent` is null for a link on the base.
template <class S, class T>
void displace(const LinkConstants<T>& link, const Motion<S>& x, const Turn<S>& turn, const Displacement<S>* parent,
              Displacement<S>& own) {
  const S &qd = x.qd[index(link.q)], &qdd = x.qdd[index(link.q)];
  own.T = {matrix(link.tilt, turn), joint_offset(link, x.q[index(link.q)])};
  if (parent == nullptr) {
    own.W = own.T;
    own.W_dot = qd * times_Q(own.W, link.revolute);
    own.W_ddot = qdd * times_Q(own.W, link.revolute) + (qd * qd) * times_QQ(own.W, link.revolute);
    return;
  }
  own.W = product(parent->W, own.T);  // (1)
  const Rows<S> WdT = product(parent->W_dot, own.T);
  const Rows<S> WQ = times_Q(own.W, link.revolute);
  own.W_dot = WdT + qd * WQ;  // (2)
  own.W_ddot = product(parent->W_ddot, own.T) + (qd + qd) * times_Q(WdT, link.revolute) +
               (qd * qd) * times_QQ(own.W, link.revolute) + qdd * WQ;  // (3)
}

// The 4x4 matrix J of a link's moments: off line.
template <class T>
struct Moments {
  Sym3<T> second;
  Vec3<T> first;
  T mass;

  explicit Moments(const LinkConstants<T>& link)
      : second(link.pseudo_com + link.mass * outer(link.com)), first(link.mass * link.com), mass(link.mass) {}

  // D J, its upper three rows.  48M 36A
  template <class S>
  friend Rows<S> operator*(const Rows<S>& D, const Moments& J) {
    Mat3<S> R = D.R * J.second.full();
    R += Mat3<S>::from_columns(J.first.x * D.p, J.first.y * D.p, J.first.z * D.p);
    return {R, D.R * J.first + J.mass * D.p};
  }
};

// tr(A Bᵀ) of two derivatives.  12M 11A
template <class S>
S trace_of_product(const Rows<S>& A, const Rows<S>& B) {
  return (dot(A.R.row_x(), B.R.row_x()) + dot(A.R.row_y(), B.R.row_y())) +
         (dot(A.R.row_z(), B.R.row_z()) + dot(A.p, B.p));
}

// The work of a link's weight along a derivative of its displacement: m g · D (r, 1).
template <class S, class T>
S work_of_weight(const Vec3<T>& gravity, const Moments<T>& J, const Rows<S>& D) {
  return dot(gravity, D.R * J.first + J.mass * D.p);
}

}  // namespace catena::homogeneous

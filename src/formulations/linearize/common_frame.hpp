// D, V and P of long robots: the twists and wrenches of all joints in one frame about one point, and products of
// tables. Equations (1)-(12): docs/equations/common_frame_linearized.md. The frame is that of each branch's first link,
// the root, in its present pose. What does not wait for a neighbour is computed for several joints at once.
#pragma once

#include "formulations/inertia/common_frame.hpp"
#include "formulations/linearize/tensor.hpp"
#include "formulations/shared/joint_rows.hpp"
#include "formulations/shared/links_in_base.hpp"

namespace catena {

struct CommonFrameLinearized {
  static constexpr FormulationInfo info{"common-frame", "linearize", "screws in one frame; derived by us",
                                        "docs/equations/common_frame_linearized.md", "none published"};

  // A twist, or a wrench with its moment first: about the root's origin.
  template <class S>
  struct Screw {
    Vec3<S> angular{}, linear{};

    Screw& operator+=(const Screw& b) {
      angular += b.angular;
      linear += b.linear;
      return *this;
    }
    friend Screw operator+(Screw a, const Screw& b) { return a += b; }
    friend Screw operator*(const S& x, const Screw& a) { return {x * a.angular, x * a.linear}; }
  };
  template <class S>
  static Screw<S> cross_motion(const Screw<S>& a, const Screw<S>& b) {  // (1)
    return {cross(a.angular, b.angular), add_cross(cross(a.angular, b.linear), a.linear, b.angular)};
  }
  template <class S>
  static Screw<S> cross_force(const Screw<S>& a, const Screw<S>& w) {  // (1)
    return {add_cross(cross(a.angular, w.angular), a.linear, w.linear), cross(a.angular, w.linear)};
  }

  // A link and all links beyond it.
  template <class S>
  struct Body {
    S m{};
    Vec3<S> c{};   // Σ m r
    Sym3<S> E{};   // Σ m r rᵀ
    Mat3<S> G{};   // Σ m ṙ rᵀ
    Vec3<S> p{};   // Σ m ṙ
    Screw<S> F{};  // the wrench that moves it and bears its weight

    Body& operator+=(const Body& b) {
      m += b.m;
      c += b.c;
      E += b.E;
      G = {G.xx + b.G.xx, G.xy + b.G.xy, G.xz + b.G.xz, G.yx + b.G.yx, G.yy + b.G.yy,
           G.yz + b.G.yz, G.zx + b.G.zx, G.zy + b.G.zy, G.zz + b.G.zz};
      p += b.p;
      F += b.F;
      return *this;
    }
    Screw<S> inertia_times(const Screw<S>& x) const {  // (7)
      return {add_cross(E.trace() * x.angular - E * x.angular, c, x.linear), add_cross(m * x.linear, x.angular, c)};
    }
    Screw<S> bias_times(const Vec3<S>& w) const {  // (8)
      const Vec3<S> moment = (G.xx + G.yy + G.zz) * w - G * w, force = cross(w, p);
      return {moment + moment, force + force};
    }
    Vec3<S> bias_of(const Screw<S>& x) const {  // (9)
      const Vec3<S> half = add_cross((G.xx + G.yy + G.zz) * x.angular - G.transpose() * x.angular, p, x.linear);
      return half + half;
    }
  };
  // A body with its mass centre at r, its second moments about it along its own axes, its twist and acceleration.
  template <class P, class C>
  static Body<P> moving_body(const C& mass, const Sym3<C>& pseudo, const Mat3<P>& R, const Vec3<P>& r,
                             const Screw<P>& twist, const Screw<P>& acceleration) {
    const auto& [w, v] = twist;
    const auto& [alpha, a] = acceleration;
    Body<P> body;
    body.m = P(mass);
    body.c = mass * r;
    body.E = turn_symmetric(R, pseudo) + outer_parallel(body.c, r);
    const Sym3<P>& E = body.E;
    const Vec3<P>& c = body.c;
    body.G = moments_of_rates(twist, E, c);
    body.p = add_cross(mass * v, w, c);
    const Vec3<P> at_origin = add_cross(a, w, v);  // acceleration of the body's point there
    body.F.linear = add_cross(add_cross(mass * at_origin, alpha, c), w, cross(w, c));
    body.F.angular = add_cross(add_cross(E.trace() * alpha - E * alpha, c, at_origin), E * w, w);
    return body;
  }
  // Σ m ṙ rᵀ of a body that moves with a twist.
  template <class P>
  static Mat3<P> moments_of_rates(const Screw<P>& twist, const Sym3<P>& E, const Vec3<P>& c) {
    const auto& [w, v] = twist;
    return Mat3<P>::from_columns(add_scaled(cross(w, E.column_x()), c.x, v), add_scaled(cross(w, E.column_y()), c.y, v),
                                 add_scaled(cross(w, E.column_z()), c.z, v));
  }

  // One row per quantity, one column per joint, by the user's q.
  struct Row {
    enum : int {
      R = 0,                 // R_root_from_link
      origin = 9,            // (2)
      twist = 12,            // (3) of the joint at unit rate
      rate = 18,             // q̇, q̈
      before = 20,           // (5) velocity of the body that carries the joint
      velocity = 26,         // (5) of the joint's own body
      twist_dot = 32,        // (4)
      added = 38,            // (5) what the joint adds to its body's acceleration
      acceleration = 44,     // (5)
      body = 50,             // m, c, E, G, p, F: of the body, then of all that hangs on the joint
      taken = 78,            // h, γ: left factors
      twice_twist_dot = 87,  // (11) and three rows to multiply γ
      twist_dot_dot = 96,    // (6), (12) the same
      to_v = 105,            // (11)
      to_p = 111,            // (12)
      count = 117
    };
  };
  struct ConstantRow {
    enum : int { mass = 0, com = 1, pseudo = 4, count = 10 };
  };
  template <class S>
  struct Workspace {
    JointTurns<S> turns;
    JointRows<S> rows;
    JointRows<S, ConstantOf<S>> constants;
    Array<CommonFrame::Segment> segments;

    explicit Workspace(const TreeFor<S>& robot)
        : turns(robot.joints()),
          rows(Row::count, robot.joints()),
          constants(ConstantRow::count, robot.joints()),
          segments(CommonFrame::cut(robot)) {
      for (const auto& link : robot.links) {
        constants.at(ConstantRow::mass, link.q) = link.mass;
        constants.set(ConstantRow::com, link.q, link.com);
        constants.set(ConstantRow::pseudo, link.q, link.pseudo_com);
      }
    }
    Pose<S> root_from_link(int q) const { return {rows.matrix(Row::R, q), rows.get(Row::origin, q)}; }
  };

  template <class S>
  static void run(const TreeFor<S>& robot, const Motion<S>& x, Workspace<S>& ws, const Sensitivities<S>& out) {
    joint_turns<S>(robot, x.q, ws.turns);
    with_turns<S>(robot, x, ws.turns, ws, out);
  }
  // For a caller that already has the joints' sines and cosines. A matrix without entries is not wanted.
  template <class S>
  static void with_turns(const TreeFor<S>& robot, const Motion<S>& x, const JointTurns<S>& turns, Workspace<S>& ws,
                         const Sensitivities<S>& out) {
    JointRows<S>& rows = ws.rows;
    for (int i = 0; i < robot.joints(); ++i) place(robot, x, i, turns[i], rows);
    for_each_group_alike(rows, ws.constants, [&](int j) { find_rates(rows, j); });
    for (int i = 0; i < robot.joints(); ++i) accelerate(robot, i, turns[i], rows);
    for_each_group_alike(rows, ws.constants, [&](int j) { find_body(ws.constants, rows, j); });
    for (int i = robot.joints() - 1; i >= 0; --i)
      if (const auto& link = robot.link(i); link.parent != base_link)
        for (int row = Row::body; row < Row::taken; ++row)
          rows.at(row, robot.link(link.parent).q) += rows.at(row, link.q);
    for_each_group_alike(rows, ws.constants, [&](int j) { find_factors(rows, j); });
    if (ws.segments.size() > 1)
      for (const MatrixView<S>* matrix : {&out.D, &out.V, &out.P}) matrix->set_zero();  // between branches
    multiply(rows, ws.segments, out);
  }

 private:
  template <class P, class S>
  static Screw<P> screw(const JointRows<S>& rows, int row, int j) {
    return {rows.template read<P>(row, j), rows.template read<P>(row + 3, j)};
  }
  template <class P, class S>
  static void put(const Screw<P>& x, int row, int j, JointRows<S>& rows) {
    rows.write(row, j, x.angular);
    rows.write(row + 3, j, x.linear);
  }

  // Outward: poses and velocities.
  template <class S>
  static void place(const TreeFor<S>& robot, const Motion<S>& x, int i, const Turn<S>& turn, JointRows<S>& rows) {
    const auto& link = robot.link(i);
    const int j = link.q;
    Mat3<S> R;
    Vec3<S> o{}, axis{S{}, S{}, S(ConstantOf<S>(1))};
    Screw<S> before{};
    if (link.parent == base_link) {
      const S i1(ConstantOf<S>(1)), i0{};
      R = {i1, i0, i0, i0, i1, i0, i0, i0, i1};
    } else {
      const auto& parent = robot.link(link.parent);
      const Vec3<S> offset = joint_offset(link, x.q[index(j)]);
      if (parent.parent == base_link) {  // the root's own axes
        R = matrix(link.tilt, turn);
        o = offset;
      } else {
        const Mat3<S> R_parent = rows.matrix(Row::R, parent.q);
        R = compose(R_parent, link.tilt, turn);
        o = rows.get(Row::origin, parent.q) + R_parent * offset;  // (2)
      }
      axis = R.column_z();
      before = {rows.get(Row::velocity, parent.q), rows.get(Row::velocity + 3, parent.q)};
    }
    const Screw<S> twist = link.revolute ? Screw<S>{axis, cross(o, axis)} : Screw<S>{{}, axis};  // (3)
    const Screw<S> velocity = before + x.qd[index(j)] * twist;                                   // (5)
    rows.set(Row::R, j, R);
    rows.set(Row::origin, j, o);
    rows.set(Row::twist, j, twist.angular), rows.set(Row::twist + 3, j, twist.linear);
    rows.set(Row::before, j, before.angular), rows.set(Row::before + 3, j, before.linear);
    rows.set(Row::velocity, j, velocity.angular), rows.set(Row::velocity + 3, j, velocity.linear);
    rows.at(Row::rate, j) = x.qd[index(j)], rows.at(Row::rate + 1, j) = x.qdd[index(j)];
  }
  template <class S>
  static void find_rates(JointRows<S>& rows, int j) {
    using P = typename JointRows<S>::Group;
    const Screw<P> twist = screw<P>(rows, Row::twist, j);
    const Screw<P> twist_dot = cross_motion(screw<P>(rows, Row::before, j), twist);  // (4)
    const P rate = rows.template one<P>(Row::rate, j), rate_dot = rows.template one<P>(Row::rate + 1, j);
    put(twist_dot, Row::twist_dot, j, rows);
    put(rate_dot * twist + rate * twist_dot, Row::added, j, rows);
  }
  // Outward: accelerations.                                                                                         (5)
  template <class S>
  static void accelerate(const TreeFor<S>& robot, int i, const Turn<S>& turn, JointRows<S>& rows) {
    const auto& link = robot.link(i);
    Vec3<S> angular{}, linear{};
    if (link.parent == base_link) {
      linear = base_acceleration<S>(robot, i, turn);
    } else {
      const int parent = robot.link(link.parent).q;
      angular = rows.get(Row::acceleration, parent), linear = rows.get(Row::acceleration + 3, parent);
    }
    rows.set(Row::acceleration, link.q, angular + rows.get(Row::added, link.q));
    rows.set(Row::acceleration + 3, link.q, linear + rows.get(Row::added + 3, link.q));
  }

  template <class S>
  static void find_body(const JointRows<S, ConstantOf<S>>& constants, JointRows<S>& rows, int j) {
    using P = typename JointRows<S>::Group;
    using C = typename JointRows<S, ConstantOf<S>>::Group;
    const Mat3<P> R = rows.template read_matrix<P>(Row::R, j);
    const auto [w, v] = screw<P>(rows, Row::velocity, j);
    const auto [alpha, a] = screw<P>(rows, Row::acceleration, j);
    const C mass = constants.template one<C>(ConstantRow::mass, j);
    const Sym3<C> pseudo = constants.template read_symmetric<C>(ConstantRow::pseudo, j);
    const Vec3<P> r = rows.template read<P>(Row::origin, j) + R * constants.template read<C>(ConstantRow::com, j);
    put_body(moving_body(mass, pseudo, R, r, {w, v}, {alpha, a}), j, rows);
  }
  template <class S>
  static Vec3<S> add_scaled(const Vec3<S>& a, const S& k, const Vec3<S>& b) {
    return {a.x + k * b.x, a.y + k * b.y, a.z + k * b.z};
  }
  template <class P, class S>
  static void put_body(const Body<P>& body, int j, JointRows<S>& rows) {
    const auto& [m, c, E, G, p, F] = body;
    rows.write(Row::body, j, m);
    rows.write(Row::body + 1, j, c);
    rows.write(Row::body + 4, j, E);
    rows.write(Row::body + 10, j, G);
    rows.write(Row::body + 19, j, p);
    put(F, Row::body + 22, j, rows);
  }
  template <class P, class S>
  static Body<P> body_of(const JointRows<S>& rows, int j) {
    return {rows.template one<P>(Row::body, j),
            rows.template read<P>(Row::body + 1, j),
            rows.template read_symmetric<P>(Row::body + 4, j),
            rows.template read_matrix<P>(Row::body + 10, j),
            rows.template read<P>(Row::body + 19, j),
            screw<P>(rows, Row::body + 22, j)};
  }

  template <class S>
  static void find_factors(JointRows<S>& rows, int j) {
    using P = typename JointRows<S>::Group;
    const Body<P> body = body_of<P>(rows, j);
    const Screw<P> s = screw<P>(rows, Row::twist, j), sd = screw<P>(rows, Row::twist_dot, j);
    const Screw<P> sdd = cross_motion(screw<P>(rows, Row::acceleration, j), s) +
                         cross_motion(screw<P>(rows, Row::velocity, j), sd);  // (6)
    const Screw<P> moved_by_sd = body.inertia_times(sd);
    put(body.inertia_times(s), Row::taken, j, rows);
    rows.write(Row::taken + 6, j, body.bias_of(s));
    put(sd + sd, Row::twice_twist_dot, j, rows);
    rows.write(Row::twice_twist_dot + 6, j, s.angular);
    put(sdd, Row::twist_dot_dot, j, rows);
    rows.write(Row::twist_dot_dot + 6, j, sd.angular);
    put(moved_by_sd + moved_by_sd + body.bias_times(s.angular), Row::to_v, j, rows);                          // (11)
    put(cross_force(s, body.F) + body.inertia_times(sdd) + body.bias_times(sd.angular), Row::to_p, j, rows);  // (12)
  }

  // (10)-(12): every segment with itself and with the segments that carry it.
  template <class S>
  static void multiply(const JointRows<S>& rows, const Array<CommonFrame::Segment>& segments,
                       const Sensitivities<S>& out) {
    for (const CommonFrame::Segment& own : segments) {
      fill(rows, {own.from, own.to, own.from, own.to, CarriedBy::smaller}, out);
      for (const CommonFrame::Segment* at = &own; at->above != base_link; at = &segments[index(at->above)]) {
        const int first = segments[index(at->above)].from, last = at->joined_at + 1;
        fill(rows, {own.from, own.to, first, last, CarriedBy::column}, out);
        fill(rows, {first, last, own.from, own.to, CarriedBy::row}, out);
      }
    }
  }
  template <class S>
  static void fill(const JointRows<S>& rows, const MatrixBlock& block, const Sensitivities<S>& out) {
    if (!out.D.entries.empty())
      fill_products<S, 6>(rows, {Row::taken, Row::twist, Row::twist, Row::taken}, block, out.D);  // (10)
    if (!out.V.entries.empty())
      fill_products<S, 9>(rows, {Row::taken, Row::twice_twist_dot, Row::twist, Row::to_v}, block, out.V);  // (11)
    fill_products<S, 9>(rows, {Row::taken, Row::twist_dot_dot, Row::twist, Row::to_p}, block, out.P);      // (12)
  }
};

}  // namespace catena

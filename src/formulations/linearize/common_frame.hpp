// D, V and P of long robots: the twists and wrenches of all joints in one frame about one point, and products of
// tables. Equations (1)-(12): docs/equations/common_frame_linearized.md. The frame is that of each branch's first link,
// the root, in its present pose.
#pragma once

#include "formulations/inertia/common_frame.hpp"
#include "formulations/linearize/tensor.hpp"
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
  template <class S>
  struct Link {
    Mat3<S> R_root_from_link;
    Vec3<S> origin;
    Screw<S> twist, twist_dot, twist_dot_dot;  // (3), (4), (6) of its joint at unit rate
    Screw<S> velocity, acceleration;           // (5) of the body
    Body<S> body;
  };

  // By the user's q: left factors of a product have a row per joint, right factors a row per component.
  static constexpr int left = 15, taken = 0, moved = 9;  // (h, γ) and s
  template <class S>
  struct Tables {
    int n;
    Array<S> left_of;                          // h, γ, s
    Array<S> s, twice_sd, sdd, h, to_v, to_p;  // six rows; 2ṡ and s̈ are followed by three rows to multiply γ

    explicit Tables(int joints)
        : n(joints),
          left_of(index(left * joints)),
          s(index(6 * joints)),
          twice_sd(index(9 * joints)),
          sdd(twice_sd.size()),
          h(s.size()),
          to_v(s.size()),
          to_p(s.size()) {}
    void put(Array<S>& rows, int first, int q, const Vec3<S>& v) const {
      rows[index((first + 0) * n + q)] = v.x, rows[index((first + 1) * n + q)] = v.y;
      rows[index((first + 2) * n + q)] = v.z;
    }
    void put(Array<S>& rows, int q, const Screw<S>& x) const {
      put(rows, 0, q, x.angular);
      put(rows, 3, q, x.linear);
    }
    void put_left(int q, int at, const Vec3<S>& v) {
      S* row = &left_of[index(left * q + at)];
      row[0] = v.x, row[1] = v.y, row[2] = v.z;
    }
  };
  template <class S>
  struct Workspace {
    JointTurns<S> turns;
    Array<Link<S>> links;
    Tables<S> tables;
    Array<CommonFrame::Segment> segments;

    explicit Workspace(const TreeFor<S>& robot)
        : turns(robot.joints()),
          links(index(robot.joints())),
          tables(robot.joints()),
          segments(CommonFrame::cut(robot)) {}
  };

  template <class S>
  static void run(const TreeFor<S>& robot, const Motion<S>& x, Workspace<S>& ws, const Sensitivities<S>& out) {
    joint_turns<S>(robot, x.q, ws.turns);
    with_turns<S>(robot, x, ws.turns, ws, out);
  }
  // For a caller that already has the joints' sines and cosines.
  template <class S>
  static void with_turns(const TreeFor<S>& robot, const Motion<S>& x, const JointTurns<S>& turns, Workspace<S>& ws,
                         const Sensitivities<S>& out) {
    for (int i = 0; i < robot.joints(); ++i) {
      place(robot, x, i, turns[i], ws);
      find_body(robot.link(i), ws.links[index(i)]);
    }
    for (int i = robot.joints() - 1; i >= 0; --i)
      if (const int up = robot.link(i).parent; up != base_link) ws.links[index(up)].body += ws.links[index(i)].body;
    for (int i = 0; i < robot.joints(); ++i) fill_tables(robot.link(i).q, ws.links[index(i)], ws.tables);
    if (ws.segments.size() > 1)
      for (const MatrixView<S>* matrix : {&out.D, &out.V, &out.P}) matrix->set_zero();  // between branches
    multiply(ws.tables, ws.segments, out);
  }

 private:
  template <class S>
  static void place(const TreeFor<S>& robot, const Motion<S>& x, int i, const Turn<S>& turn, Workspace<S>& ws) {
    const auto& link = robot.link(i);
    Link<S>& own = ws.links[index(i)];
    const S &rate = x.qd[index(link.q)], &rate_dot = x.qdd[index(link.q)];
    Screw<S> velocity, acceleration;  // of the previous link
    Vec3<S> axis{S{}, S{}, S(ConstantOf<S>(1))};
    own.origin = {};
    if (link.parent == base_link) {
      const S i1(ConstantOf<S>(1)), i0{};
      own.R_root_from_link = {i1, i0, i0, i0, i1, i0, i0, i0, i1};
      acceleration.linear = base_acceleration<S>(robot, i, turn);
    } else {
      const Link<S>& parent = ws.links[index(link.parent)];
      const Vec3<S> offset = joint_offset(link, x.q[index(link.q)]);
      const bool on_root = robot.link(link.parent).parent == base_link;
      own.R_root_from_link = on_root ? matrix(link.tilt, turn) : compose(parent.R_root_from_link, link.tilt, turn);
      own.origin = on_root ? offset : parent.origin + parent.R_root_from_link * offset;  // (2)
      axis = own.R_root_from_link.column_z();
      velocity = parent.velocity, acceleration = parent.acceleration;
    }
    own.twist = link.revolute ? Screw<S>{axis, cross(own.origin, axis)} : Screw<S>{{}, axis};  // (3)
    own.twist_dot = cross_motion(velocity, own.twist);                                         // (4)
    own.velocity = velocity + rate * own.twist;                                                // (5)
    own.acceleration = acceleration + rate_dot * own.twist + rate * own.twist_dot;
    own.twist_dot_dot = cross_motion(own.acceleration, own.twist) + cross_motion(own.velocity, own.twist_dot);  // (6)
  }

  template <class T, class S>
  static void find_body(const LinkConstants<T>& link, Link<S>& own) {
    const auto& [w, v] = own.velocity;
    const auto& [alpha, a] = own.acceleration;
    Body<S>& body = own.body;
    const Vec3<S> r = own.origin + own.R_root_from_link * link.com;
    body.m = S(link.mass);
    body.c = link.mass * r;
    body.E = turn_symmetric(own.R_root_from_link, link.pseudo_com) + outer_parallel(body.c, r);
    const Sym3<S>& E = body.E;
    const Vec3<S>& c = body.c;
    const Vec3<S> x = add_scaled(cross(w, Vec3<S>{E.xx, E.xy, E.xz}), c.x, v),
                  y = add_scaled(cross(w, Vec3<S>{E.xy, E.yy, E.yz}), c.y, v),
                  z = add_scaled(cross(w, Vec3<S>{E.xz, E.yz, E.zz}), c.z, v);
    body.G = Mat3<S>::from_columns(x, y, z);
    body.p = add_cross(link.mass * v, w, c);
    const Vec3<S> at_origin = add_cross(a, w, v);  // acceleration of the body's point there
    body.F.linear = add_cross(add_cross(link.mass * at_origin, alpha, c), w, cross(w, c));
    body.F.angular = add_cross(add_cross(E.trace() * alpha - E * alpha, c, at_origin), E * w, w);
  }
  template <class S>
  static Vec3<S> add_scaled(const Vec3<S>& a, const S& k, const Vec3<S>& b) {
    return {a.x + k * b.x, a.y + k * b.y, a.z + k * b.z};
  }

  template <class S>
  static void fill_tables(int q, const Link<S>& link, Tables<S>& tables) {
    const Body<S>& body = link.body;
    const Screw<S>&s = link.twist, &sd = link.twist_dot, &sdd = link.twist_dot_dot;
    const Screw<S> h = body.inertia_times(s), moved_by_sd = body.inertia_times(sd);
    tables.put_left(q, taken, h.angular);
    tables.put_left(q, taken + 3, h.linear);
    tables.put_left(q, taken + 6, body.bias_of(s));
    tables.put_left(q, moved, s.angular);
    tables.put_left(q, moved + 3, s.linear);
    tables.put(tables.s, q, s);
    tables.put(tables.h, q, h);
    tables.put(tables.twice_sd, q, sd + sd);
    tables.put(tables.twice_sd, 6, q, s.angular);
    tables.put(tables.sdd, q, sdd);
    tables.put(tables.sdd, 6, q, sd.angular);
    tables.put(tables.to_v, q, moved_by_sd + moved_by_sd + body.bias_times(s.angular));                          // (11)
    tables.put(tables.to_p, q, cross_force(s, body.F) + body.inertia_times(sdd) + body.bias_times(sd.angular));  // (12)
  }

  // (10)-(12): every segment with itself, a few rows at a time, and with the segments that carry it.
  template <class S>
  static void multiply(const Tables<S>& tables, const Array<CommonFrame::Segment>& segments,
                       const Sensitivities<S>& out) {
    for (const CommonFrame::Segment& own : segments) {
      for (int from = own.from; from < own.to; from += tile) {
        const int to = std::min(from + tile, own.to);
        fill_pair(tables, from, to, own.from, from, out);
        for (int k = from; k < to; ++k) {
          fill_lower(tables, k, k + 1, from, k + 1, out);
          fill_upper(tables, from, k, k, k + 1, out);
        }
      }
      for (const CommonFrame::Segment* at = &own; at->above != base_link; at = &segments[index(at->above)])
        fill_pair(tables, own.from, own.to, segments[index(at->above)].from, at->joined_at + 1, out);
    }
  }
  template <class S>
  static void fill_pair(const Tables<S>& tables, int from, int to, int first, int last, const Sensitivities<S>& out) {
    fill_lower(tables, from, to, first, last, out);
    fill_upper(tables, first, last, from, to, out);
  }
  // Rows of joints, columns of the joints that carry them.
  template <class S>
  static void fill_lower(const Tables<S>& t, int row, int row_end, int c, int c_end, const Sensitivities<S>& out) {
    fill<6>(&t.left_of[taken], t.s.data(), row, row_end, c, c_end, out.D);         // (10)
    fill<9>(&t.left_of[taken], t.twice_sd.data(), row, row_end, c, c_end, out.V);  // (11)
    fill<9>(&t.left_of[taken], t.sdd.data(), row, row_end, c, c_end, out.P);       // (12)
  }
  template <class S>
  static void fill_upper(const Tables<S>& t, int row, int row_end, int c, int c_end, const Sensitivities<S>& out) {
    fill<6>(&t.left_of[moved], t.h.data(), row, row_end, c, c_end, out.D);
    fill<6>(&t.left_of[moved], t.to_v.data(), row, row_end, c, c_end, out.V);
    fill<6>(&t.left_of[moved], t.to_p.data(), row, row_end, c, c_end, out.P);
  }
  // A block of a matrix: each entry is a sum of `terms` products.
  template <int terms, class S>
  static void fill(const S* a, const S* b, int row_from, int row_to, int from, int to, const MatrixView<S>& M) {
    int row = row_from;
    if constexpr (std::floating_point<S>) {
      if (to - from >= tile)
        for (; row + tile <= row_to; row += tile) {
          for (int c = from; c + tile < to; c += tile) fill_tile<terms>(a + left * row, b + c, row, c, M);
          fill_tile<terms>(a + left * row, b + (to - tile), row, to - tile, M);
        }
    }
    for (; row < row_to; ++row)
      for (int c = from; c < to; ++c) {
        S sum = a[left * row] * b[c];
        for (int k = 1; k < terms; ++k) sum += a[left * row + k] * b[k * M.n + c];
        M(row, c) = sum;
      }
  }
  template <int terms, std::floating_point S>
  [[gnu::always_inline]] static void fill_tile(const S* a, const S* b, int row, int c, const MatrixView<S>& M) {
    typedef S Four __attribute__((vector_size(tile * sizeof(S))));  // NOLINT(modernize-use-using)
    Four sum[tile] = {}, column;
    for (int k = 0; k < terms; ++k) {
      __builtin_memcpy(&column, b + k * M.n, sizeof column);
      for (int i = 0; i < tile; ++i) sum[i] += a[left * i + k] * column;
    }
    for (int i = 0; i < tile; ++i) __builtin_memcpy(&M(row + i, c), &sum[i], sizeof sum[i]);
  }
  static constexpr int tile = 4;
};

}  // namespace catena

// Inertia matrix of robots with many joints: composites about the links' origins along the axes of each branch's first
// link, the root, and one product. Nothing is rotated from link to link, and what does not wait for a neighbour is
// computed for several joints at once. Equations (1)-(9): docs/equations/root_axes.md.
#pragma once

#include "formulations/inertia/common_frame.hpp"
#include "formulations/shared/carrier.hpp"
#include "formulations/shared/joint_rows.hpp"
#include "formulations/shared/links_in_base.hpp"

namespace catena {

struct RootAxes {
  static constexpr FormulationInfo info{"root-axes", "inertia",
                                        "Balafoutis's composites along common axes; derived by us",
                                        "docs/equations/root_axes.md", "none published"};

  // One row per quantity, one column per joint, by the user's q.
  struct Row {
    enum : int {
      R = 0,           // (1) R_root_from_link
      origin = 9,      // (2) from the root's origin
      offset = 12,     // (2) from the parent's origin
      composite = 15,  // (3) U, Ê: of the link, then with all links beyond it
      twist = 24,      // (4)
      wrench = 30,     // (5), (6)
      diagonal = 36,   // (7)
      count = 37
    };
  };
  struct ConstantRow {
    enum : int { moment = 0, pseudo = 3, mass = 9, turns = 10, slides = 11, count = 12 };
  };
  template <class S>
  struct Workspace {
    JointTurns<S> turns;
    JointRows<S> rows;
    JointRows<S, ConstantOf<S>> constants;
    Array<CommonFrame::Segment> segments;
    Array<char> revolute;  // by q
    Carrier<ConstantOf<S>> carrier;

    explicit Workspace(const TreeFor<S>& robot)
        : turns(robot.joints()),
          rows(Row::count, robot.joints()),
          constants(ConstantRow::count, robot.joints()),
          segments(CommonFrame::cut(robot, robot.carried ? carrying : base_link)),
          revolute(index(robot.joints())),
          carrier(robot) {
      using T = ConstantOf<S>;
      for (const auto& link : robot.links) {
        const Sym3<T>& K = link.augmented_pseudo;
        constants.set(ConstantRow::moment, link.q, link.augmented_moment);
        constants.set(ConstantRow::pseudo, link.q, Vec3<T>{K.xx, K.yy, K.zz});
        constants.set(ConstantRow::pseudo + 3, link.q, Vec3<T>{K.xy, K.xz, K.yz});
        constants.at(ConstantRow::mass, link.q) = link.augmented_mass;
        constants.at(ConstantRow::turns, link.q) = T(link.revolute ? 1 : 0);
        constants.at(ConstantRow::slides, link.q) = T(link.revolute ? 0 : 1);
        revolute[index(link.q)] = link.revolute;
      }
    }
  };

  // A moving base is the root of all branches, and its six joints are one step.
  template <class S>
  static void run(const TreeFor<S>& robot, std::span<const S> q, Workspace<S>& ws, const MatrixView<S>& M) {
    joint_turns<S>(robot, q, ws.turns);
    JointRows<S>& rows = ws.rows;
    const int first = robot.carried ? base_joints : 0;
    if (robot.carried) rows.set(Row::R, carrying, static_cast<Mat3<S>>(ws.carrier.link_from_axes.transpose()));
    Pose<S> latest = {rows.matrix(Row::R, carrying_column(robot)), {}};
    for (int i = first; i < robot.joints(); ++i) place(robot, q, i, ws.turns[i], latest, rows);
    rows.for_each_group([&](int j) { turn_link(ws, j); });
    add_inward(robot, first, rows);
    rows.for_each_group([&](int j) { find_factors(ws.carrier.others_slide, ws, j); });
    if (ws.segments.size() > 1) M.set_zero();  // between branches
    multiply(rows, ws.segments, M);
    for (int j = first; j < robot.joints(); ++j) M(j, j) = rows.at(Row::diagonal, j);  // (7)
    if (robot.carried) fill_for_base<S>(robot, rows, M);
    if constexpr (!std::floating_point<S>) mirror_to_ancestors<S>(robot, M);
  }

 private:
  static constexpr int carrying = base_joints - 1;  // the link of a base that moves, and its column
  template <class T>
  static int carrying_column(const BasicTree<T>& robot) {
    return robot.carried ? carrying : 0;
  }

  // Outward. `latest` is where the link before stands.
  template <class S>
  static void place(const TreeFor<S>& robot, std::span<const S> q, int i, const Turn<S>& turn, Pose<S>& latest,
                    JointRows<S>& rows) {
    const auto& link = robot.link(i);
    const int j = link.q;
    Vec3<S> s{};
    if (link.parent == base_link) {
      latest = {static_cast<Mat3<S>>(Mat3<ConstantOf<S>>::identity()), {}};
    } else {
      if (link.parent != i - 1) {
        const int parent = robot.link(link.parent).q;
        latest = {rows.matrix(Row::R, parent), rows.get(Row::origin, parent)};
      }
      const Vec3<S> offset = joint_offset(link, q[index(j)]);
      if (robot.link(link.parent).parent == base_link && !robot.carried) {  // the root's own axes
        s = offset;
        latest.R = matrix(link.tilt, turn);
      } else {
        s = latest.R * offset;                          // (2)
        latest.R = compose(latest.R, link.tilt, turn);  // (1)
      }
      latest.p += s;
    }
    rows.set(Row::R, j, latest.R);
    rows.set(Row::origin, j, latest.p);
    rows.set(Row::offset, j, s);
  }
  // (3) of the augmented link alone.
  template <class S>
  static void turn_link(Workspace<S>& ws, int j) {
    using P = typename JointRows<S>::Group;
    using C = typename JointRows<S, ConstantOf<S>>::Group;
    const Mat3<P> R = ws.rows.template read_matrix<P>(Row::R, j);
    put(R * ws.constants.template read<C>(ConstantRow::moment, j),
        turn_symmetric(R, ws.constants.template read_symmetric<C>(ConstantRow::pseudo, j)), j, ws.rows);
  }
  template <class P, class S>
  static void put(const Vec3<P>& U, const Sym3<P>& E, int j, JointRows<S>& rows) {
    rows.write(Row::composite, j, U);
    rows.write(Row::composite + 3, j, E);
  }
  // Inward: (3). What a link adds to the one before it is added when that one's turn comes.
  template <class S>
  static void add_inward(const TreeFor<S>& robot, int first, JointRows<S>& rows) {
    Composite<S> own;
    for (int i = robot.joints() - 1; i >= first; --i) {
      const auto& link = robot.link(i);
      const bool carries_next = i + 1 < robot.joints() && robot.link(i + 1).parent == i;
      const Composite<S> alone = composite(rows, link.q);
      own = carries_next ? sum(own, alone) : alone;
      if (carries_next) set(own, link.q, rows);
      if (link.parent == base_link) continue;
      own = felt_by_parent(link, rows.get(Row::offset, link.q), own);
      if (link.parent == i - 1 && i > first) continue;
      const int parent = robot.link(link.parent).q;
      set(sum(composite(rows, parent), own), parent, rows);
    }
  }
  template <class S>
  using Composite = GeneralizedLinks::Composite<S>;
  template <class S>
  static Composite<S> composite(const JointRows<S>& rows, int j) {
    return {rows.get(Row::composite, j), rows.symmetric(Row::composite + 3, j)};
  }
  template <class S>
  static Composite<S> sum(Composite<S> a, const Composite<S>& b) {
    return a += b;
  }
  template <class S>
  static void set(const Composite<S>& own, int j, JointRows<S>& rows) {
    rows.set(Row::composite, j, own.U);
    rows.set(Row::composite + 3, j, own.E);
  }
  // The parent's augmented link already includes the mass at o_i, unless the joint slides.
  template <class T, class S>
  static Composite<S> felt_by_parent(const LinkConstants<T>& link, const Vec3<S>& s, const Composite<S>& own) {
    Composite<S> felt{own.U, add_outer_symmetric(own.E, s, own.U)};
    if (link.revolute) return felt;
    const Vec3<S> slid = link.augmented_mass * s;
    felt.U += slid;
    felt.E += outer_parallel(slid, s);
    return felt;
  }

  template <class P>
  struct Factor {
    Vec3<P> turned, moved;  // (4) twist
    Vec3<P> moment, force;  // (5) about o_i
  };
  template <class P>
  static Factor<P> turning(const Vec3<P>& u, const Vec3<P>& o, const Vec3<P>& U, const Sym3<P>& E) {
    return {u, cross(o, u), E.trace() * u - E * u, cross(u, U)};
  }
  template <class S>
  static void find_factors(bool some_slide, Workspace<S>& ws, int j) {
    using P = typename JointRows<S>::Group;
    using C = typename JointRows<S, ConstantOf<S>>::Group;
    JointRows<S>& rows = ws.rows;
    const Vec3<P> u{rows.template one<P>(Row::R + 2, j), rows.template one<P>(Row::R + 5, j),
                    rows.template one<P>(Row::R + 8, j)};
    const Vec3<P> o = rows.template read<P>(Row::origin, j), U = rows.template read<P>(Row::composite, j);
    const Sym3<P> E = rows.template read_symmetric<P>(Row::composite + 3, j);
    Factor<P> f;
    if constexpr (JointRows<S>::group_size == 1) {
      const C mass = ws.constants.at(ConstantRow::mass, j);
      f = ws.revolute[index(j)] ? turning(u, o, U, E) : Factor<P>{{}, u, cross(U, u), mass * u};
    } else {
      f = turning(u, o, U, E);
      if (some_slide) {
        const P turns = ws.constants.template one<P>(ConstantRow::turns, j),
                slides = ws.constants.template one<P>(ConstantRow::slides, j),
                mass = ws.constants.template one<P>(ConstantRow::mass, j);
        f = {turns * f.turned, turns * f.moved + slides * u, turns * f.moment + slides * cross(U, u),
             turns * f.force + (slides * mass) * u};
      }
    }
    rows.write(Row::twist, j, f.turned), rows.write(Row::twist + 3, j, f.moved);
    rows.write(Row::wrench, j, add_cross(f.moment, o, f.force));  // (6)
    rows.write(Row::wrench + 3, j, f.force);
    rows.write(Row::diagonal, j, felt(some_slide, f, ws, j));
  }
  // (7)
  template <class P, class S>
  static P felt(bool some_slide, const Factor<P>& f, const Workspace<S>& ws, int j) {
    if constexpr (JointRows<S>::group_size == 1) {
      return ws.revolute[index(j)] ? dot(f.turned, f.moment) : P(ws.constants.at(ConstantRow::mass, j));
    } else {
      const P turned = dot(f.turned, f.moment);
      if (!some_slide) return turned;
      return turned +
             ws.constants.template one<P>(ConstantRow::slides, j) * ws.constants.template one<P>(ConstantRow::mass, j);
    }
  }

  // (7): every segment with itself and with the segments that carry it, the rows of joints by the columns of those that
  // carry them; of a square, the other half is overwritten by the mirror image.
  template <class S>
  static void multiply(const JointRows<S>& rows, const Array<CommonFrame::Segment>& segments, const MatrixView<S>& M) {
    constexpr Factors factors{Row::wrench, Row::twist, Row::twist, Row::wrench};
    for (const CommonFrame::Segment& own : segments) {
      if constexpr (std::floating_point<S>) {
        fill_products<S, 6>(rows, factors, {own.from, own.to, own.from, own.to, CarriedBy::column}, M);
        mirror_half(M, own.from, own.to);
      } else {
        for (int k = own.from; k < own.to; ++k)
          fill_products<S, 6>(rows, factors, {k, k + 1, own.from, k, CarriedBy::column}, M);
      }
      for (const CommonFrame::Segment* at = &own; at->above != base_link; at = &segments[index(at->above)]) {
        const int first = segments[index(at->above)].from, last = at->joined_at + 1;
        fill_products<S, 6>(rows, factors, {own.from, own.to, first, last, CarriedBy::column}, M);
        if constexpr (std::floating_point<S>) mirror_block(M, own.from, own.to, first, last);
      }
    }
  }
  // (8), (9): the joints of the base slide, then turn, along the axes in which everything is given.
  template <class S>
  static void fill_for_base(const TreeFor<S>& robot, const JointRows<S>& rows, const MatrixView<S>& M) {
    const Vec3<S> U = rows.get(Row::composite, carrying);
    const Sym3<S> E = rows.symmetric(Row::composite + 3, carrying);
    const S none{}, mass(robot.link(carrying).augmented_mass);
    const S below[base_joints][base_joints] = {{mass},
                                               {none, mass},
                                               {none, none, mass},
                                               {none, -U.z, U.y, E.yy + E.zz},
                                               {U.z, none, -U.x, -E.xy, E.xx + E.zz},
                                               {-U.y, U.x, none, -E.xz, -E.yz, E.xx + E.yy}};
    for (int r = 0; r < base_joints; ++r)
      for (int c = 0; c <= r; ++c) M(r, c) = below[r][c], M(c, r) = below[r][c];  // (8)
    constexpr int by_joint[] = {3, 4, 5, 0, 1, 2};                                // a force, then a moment
    const int joints = robot.joints();
    for (int r = 0; r < base_joints; ++r)
      for (int j = base_joints; j < joints; ++j)
        (std::floating_point<S> ? M(r, j) : M(j, r)) = rows.at(Row::wrench + by_joint[r], j);  // (9)
    if constexpr (std::floating_point<S>) mirror_block(M, 0, base_joints, base_joints, joints);
  }
};

}  // namespace catena

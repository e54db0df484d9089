// Inertia matrix as one product: the wrenches that the joints need, times the twists of the joints, all in one frame
// about one point. Equations (1)-(6): docs/equations/common_frame.md. The frame is that of each branch's first link,
// the root; the composites are those of Algorithm 6.2, in link frames. Meant for long robots, where the product is most
// of the work.
#pragma once

#include "catena/formulation/kernels.hpp"
#include "formulations/inertia/generalized_links.hpp"
#include "formulations/shared/lanes.hpp"

namespace catena {

struct CommonFrame {
  static constexpr FormulationInfo info{"common-frame", "inertia",
                                        "Fijany and Bejczy's common frame, Balafoutis's composites, and a product",
                                        "docs/equations/common_frame.md", "none published"};

  // Six numbers per joint, in the user's order of q: an angular part or a moment, then a linear part or a force. Twists
  // are stored in six rows, wrenches in rows of six, as the product reads them.
  template <class S>
  struct Tables {
    int n;
    Array<S> twists, wrenches;  // (3), (5)

    explicit Tables(int joints) : n(joints), twists(6 * index(joints)), wrenches(6 * index(joints)) {}
    const S* twist(int k, int q) const { return twists.data() + (k * n + q); }
    const S* wrench(int q) const { return wrenches.data() + 6 * q; }
    void set_twist(int q, const Vec3<S>& a, const Vec3<S>& b) {
      const S six[] = {a.x, a.y, a.z, b.x, b.y, b.z};
      for (int k = 0; k < 6; ++k) twists[index(k * n + q)] = six[k];
    }
    void set_wrench(int q, const Vec3<S>& a, const Vec3<S>& b) {
      const S six[] = {a.x, a.y, a.z, b.x, b.y, b.z};
      for (int k = 0; k < 6; ++k) wrenches[index(6 * q + k)] = six[k];
    }
  };
  // Joints that are consecutive both in q and in the tree: their blocks of M are full.
  struct Segment {
    int from, to;          // in q
    int above, joined_at;  // the segment that carries it (or base_link), and the joint there, in q
  };
  // Links base to tip; a segment continues as long as the next joint is the child of its last one and the next in q.
  // The links beyond `root` only, if they are carried by it.
  template <class T>
  static Array<Segment> cut(const BasicTree<T>& robot, int root = base_link) {
    Array<Segment> segments;
    Array<int> segment_of(index(robot.joints()));
    segments.reserve(index(robot.joints()));
    for (int i = root + 1; i < robot.joints(); ++i) {
      const int up = robot.link(i).parent == root ? base_link : robot.link(i).parent, q = robot.link(i).q;
      const int above = up == base_link ? base_link : segment_of[index(up)];
      const int joined_at = up == base_link ? base_link : robot.link(up).q;
      if (up != base_link && joined_at + 1 == q && segments[index(above)].to == q) {
        segments[index(above)].to = q + 1;
        segment_of[index(i)] = above;
      } else {
        segment_of[index(i)] = static_cast<int>(segments.size());
        segments.push_back({q, q + 1, above, joined_at});
      }
    }
    return segments;
  }
  template <class S>
  struct Placed {
    Mat3<S> R_root_from_link;  // (1)
    Vec3<S> origin;            // (2) o_i from the root's origin
  };
  template <class S>
  struct Workspace {
    JointTurns<S> turns;
    Array<Placed<S>> placed;
    Array<GeneralizedLinks::Composite<S>> composites;
    Tables<S> tables;
    Array<Segment> segments;

    explicit Workspace(const TreeFor<S>& robot)
        : turns(robot.joints()),
          placed(index(robot.joints())),
          composites(index(robot.joints())),
          tables(robot.joints()),
          segments(cut(robot)) {}
  };

  template <class S>
  static void run(const TreeFor<S>& robot, std::span<const S> q, Workspace<S>& ws, const MatrixView<S>& M) {
    if (robot.joints() == 0) return;
    joint_turns<S>(robot, q, ws.turns);
    if (ws.segments.size() > 1) M.set_zero();  // between branches
    in_shape(robot, [&]<class Shape>(Shape) { sweep<Shape>(robot, q, ws, M); });
    multiply(ws.tables, ws.segments, M);
    if constexpr (!std::floating_point<S>) mirror_to_ancestors<S>(robot, M);
  }

 private:
  template <class Shape, class S>
  CATENA_PACK_COMPONENTS static void sweep(const TreeFor<S>& robot, std::span<const S> q, Workspace<S>& ws,
                                           const MatrixView<S>& M) {
    const int joints = robot.joints();
    const auto alone = [&](int i) { return GeneralizedLinks::link_alone<Shape, S>(robot.link(i)); };
    Handed<Shape, Placed<S>> placed(ws.placed);
    Handed<Shape, GeneralizedLinks::Composite<S>> composites(ws.composites);
    composites.start(joints, alone);
    for (int k = 0; k < joints; ++k) {  // outward and inward in parallel: neither waits for the other
      const int in = joints - 1 - k;
      place<Shape>(robot, q, k, ws.turns[k], placed);
      ws.placed[index(k)] = placed[k];
      const auto own = ws.composites[index(in)] = composites[in];
      if (const int up = Shape::parent(robot, in); up != base_link)
        composites.add(up, GeneralizedLinks::felt_by_parent<Shape>(robot.link(in), q, ws.turns[in], own), alone);
    }
    for (int i = 0; i < joints; ++i) {
      const auto& link = robot.link(i);
      const auto& [R, o] = ws.placed[index(i)];
      const bool revolute = Shape::revolute(link);
      const Wrench<S> w = GeneralizedLinks::for_unit_acceleration<Shape>(link, ws.composites[index(i)]);  // (4)
      M(link.q, link.q) = felt_by_joint(revolute, w);                                                     // (6)
      if (on_base<Shape>(robot, i)) {
        const Vec3<S> z{S{}, S{}, S(ConstantOf<S>(1))};
        ws.tables.set_twist(link.q, revolute ? z : Vec3<S>{}, revolute ? Vec3<S>{} : z);  // (3)
        ws.tables.set_wrench(link.q, w.moment, w.force);                                  // (5)
        continue;
      }
      const Vec3<S> u = R.column_z();
      ws.tables.set_twist(link.q, revolute ? u : Vec3<S>{}, revolute ? cross(o, u) : u);  // (3)
      const Vec3<S> f = revolute ? R * FlatVec3<S>{w.force.x, w.force.y} : w.force.z * u;
      ws.tables.set_wrench(link.q, add_cross(R * w.moment, o, f), f);  // (5)
    }
  }

  template <class Shape, class S>
  static void place(const TreeFor<S>& robot, std::span<const S> q, int i, const Turn<S>& turn,
                    Handed<Shape, Placed<S>>& placed) {
    const auto& link = robot.link(i);
    const int up = Shape::parent(robot, i);
    if (up == base_link) return;
    const auto s = Shape::offset(link, q);
    if (on_base<Shape>(robot, up)) {
      placed.leave(i, {matrix(link.tilt, turn), {S(s.x), S(s.y), S(z_of(s))}});
    } else {
      const Mat3<S> R = placed[up].R_root_from_link;
      placed.leave(i, {compose(R, Shape::tilt(link), turn), placed[up].origin + R * s});  // (1), (2)
    }
  }

  // (6): every segment with itself, a few rows at a time, and with the segments that carry it.
  template <class S>
  static void multiply(const Tables<S>& tables, const Array<Segment>& segments, const MatrixView<S>& M) {
    for (const Segment& own : segments) {
      for (int q = own.from; q < own.to; q += tile) {
        const bool again = std::floating_point<S>;  // the last rows also form a tile, and some are computed twice
        const int from = again ? std::max(own.from, std::min(q, own.to - tile)) : q, to = std::min(from + tile, own.to);
        fill_block(tables, from, to, own.from, from, M);
        for (int row = from; row < to; ++row)
          for (int c = from; c < row; ++c) M.set_symmetric(row, c, product(tables, row, c));
      }
      for (const Segment* at = &own; at->above != base_link; at = &segments[index(at->above)])
        fill_block(tables, own.from, own.to, segments[index(at->above)].from, at->joined_at + 1, M);
    }
  }
  // Rows row_from, …, row_to - 1 by columns from, …, to - 1, and their mirror image.
  template <class S>
  static void fill_block(const Tables<S>& tables, int row_from, int row_to, int from, int to, const MatrixView<S>& M) {
    if constexpr (std::floating_point<S>) {
      if (row_to - row_from >= tile && to - from >= tile)
        return for_each_tile(row_from, row_to,
                             [&](int row) { for_each_tile(from, to, [&](int c) { fill_tile(tables, row, c, M); }); });
    }
    for (int row = row_from; row < row_to; ++row)
      for (int c = from; c < to; ++c) M.set_symmetric(row, c, product(tables, row, c));
  }
  template <class S>
  static S product(const Tables<S>& tables, int row, int c) {
    const S* wrench = tables.wrench(row);
    S sum = wrench[0] * *tables.twist(0, c);
    for (int k = 1; k < 6; ++k) sum += wrench[k] * *tables.twist(k, c);
    return sum;
  }
  // The same for four rows by four columns.
  template <std::floating_point S>
  [[gnu::always_inline]] static void fill_tile(const Tables<S>& tables, int row, int c, const MatrixView<S>& M) {
    typedef S Four __attribute__((vector_size(tile * sizeof(S))));  // NOLINT(modernize-use-using)
    Four sum[tile] = {}, twists;
    const S* wrenches = tables.wrench(row);
    for (int k = 0; k < 6; ++k) {
      __builtin_memcpy(&twists, tables.twist(k, c), sizeof twists);
      for (int i = 0; i < tile; ++i) sum[i] += wrenches[6 * i + k] * twists;
    }
    Four mirrored[tile];
    detail::transpose_four(sum, mirrored);
    for (int i = 0; i < tile; ++i) {
      __builtin_memcpy(&M(row + i, c), &sum[i], sizeof sum[i]);
      __builtin_memcpy(&M(c + i, row), &mirrored[i], sizeof mirrored[i]);
    }
  }
  static constexpr int tile = 4;
  // visit(k) for the first of each four; the last four are done together, and some of them twice.
  template <class Visitor>
  [[gnu::always_inline]] static void for_each_tile(int from, int to, const Visitor& visit) {
    for (int k = from; k + tile < to; k += tile) visit(k);
    visit(to - tile);
  }
};

}  // namespace catena

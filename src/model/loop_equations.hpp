// The equations of the closed loops of one cluster, φ(x) = 0 in the positions x of its movers, their Jacobian, and the
// derivatives of both. Each loop is a chain of joints from its first frame, on which all is seen, to its second; a
// joint between the first frame and the link where the paths meet moves the rest backwards. Twists are along the axes
// of the link that carries the cluster, about its origin. Equations (1)-(7): docs/equations/closed_loops.md.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "catena/mechanism.hpp"

namespace catena {

// One scalar equation of a loop: the coordinate `a` of the second frame's origin in the first frame, or the product of
// the first frame's axis a with the second's axis b. (1)
struct LoopRow {
  bool point;
  int a, b;
};
inline std::span<const LoopRow> rows_of(LoopType type) {
  static constexpr LoopRow x{true, 0, 0}, y{true, 1, 0}, z{true, 2, 0};
  static constexpr LoopRow xz{false, 0, 2}, yz{false, 1, 2}, zx{false, 2, 0}, xy{false, 0, 1};
  static constexpr std::array fixed{x, y, z, yz, zx, xy};
  static constexpr std::array revolute{x, y, z, xz, yz}, prismatic{x, y, yz, zx, xy};
  static constexpr std::array cylindrical{x, y, xz, yz}, universal{x, y, z, zx};
  static constexpr std::array spherical{x, y, z}, planar{z, xz, yz};
  switch (type) {
    case LoopType::revolute:
      return revolute;
    case LoopType::prismatic:
      return prismatic;
    case LoopType::cylindrical:
      return cylindrical;
    case LoopType::universal:
      return universal;
    case LoopType::spherical:
      return spherical;
    case LoopType::planar:
      return planar;
    default:
      return fixed;
  }
}

template <class S>
class LoopEquations {
 public:
  using T = ConstantOf<S>;

  LoopEquations(const TreeFor<S>& tree, const Closure<T>& closure, const LoopCluster& cluster) {
    for (const int i : cluster.links) {
      const auto above = std::find(cluster.links.begin(), cluster.links.end(), tree.link(i).parent);
      Joint joint{tree.link(i), above == cluster.links.end() ? -1 : static_cast<int>(above - cluster.links.begin()),
                  closure.joints[tree.link(i).q].offset};
      joint.is_turned = joint.link.revolute || (joint.up >= 0 && joints_[index(joint.up)].is_turned);
      for (const auto& term : closure.joints[joint.link.q].terms) {
        const auto known = std::find(movers_.begin(), movers_.end(), term.mover);
        joint.terms.push_back({static_cast<int>(known - movers_.begin()), term.factor});
        if (known == movers_.end()) movers_.push_back(term.mover);
      }
      turn_joint(joint, Turn<S>{S(joint.link.fixed_turn.c), S(joint.link.fixed_turn.s)});  // for those that never turn
      joints_.push_back(std::move(joint));
    }
    for (const int l : cluster.loops) add_loop(tree, cluster, closure.loops[index(l)]);
    std::size_t row = 0;
    for (const Loop& loop : loops_)
      for (std::size_t r = 0; r < loop.all.size(); ++r, ++row)
        if (cluster.kept.empty() || cluster.kept[row] != 0) rows_.push_back({&loop - loops_.data(), loop.all[r]});
    phi_.resize(rows_.size());
    of_joints_.resize(index(tree.joints()));
    rates_.resize(rows_.size());
    for (std::size_t r = 0; r < rows_.size(); ++r) look_for(r);
    J_.resize(rows_.size() * movers_.size());
    more_.resize(J_.size());
  }

  int rows() const { return static_cast<int>(rows_.size()); }
  const std::vector<int>& movers() const { return movers_; }  // the columns
  // φ, and its derivative with respect to the movers, by rows.
  std::span<const S> phi() const { return phi_; }
  std::span<const S> J() const { return J_; }
  std::span<const S> rates() const { return rates_; }  // from the latest second_rate()
  int columns() const { return static_cast<int>(movers_.size()); }
  // Whether an entry of J can differ from zero.
  bool is_filled(int row, int column) const {
    for (const OnPath& at : loops_[rows_[index(row)].loop].path)
      for (const auto& term : joints_[index(at.joint)].terms)
        if (term.mover == column) return true;
    return false;
  }
  std::size_t loop_of(int row) const { return rows_[index(row)].loop; }

  // At the positions of all movers: (1), (2).
  void place(std::span<const S> x) {
    place(x, [](const LinkConstants<T>& link, const S& q) { return sincos_of_sum(q, link.theta); });
  }
  // turn_of(link, q): cosine and sine of a revolute joint's angle.
  template <class TurnOf>
  void place(std::span<const S> x, const TurnOf& turn_of) {
    for (Joint& joint : joints_) {
      S q(joint.offset);
      for (const auto& [column, factor] : joint.terms) q = q + factor * x[index(movers_[index(column)])];
      place_joint(joint, q, turn_of);
    }
    for (Loop& loop : loops_)
      for (std::size_t k = 0; k < 2; ++k) loop.frames[k] = frame(loop.at[k], loop.in_link[k]);
    clear(J_);
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      const Loop& loop = loops_[rows_[r].loop];
      const Seen seen = see(loop, rows_[r].row);
      phi_[r] = rows_[r].row.point ? dot(seen.a, seen.y - loop.frames[0].p) : dot(seen.a, seen.y);
    }
    for_each_look([&](const Loop& loop, const Look& look) {
      const Seen seen = see(loop, look.row);
      for (const OnPath& at : loop.path) {
        const Vec3<S> y_by_q = moved(screw(at), seen);
        for (const auto& [r, a] : look.rows) add(J_, r, at, dot(axis(loop.frames[0], a), y_by_q));
      }
    });
  }
  // φ̈ while no joint of the tree accelerates, J̇ q̇: (3).
  std::span<const S> second_rate(std::span<const S> qd) {
    for (Loop& loop : loops_) {
      Twist<S> V{}, A{};
      for (const OnPath& at : loop.path) {
        const Twist<S> own = times(rate_of(at, qd), screw(at));
        A = sum(A, across(V, own));  // V before or after the joint: its own part is zero
        V = sum(V, own);
      }
      loop.V = V, loop.A = A;
    }
    for_each_look([&](const Loop& loop, const Look& look) {
      const Seen seen = see(loop, look.row);
      const Vec3<S> y = moved(loop.A, seen) + cross(loop.V.omega, moved(loop.V, seen));
      for (const auto& [r, a] : look.rows) rates_[r] = dot(axis(loop.frames[0], a), y);
    });
    return rates_;
  }

  // The same for rates of the movers.
  std::span<const S> second_rate_by_movers(std::span<const S> rates) {
    for (const Joint& joint : joints_) {
      S& rate = of_joints_[index(joint.link.q)];
      rate = S{};
      for (const auto& [column, factor] : joint.terms) rate += factor * rates[index(movers_[index(column)])];
    }
    return second_rate(of_joints_);
  }

  // The derivative of J along the rates u of the tree's joints: (3). Valid until the next call of one of these two.
  std::span<const S> J_along(std::span<const S> u) {
    clear(more_);
    for (Loop& loop : loops_) {
      Twist<S> V{};
      for (OnPath& at : loop.path) at.V = V = sum(V, times(rate_of(at, u), screw(at)));
      loop.V = V;
    }
    for_each_entry([&](std::size_t r, const Loop& loop, const Seen& seen, const OnPath& at) {
      const Twist<S>& s = screw(at);
      const Vec3<S> y_by_q = moved(across(at.V, s), seen) + cross(s.omega, moved(loop.V, seen));
      add(more_, r, at, dot(seen.a, y_by_q));
    });
    return more_;
  }
  // The derivative of φ̈ with respect to positions, for rates and accelerations of the tree's joints: (4).
  std::span<const S> second_rate_by_position(std::span<const S> qd, std::span<const S> qdd) {
    clear(more_);
    for (Loop& loop : loops_) {
      Twist<S> V{}, A{};
      for (OnPath& at : loop.path) {
        const Twist<S> own = times(rate_of(at, qd), screw(at));
        V = sum(V, own);
        A = sum(A, sum(times(rate_of(at, qdd), screw(at)), across(V, own)));
        at.V = V, at.A = A;
      }
      loop.V = V, loop.A = A;
    }
    for_each_entry([&](std::size_t r, const Loop& loop, const Seen& seen, const OnPath& at) {
      const Twist<S> rest = difference(loop.V, at.V);
      const Twist<S>& s = screw(at);
      const Twist<S> V_by_q = across(s, rest);
      const Twist<S> A_by_q = sum(across(s, difference(loop.A, at.A)), across(across(at.V, s), rest));
      const Vec3<S>& w = loop.V.omega;
      const Vec3<S> y_dot = moved(loop.V, seen), y_by_q = moved(s, seen);
      const Vec3<S> y_dot_by_q = moved(V_by_q, seen) + cross(w, y_by_q);
      const Vec3<S> by_q =
          moved(A_by_q, seen) + cross(loop.A.omega, y_by_q) + cross(V_by_q.omega, y_dot) + cross(w, y_dot_by_q);
      add(more_, r, at, dot(seen.a, by_q));
    });
    return more_;
  }
  // h += Σ λ ∂²φ/∂x²: (5). h has a row and a column for each mover of the cluster.
  void add_curvature(std::span<const S> lambda, std::span<S> h) const {
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      const Loop& loop = loops_[rows_[r].loop];
      const Seen seen = see(loop, rows_[r].row);
      for (std::size_t k = 0; k < loop.path.size(); ++k) {
        const Vec3<S> later = lambda[r] * moved(screw(loop.path[k]), seen);
        for (std::size_t i = 0; i <= k; ++i)
          add_pair(h, loop.path[i], loop.path[k], dot(seen.a, cross(screw(loop.path[i]).omega, later)), i == k);
      }
    }
  }
  // The wrench by which a loop's first frame acts on its second, about the first frame's origin along its axes: (6).
  Wrench<S> wrench(std::size_t l, std::span<const S> lambda) const {
    const Loop& loop = loops_[l];
    Wrench<S> out{};
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      if (rows_[r].loop != l) continue;
      const Seen seen = see(loop, rows_[r].row);
      const Vec3<S> along = lambda[r] * seen.a;
      if (rows_[r].row.point) out.force += along;
      out.moment += cross(rows_[r].row.point ? seen.y - loop.frames[0].p : seen.y, along);
    }
    const Mat3<S> to_frame = loop.frames[0].R.transpose();
    return {to_frame * out.force, to_frame * out.moment};
  }
  // Whether loop l stands as its type says, and not with an axis reversed, for which φ is zero too: (7).
  T agreement(std::size_t l) const requires std::floating_point<S> {
    const Loop& loop = loops_[l];
    T least(1);
    for (const LoopRow& row : loop.all)
      if (!row.point && row.b == 2) least = std::min(least, dot(axis(loop.frames[0], 2), axis(loop.frames[1], 2)));
    if (loop.all.size() > 4 && loop.all.back().b == 1 && !loop.all.back().point)  // no turn is left
      for (int k = 0; k < 3; ++k) least = std::min(least, dot(axis(loop.frames[0], k), axis(loop.frames[1], k)));
    return least;
  }

 private:
  struct Joint {
    LinkConstants<T> link;
    int up;                                          // the joint of the cluster that carries it, -1: none
    T offset;                                        // its position when every mover is at zero
    bool is_turned = false;                          // against the carrier, by itself or by joints that carry it
    std::vector<typename Closure<T>::Term> terms{};  // by column
    Pose<S> pose{Mat3<S>{}, Vec3<S>{}};
    Twist<S> screw{};
  };
  struct OnPath {
    int joint;
    bool backwards;                                  // the path runs against the joint
    std::vector<typename Closure<T>::Term> terms{};  // by column, negative if backwards
    Twist<S> V{}, A{};
  };
  // A point or direction of the second frame, and the rows that look at it, each along its axis of the first.
  struct Look {
    LoopRow row;
    struct By {
      std::size_t row;
      int a;
    };
    std::vector<By> rows{};
  };
  struct Loop {
    std::span<const LoopRow> all;
    std::vector<OnPath> path;  // from the first frame to the second
    std::array<int, 2> at;     // the joint that moves each frame, -1: the carrier
    std::array<Pose<T>, 2> in_link;
    std::array<Pose<S>, 2> frames{Pose<S>{Mat3<S>{}, Vec3<S>{}}, Pose<S>{Mat3<S>{}, Vec3<S>{}}};
    Twist<S> V{}, A{};
    std::vector<Look> looks{};
  };
  struct Row {
    std::size_t loop;
    LoopRow row;
    Row(std::ptrdiff_t of, const LoopRow& kept) : loop(static_cast<std::size_t>(of)), row(kept) {}
  };
  // What a row looks at: its axis a, fixed to the first frame, and a point or a direction of the second.
  struct Seen {
    Vec3<S> a, y;
    bool point;
  };

  void look_for(std::size_t r) {
    const LoopRow& row = rows_[r].row;
    auto& looks = loops_[rows_[r].loop].looks;
    const auto same = [&](const Look& look) {
      return look.row.point == row.point && (row.point || look.row.b == row.b);
    };
    auto found = std::find_if(looks.begin(), looks.end(), same);
    if (found == looks.end()) found = looks.insert(looks.end(), {row});
    found->rows.push_back({r, row.a});
  }
  template <class Visitor>
  void for_each_look(const Visitor& visit) const {
    for (const Loop& loop : loops_)
      for (const Look& look : loop.looks) visit(loop, look);
  }
  void add_loop(const TreeFor<S>& tree, const LoopCluster& cluster, const ClosedLoop& closed) {
    Loop loop{rows_of(closed.type), {}, {}, {}};
    for (std::size_t k = 0; k < 2; ++k) {
      const auto& frame = tree.frames[index(closed.frames[k])];
      const auto found = std::find(cluster.links.begin(), cluster.links.end(), frame.link);
      loop.at[k] = found == cluster.links.end() ? -1 : static_cast<int>(found - cluster.links.begin());
      loop.in_link[k] = frame.in_link;
    }
    int a = loop.at[0], b = loop.at[1];
    std::vector<OnPath> outward;
    while (a != b) {  // joints that carry others come first
      if (a > b) {
        loop.path.push_back({a, true});
        a = joints_[index(a)].up;
      } else {
        outward.push_back({b, false});
        b = joints_[index(b)].up;
      }
    }
    loop.path.insert(loop.path.end(), outward.rbegin(), outward.rend());
    for (OnPath& at : loop.path)
      for (const auto& [column, factor] : joints_[index(at.joint)].terms)
        at.terms.push_back({column, at.backwards ? -factor : factor});
    loops_.push_back(std::move(loop));
  }

  template <class TurnOf>
  void place_joint(Joint& joint, const S& q, const TurnOf& turn_of) {
    const auto& link = joint.link;
    if (link.revolute)
      turn_joint(joint, turn_of(link, q));
    else if (joint.is_turned)
      turn_joint(joint, Turn<S>{S(link.fixed_turn.c), S(link.fixed_turn.s)});
    Vec3<S> offset = static_cast<Vec3<S>>(link.p_parent_to_link);
    if (!link.revolute) offset += q * link.z_in_parent;
    const Pose<S>* const up = joint.up < 0 ? nullptr : &joints_[index(joint.up)].pose;
    joint.pose.p = up ? up->p + up->R * offset : offset;
    if (link.revolute) joint.screw.v = cross(joint.pose.p, joint.screw.omega);
  }
  void turn_joint(Joint& joint, const Turn<S>& turn) {
    const Mat3<S> R = matrix(joint.link.tilt, turn);
    joint.pose.R = joint.up < 0 ? R : joints_[index(joint.up)].pose.R * R;
    (joint.link.revolute ? joint.screw.omega : joint.screw.v) = joint.pose.R.column_z();
  }
  Pose<S> frame(int at, const Pose<T>& in_link) const {
    if (at < 0) return {static_cast<Mat3<S>>(in_link.R), static_cast<Vec3<S>>(in_link.p)};
    const Pose<S>& link = joints_[index(at)].pose;
    return {link.R * in_link.R, link.p + link.R * in_link.p};
  }

  static Vec3<S> axis(const Pose<S>& frame, int k) {
    return k == 0 ? frame.R.column_x() : k == 1 ? frame.R.column_y() : frame.R.column_z();
  }
  static Seen see(const Loop& loop, const LoopRow& row) {
    return {axis(loop.frames[0], row.a), row.point ? loop.frames[1].p : axis(loop.frames[1], row.b), row.point};
  }
  // The rate of y under a twist.
  static Vec3<S> moved(const Twist<S>& s, const Seen& seen) {
    const Vec3<S> turned = cross(s.omega, seen.y);
    return seen.point ? s.v + turned : turned;
  }
  static Twist<S> sum(const Twist<S>& a, const Twist<S>& b) { return {a.omega + b.omega, a.v + b.v}; }
  static Twist<S> difference(const Twist<S>& a, const Twist<S>& b) { return {a.omega - b.omega, a.v - b.v}; }
  static Twist<S> times(const S& k, const Twist<S>& a) { return {k * a.omega, k * a.v}; }
  static Twist<S> across(const Twist<S>& a, const Twist<S>& b) {
    return {cross(a.omega, b.omega), cross(a.omega, b.v) + cross(a.v, b.omega)};
  }

  static void clear(std::vector<S>& matrix) { std::fill(matrix.begin(), matrix.end(), S{}); }
  TreeJoint joint_of(const OnPath& at) const { return joints_[index(at.joint)].link.q; }
  const Twist<S>& screw(const OnPath& at) const { return joints_[index(at.joint)].screw; }
  // Along the path.
  S rate_of(const OnPath& at, std::span<const S> rates) const {
    const S& rate = rates[index(joint_of(at))];
    return at.backwards ? -rate : rate;
  }
  void add(std::vector<S>& matrix, std::size_t row, const OnPath& at, const S& value) const {
    for (const auto& [column, factor] : at.terms)
      matrix[row * movers_.size() + index(column)] += factor == T(1) ? value : factor * value;
  }
  void add_pair(std::span<S> h, const OnPath& at, const OnPath& other, const S& value, bool same) const {
    for (const auto& [i, factor] : at.terms)
      for (const auto& [k, second] : other.terms) {
        h[index(i) * movers_.size() + index(k)] += (factor * second) * value;
        if (!same) h[index(k) * movers_.size() + index(i)] += (factor * second) * value;
      }
  }
  template <class Visitor>
  void for_each_entry(Visitor&& visit) const {
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      const Loop& loop = loops_[rows_[r].loop];
      const Seen seen = see(loop, rows_[r].row);
      for (const OnPath& at : loop.path) visit(r, loop, seen, at);
    }
  }

  std::vector<Joint> joints_;
  std::vector<int> movers_;
  std::vector<Loop> loops_;
  std::vector<Row> rows_;
  std::vector<S> phi_, rates_, J_, more_, of_joints_;
};

}  // namespace catena

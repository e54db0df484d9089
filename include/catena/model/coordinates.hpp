// Coordinates: what users see. Which joints of the tree they are, their limits, and the chart: how the tree's joint
// positions follow from the user's q. Equations: docs/equations/charts.md.
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "catena/math/pose.hpp"
#include "catena/model/indices.hpp"
#include "catena/robot.hpp"

namespace catena {

// The prescribed motion of a moving base: v, ω, v̇, ω̇ of the base link's origin, along that link's axes.
inline constexpr int base_motion_size = 12;

enum class BaseKind {
  fixed,
  free,    // the first six joints carry it. They stay at zero; instead q starts with the base link's position and unit
           // quaternion, and q̇ with its twist along its own axes (coordinates/free_base.hpp)
  moving,  // prescribed: the tree's first six joints carry it and are not coordinates (…/moving_base.hpp)
};

// A joint of the tree in a robot with coupled joints: q_joint = Σ factor q + offset.
template <class T>
struct FollowingJoint {
  struct Term {
    Coordinate coordinate{};
    T factor = T(1);
  };
  std::vector<Term> terms;
  T offset = T(0);
};

// A closed loop: what its second frame may do against its first.
struct ClosedLoop {
  std::string name;
  LoopType type = LoopType::revolute;
  std::array<int, 2> frames{};  // indices into Tree::frames
};
// Loops that share joints, with every joint on the paths between their frames.
struct LoopCluster {
  std::vector<int> loops, links;            // links base to tip
  int carrier = base_link;                  // the link that carries all of them
  std::vector<int> independent, dependent;  // movers; the dependent ones in the order in which they are eliminated
  std::vector<char> kept;                   // by row of its loops' equations: not 0 if joints of the loop can change it
  int redundant = 0;                        // how many of those kept follow from the others, wherever it stands
  double size = 1.0;                        // m: the longest step between its joints and frames
};
// Joints that follow from closed loops. Movers are the joints that are not coupled, in the order of the tree; the loops
// make some of them depend on the others, which are coordinates.
template <class T>
struct Closure {
  struct Term {
    int mover = 0;
    T factor = T(1);
  };
  struct Row {
    std::vector<Term> terms;
    T offset = T(0);
  };
  std::vector<ClosedLoop> loops;
  std::vector<LoopCluster> clusters;
  ByJoint<Row> joints;            // each joint of the tree by the movers; those that carry a moving base have none
  std::vector<TreeJoint> movers;  // each mover's joint of the tree
  std::vector<int> coordinate;    // of each mover; -1: it depends on the loops
  std::vector<double> closed;     // positions of the movers in which every loop is closed
  bool placed = false;            // q has every mover, consistent with the loops: nothing is solved for

  template <class U>
  Closure<U> cast() const {
    Closure<U> out{loops, clusters, {}, movers, coordinate, closed, placed};
    for (const Row& row : joints) {
      typename Closure<U>::Row own{{}, U(row.offset)};
      for (const Term& term : row.terms) own.terms.push_back({term.mover, U(term.factor)});
      out.joints.push_back(own);
    }
    return out;
  }
};

template <class T>
struct BasicCoordinates {
  ByCoordinate<TreeJoint> joints;     // each coordinate's joint of the tree, with its name and motor
  ByCoordinate<JointLimits> limits;   // those that follow from only one coordinate
  ByJoint<JointLimits> joint_limits;  // of each of the tree's joints by itself
  // The chart.
  BaseKind base = BaseKind::fixed;
  Pose<T> free_origin{};                 // free: world from the frame in which the base's position is measured
  ByJoint<FollowingJoint<T>> following;  // coupled joints; empty: every joint is independent, or there are loops
  Closure<T> closure{};                  // closed loops, and the couplings of a robot that has some
  std::map<std::string, std::vector<double>>
      more{};  // constants of other steps of the chart, by name: coordinates/charts.hpp

  int nv() const { return static_cast<int>(joints.size()); }  // entries of q̇
  // Entries of q.
  int nq() const {
    return (closure.placed ? static_cast<int>(closure.movers.size()) : nv()) + (base == BaseKind::free ? 1 : 0);
  }
  AllOf<Coordinate> all() const { return AllOf<Coordinate>(nv()); }
  bool is_coupled() const { return !following.empty(); }
  bool is_closed() const { return !closure.loops.empty(); }
  bool is_free() const { return base == BaseKind::free; }
  bool is_moving() const { return base == BaseKind::moving; }
  // Whether the joints of the tree are the coordinates.
  bool is_plain() const { return base == BaseKind::fixed && !is_coupled() && !is_closed() && more.empty(); }
  // Whether there are as many coordinates as joints of the tree, each moving its own: G is 1.
  bool is_square() const { return base != BaseKind::moving && !is_coupled() && !is_closed() && more.empty(); }
  // The index in q of a coordinate's position; the rotations of a free base have none.
  std::size_t position_of(Coordinate c) const {
    int at = c;
    if (closure.placed)
      for (at = 0; closure.coordinate[index(at)] != c;) ++at;
    return index(is_free() && c >= 3 ? at + 1 : at);
  }

  template <class U>
  BasicCoordinates<U> cast() const {
    BasicCoordinates<U> out{joints, limits, joint_limits, base, {}, {}, closure.template cast<U>(), more};
    out.free_origin = {static_cast<Mat3<U>>(free_origin.R), static_cast<Vec3<U>>(free_origin.p)};
    for (const auto& joint : following) {
      FollowingJoint<U> own{{}, U(joint.offset)};
      for (const auto& term : joint.terms) own.terms.push_back({term.coordinate, U(term.factor)});
      out.following.push_back(own);
    }
    return out;
  }
};
using Coordinates = BasicCoordinates<double>;

}  // namespace catena

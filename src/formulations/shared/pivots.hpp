// The pivots of the inertia matrix, the articulated inertias: below which size one may be only rounding error.
#pragma once

#include <cmath>
#include <limits>
#include <string>

#include "catena/formulation/formulation.hpp"
#include "catena/validate.hpp"

namespace catena {

// By link, the value that a pivot must exceed to be beyond doubt: rounding error on the scale of the largest inertia
// that the joint can ever feel, with all it moves stretched out across its axis (or, if it slides, the mass).
template <class T>
Array<T> doubtful_pivots(const BasicTree<T>& robot) {
  const auto length = [](const Vec3<T>& v) { return std::sqrt(dot(v, v)); };
  struct Reach {
    T mass{}, moment{}, inertia{};  // Σ m, Σ m ρ, Σ m ρ² + I, ρ the farthest a mass can be from the joint's origin
  };
  Array<Reach> reach(robot.links.size());
  Array<T> doubtful(robot.links.size());
  for (int i = robot.joints() - 1; i >= 0; --i) {
    const auto& link = robot.link(i);
    Reach& own = reach[index(i)];
    const T com = length(link.com);
    own.mass += link.mass;
    own.moment += link.mass * com;
    own.inertia += link.mass * com * com + link.inertia_com.trace();
    doubtful[index(i)] = T(8) * std::numeric_limits<T>::epsilon() * (link.revolute ? own.inertia : own.mass);
    if (link.parent == base_link) continue;
    Reach& parent = reach[index(link.parent)];
    const T offset = length(link.p_parent_to_link);
    parent.mass += own.mass;
    parent.moment += own.moment + own.mass * offset;
    parent.inertia += own.inertia + T(2) * own.moment * offset + own.mass * offset * offset;
  }
  return doubtful;
}

// The first joint whose own link, or rotor, is not enough to keep the inertia matrix regular in every position; empty
// if there is none; only among passive joints if only these accelerate freely. A pivot is never smaller than the own
// link's inertia about its axis (or, if it slides, its mass): links beyond only add to it. The six joints of a free
// base share one link, the last one's; their pivots are at least its smallest moment of inertia, and the part of its
// mass that does not yield by rotation.
inline std::string joint_in_doubt(const Mechanism& robot, bool only_passive = false) {
  constexpr double margin = 1e3;  // for the rounding error of the pivot itself
  const Array<double> doubtful = doubtful_pivots(robot);
  for (int i = 0; i < robot.joints(); ++i) {
    const auto& link = robot.link(i);
    if (only_passive && !robot.is_passive(link.q)) continue;
    double felt = felt_of_link(link) + added_inertia(robot, link);
    if (robot.coordinates.base != BaseKind::fixed && i < base_joints) {
      if (robot.coordinates.is_moving()) continue;  // they do not accelerate freely
      const auto& body = robot.links[base_joints - 1];
      const double least = eigenvalues(body.inertia_com).x, arm = dot(body.com, body.com);
      felt = link.revolute ? least : body.mass * least / (least + body.mass * arm);
    }
    if (!(felt > margin * doubtful[index(i)])) return robot.joint_names[link.q];
  }
  return {};
}

}  // namespace catena

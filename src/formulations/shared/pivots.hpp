// The pivots of the inertia matrix, the articulated inertias: below which size one may be only rounding error.
#pragma once

#include <cmath>
#include <limits>
#include <string>

#include "catena/formulation/conditioning.hpp"
#include "catena/formulation/formulation.hpp"
#include "catena/mechanism.hpp"

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
// if there is none; only among passive joints if only these accelerate freely, and not those of a base whose motion is
// given.
inline std::string joint_in_doubt(const Mechanism& robot, bool only_passive = false) {
  constexpr double margin = 1e3;  // for the rounding error of the pivot itself
  const Array<double> doubtful = doubtful_pivots(robot);
  for (int i = robot.coordinates.is_moving() ? base_joints : 0; i < robot.joints(); ++i) {
    if (only_passive && !robot.is_passive(robot.link(i).q)) continue;
    if (!(least_pivot(robot, i) > margin * doubtful[index(i)])) return robot.joint_names[robot.link(i).q];
  }
  return {};
}

}  // namespace catena

// Which coordinates are angles that a full turn brings back.
#pragma once

#include <algorithm>

#include "catena/mechanism.hpp"

namespace catena::control {

inline bool turns(const Mechanism& robot, Coordinate c) { return robot.link(robot.link_of(c)).revolute; }

// Not where other joints follow it, by whatever factors.
inline bool comes_round(const Mechanism& robot, Coordinate c) {
  const auto& following = robot.coordinates.following.list();
  const auto moves = [c](const auto& joint) {
    return std::any_of(joint.terms.begin(), joint.terms.end(), [c](const auto& term) { return term.coordinate == c; });
  };
  return turns(robot, c) && std::count_if(following.begin(), following.end(), moves) <= 1;  // its own
}

}  // namespace catena::control

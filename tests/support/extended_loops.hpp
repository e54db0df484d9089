// Positions in which closed loops are closed in extended precision.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "model/closed_cluster.hpp"
#include "support/extended.hpp"

namespace catena::test {

// The dependent joints of all loops, in rad or by the size of their cluster, from all positions nearby.
inline std::vector<Extended> closed_exactly(const Mechanism& robot, const std::vector<double>& q, bool search = true) {
  const Closure<double>& closure = robot.coordinates.closure;
  const std::vector<double> own(q.end() - std::ptrdiff_t(closure.movers.size()), q.end());
  std::vector<Extended> x(own.begin(), own.end()), out;
  for (const LoopCluster& cluster : closure.clusters) {
    ClosedCluster<Extended> loops(robot, closure, cluster);
    std::vector<Extended> step(cluster.dependent.size());
    for (int k = 0; search && k < 4; ++k) loops.place(x), loops.newton_step(x, step);
    for (const int m : cluster.dependent) {
      const bool turns = robot.link(robot.link_of(closure.movers[index(m)])).revolute;
      out.push_back(x[index(m)] / Extended(turns ? 1.0 : cluster.size));
    }
  }
  return out;
}

}  // namespace catena::test

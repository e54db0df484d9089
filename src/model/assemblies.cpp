#include "model/assemblies.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <stdexcept>

#include "model/loop_search.hpp"

namespace catena {
namespace {

// Newton's method with steps of at most half a radian, or half the size of the loops.
bool settle(ClosedCluster<double>& cluster, std::span<const double> scale, std::vector<double>& x,
            std::span<double> step) {
  std::vector<double> before;
  for (int k = 0; k < 60; ++k) {
    before = x;
    cluster.place(x);
    cluster.newton_step(x, step);
    double most = 0.0;
    for (const int m : cluster.dependent())
      most = std::max(most, std::abs(x[index(m)] - before[index(m)]) * scale[index(m)]);
    if (!std::isfinite(most)) return false;
    if (most < 1e-14) break;
    const double share = most > 0.5 ? 0.5 / most : 1.0;
    for (const int m : cluster.dependent()) x[index(m)] = before[index(m)] + share * (x[index(m)] - before[index(m)]);
  }
  cluster.place(x);
  double gap = 0.0;
  for (const double part : cluster.equations().phi()) gap = std::max(gap, std::abs(part));
  return gap < 1e-11;
}

}  // namespace

std::vector<std::vector<double>> find_assemblies(const Mechanism& robot, std::span<const double> q, int starts) {
  const Closure<double>& closure = robot.coordinates.closure;
  if (closure.clusters.size() != 1)
    throw std::invalid_argument("robot '" + robot.name + "' has " + std::to_string(closure.clusters.size()) +
                                " groups of closed loops; assemblies are listed for one");
  const LoopCluster& loops = closure.clusters.front();
  ClosedCluster<double> cluster(robot, closure, loops);
  std::vector<double> x(closure.closed), scale(x.size(), 1.0), step(loops.dependent.size());
  for (std::size_t m = 0; m < x.size(); ++m) {
    if (!robot.link(robot.link_of(closure.movers[m])).revolute) scale[m] = 1.0 / loops.size;
    if (const int c = closure.coordinate[m]; c >= 0) x[m] = q[robot.coordinates.position_of(Coordinate(c))];
  }
  const auto angle = [&](std::size_t m, double value) {
    return scale[m] == 1.0 ? std::remainder(value, 2.0 * std::numbers::pi) : value;
  };
  std::vector<std::vector<double>> found;
  const auto keep = [&](std::vector<double> at) {
    for (std::size_t l = 0; l < loops.loops.size(); ++l)
      if (cluster.equations().agreement(l) < 0.0) return;  // an axis is reversed
    for (const int m : loops.dependent) at[index(m)] = angle(index(m), at[index(m)]);
    const auto same = [&](const std::vector<double>& other) {
      return std::all_of(loops.dependent.begin(), loops.dependent.end(), [&](int m) {
        return std::abs(angle(index(m), other[index(m)] - at[index(m)])) * scale[index(m)] < 1e-6;
      });
    };
    if (std::none_of(found.begin(), found.end(), same)) found.push_back(std::move(at));
  };
  LoopSearch<double> search(robot, closure, loops);
  if (std::vector<double> present = x; search.find(present)) {
    cluster.place(present);
    keep(present);
  }
  std::mt19937 random(5);
  std::uniform_real_distribution<double> anywhere(-std::numbers::pi, std::numbers::pi);
  for (int k = 0; k < starts; ++k) {
    std::vector<double> at = x;
    for (const int m : loops.dependent) at[index(m)] = anywhere(random) / scale[index(m)];
    if (settle(cluster, scale, at, step)) keep(at);
  }
  for (std::vector<double>& at : found) {
    std::vector<double> all;
    for (const auto& row : closure.joints) {
      all.push_back(row.offset);
      for (const auto& [mover, factor] : row.terms) all.back() += factor * at[index(mover)];
    }
    at = std::move(all);
  }
  return found;
}

}  // namespace catena

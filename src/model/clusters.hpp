// Joints of the tree that are tied to each other because they share coordinates, together with every joint on the paths
// between them. Clusters form a tree, over which G is block diagonal: a recursion can run over it with small blocks in
// place of numbers. Equations: docs/equations/clusters.md.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "catena/mechanism.hpp"

namespace catena {

struct Cluster {
  std::vector<int> links;               // base to tip
  std::vector<Coordinate> coordinates;  // that move them; none if their motion is prescribed
  int parent = base_link;               // the link that carries the whole cluster
};

// By link: its parent, and the coordinates that move its joint. Parents come before children. A joint that is not tied
// to any other is a cluster by itself.
std::vector<Cluster> clusters_of(const std::vector<int>& parents, const std::vector<std::vector<Coordinate>>& moved_by);

// The coordinates that a joint in closed loops follows, with factors of 0 where these change with q.
template <class T>
std::vector<typename FollowingJoint<T>::Term> terms_of(const Closure<T>& closure, TreeJoint joint) {
  std::vector<typename FollowingJoint<T>::Term> terms;
  for (const auto& [mover, factor] : closure.joints[joint].terms) {
    if (const int c = closure.coordinate[index(mover)]; c >= 0) terms.push_back({Coordinate(c), factor});
    for (const LoopCluster& cluster : closure.clusters)
      if (std::find(cluster.dependent.begin(), cluster.dependent.end(), mover) != cluster.dependent.end())
        for (const int other : cluster.independent)
          terms.push_back({Coordinate(closure.coordinate[index(other)]), T(0)});
  }
  return terms;
}
// What a joint of the tree follows: its row of G if that is constant; itself, unless the chart says otherwise.
template <class T>
std::vector<typename FollowingJoint<T>::Term> terms_of(const BasicCoordinates<T>& coordinates, TreeJoint joint) {
  if (coordinates.is_closed()) return terms_of(coordinates.closure, joint);
  if (coordinates.is_coupled()) return coordinates.following[joint].terms;
  const int first = coordinates.is_moving() ? base_joints : 0;
  if (joint < first) return {};
  return {{Coordinate(joint - first), T(1)}};
}

}  // namespace catena

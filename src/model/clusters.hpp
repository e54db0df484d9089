// Joints of the tree that are tied to each other, by coordinates that they share, with every joint on the paths between
// them. Clusters form a tree, over which G is block diagonal: a recursion may run over it with small blocks in the
// place of numbers. Equations: docs/equations/clusters.md.
#pragma once

#include <utility>
#include <vector>

#include "catena/mechanism.hpp"

namespace catena {

struct Cluster {
  std::vector<int> links;               // base to tip
  std::vector<Coordinate> coordinates;  // which move them; none where they move as they are told
  int parent = base_link;               // the link that carries all of it
};

// By link: the link before it, and the coordinates that move its joint. Parents before children. Joints that nothing
// ties are clusters of one.
std::vector<Cluster> clusters_of(const std::vector<int>& parents, const std::vector<std::vector<Coordinate>>& moved_by);

// What a joint of the tree follows, its row of G where that is constant: itself, unless the chart says otherwise.
template <class T>
std::vector<typename FollowingJoint<T>::Term> terms_of(const BasicCoordinates<T>& coordinates, TreeJoint joint) {
  if (coordinates.is_coupled()) return coordinates.following[joint].terms;
  const int first = coordinates.is_moving() ? base_joints : 0;
  if (joint < first) return {};
  return {{Coordinate(joint - first), T(1)}};
}

}  // namespace catena

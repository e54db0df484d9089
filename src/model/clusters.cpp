#include "catena/model/clusters.hpp"

#include <algorithm>
#include <numeric>

namespace catena {
namespace {

// Links that belong together: each points to another of its set, the first of which stands for it.
class Sets {
 public:
  explicit Sets(int count) : to_(index(count)) { std::iota(to_.begin(), to_.end(), 0); }
  int first_of(int i) {
    while (to_[index(i)] != i) i = to_[index(i)] = to_[index(to_[index(i)])];
    return i;
  }
  void join(int a, int b) {
    a = first_of(a), b = first_of(b);
    to_[index(std::max(a, b))] = std::min(a, b);
  }

 private:
  std::vector<int> to_;
};

// Ties everything on the path between two links, the link where their ways meet aside unless it is one of them.
void join_path(const Tree& tree, int a, int b, Sets& sets) {
  int last_a = a, last_b = b, at_a = a, at_b = b;
  while (at_a != at_b) {  // parents have smaller numbers
    int& later = at_a > at_b ? at_a : at_b;
    int& last = at_a > at_b ? last_a : last_b;
    sets.join(last, later);
    last = later;
    later = tree.link(later).parent;
  }
  sets.join(last_a, last_b);
}

}  // namespace

std::vector<Cluster> clusters_of(const Tree& tree, const Coordinates& coordinates) {
  Sets sets(tree.joints());
  std::vector<int> moved_by(index(coordinates.nv()), base);  // a link that the coordinate moves
  for (int i = 0; i < tree.joints(); ++i)
    for (const auto& term : terms_of(coordinates, tree.link(i).q)) {
      int& other = moved_by[index(term.coordinate)];
      if (other != base) join_path(tree, other, i, sets);
      other = i;
    }
  // A path may run through another cluster: then it is one with it, and with all between.
  for (bool changed = true; changed;) {
    changed = false;
    for (int i = 0; i < tree.joints(); ++i)
      for (int up = tree.link(i).parent; up != base; up = tree.link(up).parent) {
        if (sets.first_of(up) != sets.first_of(i)) continue;
        for (int m = tree.link(i).parent; m != up; m = tree.link(m).parent)
          if (sets.first_of(m) != sets.first_of(i)) sets.join(m, i), changed = true;
      }
  }
  std::vector<Cluster> clusters;
  std::vector<int> number(index(tree.joints()), -1);  // by the first link of a set
  for (int i = 0; i < tree.joints(); ++i) {
    int& own = number[index(sets.first_of(i))];
    if (own < 0) {
      own = static_cast<int>(clusters.size());
      clusters.push_back({});
      clusters.back().parent = tree.link(i).parent;
    }
    Cluster& cluster = clusters[index(own)];
    cluster.links.push_back(i);
    for (const auto& term : terms_of(coordinates, tree.link(i).q))
      if (std::find(cluster.coordinates.begin(), cluster.coordinates.end(), term.coordinate) ==
          cluster.coordinates.end())
        cluster.coordinates.push_back(term.coordinate);
  }
  // The order of first links need not be that of carrying: a cluster comes after the one that has its parent.
  std::vector<Cluster> ordered;
  std::vector<char> placed(index(tree.joints()), 0);
  while (ordered.size() < clusters.size())
    for (const Cluster& cluster : clusters) {
      if (placed[index(cluster.links.front())] != 0) continue;
      if (cluster.parent != base && placed[index(cluster.parent)] == 0) continue;
      for (const int i : cluster.links) placed[index(i)] = 1;
      ordered.push_back(cluster);
    }
  return ordered;
}

}  // namespace catena

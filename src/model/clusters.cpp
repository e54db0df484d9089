#include "model/clusters.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace catena {
namespace {

// Disjoint sets of links: each link points to another of its set; the first link represents the set.
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

// Ties all links on the path between two links, except the link where their paths meet unless it is one of them.
void join_path(const std::vector<int>& parents, int a, int b, Sets& sets) {
  int last_a = a, last_b = b, at_a = a, at_b = b;
  while (at_a != at_b) {  // parents have smaller numbers
    int& later = at_a > at_b ? at_a : at_b;
    int& last = at_a > at_b ? last_a : last_b;
    sets.join(last, later);
    last = later;
    later = parents[index(later)];
  }
  sets.join(last_a, last_b);
}

// Ties all links between two links of one set: a path may run through another set.
void close(const std::vector<int>& parents, Sets& sets) {
  for (bool changed = true; changed;) {
    changed = false;
    for (int i = 0; i < static_cast<int>(parents.size()); ++i)
      for (int up = parents[index(i)]; up != base_link; up = parents[index(up)]) {
        if (sets.first_of(up) != sets.first_of(i)) continue;
        for (int m = parents[index(i)]; m != up; m = parents[index(m)])
          if (sets.first_of(m) != sets.first_of(i)) sets.join(m, i), changed = true;
      }
  }
}

}  // namespace

std::vector<Cluster> clusters_of(const std::vector<int>& parents,
                                 const std::vector<std::vector<Coordinate>>& moved_by) {
  const int links = static_cast<int>(parents.size());
  Sets sets(links);
  std::map<Coordinate, int> mover;  // one link that the coordinate moves
  for (int i = 0; i < links; ++i)
    for (const Coordinate c : moved_by[index(i)]) {
      if (const auto [other, is_first] = mover.try_emplace(c, i); !is_first) join_path(parents, other->second, i, sets);
      mover[c] = i;
    }
  close(parents, sets);
  std::map<int, Cluster> by_first;  // by the first link of a set
  for (int i = 0; i < links; ++i) {
    const auto [found, is_new] = by_first.try_emplace(sets.first_of(i));
    Cluster& cluster = found->second;
    if (is_new) cluster.parent = parents[index(i)];
    cluster.links.push_back(i);
    for (const Coordinate c : moved_by[index(i)])
      if (std::find(cluster.coordinates.begin(), cluster.coordinates.end(), c) == cluster.coordinates.end())
        cluster.coordinates.push_back(c);
  }
  // The order of first links puts parents first: a link that carries another has the smaller number, and so does the
  // first link of its set.
  std::vector<Cluster> clusters;
  for (auto& [first, cluster] : by_first) clusters.push_back(std::move(cluster));
  return clusters;
}

}  // namespace catena

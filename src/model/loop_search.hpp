// Finds the dependent joints of closed loops by Newton's method: from the latest solution if the independent joints are
// near, else step by step from positions in which the loops are known to be closed, so that the linkage stays assembled
// the same way. Equations: docs/equations/closed_loops.md (8), (14).
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "model/closed_cluster.hpp"

namespace catena {

// Why the positions of a cluster's dependent movers cannot be found from the others.
template <class T, class S>
std::string why_open(const Closure<T>& closure, const std::vector<std::string>& names, const LoopCluster& cluster,
                     std::span<const S> x, int singular = -1) {
  std::string loops = cluster.loops.size() == 1 ? "loop " : "loops ", at;
  for (const int l : cluster.loops)
    loops += (l == cluster.loops.front() ? "'" : ", '") + closure.loops[index(l)].name + "'";
  for (const int m : cluster.independent) {
    if (!std::isfinite(x[index(m)])) return "the position of joint '" + names[index(m)] + "' is not finite";
    at += (at.empty() ? " at " : ", ") + names[index(m)] + " = " + std::to_string(x[index(m)]);
  }
  if (singular < 0) return loops + " cannot close" + at;
  return loops + (cluster.loops.size() == 1 ? " is" : " are") + " singular" + at + ": joint '" +
         names[index(singular)] + "' does not follow from the independent joints here";
}

template <std::floating_point S>
class LoopSearch {
 public:
  LoopSearch(const TreeFor<S>& tree, const Closure<S>& closure, const LoopCluster& cluster)
      : cluster_(tree, closure, cluster),
        closed_(closure.closed.begin(), closure.closed.end()),
        latest_(closed_),
        x_(closed_),
        from_(closed_),
        way_(closed_.size()),
        step_(cluster.dependent.size()),
        scale_(closed_.size(), S(1)) {
    for (std::size_t m = 0; m < closed_.size(); ++m)
      if (const auto& link = tree.link(tree.link_of(closure.movers[m])); !link.revolute)
        scale_[m] = S(1 / cluster.size);
    cluster_.place(closed_);
  }

  ClosedCluster<S>& cluster() { return cluster_; }
  int steps() const { return steps_; }  // of Newton's method, in the latest search
  void start_again() { move_to(closed_); }

  // The dependent movers of x, from the independent ones. Afterwards the cluster is placed there. False if
  // they cannot be found.
  bool find(std::span<S> x) {
    steps_ = 0;
    if (distance(x, latest_) == S(0)) return write(latest_, x), true;
    if (distance(x, latest_) <= near && attempt(x, latest_, S(1))) return keep(x), true;
    move_to(closed_);
    if (walk(x)) return keep(x), true;
    move_to(latest_);
    if (walk(x)) return keep(x), true;
    move_to(latest_);
    return false;
  }

 private:
  static constexpr S near = S(0.5);      // rad, or lengths of the cluster
  static constexpr S far = S(0.5);       // a solution farther than this from where it was expected is another assembly
  static constexpr int most_steps = 10;  // of Newton's method, before a shorter way is tried
  static constexpr S close_enough() { return std::sqrt(std::numeric_limits<S>::epsilon()) / S(4); }

  S distance(std::span<const S> a, std::span<const S> b) const {
    S most(0);
    for (const int m : cluster_.independent())
      most = std::max(most, std::abs(a[index(m)] - b[index(m)]) * scale_[index(m)]);
    return most;
  }
  static void copy(const std::vector<int>& movers, std::span<const S> from, std::span<S> to) {
    for (const int m : movers) to[index(m)] = from[index(m)];
  }
  void write(std::span<const S> from, std::span<S> to) const { copy(cluster_.dependent(), from, to); }
  void keep(std::span<S> x) {
    write(x_, x);
    copy(cluster_.independent(), x_, latest_);
    write(x_, latest_);
  }
  void move_to(std::span<const S> known) {
    copy(cluster_.independent(), known, from_);
    write(known, from_);
    cluster_.place(from_);
  }

  // From a known solution, where the cluster is placed, a part of the way to the target. The result is in x_.
  bool attempt(std::span<const S> target, std::span<const S> known, S part) {
    for (const int m : cluster_.independent())
      x_[index(m)] = part == S(1) ? target[index(m)] : known[index(m)] + part * (target[index(m)] - known[index(m)]);
    for (const int m : cluster_.independent()) way_[index(m)] = x_[index(m)] - known[index(m)];
    cluster_.look_ahead(way_, step_);
    for (std::size_t d = 0; d < step_.size(); ++d) {
      const std::size_t m = index(cluster_.dependent()[d]);
      x_[m] = known[m] + step_[d];
    }
    return solve();
  }
  bool solve() {
    S strayed(0);
    for (int k = 0; k < most_steps; ++k) {
      cluster_.place(x_);
      cluster_.newton_step(x_, step_);
      ++steps_;
      S most(0);
      for (std::size_t d = 0; d < step_.size(); ++d)
        most = std::max(most, std::abs(step_[d]) * scale_[index(cluster_.dependent()[d])]);
      strayed += most;
      if (!(strayed <= far)) return false;
      if (most > close_enough()) continue;
      if (most > S(512) * std::numeric_limits<S>::epsilon()) cluster_.place(x_);  // else it is placed there
      return true;  // the error of the last step is its square
    }
    return false;
  }
  // Step by step from from_, halving steps that fail.
  bool walk(std::span<const S> target) {
    S done(0), step(1);
    while (done < S(1)) {
      const S part = std::min(S(1), step / (S(1) - done));
      if (attempt(target, from_, part)) {
        done = part == S(1) ? S(1) : done + step;
        copy(cluster_.independent(), x_, from_);
        write(x_, from_);
        step *= S(2);
      } else {
        step *= S(0.5);
        if (step < S(1) / S(512)) return false;
        cluster_.place(from_);
      }
    }
    return true;
  }

  ClosedCluster<S> cluster_;
  std::vector<S> closed_, latest_, x_, from_, way_, step_;  // by mover, but step_: by dependent mover
  std::vector<S> scale_;
  int steps_ = 0;
};

}  // namespace catena

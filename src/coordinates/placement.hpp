// Where all joints stand: q of every joint of closed loops, from q of the coordinates. For code that takes it like
// that. Equations: docs/equations/closed_loops.md (8), (14).
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "catena/mechanism.hpp"
#include "model/loop_search.hpp"

namespace catena {

template <std::floating_point S>
class PlacementOf {
 public:
  explicit PlacementOf(std::shared_ptr<const BasicMechanism<S>> robot) : robot_(std::move(robot)) {
    const Closure<S>& closure = robot_->coordinates.closure;
    if (!robot_->coordinates.is_closed() || closure.placed) return;
    for (const TreeJoint joint : closure.movers) names_.push_back(robot_->joint_names[joint]);
    for (const LoopCluster& cluster : closure.clusters) searches_.emplace_back(*robot_, closure, cluster);
    x_.resize(closure.movers.size());
    all_.resize(x_.size() + (robot_->coordinates.is_free() ? 1 : 0));
  }

  // As with_all_positions() takes it; q itself if there is nothing to find. Valid until the next call. Throws
  // std::domain_error if loops cannot close.
  std::span<const S> operator()(std::span<const S> q) {
    if (x_.empty()) return q;
    const auto& coordinates = robot_->coordinates;
    const Closure<S>& closure = coordinates.closure;
    const std::size_t more = coordinates.is_free() ? 1 : 0;  // a quaternion has four
    for (std::size_t m = 0; m < x_.size(); ++m)
      if (const int c = closure.coordinate[m]; c >= 0) x_[m] = q[coordinates.position_of(Coordinate(c))];
    for (std::size_t k = 0; k < searches_.size(); ++k)
      if (!searches_[k].find(x_))
        throw std::domain_error(why_open<S, S>(closure, names_, closure.clusters[k], std::span<const S>(x_)));
    for (std::size_t m = 0; m < x_.size(); ++m) all_[m + more] = x_[m];
    if (more > 0) std::copy_n(q.begin(), 7, all_.begin());
    return all_;
  }

 private:
  std::shared_ptr<const BasicMechanism<S>> robot_;
  std::vector<std::string> names_;  // of the movers
  std::vector<LoopSearch<S>> searches_;
  std::vector<S> x_, all_;
};

}  // namespace catena

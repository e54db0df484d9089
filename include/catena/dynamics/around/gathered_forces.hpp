// Generalized forces of external wrenches by the user's q, coupled joints or not.
#pragma once

#include <optional>

#include "catena/dynamics/around/projection.hpp"
#include "catena/dynamics/around/wrenches.hpp"

namespace catena {

template <class S>
class GatheredForces {
 public:
  explicit GatheredForces(const MechanismFor<S>& robot) : tree_(tree_of(robot)), forces_(tree_) {
    if (robot.is_coupled()) projection_.emplace(robot), gathered_.resize(index(robot.nv()));
  }

  // Valid until the next call. Throws std::invalid_argument for a frame that does not exist.
  std::span<const S> find(std::span<const S> q, std::span<const ExternalWrench<S>> wrenches) {
    if (!projection_) return forces_.find(tree_, q, wrenches);
    projection_->gather_rows(forces_.find(tree_, projection_->positions(q), wrenches), 1, gathered_);
    return gathered_;
  }

 private:
  MechanismFor<S> tree_;
  GeneralizedForces<S> forces_;
  std::optional<Projection<S>> projection_;
  Array<S> gathered_;
};

}  // namespace catena

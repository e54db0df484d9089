// Generalized forces of external wrenches by the user's q, coupled joints or not.
#pragma once

#include <memory>
#include <optional>

#include "catena/dynamics/around/projection.hpp"
#include "catena/dynamics/around/wrenches.hpp"

namespace catena {

// Every call gets the robot that it was made for, whose numbers may have changed since; nothing is allocated later.
template <class S>
class GatheredForces {
 public:
  explicit GatheredForces(const MechanismFor<S>& robot) {
    if (robot.is_coupled()) coupled_.emplace(robot);
    forces_.emplace(coupled_ ? *coupled_->tree : robot);
  }

  // Valid until the next call. Throws std::invalid_argument for a frame that does not exist.
  std::span<const S> find(const MechanismFor<S>& robot, std::span<const S> q,
                          std::span<const ExternalWrench<S>> wrenches) {
    if (!coupled_) return forces_->find(robot, q, wrenches);
    auto& c = *coupled_;
    c.projection.gather_rows(forces_->find(*c.tree, c.projection.positions(q), wrenches), 1, c.by_q);
    return c.by_q;
  }
  // P -= ∂(Jᵀw)/∂q
  void lower_stiffness(const MechanismFor<S>& robot, std::span<const S> q, std::span<const ExternalWrench<S>> wrenches,
                       std::span<S> P) {
    if (!coupled_) return forces_->lower_stiffness(robot, q, wrenches, {P, robot.n()});
    auto& c = *coupled_;
    for (S& entry : c.whole) entry = S(0);
    forces_->lower_stiffness(*c.tree, c.projection.positions(q), wrenches, {c.whole, c.tree->n()});
    c.projection.gather_columns(c.whole, c.tree->n(), c.half);
    c.projection.gather_rows(c.half, c.projection.nv(), c.gathered);
    for (std::size_t k = 0; k < P.size(); ++k) P[k] += c.gathered[k];
  }

 private:
  struct Coupled {
    std::shared_ptr<const MechanismFor<S>> tree;
    Projection<S> projection;
    Array<S> by_q, whole, half, gathered;  // forces; a matrix by joints of the tree, on its way to one by q

    explicit Coupled(const MechanismFor<S>& robot)
        : tree(std::make_shared<const MechanismFor<S>>(tree_of(robot))),
          projection(robot),
          by_q(index(robot.nv())),
          whole(index(robot.n()) * index(robot.n())),
          half(index(robot.n()) * by_q.size()),
          gathered(by_q.size() * by_q.size()) {}
  };
  std::optional<Coupled> coupled_;
  std::optional<GeneralizedForces<S>> forces_;
};

}  // namespace catena

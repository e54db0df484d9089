// Generalized forces of external wrenches by the user's q, coupled joints or not, on a free base or not.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "catena/dynamics/around/free_base.hpp"
#include "catena/dynamics/around/projection.hpp"
#include "catena/dynamics/around/wrenches.hpp"

namespace catena {

// Every call gets the robot that it was made for, whose numbers may have changed since; nothing is allocated later.
template <class S>
class GatheredForces {
 public:
  explicit GatheredForces(const MechanismFor<S>& robot) {
    if (robot.free_base) free_.emplace(robot);
    if (robot.is_coupled()) coupled_.emplace(robot);
    forces_.emplace(coupled_ ? *coupled_->tree : robot);
  }

  // Valid until the next call. Throws std::invalid_argument for a frame that does not exist.
  std::span<const S> find(const MechanismFor<S>& robot, std::span<const S> q,
                          std::span<const ExternalWrench<S>> wrenches) {
    if (!free_) return find_on_tree(robot, q, wrenches);
    free_->base.place(q);
    return find_on_tree(robot, free_->base.positions(q), free_->in_tree(wrenches));
  }
  // P -= ∂(Jᵀw)/∂q
  void lower_stiffness(const MechanismFor<S>& robot, std::span<const S> q, std::span<const ExternalWrench<S>> wrenches,
                       std::span<S> P) {
    if (!free_) return lower_on_tree(robot, q, wrenches, P);
    auto& f = *free_;
    const std::size_t n = index(robot.nv());
    f.base.place(q);
    q = f.base.positions(q);
    for (S& entry : f.whole) entry = S(0);
    lower_on_tree(robot, q, f.in_tree(wrenches), f.whole);
    for (std::size_t i = 0; i < n; ++i)  // wrenches follow the base, but for those along the world's axes
      for (std::size_t j = free_joints; j < n; ++j) P[i * n + j] += f.whole[i * n + j];
    for (int k = 0; k < 3; ++k) {
      const std::span<const S> turned = find_on_tree(robot, q, f.turned(wrenches, k));
      for (std::size_t i = 0; i < n; ++i) P[i * n + 3 + index(k)] -= turned[i];
    }
  }

 private:
  std::span<const S> find_on_tree(const MechanismFor<S>& robot, std::span<const S> q,
                                  std::span<const ExternalWrench<S>> wrenches) {
    if (!coupled_) return forces_->find(robot, q, wrenches);
    auto& c = *coupled_;
    c.projection.gather_rows(forces_->find(*c.tree, c.projection.positions(q), wrenches), 1, c.by_q);
    return c.by_q;
  }
  void lower_on_tree(const MechanismFor<S>& robot, std::span<const S> q, std::span<const ExternalWrench<S>> wrenches,
                     std::span<S> P) {
    if (!coupled_) return forces_->lower_stiffness(robot, q, wrenches, {P, robot.n()});
    auto& c = *coupled_;
    for (S& entry : c.whole) entry = S(0);
    forces_->lower_stiffness(*c.tree, c.projection.positions(q), wrenches, {c.whole, c.tree->n()});
    c.projection.gather_columns(c.whole, c.tree->n(), c.half);
    c.projection.gather_rows(c.half, c.projection.nv(), c.gathered);
    for (std::size_t k = 0; k < P.size(); ++k) P[k] += c.gathered[k];
  }

  // Wrenches along the world's axes, as the robot sees them that six joints carry.
  struct Free {
    FreeBase<S> base;
    std::vector<ExternalWrench<S>> wrenches;
    Array<S> whole;

    explicit Free(const MechanismFor<S>& robot) : base(robot), whole(index(robot.nv()) * index(robot.nv())) {}
    std::span<const ExternalWrench<S>> in_tree(std::span<const ExternalWrench<S>> given) {
      wrenches.assign(given.begin(), given.end());
      for (auto& w : wrenches)
        if (w.axes == Axes::world) w.force = base.to_tree(w.force), w.moment = base.to_tree(w.moment);
      return wrenches;
    }
    // How these change while the base turns about its axis k: those alone.
    std::span<const ExternalWrench<S>> turned(std::span<const ExternalWrench<S>> given, int k) {
      in_tree(given);
      for (auto& w : wrenches) {
        const bool turns = w.axes == Axes::world;
        w.force = turns ? base.turned(w.force, k) : Vec3<S>{};
        w.moment = turns ? base.turned(w.moment, k) : Vec3<S>{};
      }
      return wrenches;
    }
  };
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
  std::optional<Free> free_;
  std::optional<Coupled> coupled_;
  std::optional<GeneralizedForces<S>> forces_;
};

}  // namespace catena

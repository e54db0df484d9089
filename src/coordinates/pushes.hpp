// Generalized forces of external wrenches in the user's coordinates, for any chart: forces at the tree's joints,
// applied outside every engine. Equations: docs/equations/charts.md (16).
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "coordinates/charts.hpp"
#include "forces/generalized_forces.hpp"

namespace catena {

// Calls allocate nothing, except for more than a few wrenches if the tree's world moves.
template <class S>
class Pushes {
 public:
  explicit Pushes(std::shared_ptr<const MechanismFor<S>> robot)
      : robot_(std::move(robot)), chart_(robot_->coordinates, *robot_), forces_(*robot_) {
    const std::size_t outer = index(robot_->joints());
    if (chart_.steps().empty()) return;
    for (auto* matrix : {&whole_, &half_, &pulled_}) matrix->resize(outer * outer);
    for (auto* vector : {&by_q_, &row_}) vector->resize(outer);
    held_.resize(6 * robot_->coordinates.closure.loops.size());
    wrenches_.reserve(16);
  }

  // By coordinate. Valid until the next call. Throws std::invalid_argument for a frame that does not exist.
  std::span<const S> find(std::span<const S> q, std::span<const ExternalWrench<S>> wrenches) {
    if (chart_.steps().empty()) return forces_.find(*robot_, q, wrenches);
    const std::span<const S> q_tree = chart_.place({.q = q}).q;
    return pull(forces_.find(*robot_, q_tree, seen(wrenches)));
  }
  // What wrenches take from the forces that hold closed loops.
  void lower_loop_forces(std::span<const S> q, std::span<const ExternalWrench<S>> wrenches, std::span<S> lambda) {
    if (!robot_->coordinates.is_closed()) return;
    const std::span<const S> q_tree = chart_.place({.q = q}).q;
    chart_.loops().loop_forces(forces_.find(*robot_, q_tree, seen(wrenches)), held_);
    for (std::size_t k = 0; k < lambda.size(); ++k) lambda[k] -= held_[k];
  }
  // P -= ∂(Jᵀw)/∂q
  void lower_stiffness(std::span<const S> q, std::span<const ExternalWrench<S>> wrenches, std::span<S> P) {
    if (chart_.steps().empty()) return forces_.lower_stiffness(*robot_, q, wrenches, {P, robot_->joints()});
    const std::span<const S> q_tree = chart_.place({.q = q}).q;
    for (S& entry : whole_) entry = S{};
    forces_.lower_stiffness(*robot_, q_tree, seen(wrenches), {whole_, robot_->joints()});
    const std::span<const S> by_joint = forces_.find(*robot_, q_tree, seen(wrenches));
    for (std::size_t j = 0; j < by_joint.size(); ++j) by_q_[j] = -by_joint[j];
    pull_matrix();
    for (std::size_t k = 0; k < P.size(); ++k) P[k] += whole_[k];
    const ChartStep<S>* mover = chart_.mover();
    if (!mover) return;
    const std::size_t n = index(robot_->nv());  // wrenches follow the base, except those along the world's axes
    for (const int k : mover->turning()) {
      const std::span<const S> turned = pull(forces_.find(*robot_, q_tree, turning(wrenches, mover->turning_axis(k))));
      for (std::size_t i = 0; i < n; ++i) P[i * n + index(k)] -= turned[i];
    }
  }

 private:
  std::span<const S> pull(std::span<const S> by_joint) {
    std::copy(by_joint.begin(), by_joint.end(), by_q_.begin());
    std::span<const S> force = std::span<const S>(by_q_).first(by_joint.size());
    for (std::size_t k = chart_.steps().size(); k-- > 0;) {
      const ChartStep<S>& step = *chart_.steps()[k];
      const std::span<S> inner = std::span<S>(row_).first(index(step.inner()));
      step.pull_rows(force, 1, inner);
      std::copy(inner.begin(), inner.end(), by_q_.begin());
      force = std::span<const S>(by_q_).first(inner.size());
    }
    return force;
  }
  // Γ on one side, G on the other: whole_, in place. Where G bends, the forces in by_q_, with their sign, add to it.
  void pull_matrix() {
    for (std::size_t k = chart_.steps().size(); k-- > 0;) {
      const ChartStep<S>& step = *chart_.steps()[k];
      const std::size_t inner = index(step.inner()), outer = index(step.outer());
      const std::span<S> half = std::span<S>(half_).first(outer * inner);
      step.pull_positions(std::span<const S>(whole_).first(outer * outer), step.outer(), half);
      step.pull_rows(half, step.inner(), std::span<S>(pulled_).first(inner * inner));
      if (step.bends())
        step.add_bent(std::span<const S>(by_q_).first(outer), std::span<S>(pulled_).first(inner * inner));
      step.pull_rows(std::span<const S>(by_q_).first(outer), 1, std::span<S>(row_).first(inner));
      std::copy_n(row_.begin(), inner, by_q_.begin());
      std::copy_n(pulled_.begin(), inner * inner, whole_.begin());
    }
  }

  // Wrenches along the world's axes, in the tree's world; and how these change while it turns about an axis.
  std::span<const ExternalWrench<S>> seen(std::span<const ExternalWrench<S>> given) {
    const ChartStep<S>* mover = chart_.mover();
    if (!mover) return given;
    const Mat3<S> to_tree = mover->moved()->R.transpose();
    wrenches_.assign(given.begin(), given.end());
    for (auto& w : wrenches_)
      if (w.axes == Axes::world) w.force = to_tree * w.force, w.moment = to_tree * w.moment;
    return wrenches_;
  }
  std::span<const ExternalWrench<S>> turning(std::span<const ExternalWrench<S>> given, const Vec3<S>& axis) {
    seen(given);
    for (auto& w : wrenches_) {
      const bool turns = w.axes == Axes::world;
      w.force = turns ? cross(w.force, axis) : Vec3<S>{};
      w.moment = turns ? cross(w.moment, axis) : Vec3<S>{};
    }
    return wrenches_;
  }

  // Its room is there in a copy too, whose calls allocate nothing either.
  struct Wrenches : std::vector<ExternalWrench<S>> {
    Wrenches() = default;
    Wrenches(const Wrenches& other) : std::vector<ExternalWrench<S>>() { this->reserve(other.capacity()); }
    Wrenches& operator=(const Wrenches&) = default;
  };

  std::shared_ptr<const MechanismFor<S>> robot_;
  Chart<S> chart_;
  GeneralizedForces<S> forces_;
  Wrenches wrenches_;
  Array<S> whole_, half_, pulled_, by_q_, row_, held_;
};

}  // namespace catena

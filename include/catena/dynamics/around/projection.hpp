// Coupled joints, around every formulation: the joints of the tree follow the user's coordinates, and what the tree
// gives is gathered from them. Equations (1)-(4): docs/equations/coupled_joints.md.
#pragma once

#include <span>

#include "catena/dynamics/array.hpp"
#include "catena/dynamics/jobs/job.hpp"

namespace catena {

template <class S>
class Projection {
 public:
  explicit Projection(const MechanismFor<S>& robot)
      : joints_(robot.coupled), nv_(robot.nv()), q_(joints_.size()), qd_(q_.size()), qdd_(q_.size()) {}

  int nv() const { return nv_; }
  // What joint k of the tree follows.
  const auto& terms(int k) const { return joints_[index(k)].terms; }

  // (1), (2): what is given of positions, velocities and accelerations, by joint of the tree. Valid until the next
  // call.
  Inputs<S> in_tree(const Inputs<S>& in) {
    Inputs<S> tree = in;
    tree.q = positions(in.q);
    tree.qd = follow(in.qd, qd_);
    tree.qdd = follow(in.qdd, qdd_);
    tree.tau = {};
    return tree;
  }
  std::span<const S> positions(std::span<const S> q) {
    if (q.empty()) return {};
    follow(q, q_);
    for (std::size_t k = 0; k < joints_.size(); ++k) q_[k] += S(joints_[k].offset);
    return q_;
  }

  // (3): Aᵀ X, for X with a row a joint and so many columns.
  void gather_rows(std::span<const S> tree, int columns, std::span<S> out) const {
    for (S& entry : out) entry = S{};
    for (std::size_t k = 0; k < joints_.size(); ++k)
      for (const auto& [coordinate, factor] : joints_[k].terms)
        for (int c = 0; c < columns; ++c)
          out[index(coordinate * columns + c)] += factor * tree[k * index(columns) + index(c)];
  }
  // (4): X A, for X with so many rows and a column a joint.
  void gather_columns(std::span<const S> tree, int rows, std::span<S> out) const {
    for (S& entry : out) entry = S{};
    for (int r = 0; r < rows; ++r)
      for (std::size_t k = 0; k < joints_.size(); ++k)
        for (const auto& [coordinate, factor] : joints_[k].terms)
          out[index(r * nv_ + coordinate)] += factor * tree[index(r) * joints_.size() + k];
  }

 private:
  std::span<const S> follow(std::span<const S> given, Array<S>& all) const {
    if (given.empty()) return {};
    for (std::size_t k = 0; k < joints_.size(); ++k) {
      all[k] = S{};
      for (const auto& [coordinate, factor] : joints_[k].terms) all[k] += factor * given[index(coordinate)];
    }
    return all;
  }

  std::vector<CoupledJoint<ConstantOf<S>>> joints_;
  int nv_;
  Array<S> q_, qd_, qdd_;
};

}  // namespace catena

// Coupled joints: the joints of the tree follow the coordinates linearly, q_t = A q + b, so that G = A and g = 0.
// Equations (1)-(4): docs/equations/coupled_joints.md.
#pragma once

#include "coordinates/chart.hpp"

namespace catena {

template <class S>
class CoupledStep final : public ChartStep<S> {
 public:
  using T = ConstantOf<S>;
  static constexpr std::string_view name = "coupled joints";
  static bool is_in(const BasicCoordinates<T>& coordinates) { return coordinates.is_coupled(); }

  // Its inner coordinates are the user's, preceded by those of the base if its motion is prescribed.
  CoupledStep(const BasicCoordinates<T>& coordinates, const TreeFor<S>& tree)
      : ChartStep<S>(coordinates.nv() + (coordinates.is_moving() ? base_joints : 0), tree.joints()),
        q_(index(tree.joints())),
        qd_(q_.size()),
        qdd_(q_.size()) {
    const int first = coordinates.is_moving() ? base_joints : 0;
    for (const TreeJoint j : tree.all_joints()) {
      const FollowingJoint<T>& following = coordinates.following[j];
      const int joint = static_cast<int>(j);
      offsets_.push_back(following.offset);
      if (joint < first) terms_.push_back({joint, joint, T(1)});
      for (const auto& [coordinate, factor] : following.terms)
        if (joint >= first) terms_.push_back({joint, static_cast<int>(coordinate) + first, factor});
    }
  }
  std::unique_ptr<ChartStep<S>> clone() const override { return std::make_unique<CoupledStep>(*this); }

  // (1), (2)
  Inputs<S> place(const Inputs<S>& in) override {
    Inputs<S> tree = in;
    tree.q = follow(in.q, q_);
    for (std::size_t k = 0; k < tree.q.size(); ++k) q_[k] += S(offsets_[k]);
    tree.qd = follow(in.qd, qd_);
    tree.qdd = follow(in.qdd, qdd_);
    tree.tau = {};
    return tree;
  }
  // (3)
  void pull_rows(std::span<const S> X, int columns, std::span<S> out) const override {
    for (S& entry : out) entry = S{};
    for (const auto& [joint, coordinate, factor] : terms_)
      for (int c = 0; c < columns; ++c) out[index(coordinate * columns + c)] += factor * X[index(joint * columns + c)];
  }
  // (4)
  void pull_columns(std::span<const S> X, int rows, std::span<S> out) const override {
    for (S& entry : out) entry = S{};
    const int inner = this->inner(), outer = this->outer();
    for (int r = 0; r < rows; ++r)
      for (const auto& [joint, coordinate, factor] : terms_)
        out[index(r * inner + coordinate)] += factor * X[index(r * outer + joint)];
  }

 private:
  // An entry of A.
  struct Term {
    int joint, coordinate;
    T factor;
  };
  std::span<const S> follow(std::span<const S> given, Array<S>& all) const {
    if (given.empty()) return {};
    for (S& entry : all) entry = S{};
    for (const auto& [joint, coordinate, factor] : terms_) all[index(joint)] += factor * given[index(coordinate)];
    return all;
  }

  Array<Term> terms_;  // of all joints, one after the other
  Array<T> offsets_;   // b
  Array<S> q_, qd_, qdd_;
};

}  // namespace catena

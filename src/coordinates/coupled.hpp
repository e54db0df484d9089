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
        rows_(coordinates.following),
        q_(rows_.size()),
        qd_(rows_.size()),
        qdd_(rows_.size()) {
    if (!coordinates.is_moving()) return;
    for (const TreeJoint j : tree.all_joints()) {
      for (auto& term : rows_[j].terms) term.coordinate = Coordinate(term.coordinate + base_joints);
      if (j < base_joints) rows_[j].terms = {{Coordinate(static_cast<int>(j)), T(1)}};
    }
  }
  std::unique_ptr<ChartStep<S>> clone() const override { return std::make_unique<CoupledStep>(*this); }

  // (1), (2)
  Inputs<S> place(const Inputs<S>& in) override {
    Inputs<S> tree = in;
    tree.q = follow(in.q, q_);
    for (std::size_t k = 0; k < tree.q.size(); ++k) q_[k] += S(rows_[TreeJoint(k)].offset);
    tree.qd = follow(in.qd, qd_);
    tree.qdd = follow(in.qdd, qdd_);
    tree.tau = {};
    return tree;
  }
  // (3)
  void pull_rows(std::span<const S> X, int columns, std::span<S> out) const override {
    for (S& entry : out) entry = S{};
    for_each_term([&](int joint, int coordinate, const T& factor) {
      for (int c = 0; c < columns; ++c) out[index(coordinate * columns + c)] += factor * X[index(joint * columns + c)];
    });
  }
  // (4)
  void pull_columns(std::span<const S> X, int rows, std::span<S> out) const override {
    for (S& entry : out) entry = S{};
    const int inner = this->inner(), outer = this->outer();
    for (int r = 0; r < rows; ++r)
      for_each_term([&](int joint, int coordinate, const T& factor) {
        out[index(r * inner + coordinate)] += factor * X[index(r * outer + joint)];
      });
  }

 private:
  template <class Visitor>
  void for_each_term(Visitor&& visit) const {
    for (std::size_t k = 0; k < rows_.size(); ++k)
      for (const auto& [coordinate, factor] : rows_[TreeJoint(k)].terms)
        visit(static_cast<int>(k), static_cast<int>(coordinate), factor);
  }
  std::span<const S> follow(std::span<const S> given, Array<S>& all) const {
    if (given.empty()) return {};
    for (S& entry : all) entry = S{};
    for_each_term(
        [&](int joint, int coordinate, const T& factor) { all[index(joint)] += factor * given[index(coordinate)]; });
    return all;
  }

  ByJoint<FollowingJoint<T>> rows_;
  Array<S> q_, qd_, qdd_;
};

}  // namespace catena

// Coupled joints: the joints of the tree follow the coordinates linearly, q_t = A q + b, so that G = A and g = 0.
// Equations (1)-(4): docs/equations/coupled_joints.md.
#pragma once

#include <algorithm>
#include <concepts>

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
        qdd_(q_.size()),
        lambda_(q_.size()) {
    const int first = coordinates.is_moving() ? base_joints : 0;
    Array<char> followed(index(this->inner()));
    for (const TreeJoint j : tree.all_joints()) {
      const FollowingJoint<T>& following = coordinates.following[j];
      const int joint = static_cast<int>(j);
      if (joint >= first && !is_zero(following.offset)) offsets_.push_back({joint, following.offset});
      const auto add = [&](int coordinate, const T& factor) {
        if (!is_copied(joint) && !followed[index(coordinate)] && is_one(factor)) {
          followed[index(coordinate)] = 1;
          copy(joint, coordinate);
        } else {
          terms_.push_back({joint, coordinate, factor});
        }
      };
      if (joint < first) add(joint, T(1));
      for (const auto& [coordinate, factor] : following.terms)
        if (joint >= first) add(static_cast<int>(coordinate) + first, factor);
      if (!is_copied(joint)) other_joints_.push_back(joint);
    }
    for (int c = 0; c < this->inner(); ++c)
      if (!followed[index(c)]) other_coordinates_.push_back(c);
  }
  std::unique_ptr<ChartStep<S>> clone() const override { return std::make_unique<CoupledStep>(*this); }

  // (1), (2)
  Inputs<S> place(const Inputs<S>& in) override {
    Inputs<S> tree = in;
    tree.q = follow(in.q, q_);
    if (!in.q.empty())
      for (const auto& [joint, offset] : offsets_) q_[index(joint)] += S(offset);
    tree.qd = follow(in.qd, qd_);
    tree.qdd = follow(in.qdd, qdd_);
    tree.lambda = follow(in.lambda, lambda_);
    tree.tau = {};
    return tree;
  }
  // (3)
  void pull_rows(std::span<const S> X, int columns, std::span<S> out) const override {
    const auto row = [&](auto& entries, int r) { return entries.data() + r * std::ptrdiff_t(columns); };
    for (const auto& [joint, coordinate, count] : copies_)
      std::copy_n(row(X, joint), count * std::ptrdiff_t(columns), row(out, coordinate));
    for (const int coordinate : other_coordinates_) std::fill_n(row(out, coordinate), columns, S{});
    for (const auto& [joint, coordinate, factor] : terms_) {
      const S* from = row(X, joint);
      S* to = row(out, coordinate);
      for (int c = 0; c < columns; ++c) to[c] += factor * from[c];
    }
  }
  // (4)
  void pull_columns(std::span<const S> X, int rows, std::span<S> out) const override {
    for (int r = 0; r < rows; ++r)
      pull_rows(X.subspan(index(r * this->outer()), index(this->outer())), 1,
                out.subspan(index(r * this->inner()), index(this->inner())));
  }

 private:
  static bool is_zero(const T& value) {
    if constexpr (std::floating_point<T>) return value == T(0);
    return false;
  }
  static bool is_one(const T& value) {
    if constexpr (std::floating_point<T>) return value == T(1);
    return false;
  }
  // For the latest joint, while terms are added.
  bool is_copied(int joint) const { return !copies_.empty() && joint < copies_.back().joint + copies_.back().count; }
  void copy(int joint, int coordinate) {
    if (!copies_.empty()) {
      auto& [from, to, count] = copies_.back();
      if (joint == from + count && coordinate == to + count) {
        ++count;
        return;
      }
    }
    copies_.push_back({joint, coordinate, 1});
  }

  std::span<const S> follow(std::span<const S> given, Array<S>& all) const {
    if (given.empty()) return {};
    for (const auto& [joint, coordinate, count] : copies_)
      std::copy_n(given.data() + coordinate, count, all.data() + joint);
    for (const int joint : other_joints_) all[index(joint)] = S{};
    for (const auto& [joint, coordinate, factor] : terms_) all[index(joint)] += factor * given[index(coordinate)];
    return all;
  }

  // Joints in sequence that are coordinates in sequence.
  struct Copy {
    int joint, coordinate, count;
  };
  // Any other entry of A.
  struct Term {
    int joint, coordinate;
    T factor;
  };
  struct Offset {
    int joint;
    T offset;  // b
  };
  Array<Copy> copies_;
  Array<int> other_joints_, other_coordinates_;  // of which no copy is made
  Array<Term> terms_;
  Array<Offset> offsets_;
  Array<S> q_, qd_, qdd_, lambda_;
};

}  // namespace catena

// Closed loops: the joints of the tree follow those that are coordinates as the loops demand, φ(x) = 0. Positions are
// found by Newton's method, or given for every mover; G and all derivatives follow from the loops' equations, cluster
// by cluster. Couplings of such a robot are part of this step. Equations: docs/equations/closed_loops.md.
#pragma once

#include <concepts>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "coordinates/chart.hpp"
#include "jobs/doubt.hpp"
#include "model/loop_search.hpp"

namespace catena {

template <class S>
class LoopStep final : public ChartStep<S> {
 public:
  using T = ConstantOf<S>;
  static constexpr std::string_view name = "closed loops";
  static bool is_in(const BasicCoordinates<T>& coordinates) { return coordinates.is_closed(); }

  // Its inner coordinates are the user's, preceded by those of the base if its motion is prescribed.
  LoopStep(const BasicCoordinates<T>& coordinates, const TreeFor<S>& tree)
      : ChartStep<S>(coordinates.nv() + (coordinates.is_moving() ? base_joints : 0), tree.joints()),
        closure_(coordinates.closure),
        first_(coordinates.is_moving() ? base_joints : 0),
        x_(closure_.movers.size()),
        xd_(x_.size()),
        xdd_(x_.size()),
        force_(x_.size()),
        q_(index(tree.joints())),
        qd_(q_.size()),
        qdd_(q_.size()),
        g_(q_.size()),
        start_(q_.size() + 1) {
    for (const TreeJoint joint : closure_.movers) names_.push_back(tree.joint_names[joint]);
    for (const LoopCluster& cluster : closure_.clusters) {
      clusters_.emplace_back(tree, closure_, cluster);
      if constexpr (Packed<S>)
        if (!closure_.placed) searches_.emplace_back(tree, closure_, cluster);
    }
    if constexpr (!std::floating_point<S> && !Packed<S>)
      if (!closure_.placed)
        throw std::invalid_argument("positions of joints in closed loops are not solved for here; give them all");
    drifts_.resize(clusters_.size());
    lane_.resize(x_.size());
    lay_out();
  }
  std::unique_ptr<ChartStep<S>> clone() const override { return std::make_unique<LoopStep>(*this); }

  Inputs<S> place(const Inputs<S>& in) override {
    Inputs<S> tree = in;
    tree.tau = {};
    if (!this->are_given(in.q)) return tree;
    const bool has_rates = this->are_given(in.qd), has_accelerations = this->are_given(in.qdd);
    take_positions(in.q);
    stale_G_ = stale_g_ = true;
    tree.q = q_;
    if (has_rates) {
      move(in.qd, false, xd_, qd_);
      tree.qd = qd_;
    }
    if (!has_rates && !has_accelerations) return tree;
    if (!has_rates)
      for (S& entry : qd_) entry = S{};
    for (std::size_t k = 0; k < clusters_.size(); ++k) cluster(k).second_rate(qd_);
    move(in.qdd, true, xdd_, qdd_);
    if (has_accelerations) tree.qdd = qdd_;
    return tree;
  }
  void pull_rows(std::span<const S> X, int columns, std::span<S> out) const override {
    if (columns == 1) return pull_one(X, out);
    find_G();
    for (S& entry : out) entry = S{};
    for (const Entry& e : entries_)
      for (int c = 0; c < columns; ++c)
        out[index(e.coordinate * columns + c)] += e.value * X[index(e.joint * columns + c)];
  }
  void pull_columns(std::span<const S> X, int rows, std::span<S> out) const override {
    find_G();
    for (S& entry : out) entry = S{};
    const int inner = this->inner(), outer = this->outer();
    for (int r = 0; r < rows; ++r)
      for (const Entry& e : entries_) out[index(r * inner + e.coordinate)] += e.value * X[index(r * outer + e.joint)];
  }
  // One entry of G.
  S entry(int outer, int inner) const {
    find_G();
    for (std::size_t k = start_[index(outer)]; k < start_[index(outer) + 1]; ++k)
      if (entries_[k].coordinate == inner) return entries_[k].value;
    return S{};
  }

  std::span<const S> acceleration() const override { return drift(); }
  std::span<const S> drift() const override {
    if (std::exchange(stale_g_, false)) {
      for (S& entry : g_) entry = S{};
      for (std::size_t k = 0; k < clusters_.size(); ++k) drifts_[k] = cluster(k).drift(cluster(k).equations().rates());
      for (const Dependent& dependent : dependents_)
        g_[index(dependent.joint)] += dependent.factor * drifts_[dependent.cluster][dependent.d];
    }
    return g_;
  }
  bool accelerates() const override { return true; }
  bool spins() const override { return true; }
  bool bends() const override { return true; }
  // Ġ, of which g = Ġ v; G is the derivative of positions, so that ∂(G v)/∂q = Ġ and ∂g/∂v = 2 Ġ.
  Patch<S> spin() const override {
    return patch([&](ClosedCluster<S>& cluster) { return cluster.G_along(qd_); }, T(1));
  }
  Patch<S> rate_by_position() const override { return spin(); }
  Patch<S> spin_by_rate() const override {
    return patch([&](ClosedCluster<S>& cluster) { return cluster.G_along(qd_); }, T(2));
  }
  Patch<S> acceleration_by_position() const override {
    return patch([&](ClosedCluster<S>& cluster) { return cluster.acceleration_by_position(qd_, qdd_); }, T(1));
  }
  void add_bent(std::span<const S> tau, std::span<S> P) const override {
    find_G();
    to_movers(tau);
    for (std::size_t k = 0; k < clusters_.size(); ++k) {
      ClosedCluster<S>& own = cluster(k);
      const auto at = [&](std::size_t i) { return index(coordinate_of(own.independent()[i])); };
      own.add_bent(force_, [&](std::size_t r, std::size_t c, const S& value) {
        P[at(r) * index(this->inner()) + at(c)] += value;
      });
    }
  }
  // The wrenches of the loops, for torques that the tree needs beside the motors at coordinates.
  void loop_forces(std::span<const S> tau, std::span<S> out) const {
    to_movers(tau);
    for (std::size_t k = 0; k < clusters_.size(); ++k) {
      const std::span<const S> lambda = cluster(k).multipliers(force_);
      for (std::size_t l = 0; l < closure_.clusters[k].loops.size(); ++l) {
        const Wrench<S> w = cluster(k).equations().wrench(l, lambda);
        S* const to = &out[6 * index(closure_.clusters[k].loops[l])];
        to[0] = w.force.x, to[1] = w.force.y, to[2] = w.force.z;
        to[3] = w.moment.x, to[4] = w.moment.y, to[5] = w.moment.z;
      }
    }
  }

 private:
  using Number = std::conditional_t<std::floating_point<T>, T, double>;  // in which positions are searched
  using Solved = std::conditional_t<std::floating_point<S>, LoopSearch<Number>, ClosedCluster<S>>;
  struct Entry {  // of G
    int joint, coordinate;
    S value;
    T constant;
  };
  struct Source {  // what a dependent mover adds to an entry
    std::size_t entry, row, column;
    std::size_t cluster, d, i;
    T factor;
  };
  struct Dependent {
    int joint;
    std::size_t cluster, d;
    T factor;
  };

  ClosedCluster<S>& cluster(std::size_t k) const {
    if constexpr (std::floating_point<S>) {
      return clusters_[k].cluster();
    } else {
      return clusters_[k];
    }
  }
  int coordinate_of(int mover) const { return closure_.coordinate[index(mover)] + first_; }

  // Where each dependent mover adds to G.
  void lay_out() {
    std::vector<std::pair<std::size_t, std::size_t>> place_of(closure_.movers.size());  // cluster, number in it
    for (std::size_t k = 0; k < closure_.clusters.size(); ++k)
      for (std::size_t d = 0; d < closure_.clusters[k].dependent.size(); ++d)
        place_of[index(closure_.clusters[k].dependent[d])] = {k, d};
    for (int j = 0; j < this->outer(); ++j) {
      start_[index(j)] = entries_.size();
      if (j < first_) entries_.push_back({j, j, S(T(1)), T(1)});
      for (const auto& [mover, factor] : closure_.joints[TreeJoint(j)].terms) {
        if (closure_.coordinate[index(mover)] >= 0) {
          entries_[entry_of(j, coordinate_of(mover))].constant += factor;
          continue;
        }
        const auto [k, d] = place_of[index(mover)];
        dependents_.push_back({j, k, d, factor});
        for (std::size_t i = 0; i < closure_.clusters[k].independent.size(); ++i) {
          const int c = coordinate_of(closure_.clusters[k].independent[i]);
          sources_.push_back({entry_of(j, c), number(rows_, j), number(columns_, c), k, d, i, factor});
        }
      }
    }
    start_.back() = entries_.size();
    patch_.resize(rows_.size() * columns_.size());
  }
  std::size_t entry_of(int joint, int coordinate) {
    for (std::size_t k = start_[index(joint)]; k < entries_.size(); ++k)
      if (entries_[k].coordinate == coordinate) return k;
    entries_.push_back({joint, coordinate, S{}, T(0)});
    return entries_.size() - 1;
  }
  static std::size_t number(std::vector<int>& list, int value) {
    const auto found = std::find(list.begin(), list.end(), value);
    const auto at = static_cast<std::size_t>(found - list.begin());
    if (found == list.end()) list.push_back(value);
    return at;
  }

  void take_positions(std::span<const S> q) {
    for (std::size_t m = 0; m < x_.size(); ++m) {
      if (closure_.placed)
        x_[m] = q[m + index(first_)];
      else if (closure_.coordinate[m] >= 0)
        x_[m] = q[index(coordinate_of(static_cast<int>(m)))];
    }
    if (!closure_.placed)
      search();
    else
      for (std::size_t k = 0; k < clusters_.size(); ++k) cluster(k).place(x_);
    if constexpr (std::floating_point<S>)
      for (std::size_t k = 0; k < clusters_.size(); ++k) require_regular(k);
    for (int j = 0; j < this->outer(); ++j) {
      const auto& row = closure_.joints[TreeJoint(j)];
      q_[index(j)] = j < first_ ? q[index(j)] : S(row.offset);
      for (const auto& [mover, factor] : row.terms) q_[index(j)] += factor * x_[index(mover)];
    }
  }
  void search() {
    if constexpr (std::floating_point<S>)
      for (std::size_t k = 0; k < clusters_.size(); ++k)
        if (!clusters_[k].find(x_)) refuse(k);
    if constexpr (Packed<S>) search_lanes();
  }
  // Each lane by itself; NaN where the loops do not close, which puts the lane in doubt.
  void search_lanes() {
    if constexpr (Packed<S>) {
      std::vector<Number>& x = lane_;
      for (int lane = 0; lane < S::lanes; ++lane) {
        for (std::size_t m = 0; m < x.size(); ++m) x[m] = x_[m].v[lane];
        for (std::size_t k = 0; k < searches_.size(); ++k) {
          const bool found = searches_[k].find(x);
          for (const int m : closure_.clusters[k].dependent)
            x_[index(m)].v[lane] = found ? x[index(m)] : std::numeric_limits<T>::quiet_NaN();
        }
      }
      for (std::size_t k = 0; k < clusters_.size(); ++k) cluster(k).place(x_);
    }
  }

  void refuse(std::size_t k, int singular = -1) const requires std::floating_point<S> {
    throw std::domain_error(why_open<T, S>(closure_, names_, closure_.clusters[k], std::span<const S>(x_), singular));
  }
  void require_regular(std::size_t k) const requires std::floating_point<S> {
    std::size_t worst = 0;
    if (cluster(k).regularity(worst) > T(64) * std::numeric_limits<T>::epsilon()) return;
    refuse(k, closure_.clusters[k].dependent[worst]);
  }

  void find_G() const {
    if (!std::exchange(stale_G_, false)) return;
    for (std::size_t k = 0; k < clusters_.size(); ++k) cluster(k).find_G();
    for (Entry& e : entries_) e.value = S(e.constant);
    for (const Source& s : sources_) entries_[s.entry].value += s.factor * cluster(s.cluster).G(s.d, s.i);
  }
  // Rates or accelerations of the movers and of the tree's joints, from those of the coordinates (none: zero).
  void move(std::span<const S> v, bool second, Array<S>& x, Array<S>& all) {
    for (std::size_t m = 0; m < x.size(); ++m)
      if (closure_.coordinate[m] >= 0) x[m] = v.empty() ? S{} : v[index(coordinate_of(static_cast<int>(m)))];
    for (std::size_t k = 0; k < clusters_.size(); ++k) {
      ClosedCluster<S>& own = cluster(k);
      const std::span<const S> found =
          second ? (v.empty() ? own.drift(own.equations().rates()) : own.follow(x, own.equations().rates()))
                 : own.follow(x);
      for (std::size_t d = 0; d < found.size(); ++d) x[index(own.dependent()[d])] = found[d];
    }
    for (int j = 0; j < this->outer(); ++j) {
      S& to = all[index(j)];
      to = j < first_ && !v.empty() ? v[index(j)] : S{};
      for (const auto& [mover, factor] : closure_.joints[TreeJoint(j)].terms)
        to += factor == T(1) ? x[index(mover)] : factor * x[index(mover)];
    }
  }
  // Gᵀ of one column, without G.
  void pull_one(std::span<const S> X, std::span<S> out) const {
    to_movers(X);
    for (S& entry : out) entry = S{};
    for (int j = 0; j < first_; ++j) out[index(j)] = X[index(j)];
    for (std::size_t m = 0; m < force_.size(); ++m)
      if (closure_.coordinate[m] >= 0) out[index(coordinate_of(static_cast<int>(m)))] = force_[m];
    for (std::size_t k = 0; k < clusters_.size(); ++k)
      cluster(k).pull(force_, [&](std::size_t i, const S& value) {
        out[index(coordinate_of(cluster(k).independent()[i]))] += value;
      });
  }
  // Forces at the tree's joints as forces at the movers.
  void to_movers(std::span<const S> tau) const {
    for (S& entry : force_) entry = S{};
    for (int j = first_; j < this->outer(); ++j)
      for (const auto& [mover, factor] : closure_.joints[TreeJoint(j)].terms)
        force_[index(mover)] += factor == T(1) ? tau[index(j)] : factor * tau[index(j)];
  }
  template <class Matrix>
  Patch<S> patch(const Matrix& matrix, const T& factor) const {
    find_G();
    for (S& entry : patch_) entry = S{};
    std::span<const S> values;
    for (std::size_t s = 0; s < sources_.size(); ++s) {
      const Source& source = sources_[s];
      if (s == 0 || sources_[s - 1].cluster != source.cluster) values = matrix(cluster(source.cluster));
      patch_[source.row * columns_.size() + source.column] +=
          (factor * source.factor) * values[source.d * cluster(source.cluster).independent().size() + source.i];
    }
    return {rows_, columns_, patch_};
  }

  Closure<T> closure_;
  int first_;  // how many inner coordinates come before the user's
  std::vector<std::string> names_;
  mutable std::vector<Solved> clusters_;
  std::vector<LoopSearch<Number>> searches_;  // for packs: lane by lane
  std::vector<Number> lane_;
  Array<S> x_, xd_, xdd_;
  mutable Array<S> force_;
  Array<S> q_, qd_, qdd_;
  mutable Array<S> g_;
  mutable bool stale_G_ = true, stale_g_ = true;
  std::vector<std::size_t> start_;  // by joint, the first of its entries
  mutable std::vector<Entry> entries_;
  std::vector<Source> sources_;
  std::vector<Dependent> dependents_;
  mutable std::vector<std::span<const S>> drifts_;
  std::vector<int> rows_, columns_;  // joints and coordinates of the patches
  mutable Array<S> patch_;
};

}  // namespace catena

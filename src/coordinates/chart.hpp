// Maps the user's coordinates to the joints of the tree, and back. Every robot that is more than a tree of independent
// joints has a chart: q_t = γ(q), q̇_t = G v, q̈_t = G v̇ + g. Formulations know nothing of it. A chart is a sequence
// of steps, each a header in this folder, listed in coordinates/charts.hpp. How a result is pulled back depends on its
// Kind: coordinates/pull_back.hpp. Equations: docs/equations/charts.md.
#pragma once

#include <algorithm>
#include <concepts>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "catena/formulation/array.hpp"
#include "catena/job.hpp"

namespace catena {

// Some rows and columns of a matrix that is zero elsewhere.
template <class S>
struct Patch {
  std::span<const int> rows{}, columns{};
  std::span<const S> entries{};  // by rows

  // out += X patch, where X has x_rows rows and `outer` columns, out has `inner` columns.
  void add_times(std::span<const S> X, int x_rows, int outer, int inner, std::span<S> out) const {
    if constexpr (std::floating_point<S>)
      if (are_neighbours(columns) && columns.size() <= lanes) return add_in_lanes(X, x_rows, outer, inner, out);
    const std::size_t count = columns.size();
    for (int r = 0; r < x_rows; ++r)
      for (std::size_t m = 0; m < rows.size(); ++m) {
        const S& x = X[index(r * outer + rows[m])];
        for (std::size_t c = 0; c < count; ++c) out[index(r * inner + columns[c])] += x * entries[m * count + c];
      }
  }
  // out -= patch
  void subtract(int inner, std::span<S> out) const {
    for (std::size_t m = 0; m < rows.size(); ++m)
      for (std::size_t c = 0; c < columns.size(); ++c)
        out[index(rows[m] * inner + columns[c])] -= entries[m * columns.size() + c];
  }

 private:
  static constexpr std::size_t lanes = 8;
  static bool are_neighbours(std::span<const int> list) {
    for (std::size_t k = 1; k < list.size(); ++k)
      if (list[k] != list[k - 1] + 1) return false;
    return !list.empty();
  }
  // A row of the patch in one vector, a row of the result as a sum in registers.
  void add_in_lanes(std::span<const S> X, int x_rows, int outer, int inner, std::span<S> out) const {
    typedef S Lanes __attribute__((vector_size(lanes * sizeof(S))));  // NOLINT(modernize-use-using)
    const std::size_t count = columns.size();
    constexpr std::size_t most = 8;
    Lanes own[most] = {};
    for (std::size_t first = 0; first < rows.size(); first += most) {
      const std::size_t some = std::min(most, rows.size() - first);
      for (std::size_t m = 0; m < some; ++m)
        for (std::size_t c = 0; c < count; ++c) own[m][c] = entries[(first + m) * count + c];
      for (int r = 0; r < x_rows; ++r) {
        Lanes sum = {};
        for (std::size_t m = 0; m < some; ++m) sum += X[index(r * outer + rows[first + m])] * own[m];
        S* to = &out[index(r * inner + columns.front())];
        for (std::size_t c = 0; c < count; ++c) to[c] += sum[c];
      }
    }
  }
};

// A step from inner coordinates, nearer to the user, to outer ones, nearer to the tree. Spans are valid until the next
// place().
template <class S>
class ChartStep {
 public:
  virtual ~ChartStep() = default;
  ChartStep& operator=(const ChartStep&) = delete;
  virtual std::unique_ptr<ChartStep> clone() const = 0;

  int inner() const { return inner_; }  // number of velocities
  int outer() const { return outer_; }

  // (1): maps the q, q̇ and q̈ that are given outward. τ passes unchanged if G is 1.
  virtual Inputs<S> place(const Inputs<S>& in) = 0;
  // Gᵀ X, where X has a row per outer velocity; X G and X Γ, with a column for each. Γ is G for positions: ∂q_t/∂q.
  virtual void pull_rows(std::span<const S> X, int columns, std::span<S> out) const = 0;
  virtual void pull_columns(std::span<const S> X, int rows, std::span<S> out) const = 0;
  virtual void pull_positions(std::span<const S> X, int rows, std::span<S> out) const { pull_columns(X, rows, out); }

  // Whether G is 1: then a solution outside is also the solution inside.
  virtual bool is_square() const { return false; }
  // g as in q̈_t, gravity included, and as it accelerates frames; entries beyond the last are zero.
  virtual std::span<const S> acceleration() const { return {}; }
  virtual std::span<const S> drift() const { return {}; }
  virtual bool accelerates() const { return false; }
  // N of g = N v; ∂g/∂v; ∂(G v)/∂q; ∂(G v̇ + g)/∂q.
  virtual Patch<S> spin() const { return {}; }
  virtual Patch<S> spin_by_rate() const { return {}; }
  virtual Patch<S> rate_by_position() const { return {}; }
  virtual Patch<S> acceleration_by_position() const { return {}; }
  virtual bool spins() const { return false; }  // whether one of the four is not empty
  // Whether G changes with q: then P += (∂G/∂q)ᵀ τ.
  virtual bool bends() const { return false; }
  virtual void add_bent(std::span<const S> /*tau*/, std::span<S> /*P*/) const {}

  // Second derivatives: whether G is 1 and g bends. Then `curve` pulls a block back in place, beside M and the block by
  // positions and accelerations. If G is constant they are pulled back like any form; else there are none.
  virtual bool curves() const { return false; }
  virtual void curve(Kind /*block*/, std::span<const S> /*M*/, std::span<const S> /*q_qdd*/, std::span<S> /*H*/) const {
  }
  bool has_curvature() const { return curves() || !(spins() || bends()); }

  // The pose of the tree's world in the world, if it moves.
  virtual const Pose<S>* moved() const { return nullptr; }
  // The inner velocities that rotate it, and the axis of each, in the tree's world.
  virtual std::span<const int> turning() const { return {}; }
  virtual Vec3<S> turning_axis(int /*velocity*/) const { return {}; }
  virtual Vec3<ConstantOf<S>> gravity() const { return {}; }  // the world's gravity, if the tree's world moves

 protected:
  ChartStep(int inner, int outer) : inner_(inner), outer_(outer) {}
  ChartStep(const ChartStep&) = default;
  // Whether place() has such entries: none are all of them where nothing moves but what is prescribed.
  bool are_given(std::span<const S> entries) const { return inner_ == 0 || !entries.empty(); }

 private:
  int inner_, outer_;
};

template <class S>
class LoopStep;

template <class S>
class Chart {
 public:
  // coordinates/charts.hpp has the list.
  explicit Chart(const BasicCoordinates<ConstantOf<S>>& coordinates, const TreeFor<S>& tree);
  Chart(const Chart& other) {
    for (const auto& step : other.steps_) steps_.push_back(step->clone());
    if (!other.twins_.empty()) take_references();
  }
  Chart(Chart&&) noexcept = default;
  Chart& operator=(const Chart& other) {
    if (this != &other) *this = Chart(other);
    return *this;
  }
  Chart& operator=(Chart&&) noexcept = default;
  ~Chart() = default;

  // In order from the user to the tree.
  const std::vector<std::unique_ptr<ChartStep<S>>>& steps() const { return steps_; }
  Inputs<S> place(const Inputs<S>& in) const {
    Inputs<S> outer = in;
    const bool refers = !in.reference.empty() || (!twins_.empty() && steps_.front()->inner() == 0);
    if (refers && twins_.empty()) take_references();
    for (std::size_t k = 0; k < steps_.size(); ++k) {
      if (!refers) {
        outer = steps_[k]->place(outer);
        continue;
      }
      const Inputs<S> inner = outer;
      outer = steps_[k]->place(inner);
      refer(*steps_[k], twins_[k], inner, outer);
    }
    return outer;
  }
  // Before states with a reference velocity are placed, so that no call allocates.
  void take_references() const {
    for (const auto& step : steps_) twins_.push_back({step->clone(), Array<S>(index(step->outer()))});
  }
  template <class Ask>
  bool any(Ask&& ask) const {
    for (const auto& step : steps_)
      if (ask(*step)) return true;
    return false;
  }
  bool is_square() const {
    return !any([](const auto& step) { return !step.is_square(); });
  }
  // The step that moves the tree's world, if there is one.
  const ChartStep<S>* mover() const {
    for (const auto& step : steps_)
      if (step->moved()) return step.get();
    return nullptr;
  }
  // The step of closed loops, next to the tree: of robots that have some.
  const LoopStep<S>& loops() const { return static_cast<const LoopStep<S>&>(*steps_.back()); }

 private:
  struct Twin {
    std::unique_ptr<ChartStep<S>> step;
    Array<S> qdd;
  };
  // A reference moves the outer joints by G v_r, as a second step finds; rates meet it in N v_r in place of N v.   (18)
  static void refer(const ChartStep<S>& step, Twin& twin, const Inputs<S>& inner, Inputs<S>& outer) {
    outer.reference = twin.step->place({.q = inner.q, .qd = inner.reference, .base = inner.base}).qd;
    const Patch<S> N = step.spin();
    if (N.rows.empty()) return;
    std::copy(outer.qdd.begin(), outer.qdd.end(), twin.qdd.begin());
    for (std::size_t m = 0; m < N.rows.size(); ++m)
      for (std::size_t c = 0; c < N.columns.size(); ++c) {
        const std::size_t j = index(N.columns[c]);
        twin.qdd[index(N.rows[m])] += N.entries[m * N.columns.size() + c] * (inner.reference[j] - inner.qd[j]);
      }
    outer.qdd = twin.qdd;
  }

  std::vector<std::unique_ptr<ChartStep<S>>> steps_;
  mutable std::vector<Twin> twins_;  // a step each, if references are taken
};

}  // namespace catena

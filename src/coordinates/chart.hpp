// The way from the user's coordinates to the joints of the tree, and back. Every robot that is more than a tree of
// joints that move by themselves is one with a chart: q_t = γ(q), q̇_t = G v, q̈_t = G v̇ + g. Formulations know nothing
// of it. Charts are made of steps, each a header in dynamics/charts/, listed in coordinates/charts.hpp. What a result
// becomes on the way back goes by what it is (Kind): coordinates/pull_back.hpp. Equations: docs/equations/charts.md.
#pragma once

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

  // out += X patch, for X with so many rows and `outer` columns, out with `inner` columns.
  void add_times(std::span<const S> X, int x_rows, int outer, int inner, std::span<S> out) const {
    for (int r = 0; r < x_rows; ++r)
      for (std::size_t m = 0; m < rows.size(); ++m)
        for (std::size_t c = 0; c < columns.size(); ++c)
          out[index(r * inner + columns[c])] += X[index(r * outer + rows[m])] * entries[m * columns.size() + c];
  }
  // out -= patch
  void subtract(int inner, std::span<S> out) const {
    for (std::size_t m = 0; m < rows.size(); ++m)
      for (std::size_t c = 0; c < columns.size(); ++c)
        out[index(rows[m] * inner + columns[c])] -= entries[m * columns.size() + c];
  }
};

// From inner coordinates, nearer to the user, to outer ones, nearer to the tree. Spans are valid until the next
// place().
template <class S>
class ChartStep {
 public:
  virtual ~ChartStep() = default;
  ChartStep& operator=(const ChartStep&) = delete;
  virtual std::unique_ptr<ChartStep> clone() const = 0;

  int inner() const { return inner_; }  // velocities
  int outer() const { return outer_; }

  // (1): what is given of q, q̇ and q̈, outward. τ passes where G is 1.
  virtual Inputs<S> place(const Inputs<S>& in) = 0;
  // Gᵀ X, for X with a row for each outer velocity; X G and X Γ, with a column for each: Γ is what positions follow.
  virtual void pull_rows(std::span<const S> X, int columns, std::span<S> out) const = 0;
  virtual void pull_columns(std::span<const S> X, int rows, std::span<S> out) const = 0;
  virtual void pull_positions(std::span<const S> X, int rows, std::span<S> out) const { pull_columns(X, rows, out); }

  // Whether G is 1, so that what is solved for outside is the answer inside.
  virtual bool is_square() const { return false; }
  // g as q̈_t has it, weight included, and as frames feel it; what is beyond the last entry is zero.
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

  // The world from what the tree takes for it, where that moves.
  virtual const Pose<S>* moved() const { return nullptr; }
  // The inner velocities that turn it, and about which axis, as the tree sees its world.
  virtual std::span<const int> turning() const { return {}; }
  virtual Vec3<S> turning_axis(int /*velocity*/) const { return {}; }
  virtual Vec3<ConstantOf<S>> gravity() const { return {}; }  // the world's, where it moves

 protected:
  ChartStep(int inner, int outer) : inner_(inner), outer_(outer) {}
  ChartStep(const ChartStep&) = default;

 private:
  int inner_, outer_;
};

template <class S>
class Chart {
 public:
  // coordinates/charts.hpp has the list.
  explicit Chart(const BasicCoordinates<ConstantOf<S>>& coordinates, const TreeFor<S>& tree);
  Chart(const Chart& other) {
    for (const auto& step : other.steps_) steps_.push_back(step->clone());
  }
  Chart(Chart&&) noexcept = default;
  Chart& operator=(const Chart& other) {
    if (this != &other) *this = Chart(other);
    return *this;
  }
  Chart& operator=(Chart&&) noexcept = default;
  ~Chart() = default;

  // From the user to the tree.
  const std::vector<std::unique_ptr<ChartStep<S>>>& steps() const { return steps_; }
  Inputs<S> place(const Inputs<S>& in) const {
    Inputs<S> outer = in;
    for (const auto& step : steps_) outer = step->place(outer);
    return outer;
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
  // The step that moves the world, if one does.
  const ChartStep<S>* mover() const {
    for (const auto& step : steps_)
      if (step->moved()) return step.get();
    return nullptr;
  }

 private:
  std::vector<std::unique_ptr<ChartStep<S>>> steps_;
};

}  // namespace catena

// Pulls a result back by one step of the chart, towards the user: one function for each kind, independent of the job.
// Equations: docs/equations/charts.md.
#pragma once

#include <algorithm>

#include "coordinates/chart.hpp"

namespace catena {

template <class S>
class PullBack {
 public:
  // Outer results needed to pull back others, from the job itself or computed in addition.
  struct Beside {
    std::span<const S> form, damping, torque, columns, q_qdd;
  };
  // `half`: workspace for outer × inner, plus a row and a column.
  PullBack(const ChartStep<S>& step, const Beside& beside, std::span<S> half)
      : step_(step), inner_(step.inner()), outer_(step.outer()), beside_(beside), half_(half) {}

  // Whether such a result stays the same if G is 1.
  static bool stays(Kind kind) {
    constexpr Kind all[] = {Kind::torque,          Kind::bias,      Kind::weight,       Kind::rows,   Kind::form,
                            Kind::response_to_tau, Kind::factors,   Kind::found_torque, Kind::scalar, Kind::kinetic,
                            Kind::potential,       Kind::loop_force};
    return std::find(std::begin(all), std::end(all), kind) != std::end(all);
  }

  // May be in place if G is 1.
  void operator()(const OutputInfo& output, std::span<const S> X, std::span<S> out) const {
    switch (output.kind) {
      case Kind::torque:
      case Kind::bias:
      case Kind::weight:
      case Kind::rows:
        return rows(X, out);  // (2)
      case Kind::form:
        return both_sides(X, out, [&](std::span<S>) {});  // (3)
      case Kind::connection:
      case Kind::damping:
        return by_rates(output.kind, X, out);
      case Kind::stiffness:
        return stiffness(X, out);
      case Kind::columns:
        return columns(X, out);
      case Kind::drift:
      case Kind::momentum:
      case Kind::point:
      case Kind::tensor:
      case Kind::pose:
        return in_world(output.kind, X, out);
      case Kind::acceleration:
      case Kind::response_to_q:
      case Kind::response_to_qd:
        return solution(output.kind, X, out);
      case Kind::curvature_q_q:
      case Kind::curvature_q_qd:
      case Kind::curvature_q_qdd:
      case Kind::curvature_qd_qd:
        return curvature(output.kind, X, out);
      case Kind::response_curvature:  // found in the user's coordinates: run/charted_curvature.hpp
      case Kind::momenta:             // and these: run/charted_observer.hpp
      case Kind::momenta_rate:
      case Kind::response_to_tau:
      case Kind::found_torque:
      case Kind::factors:
      case Kind::scalar:
      case Kind::kinetic:
      case Kind::potential:
      case Kind::loop_force:  // found where the loops are closed: charted_runner.hpp
      case Kind::positions:   // without those of joints that carry the base
        return copy(X.last(out.size()), out);
    }
  }

 private:
  // Positions and directions.
  void in_world(Kind kind, std::span<const S> X, std::span<S> out) const {
    copy(X, out);
    if (kind == Kind::drift) add_drift(out);  // (8)
    if (kind == Kind::drift || kind == Kind::momentum) return turn(1, out);
    if (kind == Kind::point) return move(out);
    return kind == Kind::tensor ? turn_tensor(out) : move_pose(out);
  }

  // (7)
  void columns(std::span<const S> X, std::span<S> out) const {
    step_.pull_columns(X, 6, out);
    turn(inner_, out);
  }
  // (4), (5)
  void by_rates(Kind kind, std::span<const S> X, std::span<S> out) const {
    const Patch<S> turned = kind == Kind::connection ? step_.spin() : step_.spin_by_rate();
    both_sides(X, out, [&](std::span<S> half) { add(beside_.form, turned, half); });
  }
  // (9), (10)
  void solution(Kind kind, std::span<const S> X, std::span<S> out) const {
    if (kind == Kind::acceleration) return acceleration(X, out);
    if (kind == Kind::response_to_q) {
      step_.pull_positions(X, inner_, out);
      return step_.acceleration_by_position().subtract(inner_, out);
    }
    copy(X, out);
    step_.spin_by_rate().subtract(inner_, out);
  }
  void curvature(Kind block, std::span<const S> X, std::span<S> out) const {
    if (!step_.curves()) return both_sides(X, out, [&](std::span<S>) {});  // (17)
    copy(X, out);
    step_.curve(block, beside_.form, beside_.q_qdd, out);
  }
  // (9)
  void acceleration(std::span<const S> X, std::span<S> out) const {
    copy(X, out);
    for (std::size_t j = 0; j < step_.acceleration().size(); ++j) out[j] -= step_.acceleration()[j];
  }
  static void copy(std::span<const S> X, std::span<S> out) {
    if (X.data() != out.data()) std::copy(X.begin(), X.end(), out.begin());
  }
  // half += X patch
  void add(std::span<const S> X, const Patch<S>& patch, std::span<S> half) const {
    if (!patch.rows.empty()) patch.add_times(X, outer_, outer_, inner_, half);
  }
  // Joints that carry a moving base have no parameters: leading columns without a place in `out` are dropped.
  void rows(std::span<const S> X, std::span<S> out) const {
    const std::size_t inner = index(inner_), outer = index(outer_);
    if (inner == 0) return;
    const std::size_t given = X.size() / outer, wanted = out.size() / inner;
    if (given == wanted) return step_.pull_rows(X, static_cast<int>(given), out);
    const std::span<S> column = half_.first(outer), pulled = half_.subspan(outer, inner);
    for (std::size_t c = 0; c < wanted; ++c) {
      for (std::size_t r = 0; r < outer; ++r) column[r] = X[r * given + (given - wanted) + c];
      step_.pull_rows(column, 1, pulled);
      for (std::size_t r = 0; r < inner; ++r) out[r * wanted + c] = pulled[r];
    }
  }
  // Gᵀ (X G + …), or with Γ for the right G.
  template <class More>
  void both_sides(std::span<const S> X, std::span<S> out, const More& more, bool positions = false) const {
    const std::span<S> half = step_.is_square() ? out : half_.first(index(outer_) * index(inner_));
    positions ? step_.pull_positions(X, outer_, half) : step_.pull_columns(X, outer_, half);
    more(half);
    if (!step_.is_square()) step_.pull_rows(half, inner_, out);
  }
  // (6)
  void stiffness(std::span<const S> X, std::span<S> out) const {
    both_sides(
        X, out,
        [&](std::span<S> half) {
          add(beside_.damping, step_.rate_by_position(), half);
          add(beside_.form, step_.acceleration_by_position(), half);
        },
        true);
    if (step_.bends()) step_.add_bent(beside_.torque, out);
  }
  void add_drift(std::span<S> out) const {
    const std::span<const S> g = step_.drift(), J = beside_.columns;
    for (int r = 0; r < 6; ++r)
      for (std::size_t k = 0; k < g.size(); ++k) out[index(r)] += J[index(r * outer_) + k] * g[k];
  }

  // Rotates both halves of each column to the axes of the world.
  void turn(int columns, std::span<S> out) const {
    if (!step_.moved()) return;
    for (int half = 0; half < 2; ++half)
      for (int c = 0; c < columns; ++c) {
        const auto at = [&](int r) -> S& { return out[index((3 * half + r) * columns + c)]; };
        const Vec3<S> turned = step_.moved()->R * Vec3<S>{at(0), at(1), at(2)};
        at(0) = turned.x, at(1) = turned.y, at(2) = turned.z;
      }
  }
  void turn_tensor(std::span<S> out) const {
    if (!step_.moved()) return;
    const Mat3<S>& R = step_.moved()->R;
    const Mat3<S> turned =
        R * Mat3<S>{out[0], out[1], out[2], out[3], out[4], out[5], out[6], out[7], out[8]} * R.transpose();
    put(turned.row_x(), out), put(turned.row_y(), out.subspan(3)), put(turned.row_z(), out.subspan(6));
  }
  void move(std::span<S> out) const {
    if (step_.moved()) put(step_.moved()->R * Vec3<S>{out[0], out[1], out[2]} + step_.moved()->p, out);
  }
  void move_pose(std::span<S> out) const {
    if (!step_.moved()) return;
    const Pose<S> moved =
        *step_.moved() *
        Pose<S>{{out[0], out[1], out[2], out[4], out[5], out[6], out[8], out[9], out[10]}, {out[3], out[7], out[11]}};
    put(moved.R.row_x(), out), put(moved.R.row_y(), out.subspan(4)), put(moved.R.row_z(), out.subspan(8));
    out[3] = moved.p.x, out[7] = moved.p.y, out[11] = moved.p.z;
  }
  static void put(const Vec3<S>& v, std::span<S> out) { out[0] = v.x, out[1] = v.y, out[2] = v.z; }

  const ChartStep<S>& step_;
  int inner_, outer_;
  const Beside& beside_;
  std::span<S> half_;
};

}  // namespace catena

// Positions on dual numbers, moved along one velocity: those of all joints of closed loops, which are found first, and
// a free base along and about its own axes. Calls allocate nothing.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <utility>

#include "catena/math/quaternion.hpp"
#include "catena/scalar/dual.hpp"
#include "coordinates/charts.hpp"
#include "coordinates/placement.hpp"

namespace catena {

class PositionsAlong {
 public:
  explicit PositionsAlong(std::shared_ptr<const Mechanism> robot)
      : robot_(std::move(robot)),
        placement_(robot_),
        chart_(robot_->coordinates, *robot_),
        speed_(index(robot_->nv())) {
    given_.reserve(index(robot_->nq()));
    positions_.reserve(std::max(index(robot_->nq()), robot_->coordinates.closure.movers.size() + 1));
  }

  // For a robot that takes all positions: with_all_positions().
  void set(std::span<const double> q) {
    given_.assign(q.begin(), q.end());
    const std::span<const double> all = placement_(q);
    positions_.assign(all.begin(), all.end());
  }
  // At a unit speed of coordinate k; valid until the next call.
  std::span<const Dual<double>> along(int k) {
    for (Dual<double>& entry : positions_) entry.derivative = 0.0;
    if (robot_->coordinates.is_closed()) follow(k);
    if (robot_->coordinates.is_free() && k < base_joints) {
      move_base(k);
    } else if (!robot_->coordinates.is_closed()) {
      positions_[robot_->coordinates.position_of(Coordinate(k))].derivative = 1.0;
    }
    return positions_;
  }

 private:
  void follow(int k) {
    speed_[index(k)] = 1.0;
    const std::span<const double> rates = chart_.place({.q = given_, .qd = speed_}).qd;
    speed_[index(k)] = 0.0;
    const auto& movers = robot_->coordinates.closure.movers;
    const std::size_t more = robot_->coordinates.is_free() ? 1 : 0;  // a quaternion has four
    for (std::size_t m = more > 0 ? base_joints : 0; m < movers.size(); ++m)
      positions_[m + more].derivative = rates[index(static_cast<int>(movers[m]))];
  }
  // ṗ = R v, ξ̇ = ½ ξ ⊗ (ω, 0)
  void move_base(int k) {
    const auto put = [&](const Vec3<double>& v, std::size_t at) {
      positions_[at].derivative = v.x, positions_[at + 1].derivative = v.y, positions_[at + 2].derivative = v.z;
    };
    const Vec3<double> xi{positions_[3].value, positions_[4].value, positions_[5].value};
    const double w = positions_[6].value;
    const Vec3<double> axis{k % 3 == 0 ? 1.0 : 0.0, k % 3 == 1 ? 1.0 : 0.0, k % 3 == 2 ? 1.0 : 0.0};
    if (k < 3) return put(rotation_of(xi.x, xi.y, xi.z, w) * axis, 0);
    put(0.5 * (w * axis + cross(xi, axis)), 3);
    positions_[6].derivative = -0.5 * dot(xi, axis);
  }

  std::shared_ptr<const Mechanism> robot_;
  PlacementOf<double> placement_;
  Chart<double> chart_;
  Array<double> speed_, given_;
  Array<Dual<double>> positions_;
};

}  // namespace catena

// Torques of motors anywhere in closed loops, from the torques that the coordinates need. Motors that are too many
// share the load by least squares. Equations: docs/equations/closed_loops.md (16).
#pragma once

#include <cmath>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "coordinates/charts.hpp"
#include "formulations/shared/ldlt.hpp"

namespace catena {

class MotorTorques {
 public:
  struct Motor {
    TreeJoint joint{};
    double weight = 1.0;  // what its torque costs; the sum of weight τ² is least
  };
  MotorTorques(const Mechanism& robot, std::vector<Motor> motors)
      : robot_(std::make_shared<const Mechanism>(robot)),
        motors_(std::move(motors)),
        chart_(robot_->coordinates, *robot_),
        rows_(motors_.size() * n()),
        shares_(n() * n()),
        pivots_(n()),
        y_(n()) {}

  // One for each motor. Throws std::domain_error if they cannot give these torques, naming a coordinate that they do
  // not move.
  void operator()(std::span<const double> q, std::span<const double> tau, std::span<double> torques) {
    fill_rows(q);
    std::vector<double> diagonal;
    for (std::size_t r = 0; r < n(); ++r)
      for (std::size_t c = r; c < n(); ++c) {
        double sum = 0.0;
        for (std::size_t a = 0; a < motors_.size(); ++a)
          sum += rows_[a * n() + r] * rows_[a * n() + c] / motors_[a].weight;
        shares_[r * n() + c] = sum;
        if (r == c) diagonal.push_back(sum);
      }
    const MatrixView<double> factors{shares_, robot_->nv()};
    factor_ldlt<double>(factors, pivots_);
    for (std::size_t c = 0; c < n(); ++c)
      if (!(pivots_[c] > 0.0 && std::isfinite(pivots_[c]) && 1.0 / pivots_[c] > 1e-12 * diagonal[c]))
        throw std::domain_error("too few motors: none is left to move coordinate '" + robot_->name_of(Coordinate(c)) +
                                "' here");
    std::copy(tau.begin(), tau.end(), y_.begin());
    solve_ldlt<double>(factors, pivots_, std::span<double>(y_));
    for (std::size_t a = 0; a < motors_.size(); ++a) {
      torques[a] = 0.0;
      for (std::size_t c = 0; c < n(); ++c) torques[a] += rows_[a * n() + c] * y_[c] / motors_[a].weight;
    }
  }

 private:
  std::size_t n() const { return index(robot_->nv()); }
  // ∂(speed of each motor)/∂q̇: the speeds of the tree's joints where one coordinate has the speed 1.
  void fill_rows(std::span<const double> q) {
    std::vector<double> qd(n());
    for (std::size_t c = 0; c < n(); ++c) {
      qd[c] = 1.0;
      const Inputs<double> tree = chart_.place({.q = q, .qd = qd});
      for (std::size_t a = 0; a < motors_.size(); ++a) rows_[a * n() + c] = tree.qd[index(motors_[a].joint)];
      qd[c] = 0.0;
    }
  }

  std::shared_ptr<const Mechanism> robot_;
  std::vector<Motor> motors_;
  Chart<double> chart_;
  std::vector<double> rows_, shares_, pivots_, y_;
};

}  // namespace catena

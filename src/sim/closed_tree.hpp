// A tree whose loops are closed and opened while it runs: what runs is the closed robot, what changes is the tree.
// Equations (5), (6): docs/equations/gripping.md.
#pragma once

#include <span>
#include <vector>

#include "catena/robot.hpp"
#include "coordinates/charts.hpp"

namespace catena {

class ClosedTree {
 public:
  // `robot` describes the tree with its loops, `q` is where its joints are. Throws ModelError if the loops cannot be
  // closed, and std::domain_error if joints would have to jump for it.
  ClosedTree(const Mechanism& tree, Robot robot, std::span<const double> q);

  const Mechanism& robot() const { return robot_; }
  // Those of the coordinates among values of all joints.
  std::vector<double> of_coordinates(std::span<const double> tree) const;
  // Positions and rates of all joints: valid until the next call.
  Inputs<double> of_joints(std::span<const double> q, std::span<const double> qd);
  // Forces or momenta at all joints as those at the coordinates, at the positions of the latest of_joints(): Gᵀ p.
  std::vector<double> pulled(std::span<const double> p) const;
  // The rates of all joints after the loops have closed on a tree with the momenta p = M q̇: (5).
  std::vector<double> rates_after(std::span<const double> q_tree, std::span<const double> p);

 private:
  Mechanism robot_;
  Chart<double> chart_;
};

}  // namespace catena

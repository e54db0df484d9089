// Random trees with closed loops, and their dynamics by multipliers, written without a chart: the tree's own M and
// torques, the Jacobians of frames and their rates are all that is used.
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "catena/call.hpp"
#include "support/random_robot.hpp"
#include "support/small_matrices.hpp"

namespace catena::test {

struct LoopRobot {
  Robot robot;  // with loops
  Robot tree;   // the same without
  Vector q;     // of the tree's joints, where the loops were closed
  std::vector<std::array<std::string, 2>> frames;
};

// A tree of that many joints with loops of these types, closed at random positions.
LoopRobot random_loops(Random& random, const RobotOptions& options, const std::vector<LoopType>& types);

// The constrained system of a robot with loops at positions of all joints of the tree.
class Multipliers {
 public:
  explicit Multipliers(const LoopRobot& of);

  std::size_t joints() const { return n_; }
  std::size_t rows(const Vector& q);
  // How far the loops are from being closed, as a position or a sine.
  double gap(const Vector& q);
  Vector J(const Vector& q);                        // rows x joints
  Vector drift(const Vector& q, const Vector& qd);  // J̇ q̇
  // Joints by those in `independent`: G, by joints and coordinates.
  Vector G(const Vector& q, const std::vector<int>& independent);
  // Accelerations of all joints from those of the independent ones.
  Vector accelerations(const Vector& q, const Vector& qd, const std::vector<int>& independent, const Vector& vd);
  // Accelerations of all joints under torques at all joints, and the multipliers.
  Vector forward(const Vector& q, const Vector& qd, const Vector& tau, Vector* lambda = nullptr);
  Vector run(std::string_view job, const Vector& q, const Vector& qd = {}, const Vector& qdd = {}, int frame = -1);

  Mechanism tree;

 private:
  struct Loop {
    LoopType type;
    std::array<int, 2> frames;
  };
  std::size_t n_;
  std::map<std::string, Call<double>, std::less<>> calls_;
  std::vector<Loop> loops_;
};

}  // namespace catena::test

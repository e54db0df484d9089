// Joints made of yaw, pitch and roll (docs/robot-files.md#joints-of-several-degrees-of-freedom) where yaw and roll turn
// about nearly the same axis: accelerations and Jacobians lose a direction there, and the user is told why.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "catena/robot.hpp"

namespace catena::cli {

class SingularPoses {
 public:
  explicit SingularPoses(const Robot& robot);

  // Prints one line on stderr for each joint near its singular pose, once per joint.
  void look(std::span<const double> q);

 private:
  struct Joint {
    std::string name;
    std::size_t pitch = 0;  // its index in q
  };
  std::vector<Joint> joints_;  // joints not reported yet
};

}  // namespace catena::cli

// Joints made of yaw, pitch and roll (docs/robot-files.md#joints-of-several-degrees-of-freedom) where yaw and roll turn
// about nearly one axis: accelerations and Jacobians lose a direction there, and the user should know why.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "catena/robot.hpp"

namespace catena::cli {

class SingularPoses {
 public:
  explicit SingularPoses(const Robot& robot);

  // A line on stderr for each joint near its singular pose, once.
  void look(std::span<const double> q);

 private:
  struct Joint {
    std::string name;
    std::size_t pitch = 0;  // which entry of q
  };
  std::vector<Joint> joints_;  // of which nothing was said yet
};

}  // namespace catena::cli

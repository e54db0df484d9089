// Shipped robots for texts that need one: an arm, coupled joints with friction, closed loops, a free base.
#pragma once

#include <vector>

#include "catena/robot_file.hpp"
#include "model/free_base.hpp"

namespace catena::fuzz {

inline const std::vector<Robot>& known_robots() {
  static const std::vector<Robot> all = [] {
    const auto shipped = [](const char* name) {
      return load_robot(std::string(CATENA_SOURCE_DIR "/models/") + name + ".toml");
    };
    return std::vector<Robot>{shipped("ur5"), shipped("gripper"), shipped("five_bar"),
                              on_free_base(shipped("planar2r"))};
  }();
  return all;
}

}  // namespace catena::fuzz

// The ways in which a linkage can be assembled with its coordinates in given places: elbow up, elbow down.
#pragma once

#include <span>
#include <vector>

#include "catena/mechanism.hpp"

namespace catena {

// Positions of all joints of the tree, one row for each assembly found from many starts, the present one first. Throws
// std::invalid_argument unless the robot's loops share their joints.
std::vector<std::vector<double>> find_assemblies(const Mechanism& robot, std::span<const double> q, int starts = 400);

}  // namespace catena

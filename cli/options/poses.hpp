// Measured poses from a table.
#pragma once

#include <string>

#include "catena/calibration.hpp"
#include "catena/mechanism.hpp"

namespace catena::cli {

struct PoseFormat {
  bool degrees = false;  // q of revolute joints, roll, pitch and yaw
  double length = 1.0;   // m per unit of the measured positions
};
struct PoseRows {
  MeasuredPoses poses;
  std::size_t left_out = 0;  // rows without a measured number: nan, or an empty field
};

// Columns q1, … (or q:elbow, …), x, y, z, and for the orientation qx, qy, qz, qw, or roll, pitch, yaw, or T1_1 to T3_4
// for all of it, as catena pose writes them. Throws InputError with file and line.
PoseRows read_poses(const std::string& path, const std::string& option, const Robot& robot, const Mechanism& mechanism,
                    const PoseFormat& format);

}  // namespace catena::cli

// Positions that look like degrees instead of radians: far beyond the limits of a revolute joint.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "catena/robot.hpp"

namespace catena {

// A revolute joint with limits is implausible more than a turn beyond them, or beyond both them and ±2π.
class PlausiblePositions {
 public:
  explicit PlausiblePositions(const Robot& robot);

  template <class S>
  bool holds(std::span<const S> q) const {
    for (const Range& range : ranges_)
      if (static_cast<double>(q[range.entry]) < range.lowest || static_cast<double>(q[range.entry]) > range.highest)
        return false;
    return true;
  }
  // One sentence about the first joint beyond: "joint 'elbow' at 90 rad is far beyond …". Empty if there is none.
  std::string doubt(std::span<const double> q) const;

 private:
  struct Range {
    std::size_t entry;  // index into q
    double lowest, highest;
    JointLimits limits;
    std::string joint;
  };
  std::vector<Range> ranges_;
};

}  // namespace catena

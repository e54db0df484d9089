// Positions that look like degrees where radians are meant: far beyond the limits of a joint that turns.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "catena/robot.hpp"

namespace catena {

// A joint that turns and has limits is not where it can be beyond them by a turn, or beyond them and 2π.
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
  // One sentence about the first joint that is beyond: "joint 'elbow' at 90 rad is far beyond …". Empty where none is.
  std::string doubt(std::span<const double> q) const;

 private:
  struct Range {
    std::size_t entry;  // of q
    double lowest, highest;
    JointLimits limits;
    std::string joint;
  };
  std::vector<Range> ranges_;
};

}  // namespace catena

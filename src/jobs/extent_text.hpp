// The length of one dimension of an array as text: nq, nv, np, nt, nl, nw, nc or a number.
#pragma once

#include <string>

#include "catena/job.hpp"

namespace catena {

inline std::string extent_text(const Extent& extent) {
  switch (extent.of) {
    case Extent::Of::positions:
      return "nq";
    case Extent::Of::velocities:
      return "nv";
    case Extent::Of::parameters:
      return "np";
    case Extent::Of::base_motion:
      return std::to_string(base_motion_size);
    case Extent::Of::joints:
      return "nt";
    case Extent::Of::loops:
      return "nl";
    case Extent::Of::wrenches:
      return "nw";
    case Extent::Of::constants:
      return "nc";
    default:
      return std::to_string(extent.number);
  }
}

}  // namespace catena

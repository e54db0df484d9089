// Closed loops in a URDF file: children of <catena> in <robot>.
#pragma once

#include <array>
#include <string_view>

#include "io/urdf_element.hpp"

namespace catena::io {

inline constexpr std::array<std::string_view, 3> loop_elements{"loop", "independent", "start"};

// own: the <catena> element.
void read_loops(const UrdfElement& own, Robot& robot);

}  // namespace catena::io

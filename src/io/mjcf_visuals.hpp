// What is seen of a robot in an MJCF file.
#pragma once

#include <string>
#include <vector>

#include "io/mjcf_inertia.hpp"
#include "io/visuals.hpp"

namespace catena::io {

struct MjcfShape {
  std::string link;
  MjcfItem geom;
};

// `root`: the whole document, for its assets.
std::vector<Visual> visuals_of(MjcfModel& model, const MjcfNode& root, const std::vector<MjcfShape>& shapes);

}  // namespace catena::io

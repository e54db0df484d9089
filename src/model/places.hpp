// Links and frames that something can be attached to.
#pragma once

#include <string>
#include <string_view>

#include "catena/robot.hpp"

namespace catena {

struct Place {
  int link = -1;
  Pose<double> pose{};
};

bool has_frame(const Robot& robot, std::string_view name);  // whether there is a link or frame of that name
// The place of a link or frame; an empty name means the tool. Throws ModelError: "… that `what` could hang on".
Place place_of(const Robot& robot, std::string_view frame, const std::string& what);

// A changed robot closes its loops elsewhere: calls close_loops() again. Throws ModelError with all problems.
void close_again(Robot& robot);

// Throws ModelError with all problems.
void require_valid(const Robot& robot);

}  // namespace catena

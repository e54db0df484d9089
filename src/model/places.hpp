// Links and frames that something can hang on.
#pragma once

#include <string>
#include <string_view>

#include "catena/robot.hpp"

namespace catena {

struct Place {
  int link = -1;
  Pose<double> pose{};
};

bool has_frame(const Robot& robot, std::string_view name);  // a link or frame of that name
// Where a link or frame is; an empty name stands for the tool. Throws ModelError: "… that `what` could hang on".
Place place_of(const Robot& robot, std::string_view frame, const std::string& what);

// Throws ModelError with all problems.
void require_valid(const Robot& robot);

}  // namespace catena

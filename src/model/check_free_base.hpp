// What a free base must be, in words for the person who wrote the file.
#pragma once

#include "catena/validate.hpp"

namespace catena {

void check_free_base(const Robot& robot, Findings& findings);

}  // namespace catena

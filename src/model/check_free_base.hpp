// Checks the rules for a free base, with messages for the author of the file.
#pragma once

#include "catena/validate.hpp"

namespace catena {

void check_free_base(const Robot& robot, Findings& findings);

}  // namespace catena

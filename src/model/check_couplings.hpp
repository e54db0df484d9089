// Couplings: whom a joint may follow. A part of validate_parts().
#pragma once

#include "catena/validate.hpp"

namespace catena {

void check_couplings(const Robot& robot, Findings& findings);

}  // namespace catena

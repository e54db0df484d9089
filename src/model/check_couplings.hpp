// Couplings: which joints a joint may follow. One step of validate_parts().
#pragma once

#include "catena/validate.hpp"

namespace catena {

void check_couplings(const Robot& robot, Findings& findings);

}  // namespace catena

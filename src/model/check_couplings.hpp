// Couplings: which joints a joint may follow, a step of validate_parts(). Elastic joints: which ones may be, a step of
// validate_tree().
#pragma once

#include "catena/validate.hpp"

namespace catena {

void check_couplings(const Robot& robot, Findings& findings);
void check_elastic(const Robot& robot, Findings& findings);  // motors.cpp

}  // namespace catena

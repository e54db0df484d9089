// Closed loops of a robot: which joints they make dependent, and positions in which they are closed.
#pragma once

#include <vector>

#include "catena/mechanism.hpp"
#include "catena/validate.hpp"

namespace catena {

// Of a tree that was built without them. `closed` may already have positions; joints are looked for there first, and
// those marked dependent are. What is wrong is reported, and then the result is not to be used.
Closure<double> find_closure(const Robot& robot, const Mechanism& tree, std::vector<Problem>& problems);

// Whether a loop ends on this link: what holds it there may have mass.
bool closes_loop(const Robot& robot, int link);

// Names and frames, as far as they can be checked without computing: a step of validate_parts().
void check_loops(const Robot& robot, Findings& findings);

// The open tree: every joint moves by itself.
Robot without_loops(const Robot& robot);

}  // namespace catena

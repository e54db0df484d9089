// Every job of a robot in a state, by every formulation that serves it, and what must hold between the results.
#pragma once

#include "fuzz/support/built_robot.hpp"

namespace catena::fuzz {

// A call has a result, of finite numbers, or refuses with std::domain_error; formulations of a job agree, as far as
// rounding and the robot's condition let them; and the jobs fit together. Throws Violation. `largest_inertia` is what
// no entry of M exceeds.
void compare_jobs(const Mechanism& robot, double largest_inertia, const BuiltState& state, int frame);

}  // namespace catena::fuzz

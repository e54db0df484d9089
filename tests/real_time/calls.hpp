// Every call of the library on every kind of robot, ready to run.
#pragma once

#include <string>
#include <vector>

#include "catena/mechanism.hpp"
#include "catena/robot.hpp"
#include "real_time/watched.hpp"
#include "support/random_robot.hpp"

namespace catena::test {

struct Kind {
  std::string name;
  Robot described;
  Mechanism robot;
  State x;
  std::vector<double> base;  // its motion, where it is prescribed
};
// Those of kinds_of_robots(), on bases at rest, free and moving.
std::vector<Kind> all_kinds();

// Every job by every formulation, and by none that is named; with wrenches where they are felt.
std::vector<WatchedCall> calls_in_double(const Kind& kind);
std::vector<WatchedCall> calls_in_float(const Kind& kind);
std::vector<WatchedCall> calls_from_c(const Kind& kind);   // every job
std::vector<WatchedCall> steps_of_laws(const Kind& kind);  // every control law that takes such a robot
std::vector<WatchedCall> calls_of_compiled_code();         // some jobs of two robots
std::vector<WatchedCall> other_calls();                    // kinematics, paths, robots that change

}  // namespace catena::test

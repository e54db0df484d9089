// The inertia matrix: the default against the slowest and against walker-orin, and its growth with the number of
// joints.
#include "harness.hpp"

namespace catena::bench {

void add_matrices() {
  for (const std::string model : {"ur5", "panda"}) {
    const std::string prefix = "inertia/" + model + "/";
    add_ratio(model + ": default to walker-orin", prefix + "default", prefix + "walker-orin");
    add_ratio(model + ": default to progressive, the slowest", prefix + "default", prefix + "progressive");
  }
  for (const int n : {2, 4, 6, 7, 9, 10, 12, 14, 16, 24, 48, 96}) {
    const Mechanism robot = general_chain(n);
    const std::string prefix = "inertia/chain/" + std::to_string(n) + "/";
    for (const char* formulation : {"generalized-links", "fijany-bejczy", "common-frame"})
      add_job(prefix + formulation, robot, "inertia", formulation);
    add_job(prefix + "default", robot, "inertia");
    add_ratio("chain of " + std::to_string(n) + ": common-frame to generalized-links", prefix + "common-frame",
              prefix + "generalized-links");
  }
}

}  // namespace catena::bench

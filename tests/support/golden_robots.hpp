// The golden robots (tests/data/golden_robots.json): chains and trees in both Denavit-Hartenberg conventions, with
// torques, matrices and derivatives from an independent program.
#pragma once

#include <string>
#include <vector>

#include "catena/robot.hpp"
#include "support/random_robot.hpp"

namespace catena::test {

using Rows = std::vector<std::vector<double>>;

struct Golden {
  Robot robot;
  State x;
  std::vector<double> tau, bias, grav;
  Rows M, C, dtau_dq, dtau_dqd;  // C: Christoffel's
};

std::vector<Golden> read_golden_robots(const std::string& path);

}  // namespace catena::test

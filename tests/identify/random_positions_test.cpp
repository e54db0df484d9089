// Random positions of closed loops: within their limits, from end to end where the loops close there.
#include "identify/random_positions.hpp"

#include <gtest/gtest.h>

#include "catena/robot_file.hpp"

namespace catena::test::random_positions_test {
namespace {

TEST(RandomPositions, ReachFromLimitToLimit) {
  for (const char* name : {"five_bar", "slider_crank", "parallelogram", "palletizer"}) {
    SCOPED_TRACE(name);
    Robot robot = load_robot(find_model(name));
    const Mechanism free = make_mechanism(robot);
    const std::vector<double> home = identification::closed_position(free);
    for (const Coordinate c : free.coordinates.all())
      robot.joints[index(robot.joint_index(free.name_of(c)))].limits = {home[index(c)] - 0.01, home[index(c)] + 0.03};
    const Mechanism limited = make_mechanism(robot);
    identification::RandomPositions place(limited);
    for (const double drawn : {-1.0, -0.5, 0.0, 1.0}) {
      std::vector<double> q(home.size(), drawn);
      place(q);
      for (std::size_t c = 0; c < q.size(); ++c) EXPECT_NEAR(q[c], home[c] + 0.01 + 0.02 * drawn, 1e-14) << drawn;
    }
  }
}

}  // namespace
}  // namespace catena::test::random_positions_test

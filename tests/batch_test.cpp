// Batches against calls, state by state.
#include "catena/batch/batch.hpp"

#include <gtest/gtest.h>

#include "catena/io/robot_file.hpp"

namespace catena {
namespace {

TEST(Batch, runs) {
  const Mechanism robot = make_mechanism(load_robot(find_model("ur5")));
  Batch<double> batch(robot, {{"inverse"}, {"inertia"}}, {.threads = 2});
  const std::size_t n = 5000;
  std::vector<double> q(n * 6), qd(n * 6), qdd(n * 6), tau(n * 6), M(n * 36);
  for (std::size_t k = 0; k < q.size(); ++k) q[k] = std::sin(1.1 * k), qd[k] = std::sin(0.3 * k), qdd[k] = std::cos(0.7 * k);
  q[6 * 17 + 2] = NAN;
  const StateArray<double> out[] = {states_in_rows(tau.data(), 6), states_in_rows(M.data(), 36)};
  const BatchReport report = batch.run(n, {states_in_rows<const double>(q.data(), 6), states_in_rows<const double>(qd.data(), 6), states_in_rows<const double>(qdd.data(), 6)}, out);
  EXPECT_EQ(report.failed, 1u);
  EXPECT_EQ(report.first_failed, 17u);
  EXPECT_EQ(report.why, "q[2] is not a finite number");
}

}  // namespace
}  // namespace catena

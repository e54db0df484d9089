// Robots at the edge of what numbers can say: what is done to a robot and to its state, and the robots it is done to.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "catena/mechanism.hpp"
#include "support/random_robot.hpp"

namespace catena::test {

// A robot, the positions of all its joints if it has loops, and how its base moves.
struct EdgeCase {
  Mechanism robot;
  State x;
  std::vector<double> base;
  Robot described{};  // the arm, on a base at rest
};

// The same with every number changed by this share of what it is measured by, up or down: an angle by a radian or by
// itself if it is larger, vectors and tensors by their largest entry; in `by_largest` masses, lengths, moments, rates
// and accelerations by the largest of the robot.
enum class Measure { by_own, by_largest };
EdgeCase shaken(const EdgeCase& at, double share, Measure measure, Random& random);

struct Edge {
  const char* name;
  std::function<void(Robot&)> robot;
  std::function<void(EdgeCase&)> state;
  double times = 1.0, times_solved = 1.0, times_solved_twice = 1.0;  // the bounds; twice: of second derivatives
  std::function<bool(const Robot&)> takes = [](const Robot&) { return true; };
};
const std::vector<Edge>& edges();

struct KindOfRobot {
  std::string name;
  Robot robot;
  BaseKind base = BaseKind::fixed;
  std::uint64_t seed = 1;  // of its state

  // Throws what make_mechanism and searches for positions throw.
  EdgeCase at(const Edge& edge) const;
};
// Chains and trees of 1 and 7 joints, those of kinds_of_robots(), random loops, elastic joints; on a base at rest, and
// where there are few joints on a free and on a moving one.
std::vector<KindOfRobot> kinds_at_edges();

}  // namespace catena::test

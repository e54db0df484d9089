// Random robots and states: seeded, local, and the same on every platform (own mapping from integers to doubles,
// rotations from rational formulas rather than from a maths library).
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "catena/mechanism.hpp"
#include "catena/robot.hpp"

namespace catena::test {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  double unit() { return static_cast<double>(engine_() >> 11) * 0x1.0p-53; }  // [0, 1)
  double between(double low, double high) { return low + (high - low) * unit(); }
  int below(int n) { return static_cast<int>(engine_() % static_cast<std::uint64_t>(n)); }
  bool chance(double probability) { return unit() < probability; }

  Vec3<double> vector(double half_width);  // in a cube
  Vec3<double> direction();                // unit
  Mat3<double> rotation();                 // any
  Mat3<double> right_angle_rotation();     // one of the 24 that permute the axes: entries exactly 0 and ±1

 private:
  std::mt19937_64 engine_;
};

enum class Shape { chain, tree };  // a tree may stand on the base with several feet
enum class JointMix { mixed, revolute, prismatic };

struct RobotOptions {
  int joints = 6;  // moving ones
  Shape shape = Shape::chain;
  JointMix mix = JointMix::mixed;
  bool fixed_links = true;     // fixed joints, with and without mass, in between and as side branches
  bool massless_links = true;  // moving links without mass
  bool aligned_axes = true;    // parallel, perpendicular and intersecting axes, exactly and as trigonometry rounds
  bool shuffled = true;        // joints, and sometimes links, not in topological order
  bool drives = false;         // friction, rotors, gears, springs, offsets
};

// A valid robot: its inertias are those of real mass distributions.
Robot random_robot(Random& random, const RobotOptions& options);

// Couples some of the joints to others, one or several: masters stand anywhere, and may be coupled in turn.
void couple_some(Random& random, Robot& robot, double share = 0.3);

// A chain or a tree, on a free base.
Robot random_free(Random& random, int joints, bool drives, bool coupled = false);

// Gives every field of a Robot that a file can hold another value: names, tool, frames, gravity, limits (infinite and
// reversed ones too), drives, couplings, and what files say about fixed joints. For reading and writing: its q may be
// anything.
void vary_everything(Random& random, Robot& robot);

struct State {
  std::vector<double> q, qd, qdd;
};
enum class StateKind { moving, at_rest, still, home };  // at rest: q̇ = 0; still: q̇ = q̈ = 0; home: q = 0
State random_state(Random& random, int joints, StateKind kind = StateKind::moving);
// The same of a robot's coordinates; near the place where they were closed if there are closed loops.
State random_state(Random& random, const Mechanism& robot);
// With positions of every joint that loops move, as generated code takes them.
State with_all_positions(const Mechanism& robot, const State& x);

// The k-th robot and state of a series that runs through shapes, mixes, drives and kinds of state.
struct RobotSample {
  Robot robot;
  State state;
};
RobotSample sample(std::uint64_t seed, int joints, bool drives = true);

Inertial random_inertial(Random& random);

}  // namespace catena::test

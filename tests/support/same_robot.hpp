// Are two robots the same, to 1e-12? Expectations, and the poses they compare.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "catena/robot.hpp"

namespace catena::test {

void expect_near(const Vec3<double>& a, const Vec3<double>& b);
void expect_near(const Mat3<double>& a, const Mat3<double>& b);
void expect_near(const Pose<double>& a, const Pose<double>& b);

// Where every link and frame is when the moving joints stand at q, by name: joint by joint as the Robot describes them.
std::map<std::string, Pose<double>> poses(const Robot& robot, const std::vector<double>& q);

// The tree alone, whose joints may stand anywhere.
Robot opened(Robot robot);

// The same names, order of q, limits, drives, inertia, loops, and as trees the same poses and torques. `b` may have
// more links than `a` (URDF says with links what a Robot says with frames), but none may be lost or moved.
// `inertia`: by how much of its trace an inertia may differ.
void expect_same(const Robot& a, const Robot& b, double inertia = 0.0);

// Written as TOML, as URDF and as MJCF, read again and written as another: always the same robot.
void expect_round_trips(const Robot& robot);
void expect_round_trips_as_mjcf(Robot robot);
// Whether MuJoCo takes all of its loops and inertias; otherwise the writer must refuse it.
bool is_written_as_mjcf(const Robot& robot);

}  // namespace catena::test

// External wrenches over time, for SimulationOptions::wrenches. Frames go by their names: a robot that changes while it
// moves numbers them anew.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "catena/sim/simulation.hpp"

namespace catena {

using Wrenches = std::function<WrenchLaw(const Mechanism& robot)>;

// What a frame does that the robot does not have: the wrench is a mistake (std::invalid_argument), or waits until a
// part with that frame is attached.
enum class Absent { refused, waits };

struct FrameWrench {
  std::string frame;
  Vec3<double> force{}, moment{};
  Axes axes = Axes::frame;
};
Wrenches constant_wrench(const FrameWrench& wrench, Absent absent = Absent::refused);

// fx, fy, fz, mx, my, mz at times that increase: straight lines between rows; the first and the last row hold outside.
// Throws std::invalid_argument unless they do.
struct WrenchRow {
  double t = 0.0;
  std::array<double, 6> values{};
};
Wrenches wrench_table(const std::string& frame, std::vector<WrenchRow> rows, Axes axes = Axes::frame,
                      Absent absent = Absent::refused);

// Any function: force and moment at t, q, q̇, which come as zeros.
using WrenchFunction = std::function<void(double t, std::span<const double> q, std::span<const double> qd,
                                          Vec3<double>& force, Vec3<double>& moment)>;
Wrenches wrench_function(const std::string& frame, const WrenchFunction& function, Axes axes = Axes::frame,
                         Absent absent = Absent::refused);

// All of them at once.
Wrenches together(std::vector<Wrenches> all);

}  // namespace catena

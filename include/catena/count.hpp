// How many operations a formulation takes, found by running it on the scalar Counted: the code that runs is the code
// that is counted.
#pragma once

#include <string_view>
#include <vector>

#include "catena/mechanism.hpp"
#include "catena/scalar/counted.hpp"

namespace catena {

struct FormulationCount {
  OperationCount online;           // each call
  OperationCount offline;          // once per robot: the augmented links, if the formulation reads them
  std::vector<LineCount> lines{};  // of a call, by the equations of the formulation's text, if it says them
};

// any: a constant of the robot counts as a number like others. known: not counted are products with a 0, 1 or -1 among
// the constants, sums with a 0, and what is made of constants alone; what is left is needed for this robot. twists: the
// same, but a zero in an offset between joints counts as a number like others.
enum class Constants { any, twists, known };

// Throws std::invalid_argument if no such formulation computes the job. Counts on the mechanism as it is: pass
// optimize(robot) to count what a call without a named formulation runs. The search for positions of joints in closed
// loops is not counted: it takes as many steps as it needs.
FormulationCount count_operations(const Mechanism& robot, std::string_view job, std::string_view formulation,
                                  Constants constants = Constants::any);

// What a paper counts for a formulation, without what it shares with another result that is already computed.
struct PartCount {
  std::string_view job, formulation;
  std::string_view beside;  // the job of that other result, or what is left out
  OperationCount online;
};
// Only the second is counted, though both run: the bias by base-origin after the inertia matrix by base-origin, and
// forward dynamics by denoc after its bias. Only the part named runs: forward dynamics by base-origin as far as M and
// b, and by n steps of plain conjugate gradients.
std::vector<PartCount> count_parts(const Mechanism& robot);

// A chain of n revolute joints without a zero parameter, except that the angles between axes are as requested: general,
// or multiples of a quarter turn.
enum class AxisAngles { general, right };
Robot general_arm(int joints, AxisAngles angles = AxisAngles::general);

}  // namespace catena

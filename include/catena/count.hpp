// How many operations a formulation takes, found by running it on the scalar Counted: the code that runs is the code
// that is counted.
#pragma once

#include <string_view>
#include <vector>

#include "catena/mechanism.hpp"
#include "catena/scalar/counted.hpp"

namespace catena {

struct FormulationCount {
  OperationCount online;   // each call
  OperationCount offline;  // once for the robot: the augmented links, where the formulation reads them
};

// Throws std::invalid_argument when no such formulation computes the job. On the mechanism as given: pass
// optimize(robot) for what a call without a formulation runs.
FormulationCount count_operations(const Mechanism& robot, std::string_view job, std::string_view formulation);

// What a paper counts of a formulation, less what it shares with another result that is there already.
struct PartCount {
  std::string_view job, formulation;
  std::string_view beside;  // the job of that other result, or what is left out
  OperationCount online;
};
// The bias by base-origin beside the inertia matrix by base-origin, forward dynamics by denoc beside its bias: both
// parts run, only the second is counted. Forward dynamics by base-origin as far as M and b, and by n steps of the plain
// conjugate gradients: only these run.
std::vector<PartCount> count_parts(const Mechanism& robot);

// A chain of n revolute joints with no zero parameter but the angles between axes asked for: general, or multiples of a
// quarter turn.
enum class AxisAngles { general, right };
Robot general_arm(int joints, AxisAngles angles = AxisAngles::general);

}  // namespace catena

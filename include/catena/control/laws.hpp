// Torque laws made of linearized models: for Simulation, and for whoever calls them.
#pragma once

#include <vector>

#include "catena/sim/controllers.hpp"

namespace catena {

// τ = τ_r - K (x - x_r) about one state: K is n x 2n, as lqr() gives it.
TorqueLaw state_feedback(std::vector<double> q, std::vector<double> tau, std::vector<double> K);

// τ = τ(q_r, q̇_r, q̈_r) - K(t) (x - x_r) along a reference: the gains of times[k] hold until the next, the last one
// after it. Throws std::invalid_argument unless the times increase and every gain is n x 2n.
TorqueLaw tracking_feedback(const Mechanism& robot, Reference reference, std::vector<double> times,
                            std::vector<std::vector<double>> gains);

}  // namespace catena

// Where a robot with passive joints can stand: positions of these joints at which gravity does not move them while the
// others are held. Equations (3), (4): docs/equations/hybrid.md.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "catena/dynamics/call.hpp"

namespace catena {

// Held against a small push: it comes back, it falls away, or it stays where it was pushed.
enum class Stability { stable, unstable, neutral };
std::string_view name_of(Stability stability);

struct Equilibrium {
  std::vector<double> q;          // of the active joints as given
  std::vector<double> tau;        // what holds the active joints; 0 at the passive ones
  std::vector<double> stiffness;  // (4) eigenvalues of P_tt by real part, the least first; all positive where stable
  Stability stability = Stability::neutral;
  double potential = 0.0;  // J
  double residual = 0.0;   // largest torque left at a passive joint
};

// (3) From q on, by Newton's method; where that ends nowhere, from places around it. Throws std::invalid_argument when
// no joint is passive, and std::domain_error when nothing is found, naming the joint with the largest torque left.
Equilibrium find_equilibrium(const Mechanism& robot, std::span<const double> q,
                             std::span<const ExternalWrench<double>> wrenches = {});

// From q and from `starts` places all around it: those that are different, the lowest potential energy first. Of a
// continuum of them (a joint that gravity does not move anywhere) the one found first.
std::vector<Equilibrium> find_equilibria(const Mechanism& robot, std::span<const double> q, int starts = 32,
                                         std::span<const ExternalWrench<double>> wrenches = {});

}  // namespace catena

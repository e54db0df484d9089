// What friction and rotors add to forward dynamics, the same for every formulation: friction takes from the torque, the
// rotor's reflected inertia adds to the pivot of its joint.
#pragma once

#include "catena/dynamics/formulation.hpp"

namespace catena {

template <class T>
T rotor_inertia(const BasicMechanism<T>& robot, const LinkConstants<T>& link) {
  return robot.has_drives ? robot.drives[index(link.q)].reflected_inertia : T(0);
}

// pivot + rotor, where there is a rotor
template <class S, class T>
S with_rotor(const S& pivot, const T& rotor) {
  return rotor == T(0) ? pivot : S(pivot + rotor);
}

// bias += viscous q̇ + coulomb sign(q̇)
template <class S>
void add_friction(const BasicMechanism<ConstantOf<S>>& robot, std::span<const S> qd, std::span<S> bias) {
  if (!robot.has_drives) return;
  for (std::size_t j = 0; j < bias.size(); ++j)
    bias[j] += robot.drives[j].viscous * qd[j] + robot.drives[j].coulomb * sign(qd[j]);
}

}  // namespace catena

// Friction and rotors, around every formulation. A descriptor names one of these as its `Around`: before() may change
// what the formulation is handed, after() what it gave.
#pragma once

#include <span>

#include "catena/dynamics/formulation.hpp"
#include "catena/dynamics/jobs/job.hpp"

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

// viscous q̇ + coulomb sign(q̇)
template <class S>
S friction_torque(const DriveConstants<ConstantOf<S>>& drive, const S& rate) {
  return drive.viscous * rate + drive.coulomb * sign(rate);
}

// M_jj += reflected inertia
template <class S>
void add_rotor_inertia(const MechanismFor<S>& robot, const MatrixView<S>& M) {
  if (!robot.has_drives) return;
  for (int j = 0; j < robot.n(); ++j) M(j, j) += robot.drives[index(j)].reflected_inertia;
}

// V_jj += viscous
template <class S>
void add_viscous(const MechanismFor<S>& robot, const MatrixView<S>& V) {
  if (!robot.has_drives) return;
  for (int j = 0; j < robot.n(); ++j) V(j, j) += robot.drives[index(j)].viscous;
}

struct NothingAround {
  template <class S>
  struct Room {
    explicit Room(const MechanismFor<S>&) {}
  };
  template <class S>
  static const Inputs<S>& before(const MechanismFor<S>&, const Inputs<S>& in, Room<S>&) {
    return in;
  }
  template <class S>
  static void after(const MechanismFor<S>&, const Inputs<S>&, std::span<S>) {}
};

// τ += friction + reflected inertia q̈
struct DriveTorques : NothingAround {
  template <class S>
  static void after(const MechanismFor<S>& robot, const Inputs<S>& in, std::span<S> tau) {
    if (!robot.has_drives) return;
    for (std::size_t j = 0; j < tau.size(); ++j)
      tau[j] += friction_torque<S>(robot.drives[j], in.qd[j]) + robot.drives[j].reflected_inertia * in.qdd[j];
  }
};
// b += friction
struct FrictionTorques : NothingAround {
  template <class S>
  static void after(const MechanismFor<S>& robot, const Inputs<S>& in, std::span<S> bias) {
    if (!robot.has_drives) return;
    for (std::size_t j = 0; j < bias.size(); ++j) bias[j] += friction_torque<S>(robot.drives[j], in.qd[j]);
  }
};
// M_jj += reflected inertia
struct RotorInertia : NothingAround {
  template <class S>
  static void after(const MechanismFor<S>& robot, const Inputs<S>&, std::span<S> M) {
    add_rotor_inertia<S>(robot, {M, robot.n()});
  }
};
// D_jj += reflected inertia, V_jj += viscous; D, V and P stand in a row. Dry friction is constant beside its jump.
struct DriveSensitivities : NothingAround {
  template <class S>
  static void after(const MechanismFor<S>& robot, const Inputs<S>&, std::span<S> out) {
    const std::size_t square = index(robot.n()) * index(robot.n());
    add_rotor_inertia<S>(robot, {out.first(square), robot.n()});
    add_viscous<S>(robot, {out.subspan(square, square), robot.n()});
  }
};
// V_jj += viscous
struct ViscousDamping : NothingAround {
  template <class S>
  static void after(const MechanismFor<S>& robot, const Inputs<S>&, std::span<S> V) {
    add_viscous<S>(robot, {V, robot.n()});
  }
};
// T += ½ Σ reflected inertia q̇²; the first result is T
struct RotorEnergy : NothingAround {
  template <class S>
  static void after(const MechanismFor<S>& robot, const Inputs<S>& in, std::span<S> energies) {
    using T = ConstantOf<S>;
    if (!robot.has_drives) return;
    for (std::size_t j = 0; j < robot.drives.size(); ++j)
      energies[0] += (T(0.5) * robot.drives[j].reflected_inertia) * (in.qd[j] * in.qd[j]);
  }
};
// What is left of the torques to accelerate with: τ - friction. Rotors are in the pivots of each formulation.
struct FrictionTakenOff : NothingAround {
  template <class S>
  struct Room {
    Array<S> tau;
    Inputs<S> in;
    explicit Room(const MechanismFor<S>& robot) : tau(index(robot.n())) {}
  };
  template <class S>
  static const Inputs<S>& before(const MechanismFor<S>& robot, const Inputs<S>& in, Room<S>& room) {
    if (!robot.has_drives) return in;
    for (std::size_t j = 0; j < room.tau.size(); ++j)
      room.tau[j] = in.tau[j] - friction_torque<S>(robot.drives[j], in.qd[j]);
    room.in = in;
    room.in.tau = room.tau;
    return room.in;
  }
};
// Hybrid dynamics: friction is taken off the torques of passive joints, whose rotors are in the pivots; the others must
// bring it, and what their rotors take. Accelerations and torques stand in a row; a torque that was given stays as it
// was.
struct HybridDrives : NothingAround {
  template <class S>
  using Room = FrictionTakenOff::Room<S>;
  template <class S>
  static const Inputs<S>& before(const MechanismFor<S>& robot, const Inputs<S>& in, Room<S>& room) {
    return robot.has_passive ? FrictionTakenOff::before<S>(robot, in, room) : in;
  }
  template <class S>
  static void after(const MechanismFor<S>& robot, const Inputs<S>& in, std::span<S> out) {
    if (!robot.has_drives) return;
    const std::span<S> tau = out.last(index(robot.n()));
    for (int j = 0; j < robot.n(); ++j) {
      const auto& drive = robot.drives[index(j)];
      if (robot.is_passive(j)) {
        tau[index(j)] = in.tau[index(j)];
      } else {
        tau[index(j)] += friction_torque<S>(drive, in.qd[index(j)]) + drive.reflected_inertia * in.qdd[index(j)];
      }
    }
  }
};

}  // namespace catena

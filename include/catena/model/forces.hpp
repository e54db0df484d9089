// The list of all forces at joints: forces/joint_forces.hpp adds each one's effect to torques, matrices and energies,
// model/parameters.hpp adds its parameters to those that torques are linear in. To add a force, write a header in
// model/forces/ and list its name here.
#pragma once

#include "catena/model/forces/friction.hpp"
#include "catena/model/forces/rotor.hpp"
#include "catena/model/forces/spring.hpp"

namespace catena {

template <class... Force>
struct ForceList {
  // The constants of all forces at one joint: drive.viscous, drive.reflected_inertia, …
  template <class T>
  struct Constants : Force::template Constants<T>... {
    bool acts() const { return (Force::template Constants<T>::acts() || ...); }
    template <class U>
    Constants<U> cast() const {
      return {Force::template Constants<T>::template cast<U>()...};
    }
  };
  static Constants<double> of(const JointDrive& drive) { return {Force::of(drive)...}; }

  // Whether one of them reads that name in JointDrive::more.
  static bool know(std::string_view constant) {
    const auto reads = [&]<class F>(F) {
      if constexpr (requires { F::more; })
        for (const std::string_view own : F::more)
          if (own == constant) return true;
      return false;
    };
    return (reads(Force{}) || ...);
  }
  // The sum over all of them.
  template <class S, class C>
  static S torque(const C& constants, const JointState<S>& x) {
    return (Force::template torque<S>(constants, x) + ...);
  }

  // Calls visit(Force{}) for each.
  template <class Visitor>
  static constexpr void for_each(Visitor&& visit) {
    (visit(Force{}), ...);
  }
  static constexpr int parameter_count = (0 + ... + static_cast<int>(Force::parameters.size()));
};

using AllForces = ForceList<Friction, Rotor, Spring>;

template <class T>
using DriveConstants = AllForces::Constants<T>;

}  // namespace catena

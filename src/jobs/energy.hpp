// Kinetic and potential energy.
#pragma once

#include "formulations/kinematics/frames.hpp"
#include "jobs/descriptor.hpp"

namespace catena {

struct EnergyJob : AnyJob {
  static JobInfo describe() {
    return {
        .name = "energy",
        .words = "kinetic energy, rotors included, and potential energy, springs included",
        .result = "the energy",
        .inputs = {Input::q, Input::qd},
        .outputs = {
            {"kinetic_energy", "kinetic energy, rotors included", Kind::kinetic, unit::energy},
            {"potential_energy",
             "potential energy, zero with every mass centre at the origin of the base link and every spring at rest; "
             "an offset times q is part of it",
             Kind::potential, unit::energy}}};
  }
  using Formulations = FormulationList<LinkEnergies>;
  static constexpr std::string_view standard(int) { return LinkEnergies::info.name; }

  template <class F, class S>
  static void call(const TreeFor<S>& robot, const Inputs<S>& in, typename F::template Workspace<S>& ws,
                   std::span<S> out) {
    F::template run<S>(robot, in.q, in.qd, ws, out);
  }
};

}  // namespace catena

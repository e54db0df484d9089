// What descriptors have in common. A descriptor says otherwise where it differs, and beside that
//   describe()          names, inputs, outputs
//   Formulations        a FormulationList
//   standard(joints)    the one that runs when nobody asks for another
//   call<F, S>(…)       runs formulation F on the scalar S: the only place that knows its signature
#pragma once

#include "catena/dynamics/around/drives.hpp"
#include "catena/dynamics/checks.hpp"
#include "catena/dynamics/jobs/job.hpp"

namespace catena {

struct AnyJob {
  using Around = NothingAround;  // friction, rotors
  template <class F>
  static constexpr bool interchangeable = true;  // gives the same result as the standard one
  template <class S>
  using Check = FiniteResult<S>;  // what is looked at before a result is passed on
};

}  // namespace catena

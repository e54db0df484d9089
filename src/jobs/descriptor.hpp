// What descriptors have in common. A descriptor says otherwise where it differs, and beside that
//   describe()          names, inputs, outputs
//   Formulations        a FormulationList
//   standard(joints)    the one that runs when nobody asks for another
//   call<F, S>(…)       runs formulation F on the scalar S: the only place that knows its signature
#pragma once

#include "catena/job.hpp"
#include "formulations/shared/reference_only.hpp"
#include "jobs/checks.hpp"

namespace catena {

using namespace extents;  // nv, nv: what descriptors are written in

struct AnyJob {
  template <class F>
  static constexpr bool interchangeable = !is_reference_only<F>();  // gives the standard one's result, and may be cheap
  template <class S>
  using Check = FiniteResult<S>;  // what is looked at before a result is passed on
  // The formulation that runs on packs: the standard one of an arm, unless said otherwise; empty: none, where it would
  // take long to compile beside what it is asked for.
  template <class Job>
  static constexpr std::string_view in_lanes() {
    return Job::standard(6);
  }
};

}  // namespace catena

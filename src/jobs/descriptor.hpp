// Defaults shared by all descriptors. A descriptor overrides those that differ, and adds
//   describe()          names, inputs, outputs
//   Formulations        a FormulationList
//   standard(joints)    the formulation that runs if none is named; standard_wide(joints), where it differs, if the
//                       processor has vectors of eight doubles
//   call<F, S>(…)       runs formulation F on the scalar S: the only place that knows its signature
#pragma once

#include "catena/job.hpp"
#include "formulations/shared/reference_only.hpp"
#include "jobs/checks.hpp"

namespace catena {

using namespace extents;  // nv, nv: the names used in descriptors

struct AnyJob {
  template <class F>
  static constexpr bool interchangeable = !is_reference_only<F>();  // same result as the standard one, may be cheaper
  template <class S>
  using Check = FiniteResult<S>;  // the check before a result is returned
  // The formulation that runs on packs: the standard one of an arm, unless overridden; empty: none, if compiling it
  // would take too long for the benefit.
  template <class Job>
  static constexpr std::string_view in_lanes() {
    return Job::standard(6);
  }
};

}  // namespace catena

// The check of jobs that refer to a centre of mass.
#pragma once

#include <concepts>
#include <span>
#include <stdexcept>

#include "formulations/kinematics/centroidal.hpp"
#include "jobs/checks.hpp"

namespace catena {

// Checks that results are finite and that the robot has a centre of mass.
template <class S>
class HasCentre : public FiniteResult<S> {
 public:
  explicit HasCentre(const TreeFor<S>& robot) : FiniteResult<S>(robot), mass_(moving_mass(robot)) {}
  template <class Workspace>
  Doubt<S> doubt(const Inputs<S>& in, std::span<const S> out, const Workspace& ws) const {
    return FiniteResult<S>::doubt(in, out, ws) | not_above(S(mass_), ConstantOf<S>(0));
  }
  template <class Workspace>
  void explain(const TreeFor<S>& robot, const JobInfo& job, const Inputs<S>& in, std::span<const S> out,
               const Workspace& ws) const {
    if constexpr (std::floating_point<S>) {
      if (!(mass_ > S(0)))
        throw std::domain_error("nothing that moves has mass, so there is no centre of mass to take moments about");
      FiniteResult<S>::explain(robot, job, in, out, ws);
    }
  }

 private:
  ConstantOf<S> mass_;
};

}  // namespace catena

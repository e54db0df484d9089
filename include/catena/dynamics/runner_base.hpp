// What every runner on a scalar shares, compiled once for each.
#pragma once

#include "catena/dynamics/runner.hpp"

namespace catena {

template <class S>
Runner<S>::Runner(const MechanismFor<S>& robot_, const FormulationInfo& formulation_, std::string_view result_)
    : robot(robot_), formulation(formulation_), result(result_) {}
template <class S>
Runner<S>::Runner(const Runner&) = default;
template <class S>
Runner<S>::~Runner() = default;

}  // namespace catena

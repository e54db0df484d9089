// What every runner on a scalar shares, compiled once for each.
#pragma once

#include "catena/dynamics/runner.hpp"

namespace catena {

template <class S>
Runner<S>::Runner(const MechanismFor<S>& given, const FormulationInfo& formulation_, std::string_view result_)
    : formulation(formulation_), result(result_), robot_(std::make_shared<const MechanismFor<S>>(given)) {}
template <class S>
Runner<S>::Runner(const Runner&) = default;
template <class S>
Runner<S>::~Runner() = default;

}  // namespace catena

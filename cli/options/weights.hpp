// --weights of a regulator, the same for every command that designs one.
#pragma once

#include <string>

#include "catena/control.hpp"

namespace catena::cli {

inline constexpr const char* default_weights = "100,1,0.01";
inline constexpr const char* weights_form = "Q,V,R";  // for positions, speeds and torques

// The cost that "Q,V,R" describes. Throws UsageError.
QuadraticCost cost_of_weights(const std::string& text, const StateSpace& model);

}  // namespace catena::cli

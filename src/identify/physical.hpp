// The physically possible fit to what some log says.
#pragma once

#include "identify/evidence.hpp"

namespace catena::identification {

// Without residuals.
PhysicalFit possible_fit(const Mechanism& robot, const Model& model, const Evidence& evidence, const LogEvidence& log,
                         const std::vector<double>& weights, const PhysicalOptions& options);

}  // namespace catena::identification

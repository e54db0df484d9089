// Base parameters of some columns of the regressor.
#pragma once

#include <vector>

#include "catena/identify.hpp"

namespace catena::identification {

// The columns of Y, links from the base outward, those first that are to name a combination.
std::vector<int> columns_by_preference(const Mechanism& robot, bool drives);
// The combinations of these columns alone that torques determine: what the others do is taken as known.
std::vector<BaseParameter> base_parameters_among(const Mechanism& robot, const std::vector<int>& candidates);

}  // namespace catena::identification

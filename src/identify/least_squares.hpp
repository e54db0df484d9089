// Tables of any length as least squares: rows are made and used up block by block, and memory does not grow with them.
#pragma once

#include <vector>

#include "catena/identify.hpp"
#include "identify/matrices.hpp"

namespace catena::identification {

// [X y] of all torques, each row times the root of its joint's weight, as the triangle of its QR decomposition: for any
// β |y - Xβ|² = |z - Rβ|² + ρ² with [R z; 0 ρ] what comes back.
Matrix weighted_triangle(const Mechanism& robot, const std::vector<BaseParameter>& parameters, const Measurements& data,
                         const std::vector<double>& weights);

// What the values leave of the torques of each joint, root mean square.
std::vector<double> residuals_by_joint(const Mechanism& robot, const std::vector<BaseParameter>& parameters,
                                       const Measurements& data, const Vector& values);

}  // namespace catena::identification

// What makes a fit doubtful, in words; and the fit of a model that has been made.
#pragma once

#include "identify/solution.hpp"

namespace catena::identification {

void require_consistent(const Mechanism& robot, const Measurements& data);
// Values and intervals of the columns that a model chooses.
Identification fit(const Mechanism& robot, const Measurements& data, Model model);

// Fewer than three independent torques for each parameter.
void doubt_samples(double independent, std::size_t parameters, Identification& out);
// Blocks that are not much longer than the errors are correlated.
void doubt_blocks(Identification& out);
// Condition, correlated columns, joints that hardly move.
void doubt_fit(const Mechanism& robot, const Measurements& data, const Model& model, const Solution& found,
               Identification& out);

}  // namespace catena::identification

// What is fitted to a log: columns, friction with its widths, what is known and what is held.
#pragma once

#include "identify/solution.hpp"

namespace catena::identification {

// `load`: a column that is known too, beside those of links that are not fitted.
Model model_for(const Mechanism& robot, const Measurements& data, const IdentificationOptions& options,
                const Column* load = nullptr);
// Holds what is not determined at the model's values; widths of curves that have hardly any effect are not estimates.
void hold_undetermined(const Evidence& evidence, const LogEvidence& log, Model& model, Identification& out);

}  // namespace catena::identification

// `identify --report`: what was found, as one HTML file that needs nothing else and runs nothing.
#pragma once

#include <string>

#include "output/identification_curves.hpp"
#include "output/output.hpp"

namespace catena::cli {

// `result` is what --json prints; all numbers of the page are from there, and curves from `curves`.
std::string identification_report(const Json& result, const IdentificationCurves& curves);

}  // namespace catena::cli

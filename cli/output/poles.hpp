// Poles of a linear model: for readers, as JSON, and as points of a plot.
#pragma once

#include <complex>
#include <string>
#include <vector>

#include "output/output.hpp"
#include "output/plot.hpp"

namespace catena::cli {

Json poles_json(const std::vector<std::complex<double>>& poles);
std::string poles_text(const char* title, const std::vector<std::complex<double>>& poles);
PlotCurve poles_curve(const char* name, const std::vector<std::complex<double>>& poles);

}  // namespace catena::cli

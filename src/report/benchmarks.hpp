// Measured times, for the bars in a page: Benchmark of page/src/data.ts.
#pragma once

#include <string>
#include <vector>

#include "report/robot.hpp"

namespace catena::report {

// From files bench/results/*.json: the times of other libraries for a job, relative to Catena's. Null: no files. Throws
// std::runtime_error that names the file.
Json benchmarks_json(const std::vector<std::string>& files);

}  // namespace catena::report

// Times that were measured, for bars in a page: Benchmark of page/src/data.ts.
#pragma once

#include <string>
#include <vector>

#include "report/robot.hpp"

namespace catena::report {

// Of files of bench/results/*.json: how long other libraries take for a job, in Catena's times. Null: no files. Throws
// std::runtime_error that names the file.
Json benchmarks_json(const std::vector<std::string>& files);

}  // namespace catena::report

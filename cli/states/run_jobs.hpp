// What a command of jobs does: one state or a table, as JSON or as text.
#pragma once

#include "options/job_options.hpp"

namespace catena::cli {

void run_jobs(const JobOptions& options, const JobSet& jobs);
// The same for the robot of options.model, read before, and options known to be consistent.
void run_jobs(const JobOptions& options, const JobSet& jobs, Robot robot);

}  // namespace catena::cli

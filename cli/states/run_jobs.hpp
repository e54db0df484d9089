// The work of a job command: one state or a table, printed as JSON or as text.
#pragma once

#include "options/job_options.hpp"

namespace catena::cli {

void run_jobs(const JobOptions& options, const JobSet& jobs);
// The same for the robot of options.model, already read, and options already checked for consistency.
void run_jobs(const JobOptions& options, const JobSet& jobs, Robot robot);

}  // namespace catena::cli

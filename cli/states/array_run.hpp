// catena run over .npy files: on all cores, in constant memory, resumable after an interruption.
#pragma once

#include <string>

#include "options/job_options.hpp"

namespace catena::cli {

struct ArrayRunOptions {
  int threads = 0;                   // 0: all cores
  std::string precision = "double";  // or float
  bool restart = false;              // discard what an earlier run has left
  std::string device{};              // cuda, cuda:1 or a list of these; empty: the CPU
};

// Why the options do not fit a run from one .npy file to another; empty: they do.
std::string why_no_array_run(const JobOptions& options, const Mechanism& mechanism);

void run_arrays(const JobOptions& options, const JobSet& jobs, const ArrayRunOptions& run, const Robot& robot,
                const Mechanism& mechanism);

}  // namespace catena::cli

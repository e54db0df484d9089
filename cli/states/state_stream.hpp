// A table of states in, a table of results out, row by row: used by every command with --states.
#pragma once

#include <string>

#include "options/job_options.hpp"

namespace catena::cli {

struct StateStream {
  std::string input;   // CSV, .npy or "-"
  std::string output;  // CSV, .npy, "-" or empty: standard output
  bool json = false;   // one JSON object on stdout instead of a CSV table
  std::function<void(const JobPass& pass, const JobOptions::Seen& seen)> watch{};  // called for every row

  // Runs all rows. A bad row or a failed computation leaves no output; after Ctrl-C the rows so far are kept, and
  // Interrupted is thrown.
  void run(JobPass& pass, bool degrees) const;
};

}  // namespace catena::cli

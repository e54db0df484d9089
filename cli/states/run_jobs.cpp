#include "states/run_jobs.hpp"

#include <stdexcept>
#include <utility>
#include <vector>

#include "output/output.hpp"
#include "states/state_stream.hpp"
#include "terminal/errors.hpp"

namespace catena::cli {

void run_jobs(const JobOptions& options, const JobSet& jobs) {
  options.require_consistent();
  run_jobs(options, jobs, options.model.load());
}

void run_jobs(const JobOptions& options, const JobSet& jobs, Robot robot) {
  JobPass pass(options, jobs, std::move(robot));
  if (!options.states.empty()) {
    const StateStream stream{options.states, options.output, options.json, options.watch};
    stream.run(pass, options.deg);
    return;
  }
  std::vector<double> values, results(pass.size());
  for (const InputInfo& info : pass.inputs()) {
    const std::vector<double> given = options.input(info, pass.robot());
    values.insert(values.end(), given.begin(), given.end());
  }
  try {
    pass.require_read(values, true);
  } catch (const std::invalid_argument& error) {
    throw UsageError(error.what());
  }
  pass.run(values, results);
  if (options.watch) options.watch(pass, {values, results, {}, {}});
  if (!options.json) {
    if (jobs.size() == 1 && jobs.front()->gives(Kind::loop_force) && results.empty())
      note(fmt::format("catena: {} has no closed loop", printable(pass.robot().name)));
    return emit(pass.to_text(results));
  }
  Json out = pass.to_json(results);
  out.update(pass.about());
  emit(json_line(out));
}

}  // namespace catena::cli

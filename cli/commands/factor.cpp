// catena factor, beyond the factors: the inverse of the inertia matrix and the inertia felt at a frame.
#include <fmt/format.h>

#include <memory>

#include "catena/factorization.hpp"
#include "command.hpp"
#include "options/companions.hpp"
#include "options/frames.hpp"
#include "options/job_options.hpp"
#include "states/run_jobs.hpp"
#include "terminal/errors.hpp"

namespace catena::cli {
namespace factor_command {

struct More {
  std::string frame;
  bool inverse = false, translation = false;
};

void run(const JobInfo& job, const JobOptions& options, const More& more) {
  if (!more.inverse && more.frame.empty()) return run_jobs(options, {&job});
  if (!options.states.empty()) throw UsageError("--inverse and --frame are for one state; leave out --states");
  options.require_consistent();
  JobPass pass(options, {&job}, options.model.load());
  const std::vector<double> q = options.input(info_of(Input::q), pass.robot());
  const std::size_t n = index(pass.mechanism().nv());
  const int frame = more.frame.empty() ? tool_frame : frame_index(pass.mechanism(), more.frame);
  Factorization<double> factorization(pass.mechanism(), pass.calls().front());
  factorization.factor(q);
  std::vector<double> factors(factorization.U().begin(), factorization.U().end());
  factors.insert(factors.end(), factorization.D().begin(), factorization.D().end());
  Json json = pass.to_json(factors);
  std::string text = pass.to_text(factors);
  if (more.inverse) {
    std::vector<double> inverse(n * n);
    factorization.inverse(inverse);
    json["M_inverse"] = rows_of(inverse, n);
    text += fmt::format("\nM⁻¹\n{}", matrix_text(rows_of(inverse, n), coordinate_names(pass.mechanism())));
  }
  if (frame != tool_frame) {
    const std::size_t size = more.translation ? 3 : 6;
    std::vector<double> Lambda(size * size);
    factorization.operational_inertia(frame, Lambda, more.translation ? Directions::translation : Directions::all);
    json["Lambda"] = rows_of(Lambda, size);
    text += fmt::format("\nΛ of {}\n{}", more.frame, matrix_text(rows_of(Lambda, size)));
  }
  json.update(pass.about());
  emit(options.json ? json_line(json) : text);
}

}  // namespace factor_command

void extend_factor(CLI::App& command, const JobInfo& job, const std::shared_ptr<JobOptions>& options) {
  using namespace factor_command;
  const auto more = std::make_shared<More>();
  command.add_flag("--inverse", more->inverse, "M⁻¹ too");
  command.add_option("--frame", more->frame, "add the operational-space inertia Λ of this frame")->type_name("NAME");
  command.add_flag("--translation", more->translation, "Λ of the frame's translation only, 3x3");
  goes_with(command, "--translation", {"--frame"});
  command.get_option("--json")->description(
      "print one JSON object: U, D, method, engine, and M_inverse, Lambda where asked for");
  command.callback([options, more, &job] { run(job, *options, *more); });
}

}  // namespace catena::cli

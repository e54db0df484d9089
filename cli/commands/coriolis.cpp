// catena coriolis, beyond the matrix: the coefficients of the products of joint rates.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "command.hpp"
#include "options/job_options.hpp"
#include "states/run_jobs.hpp"
#include "terminal/errors.hpp"

namespace catena::cli {
namespace coriolis_command {

// C is linear in the rates: with a unit rate at joint k alone, C_ij is c_jk(i), for any formulation that computes the
// matrix of Christoffel symbols.
void print_coefficients(const JobInfo& job, const JobOptions& options) {
  const auto& christoffel = job.interchangeable;
  if (!options.formulation.empty() &&
      std::find(christoffel.begin(), christoffel.end(), options.formulation) == christoffel.end())
    throw UsageError(fmt::format("--coefficients: {} is not a matrix of Christoffel symbols; those are {}",
                                 options.formulation, fmt::join(christoffel, ", ")));
  if (!options.states.empty()) throw UsageError("--coefficients is for one state; leave out --states");
  if (options.inputs[static_cast<std::size_t>(Input::qd)])
    throw UsageError("--coefficients depend only on q; leave out --qd");
  options.base.refuse("--coefficients");
  options.require_consistent();
  JobPass pass(options, {&job}, options.model.load());
  const std::size_t n = index(pass.mechanism().nv());
  const std::vector<double> q = options.input(info_of(Input::q), pass.robot());
  std::vector<double> values = q, C(n * n), coefficients(n * n * n);
  values.resize(q.size() + n);
  for (std::size_t k = 0; k < n; ++k) {
    values[q.size() + k] = 1.0;
    pass.run(values, C);
    values[q.size() + k] = 0.0;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) coefficients[(i * n + j) * n + k] = C[i * n + j];
  }
  Json list = Json::array();
  std::string text;
  const std::vector<std::string> names = coordinate_names(pass.mechanism());
  for (std::size_t i = 0; i < n; ++i) {
    const Rows rows = rows_of(std::span(coefficients).subspan(i * n * n, n * n), n);
    list.push_back(rows);
    text += fmt::format("{}c_jk at {}\n{}", i == 0 ? "" : "\n", names[i], matrix_text(rows, names));
  }
  Json out{{"coefficients", list}};
  out.update(pass.about());
  emit(options.json ? json_line(out) : text);
}

}  // namespace coriolis_command

void extend_coriolis(CLI::App& command, const JobInfo& job, const std::shared_ptr<JobOptions>& options) {
  using namespace coriolis_command;
  const auto coefficients = std::make_shared<bool>(false);
  command.add_flag(
      "--coefficients", *coefficients,
      "instead of C: the coefficients c_jk(i) of the products of joint rates, one matrix for each joint i");
  command.get_option("--json")->description("print one JSON object: C, or coefficients; method, engine");
  command.callback([options, coefficients, &job] {
    *coefficients ? print_coefficients(job, *options) : run_jobs(*options, {&job});
  });
}

}  // namespace catena::cli

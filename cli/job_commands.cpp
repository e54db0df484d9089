// One command for each job, made from its description, and catena run for several in one pass.
#include <fmt/format.h>

#include <map>
#include <memory>

#include "command.hpp"
#include "support/errors.hpp"
#include "support/job_options.hpp"

namespace catena::cli {
namespace job_commands {

std::string capitalized(std::string_view words) {
  std::string text(words);
  text.front() = static_cast<char>(std::toupper(text.front()));
  return text;
}

// Commands that can do more than their description says: they add options to what is there.
using Extension = void (*)(CLI::App& command, const std::shared_ptr<JobOptions>& options);
const std::map<std::string_view, Extension>& extensions() {
  static const std::map<std::string_view, Extension> known{{"inverse", extend_inverse},
                                                           {"coriolis", extend_coriolis},
                                                           {"factor", extend_factor},
                                                           {"linearize", extend_linearize},
                                                           {"regressor", extend_regressor}};
  return known;
}

std::string examples_of(const JobInfo& job) {
  std::string state = "--q 0,-1,1,0,0,0";
  if (job.takes(Input::qd)) state += " --qd 0.1,0.2,0,0,0,0";
  if (job.takes(Input::tau)) state += " --tau 0,-40,-10,0,0,0";
  std::string text = fmt::format("  catena {} ur5 {} --json\n", job.name, state);
  if (job.formulations.size() > 1)
    text += fmt::format("  catena {} panda --q 0,10,0,-90,0,100,45 --deg --method {}\n", job.name,
                        job.formulations.front().name);
  if (job.wrenches != WrenchRole::none)
    text += fmt::format("  catena {} ur5 --wrench tool0:0,0,-10,0,0,0 --wrench-axes world\n", job.name);
  return text + fmt::format("  catena {} ur5 --states motion.csv -o {}.npy", job.name, job.name);
}

void add_job(CLI::App& program, const JobInfo& job) {
  const auto options = std::make_shared<JobOptions>();
  CLI::App* command = add_command(program, std::string(job.name), capitalized(job.words), examples_of(job));
  options->add(*command, {&job});
  command->callback([options, &job] { run_jobs(*options, {&job}); });
  if (const auto extension = extensions().find(job.name); extension != extensions().end())
    extension->second(*command, options);
  options->pair(*command);
}

}  // namespace job_commands

void add_job_commands(CLI::App& program) {
  using namespace job_commands;
  for (const JobInfo& job : jobs()) add_job(program, job);
}

void add_static(CLI::App& program) {
  using namespace job_commands;
  const auto options = std::make_shared<JobOptions>();
  options->renamed = "tau";
  CLI::App* command =
      add_command(program, "static", "Torques that hold the robot still against its weight and against wrenches",
                  "  catena static ur5 --q 0,-1,1,0,0,0 --wrench tool0:0,0,-50,0,0,0 --wrench-axes world\n"
                  "  catena static stanford --gravity 0,0,0 --wrench link6:10,0,0,0,0,0 --json");
  const JobInfo& job = job_info("gravity");
  options->add(*command, {&job});
  options->pair(*command);
  command->get_option("--json")->description("print one JSON object: tau, method, engine");
  command->callback([options, &job] { run_jobs(*options, {&job}); });
}

void add_run(CLI::App& program) {
  using namespace job_commands;
  const auto options = std::make_shared<JobOptions>();
  const auto compute = std::make_shared<std::string>();
  CLI::App* command = add_command(
      program, "run", "Several jobs in one pass, at one state or over a table",
      "  catena run ur5 --compute inverse,inertia --states motion.npy -o results.npy\n"
      "  catena run ur5 --compute bias,jacobian,energy --q 0,-1,1,0,0,0 --qd 0.1,0,0,0,0,0 --json\n"
      "\n"
      "Results stand in the order of --compute, each by rows: tau1,…,M1_1,M1_2,…. 'catena jobs' lists them.");
  JobSet all;
  for (const JobInfo& job : jobs()) all.push_back(&job);
  options->add(*command, all);
  options->pair(*command);
  command->get_option("--json")->description("print one JSON object: the outputs of the jobs, and jobs");
  command->add_option("--compute", *compute, "jobs, comma-separated")->required()->type_name("JOB,...");
  command->callback([options, compute] {
    const JobSet chosen = job_set(*compute);
    if (!options->formulation.empty() && chosen.size() > 1) throw UsageError("--method goes with a single job");
    require_used(*options, chosen);
    run_jobs(*options, chosen);
  });
}

}  // namespace catena::cli

// One command per job, built from the job's description, and catena run for several jobs in one pass.
#include <fmt/format.h>

#include <memory>

#include "command.hpp"
#include "options/companions.hpp"
#include "options/job_options.hpp"
#include "states/array_run.hpp"
#include "states/run_jobs.hpp"
#include "terminal/errors.hpp"

namespace catena::cli {
namespace job_commands {

std::string capitalized(std::string_view words) {
  std::string text(words);
  text.front() = static_cast<char>(std::toupper(text.front()));
  return text;
}

// Commands that do more than their descriptions say: they add options to the existing ones.
struct Extension {
  std::string_view job;
  void (*extend)(CLI::App& command, const JobInfo& job, const std::shared_ptr<JobOptions>& options);
};
constexpr Extension extensions[] = {
#define CATENA_EXTENDED(job) {#job, extend_##job},
#include "commands.def"
};

std::string examples_of(const JobInfo& job) {
  std::string state = "--q 0,-1,1,0,0,0";
  if (job.takes(Input::qd)) state += " --qd 0.1,0.2,0,0,0,0";
  if (job.takes(Input::tau)) state += " --tau 0,-40,-10,0,0,0";
  for (const Input input : job.inputs)
    if (!info_of(input).of_motion()) state += fmt::format(" --{} 1,0,0,0,0,0", info_of(input).name);
  std::string text = fmt::format("  catena {} ur5 {} --json\n", job.name, state);
  if (job.formulations.size() > 1)
    text += fmt::format("  catena {} panda --q 0,10,0,-90,0,100,45 --deg --method {}\n", job.name,
                        job.formulations.front().name);
  if (job.feels_wrenches())
    text += fmt::format("  catena {} ur5 --wrench tool0:0,0,-10,0,0,0 --wrench-axes world\n", job.name);
  return text + fmt::format("  catena {} ur5 --states motion.csv -o {}.npy", job.name, job.name);
}

}  // namespace job_commands

void add_job_command(CLI::App& program, const JobInfo& job) {
  using namespace job_commands;
  const auto options = std::make_shared<JobOptions>();
  CLI::App* command = add_command(program, std::string(job.name), capitalized(job.words), examples_of(job));
  options->add(*command, {&job});
  command->callback([options, &job] { run_jobs(*options, {&job}); });
  for (const Extension& own : extensions)
    if (own.job == job.name) own.extend(*command, job, options);
  options->pair(*command);
}

void add_job_commands(CLI::App& program) {
  for (const JobInfo& job : jobs()) add_job_command(program, job);
}

void add_static(CLI::App& program) {
  using namespace job_commands;
  const auto options = std::make_shared<JobOptions>();
  options->renamed = "tau";
  CLI::App* command =
      add_command(program, "static", "Torques that hold the robot still against its weight and against wrenches",
                  "  catena static ur5 --q 0,-1,1,0,0,0 --wrench tool0:0,0,-50,0,0,0 --wrench-axes world\n"
                  "  catena static stanford --gravity 0,0,0 --wrench link6:10,0,0,0,0,0 --json");
  const JobInfo& job = job_of(Kind::weight);
  options->add(*command, {&job});
  options->pair(*command);
  command->get_option("--json")->description("print one JSON object: tau, method, engine");
  command->callback([options, &job] { run_jobs(*options, {&job}); });
}

namespace job_commands {

// From one .npy file to another on all cores; any other table row by row.
void run_table(const JobOptions& options, const JobSet& jobs, const ArrayRunOptions& run, bool asked) {
  options.require_consistent();
  Robot robot = options.model.load();
  if (!options.states.empty()) {
    const Mechanism mechanism = options.mechanism(robot);
    const std::string needed = why_no_array_run(options, mechanism);
    if (needed.empty()) return run_arrays(options, jobs, run, robot, mechanism);
    if (asked) throw UsageError(fmt::format("--threads, --precision, --restart and --device go with {}", needed));
  }
  run_jobs(options, jobs, std::move(robot));
}

}  // namespace job_commands

void add_run(CLI::App& program) {
  using namespace job_commands;
  const auto options = std::make_shared<JobOptions>();
  const auto compute = std::make_shared<std::string>();
  const auto arrays = std::make_shared<ArrayRunOptions>();
  CLI::App* command = add_command(
      program, "run", "Compute several jobs in one pass, at one state or over a table",
      "  catena run ur5 --compute inverse,inertia --states motion.npy -o results.npy\n"
      "  catena run panda --compute inverse --states many.npy -o tau.npy --engine compiled --precision float\n"
      "  catena run panda --compute inverse --states many.npy -o tau.npy --device cuda\n"
      "  catena run ur5 --compute bias,jacobian,energy --q 0,-1,1,0,0,0 --qd 0.1,0,0,0,0,0 --json\n"
      "\n"
      "Results are in the order of --compute, each by rows: tau1,…,M1_1,M1_2,…. 'catena jobs' lists them.\n"
      "From one .npy file of any size to another, it runs on all cores, and the same command continues an interrupted\n"
      "run. States without a result are then NaN, and the exit status is 1.");
  JobSet all;
  for (const JobInfo& job : jobs()) all.push_back(&job);
  options->add(*command, all);
  options->pair(*command);
  command->get_option("--json")->description("print one JSON object: the outputs of the jobs, and jobs");
  command->add_option("--compute", *compute, "jobs, comma-separated")->required()->type_name("JOB,...");
  command
      ->add_option("--threads", arrays->threads, "from .npy to .npy: number of threads, 0 for one per core (default)")
      ->type_name("N")
      ->check(CLI::Range(0, 4096).description(""));
  command
      ->add_option("--precision", arrays->precision,
                   "from .npy to .npy: precision of the computation and of the results")
      ->type_name("double|float")
      ->check(one_of({"double", "float"}));
  command->add_flag("--restart", arrays->restart,
                    "from .npy to .npy: start over instead of continuing an interrupted run");
  command->add_option("--device", arrays->device, "from .npy to .npy: compute on GPUs ('catena gpu' lists them)")
      ->type_name("cuda[:I],...");
  const std::vector<std::string> of_arrays{"--threads", "--precision", "--restart", "--device"};
  for (const std::string& option : of_arrays) goes_with(*command, option, {"--states"});
  command->callback([options, compute, arrays, command, of_arrays] {
    const JobSet chosen = job_set(*compute);
    if (!options->formulation.empty() && chosen.size() > 1) throw UsageError("--method goes with a single job");
    require_used(*options, chosen);
    options->model.tells_locked = weighs_links(chosen);
    const bool asked = std::any_of(of_arrays.begin(), of_arrays.end(),
                                   [&](const std::string& option) { return command->count(option) > 0; });
    run_table(*options, chosen, *arrays, asked);
  });
}

}  // namespace catena::cli

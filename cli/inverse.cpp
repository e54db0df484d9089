// catena inverse, beyond one state and tables: torques along a motion, held against limits.
#include <fmt/format.h>

#include <memory>

#include "command.hpp"
#include "support/description.hpp"
#include "support/errors.hpp"
#include "support/inverse_along.hpp"
#include "support/job_options.hpp"

namespace catena::cli {
namespace inverse_command {

// A passive joint has no motor that could bring a torque: its acceleration follows from those of the others.
void run_states(JobOptions options) {
  options.require_consistent();
  Robot robot = options.model.load();
  const std::vector<std::string> passive = passive_joints(robot);
  if (passive.empty()) return run_jobs(options, {&job_info("inverse")}, std::move(robot));
  options.left_zero = {Input::tau};
  run_jobs(options, {&job_info("hybrid")}, std::move(robot));
  note(fmt::format("catena: passive: {}; what they do is found too, qdd beside tau (hybrid dynamics)",
                   printable(fmt::format("{}", fmt::join(passive, ", ")))));
}

void run(const JobOptions& options, const InverseAlong& motion) {
  const JobInfo& job = job_info("inverse");
  if (!motion.given()) return run_states(options);
  if (!options.states.empty()) throw UsageError("give --states or a trajectory, not both");
  for (const Input input : job.inputs)
    if (options.inputs[static_cast<std::size_t>(input)])
      throw UsageError("--states and trajectories bring q, qd and qdd; leave out --q, --qd and --qdd");
  if (options.base.given())
    throw UsageError(fmt::format("{} goes with one state or --states, not with a motion", options.base.name()));
  require_method(options.formulation, job.name);
  if (motion.table == "-") claim_standard_input("--trajectory");
  const Robot robot = options.model.load();
  require_motors(robot);
  const Mechanism mechanism = options.model.mechanism(robot);
  options.engine.explain_generic("motions and their limits are not part of compiled code");
  motion.run({robot, mechanism, options.formulation, options.wrenches.parse(mechanism), options.output, options.deg,
              options.json});
}

}  // namespace inverse_command

void extend_inverse(CLI::App& command, const std::shared_ptr<JobOptions>& options) {
  using namespace inverse_command;
  const auto motion = std::make_shared<InverseAlong>();
  motion->add(command);
  options->motions = motion->sources;
  command.footer(command.get_footer() +
                 "\n  catena inverse ur5 --trajectory motion.csv --scale-to-limits -o torques.csv\n"
                 "  catena inverse ur5 --q 0,-1,1,0,0,0 --base-twist 2,0,0,0,0,0.3 --base-acceleration 0.5,0,0,0,0,0\n"
                 "  catena inverse pelican_crucible --q 0.3,0.2,-1.5 --qdd 1,0,0\n"
                 "  catena inverse ur5 --to 1,-1,1,0,0,0 --time 2 --rate 500 --total-power 300");
  command.callback([options, motion] { run(*options, *motion); });
}

}  // namespace catena::cli

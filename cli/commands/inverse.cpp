// catena inverse, beyond one state and tables: torques along a motion, checked against limits.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "command.hpp"
#include "options/job_options.hpp"
#include "output/description.hpp"
#include "pages/report_option.hpp"
#include "pages/result_table.hpp"
#include "states/inverse_along.hpp"
#include "states/motor_torques.hpp"
#include "states/run_jobs.hpp"
#include "terminal/errors.hpp"

namespace catena::cli {
namespace inverse_command {

// Records the states of a run for a page: t, q, qd, qdd, tau.
class Watching {
 public:
  void see(const JobPass& pass, const JobOptions::Seen& seen) {
    const std::size_t n = index(pass.mechanism().nv()), nq = index(pass.mechanism().nq());
    const std::optional<double> t = time_in(seen.carried_names, seen.carried);
    if (!recording) start(pass, t.has_value());
    std::vector<double> row;
    if (t) row.push_back(*t);
    const bool hybrid = seen.results.size() == 2 * n;  // the results hold qdd as well as tau
    const auto add = [&](std::span<const double> part) { row.insert(row.end(), part.begin(), part.end()); };
    add(seen.values.first(nq + n));
    add(hybrid ? seen.results.first(n) : seen.values.subspan(nq + n, n));
    add(seen.results.last(n));
    recording->add(row);
  }
  std::optional<report::Recording> recording;

 private:
  void start(const JobPass& pass, bool timed) {
    recording.emplace(pass.robot());
    if (timed) recording->add_time();
    for (const InputInfo& info : all_inputs)
      if (info.of_motion()) recording->add_group(info.input);
  }
};

void write_report(const ReportOption& option, const JobOptions& options, const Robot& robot, const Mechanism& mechanism,
                  report::Recording recording) {
  report::Scene scene = scene_of(options.model, robot, "inverse");
  if (options.base.given()) {
    const auto motion = options.base.motion();
    scene.base.assign(motion.begin(), motion.end());
    scene.notes.emplace_back("The base moves, but everything is drawn as seen from it.");
  }
  const auto wrenches = options.wrenches.parse(mechanism);
  recording.complete(mechanism, wrenches, false, true, scene.base);
  if (recording.count() > 0) scene.q = recording.numbers("q", 0);
  scene.wrenches = report::wrenches_json(wrenches, mechanism);
  scene.recordings.push_back(std::move(recording));
  option.write(scene);
}

// A passive joint has no motor to supply a torque: its acceleration follows from those of the other joints.
void run_states(const JobInfo& job, JobOptions options, const ReportOption& report) {
  options.require_consistent();
  Robot robot = options.model.load();
  Watching watching;
  if (report.given()) options.watch = [&](const JobPass& pass, const auto& seen) { watching.see(pass, seen); };
  const Robot drawn = report.given() ? robot : Robot{};
  const auto finish = [&] {
    if (!report.given()) return;
    if (!watching.recording) watching.recording.emplace(drawn);
    const Mechanism made = make_mechanism(drawn, options.model.mechanism_options());
    write_report(report, options, drawn, options.base.carried(made), std::move(*watching.recording));
  };
  const std::vector<std::string> passive = passive_joints(robot);
  if (passive.empty()) {
    run_jobs(options, {&job}, std::move(robot));
    return finish();
  }
  options.left_zero = {Input::tau};
  const auto hybrid = std::find_if(jobs().begin(), jobs().end(), [](const JobInfo& one) { return one.only_passive; });
  run_jobs(options, {&*hybrid}, std::move(robot));
  finish();
  note(fmt::format("catena: passive: {}; their accelerations are found too, as qdd beside tau (hybrid dynamics)",
                   printable(fmt::format("{}", fmt::join(passive, ", ")))));
}

void run(const JobInfo& job, const JobOptions& options, const InverseAlong& motion, const ReportOption& report) {
  report.require();
  if (!motion.given()) return run_states(job, options, report);
  if (!options.states.empty()) throw UsageError("give --states or a trajectory, not both");
  for (const Input input : job.inputs)
    if (options.inputs[static_cast<std::size_t>(input)])
      throw UsageError("--states and trajectories already give q, qd and qdd; leave out --q, --qd and --qdd");
  if (options.base.given())
    throw UsageError(fmt::format("{} goes with one state or --states, not with a motion", options.base.name()));
  require_method(options.formulation, job.name);
  if (motion.table == "-") claim_standard_input("--trajectory");
  const Robot robot = options.model.load();
  require_motors(robot);
  const Mechanism mechanism = options.model.mechanism(robot);
  options.engine.explain_generic("compiled code cannot follow motions and their limits");
  report::Recording recording(robot);
  recording.add_time();
  for (const InputInfo& info : all_inputs)
    if (info.of_motion()) recording.add_group(info.input);
  motion.run({robot, mechanism, options.formulation, options.wrenches.parse(mechanism), options.output, options.deg,
              options.json, report.given() ? &recording : nullptr});
  if (report.given()) write_report(report, options, robot, mechanism, std::move(recording));
}

}  // namespace inverse_command

void extend_inverse(CLI::App& command, const JobInfo& job, const std::shared_ptr<JobOptions>& options) {
  using namespace inverse_command;
  const auto motion = std::make_shared<InverseAlong>();
  const auto report = std::make_shared<ReportOption>();
  const auto motors = std::make_shared<MotorOptions>();
  motion->add(command);
  motors->add(command);
  report->add(command);
  options->motions = motion->sources;
  command.footer(command.get_footer() +
                 "\n  catena inverse ur5 --trajectory motion.csv --scale-to-limits -o torques.csv\n"
                 "  catena inverse ur5 --q 0,-1,1,0,0,0 --base-twist 2,0,0,0,0,0.3 --base-acceleration 0.5,0,0,0,0,0\n"
                 "  catena inverse pelican_crucible --q 0.3,0.2,-1.5 --qdd 1,0,0\n"
                 "  catena inverse ur5 --to 1,-1,1,0,0,0 --time 2 --rate 500 --total-power 300");
  command.callback([options, motion, report, motors, &job] {
    if (!motors->given()) return run(job, *options, *motion, *report);
    if (motion->given() || report->given()) throw UsageError("--motors goes with one state");
    motors->run(*options);
  });
}

}  // namespace catena::cli

// catena simulate: motion under torques, with events and an energy balance.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>

#include "catena/dynamics.hpp"
#include "catena/progressive.hpp"
#include "catena/simulation.hpp"
#include "command.hpp"
#include "model/close_loops.hpp"
#include "options/base_options.hpp"
#include "options/companions.hpp"
#include "options/efforts.hpp"
#include "options/engine.hpp"
#include "options/integrator_options.hpp"
#include "options/model_options.hpp"
#include "options/numbers.hpp"
#include "options/run_events.hpp"
#include "options/run_wrenches.hpp"
#include "options/singular_poses.hpp"
#include "options/torque_laws.hpp"
#include "output/simulation_output.hpp"
#include "pages/report_option.hpp"
#include "sim/base_path.hpp"
#include "system/own_process.hpp"
#include "terminal/errors.hpp"
#include "terminal/interrupt.hpp"
#include "terminal/progress.hpp"

namespace catena::cli {
namespace simulate_command {

struct Options {
  ModelOptions model;
  LawOptions law;
  WrenchOptions wrenches;
  BaseOptions base;
  PlotOption plot;
  ReportOption report;
  std::optional<std::string> q, qd;
  double time = 0.0;
  std::optional<double> restitution;
  std::size_t samples = 101;
  IntegratorOptions integrator;
  std::string formulation, output;
  std::vector<std::string> events;
  EngineOption engine;
  bool stops = false, saturate = false, deg = false, json = false;

  Beside beside() const { return {wrenches.given(), base.given()}; }
};

// Checks everything that can be checked before the model is read.
SimulationOptions settings(const Options& options) {
  require_method(options.formulation, "forward");
  if (!(options.time > 0.0)) throw UsageError("--time must be positive");
  if (options.samples < 2) throw UsageError("--samples must be at least 2, for the start and the end");
  SimulationOptions set;
  options.integrator.set(set);
  set.formulation = options.formulation;
  set.stops = options.stops, set.restitution = options.restitution.value_or(set.restitution);
  set.saturate = options.saturate;
  set.proceed = [](double) { return !interrupted(); };
  options.law.require_companions();
  options.plot.require();
  options.report.require();
  return set;
}

// Options about limits need a robot with limits.
void require_limits(const Options& options, const Robot& robot, const Mechanism& mechanism) {
  const auto& limited = mechanism.coordinates.limits;
  const auto any = [&](auto has) { return std::any_of(limited.begin(), limited.end(), has); };
  if (options.saturate && !any([](const JointLimits& limits) { return std::isfinite(limits.effort); }))
    throw UsageError(fmt::format("--saturate: no joint of {} has an effort limit", robot.name));
  if (options.stops &&
      !any([](const JointLimits& limits) { return std::isfinite(limits.lower) || std::isfinite(limits.upper); }))
    throw UsageError(fmt::format("--stops: no joint of {} has limits", robot.name));
}

struct Start {
  std::vector<double> q, qd;
};

// The start given by --q and --qd, else the start of the followed motion; says on stderr where the two differ.
Start start_of(const Options& options, const Reference& motion, const Mechanism& robot, Start typed) {
  if (!options.law.moves() || !motion) return typed;
  Start own{std::vector<double>(typed.q.size()), std::vector<double>(typed.qd.size())};
  std::vector<double> ignored(typed.qd.size());
  motion(0.0, own.q, own.qd, ignored);
  if (options.qd) own.qd = typed.qd;
  if (!options.q) return own;
  std::size_t worst = 0;
  const auto distance = [&](std::size_t k) { return std::abs(typed.q[k] - own.q[k]); };
  for (std::size_t k = 1; k < own.q.size(); ++k)
    if (distance(k) > distance(worst)) worst = k;
  constexpr double close = 1e-6;
  if (distance(worst) > close)
    note(fmt::format("catena: note: the run does not start on the motion: {} is at {:.6g}, the motion starts at {:.6g}",
                     printable(position_names(robot)[worst]), typed.q[worst], own.q[worst]));
  return {std::move(typed.q), std::move(own.qd)};
}

std::vector<double> sample_times(const Options& options) {
  std::vector<double> times(options.samples);
  for (std::size_t k = 0; k < times.size(); ++k)
    times[k] = options.time * static_cast<double>(k) / static_cast<double>(times.size() - 1);
  return times;
}

// What is simulated: which robot, what happens to it, what drives it, and from where it starts.
struct Task {
  const Options& options;
  const Robot& robot;
  const Mechanism& mechanism;
  const RunEvents& events;
  LawOptions::Made law{};
  Start start{};
};

// A run that is set up and only needs to know where samples go. The task must outlive it.
using Run = std::function<ProgressiveResult(const ProgressiveSimulation::OnSample& on_sample)>;

// A run of a robot that does not change: one segment.
Run plain_run(const Task& task, const SimulationOptions& set) {
  const auto simulation = std::make_shared<Simulation>(task.mechanism, task.law.law, set);
  task.events.add_to(*simulation, task.mechanism);
  return [simulation, &task](const ProgressiveSimulation::OnSample& on_sample) {
    ProgressiveResult out;
    Segment& segment = out.segments.emplace_back();
    segment.joints = coordinate_names(task.mechanism);
    try {
      segment.result = simulation->run(task.start.q, task.start.qd, sample_times(task.options),
                                       [&](const Sample& sample) { on_sample(segment, sample); });
    } catch (const std::invalid_argument& error) {  // a start beyond a stop
      throw UsageError(std::string("--q: ") + error.what());
    }
    out.complete = segment.result.complete;
    out.ended_by = segment.result.ended_by;
    return out;
  };
}

// A run of a robot that events change. Joints attached by events have no drives.
Run changing_run(const Task& task, const SimulationOptions& set) {
  const auto assembly = std::make_shared<Assembly>(without_loops(task.robot), Assembly::Capacity{},
                                                   task.options.model.mechanism_options());
  const auto law = [known = task.law.law, joints = coordinate_names(task.mechanism)](const Mechanism& robot) {
    return at_joints(known, joints, robot);
  };
  const auto simulation = std::make_shared<ProgressiveSimulation>(*assembly, law, set);
  if (!task.robot.loops.empty()) simulation->start_closed(task.robot);
  task.events.add_to(*simulation);
  return [assembly, simulation, &task](const ProgressiveSimulation::OnSample& on_sample) {
    return simulation->run(task.start.q, task.start.qd, sample_times(task.options), on_sample);
  };
}

// Completes the task.
Run set_up(Task& task, const Start& typed, SimulationOptions set) {
  const Options& options = task.options;
  try {
    set.wrenches = wrenches_of_run(options.wrenches, task.robot.name, task.events.frames());
    task.law =
        options.law.make(options.model, task.robot, task.mechanism, typed.q, options.time, options.deg, set.wrenches);
    set.period = task.law.period;
    task.start = start_of(options, task.law.reference, task.mechanism, typed);
    if (!task.events.change_robot()) return plain_run(task, set);
  } catch (const std::invalid_argument& error) {
    throw UsageError(error.what());
  }
  return changing_run(task, set);
}

SampleSink sink_for(const Task& task) {
  const Options& options = task.options;
  const std::vector<std::string>& attached = task.events.joints();
  std::vector<std::string> joints = coordinate_names(task.mechanism);
  if (task.events.change_robot())  // loops may open, and then these move by themselves
    for (const std::string& joint : tree_joint_names(task.mechanism))
      if (std::find(joints.begin(), joints.end(), joint) == joints.end()) joints.push_back(joint);
  joints.insert(joints.end(), attached.begin(), attached.end());
  SampleSink sink(joints, options.beside(), task.mechanism.coordinates.is_free());
  if (!options.json || !options.output.empty()) sink.write_table(options.output.empty() ? "-" : options.output);
  if (options.plot.given()) {
    MotionPlot plot = sample_plot(options.plot, task.robot, options.beside());
    for (const std::string& joint : attached) plot.add_joint(joint, task.events.slides(joint));
    sink.write_plot(std::move(plot));
  }
  if (options.report.given() && task.events.change_robot())
    sink.record(task.robot, tree_joint_names(task.mechanism));
  else if (options.report.given())
    sink.record(task.robot);
  return sink;
}

// Whether accelerations follow from the torques alone: no dry friction, no stop, no wrench, a base at rest.
bool moves_by_torques(const Options& options, const Robot& robot) {
  return !options.stops && !options.wrenches.given() && !options.base.given() &&
         std::none_of(robot.joints.begin(), robot.joints.end(),
                      [](const JointDescription& joint) { return joint.drive.dry_friction() != 0.0; });
}

// What the law followed, at the recording's times.
void record_reference(const Task& task, report::Recording& recording) {
  std::vector<std::vector<double>> wanted;
  std::vector<Pose<double>> poses;
  const Reference joints = task.law.joints();
  const FrameReference path = task.events.change_robot() ? FrameReference{} : task.law.frame_motion();
  for (std::size_t i = 0; i < recording.count(); ++i) {
    const double t = recording.numbers("t", i).front();
    if (path) poses.push_back(path(t).pose);
    if (!joints) continue;
    std::vector<double> qd(index(task.mechanism.nv())), qdd(qd);
    joints(t, wanted.emplace_back(index(task.mechanism.nq())), qd, qdd);
  }
  if (joints) recording.put_reference(wanted);
  if (path) recording.put_path(task.mechanism, task.law.frame, task.law.turns, poses);
}

void write_report(const Task& task, SampleSink& sink, const ProgressiveResult& result) {
  const Options& options = task.options;
  const bool changes = task.events.change_robot();
  std::vector<EventRecord> events;
  for (const Segment& segment : result.segments)
    events.insert(events.end(), segment.result.events.begin(), segment.result.events.end());
  report::Recording recording = sink.recorded(events);
  report::Scene scene = scene_of(options.model, task.robot, "simulate");
  scene.q = task.start.q;
  record_reference(task, recording);
  if (!result.ended_by.empty()) scene.notes.push_back("The run ended early: " + result.ended_by);
  for (const RunEvents::Phase& phase : task.events.phases()) {
    Json& own = scene.phases.emplace_back(Json{{"t", phase.t}, {"robot", report::description(phase.robot)}});
    for (const std::string& joint : phase.joints) own["q"].push_back(sink.position_column(joint));
  }
  if (options.base.given()) {
    BasePath path(options.base.law(options.time));
    recording.add_base([&](double t) -> std::span<const double> { return path.at(t); });
  }
  recording.complete(task.mechanism, {}, !changes && moves_by_torques(options, scene.robot), !changes);
  if (!options.wrenches.tables.empty()) scene.notes.emplace_back("Wrenches from tables act, but are not drawn.");
  if (!changes && !options.wrenches.texts.empty())
    scene.wrenches = report::wrenches_json(options.wrenches.parse(task.mechanism), task.mechanism);
  scene.recordings.push_back(std::move(recording));
  options.report.write(scene);
}

// How well the law followed its reference; both empty: it follows nothing, or the robot changed.
struct Following {
  std::optional<TrackingError> joints;
  std::optional<PathError> frame;
};
Following following(const Task& task, const ProgressiveResult& result) {
  Following out;
  if (task.events.change_robot()) return out;
  const SimulationResult& run = result.segments.front().result;
  const LawOptions::Made& law = task.law;
  if (law.path) out.frame = path_error_of(run, task.mechanism, law.frame, law.path, law.turns);
  if (law.reference) out.joints = tracking_error(run, law.reference);
  return out;
}

Json json_of(const Task& task, const ProgressiveResult& result, const Following& errors, const Json& engine) {
  if (task.events.change_robot()) return to_json(result, task.options.beside());
  Json out = to_json(result.segments.front().result, task.mechanism, task.options.beside());
  if (errors.joints) out["tracking_error"] = to_json(*errors.joints);
  if (errors.frame) out["tracking_error"] = to_json(*errors.frame);
  out.update(engine);
  return out;
}

// A summary for people, on stderr.
void tell(const Task& task, const ProgressiveResult& result, const Following& errors) {
  const bool json = task.options.json;
  for (const ChangeRecord& c : result.changes) note(text_of(c));
  if (task.events.change_robot())
    note(fmt::format("{} samples, energy balance {:.2e} J", sample_count(result), result.balance));
  else if (!json || system::is_terminal(2))
    note(text_of(result.segments.front().result));
  if (errors.joints && !json) note(text_of(*errors.joints));
  if (errors.frame && !json) note(text_of(*errors.frame, task.mechanism.frames[index(task.law.frame)].name));
  for (const Segment& segment : result.segments) note_left_limits(segment);
}

void run(const Options& options) {
  SimulationOptions set = settings(options);
  const Robot robot = options.model.load();
  if (robot.dof() == 0) throw UsageError(fmt::format("{} has no moving joints", robot.name));
  const Mechanism mechanism = options.model.mechanism(robot);
  require_limits(options, robot, mechanism);
  const Start typed{position_vector(options.q, "--q", robot, options.deg),
                    joint_vector(options.qd, "--qd", robot, options.deg)};
  set.base_motion = options.base.law(options.time);
  const RunEvents events(options.events, mechanism);

  const InterruptGuard interrupt;
  Progress progress(options.samples);
  std::shared_ptr<ForwardDynamics<double>> engine;
  if (events.change_robot())
    options.engine.explain_generic("the robot changes while it moves");
  else
    set.forward = [&](const Mechanism& own) -> ForwardCall {
      engine =
          std::make_shared<ForwardDynamics<double>>(options.engine.make(own, {"forward", options.formulation, ""}));
      return [call = engine](auto q, auto qd, auto tau, auto qdd) { (*call)(q, qd, tau, qdd); };
    };
  Task task{options, robot, mechanism, events};
  const Run simulate = set_up(task, typed, set);

  SampleSink sink = sink_for(task);
  SingularPoses singular(robot);
  std::uint64_t done = 0;
  const ProgressiveResult result = simulate([&](const Segment& segment, const Sample& s) {
    if (events.phases().empty())
      sink.add(segment.joints, s);
    else
      sink.add(segment.joints, s, events.phases().back().joints);
    singular.look(s.q);
    progress.update(++done);
  });
  progress.clear();

  const bool whole = result.ended_by != "interrupted";
  const std::string part = sink.finish(robot.name, whole);
  if (options.report.given() && whole) write_report(task, sink, result);
  const Following errors = following(task, result);
  if (options.json) emit(json_line(json_of(task, result, errors, engine ? engine_json(*engine) : Json())));
  tell(task, result, errors);
  if (!whole)
    throw Interrupted(
        fmt::format("interrupted: {} samples are {}", sample_count(result), part.empty() ? "done" : "kept in " + part));
  if (!result.complete && !events.stop_run(result.ended_by)) throw std::domain_error(result.ended_by);
}

}  // namespace simulate_command

void add_simulate(CLI::App& program) {
  using namespace simulate_command;
  const auto o = std::make_shared<Options>();
  CLI::App* command = add_command(
      program, "simulate", "Motion under torques",
      "  catena simulate planar3r --time 1 --json\n"
      "  catena simulate stanford --q 0,90,0,0,0,0 --deg --time 1 --samples 501 -o fall.csv\n"
      "  catena simulate ur5 --torque computed --target 0,-90,90,0,0,0 --deg --kp 100 --kd 20 --time 2 -o motion.npy\n"
      "  catena simulate ur5 --torque lqr --to 1,-1,1,0,0,0 --time 2 --payload tool0:2,0,0,0.05 --controller-model ur5 "
      "--json\n"
      "  catena simulate ur5 --torque pd-gravity --time 2 --wrench tool0:0,0,-20,0,0,0 --wrench-axes world --plot "
      "push.svg\n"
      "  catena simulate ur5 --q 0,-1,1,0,1,0 --torque resolved --goal 0.5,0.2,0.4 --time 2 -o line.csv\n"
      "  catena simulate ur5 --torque pd-gravity --time 5 --base-twist 0,0,0,0.1,0,0 --base-acceleration 1,0,0,0,0,0 "
      "-o cart.csv\n"
      "  catena simulate ur5 --q 0,-1,1,0,1,0 --torque impedance --gain stiffness=300,300,300,20,20,20 --time 2 "
      "--wrench "
      "tool0:0,0,-20,0,0,0 --wrench-axes world -o yield.csv\n"
      "  catena simulate planar2r --time 2 --event frame:link2:0,-1,0,0.5:stop\n"
      "  catena simulate pelican --time 2 --event \"t=0.5 attach examples/crucible.toml at link2 as revolute\" --json");
  o->model.add_dynamics(*command);
  command->add_option("--q", o->q, "positions at the start; default the start of the motion to follow, else all 0")
      ->type_name("Q1,Q2,...");
  command->add_option("--qd", o->qd, "speeds at the start; default those of the motion to follow, else all 0")
      ->type_name("V1,V2,...");
  command->add_flag("--deg", o->deg, "revolute joints in degrees; results stay in radians");
  command->add_option("--time", o->time, "how long, s")->required()->type_name("T");
  command->add_option("--samples", o->samples, "number of samples, including both ends; default 101")->type_name("N");
  o->integrator.add(*command);
  o->law.add(*command);
  o->wrenches.add(*command, true);
  o->base.add(*command, true);
  command
      ->add_option("--event", o->events,
                   std::string("time:T, position:JOINT:X, speed:JOINT:X or frame:NAME:NX,NY,NZ,D, then :stop or not; "
                               "or one that changes the robot, with such a WHEN or t=T: ") +
                       change_forms)
      ->type_name("EVENT");
  command->add_flag("--stops", o->stops, "make joint limits hard stops");
  command->add_flag("--saturate", o->saturate, "limit the torques of drives to the model's effort limits");
  command->add_option("--restitution", o->restitution, "restitution at the stops, 0 to 1; default 0")->type_name("E");
  goes_with(*command, "--restitution", {"--stops"});
  goes_with(*command, "--deg", {"--q", "--qd", "--target", "--to", "--via", "--trajectory", "--goal", "--lock"});
  add_method(*command, o->formulation);
  o->engine.add(*command);
  command->add_option("-o,--output", o->output, "where the samples go: CSV, .npy, or - for stdout (default)")
      ->type_name("FILE");
  o->plot.add(*command, "positions, speeds, torques and energies");
  o->report.add(*command);
  command->add_flag("--json", o->json, "print one JSON object: t, q, qd, tau, energy, balance, steps, evaluations, …");
  command->callback([o] { run(*o); });
}

}  // namespace catena::cli

// catena simulate: motion under torques, with events and an account of the energy.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "catena/dynamics.hpp"
#include "catena/simulation.hpp"
#include "command.hpp"
#include "model/find_frame.hpp"
#include "options/base_options.hpp"
#include "options/change_events.hpp"
#include "options/companions.hpp"
#include "options/efforts.hpp"
#include "options/engine.hpp"
#include "options/model_options.hpp"
#include "options/numbers.hpp"
#include "options/run_wrenches.hpp"
#include "options/singular_poses.hpp"
#include "options/torque_laws.hpp"
#include "output/simulation_output.hpp"
#include "pages/report_option.hpp"
#include "terminal/errors.hpp"
#include "terminal/interrupt.hpp"
#include "terminal/progress.hpp"
#include "terminal/words.hpp"

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
  std::optional<double> step, rtol, atol, restitution;
  std::size_t samples = 101;
  std::optional<long> max_steps;
  std::string integrator = "verner", formulation, output;
  std::vector<std::string> events;
  EngineOption engine;
  bool stops = false, saturate = false, deg = false, json = false;

  Beside beside() const { return {wrenches.given(), base.given()}; }
};

std::string integrators_named(bool fixed_step) {
  std::vector<std::string_view> names;
  for (const std::string_view name : integrator_names())
    if (has_fixed_step(*integrator_from_name(name)) == fixed_step) names.push_back(name);
  return fmt::format("{}", fmt::join(names, ", "));
}

// An option without the one that gives it a meaning is a mistake.
void require_companions(const Options& options, const SimulationOptions& set) {
  const auto only = [](bool given, bool meaningful, std::string_view option, const std::string& companion) {
    if (given && !meaningful) throw UsageError(fmt::format("{} goes with {}", option, companion));
  };
  const bool fixed = has_fixed_step(set.integrator);
  only(options.step.has_value(), fixed, "--step", "--integrator " + integrators_named(true));
  only(options.rtol.has_value(), !fixed, "--rtol", "--integrator " + integrators_named(false));
  only(options.atol.has_value(), !fixed, "--atol", "--integrator " + integrators_named(false));
}

// time:T, position:JOINT:VALUE, speed:JOINT:VALUE, frame:NAME:NX,NY,NZ,OFFSET; ":stop" at the end stops the run.
Event make_event(const std::string& text, const Mechanism& robot) {
  std::vector<std::string> parts = split(text, ':');
  const bool stop = parts.back() == "stop";
  if (stop) parts.pop_back();
  const auto number = [&](const std::string& word) { return parse_numbers(word, "--event").front(); };
  const auto joint = [&](const std::string& name) {
    const std::vector<std::string> names = coordinate_names(robot);
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end())
      throw UsageError(fmt::format("--event: no joint '{}'{}", printable(name), suggest(name, names)));
    return Coordinate(static_cast<int>(found - names.begin()));
  };
  Event event;
  if (parts[0] == "time" && parts.size() == 2) {
    event = at_time(number(parts[1]));
  } else if (parts[0] == "position" && parts.size() == 3) {
    const Coordinate j = joint(parts[1]);
    if (robot.coordinates.is_free() && j >= 3 && j < base_joints)
      throw UsageError(fmt::format("--event: the turn of a free base is no angle, and '{}' has no position", parts[1]));
    event = at_position(static_cast<int>(robot.coordinates.position_of(j)), number(parts[2]));
  } else if (parts[0] == "speed" && parts.size() == 3) {
    event = at_speed(joint(parts[1]), number(parts[2]));
  } else if (parts[0] == "frame" && parts.size() == 3) {
    const int frame = find_frame(robot, parts[1]);
    const std::vector<double> plane = parse_numbers(parts[2], "--event");
    if (frame < 0) throw UsageError(fmt::format("--event: no frame '{}'", printable(parts[1])));
    if (plane.size() != 4) throw UsageError("--event: a plane is NX,NY,NZ,OFFSET");
    event = frame_enters(robot, frame, {plane[0], plane[1], plane[2]}, plane[3]);
  } else {
    throw UsageError(
        fmt::format("--event: '{}' is none of time:T, position:JOINT:VALUE, speed:JOINT:VALUE, "
                    "frame:NAME:NX,NY,NZ,OFFSET, each with :stop or without",
                    printable(text)));
  }
  event.name = text;
  if (stop) event.effect = [](double, auto, auto) { return EventEffect{true, {}, std::nullopt}; };
  return event;
}

SimulationOptions settings(const Options& options) {
  SimulationOptions s;
  const auto integrator = integrator_from_name(options.integrator);
  if (!integrator)
    throw UsageError(fmt::format("--integrator: no '{}'; known: {}", printable(options.integrator),
                                 fmt::join(integrator_names(), ", ")));
  s.integrator = *integrator;
  s.rtol = options.rtol.value_or(s.rtol), s.atol = options.atol.value_or(s.atol);
  s.step = options.step.value_or(s.step), s.max_steps = options.max_steps.value_or(s.max_steps);
  s.formulation = options.formulation;
  s.stops = options.stops, s.restitution = options.restitution.value_or(s.restitution);
  s.saturate = options.saturate;
  return s;
}

// One line about the joints that a sample found beyond their limits.
void note_left_limits(const SimulationResult& result, const std::vector<std::string>& names) {
  if (result.left_limits.empty()) return;
  std::vector<std::string> joints;
  for (const LeftLimits& left : result.left_limits)
    joints.push_back(fmt::format("'{}' (t = {:.4g} s)", printable(names[index(left.joint)]), left.t));
  note(fmt::format("catena: beyond its limits: joint {}; --stops makes limits stops", fmt::join(joints, ", ")));
}

// The law of the robot as it was: joints that are attached later have no drives.
TorqueLaw for_first_joints(TorqueLaw law, std::size_t n) {
  return [law = std::move(law), n](double t, std::span<const double> q, std::span<const double> qd,
                                   std::span<double> tau) {
    law(t, q.first(n), qd.first(n), tau.first(n));
    std::fill(tau.begin() + static_cast<std::ptrdiff_t>(n), tau.end(), 0.0);
  };
}

// Whether accelerations follow from the torques alone: no dry friction, no stop, no wrench, a base at rest.
bool moves_by_torques(const Options& options, const Robot& robot) {
  return !options.stops && !options.wrenches.given() && !options.base.given() &&
         std::none_of(robot.joints.begin(), robot.joints.end(),
                      [](const JointDescription& joint) { return joint.drive.coulomb != 0.0; });
}

void write_report(const Options& options, const Robot& robot, const Mechanism& mechanism, std::span<const double> q,
                  report::Recording recording, const std::string& ended_by) {
  report::Scene scene = scene_of(options.model, robot, "simulate");
  scene.q.assign(q.begin(), q.end());
  if (!ended_by.empty()) scene.notes.push_back("The run ended early: " + ended_by);
  const bool changes = std::any_of(options.events.begin(), options.events.end(), ChangeEvents::is_change);
  if (changes) scene.notes.emplace_back("The robot is drawn as it was at the start; what events changed is not.");
  if (options.base.given()) scene.notes.emplace_back("The base moves; it is drawn at rest, as seen from it.");
  recording.complete(mechanism, {}, !changes && moves_by_torques(options, scene.robot), !changes);
  if (!options.wrenches.tables.empty()) scene.notes.emplace_back("Wrenches of tables act, but are not drawn.");
  if (!changes && !options.wrenches.texts.empty())
    scene.wrenches = report::wrenches_json(options.wrenches.parse(mechanism), mechanism);
  scene.recordings.push_back(std::move(recording));
  options.report.write(scene);
}

struct Start {
  std::vector<double> q, qd;
};

// Where --q and --qd say, else where the motion that is followed starts; a start elsewhere is told.
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
    note(fmt::format("catena: note: the run starts away from the motion: {} at {:.6g}, there at {:.6g}",
                     printable(position_names(robot)[worst]), typed.q[worst], own.q[worst]));
  return {std::move(typed.q), std::move(own.qd)};
}

// A run in which events attach, detach and change links.
struct ChangingRun {
  const Options& options;
  const Robot& robot;
  const Mechanism& mechanism;
  SimulationOptions set;
  Start typed;
  std::vector<double> times;

  void operator()() const {
    ChangeEvents changes(mechanism);
    Assembly assembly(robot, Assembly::Room{}, options.model.mechanism_options());
    const auto [law, motion, path, frame, turns] =
        options.law.make(options.model, robot, mechanism, typed.q, options.time, options.deg);
    const auto [q, qd] = start_of(options, motion, mechanism, typed);
    // The frames of parts are known when the events have been read, and asked for when the run starts.
    Wrenches wrenches;
    SimulationOptions own = set;
    if (options.wrenches.given()) own.wrenches = [&wrenches](const Mechanism& now) { return wrenches(now); };
    ProgressiveSimulation simulation(
        assembly, [&](const Mechanism&) { return for_first_joints(law, index(mechanism.nv())); }, own);
    for (const std::string& text : options.events)
      if (ChangeEvents::is_change(text))
        changes.add(text, make_event, simulation);
      else
        simulation.watch([text](const Mechanism& now) { return make_event(text, now); });
    std::vector<std::string> joints = coordinate_names(mechanism);
    joints.insert(joints.end(), changes.joints().begin(), changes.joints().end());
    wrenches = wrenches_of_run(options.wrenches, robot.name, changes.frames());
    SampleSink sink(joints, options.beside());
    if (!options.json || !options.output.empty()) sink.write_table(options.output.empty() ? "-" : options.output);
    if (options.plot.given()) {
      MotionPlot plot = sample_plot(options.plot, robot, options.beside());
      for (const std::string& joint : changes.joints()) plot.add_joint(joint, changes.slides(joint));
      sink.write_plot(std::move(plot));
    }
    if (options.report.given()) sink.record(robot);
    const InterruptGuard interrupt;
    std::uint64_t done = 0;
    Progress progress(times.size());
    SingularPoses singular(robot);
    const ProgressiveResult result = simulation.run(q, qd, times, [&](const Segment& segment, const Sample& s) {
      sink.add(segment.joints, s);
      singular.look(s.q);
      progress.update(++done);
    });
    progress.clear();
    sink.finish(robot.name);
    if (options.report.given()) {
      std::vector<EventRecord> events;
      for (const Segment& segment : result.segments)
        events.insert(events.end(), segment.result.events.begin(), segment.result.events.end());
      write_report(options, robot, mechanism, q, sink.recorded(events), result.ended_by);
    }
    if (options.json) emit(json_line(to_json(result, options.beside())));
    for (const ChangeRecord& c : result.changes)
      note(fmt::format("t = {:.6g} s: {}: {:.4g} J lost, {:.4g} J brought", c.t, printable(c.what), c.lost,
                       c.kinetic_of_part + c.potential_of_part));
    note(fmt::format("{} samples, energy balance {:.2e} J", done, result.balance));
    for (const Segment& segment : result.segments) note_left_limits(segment.result, segment.joints);
    if (result.ended_by == "interrupted") throw Interrupted(fmt::format("interrupted: {} samples are kept", done));
    const bool stopped = std::any_of(options.events.begin(), options.events.end(), [&](const std::string& text) {
      return text == result.ended_by && text.ends_with(":stop");
    });
    if (!result.complete && !stopped) throw std::domain_error(result.ended_by);
  }
};

void run(const Options& options) {
  require_method(options.formulation, "forward");
  if (!(options.time > 0.0)) throw UsageError("--time must be positive");
  if (options.samples < 2) throw UsageError("--samples must be at least 2: the start and the end");
  SimulationOptions set = settings(options);
  require_companions(options, set);
  options.law.require_companions();
  options.plot.require();
  options.report.require();
  const Robot robot = options.model.load();
  if (robot.dof() == 0) throw UsageError(fmt::format("{} has no moving joints", robot.name));
  const Mechanism mechanism = options.model.mechanism(robot);
  const auto& limited = mechanism.coordinates.limits;
  const auto any = [&](auto has) { return std::any_of(limited.begin(), limited.end(), has); };
  if (options.saturate && !any([](const JointLimits& limits) { return std::isfinite(limits.effort); }))
    throw UsageError(fmt::format("--saturate: no joint of {} has an effort limit", robot.name));
  if (options.stops &&
      !any([](const JointLimits& limits) { return std::isfinite(limits.lower) || std::isfinite(limits.upper); }))
    throw UsageError(fmt::format("--stops: no joint of {} has limits", robot.name));
  const Start typed{position_vector(options.q, "--q", robot, options.deg),
                    joint_vector(options.qd, "--qd", robot, options.deg)};
  std::vector<double> times(options.samples);
  for (std::size_t k = 0; k < times.size(); ++k)
    times[k] = options.time * static_cast<double>(k) / static_cast<double>(times.size() - 1);

  set.proceed = [](double) { return !interrupted(); };
  set.base_motion = options.base.law(options.time);
  if (std::any_of(options.events.begin(), options.events.end(), ChangeEvents::is_change)) {
    options.engine.explain_generic("the robot changes while it moves");
    return ChangingRun{options, robot, mechanism, set, typed, times}();
  }
  const InterruptGuard interrupt;
  Progress progress(times.size());
  std::shared_ptr<ForwardDynamics<double>> call;
  set.forward = [&](const Mechanism& changed) -> ForwardCall {
    call =
        std::make_shared<ForwardDynamics<double>>(options.engine.make(changed, {"forward", options.formulation, ""}));
    return [own = call](auto at, auto speeds, auto tau, auto qdd) { (*own)(at, speeds, tau, qdd); };
  };
  std::optional<Simulation> simulation;
  LawOptions::Made law;
  Start start;
  try {
    std::vector<std::string> frames;
    for (const auto& frame : mechanism.frames) frames.push_back(frame.name);
    set.wrenches = wrenches_of_run(options.wrenches, robot.name, frames);
    law = options.law.make(options.model, robot, mechanism, typed.q, options.time, options.deg);
    start = start_of(options, law.reference, mechanism, typed);
    simulation.emplace(mechanism, law.law, set);
    for (const std::string& text : options.events) simulation->add_event(make_event(text, mechanism));
  } catch (const std::invalid_argument& error) {
    throw UsageError(error.what());
  }
  const std::vector<std::string> joints = coordinate_names(mechanism);
  SampleSink sink(joints, options.beside(), mechanism.coordinates.is_free());
  if (!options.json || !options.output.empty()) sink.write_table(options.output.empty() ? "-" : options.output);
  if (options.plot.given()) sink.write_plot(sample_plot(options.plot, robot, options.beside()));
  if (options.report.given()) sink.record(robot);
  std::uint64_t done = 0;
  SimulationResult result;
  SingularPoses singular(robot);
  try {
    result = simulation->run(start.q, start.qd, times, [&](const Sample& s) {
      sink.add(joints, s);
      singular.look(s.q);
      progress.update(++done);
    });
  } catch (const std::invalid_argument& error) {  // a start beyond a stop
    throw UsageError(std::string("--q: ") + error.what());
  }
  progress.clear();
  sink.finish(robot.name);
  if (options.report.given())
    write_report(options, robot, mechanism, start.q, sink.recorded(result.events), result.ended_by);
  const PathError path_error =
      law.path ? path_error_of(result, mechanism, law.frame, law.path, law.turns) : PathError{};
  const TrackingError error = law.reference ? tracking_error(result, law.reference) : TrackingError{};
  if (options.json) {
    Json out = to_json(result, mechanism, options.beside());
    if (law.reference) out["tracking_error"] = {{"rms", error.rms}, {"largest", error.largest}};
    if (law.path) out["tracking_error"] = to_json(path_error);
    out.update(engine_json(*call));
    emit(json_line(out));
  }
  if (!options.json || isatty(STDERR_FILENO) != 0)
    note(fmt::format("{} samples, {} steps, {} evaluations, energy balance {:.2e} J of {:.4g} J", result.samples.size(),
                     result.steps, result.evaluations, result.balance, result.largest_energy));
  if (law.reference && !options.json)
    note(fmt::format("tracking error {:.4g} rms, at most {:.4g}, rad and m over all joints", error.rms, error.largest));
  if (law.path && !options.json)
    note(fmt::format(
        "tracking error of '{}' {:.4g} m rms, at most {:.4g}{}", printable(mechanism.frames[index(law.frame)].name),
        path_error.place.rms, path_error.place.largest,
        law.turns ? fmt::format("; {:.4g} rad rms, at most {:.4g}", path_error.turn->rms, path_error.turn->largest)
                  : ""));
  note_left_limits(result, joints);
  if (result.ended_by == "interrupted")
    throw Interrupted(fmt::format("interrupted: {} samples are kept", result.samples.size()));
  const bool stopped_by_event = !result.events.empty() && result.ended_by == result.events.back().what;
  if (!result.complete && !stopped_by_event) throw std::domain_error(result.ended_by);
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
      "  catena simulate planar2r --time 2 --event frame:link2:0,-1,0,0.5:stop\n"
      "  catena simulate pelican --time 2 --event \"t=0.5 attach examples/crucible.toml at link2 as revolute\" --json");
  o->model.add_dynamics(*command);
  command
      ->add_option("--q", o->q, "positions at the start; default where the motion that is followed starts, else all 0")
      ->type_name("Q1,Q2,...");
  command->add_option("--qd", o->qd, "speeds at the start; default those of the motion, else all 0")
      ->type_name("V1,V2,...");
  command->add_flag("--deg", o->deg, "revolute joints in degrees; results stay in radians");
  command->add_option("--time", o->time, "how long, s")->required()->type_name("T");
  command->add_option("--samples", o->samples, "samples from 0 to T, both included; default 101")->type_name("N");
  command->add_option("--rtol", o->rtol, "relative tolerance; default 1e-9")->type_name("R");
  command->add_option("--atol", o->atol, "absolute tolerance; default 1e-11")->type_name("A");
  command
      ->add_option("--integrator", o->integrator,
                   fmt::format("{}; default verner", fmt::join(integrator_names(), ", ")))
      ->type_name("NAME");
  command->add_option("--step", o->step, "step of " + integrators_named(true) + ", s; default 1e-3")->type_name("H");
  command->add_option("--max-steps", o->max_steps, "give up after so many; default 10000000")->type_name("N");
  o->law.add(*command);
  o->wrenches.add(*command, true);
  o->base.add(*command, true);
  command
      ->add_option("--event", o->events,
                   std::string("time:T, position:JOINT:X, speed:JOINT:X or frame:NAME:NX,NY,NZ,D, then :stop or not; "
                               "or one that changes the robot, with such a WHEN or t=T: ") +
                       change_forms)
      ->type_name("EVENT");
  command->add_flag("--stops", o->stops, "joint limits are hard stops");
  command->add_flag("--saturate", o->saturate, "drives give no more than the model's effort limits");
  command->add_option("--restitution", o->restitution, "of the stops, 0 to 1; default 0")->type_name("E");
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

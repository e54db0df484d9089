// catena simulate: motion under torques, with events and an account of the energy.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "catena/control/laws.hpp"
#include "catena/control/lqr.hpp"
#include "catena/dynamics/forward_dynamics.hpp"
#include "catena/io/state_table.hpp"
#include "catena/sim/controllers.hpp"
#include "catena/sim/simulation.hpp"
#include "command.hpp"
#include "support/companions.hpp"
#include "support/efforts.hpp"
#include "support/engine.hpp"
#include "support/errors.hpp"
#include "support/frames.hpp"
#include "support/interrupt.hpp"
#include "support/model_options.hpp"
#include "support/numbers.hpp"
#include "support/output.hpp"
#include "support/progress.hpp"
#include "support/weights.hpp"
#include "support/words.hpp"

namespace catena::cli {
namespace simulate_command {

struct Options {
  ModelOptions model;
  std::optional<std::string> q, qd, tau, target, kp, kd, weights, goal;
  double time = 0.0;
  std::optional<double> step, rtol, atol, restitution;
  std::size_t samples = 101;
  std::optional<long> max_steps;
  std::string integrator = "verner", torque = "zero", formulation, output, frame;
  std::vector<std::string> events;
  EngineOption engine;
  bool stops = false, saturate = false, deg = false, json = false;
};

// The torque laws by name, and the options that belong to them.
struct Law {
  enum class Takes { nothing, torques, target, weights, goal };  // weights: of a regulator about the target
  std::string_view name;
  Takes takes;
  TorqueLaw (*track)(const Mechanism&, Gains, Reference) = nullptr;
};
constexpr Law laws[] = {{"zero", Law::Takes::nothing},
                        {"constant", Law::Takes::torques},
                        {"pd", Law::Takes::target, pd_control},
                        {"pd-gravity", Law::Takes::target, pd_gravity_control},
                        {"computed", Law::Takes::target, computed_torque_control},
                        {"lqr", Law::Takes::weights},
                        {"operational", Law::Takes::goal}};

std::string laws_with(std::initializer_list<Law::Takes> takes) {
  std::vector<std::string_view> names;
  for (const Law& law : laws)
    if (std::find(takes.begin(), takes.end(), law.takes) != takes.end()) names.push_back(law.name);
  return fmt::format("{}", fmt::join(names, ", "));
}
std::string all_laws() {
  using enum Law::Takes;
  return laws_with({nothing, torques, target, weights, goal});
}
const Law* law_named(const std::string& name) {
  for (const Law& law : laws)
    if (law.name == name) return &law;
  return nullptr;  // a file, then
}

std::string integrators_named(bool fixed_step) {
  std::vector<std::string_view> names;
  for (const std::string_view name : integrator_names())
    if (has_fixed_step(*integrator_from_name(name)) == fixed_step) names.push_back(name);
  return fmt::format("{}", fmt::join(names, ", "));
}

// Torques that a passive joint cannot be given. `where` is an option or a place in a file.
template <class Error>
void require_undriven(const Mechanism& robot, std::span<const double> tau, const std::string& where) {
  for (std::size_t j = 0; j < tau.size(); ++j)
    if (robot.is_passive(static_cast<int>(j)) && tau[j] != 0.0)
      throw Error(fmt::format("{}: joint '{}' is passive: it has no motor, and its torque must be 0, not {:g}", where,
                              printable(robot.joint_names[j]), tau[j]));
}

TorqueLaw law_from_file(const std::string& path, const Mechanism& robot) {
  TableFormat format;
  format.joints = robot.n();
  format.joint_names = robot.joint_names;
  format.groups = {"tau"};
  std::vector<double> times;
  std::vector<std::vector<double>> rows;
  try {
    TableReader reader(path, format);
    if (reader.carried_header() != "t") throw InputError(path + ":1: a torque table has the columns t, tau1, tau2, …");
    for (TableRow row; reader.next(row);) {
      times.push_back(parse_numbers(row.carried, path).front());
      rows.emplace_back(row.values.begin(), row.values.end());
      require_undriven<InputError>(robot, rows.back(), reader.place());
    }
    return torque_table(std::move(times), std::move(rows));
  } catch (const TableError& error) {
    throw InputError(error.what());
  } catch (const std::invalid_argument& error) {
    throw InputError(path + ": " + error.what());
  }
}

// The regulator of the linearized robot at rest in the target, about the torques that hold it there.
TorqueLaw regulator(const Options& options, const Robot& robot, const Mechanism& mechanism) {
  const std::vector<double> q = joint_vector(options.target, "--target", robot, options.deg), zeros(q.size());
  Linearization linearization(mechanism);
  const StateSpace model = linearization.along(q, zeros, zeros);
  for (std::size_t j = 0; j < q.size(); ++j)
    if (mechanism.is_passive(static_cast<int>(j)) && std::abs(linearization.accelerations()[j]) > 1e-6)
      throw UsageError(
          fmt::format("--target: no equilibrium: passive joint '{}' would accelerate by {:.4g}; 'catena "
                      "equilibrium' finds one",
                      printable(mechanism.joint_names[j]), linearization.accelerations()[j]));
  const Regulator found = lqr(model, cost_of_weights(options.weights.value_or(default_weights), model));
  const std::span<const double> tau = linearization.torques();
  return state_feedback(q, {tau.begin(), tau.end()}, gain_of_all_joints(mechanism, found.K));
}

TorqueLaw make_law(const Options& options, const Robot& robot, const Mechanism& mechanism) {
  const Law* law = law_named(options.torque);
  if (!law) {
    if (options.torque.find('.') == std::string::npos)
      throw UsageError(
          fmt::format("--torque: '{}' is neither a law ({}) nor a CSV file", printable(options.torque), all_laws()));
    return law_from_file(options.torque, mechanism);
  }
  if (law->takes == Law::Takes::nothing) return zero_torque();
  if (law->takes == Law::Takes::torques) {
    std::vector<double> tau = joint_vector(options.tau, "--tau", robot, false);
    require_undriven<UsageError>(mechanism, tau, "--tau");
    return constant_torque(std::move(tau));
  }
  if (law->takes == Law::Takes::weights) return regulator(options, robot, mechanism);
  if (law->takes == Law::Takes::goal)
    return operational_space_control(mechanism, frame_index(mechanism, options.frame),
                                     parse_vec3(*options.goal, "--goal"));
  const Gains gains{parse_numbers(options.kp.value_or("100"), "--kp"),
                    parse_numbers(options.kd.value_or("20"), "--kd")};
  try {
    return law->track(mechanism, gains, hold_at(joint_vector(options.target, "--target", robot, options.deg)));
  } catch (const std::invalid_argument& error) {
    throw UsageError(std::string("--kp, --kd: ") + error.what());
  }
}

// An option without the one that gives it a meaning is a mistake.
void require_companions(const Options& options, const SimulationOptions& set) {
  const auto only = [](bool given, bool meaningful, std::string_view option, const std::string& companion) {
    if (given && !meaningful) throw UsageError(fmt::format("{} goes with {}", option, companion));
  };
  const Law* law = law_named(options.torque);
  const auto takes = [&](Law::Takes what) { return law != nullptr && law->takes == what; };
  const bool fixed = has_fixed_step(set.integrator);
  only(options.tau.has_value(), takes(Law::Takes::torques), "--tau", "--torque " + laws_with({Law::Takes::torques}));
  if (takes(Law::Takes::torques) && !options.tau) throw UsageError("--torque constant needs --tau");
  if (takes(Law::Takes::goal) && !options.goal) throw UsageError("--torque operational needs --goal");
  const std::string operational = "--torque " + laws_with({Law::Takes::goal});
  only(options.goal.has_value(), takes(Law::Takes::goal), "--goal", operational);
  only(!options.frame.empty(), takes(Law::Takes::goal), "--frame", operational);
  only(options.target.has_value(), takes(Law::Takes::target) || takes(Law::Takes::weights), "--target",
       "--torque " + laws_with({Law::Takes::target, Law::Takes::weights}));
  for (const auto& [option, given] : {std::pair{"--kp", options.kp.has_value()}, {"--kd", options.kd.has_value()}})
    only(given, takes(Law::Takes::target), option, "--torque " + laws_with({Law::Takes::target}));
  only(options.weights.has_value(), takes(Law::Takes::weights), "--weights",
       "--torque " + laws_with({Law::Takes::weights}));
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
    const auto found = std::find(robot.joint_names.begin(), robot.joint_names.end(), name);
    if (found == robot.joint_names.end())
      throw UsageError(fmt::format("--event: no joint '{}'{}", printable(name), suggest(name, robot.joint_names)));
    return static_cast<int>(found - robot.joint_names.begin());
  };
  Event event;
  if (parts[0] == "time" && parts.size() == 2) {
    event = at_time(number(parts[1]));
  } else if (parts[0] == "position" && parts.size() == 3) {
    event = at_position(joint(parts[1]), number(parts[2]));
  } else if (parts[0] == "speed" && parts.size() == 3) {
    event = at_speed(joint(parts[1]), number(parts[2]));
  } else if (parts[0] == "frame" && parts.size() == 3) {
    const int frame = robot.frame_index(parts[1]);
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

std::vector<std::string> columns(int joints) {
  std::vector<std::string> names{"t"};
  for (const char* group : {"q", "qd", "tau"})
    for (int j = 1; j <= joints; ++j) names.push_back(fmt::format("{}{}", group, j));
  for (const char* energy : {"kinetic", "potential", "work", "losses"}) names.emplace_back(energy);
  return names;
}

std::vector<double> row(const Sample& s) {
  std::vector<double> values{s.t};
  for (const auto* part : {&s.q, &s.qd, &s.tau}) values.insert(values.end(), part->begin(), part->end());
  values.insert(values.end(), {s.kinetic, s.potential, s.work, s.losses});
  return values;
}

Json to_json(const SimulationResult& result, const Mechanism& robot) {
  Json t = Json::array(), q = t, qd = t, tau = t, energy = t, kinetic = t, potential = t, work = t, losses = t,
       events = t, left = t;
  for (const Sample& s : result.samples) {
    t.push_back(s.t), q.push_back(s.q), qd.push_back(s.qd), tau.push_back(s.tau);
    energy.push_back(s.kinetic + s.potential), kinetic.push_back(s.kinetic), potential.push_back(s.potential);
    work.push_back(s.work), losses.push_back(s.losses);
  }
  for (const LeftLimits& joint : result.left_limits)
    left.push_back({{"joint", robot.joint_names[index(joint.joint)]}, {"t", joint.t}});
  for (const EventRecord& e : result.events) events.push_back({{"t", e.t}, {"what", e.what}});
  return {{"t", t},
          {"q", q},
          {"qd", qd},
          {"tau", tau},
          {"energy", energy},
          {"kinetic", kinetic},
          {"potential", potential},
          {"work", work},
          {"losses", losses},
          {"balance", result.balance},
          {"steps", result.steps},
          {"evaluations", result.evaluations},
          {"events", events},
          {"left_limits", left},
          {"complete", result.complete}};
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
void note_left_limits(const SimulationResult& result, const Mechanism& robot) {
  if (result.left_limits.empty()) return;
  std::vector<std::string> joints;
  for (const LeftLimits& left : result.left_limits)
    joints.push_back(fmt::format("'{}' (t = {:.4g} s)", printable(robot.joint_names[index(left.joint)]), left.t));
  note(fmt::format("catena: beyond its limits: joint {}; --stops makes limits stops", fmt::join(joints, ", ")));
}

void run(const Options& options) {
  require_method(options.formulation, "forward");
  if (!(options.time > 0.0)) throw UsageError("--time must be positive");
  if (options.samples < 2) throw UsageError("--samples must be at least 2: the start and the end");
  SimulationOptions set = settings(options);
  require_companions(options, set);
  const Robot robot = options.model.load();
  if (robot.dof() == 0) throw UsageError(fmt::format("{} has no moving joints", robot.name));
  const Mechanism mechanism = options.model.mechanism(robot);
  const auto any = [&](auto has) { return std::any_of(mechanism.limits.begin(), mechanism.limits.end(), has); };
  if (options.saturate && !any([](const JointLimits& limits) { return std::isfinite(limits.effort); }))
    throw UsageError(fmt::format("--saturate: no joint of {} has an effort limit", robot.name));
  if (options.stops &&
      !any([](const JointLimits& limits) { return std::isfinite(limits.lower) || std::isfinite(limits.upper); }))
    throw UsageError(fmt::format("--stops: no joint of {} has limits", robot.name));
  const std::vector<double> q = joint_vector(options.q, "--q", robot, options.deg);
  const std::vector<double> qd = joint_vector(options.qd, "--qd", robot, options.deg);
  std::vector<double> times(options.samples);
  for (std::size_t k = 0; k < times.size(); ++k)
    times[k] = options.time * static_cast<double>(k) / static_cast<double>(times.size() - 1);

  const InterruptGuard interrupt;
  Progress progress(times.size());
  set.proceed = [](double) { return !interrupted(); };
  std::shared_ptr<ForwardDynamics<double>> call;
  set.forward = [&](const Mechanism& changed) -> ForwardCall {
    call =
        std::make_shared<ForwardDynamics<double>>(options.engine.make(changed, {"forward", options.formulation, ""}));
    return [own = call](auto at, auto speeds, auto tau, auto qdd) { (*own)(at, speeds, tau, qdd); };
  };
  std::optional<Simulation> simulation;
  try {
    simulation.emplace(mechanism, make_law(options, robot, mechanism), set);
    for (const std::string& text : options.events) simulation->add_event(make_event(text, mechanism));
  } catch (const std::invalid_argument& error) {
    throw UsageError(error.what());
  }
  std::optional<TableWriter> table;
  const bool rows_out = !options.json || !options.output.empty();
  if (rows_out) table.emplace(options.output.empty() ? "-" : options.output, columns(mechanism.n()));
  std::uint64_t done = 0;
  SimulationResult result;
  try {
    result = simulation->run(q, qd, times, [&](const Sample& s) {
      if (table) table->write(row(s));
      progress.update(++done);
    });
  } catch (const std::invalid_argument& error) {  // a start beyond a stop
    throw UsageError(std::string("--q: ") + error.what());
  }
  progress.clear();
  if (table) table->finish();
  if (options.json) {
    Json out = to_json(result, mechanism);
    out.update(engine_json(*call));
    emit(json_line(out));
  }
  if (!options.json || isatty(STDERR_FILENO) != 0)
    note(fmt::format("{} samples, {} steps, {} evaluations, energy balance {:.2e} J of {:.4g} J", result.samples.size(),
                     result.steps, result.evaluations, result.balance, result.largest_energy));
  note_left_limits(result, mechanism);
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
      "  catena simulate planar2r --time 2 --event frame:link2:0,-1,0,0.5:stop");
  o->model.add_dynamics(*command);
  command->add_option("--q", o->q, "positions at the start; default all 0")->type_name("Q1,Q2,...");
  command->add_option("--qd", o->qd, "speeds at the start; default all 0")->type_name("V1,V2,...");
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
  command->add_option("--torque", o->torque, all_laws() + ", or a CSV file t,tau1,…")->type_name("LAW");
  command->add_option("--tau", o->tau, "of --torque " + laws_with({Law::Takes::torques}))->type_name("T1,T2,...");
  command
      ->add_option("--target", o->target,
                   "where " + laws_with({Law::Takes::target, Law::Takes::weights}) + " hold the robot; default all 0")
      ->type_name("Q1,Q2,...");
  command->add_option("--kp", o->kp, "gains, one for all or one a joint; default 100")->type_name("K1,...");
  command->add_option("--kd", o->kd, "default 20")->type_name("K1,...");
  command
      ->add_option("--weights", o->weights,
                   fmt::format("of positions, speeds and torques in the cost of lqr; default {}", default_weights))
      ->type_name(weights_form);
  command->add_option("--goal", o->goal, "where operational brings the frame's origin, in the world, m")
      ->type_name("X,Y,Z");
  command->add_option("--frame", o->frame, "of operational; default the model's tool")->type_name("NAME");
  command
      ->add_option("--event", o->events,
                   "time:T, position:JOINT:X, speed:JOINT:X or frame:NAME:NX,NY,NZ,D, then :stop or not")
      ->type_name("EVENT");
  command->add_flag("--stops", o->stops, "joint limits are hard stops");
  command->add_flag("--saturate", o->saturate, "drives give no more than the model's effort limits");
  command->add_option("--restitution", o->restitution, "of the stops, 0 to 1; default 0")->type_name("E");
  goes_with(*command, "--restitution", {"--stops"});
  goes_with(*command, "--deg", {"--q", "--qd", "--target", "--lock"});
  add_method(*command, o->formulation);
  o->engine.add(*command);
  command->add_option("-o,--output", o->output, "where the samples go: CSV, .npy, or - for stdout (default)")
      ->type_name("FILE");
  command->add_flag("--json", o->json, "print one JSON object: t, q, qd, tau, energy, balance, steps, evaluations, …");
  command->callback([o] { run(*o); });
}

}  // namespace catena::cli

// Simulation. The arguments from Python arrive as dictionaries, which catena/_simulation.py builds.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <algorithm>

#include "arrays.hpp"
#include "bindings.hpp"
#include "catena/compile.hpp"
#include "catena/control.hpp"
#include "catena/dynamics.hpp"
#include "catena/kinematics.hpp"
#include "catena/trajectory.hpp"
#include "evaluate.hpp"
#include "law_core.hpp"
#include "simulation.hpp"

namespace catena::python {

std::shared_ptr<nb::object> shared(nb::object object) {
  return {new nb::object(std::move(object)), [](nb::object* kept) {
            const nb::gil_scoped_acquire held;
            delete kept;
          }};
}

namespace {

// --- laws ---

struct TrackingLaw {
  std::string_view name;
  TorqueLaw (*make)(const Mechanism&, Gains, Reference);
};
constexpr TrackingLaw tracking_laws[] = {{"pd", pd_control},
                                         {"pd-gravity", pd_gravity_control},
                                         {"computed", computed_torque_control},
                                         {"feedforward", feedforward_control}};

TorqueLaw python_law(nb::object function, const Raised& raised) {
  return [function = shared(std::move(function)), raised](double t, std::span<const double> q,
                                                          std::span<const double> qd, std::span<double> tau) {
    guarded(raised, [&] {
      const std::vector<double> given =
          numbers((*function)(t, to_array(q), to_array(qd)), "the torque that a Python function gave", tau.size());
      std::copy(given.begin(), given.end(), tau.begin());
    });
  };
}

Reference follow(const Trajectory& motion) {
  return [path = std::make_shared<const Trajectory>(motion)](double t, std::span<double> q, std::span<double> qd,
                                                             std::span<double> qdd) { path->at(t, q, qd, qdd); };
}

Reference reference_of(const nb::dict& law, std::size_t positions) {
  if (law.contains("trajectory")) return follow(nb::cast<const Trajectory&>(law["trajectory"]));
  return hold_at(numbers(law["target"], "target", positions));
}

TorqueLaw regulator(const nb::dict& law, const Loaded& robot, const Start& start) {
  const std::vector<double> weights = numbers(law["weights"], "weights", 3);
  const auto one = [&](std::size_t k) { return std::span<const double>(weights).subspan(k, 1); };
  const auto cost = [&](const StateSpace& model) { return diagonal_cost(model, one(0), one(1), one(2)); };
  const std::size_t n = index(robot.sizes.velocities);
  if (!law.contains("trajectory"))
    return regulated_posture(robot.mechanism, numbers(law["target"], "target", index(robot.sizes.positions)), cost);
  if (robot.mechanism.has_passive)
    throw std::invalid_argument(
        "lqr along a trajectory is for robots all of whose joints have motors; a target holds one");
  return regulated_tracking(robot.mechanism, reference_of(law, n),
                            {0.0, start.time, std::min(0.01, start.time / 100.0)},
                            cost(StateSpace{robot.mechanism.nv(), {}, std::vector<double>(2 * n * n)}));
}

// The poses that a frame is to pass: where it starts, then the goals.
std::vector<Pose<double>> poses_of(const nb::dict& law, const Loaded& robot, int frame, const Start& start) {
  Kinematics<double> kinematics(robot.mechanism);
  kinematics.update(start.q);
  std::vector<Pose<double>> poses{kinematics.pose(frame)};
  const bool turns = nb::cast<bool>(law["turns"]);
  for (const std::vector<double>& goal : rows_of(law["goal"], "goal", turns ? 16 : 3)) {
    Pose<double> pose = poses.front();
    if (turns) {
      pose.R = {goal[0], goal[1], goal[2], goal[4], goal[5], goal[6], goal[8], goal[9], goal[10]};
      pose.p = {goal[3], goal[7], goal[11]};
    } else {
      pose.p = {goal[0], goal[1], goal[2]};
    }
    poses.push_back(pose);
  }
  return poses;
}

// Moves the frame's origin to one goal (operational), or the frame along straight lines through several (resolved).
TorqueLaw law_of_frame(const nb::dict& law, const Loaded& robot, const Start& start) {
  const int named = frame_of(robot.mechanism, nb::cast<std::string>(law["frame"]));
  const int frame = named == tool_frame ? robot.mechanism.tool : named;
  const auto [kp, kd] = std::pair(nb::cast<double>(law["kp"]), nb::cast<double>(law["kd"]));
  if (nb::cast<std::string>(law["law"]) == "operational") {
    const std::vector<double> goal = numbers(law["goal"], "goal", 3);
    return operational_space_control(robot.mechanism, frame, {goal[0], goal[1], goal[2]}, {kp, kd});
  }
  return resolved_acceleration_control(
      robot.mechanism, frame, frame_path(poses_of(law, robot, frame, start), start.time),
      nb::cast<bool>(law["turns"]) ? Directions::all : Directions::translation, {kp, kd});
}

// A law that steps, as SimulationOptions::period asks it.
TorqueLaw stepped_law(const nb::dict& law, const Loaded& robot, const Start& start, const SimulationOptions& options) {
  const auto& core = nb::cast<const LawCore&>(law["core"]);
  LawReference reference;
  if (law.contains("trajectory") || law.contains("target"))
    reference.joints = reference_of(law, index(robot.sizes.positions));
  const int frame = core.controller->options().frame;
  if (law.contains("goal")) reference.frame = frame_path(poses_of(law, robot, frame, start), start.time);
  if (law.contains("force")) {
    const std::vector<double> force = numbers(law["force"], "force", 6);
    std::copy(force.begin(), force.end(), reference.force.begin());
  }
  reference.measured_force = force_exerted(core.robot->mechanism, frame, options.wrenches);
  std::shared_ptr<Controller> controller = core.controller;
  if (law.contains("own")) {  // beside others
    controller = std::make_shared<Controller>(*controller);
    controller->reset();
  }
  return sampled_law(core.robot->mechanism, controller, std::move(reference), options.period);
}

TorqueLaw law_of(const nb::dict& law, const Loaded& robot, const Start& start, const SimulationOptions& options,
                 const Raised& raised) {
  const auto joints = index(robot.sizes.velocities);
  const std::string name = nb::cast<std::string>(law["law"]);
  if (name == "python") return python_law(nb::borrow(law["function"]), raised);
  if (name == "stepped") return stepped_law(law, robot, start, options);
  if (name == "zero") return zero_torque();
  if (name == "constant") return constant_torque(numbers(law["tau"], "torque", joints));
  if (name == "table")
    return torque_table(numbers(law["times"], "torque times"), rows_of(law["tau"], "torque", joints));
  if (name == "lqr") return regulator(law, robot, start);
  if (name == "operational" || name == "resolved") return law_of_frame(law, robot, start);
  std::string known = "zero, lqr, operational, resolved";
  for (const TrackingLaw& candidate : tracking_laws) {
    known += ", " + std::string(candidate.name);
    if (candidate.name == name)
      return candidate.make(robot.mechanism, {numbers(law["kp"], "kp"), numbers(law["kd"], "kd")},
                            reference_of(law, index(robot.sizes.positions)));
  }
  throw std::invalid_argument("there is no torque law '" + name + "'; there are " + known +
                              ", an array of torques, and any Python function of t, q, qd");
}

// --- events ---

Event python_event(nb::object function, const Raised& raised) {
  Event event;
  event.trigger = [function = shared(std::move(function)), raised](double t, std::span<const double> q,
                                                                   std::span<const double> qd) {
    return guarded(raised, [&] { return nb::cast<double>((*function)(t, to_array(q), to_array(qd))); });
  };
  return event;
}

Coordinate joint_named(const Mechanism& robot, nb::handle given) {
  const std::string name = nb::cast<std::string>(given);
  const std::vector<std::string> names = coordinate_names(robot);
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) throw std::invalid_argument("robot '" + robot.name + "' has no joint '" + name + "'");
  return Coordinate(static_cast<int>(found - names.begin()));
}

// Its index in q.
int position_named(const Mechanism& robot, nb::handle given) {
  const Coordinate joint = joint_named(robot, given);
  const auto& coordinates = robot.coordinates;
  if (coordinates.is_free() && joint >= 3 && joint < base_joints)
    throw std::invalid_argument("the turn of a free base is not an angle, and '" + robot.name_of(joint) +
                                "' has no position");
  return static_cast<int>(coordinates.position_of(joint));
}

}  // namespace

Event trigger_of(const nb::dict& given, const Mechanism& robot, const Raised& raised) {
  const std::string kind = nb::cast<std::string>(given["kind"]);
  if (kind == "time") return at_time(nb::cast<double>(given["value"]));
  if (kind == "position") return at_position(position_named(robot, given["joint"]), nb::cast<double>(given["value"]));
  if (kind == "speed") return at_speed(joint_named(robot, given["joint"]), nb::cast<double>(given["value"]));
  if (kind != "frame") return python_event(nb::borrow(given["function"]), raised);
  const int frame = frame_of(robot, nb::cast<std::string>(given["frame"]));
  const std::vector<double> normal = numbers(given["normal"], "normal", 3);
  return frame_enters(robot, frame == tool_frame ? robot.tool : frame, {normal[0], normal[1], normal[2]},
                      nb::cast<double>(given["value"]));
}

namespace {

Event event_of(const nb::dict& given, const Loaded& robot, const Start& start, const SimulationOptions& options,
               const Raised& raised) {
  Event event = trigger_of(given, robot.mechanism, raised);
  if (!given["name"].is_none()) event.name = nb::cast<std::string>(given["name"]);
  if (!given["direction"].is_none()) event.direction = nb::cast<int>(given["direction"]);
  EventEffect effect{.stop = nb::cast<bool>(given["stop"])};
  if (!given["torque"].is_none())
    effect.law = law_of(nb::borrow<nb::dict>(given["torque"]), robot, start, options, raised);
  if (!given["robot"].is_none()) effect.robot = nb::cast<const RobotCore&>(given["robot"]).loaded->mechanism;
  event.effect = [effect](double, std::span<const double>, std::span<const double>) { return effect; };
  return event;
}

// --- the run ---

SimulationOptions options_of(const nb::dict& given, const Loaded& robot, const Raised& raised) {
  SimulationOptions options;
  options.max_steps = nb::cast<long>(given["max_steps"]);
  const std::string name = nb::cast<std::string>(given["integrator"]);
  const std::optional<Integrator> integrator = integrator_from_name(name);
  if (!integrator) {
    std::string known;
    for (const std::string_view n : integrator_names()) known += (known.empty() ? "" : ", ") + std::string(n);
    throw std::invalid_argument("there is no integrator '" + name + "'; there are " + known);
  }
  options.integrator = *integrator;
  options.rtol = nb::cast<double>(given["rtol"]);
  options.atol = nb::cast<double>(given["atol"]);
  options.step = nb::cast<double>(given["step"]);
  options.formulation = nb::cast<std::string>(given["method"]);
  options.stops = nb::cast<bool>(given["stops"]);
  options.restitution = nb::cast<double>(given["restitution"]);
  options.saturate = nb::cast<bool>(given["saturate"]);
  options.period = nb::cast<double>(given["period"]);
  options.wrenches = wrenches_of_run(nb::borrow<nb::list>(given["wrenches"]), robot.mechanism,
                                     nb::cast<bool>(given["changes"]) ? Absent::waits : Absent::refused, raised);
  options.base_motion = base_of_run(nb::borrow<nb::dict>(given["base"]), raised);
  const std::shared_ptr<nb::object> progress = shared(nb::borrow(given["progress"]));
  options.proceed = [raised, progress](double t) {
    try {
      guarded(raised, [&] {
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
        if (!progress->is_none()) (*progress)(t);
      });
    } catch (const std::runtime_error&) {
      return false;
    }
    return true;
  };
  return options;
}

// Forward dynamics on compiled code; where there is none, `why` says so.
std::function<ForwardCall(const Mechanism&)> compiled_forward(const std::string& formulation, bool only_cached,
                                                              const std::shared_ptr<std::string>& why) {
  return [=](const Mechanism& own) -> ForwardCall {
    CompileOptions options;
    options.formulation = formulation;
    options.only_cached = only_cached;
    const auto call = std::make_shared<ForwardDynamics<double>>(compile_or_generic(own, "forward", options));
    if (call->engine().kind != EngineKind::compiled && !only_cached) *why = call->engine().why;
    return [call](auto q, auto qd, auto tau, auto qdd) { (*call)(q, qd, tau, qdd); };
  };
}

}  // namespace

bool depends_on_start(const Given& given) {
  const std::string name = nb::cast<std::string>(given.law["law"]);
  return name == "stepped" || name == "resolved";
}

Setup set_up(const Given& given, const Loaded& moves, const Start& start, const Raised& raised) {
  Setup out{options_of(given.options, moves, raised), {}, {}, std::make_shared<std::string>()};
  const BatchEngine engine = batch_engine(nb::cast<std::string>(given.options["engine"]));
  if (engine != BatchEngine::generic)
    out.options.forward = compiled_forward(out.options.formulation, engine == BatchEngine::automatic, out.not_compiled);
  const nb::object known = nb::borrow(given.options["controller_model"]);
  const std::shared_ptr<const Loaded> model = known.is_none() ? nullptr : at_rest(nb::cast<const RobotCore&>(known));
  const Loaded& knows = model ? *model : moves;
  if (knows.sizes.velocities != moves.sizes.velocities || knows.sizes.positions != moves.sizes.positions)
    throw std::invalid_argument("the controller's model '" + knows.robot.name + "' has other joints than '" +
                                moves.robot.name + "'");
  out.law = law_of(given.law, knows, start, out.options, raised);
  if (nb::cast<bool>(given.options["changes"])) return out;
  for (const nb::handle event : given.events)
    out.events.push_back(event_of(nb::borrow<nb::dict>(event), moves, start, out.options, raised));
  return out;
}

std::shared_ptr<const Loaded> at_rest(const RobotCore& core) {
  if (!core.loaded->mechanism.coordinates.is_moving()) return core.loaded;
  return std::make_shared<const Loaded>(core.loaded->written, false, core.loaded->options);
}

// One entry for each sample.
void add_columns(nb::dict& out, const std::vector<const Sample*>& samples) {
  const std::pair<const char*, double Sample::*> columns[] = {{"t", &Sample::t},
                                                              {"kinetic_energy", &Sample::kinetic},
                                                              {"potential_energy", &Sample::potential},
                                                              {"work", &Sample::work},
                                                              {"losses", &Sample::losses},
                                                              {"external_work", &Sample::external},
                                                              {"base_work", &Sample::base_work}};
  for (const auto& [name, field] : columns) {
    const NewArray made = new_array({samples.size()});
    for (std::size_t k = 0; k < samples.size(); ++k) made.values[k] = samples[k]->*field;
    out[name] = made.object;
  }
  const NewArray turned = new_array({samples.size(), 4});
  for (std::size_t k = 0; k < samples.size(); ++k)
    std::copy_n(samples[k]->base_orientation.begin(), 4, turned.values.begin() + std::ptrdiff_t(4 * k));
  out["base_orientation"] = turned.object;
}

nb::dict result_of(const SimulationResult& run, const Loaded& robot) {
  nb::dict out;
  std::vector<const Sample*> samples;
  for (const Sample& sample : run.samples) samples.push_back(&sample);
  add_columns(out, samples);
  const auto table = [&](const char* name, std::vector<double> Sample::*field, int columns) {
    const NewArray made = new_array({samples.size(), index(columns)});
    auto next = made.values.begin();
    for (const Sample& sample : run.samples) next = std::copy((sample.*field).begin(), (sample.*field).end(), next);
    out[name] = made.object;
  };
  table("q", &Sample::q, robot.sizes.positions);
  table("qd", &Sample::qd, robot.sizes.velocities);
  table("tau", &Sample::tau, robot.sizes.velocities);
  nb::list events;
  for (const EventRecord& event : run.events) events.append(nb::make_tuple(event.t, event.what));
  out["events"] = events;
  out["steps"] = run.steps;
  out["evaluations"] = run.evaluations;
  out["balance"] = run.balance;
  out["complete"] = run.complete;
  out["stopped"] = run.stopped;
  out["ended_by"] = run.ended_by;
  return out;
}

namespace {

// What the law goes by at each sample: q_ref, one row of positions; pose_ref, one pose of the frame, whose index is
// `frame`.
void add_reference(nb::dict& out, const nb::dict& law, const Loaded& robot, const Start& start,
                   const std::vector<Sample>& samples) {
  const std::size_t positions = index(robot.sizes.positions), velocities = index(robot.sizes.velocities);
  if (law.contains("trajectory") || law.contains("target")) {
    const Reference reference = reference_of(law, positions);
    const NewArray made = new_array({samples.size(), positions});
    std::vector<double> qd(velocities), qdd(velocities);
    for (std::size_t k = 0; k < samples.size(); ++k)
      reference(samples[k].t, std::span(made.values).subspan(k * positions, positions), qd, qdd);
    out["q_ref"] = made.object;
  }
  if (!law.contains("goal")) return;
  const bool stepped = nb::cast<std::string>(law["law"]) == "stepped";
  const int named = stepped ? nb::cast<const LawCore&>(law["core"]).controller->options().frame
                            : frame_of(robot.mechanism, nb::cast<std::string>(law["frame"]));
  const int frame = named == tool_frame ? robot.mechanism.tool : named;
  FrameReference path;
  if (law.contains("turns")) {
    path = frame_path(poses_of(law, robot, frame, start), start.time);
  } else {
    const std::vector<double> goal = numbers(law["goal"], "goal", 3);
    path = [goal](double) { return FrameTarget{.pose = {Mat3<double>::identity(), {goal[0], goal[1], goal[2]}}}; };
  }
  const NewArray made = new_array({samples.size(), 4, 4});
  for (std::size_t k = 0; k < samples.size(); ++k) {
    const Pose<double> pose = path(samples[k].t).pose;
    const Mat3<double>& R = pose.R;
    const double rows[] = {R.xx, R.xy, R.xz, pose.p.x, R.yx, R.yy, R.yz, pose.p.y,
                           R.zx, R.zy, R.zz, pose.p.z, 0.0,  0.0,  0.0,  1.0};
    std::copy(std::begin(rows), std::end(rows), made.values.begin() + std::ptrdiff_t(16 * k));
  }
  out["pose_ref"] = made.object;
  out["_frame"] = frame;
  out["_turns"] = stepped ? nb::cast<const LawCore&>(law["core"]).controller->options().directions == Directions::all
                          : law.contains("turns") && nb::cast<bool>(law["turns"]);
}

nb::dict simulate(const RobotCore& core, nb::handle q, nb::handle qd, nb::handle times, const nb::dict& law,
                  const nb::list& events, const nb::dict& options) {
  const std::shared_ptr<const Loaded> robot = at_rest(core);
  const Raised raised = std::make_shared<std::exception_ptr>();
  Start start{numbers(q, "q", index(robot->sizes.positions))};
  question_positions(*robot, start.q, "q");
  const std::vector<double> speed = numbers(qd, "qd", index(robot->sizes.velocities));
  const std::vector<double> at = numbers(times, "times");
  if (!at.empty()) start.time = at.back();
  const Setup set = set_up({law, events, options}, *robot, start, raised);
  Simulation simulation(robot->mechanism, set.law, set.options);
  for (const Event& event : set.events) simulation.add_event(event);
  SimulationResult result;
  {
    const nb::gil_scoped_release others_run;
    result = simulation.run(start.q, speed, at);
  }
  if (*raised) std::rethrow_exception(*raised);
  nb::dict out = result_of(result, *robot);
  const nb::object known = nb::borrow(options["controller_model"]);
  add_reference(out, law, known.is_none() ? *robot : *at_rest(nb::cast<const RobotCore&>(known)), start,
                result.samples);
  out["not_compiled"] = *set.not_compiled;
  return out;
}

}  // namespace

void bind_simulation(nb::module_& module) {
  module.def("simulate", &simulate);
  module.def("simulate_changing", &simulate_changing);
  module.def("simulate_many", &simulate_many);
  module.def("integrators", [] {
    nb::list names;
    for (const std::string_view name : integrator_names()) names.append(std::string(name));
    return names;
  });
}

}  // namespace catena::python

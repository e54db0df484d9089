#include "options/torque_laws.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <utility>

#include "catena/control.hpp"
#include "catena/kinematics.hpp"
#include "catena/tables.hpp"
#include "command.hpp"
#include "options/companions.hpp"
#include "options/frames.hpp"
#include "options/numbers.hpp"
#include "options/targets.hpp"
#include "options/weights.hpp"
#include "output/motion_table.hpp"
#include "terminal/errors.hpp"

namespace catena::cli {
namespace {

// The torque laws by name, and the options that belong to them.
enum class Takes { nothing, torques, target, weights, goal, path };  // weights: for a regulator about the target
struct Law {
  std::string_view name;
  Takes takes;
  TorqueLaw (*track)(const Mechanism&, Gains, Reference) = nullptr;
};
constexpr Law laws[] = {{"zero", Takes::nothing},
                        {"constant", Takes::torques},
                        {"pd", Takes::target, pd_control},
                        {"pd-gravity", Takes::target, pd_gravity_control},
                        {"computed", Takes::target, computed_torque_control},
                        {"feedforward", Takes::target, feedforward_control},
                        {"lqr", Takes::weights},
                        {"operational", Takes::goal},
                        {"resolved", Takes::path}};

std::string laws_with(std::initializer_list<Takes> takes) {
  std::vector<std::string_view> names;
  for (const Law& law : laws)
    if (std::find(takes.begin(), takes.end(), law.takes) != takes.end()) names.push_back(law.name);
  return fmt::format("{}", fmt::join(names, ", "));
}
std::string all_laws() {
  using enum Takes;
  std::string names = laws_with({nothing, torques, target, weights, goal, path});
  for (const std::string& name : stepped_law_names())
    if (std::none_of(std::begin(laws), std::end(laws), [&](const Law& law) { return law.name == name; }))
      names += ", " + name;
  return names;
}
std::string with_frame() { return laws_with({Takes::goal, Takes::path}); }
std::vector<std::string> law_names() {
  std::vector<std::string> names;
  for (const Law& law : laws) names.emplace_back(law.name);
  for (const std::string& name : stepped_law_names()) names.push_back(name);
  return names;
}
const Law* law_named(const std::string& name) {
  for (const Law& law : laws)
    if (law.name == name) return &law;
  return nullptr;  // then it is a file
}

// Refuses torques at passive joints. `where` is an option or a place in a file.
template <class Error>
void require_undriven(const Mechanism& robot, std::span<const double> tau, const std::string& where) {
  for (std::size_t j = 0; j < tau.size(); ++j)
    if (robot.is_passive(Coordinate(j)) && tau[j] != 0.0)
      throw Error(fmt::format("{}: joint '{}' is passive: it has no motor, so its torque must be 0, not {:g}", where,
                              printable(robot.name_of(Coordinate(j))), tau[j]));
}

TorqueLaw law_from_file(const std::string& path, const Robot& robot, const Mechanism& mechanism) {
  std::vector<double> times;
  std::vector<std::vector<double>> rows;
  try {
    MotionTable table(path, robot, mechanism, {Input::tau}, false, std::nullopt);
    for (MotionTable::Row row; table.next(row);) {
      times.push_back(row.t);
      rows.emplace_back(row.inputs[0].begin(), row.inputs[0].end());
      require_undriven<InputError>(mechanism, rows.back(), table.reader().place());
    }
    return torque_table(std::move(times), std::move(rows));
  } catch (const TableError& error) {
    throw InputError(error.what());
  } catch (const std::invalid_argument& error) {
    throw InputError(path + ": " + error.what());
  }
}

// The planned motion as a reference; before and after it the robot is at rest.
Reference follow(const Trajectory& motion) {
  return [path = std::make_shared<const Trajectory>(motion)](double t, std::span<double> q, std::span<double> qd,
                                                             std::span<double> qdd) {
    path->at(std::clamp(t, path->start(), path->end()), q, qd, qdd);
    if (t >= path->start() && t <= path->end()) return;
    std::fill(qd.begin(), qd.end(), 0.0);
    std::fill(qdd.begin(), qdd.end(), 0.0);
  };
}

TorqueLaw regulator_at(const std::vector<double>& q, const std::string& weights, const Mechanism& robot) {
  try {
    return regulated_posture(robot, q, [&](const StateSpace& model) { return cost_of_weights(weights, model); });
  } catch (const std::invalid_argument& error) {
    throw UsageError(fmt::format("--target: {}; 'catena equilibrium' finds one", printable(error.what())));
  }
}

constexpr const char* motion_options[] = {"--profile", "--times", "--accelerations", "--time-optimal"};

}  // namespace

MotionFile motion_from_file(const std::string& path, const Robot& robot, const Mechanism& mechanism, bool degrees,
                            std::optional<double> rate) {
  std::vector<MotionRow> rows;
  try {
    MotionTable table(path, robot, mechanism, {Input::q, Input::qd, Input::qdd}, degrees, rate);
    for (MotionTable::Row row; table.next(row);) {
      const auto list = [&](std::size_t k) { return std::vector<double>(row.inputs[k].begin(), row.inputs[k].end()); };
      rows.push_back({row.t, list(0), list(1), list(2)});
    }
    const double start = rows.empty() ? 0.0 : rows.front().t, end = rows.empty() ? 0.0 : rows.back().t;
    return {reference_table(std::move(rows)), start, end};
  } catch (const TableError& error) {
    throw InputError(error.what());
  } catch (const std::invalid_argument& error) {
    throw InputError(path + ": " + error.what());
  }
}

void LawOptions::add(CLI::App& command) {
  const std::string following = laws_with({Takes::target, Takes::weights});
  command.add_option("--torque", law, all_laws() + ", or a CSV file t,tau1,…")->type_name("LAW");
  command.add_option("--tau", tau, "of --torque " + laws_with({Takes::torques}))->type_name("T1,T2,...");
  command.add_option("--target", target, "where " + following + " hold the robot; default all 0")
      ->type_name("Q1,Q2,...");
  command
      .add_option("--trajectory", trajectory,
                  "the motion to follow instead: CSV (t,q1,…,qd1,…,qdd1,…), .npz, or .npy with --rate")
      ->type_name("FILE");
  motion.add_path(command);
  command.add_option("--rate", motion.rate, "rows per second, for a --trajectory without a column t")->type_name("HZ");
  command.add_option("--kp", kp, "gains, one for all or one per joint; default 100")->type_name("K1,...");
  command.add_option("--kd", kd, "default 20")->type_name("K1,...");
  command
      .add_option(
          "--weights", weights,
          fmt::format("weights of positions, speeds and torques in the cost of lqr; default {}", default_weights))
      ->type_name(weights_form);
  command
      .add_option("--goal", goal,
                  "where operational brings the frame's origin, seen from the base, m; resolved moves it along "
                  "straight lines through these points in equal times, and turns it if angles are given")
      ->type_name("X,Y,Z[,ROLL,PITCH,YAW][;...]");
  command.add_option("--frame", frame, "of " + with_frame() + "; default the model's tool")->type_name("NAME");
  command
      .add_option("--controller-model", controller_model,
                  "the robot that the law assumes, if it differs from the one that moves: name or file")
      ->type_name("MODEL");
  stepped.add_gains(command, "--torque");
  stepped.add_run(command);
  for (const char* option : motion_options) goes_with(command, option, {"--to", "--via"});
  goes_with(command, "--rate", {"--trajectory"});
}

void LawOptions::require_companions() const {
  const auto goes_only_with = [](bool given, bool meaningful, std::string_view option, const std::string& companion) {
    if (given && !meaningful) throw UsageError(fmt::format("{} goes with {}", option, companion));
  };
  if (const LawInfo* step = steps()) return require_stepped_companions(*step);
  const std::string stepping = fmt::format("a --torque that steps: {} (with --period those that need not)",
                                           fmt::join(stepped_law_names(), ", "));
  goes_only_with(stepped.force.has_value(), false, "--force", "--torque hybrid");
  goes_only_with(!stepped.gains.empty(), false, "--gain", stepping);
  goes_only_with(stepped.directions.has_value(), false, "--directions", stepping);
  const Law* own = law_named(law);
  const auto takes = [&](Takes what) { return own != nullptr && own->takes == what; };
  const bool follows = takes(Takes::target) || takes(Takes::weights);
  const std::string following = "--torque " + laws_with({Takes::target, Takes::weights});
  const std::string moves_frame = "--torque " + with_frame();
  const bool of_frame = takes(Takes::goal) || takes(Takes::path);
  goes_only_with(tau.has_value(), takes(Takes::torques), "--tau", "--torque " + laws_with({Takes::torques}));
  if (takes(Takes::torques) && !tau) throw UsageError("--torque constant needs --tau");
  if (of_frame && !goal) throw UsageError(fmt::format("--torque {} needs --goal", own->name));
  goes_only_with(goal.has_value(), of_frame, "--goal", moves_frame);
  goes_only_with(!frame.empty(), of_frame, "--frame", moves_frame);
  goes_only_with(target.has_value(), follows, "--target", following);
  goes_only_with(!trajectory.empty(), follows, "--trajectory", following);
  for (const auto& [option, given] : {std::pair{"--from", motion.from.has_value()},
                                      {"--to", motion.to.has_value()},
                                      {"--via", motion.via.has_value()}})
    goes_only_with(given, follows, option, following);
  if (int(target.has_value()) + int(!trajectory.empty()) + int(motion.given()) > 1)
    throw UsageError("give one of --target, --trajectory and --to or --via");
  for (const auto& [option, given] : {std::pair{"--kp", kp.has_value()}, {"--kd", kd.has_value()}})
    goes_only_with(given, takes(Takes::target) || takes(Takes::path), option,
                   "--torque " + laws_with({Takes::target, Takes::path}));
  goes_only_with(weights.has_value(), takes(Takes::weights), "--weights", "--torque " + laws_with({Takes::weights}));
  goes_only_with(!controller_model.empty(), own != nullptr && own->takes > Takes::torques, "--controller-model",
                 "--torque " + laws_with({Takes::target, Takes::weights, Takes::goal, Takes::path}));
}

const LawInfo* LawOptions::steps() const {
  const LawInfo* own = stepped_law(law);
  return own != nullptr && (law_named(law) == nullptr || stepped.period) ? own : nullptr;
}

void LawOptions::require_stepped_companions(const LawInfo& own) const {
  using Follows = LawInfo::Follows;
  const bool joints = own.follows != Follows::frame, of_frame = own.follows != Follows::joints;
  const auto refuse = [&](bool given, const char* option) {
    if (given) throw UsageError(fmt::format("{} does not go with --torque {}", option, own.name));
  };
  refuse(tau.has_value(), "--tau");
  refuse(goal && !of_frame, "--goal");
  refuse(!frame.empty() && !own.takes_frame, "--frame");
  refuse(stepped.directions && !of_frame, "--directions");
  refuse(stepped.force && !own.takes_force, "--force");
  refuse(target && !joints, "--target");
  refuse(!trajectory.empty() && !joints, "--trajectory");
  refuse(motion.given() && !joints, "--to, --via");
  refuse(weights && !own.takes_schedule, "--weights");
  for (const auto& [option, given] : {std::pair{"--kp", kp.has_value()}, {"--kd", kd.has_value()}})
    if (given)
      throw UsageError(fmt::format("{}: --torque {} steps, and takes --gain {}=…", option, own.name, option + 2));
  if (int(target.has_value()) + int(!trajectory.empty()) + int(motion.given()) > 1)
    throw UsageError("give one of --target, --trajectory and --to or --via");
  if (stepped.period && !(*stepped.period > 0.0)) throw UsageError("--period must be positive");
}

Reference LawOptions::reference(const Robot& robot, const Mechanism& mechanism, double time, bool degrees) const {
  if (!trajectory.empty()) return motion_from_file(trajectory, robot, mechanism, degrees, motion.rate).reference;
  if (!motion.given()) return hold_at(position_vector(target, "--target", robot, degrees));
  MotionOptions timed = motion;
  if (!timed.times && !timed.accelerations && !timed.speeds && !timed.time_optimal) timed.time = time;
  return follow(timed.make(robot, mechanism, degrees));
}

// Resolved acceleration along straight lines from the frame's start through the goals, coming to rest at each.
LawOptions::Made LawOptions::follow_path(const Mechanism& known, std::span<const double> start, double time,
                                         bool degrees) const {
  const int moved = frame_index(known, frame);
  const Targets goals = parse_targets(*goal, "--goal", degrees);
  Kinematics<double> kinematics(known);
  kinematics.update(start);
  std::vector<Pose<double>> poses{kinematics.pose(moved)};
  poses.insert(poses.end(), goals.poses.begin(), goals.poses.end());
  const FrameReference path = frame_path(std::move(poses), time);
  const auto gain = [](const std::optional<std::string>& text, const char* option, double standard) {
    if (!text) return standard;
    const std::vector<double> numbers = parse_numbers(*text, option);
    if (numbers.size() != 1)
      throw UsageError(fmt::format("{}: --torque resolved takes one for all directions", option));
    return numbers.front();
  };
  const OperationalGains gains{gain(kp, "--kp", 100.0), gain(kd, "--kd", 20.0)};
  const Directions directions = goals.aim == Aim::pose ? Directions::all : Directions::translation;
  return {
      resolved_acceleration_control(known, moved, path, directions, gains), {}, path, moved, goals.aim == Aim::pose};
}

LawOptions::Made LawOptions::make_stepped(const LawInfo& own, const Robot& robot, const Mechanism& known,
                                          std::span<const double> start, double time, bool degrees,
                                          const Wrenches& wrenches) const {
  Made made;
  made.period = stepped.period.value_or(1e-3);
  LawReference follows;
  std::optional<Targets> goals;
  if (goal) goals = parse_targets(*goal, "--goal", degrees);
  const bool turns = goals ? goals->aim == Aim::pose : known.nv() >= 6;
  catena::LawOptions options = stepped.options(law, known, frame, turns ? Directions::all : Directions::translation);
  if (own.follows != LawInfo::Follows::frame) follows.joints = made.reference = reference(robot, known, time, degrees);
  if (own.follows != LawInfo::Follows::joints) {
    Kinematics<double> kinematics(known);
    kinematics.update(start);
    std::vector<Pose<double>> poses{kinematics.pose(options.frame)};
    if (goals) poses.insert(poses.end(), goals->poses.begin(), goals->poses.end());
    if (goals && goals->aim != Aim::pose)  // points: the frame stays turned as it is
      for (Pose<double>& pose : poses) pose.R = poses.front().R;
    if (poses.size() == 1) poses.push_back(poses.front());
    follows.frame = made.path = frame_path(std::move(poses), time);
    made.frame = options.frame, made.turns = options.directions == Directions::all;
    made.beside.joints = std::exchange(made.reference, {});
  }
  if (own.takes_schedule) {
    require_fixed_base(known, "feedback along a motion does");
    if (known.has_passive)
      throw UsageError(
          "--torque lqr --period is for robots all of whose joints have motors; without --period --target holds one");
    const QuadraticCost cost =
        cost_of_weights(weights.value_or(default_weights),
                        StateSpace{known.nv(), {}, std::vector<double>(2 * index(known.nv()) * index(known.nv()))});
    options.schedule = regulated_gains(known, follows.joints, {0.0, time, std::min(0.01, time / 100.0)}, cost);
  }
  if (stepped.force) {
    const std::vector<double> numbers = parse_numbers(*stepped.force, "--force");
    if (numbers.size() != 3 && numbers.size() != 6) throw UsageError("--force needs 3 or 6 numbers");
    std::copy(numbers.begin(), numbers.end(), follows.force.begin());
  }
  follows.measured_force = force_exerted(known, options.frame, wrenches);
  try {
    made.law = sampled_law(known, std::make_shared<Controller>(known, options), std::move(follows), made.period);
  } catch (const std::invalid_argument& error) {
    throw UsageError(fmt::format("--torque {}: {}", law, error.what()));
  }
  return made;
}

LawOptions::Made LawOptions::make(const ModelOptions& model, const Robot& robot, const Mechanism& mechanism,
                                  std::span<const double> start, double time, bool degrees,
                                  const Wrenches& wrenches) const {
  if (const LawInfo* step = steps())
    return make_stepped(
        *step, robot,
        controller_model.empty() ? mechanism : model.beside(controller_model, "--controller-model", robot), start, time,
        degrees, wrenches);
  const Law* own = law_named(law);
  if (!own) {
    if (law.find('.') == std::string::npos)
      throw UsageError(
          fmt::format("--torque: '{}' is neither a law nor a CSV file{}", printable(law), suggest(law, law_names())));
    return {law_from_file(law, robot, mechanism), {}};
  }
  if (own->takes == Takes::nothing) return {zero_torque(), {}};
  if (own->takes == Takes::torques) {
    std::vector<double> constant = joint_vector(tau, "--tau", robot, false);
    require_undriven<UsageError>(mechanism, constant, "--tau");
    return {constant_torque(std::move(constant)), {}};
  }
  const Mechanism known =
      controller_model.empty() ? mechanism : model.beside(controller_model, "--controller-model", robot);
  if (own->takes == Takes::goal) {
    const int moved = frame_index(known, frame);
    const Vec3<double> point = parse_vec3(*goal, "--goal");
    Made made{operational_space_control(known, moved, point)};
    made.frame = moved;
    made.beside.frame = [point](double) { return FrameTarget{.pose = {Mat3<double>::identity(), point}}; };
    return made;
  }
  if (own->takes == Takes::path) return follow_path(known, start, time, degrees);
  const Reference wanted = reference(robot, mechanism, time, degrees);
  if (own->takes == Takes::weights) {
    require_fixed_base(known, "state-space models do");
    const std::string typed = weights.value_or(default_weights);
    if (!moves()) return {regulator_at(position_vector(target, "--target", robot, degrees), typed, known), wanted};
    if (known.has_passive)
      throw UsageError("--torque lqr along a motion is for robots all of whose joints have motors; --target holds one");
    const QuadraticCost cost = cost_of_weights(
        typed, StateSpace{known.nv(), {}, std::vector<double>(2 * index(known.nv()) * index(known.nv()))});
    return {regulated_tracking(known, wanted, {0.0, time, std::min(0.01, time / 100.0)}, cost), wanted};
  }
  const Gains gains{parse_numbers(kp.value_or("100"), "--kp"), parse_numbers(kd.value_or("20"), "--kd")};
  try {
    return {own->track(known, gains, wanted), wanted};
  } catch (const std::invalid_argument& error) {
    throw UsageError(std::string("--kp, --kd: ") + error.what());
  }
}

}  // namespace catena::cli

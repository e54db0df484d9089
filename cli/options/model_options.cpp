#include "options/model_options.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>
#include <random>

#include "catena/changes.hpp"
#include "catena/dynamics.hpp"
#include "catena/math/quaternion.hpp"
#include "io/formats.hpp"
#include "model/free_base.hpp"
#include "model/places.hpp"
#include "options/numbers.hpp"
#include "terminal/errors.hpp"
#include "terminal/words.hpp"

namespace catena::cli {
namespace {

// Random motions within the joint limits, the same on every run and every machine.
class RandomMotion {
 public:
  explicit RandomMotion(const Mechanism& robot) : robot_(robot) {}

  double between(double lower, double upper) {
    const double unit = static_cast<double>(generator_() >> 11) * 0x1p-53;
    return lower + unit * (upper - lower);
  }
  void draw(std::vector<double>& q, std::vector<double>& qd, std::vector<double>& qdd) {
    for (const Coordinate c : robot_.coordinates.all()) {
      const JointLimits& limits = robot_.limits(c);
      const bool bounded = std::isfinite(limits.lower) && std::isfinite(limits.upper) && limits.lower < limits.upper;
      q[robot_.coordinates.position_of(c)] =
          bounded ? between(limits.lower, limits.upper) : between(-std::numbers::pi, std::numbers::pi);
      qd[index(c)] = between(-1.0, 1.0);
      qdd[index(c)] = between(-1.0, 1.0);
    }
    if (!robot_.coordinates.is_free()) return;
    q[3] = between(-1.0, 1.0);
    normalize_quaternion(&q[3]);
  }

 private:
  const Mechanism& robot_;
  std::mt19937_64 generator_{20240229};
};

constexpr int motions = 32;

}  // namespace

// Warnings of one kind are merged into one line.
void warn(const std::vector<Warning>& warnings) {
  constexpr std::ptrdiff_t many = 10;
  std::vector<std::string_view> said;
  for (const Warning& warning : warnings) {
    const auto like_it = [&](const Warning& other) { return other.kind == warning.kind; };
    if (std::count_if(warnings.begin(), warnings.end(), like_it) < many) {
      note(warning.text);
      continue;
    }
    if (std::find(said.begin(), said.end(), warning.kind) != said.end()) continue;
    said.push_back(warning.kind);
    std::vector<std::string> others;
    for (const Warning& other : warnings)
      if (like_it(other) && &other != &warning) others.push_back(other.who);
    note(fmt::format("{} … and {} more like it: {}", warning.text, others.size(), fmt::join(others, ", ")));
  }
}

double torque_change(const Mechanism& exact, const Mechanism& snapped) {
  const auto n = static_cast<std::size_t>(exact.nv());
  std::vector<double> q(index(exact.nq())), qd(n), qdd(n), reference(n), tau(n);
  InverseDynamics<double> exact_dynamics(exact), snapped_dynamics(snapped);
  RandomMotion random(exact);
  double worst = 0.0;
  for (int k = 0; k < motions; ++k) {
    random.draw(q, qd, qdd);
    exact_dynamics(q, qd, qdd, reference);
    snapped_dynamics(q, qd, qdd, tau);
    double change = 0.0, largest = 0.0;
    for (std::size_t j = 0; j < n; ++j) {
      change = std::max(change, std::abs(tau[j] - reference[j]));
      largest = std::max(largest, std::abs(reference[j]));
    }
    if (largest > 0.0) worst = std::max(worst, change / largest);
  }
  return worst;
}

namespace {

void refuse_warnings(const Robot& robot) {
  constexpr std::string_view mark = "warning: ";
  std::string lines;
  for (const Warning& warning : robot.warnings) {
    std::string line = warning.text;
    if (const std::size_t at = line.find(mark); at != std::string::npos) line.erase(at, mark.size());
    lines += (lines.empty() ? "" : "\n") + line;
  }
  if (!lines.empty()) throw ModelError(lines);
}

// --lock elbow=0.5,wrist=1
Robot locked(const Robot& robot, const std::vector<std::string>& texts, bool degrees) {
  std::vector<JointValue> locks;
  std::vector<std::string> names;  // coupled joints too: they may be held in another position
  const std::vector<int> all = robot.tree_joints();
  for (const int j : all) names.push_back(robot.joints[index(j)].name);
  for (const std::string& text : texts)
    for (const NamedNumber& lock : parse_named(text, "--lock")) {
      const int joint = robot.joint_index(lock.name);
      if (joint >= 0 && robot.joints[static_cast<std::size_t>(joint)].type == JointType::fixed)
        throw UsageError(fmt::format("--lock: joint '{}' is fixed already", printable(lock.name)));
      const std::size_t q = joint_position(lock.name, "--lock", names);
      if (std::any_of(locks.begin(), locks.end(), [&](const JointValue& l) { return l.joint == lock.name; }))
        throw UsageError(fmt::format("--lock: joint '{}' is there twice", printable(lock.name)));
      locks.push_back({lock.name, lock.value * joint_unit(robot.joints[static_cast<std::size_t>(all[q])], degrees)});
    }
  Robot out = lock_joints(robot, locks);
  if (out.dof() == 0) throw UsageError(fmt::format("--lock: no joint of {} is left to move", printable(robot.name)));
  return out;
}

// --assembly coupler=-0.5,rocker=1.6
Robot assembled(Robot robot, std::string_view text, bool degrees) {
  if (text.starts_with("near ")) text.remove_prefix(5);
  if (robot.loops.empty()) throw UsageError(fmt::format("--assembly: {} has no closed loop", printable(robot.name)));
  std::vector<std::string> names;
  const std::vector<int> all = robot.tree_joints();
  for (const int j : all) names.push_back(robot.joints[static_cast<std::size_t>(j)].name);
  for (const NamedNumber& part : parse_named(std::string(text), "--assembly")) {
    const std::size_t q = joint_position(part.name, "--assembly", names);
    robot.start[part.name] = part.value * joint_unit(robot.joints[static_cast<std::size_t>(all[q])], degrees);
  }
  close_again(robot);
  return robot;
}

std::vector<std::string> link_names(const Robot& robot) {
  std::vector<std::string> names;
  for (const LinkDescription& link : robot.links) names.push_back(link.name);
  return names;
}

// FRAME:mass,cx,cy,cz[,ixx,iyy,izz[,ixy,ixz,iyz]]. A frame's name may contain a colon, the numbers may not.
Robot loaded(const Robot& robot, const std::string& text) {
  constexpr const char* form = "FRAME:mass,cx,cy,cz[,ixx,iyy,izz[,ixy,ixz,iyz]]";
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos) throw UsageError(fmt::format("--payload '{}': write {}", printable(text), form));
  const std::string frame = frame_to_hang_on(robot, text.substr(0, colon), "--payload");
  std::vector<double> v = parse_numbers(std::string_view(text).substr(colon + 1), "--payload");
  if (v.size() != 4 && v.size() != 7 && v.size() != 10)
    throw UsageError(fmt::format("--payload '{}' has {} numbers; write {}", printable(text), v.size(), form));
  v.resize(10);
  try {
    return add_payload(robot, frame, {v[0], {v[1], v[2], v[3]}, {v[4], v[5], v[6], v[7], v[8], v[9]}});
  } catch (const ModelError& error) {
    throw UsageError(fmt::format("--payload '{}': {}", printable(text), error.what()));
  }
}

// --friction elbow:0.5,1.2. A joint's name may contain a colon, the numbers may not.
void rub(Robot& robot, const std::string& text) {
  constexpr const char* form = "JOINT:viscous[,dry[,stribeck,speed]]";
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos) throw UsageError(fmt::format("--friction '{}': write {}", printable(text), form));
  std::vector<std::string> names;  // coupled joints too: each has friction of its own
  const std::vector<int> all = robot.tree_joints();
  for (const int j : all) names.push_back(robot.joints[index(j)].name);
  const std::size_t k = joint_position(text.substr(0, colon), "--friction", names);
  const std::vector<double> v = parse_numbers(std::string_view(text).substr(colon + 1), "--friction");
  if (v.empty() || v.size() == 3 || v.size() > 4 || std::any_of(v.begin(), v.end(), [](double x) { return x < 0.0; }))
    throw UsageError(fmt::format("--friction '{}': write {}, each 0 or more", printable(text), form));
  JointDrive& drive = robot.joints[index(all[k])].drive;
  drive.viscous = v[0];
  drive.coulomb = v.size() > 1 ? v[1] : 0.0;
  drive.stribeck = v.size() > 2 ? v[2] : 0.0;
  drive.stribeck_speed = v.size() > 2 ? v[3] : 0.0;
}

// --floating-base
Robot freed(Robot robot) {
  try {
    return on_free_base(std::move(robot));
  } catch (const ModelError& error) {
    throw UsageError(fmt::format("--floating-base: {}", error.what()));
  }
}

// --passive pivot,swing
void take_motors(Robot& robot, const std::string& text) {
  const std::vector<std::string> names = joint_names(robot);
  for (const std::string& name : split(text, ',')) {
    const int joint = robot.joint_index(name);
    if (joint >= 0 && !robot.joints[index(joint)].moves())
      throw UsageError(
          fmt::format("--passive: joint '{}' is fixed; only a joint that moves can be passive", printable(name)));
    if (joint >= 0 && robot.joints[index(joint)].is_coupled())
      throw UsageError(fmt::format("--passive: {}; only a joint that moves by itself can be passive",
                                   coupled_words(robot.joints[index(joint)])));
    robot.joints[index(robot.moving_joints()[joint_position(name, "--passive", names)])].passive = true;
  }
}

// --only crucible,ladle
Robot only(const Robot& robot, const std::vector<std::string>& texts) {
  std::vector<std::string> kept;
  for (const std::string& text : texts)
    for (const std::string& name : split(text, ',')) {
      require_link(robot, name, "--only");
      if (std::find(kept.begin(), kept.end(), name) != kept.end())
        throw UsageError(fmt::format("--only: link '{}' is there twice", printable(name)));
      kept.push_back(name);
    }
  return only_links(robot, kept);
}

// The links that do not move relative to the base.
std::vector<bool> fixed_links(const Robot& robot) {
  std::vector<bool> fixed(robot.links.size(), false);
  fixed[index(robot.root())] = true;
  for (const int j : robot.joints_outward()) {
    const JointDescription& joint = robot.joints[index(j)];
    if (!joint.moves()) fixed[index(joint.child)] = fixed[index(joint.parent)];
  }
  return fixed;
}

// Reports links with mass that have become fixed to the base.
void tell_locked(const std::vector<bool>& before, const Robot& robot) {
  const std::vector<bool> now = fixed_links(robot);
  std::vector<std::string> links;
  for (std::size_t k = 0; k < now.size(); ++k)
    if (const double mass = robot.links[k].inertial.mass; now[k] && mass > 0.0 && !(k < before.size() && before[k]))
      links.push_back(fmt::format("'{}' ({:.6g} kg)", printable(robot.links[k].name), mass));
  if (links.empty()) return;
  note(fmt::format(
      "catena: note: {} {} locked to the base: energies, momentum and mass are those of the links that move",
      fmt::join(links, ", "), links.size() == 1 ? "is" : "are"));
}

}  // namespace

int require_link(const Robot& robot, const std::string& name, std::string_view option) {
  if (const int k = robot.link_index(name); k >= 0) return k;
  throw UsageError(fmt::format("{}: {} has no link '{}'{}", option, printable(robot.name), printable(name),
                               suggest(name, link_names(robot))));
}

std::string frame_to_hang_on(const Robot& robot, const std::string& name, std::string_view option) {
  std::vector<std::string> names = link_names(robot);
  for (const FrameDescription& frame : robot.frames) names.push_back(frame.name);
  if (std::find(names.begin(), names.end(), name) != names.end()) return name;
  if (name == "tool") return robot.tool_name();
  throw UsageError(fmt::format("{}: {} has no link or frame '{}'{}", option, printable(robot.name), printable(name),
                               suggest(name, names)));
}

std::string model_label(const std::string& model) { return model == "-" ? "<stdin>" : model; }

void require_model_output(const std::string& path, bool force) {
  if (io::format_to_write(path) == nullptr)
    throw UsageError(
        fmt::format("-o {}: the name must end in {}", printable(path), io::endings_in_words(io::Use::writing)));
  require_new(path, force);
}

void require_new(const std::string& path, bool force) {
  if (!force && std::filesystem::exists(path))
    throw UsageError(fmt::format("{} exists; --force replaces it", printable(path)));
}

void claim_standard_input(const std::string& who) {
  static std::string owner;
  if (!owner.empty())
    throw UsageError(fmt::format("{} and {} would both read standard input; give one of them a file", owner, who));
  owner = who;
}

void ModelOptions::add_changes(CLI::App& command) {
  command_ = &command;
  command.add_flag("--strict", strict(), "treat warnings about the model, and doubts about units, as errors");
  command.add_flag(
      "--lenient", lenient,
      "warn of what is wrong or not understood: an inertia that no body can have is taken as written, and what an MJCF "
      "or SDF file says beyond docs/robot-files.md is left out");
  command
      .add_option("--xacro", xacro,
                  "an argument of a .xacro file, which the program xacro (pip install xacro) expands; repeatable")
      ->type_name("NAME:=VALUE")
      ->allow_extra_args(false);
  command
      .add_option(
          "--package-path", package_path,
          "a folder with ROS packages, for $(find NAME) and package://NAME, beside ROS_PACKAGE_PATH; repeatable")
      ->type_name("DIR")
      ->allow_extra_args(false);
  command.add_option("--lock", locks, "fix joints at these values, rad and m (--deg: degrees); repeatable")
      ->type_name("JOINT=X,...")
      ->allow_extra_args(false);
  command
      .add_option("--payload", payloads,
                  "a mass fixed to a link, a frame or the tool; mass centre and inertia about it in that frame, kg, m, "
                  "kg m²; repeatable")
      ->type_name("FRAME:mass,cx,cy,cz[,ixx,iyy,izz[,ixy,ixz,iyz]]")
      ->allow_extra_args(false);
  command
      .add_option(
          "--friction", frictions,
          "friction of a joint instead of the model's, N m s/rad, N m, N m and rad/s (N s/m, N, N and m/s where it "
          "slides); repeatable")
      ->type_name("JOINT:viscous[,dry[,stribeck,speed]]")
      ->allow_extra_args(false);
  command
      .add_option("--assembly", assembly,
                  "where joints of closed loops are looked for first, instead of the model's start, rad and m (--deg: "
                  "degrees): which way a linkage is assembled")
      ->type_name("JOINT=X,...");
  command.add_flag("--floating-base", floating_base, "leave the base free, where the model fixes it");
  command.add_option("--passive", passive, "joints without a motor, beside those of the model; repeatable")
      ->type_name("JOINT,...")
      ->allow_extra_args(false);
}

void ModelOptions::add_file(CLI::App& command) {
  command
      .add_option("MODEL", model,
                  "a " + io::endings_in_words(io::Use::reading) + " file, the name of a shipped robot, or - for stdin")
      ->required()
      ->type_name("");
  add_changes(command);
}

void ModelOptions::add_dynamics(CLI::App& command) {
  add_file(command);
  computes_ = true;
  command
      .add_option("--only", kept,
                  "what these links add: all others have no mass, and there is neither friction nor rotor nor spring "
                  "nor offset; "
                  "repeatable")
      ->type_name("LINK,...")
      ->allow_extra_args(false);
  command.add_flag("--rigid", rigid, "leave out friction, rotor inertia, gears, springs and offsets");
  if (!of_links) command.add_flag("--stiff", stiff, "elastic joints without elasticity: rotors turn with the links");
  command.add_option("--snap", snap, "take rotation entries within X of 0 and ±1 as exact; reports what it changes")
      ->type_name("X");
  command.add_option("--gravity", gravity, "gravity in the base frame instead of the model's, m/s²")
      ->type_name("X,Y,Z");
}

bool ModelOptions::degrees() const {
  const CLI::Option* deg = command_ != nullptr ? command_->get_option_no_throw("--deg") : nullptr;
  return deg != nullptr && deg->count() > 0;
}

Robot ModelOptions::changed(Robot robot) const {
  if (!assembly.empty()) robot = assembled(std::move(robot), assembly, degrees());
  if (floating_base) robot = freed(std::move(robot));
  const std::vector<bool> fixed = fixed_links(robot);
  if (!locks.empty()) robot = locked(robot, locks, degrees());
  for (const std::string& text : payloads) robot = loaded(robot, text);
  for (const std::string& text : frictions) rub(robot, text);
  for (const std::string& text : passive) take_motors(robot, text);
  if (!kept.empty()) robot = only(robot, kept);
  if (tells_locked && !locks.empty()) tell_locked(fixed, robot);
  return robot;
}

LoadOptions ModelOptions::reading(bool refuse, std::vector<std::string>* notes) const {
  return {.strict = refuse, .lenient = lenient, .xacro = xacro, .package_path = package_path, .notes = notes};
}

Robot ModelOptions::read(const std::string& other, bool refuse, std::vector<std::string>* notes) const {
  if (strict() && lenient) throw UsageError("--strict and --lenient contradict each other; give one of them");
  if (other == "-") claim_standard_input("MODEL");
  Robot robot = load_robot(find_model(other), reading(refuse, notes));
  return as_computed(changes() ? changed(std::move(robot)) : std::move(robot));
}

Robot ModelOptions::as_computed(Robot robot) const {
  if (!computes_ || of_links) return robot;
  return stiff || rigid ? with_stiff_joints(std::move(robot)) : with_motors(robot);
}

Robot ModelOptions::read() const { return read(model, false); }

void ModelOptions::report(const Robot& robot) const {
  if (strict()) refuse_warnings(robot);
  warn(robot.warnings);
}

// A changed robot may no longer deserve a warning of its file, so --strict judges the robot as it is used.
Robot ModelOptions::load(const std::string& other, std::vector<std::string>* notes) const {
  Robot robot = read(other, strict() && !changes(), notes);
  report(robot);
  return robot;
}

Robot ModelOptions::load() const {
  if (snap && !(*snap >= 0.0 && *snap < 0.5))
    throw UsageError(fmt::format("--snap {:g}: give a small number from 0 to 0.5, such as 1e-6", *snap));
  Robot robot = load(model);
  if (!gravity.empty()) robot.gravity = parse_vec3(gravity, "--gravity");
  return robot;
}

Mechanism ModelOptions::beside(const std::string& other, const std::string& option, const Robot& robot) const {
  if (other == "-") claim_standard_input(option);
  Robot known = load_robot(find_model(other), reading(strict()));
  if (floating_base) known = freed(std::move(known));
  if (!locks.empty()) known = locked(known, locks, degrees());
  warn(known.warnings);
  known = as_computed(std::move(known));
  if (!gravity.empty()) known.gravity = parse_vec3(gravity, "--gravity");
  if (joint_names(known) != joint_names(robot))
    throw UsageError(fmt::format("{}: {} has the joints {}, but {} has {}", option, printable(known.name),
                                 fmt::join(joint_names(known), ", "), printable(robot.name),
                                 fmt::join(joint_names(robot), ", ")));
  return mechanism_with(known, snap);
}

MechanismOptions ModelOptions::mechanism_options() const {
  return {.snap = snap.value_or(MechanismOptions{}.snap), .rigid = rigid, .stiff = of_links};
}

Mechanism ModelOptions::mechanism_with(const Robot& robot, std::optional<double> tolerance) const {
  return make_mechanism(robot,
                        {.snap = tolerance.value_or(MechanismOptions{}.snap), .rigid = rigid, .stiff = of_links});
}

Mechanism ModelOptions::mechanism(const Robot& robot) const {
  Mechanism exact = mechanism_with(robot, std::nullopt);
  if (!snap) return exact;
  Mechanism snapped = mechanism_with(robot, snap);
  note(fmt::format("catena: --snap {:g} changes torques by at most {:.2g} of the largest ({} random motions)", *snap,
                   torque_change(exact, snapped), motions));
  return snapped;
}

}  // namespace catena::cli

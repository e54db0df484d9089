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
#include "command.hpp"
#include "io/formats.hpp"
#include "options/numbers.hpp"
#include "terminal/errors.hpp"

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
      "catena: note: {} {} locked to the base, so energies, momentum and mass are those of the links that still move",
      fmt::join(links, ", "), links.size() == 1 ? "is" : "are"));
}

}  // namespace

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

namespace {
void add(CLI::App& command, const ModelOption& option, ModelChanges& to) {
  const std::string name(option.name), words(option.words), value(option.value);
  const UnderHeading heading(command, option.of_reading ? file_options : robot_options);
  if (option.flag != nullptr)
    command.add_flag(name, option.flag == &ModelChanges::strict ? strict() : to.*option.flag, words);
  else if (option.texts != nullptr)
    command.add_option(name, to.*option.texts, words)->type_name(value)->allow_extra_args(false);
  else if (option.text != nullptr)
    command.add_option(name, to.*option.text, words)->type_name(value);
  else
    command.add_option(name, to.*option.number, words)->type_name(value);
}
}  // namespace

void ModelOptions::add_changes(CLI::App& command) {
  command_ = &command;
  for (const ModelOption& option : model_options())
    if (!option.of_dynamics) add(command, option, *this);
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
  for (const ModelOption& option : model_options())
    if (option.of_dynamics && !(of_links && option.flag == &ModelChanges::stiff)) add(command, option, *this);
}

bool ModelOptions::degrees() const {
  const CLI::Option* deg = command_ != nullptr ? command_->get_option_no_throw("--deg") : nullptr;
  return deg != nullptr && deg->count() > 0;
}

Robot ModelOptions::changed(Robot robot) const {
  const std::vector<bool> fixed = fixed_links(robot);
  robot = ModelChanges::changed(std::move(robot), degrees());
  if (tells_locked && !locks.empty()) tell_locked(fixed, robot);
  return robot;
}

LoadOptions ModelOptions::reading(bool refuse, std::vector<std::string>* notes) const {
  return {.strict = refuse, .lenient = lenient, .xacro = xacro, .package_path = package_path, .notes = notes};
}

Robot ModelOptions::read(const std::string& other, bool refuse, std::vector<std::string>* notes) const {
  if (cli::strict() && lenient) throw UsageError("give either --strict or --lenient");
  if (other == "-") claim_standard_input("MODEL");
  Robot robot = load_robot(find_model(other), reading(refuse, notes));
  return as_computed(any() ? changed(std::move(robot)) : std::move(robot));
}

Robot ModelOptions::as_computed(Robot robot) const {
  if (!computes_ || of_links) return robot;
  return stiff || rigid ? with_stiff_joints(std::move(robot)) : with_motors(robot);
}

Robot ModelOptions::read() const { return read(model, false); }

void ModelOptions::report(const Robot& robot) const {
  if (cli::strict()) refuse_warnings(robot);
  warn(robot.warnings);
}

// A changed robot may no longer deserve a warning of its file, so --strict judges the robot as it is used.
Robot ModelOptions::load(const std::string& other, std::vector<std::string>* notes) const {
  Robot robot = read(other, cli::strict() && !any(), notes);
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
  Robot known = load_robot(find_model(other), reading(cli::strict()));
  ModelChanges same;
  same.floating_base = floating_base;
  same.locks = locks;
  known = same.changed(std::move(known), degrees());
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

#include "support/model_options.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "catena/dynamics/inverse_dynamics.hpp"
#include "catena/io/robot_file.hpp"
#include "support/errors.hpp"
#include "support/numbers.hpp"

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
    for (std::size_t j = 0; j < q.size(); ++j) {
      const JointLimits& limits = robot_.limits[j];
      const bool bounded = std::isfinite(limits.lower) && std::isfinite(limits.upper) && limits.lower < limits.upper;
      q[j] = bounded ? between(limits.lower, limits.upper) : between(-std::numbers::pi, std::numbers::pi);
      qd[j] = between(-1.0, 1.0);
      qdd[j] = between(-1.0, 1.0);
    }
  }

 private:
  const Mechanism& robot_;
  std::mt19937_64 generator_{20240229};
};

constexpr int motions = 32;

}  // namespace

double torque_change(const Mechanism& exact, const Mechanism& snapped) {
  const auto n = static_cast<std::size_t>(exact.n());
  std::vector<double> q(n), qd(n), qdd(n), reference(n), tau(n);
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

Robot read_model(const std::string& model, bool strict) { return load_robot(find_model(model), {.strict = strict}); }

void ModelOptions::add_file(CLI::App& command) {
  command.add_option("MODEL", model, "a .toml or .urdf file, or the name of a shipped robot")
      ->required()
      ->type_name("");
  command.add_flag("--strict", strict, "treat warnings about the model as errors");
}

void ModelOptions::add_dynamics(CLI::App& command) {
  add_file(command);
  command.add_flag("--rigid", rigid, "leave out friction, rotor inertia and gears");
  command.add_option("--snap", snap, "take rotation entries within X of 0 and ±1 as exact; reports what it changes")
      ->type_name("X");
  command.add_option("--gravity", gravity, "gravity in the base frame instead of the model's, m/s²")
      ->type_name("X,Y,Z");
}

Robot ModelOptions::load() const {
  if (snap && !(*snap >= 0.0 && *snap < 0.5))
    throw UsageError(fmt::format("--snap {:g}: give a small number from 0 to 0.5, such as 1e-6", *snap));
  Robot robot = read_model(model, strict);
  for (const std::string& warning : robot.warnings) complain(warning);
  if (!gravity.empty()) robot.gravity = parse_vec3(gravity, "--gravity");
  return robot;
}

Mechanism ModelOptions::mechanism_with(const Robot& robot, std::optional<double> tolerance) const {
  MechanismOptions options{.rigid = rigid};
  if (tolerance) options.snap = *tolerance;
  return make_mechanism(robot, options);
}

Mechanism ModelOptions::mechanism(const Robot& robot) const {
  Mechanism exact = mechanism_with(robot, std::nullopt);
  if (!snap) return exact;
  Mechanism snapped = mechanism_with(robot, snap);
  complain(fmt::format("catena: --snap {:g} changes torques by at most {:.2g} of the largest ({} random motions)",
                       *snap, torque_change(exact, snapped), motions));
  return snapped;
}

}  // namespace catena::cli

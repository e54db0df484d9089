#include "codegen/random_motions.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "catena/math/quaternion.hpp"

namespace catena {
namespace {

constexpr double usual_range = std::numbers::pi, usual_speed = 2.0;  // without limits; rad or m, rad/s or m/s
constexpr double usual_rise = 0.2;                                   // s, from rest to the top speed

void check(const std::vector<double>& given, int count, const std::string& what) {
  if (given.size() != index(count))
    throw std::invalid_argument("the robot has " + std::to_string(count) + " " + what + ", not " +
                                std::to_string(given.size()));
  for (const double most : given)
    if (!(most >= 0.0 && std::isfinite(most)))
      throw std::invalid_argument("top " + what + " are finite and not negative");
}

std::vector<Input> inputs_of(const Program& program) {
  std::vector<Input> inputs;
  for (const Argument& argument : program.inputs) {
    const auto found = std::find_if(std::begin(all_inputs), std::end(all_inputs),
                                    [&](const InputInfo& input) { return input.name == argument.name; });
    if (found == std::end(all_inputs))
      throw std::invalid_argument("the argument '" + argument.name +
                                  "' has no range: a program that takes it is not abridged");
    inputs.push_back(found->input);
  }
  return inputs;
}

}  // namespace

Abridging with_ranges(const Mechanism& robot, Abridging how) {
  if (how.speeds.empty())
    for (const JointLimits& limits : robot.coordinates.limits)
      how.speeds.push_back(std::isfinite(limits.velocity) ? limits.velocity : usual_speed);
  check(how.speeds, robot.nv(), "speeds");
  if (how.accelerations.empty())
    for (const double speed : how.speeds) how.accelerations.push_back(speed / usual_rise);
  check(how.accelerations, robot.nv(), "accelerations");
  return how;
}

RandomMotions::RandomMotions(const Mechanism& robot, const Program& program, const Abridging& ranges,
                             std::uint64_t seed)
    : robot_(std::make_shared<Mechanism>(robot)),
      placement_(robot_),
      inverse_(robot, job_of(Kind::torque).name),
      wanted_(inputs_of(program)),
      speeds_(ranges.speeds),
      accelerations_(ranges.accelerations),
      q_(index(robot.nq())),
      qd_(index(robot.nv())),
      qdd_(qd_.size()),
      tau_(qd_.size()),
      base_(robot.coordinates.is_moving() ? base_motion_size : 0),
      engine_(seed) {}

double RandomMotions::within(double lower, double upper) {
  return lower + double(engine_() >> 11U) * 0x1p-53 * (upper - lower);
}

void RandomMotions::draw_positions() {
  for (const Coordinate c : robot_->coordinates.all()) {
    const JointLimits& limits = robot_->limits(c);
    double lower = limits.lower, upper = limits.upper;
    if (!std::isfinite(lower)) lower = std::isfinite(upper) ? upper - 2.0 * usual_range : -usual_range;
    if (!std::isfinite(upper)) upper = std::isfinite(limits.lower) ? lower + 2.0 * usual_range : usual_range;
    q_[robot_->coordinates.position_of(c)] = within(lower, upper);
  }
  if (!robot_->coordinates.is_free()) return;
  for (std::size_t k = 3; k < 7; ++k) q_[k] = within(-1.0, 1.0);
  normalize_quaternion(&q_[3]);
}

std::vector<double> RandomMotions::draw() {
  at_ends_ = !at_ends_;
  draw_positions();
  for (std::size_t j = 0; j < qd_.size(); ++j) qd_[j] = rate(speeds_[j]);
  for (std::size_t j = 0; j < qdd_.size(); ++j) qdd_[j] = rate(accelerations_[j]);
  for (std::size_t k = 0; k < base_.size(); ++k)
    base_[k] = rate(k < base_.size() / 2 ? usual_speed : usual_speed / usual_rise);
  const std::span<const double> placed = placement_(q_);
  Inputs<double> in;
  in.q = q_, in.qd = qd_, in.qdd = qdd_, in.base = base_;
  inverse_(in, tau_);
  in.q = placed, in.tau = tau_;
  in = with_others(in, qd_);
  std::vector<double> values;
  for (const Input input : wanted_) values.insert(values.end(), in[input].begin(), in[input].end());
  return values;
}

}  // namespace catena

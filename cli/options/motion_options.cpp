#include "options/motion_options.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "command.hpp"
#include "options/companions.hpp"
#include "options/numbers.hpp"
#include "states/position_doubt.hpp"
#include "terminal/errors.hpp"

namespace catena::cli {
namespace {

constexpr std::int64_t default_samples = 101;
constexpr double most_samples = 1e12;

std::vector<JointPoint> points_of(const MotionOptions& options, const Robot& robot, bool degrees) {
  const auto point = [&](const std::optional<std::string>& text, const std::string& option) {
    const JointPoint typed = joint_vector(text, option, robot, degrees);
    question_positions(typed, option, robot, degrees);
    return typed;
  };
  if (!options.via) {
    if (!options.to) throw UsageError("--from needs --to");
    return {point(options.from, "--from"), point(options.to, "--to")};
  }
  if (options.from || options.to) throw UsageError("--via already gives all points; leave out --from and --to");
  std::vector<JointPoint> points;
  for (std::size_t start = 0; start <= options.via->size();) {
    const std::size_t end = std::min(options.via->find(';', start), options.via->size());
    points.push_back(point(options.via->substr(start, end - start), fmt::format("--via, point {}", points.size() + 1)));
    start = end + 1;
  }
  return points;
}

// No motion can be planned with a velocity limit of zero, unless --speeds overrides it.
void require_allowed(const std::vector<JointPoint>& points, const std::vector<double>& velocity, const Robot& robot,
                     const Mechanism& mechanism) {
  const std::vector<int> moving = robot.moving_joints();
  for (std::size_t j = 0; j < moving.size(); ++j)
    for (const JointPoint& point : points)
      if (velocity[j] == 0.0 && mechanism.limits(Coordinate(j)).velocity == 0.0 && point[j] != points.front()[j])
        throw std::domain_error(
            fmt::format("joint {} may not move: its velocity limit in the model is 0; --speeds sets another",
                        printable(robot.joints[static_cast<std::size_t>(moving[j])].name)));
}

std::vector<Rates> rates_of(const MotionOptions& options, const Robot& robot, const Mechanism& mechanism, bool degrees,
                            const std::vector<JointPoint>& points) {
  if (!options.accelerations)
    throw UsageError("give --time or --times, or --accelerations (and --speeds; default the model's)");
  const std::vector<double> zeros(index(mechanism.nv()), 0.0);
  const std::vector<double> acceleration = one_or_all(*options.accelerations, "--accelerations", robot, degrees, zeros);
  std::vector<double> velocity;
  for (const JointLimits& limits : mechanism.coordinates.limits) velocity.push_back(limits.velocity);
  if (options.speeds) velocity = one_or_all(*options.speeds, "--speeds", robot, degrees, velocity);
  require_allowed(points, velocity, robot, mechanism);
  std::vector<Rates> rates;
  for (std::size_t j = 0; j < velocity.size(); ++j) rates.push_back({velocity[j], acceleration[j]});
  return rates;
}

}  // namespace

void MotionOptions::add_path(CLI::App& command) {
  command.add_option("--from", from, "where the motion starts; default all 0")->type_name("Q1,Q2,...");
  command.add_option("--to", to, "where it ends")->type_name("Q1,Q2,...");
  command.add_option("--via", via, "all its points, instead of --from and --to")->type_name("\"Q1,...;Q1,...;...\"");
  command.add_option("--times", times, "time of each point in s")->type_name("T0,T1,...");
  command
      .add_option("--speeds", speeds, "top speeds, instead of times, one per joint or one for all; default the model's")
      ->type_name("V1,...");
  command
      .add_option("--accelerations", accelerations, "top accelerations, instead of times, one per joint or one for all")
      ->type_name("A1,...");
  command
      .add_option("--profile", profile,
                  "shape of the motion; default quintic; cycloid, trapezoidal and septic stop at every point")
      ->check(one_of({"cycloid", "cubic", "quintic", "trapezoidal", "septic"}))
      ->type_name("cycloid|cubic|quintic|trapezoidal|septic");
  command.add_flag("--time-optimal", time_optimal,
                   "the fastest motion along the path that speeds, efforts and --accelerations allow: a spline through "
                   "the points, or straight with stops where --profile stops");
  command
      .add_option("--jerks", jerks,
                  "top derivatives of accelerations, one per joint or one for all; smooths the motion")
      ->type_name("J1,...");
  goes_with(command, "--speeds", {"--accelerations", "--time-optimal"});
  goes_with(command, "--jerks", {"--time-optimal"});
}

void MotionOptions::add(CLI::App& command) {
  add_path(command);
  command.add_option("--time", time, "duration in s, divided equally among the segments")->type_name("T");
  command.add_option("--samples", samples, "number of rows, including both ends; default 101")->type_name("N");
  command.add_option("--rate", rate, "rows per second, instead of --samples")->type_name("HZ");
}

TimeOptimal MotionOptions::make_optimal(const Robot& robot, const Mechanism& mechanism, bool degrees) const {
  if (time || times)
    throw UsageError(fmt::format("--time-optimal finds the time; leave out {}", time ? "--time" : "--times"));
  const ProfileKind kind = profile_kind(profile.value_or("quintic"));
  TimeOptimalOptions set{.stops = kind != ProfileKind::cubic && kind != ProfileKind::quintic};
  const auto numbers = [&](const std::optional<std::string>& typed, const char* option, double otherwise) {
    if (!typed) return std::vector<double>{};
    return one_or_all(*typed, option, robot, degrees, std::vector<double>(index(mechanism.nv()), otherwise));
  };
  constexpr double none = std::numeric_limits<double>::infinity();
  set.accelerations = numbers(accelerations, "--accelerations", none), set.jerks = numbers(jerks, "--jerks", none);
  if (speeds) {
    for (const JointLimits& limits : mechanism.coordinates.limits) set.speeds.push_back(limits.velocity);
    set.speeds = one_or_all(*speeds, "--speeds", robot, degrees, set.speeds);
  }
  return catena::time_optimal(mechanism, points_of(*this, robot, degrees), set);
}

Trajectory MotionOptions::make(const Robot& robot, const Mechanism& mechanism, bool degrees) const {
  if (robot.dof() == 0) throw UsageError(fmt::format("{} has no moving joints", robot.name));
  if (!robot.floating.empty())
    throw UsageError(
        fmt::format("{} has a free base; motions can only be planned for robots on a fixed base", robot.name));
  if (time_optimal) return make_optimal(robot, mechanism, degrees).motion;
  if (static_cast<int>(time.has_value()) + static_cast<int>(times.has_value()) +
          static_cast<int>(speeds || accelerations) >
      1)
    throw UsageError("give one of --time, --times and --accelerations with --speeds");
  const std::vector<JointPoint> points = points_of(*this, robot, degrees);
  const ProfileKind kind = profile_kind(profile.value_or("quintic"));
  if (times) return Trajectory::through(kind, points, parse_numbers(*times, "--times"));
  if (!time) return Trajectory::within(kind, points, rates_of(*this, robot, mechanism, degrees, points));
  if (!(*time > 0.0 && std::isfinite(*time)))
    throw UsageError(fmt::format("--time {:g}: the motion needs a positive time", *time));
  if (points.size() < 2) throw UsageError("--via needs at least two points, separated by ';'");
  std::vector<double> even;
  for (std::size_t k = 0; k < points.size(); ++k)
    even.push_back(*time * static_cast<double>(k) / static_cast<double>(points.size() - 1));
  return Trajectory::through(kind, points, even);
}

SampleTimes::SampleTimes(const MotionOptions& options, const Trajectory& motion)
    : start_(motion.start()), end_(motion.end()), to_the_end_(!options.rate) {
  if (options.rate && options.samples) throw UsageError("give --samples or --rate, not both");
  if (options.rate) {
    const double rows = motion.duration() * *options.rate;
    if (!(*options.rate > 0.0) || !(rows <= most_samples))
      throw UsageError(fmt::format("--rate {:g}: give rows per second, such as 1000", *options.rate));
    rate_ = *options.rate;
    count_ = static_cast<std::uint64_t>(std::ceil(rows - 1e-9 * std::max(1.0, rows))) + 1;
  } else {
    const std::int64_t samples = options.samples.value_or(default_samples);
    if (samples < 2) throw UsageError(fmt::format("--samples {}: give at least 2", samples));
    count_ = static_cast<std::uint64_t>(samples);
    rate_ = static_cast<double>(samples - 1) / motion.duration();
  }
}

double SampleTimes::at(std::uint64_t k) const {
  if (to_the_end_ && k + 1 == count_) return end_;
  return start_ + static_cast<double>(k) / rate_;
}

}  // namespace catena::cli

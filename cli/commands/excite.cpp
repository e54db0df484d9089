// catena excite: a motion to measure base parameters along.
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <memory>
#include <optional>

#include "catena/excitation.hpp"
#include "command.hpp"
#include "options/companions.hpp"
#include "options/model_options.hpp"
#include "options/numbers.hpp"
#include "output/output.hpp"
#include "output/timed_table.hpp"
#include "terminal/errors.hpp"

namespace catena::cli {
namespace excite_command {

struct Options {
  ModelOptions model;
  ExcitationOptions search;
  std::size_t samples = 1000;
  std::optional<double> rate, floor;
  double radius = 0.05;
  std::optional<std::string> acceleration, weights;
  std::vector<std::string> inside, outside, spheres;
  std::string criterion = "condition", output;
  bool deg = false, json = false;
};

std::vector<Box> boxes_of(const std::vector<std::string>& texts, const char* option) {
  std::vector<Box> boxes;
  for (const std::string& text : texts) {
    const std::vector<double> v = parse_numbers(text, option);
    if (v.size() != 6)
      throw UsageError(
          fmt::format("{}: a box is its lower and upper corner, x,y,z,X,Y,Z, not {} numbers", option, v.size()));
    boxes.push_back({{v[0], v[1], v[2]}, {v[3], v[4], v[5]}});
  }
  return boxes;
}

Surroundings surroundings(const Options& options, const Robot& robot) {
  Surroundings around;
  if (options.floor) around.floor = *options.floor;
  around.inside = boxes_of(options.inside, "--inside");
  around.outside = boxes_of(options.outside, "--outside");
  if (around.empty()) return around;
  around.spheres = link_spheres(robot, options.radius);
  for (const std::string& text : options.spheres) {
    const std::size_t at = text.find('=');
    if (at == std::string::npos) throw UsageError(fmt::format("--sphere '{}': a sphere is LINK=x,y,z,radius", text));
    const std::vector<double> v = parse_numbers(text.substr(at + 1), "--sphere");
    if (v.size() != 4 || !(v[3] >= 0.0))
      throw UsageError(fmt::format("--sphere '{}': a sphere is LINK=x,y,z,radius, with none of them missing", text));
    around.spheres.push_back({frame_to_hang_on(robot, text.substr(0, at), "--sphere"), {v[0], v[1], v[2]}, v[3]});
  }
  return around;
}

ExcitationOptions settings(const Options& options, const Robot& robot) {
  ExcitationOptions search = options.search;
  search.drives = !options.model.rigid;
  search.criterion =
      options.criterion == "condition" ? ExcitationCriterion::condition : ExcitationCriterion::determinant;
  const std::vector<double> free(index(robot.dof()), std::numeric_limits<double>::infinity());
  if (options.acceleration)
    search.acceleration = one_or_all(*options.acceleration, "--acceleration", robot, options.deg, free);
  for (const double a : search.acceleration)
    if (!(a > 0.0)) throw UsageError("--acceleration: a limit must be a positive number");
  if (options.weights)
    search.weights = one_or_all(*options.weights, "--weights", robot, false, std::vector<double>(free.size(), 1.0));
  search.around = surroundings(options, robot);
  if (options.rate) {  // a whole number of steps
    const double steps = search.period * *options.rate;
    search.period = std::ceil(steps - 1e-9 * steps) / *options.rate;
    if (std::abs(search.period - options.search.period) > 1e-9 * search.period)
      note(fmt::format("the motion takes {} s, a whole number of steps", search.period));
  }
  return search;
}

void run(const Options& options) {
  const Robot robot = options.model.load();
  const Mechanism mechanism = options.model.mechanism(robot);
  const std::size_t n = index(mechanism.nv());
  if (n == 0) throw UsageError(fmt::format("{} has no moving joints: there is nothing to excite", robot.name));
  require_fixed_base(mechanism, "identification does");
  const ExcitationOptions search = settings(options, robot);
  const Excitation found = find_excitation(mechanism, search);
  note(fmt::format("condition number {:.4g}; {:.4g} before the search", found.condition, found.first_condition));
  if (search.criterion == ExcitationCriterion::determinant)
    note(fmt::format("log det of the information, by parameter: {:.4g}; {:.4g} before the search", found.information,
                     found.first_information));
  const std::size_t steps =
      options.rate ? static_cast<std::size_t>(std::round(search.period * *options.rate)) : options.samples - 1;
  TimedTable table(options.output, {"q", "qd", "qdd"}, n, options.json);
  std::vector<double> row(3 * n);
  const std::span<double> all(row);
  for (std::size_t k = 0; k <= steps; ++k) {
    const double t = search.period * static_cast<double>(k) / static_cast<double>(steps);
    found.motion.at(k == steps ? 0.0 : t, all.first(n), all.subspan(n, n), all.subspan(2 * n, n));  // it is periodic
    table.add(t, row);
  }
  table.finish({{"period", found.motion.period},
                {"condition", found.condition},
                {"first_condition", found.first_condition},
                {"information", found.information},
                {"first_information", found.first_information},
                {"centre", found.motion.centre},
                {"sines", rows_of(found.motion.sines, index(found.motion.harmonics))},
                {"cosines", rows_of(found.motion.cosines, index(found.motion.harmonics))}});
}

void add_limits(CLI::App& command, Options& options) {
  command
      .add_option("--acceleration", options.acceleration,
                  "limit of each joint, rad/s^2 or m/s^2: one for all, one per joint, or JOINT=X,...; default none")
      ->type_name("A1,...");
  command.add_option("--floor", options.floor, "keep all links above this z of the base link, m")->type_name("Z");
  command
      .add_option("--inside", options.inside,
                  "keep all links inside this box, given by its corners in the base link's frame, m; repeatable")
      ->type_name("x,y,z,X,Y,Z");
  command.add_option("--outside", options.outside, "keep all links outside this box; repeatable")
      ->type_name("x,y,z,X,Y,Z");
  command
      .add_option(
          "--radius", options.radius,
          "radius of the spheres that stand for links, on the lines between joints, frames and tool, m; default 0.05")
      ->check(CLI::PositiveNumber)
      ->type_name("R");
  command.add_option("--sphere", options.spheres, "one more sphere, at x,y,z of a link or frame; repeatable")
      ->type_name("LINK=x,y,z,R");
  for (const char* option : {"--radius", "--sphere"}) goes_with(command, option, {"--floor", "--inside", "--outside"});
}

}  // namespace excite_command

void add_excite(CLI::App& program) {
  using namespace excite_command;
  const auto options = std::make_shared<Options>();
  CLI::App* command = add_command(
      program, "excite", "Find a motion from rest to rest within the limits that shows all base parameters",
      "  catena excite panda --time 10 -o motion.csv\n"
      "  catena excite ur5 --time 10 --rate 125 --acceleration 8 --floor 0 --radius 0.06 -o motion.csv\n"
      "  catena excite ur5 --time 10 --inside -0.8,-0.8,0,0.8,0.8,1.2 --outside 0.3,-0.2,0,0.6,0.2,0.4 -o motion.csv\n"
      "  catena excite stanford --time 20 --harmonics 8 --steps 1000 --criterion determinant --json -o motion.npz\n"
      "\n"
      "The motion begins and ends at rest and without acceleration. Positions, speeds and efforts stay within 95 % of\n"
      "the limits of the model, also between samples. Links are the spheres of --radius and --sphere.");
  options->model.of_links = true;
  options->model.add_dynamics(*command);
  ExcitationOptions& search = options->search;
  command->add_option("--time", search.period, "how long the motion takes, s")
      ->required()
      ->check(CLI::PositiveNumber)
      ->type_name("T");
  command->add_option("--harmonics", search.harmonics, "harmonics in the Fourier series of each joint; default 5")
      ->check(CLI::Range(2, 50))
      ->type_name("K");
  command->add_option("--starts", search.starts, "random starts of the search; default 4")
      ->check(CLI::Range(1, 1000))
      ->type_name("K");
  command->add_option("--steps", search.steps, "steps of the search from each start; default 300")
      ->check(CLI::Range(0, 1000000))
      ->type_name("K");
  command->add_option("--seed", search.seed, "seed of the random starts; default 1")->type_name("K");
  command
      ->add_option("--criterion", options->criterion,
                   "what to minimize: the condition number (default), or the volume of errors (D-optimal)")
      ->check(one_of({"condition", "determinant"}))
      ->type_name("condition|determinant");
  command
      ->add_option(
          "--weights", options->weights,
          "weights of each joint's squared errors, 1/σ²: one for all, one per joint, or JOINT=X,...; default 1")
      ->type_name("W1,W2,...");
  add_limits(*command, *options);
  CLI::Option* samples = command
                             ->add_option("--samples", options->samples,
                                          "rows of the table, from the first to the last moment; default 1000")
                             ->check(CLI::Range(2, 100000000))
                             ->type_name("N");
  command->add_option("--rate", options->rate, "rows per second: the controller's rate, Hz")
      ->check(CLI::PositiveNumber)
      ->excludes(samples)
      ->type_name("HZ");
  command->add_flag("--deg", options->deg,
                    "--acceleration of revolute joints in degrees/s^2; the table stays in radians");
  command
      ->add_option("-o,--output", options->output, "where the table goes: CSV, .npy, .npz, or - for stdout (default)")
      ->type_name("FILE");
  command->add_flag("--json", options->json,
                    "print one JSON object: the table or its place; period, condition, information, and the series");
  command->callback([options] { run(*options); });
}

}  // namespace catena::cli

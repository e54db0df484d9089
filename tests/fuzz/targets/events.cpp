// Events of a run, one a line, for robots of several kinds; and other texts that the command line takes apart.
#include "catena/progressive.hpp"
#include "catena/simulation.hpp"
#include "fuzz/support/input_file.hpp"
#include "fuzz/support/known_robots.hpp"
#include "fuzz/support/violation.hpp"
#include "options/numbers.hpp"
#include "options/run_events.hpp"
#include "options/targets.hpp"
#include "terminal/errors.hpp"

namespace catena::fuzz {
namespace {

// What happens at the start and shortly after.
void run_growing(const cli::RunEvents& events, const Robot& robot) {
  Assembly assembly(robot);
  SimulationOptions options;
  options.max_steps = 100;
  const auto law = [](const Mechanism&) { return zero_torque(); };
  ProgressiveSimulation simulation(assembly, law, options);
  events.add_to(simulation);
  const std::vector<double> still(robot.moving_joints().size(), 0.1), times{0.0, 1e-3};
  const ProgressiveResult result = simulation.run(still, still, times);
  require(result.complete || !result.ended_by.empty(), "a run that ends without a reason");
}

void add_events(const std::vector<std::string>& texts, const Robot& robot, const Mechanism& mechanism) {
  const cli::RunEvents events(texts, mechanism);
  Simulation simulation(mechanism, zero_torque());
  events.add_to(simulation, mechanism);
  for (const std::string& text : texts) events.stop_run(text);
  if (events.change_robot() && mechanism.coordinates.is_plain()) run_growing(events, robot);
}

}  // namespace

void fuzz_events(Input input) {
  static const std::vector<Mechanism> mechanisms = [] {
    std::vector<Mechanism> all;
    for (const Robot& robot : known_robots()) all.push_back(make_mechanism(robot));
    return all;
  }();
  cli::quiet() = true;
  const std::string text = as_text_of_folder(input);
  for (std::size_t k = 0; k < mechanisms.size(); ++k)
    or_say_why<OptionError, ModelError>([&] { add_events(io::split(text, '\n'), known_robots()[k], mechanisms[k]); });
  for (const Robot& robot : known_robots())
    for (const bool degrees : {false, true}) {
      or_say_why<OptionError>([&] { cli::joint_vector(text, "--qd", robot, degrees); });
      or_say_why<OptionError>([&] { cli::position_vector(text, "--q", robot, degrees); });
      or_say_why<OptionError>(
          [&] { cli::one_or_all(text, "--kp", robot, degrees, std::vector<double>(robot.moving_joints().size())); });
    }
  or_say_why<OptionError>([&] { cli::parse_targets(text, "--target", true); });
}

}  // namespace catena::fuzz

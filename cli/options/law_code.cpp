#include "options/law_code.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>

#include "command.hpp"
#include "options/companions.hpp"
#include "options/torque_laws.hpp"
#include "options/weights.hpp"
#include "terminal/errors.hpp"

namespace catena::cli {

void LawCodeOptions::add(CLI::App& command) {
  command
      .add_option("--law", law,
                  "write C code of this control law instead: NAME_step(state, measurement, reference, dt, torque) and "
                  "NAME_reset; 'catena laws' lists them")
      ->type_name("LAW")
      ->check(one_of(stepped_law_names()));
  stepped.add_gains(command, "--law");
  command.add_option("--trajectory", trajectory, "the motion along which the gains of lqr are found: CSV, .npz")
      ->type_name("FILE");
  command
      .add_option(
          "--weights", weights,
          fmt::format("weights of positions, speeds and torques in the cost of lqr; default {}", default_weights))
      ->type_name(weights_form);
  goes_with(command, "--trajectory", {"--law"});
  goes_with(command, "--weights", {"--law"});
}

void LawCodeOptions::require_companions(const CLI::App& command) const {
  for (const char* option : {"--compute", "--fuse", "--packed", "--abi", "--derivatives", "--lanes", "--keep",
                             "--significance", "--gravity-input", "--method", "--no-search", "--limit", "--json"})
    if (command.get_option(option)->count() > 0) throw UsageError(fmt::format("{} does not go with --law", option));
  if (command.get_option("--lang")->count() > 0 && command.get_option("--lang")->as<std::string>() != "c")
    throw UsageError("--law writes C or an FMU: leave out --lang, or --lang fmu");
  require_own(command);
}

void LawCodeOptions::require_own(const CLI::App& command) const {
  const LawInfo& own = *stepped_law(law);
  if (own.takes_schedule && trajectory.empty()) throw UsageError(fmt::format("--law {} needs --trajectory", law));
  if (!own.takes_schedule && (!trajectory.empty() || weights))
    throw UsageError(fmt::format("{} does not go with --law {}", weights ? "--weights" : "--trajectory", law));
  if (stepped.directions && own.follows == LawInfo::Follows::joints)
    throw UsageError(fmt::format("--directions does not go with --law {}", law));
  if (command.get_option("--frame")->count() > 0 && !own.takes_frame)
    throw UsageError(fmt::format("--frame does not go with --law {}", law));
}

catena::LawOptions LawCodeOptions::options(const Robot& robot, const Mechanism& mechanism,
                                           const std::string& frame) const {
  catena::LawOptions out =
      stepped.options(law, mechanism, frame, mechanism.nv() >= 6 ? Directions::all : Directions::translation);
  if (trajectory.empty()) return out;
  const MotionFile motion = motion_from_file(trajectory, robot, mechanism, false, std::nullopt);
  const int n = mechanism.nv();
  const QuadraticCost cost = cost_of_weights(weights.value_or(default_weights),
                                             StateSpace{n, {}, std::vector<double>(2 * index(n) * index(n))});
  const double time = motion.end - motion.start;
  if (!(time > 0.0)) throw UsageError("--trajectory: a motion needs at least two rows");
  out.schedule =
      regulated_gains(mechanism, motion.reference,
                      {motion.start, motion.end, std::max(time / 200.0, std::min(0.01, time / 100.0))}, cost);
  for (double& t : out.schedule.times) t -= motion.start;  // a controller's time starts at its reset
  return out;
}

}  // namespace catena::cli

#include "options/equations.hpp"

#include <fmt/format.h>

#include "catena/changes.hpp"
#include "options/frames.hpp"
#include "options/near_angles.hpp"
#include "terminal/errors.hpp"

namespace catena::cli {
namespace {

Mechanism mechanism_of(const ModelOptions& model, const Robot& robot) {
  Mechanism given = model.mechanism(robot);
  std::optional<NearAngles> found = find_near_angles(model, robot, given);
  if (!found) return given;
  note(fmt::format(
      "catena: {} and are taken as exact, as with --snap {:g}: torques change by at most {:.2g} of the largest",
      found->who(), found->snap, found->torque_change));
  return std::move(found->snapped);
}

}  // namespace

Equations equations_of(const EquationsWork& work) {
  const Robot robot = work.model.load();
  if (has_elastic_joints(robot) && !work.model.stiff && !work.model.rigid)
    throw UsageError(
        fmt::format("{} has elastic joints, which printed equations do not support; --stiff prints those of "
                    "stiff joints",
                    printable(robot.name)));
  const Mechanism mechanism = mechanism_of(work.model, robot);
  EquationsRequest request;
  request.jobs = work.jobs;
  request.formulations = work.formulations;
  request.symbols = work.symbols;
  request.limit = work.limit;
  request.more = work.more;
  request.frame = frame_index(mechanism, work.frame);
  try {
    return make_equations(robot, mechanism, request);
  } catch (const SymbolError& error) {
    throw UsageError(fmt::format("{} {}", work.symbols_option, error.what()));
  } catch (const std::invalid_argument& error) {
    throw UsageError(error.what());
  } catch (const TooManyTerms& error) {
    const bool numbers = request.symbols == "none" || (request.symbols.empty() && mechanism.joints() > 3);
    throw UsageError(
        fmt::format("{}; ask for less{}{}", error.what(), work.more ? " (--objects p)" : " (--compute gravity)",
                    (numbers ? "" : fmt::format(", for numbers instead of symbols ({} none)", work.symbols_option)) +
                        (work.more ? "" : " or raise --limit")));
  }
}

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const EquationFormat& format : equation_formats()) names.emplace_back(format.name);
  return names;
}

const EquationFormat* find_format(const std::string& name) {
  for (const EquationFormat& format : equation_formats())
    if (format.name == name) return &format;
  return nullptr;
}

}  // namespace catena::cli

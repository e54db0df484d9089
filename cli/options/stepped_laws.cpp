#include "options/stepped_laws.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "command.hpp"
#include "options/companions.hpp"
#include "options/frames.hpp"
#include "options/numbers.hpp"
#include "terminal/errors.hpp"

namespace catena::cli {

std::vector<std::string> stepped_law_names() {
  std::vector<std::string> names;
  for (const LawInfo& law : control_laws()) names.emplace_back(law.name);
  return names;
}

const LawInfo* stepped_law(const std::string& name) {
  for (const LawInfo& law : control_laws())
    if (law.name == name) return &law;
  return nullptr;
}

void SteppedLawOptions::add_gains(CLI::App& command, const std::string& companion) {
  command
      .add_option("--gain", gains,
                  "a parameter of the law, one for all or one per joint or direction; 'catena laws' lists them")
      ->type_name("NAME=V1,...");
  command
      .add_option(
          "--directions", directions,
          "directions of the frame: all, with its rotation, or translation; default all if there are six joints")
      ->type_name("all|translation")
      ->check(one_of({"all", "translation"}));
  goes_with(command, "--gain", {companion});
  goes_with(command, "--directions", {companion});
}

void SteppedLawOptions::add_run(CLI::App& command) {
  command
      .add_option("--period", period,
                  "evaluate the law once per period and hold its torques in between, as its C code would, s; default "
                  "0.001 for laws that step")
      ->type_name("DT");
  command.add_option("--force", force, "the force with which hybrid pushes along its directions, seen from the base")
      ->type_name("FX,FY,FZ[,MX,MY,MZ]");
}

std::map<std::string, std::vector<double>> SteppedLawOptions::parameters() const {
  std::map<std::string, std::vector<double>> out;
  for (const std::string& text : gains) {
    const std::size_t at = text.find('=');
    if (at == std::string::npos || at == 0)
      throw UsageError(fmt::format("--gain {}: give a name and its values, as kp=100 or kp=1,2,3", printable(text)));
    if (!out.emplace(text.substr(0, at), parse_numbers(text.substr(at + 1), "--gain " + text.substr(0, at))).second)
      throw UsageError(fmt::format("--gain {} is given twice", printable(text.substr(0, at))));
  }
  return out;
}

catena::LawOptions SteppedLawOptions::options(const std::string& law, const Mechanism& robot, const std::string& frame,
                                              Directions otherwise) const {
  catena::LawOptions out;
  out.law = law;
  out.parameters = parameters();
  out.frame = frame_index(robot, frame);
  out.directions = !directions ? otherwise : *directions == "all" ? Directions::all : Directions::translation;
  return out;
}

}  // namespace catena::cli

// catena equilibrium: poses in which a robot with passive joints stays at rest while its other joints are held.
#include "catena/control.hpp"

#include <fmt/format.h>

#include <memory>
#include <optional>

#include "command.hpp"
#include "options/companions.hpp"
#include "options/efforts.hpp"
#include "options/model_options.hpp"
#include "options/numbers.hpp"
#include "output/description.hpp"
#include "output/output.hpp"

namespace catena::cli {
namespace equilibrium_command {

struct Options {
  ModelOptions model;
  WrenchOptions wrenches;
  std::optional<std::string> q;
  int starts = 32;
  bool deg = false, json = false;
};

Json to_json(const std::vector<Equilibrium>& all, const Robot& robot) {
  Json list = Json::array();
  for (const Equilibrium& one : all)
    list.push_back({{"q", one.q},
                    {"tau", one.tau},
                    {"stability", name_of(one.stability)},
                    {"stiffness", one.stiffness},
                    {"potential_energy", one.potential},
                    {"residual", one.residual}});
  return {{"passive", passive_joints(robot)}, {"equilibria", list}};
}

std::string to_text(const std::vector<Equilibrium>& all, const Robot& robot, const Mechanism& mechanism) {
  std::string out;
  for (const Equilibrium& one : all) {
    std::vector<std::string> values;
    for (const double p : one.stiffness) values.push_back(fmt::format("{:.6g}", p));
    out += fmt::format("{}{}, potential energy {:.6g} J, stiffness {}\n", out.empty() ? "" : "\n",
                       name_of(one.stability), one.potential, fmt::join(values, ", "));
    TextTable table;
    table.column("joint", TextTable::Align::left);
    table.column("position");
    table.column("", TextTable::Align::left);
    table.column("torque");
    table.column("", TextTable::Align::left);
    for (const Coordinate c : mechanism.coordinates.all()) {
      const std::size_t j = index(c);
      const bool passive = mechanism.is_passive(c);
      table.row({mechanism.name_of(c), fmt::format("{:.10g}", one.q[j]), std::string(unit_of(robot, j, unit::position)),
                 passive ? "passive" : fmt::format("{:.10g}", one.tau[j]),
                 passive ? "" : std::string(unit_of(robot, j, unit::effort))});
    }
    out += table.text();
  }
  return out;
}

void run(const Options& options) {
  if (options.starts < 0) throw UsageError("--starts must not be negative");
  const Robot robot = options.model.load();
  const Mechanism mechanism = options.model.mechanism(robot);
  if (!mechanism.has_passive)
    throw UsageError(fmt::format("{} has no passive joint; name some with --passive", robot.name));
  const std::vector<double> q = position_vector(options.q, "--q", robot, options.deg);
  const std::vector<ExternalWrench<double>> wrenches = options.wrenches.parse(mechanism);
  const std::vector<Equilibrium> all = find_equilibria(mechanism, q, options.starts, wrenches);
  emit(options.json ? json_line(to_json(all, robot)) : to_text(all, robot, mechanism));
}

}  // namespace equilibrium_command

void add_equilibrium(CLI::App& program) {
  using namespace equilibrium_command;
  const auto o = std::make_shared<Options>();
  CLI::App* command =
      add_command(program, "equilibrium", "Where passive joints stay at rest while the others are held, stable or not",
                  "  catena equilibrium pelican_crucible --q 0.5,0.3,0\n"
                  "  catena equilibrium planar2r --passive joint2 --q 90,0 --deg --json");
  o->model.add_dynamics(*command);
  command
      ->add_option("--q", o->q,
                   "positions of the active joints, and where the search for the passive ones begins; default all 0")
      ->type_name("Q1,Q2,...");
  command->add_flag("--deg", o->deg, "revolute joints in degrees; results stay in radians");
  o->wrenches.add(*command);
  command->add_option("--starts", o->starts, "number of further starting points around the first; default 32")
      ->type_name("N");
  goes_with(*command, "--deg", {"--q", "--lock"});
  command->add_flag("--json", o->json, "print one JSON object: passive, equilibria");
  command->callback([o] { run(*o); });
}

}  // namespace catena::cli

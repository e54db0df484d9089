// catena links: what each link contributes to the model, and its principal screws of inertia.
#include <fmt/format.h>

#include <array>
#include <memory>
#include <optional>
#include <stdexcept>

#include "catena/link_models.hpp"
#include "catena/screws.hpp"
#include "command.hpp"
#include "options/companions.hpp"
#include "options/model_options.hpp"
#include "options/numbers.hpp"
#include "output/output.hpp"
#include "terminal/errors.hpp"

namespace catena::cli {
namespace links_command {

struct Options {
  ModelOptions model;
  std::optional<std::string> q, qd;
  std::string link;
  bool deg = false, screws = false, json = false;
};

// The links to describe: one, or all.
std::vector<int> chosen(const Options& options, const Robot& robot) {
  if (!options.link.empty()) return {require_link(robot, options.link, "--link")};
  std::vector<int> all;
  for (int k = 0; k < static_cast<int>(robot.links.size()); ++k) all.push_back(k);
  return all;
}

const LinkDescription& link_of(const Robot& robot, int k) { return robot.links[static_cast<std::size_t>(k)]; }

std::vector<double> list(const Vec3<double>& v) { return {v.x, v.y, v.z}; }

std::string heading(const LinkDescription& link, const std::vector<std::string>& joints) {
  std::string out = fmt::format("link '{}', {:.6g} kg, ", link.name, link.inertial.mass);
  if (joints.empty()) return out + "moved by no joint\n";
  return out + fmt::format("moved by {}\n", fmt::join(joints, ", "));
}

void put_model(const Robot& robot, const LinkModel<double>& model, Json& reports, std::string& text) {
  const LinkDescription& link = link_of(robot, model.link);
  const std::size_t k = model.joints.size();
  const std::vector<std::string> all = joint_names(robot);
  std::vector<std::string> joints;
  for (const int j : model.joints) joints.push_back(all[static_cast<std::size_t>(j)]);
  const Rows M = rows_of(model.M, k), C = rows_of(model.C, k);
  reports.push_back({{"link", link.name},
                     {"mass", link.inertial.mass},
                     {"joints", joints},
                     {"index", model.joints},
                     {"M", M},
                     {"C", C},
                     {"g", model.g}});
  text += (text.empty() ? "" : "\n") + heading(link, joints);
  if (k == 0) return;
  text += "M\n" + matrix_text(M, joints) + "C\n" + matrix_text(C, joints) + "g\n" +
          matrix_text(rows_of(model.g, 1), joints);
}

void models(const Options& options, const Robot& robot, Json& reports, std::string& text) {
  const std::vector<double> q = position_vector(options.q, "--q", robot, options.deg);
  const std::vector<double> qd = joint_vector(options.qd, "--qd", robot, options.deg);
  MechanismOptions made{.rigid = true};
  if (options.model.snap) made.snap = *options.model.snap;
  LinkModels<double> links(robot, made);
  const auto all = links(q, qd);
  for (const int k : chosen(options, robot)) put_model(robot, all[static_cast<std::size_t>(k)], reports, text);
}

std::array<Screw, 6> screws_of(const LinkDescription& link) {
  try {
    return principal_screws(link.inertial);
  } catch (const std::domain_error& error) {
    throw std::domain_error(fmt::format("link '{}': {}", link.name, error.what()));
  }
}

void put_screws(const LinkDescription& link, Json& reports, std::string& text) {
  Json rows = Json::array();
  text += (text.empty() ? "" : "\n") + fmt::format("link '{}', {:.6g} kg\n", link.name, link.inertial.mass);
  if (link.inertial.mass > 0.0) {
    TextTable table;
    for (const char* title : {"axis x", "y", "z", "point x", "y", "z", "pitch"}) table.column(title);
    for (const Screw& screw : screws_of(link)) {
      rows.push_back({{"axis", list(screw.axis)}, {"point", list(screw.point)}, {"pitch", screw.pitch}});
      std::vector<std::string> cells;
      for (const double x :
           {screw.axis.x, screw.axis.y, screw.axis.z, screw.point.x, screw.point.y, screw.point.z, screw.pitch})
        cells.push_back(fmt::format("{:.6g}", x));
      table.row(cells);
    }
    text += table.text();
  } else {
    text += "no mass, and so no screws of inertia\n";
  }
  reports.push_back({{"link", link.name}, {"mass", link.inertial.mass}, {"screws", rows}});
}

void run(const Options& options) {
  const Robot robot = options.model.load();
  Json reports = Json::array();
  std::string text;
  if (options.screws)
    for (const int k : chosen(options, robot)) put_screws(link_of(robot, k), reports, text);
  else
    models(options, robot, reports, text);
  emit(options.json ? json_line(Json{{"name", robot.name}, {"links", reports}}) : text);
}

}  // namespace links_command

void add_links(CLI::App& program) {
  using namespace links_command;
  const auto options = std::make_shared<Options>();
  CLI::App* command = add_command(
      program, "links", "What each link adds to the model: the joints that move it, M, C and g of it alone; its screws",
      "  catena links pelican_crucible --q 0.4,0.9,-1.2 --qd 0.7,-0.3,0.5\n"
      "  catena links pelican_crucible --q 0.4,0.9,-1.2 --link crucible --json\n"
      "  catena links ur5 --screws\n"
      "\n"
      "M, C and g of the robot are the sums of these, each at the joints that move the link. Friction and rotors "
      "belong\n"
      "to joints and are left out. --screws: the six principal screws of inertia, in the link's frame: axis, a point "
      "on\n"
      "it (the mass centre), and pitch in m/rad.");
  options->model.add_dynamics(*command);
  CLI::Option* q = command->add_option("--q", options->q, "joint positions, rad and m; or JOINT=X,...; default all 0")
                       ->type_name("Q1,Q2,...");
  CLI::Option* qd = command->add_option("--qd", options->qd, "joint velocities; default all 0")->type_name("V1,V2,...");
  command->add_flag("--deg", options->deg, "revolute joints in degrees; results stay in radians");
  goes_with(*command, "--deg", {"--q", "--qd", "--lock"});
  command->add_option("--link", options->link, "this link only")->type_name("NAME");
  command->add_flag("--screws", options->screws, "the principal screws of inertia instead; no state is asked for")
      ->excludes(q)
      ->excludes(qd);
  command->add_flag("--json", options->json,
                    "print one JSON object: name, links with joints, index, M, C, g or screws");
  command->callback([options] { run(*options); });
}

}  // namespace catena::cli

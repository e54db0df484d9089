// catena links: what each link contributes to the model, the screws on which its joints move it and those of its
// inertia.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <stdexcept>

#include "catena/kinematics.hpp"
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

void put_model(const Robot& robot, const LinkModel<double>& model, Json& report, std::string& text) {
  const LinkDescription& link = link_of(robot, model.link);
  const std::size_t k = model.joints.size();
  const std::vector<std::string> all = joint_names(robot);
  std::vector<std::string> joints;
  for (const int j : model.joints) joints.push_back(all[static_cast<std::size_t>(j)]);
  const Rows M = rows_of(model.M, k), C = rows_of(model.C, k);
  report.update({{"joints", joints}, {"index", model.joints}, {"M", M}, {"C", C}, {"g", model.g}});
  text += heading(link, joints);
  if (k == 0) return;
  text += "M\n" + matrix_text(M, joints) + "C\n" + matrix_text(C, joints) + "g\n" +
          matrix_text(rows_of(model.g, 1), joints);
}

// Rows of a table: axis, point and pitch of each screw; a point or pitch that is infinite stays empty.
struct ScrewTable {
  Json rows = Json::array();
  TextTable table;

  explicit ScrewTable(const char* first = nullptr) {
    if (first != nullptr) table.column(first, TextTable::Align::left);
    for (const char* title : {"axis x", "y", "z", "point x", "y", "z", "pitch"}) table.column(title);
  }
  void add(const Screw& screw, std::vector<std::string> cells = {}, Json row = Json::object()) {
    const bool slides = std::isinf(screw.pitch);
    row.update({{"axis", list(screw.axis)},
                {"point", slides ? Json() : Json(list(screw.point))},
                {"pitch", slides ? Json() : Json(screw.pitch)}});
    rows.push_back(row);
    for (const double x : list(screw.axis)) cells.push_back(cell(x));
    for (const double x : list(screw.point)) cells.push_back(slides ? "" : cell(x));
    cells.push_back(slides ? "infinite" : cell(screw.pitch));
    table.row(cells);
  }
  static std::string cell(double x) { return fmt::format("{:.6g}", std::abs(x) < 1e-14 ? 0.0 : x); }  // no rounding
};

// The screws on which unit rates of the joints move the link, along the axes of the base link and from its origin.
void put_joint_screws(const Mechanism& mechanism, Kinematics<double>& kinematics, int frame, Json& report,
                      std::string& text) {
  const std::vector<std::string> names = coordinate_names(mechanism);
  std::vector<JacobianColumn<double>> columns(names.size());
  kinematics.jacobian(frame, columns);
  const Vec3<double> origin = kinematics.pose(frame).p;
  ScrewTable screws("joint");
  for (std::size_t j = 0; j < names.size(); ++j) {
    const auto& [linear, angular] = columns[j];
    if (dot(linear, linear) + dot(angular, angular) > 1e-24)  // beyond rounding
      screws.add(screw_of(angular, linear - cross(angular, origin)), {names[j]}, {{"joint", names[j]}});
  }
  report["joint_screws"] = screws.rows;
  if (!screws.rows.empty()) text += "screws of the joints, along the axes of the base link\n" + screws.table.text();
}

// (4) about the mass centre, along the axes of the link: Laus's eq. 10.
Rows inertia_of(const Inertial& body, const std::array<Screw, 6>& screws) {
  Rows out(6, std::vector<double>(6));
  for (const Screw& screw : screws) {
    const Vec3<double> moment = screw.pitch * screw.axis;
    const double wrench[] = {moment.x, moment.y, moment.z, screw.axis.x, screw.axis.y, screw.axis.z};
    for (std::size_t i = 0; i < 6; ++i)
      for (std::size_t j = 0; j < 6; ++j) out[i][j] += 0.5 * body.mass * wrench[i] * wrench[j];
  }
  return out;
}

void put_inertia(const LinkDescription& link, bool required, Json& report, std::string& text) {
  report["screws"] = Json::array();
  if (!(link.inertial.mass > 0.0)) {
    text += "no mass, so no screws of inertia\n";
    return;
  }
  std::array<Screw, 6> principal;
  try {
    principal = principal_screws(link.inertial);
  } catch (const std::domain_error& error) {
    if (required) throw std::domain_error(fmt::format("link '{}': {}", link.name, error.what()));
    text += fmt::format("{}\n", error.what());
    return;
  }
  const Rows inertia = inertia_of(link.inertial, principal);
  ScrewTable screws;
  for (const Screw& screw : principal) screws.add(screw);
  report["screws"] = screws.rows;
  report["inertia"] = inertia;
  text += "screws of inertia, in the link's frame\n" + screws.table.text() +
          "inertia at the mass centre, m/2 times the sum of their squares\n" + matrix_text(inertia);
}

void run(const Options& options) {
  const Robot robot = options.model.load();
  const Mechanism mechanism = options.model.mechanism(robot);
  const std::vector<double> q = position_vector(options.q, "--q", robot, options.deg);
  std::optional<LinkModels<double>> models;
  std::span<const LinkModel<double>> of_links;
  if (!options.screws) {
    MechanismOptions made{.rigid = true};
    if (options.model.snap) made.snap = *options.model.snap;
    models.emplace(robot, made);
    of_links = (*models)(q, joint_vector(options.qd, "--qd", robot, options.deg));
  }
  Kinematics<double> kinematics(mechanism);
  kinematics.update(q);
  Json reports = Json::array();
  std::string text;
  for (const int k : chosen(options, robot)) {
    const LinkDescription& link = link_of(robot, k);
    Json report{{"link", link.name}, {"mass", link.inertial.mass}};
    text += text.empty() ? "" : "\n";
    if (options.screws)
      text += fmt::format("link '{}', {:.6g} kg\n", link.name, link.inertial.mass);
    else
      put_model(robot, of_links[static_cast<std::size_t>(k)], report, text);
    put_joint_screws(mechanism, kinematics, mechanism.frame_index(link.name), report, text);
    put_inertia(link, options.screws, report, text);
    reports.push_back(report);
  }
  emit(options.json ? json_line(Json{{"name", robot.name}, {"links", reports}}) : text);
}

}  // namespace links_command

void add_links(CLI::App& program) {
  using namespace links_command;
  const auto options = std::make_shared<Options>();
  CLI::App* command = add_command(
      program, "links",
      "What each link adds to the model: the joints that move it, its own M, C and g, and the screws of joints and "
      "inertia",
      "  catena links pelican_crucible --q 0.4,0.9,-1.2 --qd 0.7,-0.3,0.5\n"
      "  catena links pelican_crucible --q 0.4,0.9,-1.2 --link crucible --json\n"
      "  catena links ur5 --screws\n"
      "\n"
      "M, C and g of the robot are the sums of these, each at the joints that move the link. Friction, rotors and\n"
      "springs belong to joints and are left out. Then come the screws on which unit joint rates move the link, along "
      "the\n"
      "axes of the base link; the six principal screws of its inertia, in its own frame (a point on the axis, the "
      "mass\n"
      "centre, and the pitch in m/rad); and the 6x6 inertia at the mass centre that they make up.");
  options->model.of_links = true;
  options->model.add_dynamics(*command);
  command->add_option("--q", options->q, "joint positions, rad and m; or JOINT=X,...; default all 0")
      ->type_name("Q1,Q2,...");
  CLI::Option* qd = command->add_option("--qd", options->qd, "joint velocities; default all 0")->type_name("V1,V2,...");
  command->add_flag("--deg", options->deg, "revolute joints in degrees; results stay in radians");
  goes_with(*command, "--deg", {"--q", "--qd", "--lock"});
  command->add_option("--link", options->link, "this link only")->type_name("NAME");
  command->add_flag("--screws", options->screws, "only the screws, for any kind of robot")->excludes(qd);
  command->add_flag("--json", options->json,
                    "print one JSON object: name, links with joints, index, M, C, g, joint_screws, screws, inertia");
  command->callback([options] { run(*options); });
}

}  // namespace catena::cli

// catena report: robots and results as one page for a browser.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "catena/changes.hpp"
#include "catena/mechanism.hpp"
#include "command.hpp"
#include "options/numbers.hpp"
#include "pages/report_option.hpp"
#include "pages/result_table.hpp"
#include "report/benchmarks.hpp"
#include "terminal/errors.hpp"

namespace catena::cli {
namespace report_command {

struct Options {
  ModelOptions model;
  std::vector<std::string> given, benchmarks;
  std::optional<std::string> q;
  std::optional<double> rate;
  std::string output, title;
  bool deg = false;
};

// A robot, and the result tables that follow it on the command line.
struct Group {
  std::string model;
  std::vector<std::string> tables;
};

std::vector<Group> groups_of(const std::vector<std::string>& given) {
  std::vector<Group> groups;
  for (const std::string& word : given) {
    if (!is_table_name(word)) {
      groups.push_back({word, {}});
    } else if (groups.empty()) {
      throw UsageError(fmt::format("{} is a result: give its robot first, as in 'catena report ur5 {}'",
                                   printable(word), printable(word)));
    } else {
      groups.back().tables.push_back(word);
    }
  }
  return groups;
}

const char* kind_of(const report::Recording& recording) {
  const auto& columns = recording.columns();
  const bool run =
      std::any_of(columns.begin(), columns.end(), [](const report::Column& c) { return c.name == "work"; });
  return run ? "simulate" : recording.has("tau") ? "inverse" : "trajectory";
}

// Accelerations follow from torques only if nothing acts that the table does not contain.
bool moves_by_torques(const Robot& robot, const report::Recording& recording) {
  const auto& columns = recording.columns();
  const bool pushed = std::any_of(columns.begin(), columns.end(), [](const report::Column& c) {
    return c.name == "external" || c.name == "base_work";
  });
  return !pushed && std::none_of(robot.joints.begin(), robot.joints.end(),
                                 [](const JointDescription& joint) { return joint.drive.dry_friction() != 0.0; });
}

report::Scene scene_of_table(const Options& options, const Group& group, const Robot& robot, const ResultTable& table) {
  report::Scene scene = scene_of(options.model, group.model, robot, "robot");
  scene.source = table.path;
  report::Recording recording = recording_of(table, robot, options.deg, options.rate);
  scene.kind = kind_of(recording);
  if (recording.count() == 0) scene.notes.push_back(table.path + ": has no rows");
  if (!recording.has("t") && recording.count() > 0)
    scene.notes.push_back(table.path + ": has no column t, and no --rate was given: samples are numbered");
  if (!recording.has("q")) scene.notes.push_back(table.path + ": has no positions: the robot stands still");
  recording.complete(make_mechanism(scene.robot), {}, moves_by_torques(scene.robot, recording));
  if (recording.has("q") && recording.count() > 0) scene.q = recording.numbers("q", 0);
  scene.recordings.push_back(std::move(recording));
  return scene;
}

// Scenes of one name get the file that they are from behind it, and their number where that does not help.
void tell_apart(std::vector<report::Scene>& scenes) {
  const auto alike = [&](const std::string& name) {
    return std::count_if(scenes.begin(), scenes.end(), [&](const report::Scene& one) { return one.name == name; }) > 1;
  };
  const auto add = [&](const auto& words) {
    std::vector<std::string> names;
    for (std::size_t k = 0; k < scenes.size(); ++k)
      names.push_back(scenes[k].name + (alike(scenes[k].name) ? words(k) : std::string()));
    for (std::size_t k = 0; k < scenes.size(); ++k) scenes[k].name = names[k];
  };
  add([&](std::size_t k) { return ": " + scenes[k].source; });
  add([&](std::size_t k) { return fmt::format(" ({})", k + 1); });
}

report::Json read_benchmarks(const std::vector<std::string>& files) {
  try {
    return report::benchmarks_json(files);
  } catch (const std::runtime_error& error) {
    throw InputError(error.what());
  }
}

void run(const Options& options) {
  if (!options.output.ends_with(".html") && !options.output.ends_with(".htm"))
    throw UsageError(fmt::format("-o {}: the name must end in .html", printable(options.output)));
  page_template();
  const std::vector<Group> groups = groups_of(options.given);
  const bool any_tables =
      std::any_of(groups.begin(), groups.end(), [](const Group& group) { return !group.tables.empty(); });
  if (options.rate && !any_tables) throw UsageError("--rate applies to a RESULT, and there is none");
  if (options.deg && !any_tables && !options.q && options.model.locks.empty())
    throw UsageError("--deg applies to --q, --lock and RESULTs, and none is given");
  if (options.q && groups.size() != 1)
    throw UsageError("--q is for a single robot; leave it out when there are several");
  std::vector<report::Scene> scenes;
  for (const Group& group : groups) {
    const Robot robot = with_motors(options.model.load(group.model));
    std::vector<ResultTable> tables;
    for (const std::string& path : group.tables) tables.push_back(read_result(path, robot));
    for (const ResultTable& table : joined(std::move(tables)))
      scenes.push_back(scene_of_table(options, group, robot, table));
    if (!group.tables.empty()) continue;
    scenes.push_back(scene_of(options.model, group.model, robot, "robot"));
    scenes.back().source = group.model;
    if (options.q) scenes.back().q = position_vector(options.q, "--q", robot, options.deg);
  }
  tell_apart(scenes);
  const std::string title = !options.title.empty() ? options.title
                            : scenes.size() == 1   ? scenes.front().name
                                                   : "Catena";
  write_page(options.output, title, scenes, read_benchmarks(options.benchmarks));
}

}  // namespace report_command

void add_report(CLI::App& program) {
  using namespace report_command;
  const auto o = std::make_shared<Options>();
  CLI::App* command = add_command(
      program, "report", "Write one HTML page that shows robots and results in motion, and computes",
      "  catena report ur5 -o ur5.html\n"
      "  catena report my_robot.urdf --payload tool:1.5,0,0,0.1 --q 0,-1,1,0,0,0 -o look.html\n"
      "  catena simulate planar3r --time 2 -o fall.csv && catena report planar3r fall.csv -o fall.html\n"
      "  catena trajectory ur5 --to 1,-1,1,0,0,0 --time 2 -o motion.csv && catena inverse ur5 --trajectory motion.csv "
      "-o tau.csv\n"
      "  catena report ur5 motion.csv tau.csv stanford pelican -o all.html\n"
      "\n"
      "A RESULT is a file that simulate, inverse, trajectory or another command wrote with -o; it belongs to the MODEL "
      "before it.\n"
      "Results of one motion (the same number of rows, other columns) are shown together. Of several motions, the "
      "page\n"
      "shows one beside another. Columns q_ref1,… hold what a law followed. A .npy file has no names:\n"
      "torques, q with qd and qdd, or a simulation are recognized by their width. Some commands have --report FILE, "
      "which is\n"
      "shorter. The page is one file, loads nothing, and opens from disk.");
  command->add_option("MODEL", o->given, "robots as elsewhere, each followed by its RESULTs: CSV, .npy, .npz")
      ->required()
      ->type_name("");
  o->model.add_changes(*command);
  command->add_option("--q", o->q, "positions of the joints; default 0, or the middle of the limits if they exclude 0")
      ->type_name("Q1,Q2,...");
  command->add_option("--rate", o->rate, "rows per second, where a table has no column t")
      ->type_name("HZ")
      ->check(CLI::PositiveNumber.description(""));
  command->add_flag("--deg", o->deg, "revolute joints in degrees: --q, --lock, and angles in tables");
  command->add_option("--title", o->title, "title of the page; default the robot's name")->type_name("TEXT");
  command->add_option("--benchmark", o->benchmarks, "times to show as bars: a file of bench/results; repeatable")
      ->type_name("FILE")
      ->allow_extra_args(false);
  command->add_option("-o,--output", o->output, "where the page goes: FILE.html")->required()->type_name("FILE");
  command->callback([o] { run(*o); });
}

}  // namespace catena::cli

// What `make demo` shows: arms that fall, swing and follow a path, as tables and in one page in which they move and in
// which the library computes.
//   demo FOLDER TEMPLATE [BENCHMARK.json ...]
// The page is written by what stands behind `catena report`; the rest is the public library.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <numbers>
#include <string>
#include <vector>

#include "catena/catena.hpp"
#include "catena/control.hpp"
#include "catena/simulation.hpp"
#include "catena/tables.hpp"
#include "report/benchmarks.hpp"
#include "report/page.hpp"

namespace {

using namespace catena;
using Values = std::vector<double>;
namespace fs = std::filesystem;

Values in_degrees(Values angles) {
  for (double& angle : angles) angle *= std::numbers::pi / 180.0;
  return angles;
}

// A run, as a table beside the page and as a scene in it.
report::Scene simulated(const std::string& model, const TorqueLaw& law, const Values& q, double time, int samples,
                        const fs::path& table) {
  const std::string file = find_model(model);
  const Robot robot = load_robot(file);
  const Mechanism mechanism = make_mechanism(robot);
  Values times;
  for (int k = 0; k < samples; ++k) times.push_back(time * k / (samples - 1));
  report::Recording recording(robot);
  recording.add_time();
  std::vector<std::string> names{"t"};
  for (const Input input : {Input::q, Input::qd, Input::tau}) {
    recording.add_group(input);
    for (std::size_t j = 0; j < q.size(); ++j) names.push_back(joint_column(info_of(input).name, j));
  }
  TableWriter writer(table.string(), names);
  Simulation simulation(mechanism, law);
  const SimulationResult result = simulation.run(q, Values(q.size()), times, [&](const Sample& sample) {
    Values row{sample.t};
    for (const Values* part : {&sample.q, &sample.qd, &sample.tau}) row.insert(row.end(), part->begin(), part->end());
    recording.add(row);
    writer.write(row);
  });
  if (!result.complete) throw std::runtime_error(model + ": " + result.ended_by);
  writer.finish();
  for (const EventRecord& event : result.events) recording.add_event(event.t, event.what);
  std::printf("%s: %g s, %ld steps, energy balance %.1e J: %s\n", robot.name.c_str(), time, result.steps,
              result.balance, table.c_str());
  recording.complete(mechanism, {}, true);
  return {.name = robot.name,
          .kind = "simulate",
          .command = "make demo",
          .robot = robot,
          .file = file,
          .q = q,
          .recordings = {recording}};
}

// A pelican arm carries a crucible that hangs from a pivot without a motor, and a regulator keeps it from swinging.
TorqueLaw carrying() {
  const Mechanism robot = make_mechanism(load_robot(find_model("pelican_crucible")));
  const Values position_weight{100.0}, speed_weight{1.0}, torque_weight{0.01};
  return regulated_posture(robot, in_degrees({20.0, 60.0, -170.0}), [=](const StateSpace& model) {
    return diagonal_cost(model, position_weight, speed_weight, torque_weight);
  });
}

// The Stanford arm from rest to rest along a cycloid, with the torques that this takes.
report::Scene following() {
  const std::string file = find_model("stanford");
  const Robot robot = load_robot(file);
  const Mechanism mechanism = make_mechanism(robot);
  const Values start{0.0, std::numbers::pi / 2, 0.0, 0.0, 0.0, 0.0};
  Values end(6, std::numbers::pi / 3);
  end[2] = 0.1;
  const Trajectory motion = Trajectory::through(ProfileKind::cycloid, std::vector{start, end}, Values{0.0, 10.0});
  report::Recording recording(robot);
  recording.add_time();
  for (const Input input : {Input::q, Input::qd, Input::qdd}) recording.add_group(input);
  Values q(6), qd(6), qdd(6);
  for (int k = 0; k <= 1000; ++k) {
    const double t = 0.01 * k;
    motion.at(t, q, qd, qdd);
    Values row{t};
    for (const Values* part : {&q, &qd, &qdd}) row.insert(row.end(), part->begin(), part->end());
    recording.add(row);
  }
  recording.complete(mechanism, {}, false);
  return {.name = robot.name,
          .kind = "inverse",
          .command = "make demo",
          .robot = robot,
          .file = file,
          .q = start,
          .recordings = {recording}};
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 3) throw std::invalid_argument("usage: demo FOLDER TEMPLATE [BENCHMARK.json ...]");
  const fs::path folder = argv[1];
  fs::create_directories(folder);
  report::PageContent content{.title = "Catena: what it shows", .program = "catena"};
  content.scenes.push_back(following());
  content.scenes.push_back(simulated("planar3r", zero_torque(), Values(3), 5.0, 1001, folder / "planar3r_fall.csv"));
  content.scenes.push_back(simulated("pelican_crucible", carrying(), in_degrees({-30.0, 100.0, -160.0}), 4.0, 801,
                                     folder / "pelican_swing.csv"));
  if (!fs::exists(argv[2])) {
    std::printf("No page was built, so %s has tables only.\n", folder.c_str());
    return 0;
  }
  content.benchmarks = report::benchmarks_json({argv + 3, argv + argc});
  const auto warn = [](const std::string& line) { std::fprintf(stderr, "demo: %s\n", line.c_str()); };
  const std::string page = report::filled_page(report::page_template({argv[2]}), content, warn);
  const fs::path file = fs::absolute(folder / "index.html");
  write_text_file(file.string(), page);
  std::printf("Open %s in a browser (%.1f MB%s)\n", file.c_str(), double(page.size()) / 1e6,
              report::computes(page) ? "" : "; it plays but computes nothing, because it was built without Emscripten");
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "demo: %s\n", error.what());
  return 1;
}

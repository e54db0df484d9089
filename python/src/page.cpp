// The page of `catena report`, filled with robots and motions.
#include "report/page.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "arrays.hpp"
#include "bindings.hpp"

namespace catena::python {
namespace {

using report::Json;

// Whether accelerations follow from the torques alone, which dry friction does not let them.
bool slides_freely(const Robot& robot) {
  return std::none_of(robot.joints.begin(), robot.joints.end(),
                      [](const JointDescription& joint) { return joint.drive.dry_friction() != 0.0; });
}

// What the law followed.
void put_reference(report::Recording& recording, const nb::dict& motion, const Loaded& robot) {
  const auto rows = [&](const char* name, std::size_t width) {
    const std::vector<double> all = numbers(motion[name], name, recording.count() * width);
    std::vector<std::vector<double>> out;
    for (std::size_t k = 0; k < recording.count(); ++k) {
      const auto first = all.begin() + static_cast<std::ptrdiff_t>(k * width);
      out.emplace_back(first, first + static_cast<std::ptrdiff_t>(width));
    }
    return out;
  };
  if (motion.contains("q_ref")) recording.put_reference(rows("q_ref", index(robot.sizes.positions)));
  if (!motion.contains("pose_ref")) return;
  std::vector<Pose<double>> poses;
  for (const std::vector<double>& p : rows("pose_ref", 16))
    poses.push_back({{p[0], p[1], p[2], p[4], p[5], p[6], p[8], p[9], p[10]}, {p[3], p[7], p[11]}});
  recording.put_path(robot.mechanism, nb::cast<int>(motion["frame"]), nb::cast<bool>(motion["turns"]), poses);
}

// motion: the fields of catena.Motion by name, tables row by row. whole: the robot stayed the same; free: only torques
// moved it.
report::Recording recording_of(const nb::dict& motion, const Loaded& robot) {
  report::Recording recording(robot.robot);
  recording.add_time();
  std::vector<std::vector<double>> tables{numbers(motion["t"], "t")};
  std::vector<std::size_t> widths{1};
  const std::size_t rows = tables.front().size();
  for (const Input input : {Input::q, Input::qd, Input::qdd, Input::tau}) {
    const std::string name(info_of(input).name);
    if (!motion.contains(name.c_str())) continue;
    recording.add_group(input);
    widths.push_back(index(input == Input::q ? robot.sizes.positions : robot.sizes.velocities));
    tables.push_back(numbers(motion[name.c_str()], name.c_str(), rows * widths.back()));
  }
  for (const char* name : {"kinetic", "potential", "work", "losses", "external"}) {
    if (!motion.contains(name)) continue;
    recording.add_named(name);
    widths.push_back(1);
    tables.push_back(numbers(motion[name], name, rows));
  }
  std::vector<double> row;
  for (std::size_t k = 0; k < rows; ++k) {
    row.clear();
    for (std::size_t c = 0; c < tables.size(); ++c) {
      const auto first = tables[c].begin() + static_cast<std::ptrdiff_t>(k * widths[c]);
      row.insert(row.end(), first, first + static_cast<std::ptrdiff_t>(widths[c]));
    }
    recording.add(row);
  }
  for (const nb::handle event : nb::borrow<nb::list>(motion["events"]))
    recording.add_event(nb::cast<double>(event[0]), nb::cast<std::string>(event[1]));
  put_reference(recording, motion, robot);
  const bool whole = nb::cast<bool>(motion["whole"]);
  recording.complete(robot.mechanism, {}, whole && nb::cast<bool>(motion["free"]) && slides_freely(robot.robot), whole);
  return recording;
}

report::Scene scene_of(const nb::dict& given) {
  const Loaded& robot = *nb::cast<const RobotCore&>(given["robot"]).loaded;
  report::Scene scene{.name = robot.robot.name,
                      .kind = nb::cast<std::string>(given["kind"]),
                      .command = nb::cast<std::string>(given["command"]),
                      .robot = robot.robot,
                      .file = nb::cast<std::string>(given["file"])};
  scene.reading.xacro = nb::cast<std::vector<std::string>>(given["xacro"]);
  scene.reading.package_path = nb::cast<std::vector<std::string>>(given["package_path"]);
  scene.reading.python = nb::cast<std::string>(given["python"]);
  scene.notes = nb::cast<std::vector<std::string>>(given["notes"]);
  for (const nb::handle payload : nb::borrow<nb::list>(given["payloads"]))
    scene.payloads.push_back({{"frame", nb::cast<std::string>(payload[0])},
                              {"mass", nb::cast<double>(payload[1])},
                              {"com", nb::cast<std::vector<double>>(payload[2])}});
  if (robot.mechanism.coordinates.is_moving()) scene.base.assign(12, 0.0);
  if (!given["q"].is_none()) scene.q = numbers(given["q"], "q", index(robot.sizes.positions));
  if (!given["motion"].is_none())
    scene.recordings.push_back(recording_of(nb::borrow<nb::dict>(given["motion"]), robot));
  return scene;
}

// The page as bytes, and what it cannot show properly, a line each.
nb::tuple page(const std::string& template_file, const std::string& title, const nb::list& scenes) {
  report::PageContent content{.title = title, .program = "catena " CATENA_VERSION};
  for (const nb::handle scene : scenes) content.scenes.push_back(scene_of(nb::borrow<nb::dict>(scene)));
  std::vector<std::string> warnings;
  std::string text;
  {
    const nb::gil_scoped_release others_run;
    text = report::filled_page(report::page_template({template_file}), content,
                               [&](const std::string& line) { warnings.push_back(line); });
  }
  return nb::make_tuple(nb::bytes(text.data(), text.size()), warnings);
}

}  // namespace

void bind_page(nb::module_& module) { module.def("page", &page); }

}  // namespace catena::python

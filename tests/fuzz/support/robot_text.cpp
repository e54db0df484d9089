#include "fuzz/support/robot_text.hpp"

#include <array>
#include <map>
#include <string>
#include <vector>

#include "catena/mechanism.hpp"
#include "catena/robot_file.hpp"
#include "fuzz/support/input_file.hpp"
#include "fuzz/support/violation.hpp"
#include "io/visuals.hpp"

namespace catena::fuzz {
namespace {

constexpr std::size_t most_joints = 40;  // more take too long for what they can show

// What must not fail for a robot that was read.
template <class Use>
auto surely(const std::string& what, const Use& use) {
  try {
    return use();
  } catch (const ModelError& error) {
    throw Violation(what + ": " + error.what());
  }
}

// By name: the order of links may change, and poses are written as angles, in their last digit.
void require_same_parts(const Robot& robot, const Robot& again) {
  const auto links = [](const Robot& of) {
    std::map<std::string, double> all;
    for (const LinkDescription& link : of.links) all[link.name] = link.inertial.mass;
    for (const FrameDescription& frame : of.frames) all[frame.name] = -1.0;
    return all;
  };
  const auto joints = [](const Robot& of) {
    std::map<std::string, std::array<double, 5>> all;
    for (const JointDescription& j : of.joints)
      all[j.name] = {static_cast<double>(j.type), j.passive ? 1.0 : 0.0, j.limits.upper, j.drive.rotor_inertia,
                     static_cast<double>(j.coupling.terms.size())};
    return all;
  };
  require(links(robot) == links(again), "written as TOML, it has other links or frames");
  require(joints(robot) == joints(again) && robot.loops.size() == again.loops.size(),
          "written as TOML, it has other joints or loops");
}

// What is written reads back.
void read_back(const Robot& robot, std::string (*write)(const Robot&), const std::string& ending) {
  std::string text;
  or_say_why<ModelError>([&] { text = write(robot); });
  if (text.empty()) return;
  const auto read = [&] { return parse_robot(text, "written" + ending, {.lenient = robot.lenient}); };
  const Robot again = surely("what was written is not read", read);
  require(again.dof() == robot.dof(), "written as " + ending + ", it has other coordinates");
  if (ending == ".toml") require_same_parts(robot, again);
}

void hold_to_promises(const Robot& robot) {
  require(validate(robot).ok(), "a robot was read that is not valid");
  for (const Warning& warning : robot.warnings) require_readable(warning.text);
  if (robot.joints.size() > most_joints) return;
  surely("no mechanism", [&] { return make_mechanism(robot); });
  read_back(robot, to_toml, ".toml");
  if (robot.lenient) return;
  read_back(robot, to_urdf, ".urdf");
  read_back(robot, to_mjcf, ".mjcf");
  for (const DhConvention convention : {DhConvention::classic, DhConvention::modified})
    surely("no rows", [&] { return parse_toml(to_toml(dh_form(robot, convention)), "rows.toml"); });
}

}  // namespace

void read_robot_file(Input input, const std::string& ending) {
  const std::string text = as_text_of_folder(input), file = own_folder() + "/input" + ending;
  for (const bool lenient : {false, true}) {
    std::vector<std::string> notes;
    or_say_why<ModelError>([&] {
      const Robot robot = parse_robot(text, file, {.lenient = lenient, .notes = &notes});
      for (const std::string& note : notes) require_readable(note);
      hold_to_promises(robot);
    });
  }
  read_visuals(as_file({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}, "input" + ending));
}

}  // namespace catena::fuzz

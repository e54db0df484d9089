// The options that change a robot: their list, and what each of them does.
#include "catena/model_options.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "catena/changes.hpp"
#include "io/option_texts.hpp"
#include "io/text.hpp"
#include "model/free_base.hpp"
#include "model/places.hpp"

namespace catena {
namespace {

using namespace io;

// --lock elbow=0.5,wrist=1
Robot locked(const Robot& robot, const std::vector<std::string>& texts, bool degrees) {
  std::vector<JointValue> locks;
  std::vector<std::string> names;  // coupled joints too: they may be held in another position
  const std::vector<int> all = robot.tree_joints();
  for (const int j : all) names.push_back(robot.joints[index(j)].name);
  for (const std::string& text : texts)
    for (const NamedNumber& lock : parse_named(text, "--lock")) {
      const int joint = robot.joint_index(lock.name);
      if (joint >= 0 && robot.joints[index(joint)].type == JointType::fixed)
        throw OptionError(fmt::format("--lock: joint '{}' is fixed already", printable(lock.name)));
      const std::size_t q = joint_position(lock.name, "--lock", names);
      if (std::any_of(locks.begin(), locks.end(), [&](const JointValue& l) { return l.joint == lock.name; }))
        throw OptionError(fmt::format("--lock: joint '{}' is given twice", printable(lock.name)));
      locks.push_back({lock.name, lock.value * joint_unit(robot.joints[index(all[q])], degrees)});
    }
  Robot out = lock_joints(robot, locks);
  if (out.dof() == 0) throw OptionError(fmt::format("--lock: no joint of {} is left to move", printable(robot.name)));
  return out;
}

// --assembly coupler=-0.5,rocker=1.6
Robot assembled(Robot robot, std::string_view text, bool degrees) {
  if (text.starts_with("near ")) text.remove_prefix(5);
  if (robot.loops.empty()) throw OptionError(fmt::format("--assembly: {} has no closed loop", printable(robot.name)));
  std::vector<std::string> names;
  const std::vector<int> all = robot.tree_joints();
  for (const int j : all) names.push_back(robot.joints[index(j)].name);
  for (const NamedNumber& part : parse_named(std::string(text), "--assembly")) {
    const std::size_t q = joint_position(part.name, "--assembly", names);
    robot.start[part.name] = part.value * joint_unit(robot.joints[index(all[q])], degrees);
  }
  close_again(robot);
  return robot;
}

// FRAME:mass,cx,cy,cz[,ixx,iyy,izz[,ixy,ixz,iyz]]. A frame's name may contain a colon, the numbers may not.
Robot loaded(const Robot& robot, const std::string& text) {
  constexpr const char* form = "FRAME:mass,cx,cy,cz[,ixx,iyy,izz[,ixy,ixz,iyz]]";
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos) throw OptionError(fmt::format("--payload '{}': write {}", printable(text), form));
  const std::string frame = frame_to_hang_on(robot, text.substr(0, colon), "--payload");
  std::vector<double> v = parse_numbers(std::string_view(text).substr(colon + 1), "--payload");
  if (v.size() != 4 && v.size() != 7 && v.size() != 10)
    throw OptionError(fmt::format("--payload '{}' has {} numbers; write {}", printable(text), v.size(), form));
  v.resize(10);
  try {
    return add_payload(robot, frame, {v[0], {v[1], v[2], v[3]}, {v[4], v[5], v[6], v[7], v[8], v[9]}});
  } catch (const ModelError& error) {
    throw OptionError(fmt::format("--payload '{}': {}", printable(text), error.what()));
  }
}

// --friction elbow:0.5,1.2. A joint's name may contain a colon, the numbers may not.
void rub(Robot& robot, const std::string& text) {
  constexpr const char* form = "JOINT:viscous[,dry[,stribeck,speed]]";
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos) throw OptionError(fmt::format("--friction '{}': write {}", printable(text), form));
  std::vector<std::string> names;  // coupled joints too: each has friction of its own
  const std::vector<int> all = robot.tree_joints();
  for (const int j : all) names.push_back(robot.joints[index(j)].name);
  const std::size_t k = joint_position(text.substr(0, colon), "--friction", names);
  const std::vector<double> v = parse_numbers(std::string_view(text).substr(colon + 1), "--friction");
  if (v.empty() || v.size() == 3 || v.size() > 4 || std::any_of(v.begin(), v.end(), [](double x) { return x < 0.0; }))
    throw OptionError(fmt::format("--friction '{}': write {}, each 0 or more", printable(text), form));
  JointDrive& drive = robot.joints[index(all[k])].drive;
  drive.viscous = v[0];
  drive.coulomb = v.size() > 1 ? v[1] : 0.0;
  drive.stribeck = v.size() > 2 ? v[2] : 0.0;
  drive.stribeck_speed = v.size() > 2 ? v[3] : 0.0;
}

// --floating-base
Robot freed(Robot robot) {
  try {
    return on_free_base(std::move(robot));
  } catch (const ModelError& error) {
    throw OptionError(fmt::format("--floating-base: {}", error.what()));
  }
}

// --passive pivot,swing
void take_motors(Robot& robot, const std::string& text) {
  const std::vector<std::string> names = joint_names(robot);
  for (const std::string& name : split(text, ',')) {
    const int joint = robot.joint_index(name);
    if (joint >= 0 && !robot.joints[index(joint)].moves())
      throw OptionError(
          fmt::format("--passive: joint '{}' is fixed; only a joint that moves can be passive", printable(name)));
    if (joint >= 0 && robot.joints[index(joint)].is_coupled())
      throw OptionError(fmt::format("--passive: {}; only an independent joint can be passive",
                                    coupled_words(robot.joints[index(joint)])));
    robot.joints[index(robot.moving_joints()[joint_position(name, "--passive", names)])].passive = true;
  }
}

// --only crucible,ladle
Robot only(const Robot& robot, const std::vector<std::string>& texts) {
  std::vector<std::string> kept;
  for (const std::string& text : texts)
    for (const std::string& name : split(text, ',')) {
      require_link(robot, name, "--only");
      if (std::find(kept.begin(), kept.end(), name) != kept.end())
        throw OptionError(fmt::format("--only: link '{}' is given twice", printable(name)));
      kept.push_back(name);
    }
  return only_links(robot, kept);
}

// In the order in which --help lists them.
constexpr ModelOption list[] = {
    {.name = "--strict",
     .words = "treat warnings about the model and about units as errors",
     .of_reading = true,
     .flag = &ModelChanges::strict},
    {.name = "--lenient",
     .words = "warn instead of refusing: take an inertia that no body can have as written, and leave out what Catena "
              "does not understand in an MJCF or SDF file",
     .of_reading = true,
     .flag = &ModelChanges::lenient},
    {.name = "--xacro",
     .value = "NAME:=VALUE",
     .words = "an argument of a .xacro file, which the program xacro (pip install xacro) expands; repeatable",
     .of_reading = true,
     .texts = &ModelChanges::xacro},
    {.name = "--package-path",
     .value = "DIR",
     .words = "a folder with ROS packages, for $(find NAME) and package://NAME, beside ROS_PACKAGE_PATH; repeatable",
     .of_reading = true,
     .texts = &ModelChanges::package_path},
    {.name = "--lock",
     .value = "JOINT=X,...",
     .words = "fix joints at these values, rad and m (--deg: degrees); repeatable",
     .texts = &ModelChanges::locks},
    {.name = "--payload",
     .value = "FRAME:mass,cx,cy,cz[,ixx,iyy,izz[,ixy,ixz,iyz]]",
     .words = "a mass fixed to a link, a frame or the tool; mass centre and inertia about it in that frame, kg, m, "
              "kg m²; repeatable",
     .texts = &ModelChanges::payloads},
    {.name = "--friction",
     .value = "JOINT:viscous[,dry[,stribeck,speed]]",
     .words = "friction of a joint instead of the model's, N m s/rad, N m, N m and rad/s (N s/m, N, N and m/s where it "
              "slides); repeatable",
     .texts = &ModelChanges::frictions},
    {.name = "--assembly",
     .value = "JOINT=X,...",
     .words = "where the search for the joints of closed loops starts, instead of the model's start, rad and m (--deg: "
              "degrees): chooses how a linkage is assembled",
     .text = &ModelChanges::assembly},
    {.name = "--floating-base", .words = "free a base that the model fixes", .flag = &ModelChanges::floating_base},
    {.name = "--passive",
     .value = "JOINT,...",
     .words = "joints without a motor, in addition to those of the model; repeatable",
     .texts = &ModelChanges::passive},
    {.name = "--only",
     .value = "LINK,...",
     .words = "only what these links add: the others have no mass, and friction, rotors, springs and offsets are left "
              "out; repeatable",
     .of_dynamics = true,
     .texts = &ModelChanges::kept},
    {.name = "--rigid",
     .words = "leave out friction, rotor inertia, gears, springs and offsets",
     .of_dynamics = true,
     .flag = &ModelChanges::rigid},
    {.name = "--stiff",
     .words = "treat elastic joints as stiff: rotors turn with the links",
     .of_dynamics = true,
     .flag = &ModelChanges::stiff},
    {.name = "--snap",
     .value = "X",
     .words = "take rotation entries within X of 0 and ±1 as exact, and report what that changes",
     .of_dynamics = true,
     .number = &ModelChanges::snap},
    {.name = "--gravity",
     .value = "X,Y,Z",
     .words = "gravity in the base frame instead of the model's, m/s²",
     .of_dynamics = true,
     .text = &ModelChanges::gravity},
};

// Words end at blanks; a part in quotes keeps its blanks.
std::vector<std::string> words_in(std::string_view line) {
  std::vector<std::string> words;
  bool inside = false;  // of a word
  char quote = 0;
  for (const char c : line) {
    const bool blank = quote == 0 && (c == ' ' || c == '\t' || c == '\n' || c == '\r');
    if (!blank && !inside) words.emplace_back();
    inside = !blank;
    if (blank) continue;
    if (quote == 0 && (c == '"' || c == '\'')) {
      quote = c;
    } else if (c == quote) {
      quote = 0;
    } else {
      words.back() += c;
    }
  }
  if (quote != 0) throw OptionError(fmt::format("a quote {} in the options is not closed", quote));
  return words;
}

const ModelOption& option_named(const std::string& name) {
  std::vector<std::string> names;
  for (const ModelOption& option : list) {
    if (option.name == name) return option;
    names.emplace_back(option.name);
  }
  throw OptionError(fmt::format("no option '{}' of a robot{}", printable(name), suggest(name, names)));
}

}  // namespace

std::span<const ModelOption> model_options() { return list; }

ModelChanges parse_model_options(std::string_view line) {
  ModelChanges out;
  const std::vector<std::string> words = words_in(line);
  for (std::size_t k = 0; k < words.size(); ++k) {
    const std::size_t equals = words[k].starts_with("--") ? words[k].find('=') : std::string::npos;
    const ModelOption& option = option_named(words[k].substr(0, equals));
    if (option.flag != nullptr && equals == std::string::npos) {
      out.*option.flag = true;
      continue;
    }
    if (option.flag != nullptr) throw OptionError(fmt::format("{} takes no value", option.name));
    if (equals == std::string::npos && k + 1 == words.size())
      throw OptionError(fmt::format("{} needs a value: {}", option.name, option.value));
    const std::string value = equals == std::string::npos ? words[++k] : words[k].substr(equals + 1);
    if (option.texts != nullptr) (out.*option.texts).push_back(value);
    if (option.text != nullptr) out.*option.text = value;
    if (option.number != nullptr) out.*option.number = parse_number(value, option.name);
  }
  return out;
}

LoadOptions ModelChanges::reading() const {
  if (strict && lenient) throw OptionError("give either --strict or --lenient");
  return {.lenient = lenient, .xacro = xacro, .package_path = package_path};
}

Robot ModelChanges::changed(Robot robot, bool degrees) const {
  if (!assembly.empty()) robot = assembled(std::move(robot), assembly, degrees);
  if (floating_base) robot = freed(std::move(robot));
  if (!locks.empty()) robot = locked(robot, locks, degrees);
  for (const std::string& text : payloads) robot = loaded(robot, text);
  for (const std::string& text : frictions) rub(robot, text);
  for (const std::string& text : passive) take_motors(robot, text);
  return kept.empty() ? robot : only(robot, kept);
}

Robot ModelChanges::applied(Robot robot) const {
  robot = changed(std::move(robot));
  if (strict) refuse_warnings(robot);
  if (!gravity.empty()) robot.gravity = parse_vec3(gravity, "--gravity");
  return robot;
}

MechanismOptions ModelChanges::mechanism_options() const {
  if (snap && !(*snap >= 0.0 && *snap < 0.5))
    throw OptionError(fmt::format("--snap {:g}: give a small number from 0 to 0.5, such as 1e-6", *snap));
  return {.snap = snap.value_or(MechanismOptions{}.snap), .rigid = rigid, .stiff = stiff};
}

void refuse_warnings(const Robot& robot) {
  constexpr std::string_view mark = "warning: ";
  std::string lines;
  for (const Warning& warning : robot.warnings) {
    std::string line = warning.text;
    if (const std::size_t at = line.find(mark); at != std::string::npos) line.erase(at, mark.size());
    lines += (lines.empty() ? "" : "\n") + line;
  }
  if (!lines.empty()) throw ModelError(lines);
}

}  // namespace catena

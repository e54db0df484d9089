#include "options/run_events.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <memory>

#include "catena/robot_file.hpp"
#include "model/find_frame.hpp"
#include "options/model_options.hpp"
#include "options/numbers.hpp"
#include "terminal/errors.hpp"
#include "terminal/words.hpp"

namespace catena::cli {
namespace {

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  for (const std::string& word : split(text, ' '))
    if (!word.empty()) words.push_back(word);
  return words;
}

[[noreturn]] void refuse(const std::string& text) {
  throw UsageError(fmt::format("--event: '{}' is none of {}", printable(text), change_forms));
}

// The values that follow the keywords of an event that changes the robot, by keyword; each at most once.
std::map<std::string, std::string> clauses(const std::vector<std::string>& words,
                                           std::initializer_list<std::string_view> known, const std::string& text) {
  std::map<std::string, std::string> found;
  for (std::size_t k = 3; k < words.size(); k += 2) {
    const bool is_known = std::find(known.begin(), known.end(), words[k]) != known.end();
    if (!is_known || k + 1 == words.size() || !found.emplace(words[k], words[k + 1]).second) refuse(text);
  }
  return found;
}

JointDescription joint_of(const std::map<std::string, std::string>& given) {
  JointDescription joint;
  const std::string type = given.contains("as") ? given.at("as") : "fixed";
  if (type == "fixed")
    joint.type = JointType::fixed;
  else if (type == "prismatic")
    joint.type = JointType::prismatic;
  else if (type != "revolute")
    throw UsageError(fmt::format("--event: as '{}': give fixed, revolute or prismatic", printable(type)));
  if (given.contains("axis")) {
    if (joint.type == JointType::fixed) throw UsageError("--event: axis goes with as revolute and as prismatic");
    joint.axis = parse_vec3(given.at("axis"), "--event, axis");
    const double length = std::sqrt(dot(joint.axis, joint.axis));
    if (!(length > 0.0)) throw UsageError("--event: the axis must not be zero");
    joint.axis = (1.0 / length) * joint.axis;
  }
  return joint;
}

std::string text_of(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, " ")); }

// The shape is kept: the inertia scales with the mass.
std::function<void(Change&)> set_mass(const std::vector<std::string>& words) {
  const double mass = io::parse_number(words[4], "--event, set mass");
  if (!(mass > 0.0)) throw UsageError("--event: set mass: the mass must be positive");
  return [mass, link = words[3]](Change& change) {
    const Robot robot = change.assembly().robot();
    const int at = robot.link_index(link);
    if (at < 0) throw std::domain_error("no link '" + link + "' whose mass could be set");
    Inertial inertial = robot.links[static_cast<std::size_t>(at)].inertial;
    if (!(inertial.mass > 0.0)) throw std::domain_error("link '" + link + "' has no mass that could be changed");
    inertial.inertia = (mass / inertial.mass) * inertial.inertia;
    inertial.mass = mass;
    const auto [owner, name] = change.assembly().owner_of_link(link);
    change.replace_inertia(owner, name, inertial);
  };
}

Coordinate joint_named(const std::string& name, const Mechanism& robot) {
  const std::vector<std::string> names = coordinate_names(robot);
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end())
    throw UsageError(fmt::format("--event: no joint '{}'{}", printable(name), suggest(name, names)));
  return Coordinate(static_cast<int>(found - names.begin()));
}

// time:T, position:JOINT:VALUE, speed:JOINT:VALUE, frame:NAME:NX,NY,NZ,OFFSET; ":stop" at the end stops the run.
Event event_of(const std::string& text, const Mechanism& robot) {
  std::vector<std::string> parts = split(text, ':');
  const bool stop = parts.size() > 1 && parts.back() == "stop";
  if (stop) parts.pop_back();
  const auto number = [](const std::string& word) { return io::parse_number(word, "--event"); };
  Event event;
  if (parts[0] == "time" && parts.size() == 2) {
    event = at_time(number(parts[1]));
  } else if (parts[0] == "position" && parts.size() == 3) {
    const Coordinate j = joint_named(parts[1], robot);
    if (robot.coordinates.is_free() && j >= 3 && j < base_joints)
      throw UsageError(
          fmt::format("--event: the turn of a free base is not an angle, and '{}' has no position", parts[1]));
    event = at_position(static_cast<int>(robot.coordinates.position_of(j)), number(parts[2]));
  } else if (parts[0] == "speed" && parts.size() == 3) {
    event = at_speed(joint_named(parts[1], robot), number(parts[2]));
  } else if (parts[0] == "frame" && parts.size() == 3) {
    const int frame = find_frame(robot, parts[1]);
    const std::vector<double> plane = parse_numbers(parts[2], "--event");
    if (frame < 0) throw UsageError(fmt::format("--event: no frame '{}'", printable(parts[1])));
    if (plane.size() != 4) throw UsageError("--event: a plane is NX,NY,NZ,OFFSET");
    event = frame_enters(robot, frame, {plane[0], plane[1], plane[2]}, plane[3]);
  } else {
    throw UsageError(
        fmt::format("--event: '{}' is none of time:T, position:JOINT:VALUE, speed:JOINT:VALUE, "
                    "frame:NAME:NX,NY,NZ,OFFSET, each with :stop or without",
                    printable(text)));
  }
  event.name = text;
  if (stop) event.effect = [](double, auto, auto) { return EventEffect{true, {}, std::nullopt}; };
  return event;
}

}  // namespace

RunEvents::RunEvents(const std::vector<std::string>& texts, const Mechanism& robot) {
  for (const auto& frame : robot.frames) frames_.push_back(frame.name);
  for (const std::string& text : texts)
    if (words_of(text).size() > 1)  // an action follows the trigger
      occasions_.push_back(change(text));
    else
      watched_.push_back(text);
}

void RunEvents::add_to(Simulation& simulation, const Mechanism& robot) const {
  for (const std::string& text : watched_) simulation.add_event(event_of(text, robot));
}

void RunEvents::add_to(ProgressiveSimulation& simulation) const {
  for (Occasion occasion : occasions_) {
    occasion.effect = [effect = occasion.effect, phases = phases_](Change& change) {
      effect(change);
      const Assembly& now = change.assembly();
      phases->push_back({change.t(), now.robot(), tree_joint_names(now.mechanism())});
    };
    simulation.add(occasion);
  }
  for (const std::string& text : watched_)
    simulation.watch([text](const Mechanism& robot) { return event_of(text, robot); });
}

bool RunEvents::stop_run(const std::string& name) const {
  return name.ends_with(":stop") && std::find(watched_.begin(), watched_.end(), name) != watched_.end();
}

bool RunEvents::slides(const std::string& joint) const {
  return std::find(sliding_.begin(), sliding_.end(), joint) != sliding_.end();
}

RunEvents::Occasion RunEvents::change(const std::string& text) {
  const std::vector<std::string> words = words_of(text);
  if (words.size() < 3) refuse(text);
  const std::string when = words[0].starts_with("t=") ? "time:" + words[0].substr(2) : words[0];
  Occasion occasion{text, [when](const Mechanism& robot) { return event_of(when, robot); }, {}};
  if (words[1] == "attach")
    occasion.effect = attach(words);
  else if (words[1] == "detach" && words.size() == 3)
    occasion.effect = detach(words[2]);
  else if (words[1] == "close" && words.size() > 4)
    occasion.effect = close(words);
  else if (words[1] == "open" && words.size() == 3)
    occasion.effect = [loop = words[2]](Change& change) { change.open(loop); };
  else if (words[1] == "set" && words.size() == 5 && words[2] == "mass")
    occasion.effect = set_mass(words);
  else
    refuse(text);
  return occasion;
}

std::function<void(Change&)> RunEvents::attach(const std::vector<std::string>& words) {
  const std::map<std::string, std::string> given =
      clauses(words, {"at", "as", "axis", "called", "moving"}, text_of(words));
  if (!given.contains("at")) refuse(text_of(words));
  if (const std::string& frame = given.at("at");
      frame != "tool" && std::find(frames_.begin(), frames_.end(), frame) == frames_.end())
    throw UsageError(
        fmt::format("--event: no link or frame '{}' to attach to{}", printable(frame), suggest(frame, frames_)));
  const Robot robot = load_robot(find_model(words[2]));
  warn(robot.warnings);
  const std::string name = given.contains("called") ? given.at("called") : robot.name;
  if (std::find(names_.begin(), names_.end(), name) != names_.end())
    throw UsageError(
        fmt::format("--event: '{}' is attached twice; give one of them another name (called NAME)", printable(name)));
  names_.push_back(name);
  LoadMotion motion;
  if (given.contains("moving")) {
    const std::vector<double> v = parse_numbers(given.at("moving"), "--event, moving");
    if (v.size() != 6) throw UsageError("--event: moving VX,VY,VZ,WX,WY,WZ has six numbers");
    motion.velocity = {v[0], v[1], v[2]}, motion.omega = {v[3], v[4], v[5]};
  }
  JointDescription joint = joint_of(given);
  joint.name = name + "_joint";
  const auto part = std::make_shared<const Part>(robot, joint);
  const std::string prefix = given.contains("called") ? name + "_" : "";
  if (joint.type != JointType::fixed) joints_.push_back(prefix + joint.name);
  if (joint.type == JointType::prismatic) sliding_.push_back(joints_.back());
  for (const LinkDescription& link : robot.links) frames_.push_back(prefix + link.name);
  for (const FrameDescription& frame : robot.frames) frames_.push_back(prefix + frame.name);
  for (const int j : robot.moving_joints()) {
    const JointDescription& own = robot.joints[static_cast<std::size_t>(j)];
    joints_.push_back(prefix + own.name);
    if (own.type == JointType::prismatic) sliding_.push_back(joints_.back());
  }
  return [=, known = known_, frame = given.at("at")](Change& change) {
    (*known)[name] = change.attach(frame, part, prefix, motion);
  };
}

std::function<void(Change&)> RunEvents::close(const std::vector<std::string>& words) {
  const std::map<std::string, std::string> given = clauses(words, {"to", "as", "called"}, text_of(words));
  if (!given.contains("to")) refuse(text_of(words));
  LoopDescription loop;
  loop.frames = {words[2], given.at("to")};
  for (const std::string& frame : loop.frames)
    if (std::find(frames_.begin(), frames_.end(), frame) == frames_.end())
      throw UsageError(
          fmt::format("--event: no link or frame '{}' to close{}", printable(frame), suggest(frame, frames_)));
  loop.name = given.contains("called") ? given.at("called") : "loop";
  const std::string type = given.contains("as") ? given.at("as") : "fixed";
  const auto known = std::find(std::begin(loop_type_names), std::end(loop_type_names), type);
  if (known == std::end(loop_type_names))
    throw UsageError(fmt::format("--event: as '{}': give {}", printable(type), fmt::join(loop_type_names, ", ")));
  loop.type = static_cast<LoopType>(known - std::begin(loop_type_names));
  return [loop](Change& change) { change.close(loop); };
}

std::function<void(Change&)> RunEvents::detach(const std::string& name) const {
  if (std::find(names_.begin(), names_.end(), name) == names_.end())
    throw UsageError(fmt::format("--event: nothing called '{}' is attached by an event before{}", printable(name),
                                 suggest(name, names_)));
  return [known = known_, name](Change& change) {
    const auto found = known->find(name);
    if (found == known->end()) throw std::domain_error("'" + name + "' is not attached at this time");
    change.detach(found->second);
    known->erase(found);
  };
}

}  // namespace catena::cli

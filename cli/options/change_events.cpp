#include "options/change_events.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "catena/robot_file.hpp"
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

// The values behind the words of an attach event, by word; each at most once.
std::map<std::string, std::string> clauses(const std::vector<std::string>& words, std::size_t from,
                                           const std::string& text) {
  std::map<std::string, std::string> found;
  const char* known[] = {"at", "as", "axis", "called", "moving"};
  for (std::size_t k = from; k < words.size(); k += 2) {
    const bool is_known = std::find(std::begin(known), std::end(known), words[k]) != std::end(known);
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

}  // namespace

ChangeEvents::ChangeEvents(const Mechanism& robot) {
  for (const auto& frame : robot.frames) frames_.push_back(frame.name);
}

bool ChangeEvents::is_change(const std::string& text) { return words_of(text).size() > 1; }

void ChangeEvents::add(const std::string& text, const Trigger& trigger, ProgressiveSimulation& simulation) {
  const std::vector<std::string> words = words_of(text);
  if (words.size() < 3) refuse(text);
  ProgressiveSimulation::Occasion occasion;
  occasion.name = text;
  std::string when = words[0];
  if (when.starts_with("t=")) when = "time:" + when.substr(2);
  occasion.when = [when, trigger](const Mechanism& robot) { return trigger(when, robot); };
  if (words[1] == "attach")
    attach(words, occasion);
  else if (words[1] == "detach" && words.size() == 3)
    detach(words, occasion);
  else if (words[1] == "set" && words.size() == 5 && words[2] == "mass")
    set_mass(words, occasion);
  else
    refuse(text);
  simulation.add(std::move(occasion));
}

void ChangeEvents::attach(const std::vector<std::string>& words, ProgressiveSimulation::Occasion& occasion) {
  const std::map<std::string, std::string> given = clauses(words, 3, text_of(words));
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
        fmt::format("--event: '{}' is attached twice; call one of them otherwise (called NAME)", printable(name)));
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
  occasion.effect = [=, known = known_, frame = given.at("at")](Change& change) {
    (*known)[name] = change.attach(frame, part, prefix, motion);
  };
}

void ChangeEvents::detach(const std::vector<std::string>& words, ProgressiveSimulation::Occasion& occasion) {
  if (std::find(names_.begin(), names_.end(), words[2]) == names_.end())
    throw UsageError(fmt::format("--event: nothing called '{}' is attached by an event before{}", printable(words[2]),
                                 suggest(words[2], names_)));
  occasion.effect = [known = known_, name = words[2]](Change& change) {
    const auto found = known->find(name);
    if (found == known->end()) throw std::domain_error("'" + name + "' is not attached at this time");
    change.detach(found->second);
    known->erase(found);
  };
}

// The shape stays: the inertia grows with the mass.
void ChangeEvents::set_mass(const std::vector<std::string>& words, ProgressiveSimulation::Occasion& occasion) {
  const double mass = parse_numbers(words[4], "--event, set mass").front();
  if (!(mass > 0.0)) throw UsageError("--event: set mass: the mass must be positive");
  occasion.effect = [mass, link = words[3]](Change& change) {
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

}  // namespace catena::cli

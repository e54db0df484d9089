#include "catena/changes.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "catena/validate.hpp"
#include "model/free_base.hpp"
#include "model/places.hpp"
#include "model/words.hpp"

namespace catena {

using namespace words;

namespace {

JointDescription& joint_of(Robot& robot, const std::string& name) {
  const int k = robot.joint_index(name);
  if (k < 0) throw ModelError(robot.name + ": no joint '" + escaped(name) + "' that could be locked");
  return robot.joints[static_cast<std::size_t>(k)];
}

bool is_locked(const std::vector<JointValue>& locks, const std::string& joint) {
  return std::any_of(locks.begin(), locks.end(), [&](const JointValue& lock) { return lock.joint == joint; });
}

void warn(Robot& robot, const JointDescription& joint, std::string_view kind, const std::string& what) {
  robot.warnings.push_back(
      {escaped("warning: " + joint_label(joint) + ": " + what), joint_label(joint), std::string(kind)});
}

// Locking joints or adding loads changes which joints move no mass: removes the warnings that no longer hold and adds
// the new ones.
void renew_massless_warnings(Robot& robot) {
  std::vector<Problem> now;
  for (const Problem& problem : validate(robot).warnings)
    if (problem.kind == massless_kind) now.push_back(problem);
  const auto same = [](const auto& a) { return [&a](const auto& b) { return a.who == b.who; }; };
  std::erase_if(robot.warnings, [&](const Warning& w) {
    return w.kind == massless_kind && std::none_of(now.begin(), now.end(), same(w));
  });
  for (const Problem& problem : now) {
    const auto said = [&](const Warning& w) { return w.kind == massless_kind && w.who == problem.who; };
    if (std::none_of(robot.warnings.begin(), robot.warnings.end(), said))
      robot.warnings.push_back({escaped("warning: " + problem.text), problem.who, problem.kind});
  }
}

// A locked joint adds a constant to the joints coupled to it; a joint coupled to nothing else is locked with it.
std::vector<JointValue> with_followers(Robot& robot, std::vector<JointValue> locks) {
  for (std::size_t k = 0; k < locks.size(); ++k) {
    const JointValue master = locks[k];
    for (JointDescription& joint : robot.joints) {
      auto& [terms, offset] = joint.coupling;
      if (!joint.is_coupled() || is_locked(locks, joint.name)) continue;
      for (const CouplingTerm& term : terms)
        if (term.joint == master.joint) offset += term.factor * master.value;
      if (std::erase_if(terms, [&](const CouplingTerm& term) { return term.joint == master.joint; }) == 0) continue;
      if (!terms.empty()) continue;
      warn(robot, joint, "locked",
           "is coupled to '" + master.joint + "', so that it is locked with it, at " + rounded(offset));
      locks.push_back({joint.name, offset});
    }
  }
  return locks;
}

void lock(Robot& robot, const JointValue& wish) {
  JointDescription& joint = joint_of(robot, wish.joint);
  if (joint.type == JointType::fixed)
    throw ModelError(robot.name + ": " + escaped(joint_label(joint)) +
                     " cannot be locked: it is fixed, or named twice");
  if (is_free_part(robot, static_cast<std::size_t>(&joint - robot.joints.data())))
    throw ModelError(robot.name + ": " + escaped(joint_label(joint)) +
                     " cannot be locked: it is a part of the free base '" + escaped(robot.floating) + "'");
  if (!std::isfinite(wish.value))
    throw ModelError(robot.name + ": " + escaped(joint_label(joint)) + " cannot be locked at " + text(wish.value));
  if (wish.value < joint.limits.lower || wish.value > joint.limits.upper)
    warn(robot, joint, "locked",
         "locked at " + rounded(wish.value) + ", outside its limits " + rounded(joint.limits.lower) + " to " +
             rounded(joint.limits.upper));
  Pose<double> motion;
  if (joint.type == JointType::revolute) motion.R = rotation_about(joint.axis, wish.value);
  if (joint.type == JointType::prismatic) motion.p = wish.value * joint.axis;
  joint.type = JointType::fixed;
  joint.origin = joint.origin * motion;
  joint.limits = {};
  joint.drive = {};
  joint.passive = false;
  joint.elastic.reset();
  joint.coupling = {};
  std::erase(robot.independent, wish.joint);
  robot.start.erase(wish.joint);
}

std::string unused_name(const Robot& robot) {
  const auto taken = [&](const std::string& name) {
    return has_frame(robot, name) || robot.joint_index(name + "_fixed") >= 0;
  };
  std::string name = "payload";
  for (int k = 2; taken(name); ++k) name = "payload_" + std::to_string(k);
  return name;
}

}  // namespace

Robot lock_joints(const Robot& robot, const std::vector<JointValue>& locks) {
  require_valid(robot);
  Robot out = robot;
  out.tool = robot.tool_name();
  for (const JointValue& wish : with_followers(out, locks)) lock(out, wish);
  try {
    close_again(out);
  } catch (const ModelError&) {  // a loop with a locked joint leaves fewer joints independent than were named
    if (out.independent.empty()) throw;
    out.independent.clear();
    close_again(out);
    out.warnings.push_back(
        {"warning: the independent joints are chosen again, because the named ones do not suit the locked joints", "",
         "independent"});
  }
  renew_massless_warnings(out);
  return out;
}

Robot add_payload(const Robot& robot, std::string_view frame, const Inertial& payload) {
  require_valid(robot);
  Robot out = robot;
  out.tool = robot.tool_name();
  const Place place = place_of(out, frame, "a payload");
  const std::string name = unused_name(out);
  JointDescription joint;
  joint.name = name + "_fixed";
  joint.type = JointType::fixed;
  joint.parent = place.link;
  joint.child = out.add_link(name, payload);
  joint.origin = place.pose;
  out.add_joint(joint);
  require_valid(out);
  renew_massless_warnings(out);
  for (const Problem& problem : validate(out).warnings)
    if (problem.who == link_label(out, joint.child))
      out.warnings.push_back({escaped("warning: " + problem.text), problem.who, problem.kind});
  return out;
}

Robot only_links(const Robot& robot, const std::vector<std::string>& names) {
  require_valid(robot);
  Robot out = robot;
  std::vector<bool> kept(robot.links.size(), false);
  for (const std::string& name : names) {
    const int k = robot.link_index(name);
    if (k < 0) throw ModelError(robot.name + ": no link '" + escaped(name) + "' that could be kept");
    kept[static_cast<std::size_t>(k)] = true;
  }
  for (JointDescription& joint : out.joints) joint.drive = {}, joint.elastic.reset();
  std::erase_if(out.warnings, [](const Warning& w) { return w.kind == massless_kind; });
  for (int k = 0; k < static_cast<int>(out.links.size()); ++k) {
    Inertial& body = out.links[static_cast<std::size_t>(k)].inertial;
    const std::string who = link_label(out, k);
    if (!kept[static_cast<std::size_t>(k)]) {
      body = {};
      std::erase_if(out.warnings, [&](const Warning& w) { return w.who == who; });
    } else if (body.mass == 0.0 && body.inertia == Sym3<double>{}) {
      out.warnings.push_back(
          {escaped("warning: " + who + ": has neither mass nor inertia, so it adds nothing"), who, "adds nothing"});
    }
  }
  return out;
}

}  // namespace catena

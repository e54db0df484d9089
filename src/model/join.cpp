#include "catena/changes.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "catena/validate.hpp"
#include "model/places.hpp"
#include "model/words.hpp"

namespace catena {

using namespace words;

namespace {

std::string frame_label(const FrameDescription& frame) { return "frame '" + frame.name + "'"; }

std::string base_joint_name(const Robot& b) { return b.links[static_cast<std::size_t>(b.root())].name + "_joint"; }

// b, renamed where a or the new joint already uses a name.
class Renamed {
 public:
  Renamed(const Robot& a, const Robot& b, JointDescription& joint, std::string prefix)
      : a_(a), prefix_(std::move(prefix)), robot(b) {
    if (joint.name.empty()) joint.name = base_joint_name(b);
    if (a.joint_index(joint.name) >= 0) joint.name = prefix_ + joint.name;
    rename(joint.name);
    rename_loops(joint.name);
    if (b.tool.empty()) return;
    robot.tool = free_frame(b.tool);
  }

 private:
  bool joint_is_taken(const std::string& name, const std::string& between) const {
    return name == between || a_.joint_index(name) >= 0;
  }
  std::string free_frame(const std::string& name) const { return has_frame(a_, name) ? prefix_ + name : name; }

  void rename(const std::string& between) {
    for (LinkDescription& link : robot.links) link.name = free_frame(link.name), link.line = 0;
    for (FrameDescription& frame : robot.frames) frame.name = free_frame(frame.name), frame.line = 0;
    for (JointDescription& joint : robot.joints) {
      // A master that b does not have must not turn into one of a's.
      if (joint_is_taken(joint.name, between)) joint.name = prefix_ + joint.name;
      for (CouplingTerm& term : joint.coupling.terms)
        if (joint_is_taken(term.joint, between)) term.joint = prefix_ + term.joint;
      joint.line = 0;
    }
  }

  void rename_loops(const std::string& between) {
    const auto has_loop = [this](const std::string& name) {
      return std::any_of(a_.loops.begin(), a_.loops.end(), [&](const auto& loop) { return loop.name == name; });
    };
    const auto own_joint = [&](const std::string& name) {
      return joint_is_taken(name, between) ? prefix_ + name : name;
    };
    for (LoopDescription& loop : robot.loops) {
      if (has_loop(loop.name)) loop.name = prefix_ + loop.name;
      for (std::string& frame : loop.frames) frame = free_frame(frame);
      loop.line = 0;
    }
    for (std::string& name : robot.independent) name = own_joint(name);
    std::map<std::string, double> start;
    for (const auto& [name, position] : robot.start) start.emplace(own_joint(name), position);
    robot.start = std::move(start);
  }

  const Robot& a_;
  std::string prefix_;

 public:
  Robot robot;
};

// Reports the first name that occurs twice.
void require_unique(const Robot& robot, const std::string& prefix) {
  std::set<std::string> frames, joints, loops;
  const auto once = [&](std::set<std::string>& room, const std::string& name, const std::string& label) {
    if (!room.insert(name).second)
      throw ModelError(escaped(robot.name + ": " + label + " is used twice, even with the prefix '" + prefix +
                               "'; give another prefix"));
  };
  for (const LinkDescription& link : robot.links) once(frames, link.name, "link '" + link.name + "'");
  for (const FrameDescription& frame : robot.frames) once(frames, frame.name, frame_label(frame));
  for (const JointDescription& joint : robot.joints) once(joints, joint.name, joint_label(joint));
  for (const LoopDescription& loop : robot.loops) once(loops, loop.name, "loop '" + loop.name + "'");
}

void append(const Robot& b, const Place& place, JointDescription joint, Robot& out) {
  const int first = static_cast<int>(out.links.size());
  out.links.insert(out.links.end(), b.links.begin(), b.links.end());
  joint.parent = place.link;
  joint.child = first + b.root();
  joint.origin = place.pose * joint.origin;
  joint.line = 0;
  out.joints.push_back(std::move(joint));
  for (JointDescription own : b.joints) {
    own.parent += first, own.child += first;
    out.joints.push_back(std::move(own));
  }
  for (FrameDescription own : b.frames) {
    own.link += first;
    out.frames.push_back(std::move(own));
  }
  out.loops.insert(out.loops.end(), b.loops.begin(), b.loops.end());
  out.independent.insert(out.independent.end(), b.independent.begin(), b.independent.end());
  out.start.insert(b.start.begin(), b.start.end());
}

// The new label for a warning about b, after b's links and joints were renamed and renumbered.
std::string new_label(const std::string& who, const Robot& b, const Robot& renamed, const Robot& out) {
  const int first = static_cast<int>(out.links.size() - b.links.size());
  for (int k = 0; k < static_cast<int>(b.links.size()); ++k)
    if (link_label(b, k) == who) return link_label(out, first + k);
  for (std::size_t k = 0; k < b.joints.size(); ++k)
    if (joint_label(b.joints[k]) == who) return joint_label(renamed.joints[k]);
  for (std::size_t k = 0; k < b.frames.size(); ++k)
    if (frame_label(b.frames[k]) == who) return frame_label(renamed.frames[k]);
  return who;
}

using Said = std::set<std::pair<std::string, std::string>>;  // who and kind

// `out` has both robots' warnings, b's under their new labels; removes those that no longer hold and adds the new
// ones.
void renew_warnings(const Said& before, Robot& out) {
  const Findings findings = validate(out);
  Said now;
  for (const Problem& problem : findings.warnings) now.emplace(problem.who, problem.kind);
  std::erase_if(out.warnings, [&](const Warning& w) {
    return before.contains({w.who, w.kind}) && !now.contains({w.who, w.kind});
  });
  for (const Problem& problem : findings.warnings)
    if (!before.contains({problem.who, problem.kind}))
      out.warnings.push_back({escaped("warning: " + problem.text), problem.who, problem.kind});
}

}  // namespace

Robot join(const Robot& a, std::string_view frame, const Robot& b, JointDescription joint, std::string_view prefix) {
  require_valid(a);
  require_valid(b);
  if (!b.floating.empty())
    throw ModelError(
        escaped(b.name + ": has a free base, joint '" + b.floating + "', and cannot be mounted on another robot"));
  const Place place = place_of(a, frame, "'" + escaped(b.name) + "'");
  const std::string before = prefix.empty() ? b.name + "_" : std::string(prefix);
  const Renamed moved(a, b, joint, before);
  Robot out = a;
  out.name = a.name + " with " + b.name;
  out.lenient = a.lenient || b.lenient;
  out.tool = b.tool.empty() && b.dof() == 0 ? a.tool_name() : moved.robot.tool_name();
  append(moved.robot, place, std::move(joint), out);
  require_unique(out, before);
  require_valid(out);
  close_again(out);
  Said said;
  for (const Problem& problem : validate(a).warnings) said.emplace(problem.who, problem.kind);
  for (const Problem& problem : validate(b).warnings)
    said.emplace(new_label(problem.who, b, moved.robot, out), problem.kind);
  for (const Warning& warning : b.warnings)
    out.warnings.push_back({warning.text, new_label(warning.who, b, moved.robot, out), warning.kind});
  renew_warnings(said, out);
  return out;
}

}  // namespace catena

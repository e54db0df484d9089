#include "model/check_couplings.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "catena/math/index.hpp"
#include "model/words.hpp"

namespace catena {

using namespace words;

namespace {

class Couplings {
 public:
  Couplings(const Robot& robot, Findings& findings) : robot_(robot), findings_(findings) {
    for (std::size_t k = 0; k < robot.joints.size(); ++k)
      joint_by_name_.try_emplace(robot.joints[k].name, static_cast<int>(k));
  }

  void check() {
    for (const JointDescription& joint : robot_.joints)
      if (!joint.coupling.terms.empty()) check_joint(joint);
    check_circles();
  }

 private:
  void error(const JointDescription& joint, const std::string& what) {
    findings_.errors.push_back({joint.line, joint_label(joint) + ": " + what});
  }

  void check_joint(const JointDescription& joint) {
    const auto& [terms, offset] = joint.coupling;
    const std::string& first = terms.front().joint;
    if (!std::isfinite(offset)) error(joint, "offset of its coupling " + text(offset) + " must be a finite number");
    if (!joint.moves() && printable(first))
      return findings_.warnings.push_back(
          {joint.line, joint_label(joint) + ": is fixed, so that its coupling to " + quoted(first) + " has no effect",
           joint_label(joint), "coupling of a fixed joint"});
    if (joint.passive) error(joint, "is coupled and cannot be passive: it moves with " + quoted(first));
    for (std::size_t k = 0; k < terms.size(); ++k) check_term(joint, k);
  }

  void check_term(const JointDescription& joint, std::size_t k) {
    const auto& terms = joint.coupling.terms;
    const auto& [name, factor] = terms[k];
    if (!printable(name)) return error(joint, "is coupled to a name that has control characters or is not UTF-8");
    const std::string who = "is coupled to " + quoted(name);
    const auto found = joint_by_name_.find(name);
    if (found == joint_by_name_.end())
      error(joint, who + ", which is not a joint of this robot");
    else if (!robot_.joints[index(found->second)].moves())
      error(joint, who + ", which is fixed");
    const auto here = terms.begin() + static_cast<std::ptrdiff_t>(k);
    if (std::any_of(terms.begin(), here, [&name = name](const CouplingTerm& other) { return other.joint == name; }))
      error(joint, who + " twice; give one factor");
    if (!std::isfinite(factor))
      error(joint, who + " by " + text(factor) + "; its factor must be a finite number");
    else if (factor == 0.0)
      error(joint, who + " with factor 0; give another factor, or leave it out");
  }

  // Follows couplings from every joint, once each; a walk that returns to a joint on its path has found a cycle.
  void check_circles() {
    enum class Mark { none, on_the_way, done };
    struct Step {
      int joint = 0;
      std::size_t next = 0;  // index into its terms
    };
    std::vector<Mark> marks(robot_.joints.size(), Mark::none);
    std::vector<Step> way;
    const auto enter = [&](int k) {
      marks[index(k)] = Mark::on_the_way;
      way.push_back({k});
    };
    for (int start = 0; start < static_cast<int>(robot_.joints.size()); ++start) {
      if (marks[index(start)] == Mark::none) enter(start);
      while (!way.empty()) {
        const JointDescription& joint = robot_.joints[index(way.back().joint)];
        const auto& terms = joint.coupling.terms;
        if (!joint.moves() || way.back().next == terms.size()) {  // those of a fixed joint have no effect
          marks[index(way.back().joint)] = Mark::done;
          way.pop_back();
          continue;
        }
        const auto found = joint_by_name_.find(terms[way.back().next++].joint);
        if (found == joint_by_name_.end()) continue;
        const int k = found->second;
        if (marks[index(k)] == Mark::none)
          enter(k);
        else if (marks[index(k)] == Mark::on_the_way) {
          std::vector<int> circle;
          for (auto step = way.rbegin(); circle.empty() || circle.back() != k; ++step) circle.push_back(step->joint);
          report_circle(circle);
        }
      }
    }
  }

  // The list is a cycle: each joint follows the one before it, and the first follows the last.
  void report_circle(const std::vector<int>& circle) {
    const auto name = [&](int k) { return quoted(robot_.joints[index(k)].name); };
    const JointDescription& first = robot_.joints[index(circle.back())];
    if (circle.size() == 1) return error(first, "is coupled to itself");
    std::string names = name(circle.back());
    const std::size_t shown = std::min<std::size_t>(circle.size(), 10);
    for (std::size_t k = 2; k <= shown; ++k) names += " -> " + name(circle[circle.size() - k]);
    if (shown < circle.size()) names += " -> ...";
    error(first, "its coupling leads back to itself, " + names + " -> " + name(circle.back()) +
                     "; one of them must be independent");
  }

  const Robot& robot_;
  Findings& findings_;
  std::unordered_map<std::string_view, int> joint_by_name_;
};

}  // namespace

void check_couplings(const Robot& robot, Findings& findings) { Couplings(robot, findings).check(); }

}  // namespace catena

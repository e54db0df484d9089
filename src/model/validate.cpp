#include "catena/validate.hpp"
#include "catena/math/index.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "catena/model/forces.hpp"
#include "model/check_couplings.hpp"
#include "model/check_density.hpp"
#include "model/check_free_base.hpp"
#include "model/close_loops.hpp"
#include "model/words.hpp"

namespace catena {

using namespace words;

namespace {

// Files print moments with about seven digits: an error in the last digit is accepted.
constexpr double moment_rounding = 1e-6;
constexpr double unit_rounding = 1e-9;  // of axes and rotation matrices built in code

// Likely unit mistakes (docs/robot-files.md). Nothing on a fixed base is larger; a mistake is a factor of 57 or more.
constexpr double longest_offset = 20.0;                 // m; if larger, probably mm
constexpr double largest_gravity = 100.0;               // m/s²; if larger, probably mm/s²
constexpr double widest_turn = 4.0 * std::numbers::pi;  // rad; if larger, probably degrees ...
constexpr double unlimited_turn = 1000.0;               // ... unless it means "no limit"

bool finite(const Vec3<double>& v) { return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z); }
bool finite(const Mat3<double>& m) { return finite(m.column_x()) && finite(m.column_y()) && finite(m.column_z()); }
bool finite(const Sym3<double>& m) { return finite(m.full()); }

double length(const Vec3<double>& v) { return std::hypot(v.x, v.y, v.z); }

// What a problem is about: every message starts with its name and has its line.
class Subject {
 public:
  Subject(Findings& findings, std::string who, int line) : findings_(findings), who_(std::move(who)), line_(line) {}

  void error(const std::string& what) const { findings_.errors.push_back({line_, sentence(what)}); }
  void warning(std::string_view kind, const std::string& what) const {
    findings_.warnings.push_back({line_, sentence(what), who_, std::string(kind)});
  }

  bool finite_number(const char* what, double value) const {
    if (!std::isfinite(value)) error(std::string(what) + " " + text(value) + " must be a finite number");
    return std::isfinite(value);
  }
  void not_negative(const char* what, double value) const {
    if (finite_number(what, value) && value < 0.0)
      error(std::string(what) + " " + text(value) + " must not be negative");
  }
  bool finite_vector(const char* what, const Vec3<double>& v) const {
    if (!finite(v)) error(std::string(what) + " " + text(v) + " must be finite numbers");
    return finite(v);
  }
  void not_far(const char* what, const Vec3<double>& v) const {
    if (finite_vector(what, v) && length(v) > longest_offset)
      warning("millimetres", std::string(what) + " " + text(v) + " is " + rounded(length(v)) +
                                 " m long; millimetres instead of metres?");
  }
  void pose(const char* what, const Pose<double>& pose) const {
    not_far(what, pose.p);
    const Mat3<double> rtr = pose.R.transpose() * pose.R;
    const Vec3<double> off_x = rtr.column_x() - Vec3<double>{1, 0, 0}, off_y = rtr.column_y() - Vec3<double>{0, 1, 0},
                       off_z = rtr.column_z() - Vec3<double>{0, 0, 1};
    const double off = std::max({length(off_x), length(off_y), length(off_z)});
    const double turn = dot(cross(pose.R.column_x(), pose.R.column_y()), pose.R.column_z());
    // Written so that NaN fails too.
    if (!(off <= unit_rounding && turn > 0.0)) error(std::string(what) + ": its matrix R is not a rotation");
  }

 private:
  std::string sentence(const std::string& what) const { return who_.empty() ? what : who_ + ": " + what; }

  Findings& findings_;
  std::string who_;
  int line_;
};

// The links whose inertia can affect a torque: those that a revolute joint turns. All links while their connections are
// unknown.
std::vector<bool> turned_links(const Robot& robot) {
  const auto count = robot.links.size();
  const auto known = [&](int k) { return k >= 0 && static_cast<std::size_t>(k) < count; };
  std::vector<const JointDescription*> joint_of(count, nullptr);
  for (const JointDescription& joint : robot.joints) {
    if (!known(joint.parent) || !known(joint.child)) return std::vector<bool>(count, true);
    joint_of[static_cast<std::size_t>(joint.child)] = &joint;
  }
  std::vector<bool> turned(count, false);
  for (std::size_t k = 0; k < count; ++k) {
    const JointDescription* joint = joint_of[k];
    for (std::size_t steps = 0; joint != nullptr && !turned[k] && steps < count; ++steps) {  // ends even in a loop
      turned[k] = joint->type == JointType::revolute;
      joint = joint_of[static_cast<std::size_t>(joint->parent)];
    }
  }
  return turned;
}

// Rounding error on the scale of the inertia of the whole robot, mass x length²: indistinguishable from zero.
double inertia_rounding(const Robot& robot) {
  double mass = 0.0, size = 0.0;
  for (const LinkDescription& link : robot.links) {
    mass += std::max(0.0, link.inertial.mass);
    size = std::max(size, length(link.inertial.com));
  }
  for (const JointDescription& joint : robot.joints)
    size = std::max({size, length(joint.origin.p), length(joint.child_frame.p)});
  const double rounding = std::numeric_limits<double>::epsilon() * mass * size * size;
  return std::isfinite(rounding) ? rounding : 0.0;
}

class RobotCheck {
 public:
  RobotCheck(const Robot& robot, Findings& findings)
      : robot_(robot), findings_(findings), turned_(turned_links(robot)), rounding_(inertia_rounding(robot)) {}

  void check() {
    check_robot();
    for (int k = 0; k < static_cast<int>(robot_.links.size()); ++k) check_link(k);
    for (const JointDescription& joint : robot_.joints) check_joint(joint);
    check_couplings(robot_, findings_);
    check_loops(robot_, findings_);
    for (const FrameDescription& frame : robot_.frames) check_frame(frame);
    const bool known = robot_.tool.empty() || seen_frames_.contains(robot_.tool);
    if (!known) Subject(findings_, "", 0).error("tool '" + robot_.tool + "' is not a link or frame of the robot");
  }

 private:
  void check_robot() {
    const Subject subject(findings_, "", 0);
    if (!printable(robot_.name))
      Subject(findings_, "", robot_.line)
          .error("name '" + robot_.name + "' of the robot has control characters or is not UTF-8");
    if (subject.finite_vector("gravity", robot_.gravity) && length(robot_.gravity) > largest_gravity)
      subject.warning("gravity", "gravity " + text(robot_.gravity) + " is over " + rounded(largest_gravity) +
                                     " m/s²; millimetres instead of metres?");
  }

  void check_name(const Subject& subject, const std::string& name, const char* kind, int line,
                  std::unordered_map<std::string, int>& seen) {
    if (name.empty()) return subject.error("name is empty; give every " + std::string(kind) + " one");
    if (!printable(name)) subject.error("name has control characters or is not UTF-8");
    const auto [first, is_new] = seen.try_emplace(name, line);
    if (is_new) return;
    const std::string where = first->second > 0 ? " (first on line " + std::to_string(first->second) + ")" : "";
    subject.error("name is used twice" + where + "; names must be unique");
  }

  void check_link(int k) {
    const LinkDescription& link = robot_.links[static_cast<std::size_t>(k)];
    const Subject subject(findings_, link_label(robot_, k), link.line);
    check_name(subject, link.name, "link", link.line, seen_frames_);
    const Inertial& body = link.inertial;
    subject.not_negative("mass", body.mass);
    if (std::fpclassify(body.mass) == FP_SUBNORMAL) subject.error("mass " + text(body.mass) + " is too small; give 0");
    if (body.mass > largest_mass && std::isfinite(body.mass))
      subject.warning("grams",
                      "mass " + text(body.mass) + " kg is over " + rounded(largest_mass) + " kg; grams instead of kg?");
    subject.not_far("com", body.com);
    if (finite(body.inertia))
      check_moments(subject, body, turned_[static_cast<std::size_t>(k)]);
    else
      subject.error("inertia must be finite numbers");
  }

  void check_moments(const Subject& subject, const Inertial& body, bool turned) const {
    const Vec3<double> moments = eigenvalues(body.inertia);
    const double largest = std::max(std::abs(moments.x), std::abs(moments.z));
    const std::string printed = rounded(moments.z) + ", " + rounded(moments.y) + ", " + rounded(moments.x);
    if (moments.x < -moment_rounding * largest) return report_indefinite(subject, moments.x, printed, turned);
    if (moments.x + moments.y < moments.z - moment_rounding * largest)
      subject.warning("triangle inequality", "principal moments " + printed + " violate the triangle inequality (" +
                                                 rounded(moments.z) + " > " + rounded(moments.y) + " + " +
                                                 rounded(moments.x) + "): no rigid body has them");
    const double gyration = body.mass > 0.0 ? std::sqrt(moments.z / body.mass) : 0.0;
    if (gyration > longest_offset)
      subject.warning("radius of gyration",
                      "inertia means a radius of gyration of " + rounded(gyration) + " m; kg mm² instead of kg m²?");
  }

  // An error if accelerations could come out wrong, unless the user has accepted that (lenient).
  void report_indefinite(const Subject& subject, double least, const std::string& moments, bool turned) const {
    const std::string what = "inertia is not positive semidefinite (eigenvalues " + moments + ")";
    if (!turned)
      subject.warning("inertia that nothing turns", what + "; no joint turns this link, so it has no effect");
    else if (least >= -rounding_)
      subject.warning("inertia by rounding",
                      what + ", by less than rounding on the scale of the robot's mass x length²");
    else if (robot_.lenient)
      subject.warning("inertia", what + ": no real body has it; taken as written");
    else
      subject.error(what + ": no real body has it; --lenient takes it as written");
  }

  void check_joint(const JointDescription& joint) {
    const Subject subject(findings_, joint_label(joint), joint.line);
    check_name(subject, joint.name, "joint", joint.line, seen_joints_);
    subject.pose("origin", joint.origin);
    subject.pose("child frame", joint.child_frame);
    if (joint.type != JointType::fixed) check_axis(subject, joint.axis);
    check_limits(subject, joint);
    subject.not_negative("viscous friction", joint.drive.viscous);
    subject.not_negative("coulomb friction", joint.drive.coulomb);
    subject.not_negative("rotor inertia", joint.drive.rotor_inertia);
    subject.not_negative("spring stiffness", joint.drive.spring);
    subject.finite_number("spring rest position", joint.drive.spring_rest);
    subject.finite_number("offset", joint.drive.offset);
    subject.not_negative("stribeck friction", joint.drive.stribeck);
    subject.not_negative("stribeck speed", joint.drive.stribeck_speed);
    if (joint.drive.stribeck > 0.0 && joint.drive.stribeck_speed == 0.0)
      subject.error("stribeck speed 0 must be positive where there is stribeck friction");
    if (subject.finite_number("gear ratio", joint.drive.gear_ratio) && joint.drive.gear_ratio == 0.0 &&
        joint.drive.rotor_inertia != 0.0)
      subject.error("gear ratio 0 must not be zero where there is a rotor");
    for (const auto& [constant, value] : joint.drive.more)
      if (subject.finite_number(constant.c_str(), value) && !AllForces::know(constant))
        subject.error("no joint force has a constant '" + words::escaped(constant) + "'");
    if (joint.passive && joint.type == JointType::fixed)
      subject.error("is fixed and cannot be passive: only a joint that moves can lack a motor");
  }

  static void check_axis(const Subject& subject, const Vec3<double>& axis) {
    if (!subject.finite_vector("axis", axis)) return;
    if (length(axis) == 0.0) return subject.error("axis " + text(axis) + " has zero length; give a direction");
    if (std::abs(length(axis) - 1.0) > unit_rounding)
      subject.error("axis " + text(axis) + " has length " + rounded(length(axis)) + "; give it length 1");
  }

  static void check_limits(const Subject& subject, const JointDescription& joint) {
    const JointLimits& limits = joint.limits;
    const std::array<std::pair<const char*, double>, 4> all{
        {{"lower", limits.lower}, {"upper", limits.upper}, {"velocity", limits.velocity}, {"effort", limits.effort}}};
    for (const auto& [what, value] : all)
      if (std::isnan(value)) subject.error(std::string(what) + " limit nan must be a number");
    if (limits.lower > limits.upper)
      subject.warning("reversed limits",
                      "limits are reversed: lower " + text(limits.lower) + " > upper " + text(limits.upper));
    if (limits.velocity < 0.0)
      subject.warning("negative limit", "velocity limit " + text(limits.velocity) + " is negative");
    if (limits.effort < 0.0) subject.warning("negative limit", "effort limit " + text(limits.effort) + " is negative");
    for (const double turn : {limits.lower, limits.upper}) {
      if (joint.type != JointType::revolute || std::abs(turn) <= widest_turn || std::abs(turn) > unlimited_turn)
        continue;
      return subject.warning("degrees",
                             "limit " + text(turn) + " rad is more than two turns; degrees instead of radians?");
    }
  }

  void check_frame(const FrameDescription& frame) {
    const Subject subject(findings_, "frame '" + frame.name + "'", frame.line);
    check_name(subject, frame.name, "frame", frame.line, seen_frames_);
    if (frame.link < 0 || frame.link >= static_cast<int>(robot_.links.size()))
      subject.error("its link must be a link of the robot");
    subject.pose("pose", frame.pose);
  }

  const Robot& robot_;
  Findings& findings_;
  std::vector<bool> turned_;  // by link
  double rounding_;
  std::unordered_map<std::string, int> seen_frames_;  // links and frames share a namespace: --frame finds both
  std::unordered_map<std::string, int> seen_joints_;
};

class Connections {
 public:
  Connections(const Robot& robot, Findings& findings)
      : robot_(robot), findings_(findings), joint_of_(robot.links.size(), none) {}

  void check() {
    if (robot_.links.empty()) return findings_.errors.push_back({0, "the robot has no links; it needs at least one"});
    const std::size_t before = findings_.errors.size();
    if (!connect()) return;  // invalid indices: no other check is possible
    check_roots();
    check_loops();
    if (findings_.errors.size() == before) check_free_base(robot_, findings_), check_elastic(robot_, findings_);
    if (findings_.errors.size() == before) check_massless_leaves();
    if (findings_.errors.size() == before) check_density(robot_, findings_);
  }

 private:
  static constexpr int none = -1;

  const LinkDescription& link(int k) const { return robot_.links[static_cast<std::size_t>(k)]; }
  int& joint_of(int k) { return joint_of_[static_cast<std::size_t>(k)]; }
  const JointDescription& joint(int k) const { return robot_.joints[static_cast<std::size_t>(k)]; }
  void error(const JointDescription& j, const std::string& what) {
    findings_.errors.push_back({j.line, joint_label(j) + ": " + what});
  }

  // Fills joint_of: the joint whose child a link is.
  bool connect() {
    const int count = static_cast<int>(robot_.links.size());
    bool in_range = true;
    for (int k = 0; k < static_cast<int>(robot_.joints.size()); ++k) {
      const JointDescription& j = joint(k);
      if (j.parent < 0 || j.parent >= count || j.child < 0 || j.child >= count) {
        error(j, "parent and child must be links of the robot");
        in_range = false;
      } else if (j.parent == j.child) {
        error(j, "parent and child are the same link '" + link(j.child).name + "'");
        self_jointed_.push_back(j.child);
      } else if (joint_of(j.child) == none) {
        joint_of(j.child) = k;
      } else {
        error(j, "link '" + link(j.child).name + "' is already the child of joint '" + joint(joint_of(j.child)).name +
                     "'; a link has one parent");
      }
    }
    return in_range;
  }

  void check_roots() {
    int root = none;
    for (int k = 0; k < static_cast<int>(robot_.links.size()); ++k) {
      const bool reported = std::find(self_jointed_.begin(), self_jointed_.end(), k) != self_jointed_.end();
      if (joint_of(k) != none || reported) continue;
      if (root == none)
        root = k;
      else
        findings_.errors.push_back(
            {link(k).line, link_label(robot_, k) + ": no joint connects it to the base '" + link(root).name + "'"});
    }
  }

  // Walks towards the base from every link; a walk that meets itself is a loop.
  void check_loops() {
    std::vector<int> walk_of(robot_.links.size(), none);
    for (int start = 0; start < static_cast<int>(robot_.links.size()); ++start) {
      int k = start;
      while (walk_of[static_cast<std::size_t>(k)] == none) {
        walk_of[static_cast<std::size_t>(k)] = start;
        if (joint_of(k) == none) break;
        k = joint(joint_of(k)).parent;
      }
      const bool closed = joint_of(k) != none && walk_of[static_cast<std::size_t>(k)] == start;
      if (closed) report_loop(k);
    }
  }

  void report_loop(int start) {
    std::vector<int> loop;
    for (int k = start; loop.empty() || k != start; k = joint(joint_of(k)).parent) loop.push_back(k);
    std::string names = "'" + link(start).name + "'";
    const std::size_t shown = std::min<std::size_t>(loop.size(), 10);
    for (std::size_t i = 1; i < shown; ++i) names += " -> '" + link(loop[loop.size() - i]).name + "'";
    if (shown < loop.size()) names += " -> ...";
    error(joint(joint_of(start)), "links " + names + " -> '" + link(start).name +
                                      "' form a loop of joints; leave out one of them and close the tree with a loop");
  }

  // A joint that moves nothing with mass: its row of the inertia matrix is zero, and no torque can accelerate it. A
  // coupled joint is exempt: the joints it follows are accelerated.
  void check_massless_leaves() {
    std::vector<bool> heavy(robot_.links.size(), false);
    for (int k = 0; k < static_cast<int>(robot_.links.size()); ++k) {
      if (link(k).inertial.mass == 0.0 && link(k).inertial.inertia == Sym3<double>{} && !closes_loop(robot_, k))
        continue;
      for (int i = k; !heavy[static_cast<std::size_t>(i)]; i = joint(joint_of(i)).parent) {
        heavy[static_cast<std::size_t>(i)] = true;
        if (joint_of(i) == none) break;
      }
    }
    const std::vector<bool> accelerated = with_masters(heavy);
    for (std::size_t k = 0; k < robot_.joints.size(); ++k) {
      const JointDescription& j = robot_.joints[k];
      if (!j.moves() || j.is_coupled() || accelerated[k]) continue;
      Subject(findings_, joint_label(j), j.line)
          .warning(massless_kind, "moves no mass (link '" + link(j.child).name +
                                      "' and all beyond it are massless); forward dynamics will be singular");
    }
  }

  // By joint: whether it, or a joint coupled to it, moves a link with mass or a rotor.
  std::vector<bool> with_masters(const std::vector<bool>& heavy) const {
    std::unordered_map<std::string_view, std::size_t> joint_by_name;
    std::vector<bool> out(robot_.joints.size(), false);
    std::vector<std::size_t> open;
    for (std::size_t k = 0; k < robot_.joints.size(); ++k) {
      const JointDescription& j = robot_.joints[k];
      joint_by_name.try_emplace(j.name, k);
      out[k] = heavy[static_cast<std::size_t>(j.child)] || (j.moves() && j.drive.rotor_inertia > 0.0);
      if (out[k]) open.push_back(k);
    }
    while (!open.empty()) {
      const JointDescription& j = robot_.joints[open.back()];
      open.pop_back();
      if (!j.is_coupled()) continue;
      for (const CouplingTerm& term : j.coupling.terms) {
        const auto master = joint_by_name.find(term.joint);
        if (master == joint_by_name.end() || out[master->second]) continue;
        out[master->second] = true;
        open.push_back(master->second);
      }
    }
    return out;
  }

  const Robot& robot_;
  Findings& findings_;
  std::vector<int> joint_of_;
  std::vector<int> self_jointed_;  // links already reported, whatever their other connections
};

}  // namespace

Findings validate_parts(const Robot& robot) {
  Findings findings;
  RobotCheck(robot, findings).check();
  return findings;
}

Findings validate_tree(const Robot& robot) {
  Findings findings;
  Connections(robot, findings).check();
  return findings;
}

Findings validate(const Robot& robot) {
  Findings findings = validate_parts(robot);
  const Findings tree = validate_tree(robot);
  findings.errors.insert(findings.errors.end(), tree.errors.begin(), tree.errors.end());
  findings.warnings.insert(findings.warnings.end(), tree.warnings.begin(), tree.warnings.end());
  return findings;
}

std::string format_problems(const std::string& file, const std::vector<Problem>& problems) {
  std::string lines;
  for (const Problem& problem : problems) {
    if (!lines.empty()) lines += '\n';
    if (!file.empty()) lines += escaped(file) + ":";
    if (problem.line > 0) lines += std::to_string(problem.line) + ":";
    if (!file.empty() || problem.line > 0) lines += ' ';
    lines += one_line(problem.text);
  }
  return lines;
}

}  // namespace catena

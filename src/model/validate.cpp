#include "catena/model/validate.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace catena {

namespace {

// Moments are printed with about seven digits in files: what a file's last digit can cause is not an error.
constexpr double moment_rounding = 1e-6;
constexpr double unit_rounding = 1e-9;  // of axes and rotation matrices built in code

// Likely unit slips (docs/robot-files.md). Nothing on a fixed base is larger; a slip misses by a factor of 57 or more.
constexpr double longest_offset = 20.0;                 // m; else probably mm
constexpr double largest_mass = 1e4;                    // kg; else probably g
constexpr double largest_gravity = 100.0;               // m/s²; else probably mm/s²
constexpr double widest_turn = 4.0 * std::numbers::pi;  // rad; else probably degrees ...
constexpr double unlimited_turn = 1000.0;               // ... unless it stands for "no limit"

std::string text(double value) {
  std::array<char, 32> buffer{};
  return {buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr};
}
std::string rounded(double value) {
  std::array<char, 32> buffer{};
  return {buffer.data(),
          std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::general, 6).ptr};
}
std::string text(const Vec3<double>& v) {
  return std::string("[").append(text(v.x) + " " + text(v.y) + " " + text(v.z)).append("]");
}

bool finite(const Vec3<double>& v) { return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z); }
bool finite(const Mat3<double>& m) { return finite(m.column_x()) && finite(m.column_y()) && finite(m.column_z()); }
bool finite(const Sym3<double>& m) { return finite(m.full()); }

double length(const Vec3<double>& v) { return std::hypot(v.x, v.y, v.z); }

// Bytes of the character a text starts with: well-formed UTF-8 and no control character, what every output format can
// carry. 0 for anything else.
std::size_t printable_prefix(std::string_view text) {
  const auto byte = [&](std::size_t k) { return k < text.size() ? static_cast<unsigned char>(text[k]) : 0U; };
  const unsigned lead = byte(0);
  if (lead < 0x80) return lead < 0x20 || lead == 0x7F ? 0 : 1;
  if (lead < 0xC2 || lead > 0xF4) return 0;
  const std::size_t length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  for (std::size_t k = 1; k < length; ++k)
    if ((byte(k) & 0xC0U) != 0x80U) return 0;
  const bool overlong = (lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xF0 && byte(1) < 0x90);
  const bool surrogate = lead == 0xED && byte(1) > 0x9F;
  const bool beyond = lead == 0xF4 && byte(1) > 0x8F;
  return overlong || surrogate || beyond ? 0 : length;
}

bool printable(std::string_view name) {
  while (!name.empty()) {
    const std::size_t length = printable_prefix(name);
    if (length == 0) return false;
    name.remove_prefix(length);
  }
  return true;
}

// Who a problem belongs to: every sentence starts with its name and carries its line.
class Subject {
 public:
  Subject(Findings& findings, std::string who, int line) : findings_(findings), who_(std::move(who)), line_(line) {}

  void error(const std::string& what) const { findings_.errors.push_back({line_, who_ + what}); }
  void warning(const std::string& what) const { findings_.warnings.push_back({line_, who_ + what}); }

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
      warning(std::string(what) + " " + text(v) + " is " + rounded(length(v)) +
              " m long; millimetres instead of metres?");
  }
  void pose(const char* what, const Pose<double>& pose) const {
    not_far(what, pose.p);
    const Mat3<double> rtr = pose.R.transpose() * pose.R;
    const Vec3<double> off_x = rtr.column_x() - Vec3<double>{1, 0, 0}, off_y = rtr.column_y() - Vec3<double>{0, 1, 0},
                       off_z = rtr.column_z() - Vec3<double>{0, 0, 1};
    const double off = std::max({length(off_x), length(off_y), length(off_z)});
    const double turn = dot(cross(pose.R.column_x(), pose.R.column_y()), pose.R.column_z());
    // Written so that a NaN fails too.
    if (!(off <= unit_rounding && turn > 0.0)) error(std::string(what) + ": its matrix R is not a rotation");
  }

 private:
  Findings& findings_;
  std::string who_;
  int line_;
};

std::string link_label(const Robot& robot, std::size_t k) {
  return "link " + std::to_string(k) + " '" + robot.links[k].name + "'";
}

class Parts {
 public:
  Parts(const Robot& robot, Findings& findings) : robot_(robot), findings_(findings) {}

  void check() {
    check_robot();
    for (std::size_t k = 0; k < robot_.links.size(); ++k) check_link(k);
    for (const JointDescription& joint : robot_.joints) check_joint(joint);
    for (const FrameDescription& frame : robot_.frames) check_frame(frame);
    const bool known = robot_.tool.empty() || seen_frames_.contains(robot_.tool);
    if (!known) Subject(findings_, "tool ", 0).error("'" + robot_.tool + "' is no link or frame of the robot");
  }

 private:
  void check_robot() {
    const Subject subject(findings_, "", 0);
    if (!printable(robot_.name)) subject.error("name of the robot has control characters or is not UTF-8");
    if (subject.finite_vector("gravity", robot_.gravity) && length(robot_.gravity) > largest_gravity)
      subject.warning("gravity " + text(robot_.gravity) + " is over " + rounded(largest_gravity) +
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

  void check_link(std::size_t k) {
    const LinkDescription& link = robot_.links[k];
    const Subject subject(findings_, link_label(robot_, k) + ": ", link.line);
    check_name(subject, link.name, "link", link.line, seen_frames_);
    const Inertial& body = link.inertial;
    subject.not_negative("mass", body.mass);
    if (body.mass > largest_mass && std::isfinite(body.mass))
      subject.warning("mass " + text(body.mass) + " kg is over " + rounded(largest_mass) + " kg; grams instead of kg?");
    subject.not_far("com", body.com);
    if (finite(body.inertia))
      check_moments(subject, body);
    else
      subject.error("inertia must be finite numbers");
  }

  void check_moments(const Subject& subject, const Inertial& body) {
    const Vec3<double> moments = eigenvalues(body.inertia);
    const double largest = std::max(std::abs(moments.x), std::abs(moments.z));
    const std::string printed = rounded(moments.z) + ", " + rounded(moments.y) + ", " + rounded(moments.x);
    if (moments.x < -moment_rounding * largest)
      return subject.error("inertia is not positive semidefinite (eigenvalues " + printed + ")");
    if (moments.x + moments.y < moments.z - moment_rounding * largest)
      subject.warning("principal moments " + printed + " violate the triangle inequality (" + rounded(moments.z) +
                      " > " + rounded(moments.y) + " + " + rounded(moments.x) + "): no rigid body has them");
    const double gyration = body.mass > 0.0 ? std::sqrt(moments.z / body.mass) : 0.0;
    if (gyration > longest_offset)
      subject.warning("inertia means a radius of gyration of " + rounded(gyration) + " m; kg mm² instead of kg m²?");
  }

  void check_joint(const JointDescription& joint) {
    const Subject subject(findings_, "joint '" + joint.name + "': ", joint.line);
    check_name(subject, joint.name, "joint", joint.line, seen_joints_);
    subject.pose("origin", joint.origin);
    subject.pose("child frame", joint.child_frame);
    if (joint.type != JointType::fixed) check_axis(subject, joint.axis);
    check_limits(subject, joint);
    subject.not_negative("viscous friction", joint.drive.viscous);
    subject.not_negative("coulomb friction", joint.drive.coulomb);
    subject.not_negative("rotor inertia", joint.drive.rotor_inertia);
    if (subject.finite_number("gear ratio", joint.drive.gear_ratio) && joint.drive.gear_ratio == 0.0 &&
        joint.drive.rotor_inertia != 0.0)
      subject.error("gear ratio 0 must not be zero where there is a rotor");
    if (!printable(joint.mimic)) subject.error("mimic has control characters or is not UTF-8");
    if (!joint.mimic.empty()) subject.warning("mimics '" + joint.mimic + "'; here it moves independently");
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
      subject.warning("limits are reversed: lower " + text(limits.lower) + " > upper " + text(limits.upper));
    if (limits.velocity < 0.0) subject.warning("velocity limit " + text(limits.velocity) + " is negative");
    if (limits.effort < 0.0) subject.warning("effort limit " + text(limits.effort) + " is negative");
    for (const double turn : {limits.lower, limits.upper}) {
      if (joint.type != JointType::revolute || std::abs(turn) <= widest_turn || std::abs(turn) > unlimited_turn)
        continue;
      return subject.warning("limit " + text(turn) + " rad is more than two turns; degrees instead of radians?");
    }
  }

  void check_frame(const FrameDescription& frame) {
    const Subject subject(findings_, "frame '" + frame.name + "': ", frame.line);
    check_name(subject, frame.name, "frame", frame.line, seen_frames_);
    if (frame.link < 0 || frame.link >= static_cast<int>(robot_.links.size()))
      subject.error("its link must be a link of the robot");
    subject.pose("pose", frame.pose);
  }

  const Robot& robot_;
  Findings& findings_;
  std::unordered_map<std::string, int> seen_frames_;  // names of links and frames share one room: --frame finds both
  std::unordered_map<std::string, int> seen_joints_;
};

class Tree {
 public:
  Tree(const Robot& robot, Findings& findings)
      : robot_(robot), findings_(findings), joint_of_(robot.links.size(), none) {}

  void check() {
    if (robot_.links.empty()) return findings_.errors.push_back({0, "the robot has no links; it needs at least one"});
    const std::size_t before = findings_.errors.size();
    if (!connect()) return;  // indices to nowhere: nothing else can be said
    check_roots();
    check_loops();
    if (findings_.errors.size() == before) check_massless_leaves();
  }

 private:
  static constexpr int none = -1;

  const LinkDescription& link(int k) const { return robot_.links[static_cast<std::size_t>(k)]; }
  int& joint_of(int k) { return joint_of_[static_cast<std::size_t>(k)]; }
  const JointDescription& joint(int k) const { return robot_.joints[static_cast<std::size_t>(k)]; }
  void error(const JointDescription& j, const std::string& what) {
    findings_.errors.push_back({j.line, "joint '" + j.name + "': " + what});
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
        findings_.errors.push_back({link(k).line, link_label(robot_, static_cast<std::size_t>(k)) +
                                                      ": no joint connects it to the base '" + link(root).name + "'"});
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
    error(joint(joint_of(start)),
          "links " + names + " -> '" + link(start).name + "' form a loop; only open chains and trees can be computed");
  }

  // A joint that moves nothing with mass: its row of the inertia matrix is zero and it cannot be accelerated by any
  // torque.
  void check_massless_leaves() {
    std::vector<bool> heavy(robot_.links.size(), false);
    for (int k = 0; k < static_cast<int>(robot_.links.size()); ++k) {
      if (link(k).inertial.mass == 0.0 && link(k).inertial.inertia == Sym3<double>{}) continue;
      for (int i = k; !heavy[static_cast<std::size_t>(i)]; i = joint(joint_of(i)).parent) {
        heavy[static_cast<std::size_t>(i)] = true;
        if (joint_of(i) == none) break;
      }
    }
    for (const JointDescription& j : robot_.joints) {
      if (j.type == JointType::fixed || heavy[static_cast<std::size_t>(j.child)] || j.drive.rotor_inertia > 0.0)
        continue;
      findings_.warnings.push_back(
          {j.line, "joint '" + j.name + "': moves no mass (link '" + link(j.child).name +
                       "' and all beyond it are massless); forward dynamics will be singular"});
    }
  }

  const Robot& robot_;
  Findings& findings_;
  std::vector<int> joint_of_;
  std::vector<int> self_jointed_;  // links reported already, however they hang otherwise
};

// A name or a value from a broken file may hold anything; a problem stays one line that a terminal can show.
std::string escaped(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  while (!text.empty()) {
    const std::size_t length = printable_prefix(text);
    const auto byte = static_cast<unsigned char>(text.front());
    if (length > 0)
      out += text.substr(0, length);
    else
      out.append("\\x").append(1, digits[byte >> 4U]).append(1, digits[byte & 15U]);
    text.remove_prefix(std::max<std::size_t>(1, length));
  }
  return out;
}

// One turn of the cyclic Jacobi method in the plane (p, q), r the third index: makes a[p][q] zero.
void jacobi_turn(std::array<std::array<double, 3>, 3>& a, std::size_t p, std::size_t q, std::size_t r) {
  if (a[p][q] == 0.0) return;
  const double half_cot = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
  const double t = std::copysign(1.0, half_cot) / (std::abs(half_cot) + std::hypot(half_cot, 1.0));
  const double c = 1.0 / std::hypot(t, 1.0), s = t * c;
  const double shift = t * a[p][q], ap = a[p][r], aq = a[q][r];
  a[p][p] -= shift;
  a[q][q] += shift;
  a[p][q] = a[q][p] = 0.0;
  a[p][r] = a[r][p] = c * ap - s * aq;
  a[q][r] = a[r][q] = s * ap + c * aq;
}

}  // namespace

// Jacobi's method: unlike the closed form it is exact to rounding also where two moments are equal, as for every
// axisymmetric link.
Vec3<double> eigenvalues(const Sym3<double>& m) {
  const double largest = std::max({std::abs(m.xx), std::abs(m.yy), std::abs(m.zz), std::abs(m.xy), std::abs(m.xz),
                                   std::abs(m.yz), std::numeric_limits<double>::min()});
  std::array<std::array<double, 3>, 3> a{{{m.xx / largest, m.xy / largest, m.xz / largest},
                                          {m.xy / largest, m.yy / largest, m.yz / largest},
                                          {m.xz / largest, m.yz / largest, m.zz / largest}}};
  constexpr int sweeps = 12;  // it converges quadratically: six are enough for any 3x3 matrix
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    jacobi_turn(a, 0, 1, 2);
    jacobi_turn(a, 0, 2, 1);
    jacobi_turn(a, 1, 2, 0);
  }
  std::array<double, 3> values{a[0][0] * largest, a[1][1] * largest, a[2][2] * largest};
  std::sort(values.begin(), values.end());
  return {values[0], values[1], values[2]};
}

Findings validate_parts(const Robot& robot) {
  Findings findings;
  Parts(robot, findings).check();
  return findings;
}

Findings validate_tree(const Robot& robot) {
  Findings findings;
  Tree(robot, findings).check();
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
    if (!file.empty()) lines += file + ":";
    if (problem.line > 0) lines += std::to_string(problem.line) + ":";
    if (!file.empty() || problem.line > 0) lines += ' ';
    lines += escaped(problem.text);
  }
  return lines;
}

}  // namespace catena

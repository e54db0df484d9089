// Denavit-Hartenberg rows of a robot. Each row is two screws, Z(θ, d) about the joint's axis and X(α, a) along the
// common normal to the next axis. A modified frame stands between Z and the X of the next row, a classic one after X,
// so that one choice of normals gives both tables.
#include "catena/dh_rows.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "catena/math/index.hpp"
#include "catena/validate.hpp"
#include "model/free_base.hpp"

namespace catena {
namespace dh {
namespace {

using V = Vec3<double>;

constexpr double exact = 1e-13;        // what trigonometry and sums may leave of a zero: sines, and lengths of size 1
constexpr double too_parallel = 1e-2;  // axes nearer to parallel, and not parallel, have their normal far away
constexpr double quarter = std::numbers::pi / 2.0;

double norm(const V& v) { return std::sqrt(dot(v, v)); }
double snapped_angle(double angle) {
  const double quarters = std::round(angle / quarter);
  if (std::abs(angle - quarters * quarter) > exact) return angle;
  return (quarters == -2.0 ? 2.0 : quarters) * quarter + 0.0;
}
Pose<double> screw_z(double angle, double shift) {
  return classic_dh({.d = shift, .theta = angle}, JointType::fixed).origin;
}
Pose<double> screw_x(double angle, double shift) {
  return classic_dh({.a = shift, .alpha = angle}, JointType::fixed).child_frame;
}

// An axis in some frame.
struct Line {
  V point, direction;
};
Line operator*(const Pose<double>& pose, const Line& line) {
  return {pose.p + pose.R * line.point, pose.R * line.direction};
}
double sine(const V& a, const V& b) { return norm(cross(a, b)); }
// Where the z axis is nearest to a line that is not parallel to it.
double foot_on_z(const Line& line) {
  const V &p = line.point, &w = line.direction;
  return p.z - w.z * (p.x * w.x + p.y * w.y) / (w.x * w.x + w.y * w.y);
}

// A link and all that fixed joints hold on it. J is the frame of its joint as the robot describes it, moving with it.
struct Body {
  int joint = -1;  // index into Robot::joints; -1: the base
  int parent = -1;
  bool anchored = false;  // base, or part of a free base: its frame stays, and no row leads to it
  Pose<double> in_parent{};
  V axis{};  // in J
  std::vector<int> children{};
  int next = -1;                // the child to whose axis x is normal
  std::optional<V> on_axis{};   // a point of the axis, in J; none: a slide that may be anywhere
  Pose<double> frame{};         // J from the frame after Z
  Pose<double> link_frame{};    // J from the frame of the row's link
  double alpha = 0.0, a = 0.0;  // X to the next axis
  std::vector<DhRow> before{};  // fixed rows that lead to this one
  DhRow row{};
  int link = -1;  // of the new robot
};
struct Seat {
  int body = 0;
  Pose<double> in_body{};
};

class Rows {
 public:
  Rows(const Robot& robot, DhConvention convention) : robot_(robot), convention_(convention) {
    seat_links();
    choose_next();
    for (std::size_t i = bodies_.size(); i-- > 1;) place_slide(bodies_[i]);
    for (std::size_t i = 1; i < bodies_.size(); ++i)
      if (!bodies_[i].anchored) lay(static_cast<int>(i));
  }

  DhForm build() {
    DhForm out{convention_, {}, {}};
    copy_settings(out.robot);
    std::set<std::string> names, joint_names;
    for (const LinkDescription& link : robot_.links) names.insert(link.name);
    for (const FrameDescription& frame : robot_.frames) names.insert(frame.name);
    for (const JointDescription& joint : robot_.joints) joint_names.insert(joint.name);
    std::vector<std::vector<int>> fixed(bodies_.size());
    for (const int i : in_file_order()) {
      Body& body = bodies_[index(i)];
      const std::string& name = robot_.links[index(link_of(body))].name;
      for (std::size_t k = 0; k < body.before.size(); ++k)
        fixed[index(i)].push_back(out.robot.add_link(unused(names, name + "_axis")));
      const bool stays = in_row_frame(body, seats_[index(link_of(body))].in_body) == Pose<double>{};
      body.link = out.robot.add_link(stays ? name : unused(names, name + "_dh"));
    }
    for (const int i : in_file_order())
      if (i > 0) add_joints(bodies_[index(i)], fixed[index(i)], joint_names, out);
    add_inertia(out.robot);
    add_frames(out.robot);
    return out;
  }

 private:
  // ---- what moves ----

  void seat_links() {
    seats_.assign(robot_.links.size(), {});
    bodies_.push_back({.anchored = true});
    for (const int j : robot_.joints_outward()) {
      const JointDescription& joint = robot_.joints[index(j)];
      const Seat parent = seats_[index(joint.parent)];
      const Pose<double> in_parent = parent.in_body * joint.origin;
      if (!joint.moves()) {
        seats_[index(joint.child)] = {parent.body, in_parent * joint.child_frame};
        continue;
      }
      const int body = static_cast<int>(bodies_.size());
      const bool free_part = is_free_part(robot_, index(j));
      seats_[index(joint.child)] = {body, joint.child_frame};
      bodies_[index(parent.body)].children.push_back(body);
      bodies_.push_back({.joint = j,
                         .parent = parent.body,
                         .anchored = free_part,
                         .in_parent = in_parent,
                         .axis = (1.0 / norm(joint.axis)) * joint.axis});
      if (free_part) bodies_.back().link_frame = joint.child_frame;
      if (joint.type == JointType::revolute) bodies_.back().on_axis = V{};
      size_ = std::max(size_, norm(in_parent.p));
    }
    if (size_ == 0.0) size_ = 1.0;
  }

  // The child on the way to the tool, or the first, if one normal leads to its axis.
  void choose_next() {
    const std::string name = robot_.tool_name();
    if (const int link = robot_.link_index(name); link >= 0) tool_ = seats_[index(link)];
    for (const FrameDescription& frame : robot_.frames)
      if (frame.name == name) tool_ = {seats_[index(frame.link)].body, seats_[index(frame.link)].in_body * frame.pose};
    std::vector<bool> to_tool(bodies_.size(), false);
    for (int i = tool_.body; i > 0; i = bodies_[index(i)].parent) to_tool[index(i)] = true;
    for (Body& body : bodies_) {
      if (body.anchored) continue;
      for (const int child : body.children) {
        const double across = sine(body.axis, axis_in_parent(child).direction);
        if (across > exact && across < too_parallel) continue;
        if (body.next < 0 || to_tool[index(child)]) body.next = child;
      }
    }
  }

  Line axis_in_parent(int i) const {
    const Body& body = bodies_[index(i)];
    return body.in_parent * Line{body.on_axis.value_or(V{}), body.axis};
  }
  bool is_parallel(const Body& body) const { return sine(body.axis, axis_in_parent(body.next).direction) <= exact; }

  // A slide's axis passes through the origin of the next frame where there is one.
  void place_slide(Body& body) {
    if (body.on_axis || body.next < 0 || !bodies_[index(body.next)].on_axis) return;
    const Body& next = bodies_[index(body.next)];
    const Line axis{*next.on_axis, next.axis};
    const V here = next.in_parent.inverse().p;
    V point = axis.point + dot(here - axis.point, axis.direction) * axis.direction;
    if (next.next >= 0 && bodies_[index(next.next)].on_axis && !is_parallel(next)) {
      const Line after = axis_in_parent(next.next);
      const V normal = cross(axis.direction, after.direction);
      point = axis.point +
              dot(cross(after.point - axis.point, after.direction), normal) / dot(normal, normal) * axis.direction;
    }
    body.on_axis = next.in_parent.p + next.in_parent.R * point;
  }

  // ---- rows, base to tip: each from what those before it came out to be ----

  void lay(int i) {
    Body& body = bodies_[index(i)];
    const Body& parent = bodies_[index(body.parent)];
    const bool is_next = parent.next == i;
    Pose<double> start = is_next ? parent.frame : parent.link_frame;  // in the parent's J
    if (!body.on_axis) body.on_axis = (body.in_parent.inverse() * start).p;
    if (is_next) {
      start = start * screw_x(parent.alpha, parent.a);
      body.row.alpha = parent.alpha, body.row.a = parent.a;
    } else {
      start = reach(body, start);
    }
    const Pose<double> to_start = start.inverse() * body.in_parent;
    choose_frame(body, to_start);
    body.frame = to_start.inverse() * screw_z(body.row.theta, body.row.d);
    body.link_frame = body.frame;
    if (convention_ == DhConvention::modified) return;
    body.row.alpha = body.alpha, body.row.a = body.a;
    body.link_frame = body.frame * screw_x(body.alpha, body.a);
  }

  // From a frame that was not laid for this axis: the rest of a modified row, or a fixed row before a classic one.
  Pose<double> reach(Body& body, Pose<double> start) {
    const auto axis = [&] { return start.inverse() * body.in_parent * Line{*body.on_axis, body.axis}; };
    const double across = sine({0.0, 0.0, 1.0}, axis().direction);
    if (across > exact && across < too_parallel) {
      body.before.push_back({.alpha = quarter});
      start = start * screw_x(quarter, 0.0);
    }
    const Line line = axis();
    const V &p = line.point, &w = line.direction;
    DhRow way;
    if (std::hypot(w.x, w.y) > exact) {  // x along the normal z × w
      way.gamma = nearer_zero(std::atan2(w.x, -w.y), p);
      way.epsilon = snapped(foot_on_z(line));
    } else if (std::hypot(p.x, p.y) > exact * size_) {
      way.gamma = nearer_zero(std::atan2(p.y, p.x), p);
    }
    way.gamma = snapped_angle(way.gamma);
    set_x(way, screw_z(way.gamma, way.epsilon).inverse() * line);
    if (convention_ == DhConvention::modified) {
      body.row = way;
    } else if (way.alpha != 0.0 || way.a != 0.0) {
      body.before.push_back({.a = way.a, .alpha = way.alpha, .d = way.epsilon, .theta = way.gamma});
    } else {
      return start;  // θ and d have all of it
    }
    return start * screw_z(way.gamma, way.epsilon) * screw_x(way.alpha, way.a);
  }

  // Of the two ends of a normal, the one with the smaller angle; of two right angles the one along the offset p.
  static double nearer_zero(double angle, const V& p) {
    const double other = angle + (angle > 0.0 ? -2.0 : 2.0) * quarter;
    if (std::abs(std::abs(angle) - quarter) > exact) return std::abs(angle) < quarter ? angle : other;
    const double along = std::cos(angle) * p.x + std::sin(angle) * p.y;
    if (std::abs(along) > exact) return along > 0.0 ? angle : other;
    return std::max(angle, other);
  }

  template <class Entry>  // of a row, or of a body
  void set_x(Entry& row, const Line& next) const {
    row.alpha = snapped_angle(std::atan2(-next.direction.y, next.direction.z));
    row.a = snapped(next.point.x);
  }

  // θ and d, then α and a of the next row. At the start z is the axis, and θ = d = 0.
  void choose_frame(Body& body, const Pose<double>& to_start) {
    if (convention_ == DhConvention::classic && body.children.empty() && holds_tool(body, to_start)) return;
    if (body.next < 0) return;
    const Body& next = bodies_[index(body.next)];
    const Line line = to_start * axis_in_parent(body.next);
    const V &p = line.point, &w = line.direction;
    const bool parallel = is_parallel(body);
    if (!parallel) {
      body.row.theta = nearer_zero(std::atan2(w.x, -w.y), next.on_axis ? p : V{});
      if (next.on_axis) body.row.d = snapped(foot_on_z(line));
    } else if (next.on_axis && std::hypot(p.x, p.y) > exact * size_) {
      body.row.theta = nearer_zero(std::atan2(p.y, p.x), p);
    }
    body.row.theta = snapped_angle(body.row.theta);
    set_x(body, screw_z(body.row.theta, body.row.d).inverse() * line);
    if (!next.on_axis) body.a = 0.0;
  }

  // A classic row ends in the tool where its x axis meets the joint's at a right angle.
  bool holds_tool(Body& body, const Pose<double>& to_start) const {
    if (&body != &bodies_[index(tool_.body)]) return false;
    const Pose<double> tool = to_start * tool_.in_body;
    const V x = tool.R.column_x();
    if (std::abs(x.z) > exact || std::abs(x.x * tool.p.y - x.y * tool.p.x) > exact * size_) return false;
    body.row.theta = snapped_angle(std::atan2(x.y, x.x));
    body.row.d = snapped(tool.p.z);
    set_x(body, screw_z(body.row.theta, body.row.d).inverse() * Line{tool.p, tool.R.column_z()});
    return true;
  }

  // ---- the robot that is written ----

  void copy_settings(Robot& out) const {
    out.name = robot_.name;
    out.gravity = robot_.gravity;
    out.tool = robot_.tool_name();
    out.loops = robot_.loops;
    out.independent = robot_.independent;
    out.start = robot_.start;
    out.closed = robot_.closed;
    out.floating = robot_.floating;
    out.lenient = robot_.lenient;
  }

  static std::string unused(std::set<std::string>& taken, const std::string& wish) {
    std::string name = wish;
    for (int k = 2; !taken.insert(name).second; ++k) name = wish + "_" + std::to_string(k);
    return name;
  }

  int link_of(const Body& body) const {
    return body.joint < 0 ? robot_.root() : robot_.joints[index(body.joint)].child;
  }

  std::vector<int> in_file_order() const {
    std::vector<int> order(bodies_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
    std::sort(order.begin(), order.end(),
              [this](int a, int b) { return bodies_[index(a)].joint < bodies_[index(b)].joint; });
    return order;
  }

  JointDescription by_row(const DhRow& row, JointType type) const {
    return convention_ == DhConvention::classic ? classic_dh(row, type) : modified_dh(row, type);
  }

  void add_joints(const Body& body, const std::vector<int>& fixed, std::set<std::string>& names, DhForm& out) const {
    JointDescription joint = robot_.joints[index(body.joint)];
    int parent = bodies_[index(body.parent)].link;
    for (std::size_t k = 0; k < fixed.size(); ++k) {
      JointDescription step = by_row(body.before[k], JointType::fixed);
      step.name = unused(names, out.robot.links[index(fixed[k])].name);
      step.parent = parent;
      step.child = parent = fixed[k];
      out.robot.add_joint(step);
      out.rows.push_back(body.before[k]);
    }
    const JointDescription placed = by_row(body.row, joint.type);
    joint.parent = parent;
    joint.child = body.link;
    joint.line = 0;
    joint.origin = body.anchored ? body.in_parent : placed.origin;
    if (!body.anchored) joint.axis = placed.axis, joint.child_frame = placed.child_frame;
    out.robot.add_joint(joint);
    out.rows.push_back(body.row);
  }

  // The pose in the row's link, without what rounding left.
  Pose<double> in_row_frame(const Body& body, const Pose<double>& in_body) const {
    Pose<double> pose = body.link_frame.inverse() * in_body;
    for (double* entry :
         {&pose.R.xx, &pose.R.xy, &pose.R.xz, &pose.R.yx, &pose.R.yy, &pose.R.yz, &pose.R.zx, &pose.R.zy, &pose.R.zz})
      if (std::abs(*entry - std::round(*entry)) < exact) *entry = std::round(*entry) + 0.0;
    for (double* entry : {&pose.p.x, &pose.p.y, &pose.p.z}) *entry = snapped(*entry);
    return pose;
  }

  void add_inertia(Robot& out) const {
    std::vector<std::vector<std::pair<Pose<double>, Inertial>>> parts(bodies_.size());
    for (std::size_t k = 0; k < robot_.links.size(); ++k) {
      const Inertial& inertial = robot_.links[k].inertial;
      if (inertial.mass == 0.0 && inertial.com == V{} && inertial.inertia == Sym3<double>{}) continue;
      const Seat& seat = seats_[k];
      parts[index(seat.body)].emplace_back(in_row_frame(bodies_[index(seat.body)], seat.in_body), inertial);
    }
    for (std::size_t i = 0; i < bodies_.size(); ++i) out.links[index(bodies_[i].link)].inertial = sum_of(parts[i]);
  }

  Inertial sum_of(const std::vector<std::pair<Pose<double>, Inertial>>& parts) const {
    Inertial sum;
    if (parts.size() == 1 && parts.front().first == Pose<double>{}) return parts.front().second;
    for (const auto& [pose, part] : parts) sum.mass += part.mass;
    for (const auto& [pose, part] : parts)
      sum.com += (sum.mass > 0.0 ? part.mass / sum.mass : 1.0) * (pose.p + pose.R * part.com);
    for (double* entry : {&sum.com.x, &sum.com.y, &sum.com.z}) *entry = snapped(*entry);
    for (const auto& [pose, part] : parts)
      sum.inertia += congruence(pose.R, part.inertia) + part.mass * steiner(pose.p + pose.R * part.com - sum.com);
    return sum;
  }

  void add_frames(Robot& out) const {
    const auto add = [&](const std::string& name, const Seat& seat, const Pose<double>& pose) {
      const Body& body = bodies_[index(seat.body)];
      out.add_frame(name, body.link, in_row_frame(body, seat.in_body * pose));
    };
    for (std::size_t k = 0; k < robot_.links.size(); ++k)
      if (out.link_index(robot_.links[k].name) < 0) add(robot_.links[k].name, seats_[k], {});
    for (const FrameDescription& frame : robot_.frames) add(frame.name, seats_[index(frame.link)], frame.pose);
  }

  // A length without what rounding left, measured by the robot's size: 0.425, not 0.42499999999999993.
  double snapped(double length) const {
    const double digits = std::pow(10.0, 14.0 - std::ceil(std::log10(size_)));
    const double rounded = std::round(length * digits) / digits + 0.0;
    return std::isfinite(rounded) ? rounded : length;
  }

  const Robot& robot_;
  DhConvention convention_;
  std::vector<Body> bodies_;  // parents first; the base is the first
  std::vector<Seat> seats_;   // by link of the robot
  Seat tool_{};
  double size_ = 0.0;  // the largest offset between joints
};

}  // namespace
}  // namespace dh

DhForm dh_form(const Robot& robot, DhConvention convention) {
  const Findings findings = validate(robot);
  if (!findings.ok()) throw ModelError(format_problems(robot.name, findings.errors));
  return dh::Rows(robot, convention).build();
}

bool keeps_row(const JointDescription& joint) {
  if (!joint.row) return false;
  const auto& [convention, row] = *joint.row;
  const JointDescription placed =
      convention == DhConvention::classic ? classic_dh(row, joint.type) : modified_dh(row, joint.type);
  return placed.origin == joint.origin && placed.axis == joint.axis && placed.child_frame == joint.child_frame;
}

std::optional<DhForm> rows_as_written(const Robot& robot) {
  std::optional<DhConvention> convention;
  std::vector<DhRow> rows(robot.joints.size());
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const JointDescription& joint = robot.joints[k];
    if (is_free_part(robot, k)) continue;
    if (!keeps_row(joint) && joint.moves()) return std::nullopt;
    if (!keeps_row(joint)) continue;
    if (convention.value_or(joint.row->convention) != joint.row->convention) return std::nullopt;
    convention = joint.row->convention;
    rows[k] = joint.row->row;
  }
  if (!convention) return std::nullopt;
  return DhForm{*convention, robot, std::move(rows)};
}

}  // namespace catena

#include "identify/kinematic_parameters.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "catena/math/index.hpp"
#include "model/find_frame.hpp"

namespace catena {
namespace identification {
namespace {

using V = Vec3<double>;
constexpr V axes[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
constexpr double parallel = 0.02;  // sine of the angle between axes below which their rows get a beta

Pose<double> moved_by(const V& direction, double by, bool turns) {
  if (turns) return {rotation_about(direction, by), {}};
  return {.p = by * direction};
}
bool turns(const JointDescription& joint) { return joint.type == JointType::revolute; }

// The axis of the joint's frame that is nearest to the axis of the joint.
int nearest_axis(const V& axis) {
  const double size[3] = {std::abs(axis.x), std::abs(axis.y), std::abs(axis.z)};
  return static_cast<int>(std::max_element(size, size + 3) - size);
}

}  // namespace

KinematicModel::KinematicModel(const Robot& robot, KinematicForm form, std::string_view frame)
    : form_(form), robot_(robot), frame_(frame.empty() || frame == "tool" ? robot.tool_name() : std::string(frame)) {
  if (!robot.floating.empty())
    throw std::invalid_argument("robot '" + robot.name + "' has a free base, which calibration does not support");
  if (!robot.loops.empty())
    throw std::invalid_argument("robot '" + robot.name + "' has closed loops, which calibration does not support");
  if (form == KinematicForm::classic_dh || form == KinematicForm::modified_dh) {
    DhForm made = dh_form(robot, form == KinematicForm::classic_dh ? DhConvention::classic : DhConvention::modified);
    robot_ = std::move(made.robot), rows_ = std::move(made.rows);
  }
  find_path();
  add_offsets();
  if (form == KinematicForm::offsets) return;
  for (const int joint : path_) rows_.empty() ? add_frame(joint) : add_row(joint);
}

void KinematicModel::find_path() {
  int link = robot_.link_index(frame_);
  for (const FrameDescription& frame : robot_.frames)
    if (frame.name == frame_) link = frame.link;
  if (link < 0) throw std::invalid_argument("robot '" + robot_.name + "' has no link or frame '" + frame_ + "'");
  std::vector<int> carrier(robot_.links.size(), -1);  // the joint that carries each link
  for (std::size_t j = 0; j < robot_.joints.size(); ++j) carrier[index(robot_.joints[j].child)] = static_cast<int>(j);
  for (int j = carrier[index(link)]; j >= 0; j = carrier[index(robot_.joints[index(j)].parent)])
    if (robot_.joints[index(j)].moves()) path_.push_back(j);
  std::reverse(path_.begin(), path_.end());
}

// Of the coordinates that move the frame, and of the joints on its path that follow others.
void KinematicModel::add_offsets() {
  Mechanism mechanism = make_mechanism(robot_, {.stiff = true});
  Kinematics<double> kinematics(mechanism);
  std::vector<double> q(index(mechanism.nq()));
  for (std::size_t k = 0; k < q.size(); ++k) q[k] = 0.1 + 0.37 * static_cast<double>(k % 7);
  kinematics.update(q);
  std::vector<JacobianColumn<double>> J(q.size());
  kinematics.jacobian(find_frame(mechanism, frame_), J);
  const std::vector<int> coordinates = robot_.moving_joints();
  for (const int joint : robot_.joints_outward()) {
    const JointDescription& own = robot_.joints[index(joint)];
    if (!own.moves()) continue;
    const auto at = std::find(coordinates.begin(), coordinates.end(), joint);
    const bool on_path = std::find(path_.begin(), path_.end(), joint) != path_.end();
    if (at == coordinates.end() ? !on_path : !on_path && [&] {
          const JacobianColumn<double>& c = J[static_cast<std::size_t>(at - coordinates.begin())];
          return dot(c.linear, c.linear) + dot(c.angular, c.angular) == 0.0;
        }())
      continue;
    Screw screw{
        .parameter = {own.name + " offset", turns(own) ? "rad" : "m", 0.0}, .joint = joint, .turns = turns(own)};
    if (at == coordinates.end()) screw.in = Screw::In::before, screw.direction = own.axis;
    if (!rows_.empty() && at != coordinates.end() && on_path) {
      const DhRow& row = rows_[index(joint)];
      screw.parameter = {(turns(own) ? "theta " : "d ") + own.name, screw.parameter.unit,
                         turns(own) ? row.theta : row.d};
    }
    screws_.push_back(screw);
  }
}

void KinematicModel::add_frame(int joint) {
  const JointDescription& own = robot_.joints[index(joint)];
  const int along = nearest_axis(own.axis);
  const auto add = [&](const char* const* names, bool turning) {
    for (int k = 0; k < 3; ++k)
      if (turning != turns(own) || k != along)
        screws_.push_back({.parameter = {own.name + " " + names[k], turning ? "rad" : "m", 0.0},
                           .joint = joint,
                           .in = Screw::In::before,
                           .direction = axes[k],
                           .turns = turning});
  };
  static constexpr const char* slides[] = {"x", "y", "z"};
  static constexpr const char* rotations[] = {"rx", "ry", "rz"};
  add(slides, false);
  add(rotations, true);
}

void KinematicModel::add_row(int joint) {
  const JointDescription& own = robot_.joints[index(joint)];
  const DhRow& row = rows_[index(joint)];
  const bool classic = form_ == KinematicForm::classic_dh, follows = own.is_coupled();
  const auto add = [&](const char* name, double value, Screw::In in, const V& direction, bool turning, const V& point) {
    screws_.push_back({{name + (" " + own.name), turning ? "rad" : "m", value}, joint, in, point, direction, turning});
  };
  const V z = axes[2];
  if (follows || turns(own)) add("d", row.d, Screw::In::before, z, false, {});
  if (follows || !turns(own)) add("theta", row.theta, Screw::In::before, z, true, {});
  const Pose<double> seat = classic_dh({.gamma = row.gamma, .epsilon = row.epsilon}, JointType::fixed).origin;
  const V x = classic ? axes[0] : seat.R * axes[0], at = classic ? V{} : seat.p;
  const Screw::In where = classic ? Screw::In::moved : Screw::In::parent;
  add("a", row.a, where, x, false, at);
  add("alpha", row.alpha, where, x, true, at);
  if (std::abs(std::sin(row.alpha)) < parallel)
    add("beta", 0.0, classic ? Screw::In::child : Screw::In::before, axes[1], true, {});
}

Robot KinematicModel::changed(std::span<const double> changes) const {
  Robot out = robot_;
  const auto apply = [&](const Screw& screw, double by) {
    JointDescription& joint = out.joints[index(screw.joint)];
    Pose<double> moved = moved_by(screw.in == Screw::In::encoder ? joint.axis : screw.direction, by, screw.turns);
    if (screw.turns) moved.p = screw.point - moved.R * screw.point;
    if (screw.in == Screw::In::parent)
      joint.origin = moved * joint.origin;
    else if (screw.in == Screw::In::moved)
      joint.child_frame = moved * joint.child_frame;
    else if (screw.in == Screw::In::child)
      joint.child_frame = joint.child_frame * moved;
    else
      joint.origin = joint.origin * moved;
    if (screw.in != Screw::In::encoder) return;
    for (JointDescription& other : out.joints)
      for (const CouplingTerm& term : other.coupling.terms)
        if (other.moves() && term.joint == joint.name) other.coupling.offset += term.factor * by;
  };
  // Slides along the axes as the model has them, then turns, then what the joint itself moves by.
  for (int pass = 0; pass < 3; ++pass)
    for (std::size_t k = 0; k < screws_.size(); ++k) {
      const int own = screws_[k].in == Screw::In::encoder ? 2 : screws_[k].turns ? 1 : 0;
      if (own == pass && changes[k] != 0.0) apply(screws_[k], changes[k]);
    }
  return out;
}

ScrewColumns::ScrewColumns(Robot robot, const KinematicModel& model)
    : model_(model),
      robot_(std::move(robot)),
      mechanism_(make_mechanism(robot_, {.stiff = true})),
      kinematics_(mechanism_),
      frame_(find_frame(mechanism_, model.frame())),
      lines_(model.screws().size()),
      jacobian_(index(mechanism_.nv())) {
  const std::vector<int> coordinates = robot_.moving_joints();
  for (const Screw& screw : model.screws())
    coordinate_.push_back(
        screw.in == Screw::In::encoder
            ? static_cast<int>(std::find(coordinates.begin(), coordinates.end(), screw.joint) - coordinates.begin())
            : -1);
}

Pose<double> ScrewColumns::frame_of(const Screw& screw) const {
  const JointDescription& joint = robot_.joints[index(screw.joint)];
  switch (screw.in) {
    case Screw::In::parent:
      return kinematics_.pose(joint.parent);
    case Screw::In::moved:
      return kinematics_.pose(joint.child) * joint.child_frame.inverse();
    case Screw::In::child:
      return kinematics_.pose(joint.child);
    default:
      return kinematics_.pose(joint.parent) * joint.origin;
  }
}

void ScrewColumns::update(std::span<const double> q) {
  kinematics_.update(q);
  pose_ = kinematics_.pose(frame_);
  kinematics_.jacobian(frame_, jacobian_);
  for (std::size_t k = 0; k < lines_.size(); ++k) {
    if (coordinate_[k] >= 0) continue;
    const Screw& screw = model_.screws()[k];
    const Pose<double> frame = frame_of(screw);
    lines_[k] = {frame.p + frame.R * screw.point, frame.R * screw.direction};
  }
}

JacobianColumn<double> ScrewColumns::column(std::size_t k, const Vec3<double>& point) const {
  if (coordinate_[k] >= 0) {
    const JacobianColumn<double>& own = jacobian_[index(coordinate_[k])];
    return {own.linear + cross(own.angular, point - pose_.p), own.angular};
  }
  const Line& line = lines_[k];
  if (!model_.screws()[k].turns) return {line.direction, {}};
  return {cross(line.direction, point - line.point), line.direction};
}

}  // namespace identification

std::string_view name_of(KinematicForm form) {
  constexpr std::string_view names[] = {"offsets", "frames", "classic", "modified"};
  return names[static_cast<std::size_t>(form)];
}

std::vector<KinematicParameter> kinematic_parameters(const Robot& robot, KinematicForm form, std::string_view frame) {
  std::vector<KinematicParameter> out;
  const identification::KinematicModel model(robot, form, frame);
  for (const identification::Screw& screw : model.screws()) out.push_back(screw.parameter);
  return out;
}

std::vector<double> kinematic_sensitivity(const Robot& robot, KinematicForm form, std::span<const double> q,
                                          std::string_view frame) {
  const identification::KinematicModel model(robot, form, frame);
  const std::size_t p = model.screws().size();
  identification::ScrewColumns columns(model.changed(std::vector<double>(p)), model);
  columns.update(q);
  std::vector<double> out(6 * p);
  for (std::size_t k = 0; k < p; ++k) {
    const auto [linear, angular] = columns.column(k, columns.pose().p);
    const double entries[] = {linear.x, linear.y, linear.z, angular.x, angular.y, angular.z};
    for (std::size_t i = 0; i < 6; ++i) out[i * p + k] = entries[i];
  }
  return out;
}

}  // namespace catena

#include "catena/mechanism.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "catena/changes.hpp"
#include "catena/validate.hpp"
#include "model/set_coordinates.hpp"

namespace catena {
namespace {

using V = Vec3<double>;
using M = Mat3<double>;

constexpr V x_axis{1.0, 0.0, 0.0}, y_axis{0.0, 1.0, 0.0};

double norm(const V& v) { return std::sqrt(dot(v, v)); }
V unit(const V& v) { return (1.0 / norm(v)) * v; }
V perpendicular_part(const V& v, const V& unit_axis) { return v - dot(v, unit_axis) * unit_axis; }

// One moving link while it is being normalized. J is the joint frame as the user described it, moving with the link.
struct Body {
  int joint = -1;  // index into Robot::joints
  int parent = base_link;
  Pose<double> in_parent{};   // J_parent from J at q = 0 (the user's base link frame for a root)
  V axis{};                   // in J
  std::vector<int> children;  // bodies
  Pose<double> frame{};       // J from the normalized frame: computed in this file
};

// Where a Robot link is fixed: on which body, and the pose of its frame in that body's J.
struct Seat {
  int body = base_link;
  Pose<double> in_body{};
};

class Normalizer {
 public:
  Normalizer(const Robot& robot, const MechanismOptions& options) : robot_(robot), options_(options) {
    seat_links();
    find_size();
    choose_frames();
  }

  Mechanism build() const {
    Mechanism out;
    out.name = robot_.name;
    out.library_sincos = options_.library_sincos;
    out.world_from_base = base_frame_;
    const V& g = robot_.gravity;
    out.gravity = snap_vector(base_frame_.R.transpose() * g, std::hypot(g.x, g.y, g.z));  // its square may overflow
    std::vector<TreeJoint> q_of_joint(robot_.joints.size());
    for (const int joint : robot_.tree_joints()) {
      q_of_joint[index(joint)] = out.joint_names.next();
      add_joint(robot_.joints[index(joint)], out);
    }
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      LinkConstants<double> link = place_link(static_cast<int>(i));
      link.q = q_of_joint[index(bodies_[i].joint)];
      link.frame = robot_.joints[index(bodies_[i].joint)].child;
      out.has_prismatic = out.has_prismatic || !link.revolute;
      out.links.push_back(link);
    }
    add_frames(out);
    add_inertia(out);
    compute_augmented_links(out);
    out.carried = !robot_.floating.empty();
    set_coordinates(robot_, out);
    if (!robot_.floating.empty()) {
      out.coordinates.base = BaseKind::free;
      out.coordinates.free_origin = bodies_.front().in_parent;
    }
    return out;
  }

 private:
  // Merges fixed joints and numbers the moving links base to tip, in file order wherever that order allows it.
  void seat_links() {
    seats_.assign(robot_.links.size(), {});
    for (const int j : robot_.joints_outward()) seat_child(j);
  }

  void seat_child(int j) {
    const JointDescription& joint = robot_.joints[index(j)];
    const Seat& parent = seats_[index(joint.parent)];
    const Pose<double> joint_in_parent = parent.in_body * joint.origin;
    if (joint.type == JointType::fixed) {
      seats_[index(joint.child)] = {parent.body, joint_in_parent * joint.child_frame};
      return;
    }
    const int body = static_cast<int>(bodies_.size());
    if (parent.body != base_link) bodies_[index(parent.body)].children.push_back(body);
    bodies_.push_back({j, parent.body, joint_in_parent, unit(joint.axis), {}, {}});
    seats_[index(joint.child)] = {body, joint.child_frame};
  }

  void find_size() {
    for (const Body& b : bodies_) size_ = std::max(size_, norm(b.in_parent.p));
    if (size_ == 0.0) size_ = 1.0;
  }

  // The normalized frame of every body, parents first (mechanism.hpp defines it).
  void choose_frames() {
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      Body& body = bodies_[i];
      V inherited_x = x_axis;  // the parent's x after the tilt: using it makes θ = 0
      V origin{};
      if (i > 0) {
        const Pose<double> parent = parent_frame(body);
        const M to_body = body.in_parent.R.transpose();
        const double gamma = tilt_of(static_cast<int>(i)).gamma;
        inherited_x = to_body * (parent.R * V{std::cos(gamma), std::sin(gamma), 0.0});
        const V parent_origin = to_body * (parent.p - body.in_parent.p);
        origin = is_revolute(body) ? dot(parent_origin, body.axis) * body.axis : parent_origin;
      } else if (norm(cross(body.axis, inherited_x)) < 0.5) {
        inherited_x = y_axis;
      }
      const V x = choose_x(body, origin, inherited_x);
      body.frame = {M::from_columns(x, cross(body.axis, x), body.axis), origin};
      if (i == 0) base_frame_ = body.in_parent * body.frame;
    }
  }

  // ⟂ to this axis and the first child's; along the offset if those are parallel; the parent's x if nothing else
  // determines it.
  V choose_x(const Body& body, const V& origin, const V& inherited_x) const {
    const V fallback = unit(perpendicular_part(inherited_x, body.axis));
    if (body.children.empty()) return fallback;
    const Body& child = bodies_[index(body.children.front())];
    const V child_axis = child.in_parent.R * child.axis;
    const V normal = cross(body.axis, child_axis);
    const bool parallel = norm(normal) < std::max(options_.snap, 1e-14);
    V x = normal;
    if (parallel) x = perpendicular_part(child.in_parent.p - origin, body.axis);
    if (parallel && (!is_revolute(child) || norm(x) < 1e-12 * size_)) return fallback;
    x = unit(perpendicular_part(unit(x), body.axis));
    return dot(x, fallback) < 0.0 ? -x : x;  // of the two directions, the one with the smaller θ
  }

  struct TiltAngles {
    double gamma = 0.0;
    Tilt<double> tilt{};
  };

  // γ and α that rotate the parent's z onto this body's axis; γ = 0 for the child that determined the parent's x.
  TiltAngles tilt_of(int i) const {
    const Body& body = bodies_[index(i)];
    if (i == 0) return {};
    const V z = parent_frame(body).R.transpose() * (body.in_parent.R * body.axis);
    const bool first = body.parent != base_link && bodies_[index(body.parent)].children.front() == i;
    const double across = std::hypot(z.x, z.y);
    TiltAngles out;
    if (first || across < options_.snap) {
      snap_pair(z.z, -z.y, out.tilt.cos_alpha, out.tilt.sin_alpha);
      return out;
    }
    snap_pair(z.z, across, out.tilt.cos_alpha, out.tilt.sin_alpha);
    snap_pair(-z.y, z.x, out.tilt.cos_gamma, out.tilt.sin_gamma);
    out.gamma = std::atan2(out.tilt.sin_gamma, out.tilt.cos_gamma);
    out.tilt.turned = out.gamma != 0.0;
    return out;
  }

  LinkConstants<double> place_link(int i) const {
    const Body& body = bodies_[index(i)];
    LinkConstants<double> link;
    link.parent = body.parent;
    link.revolute = is_revolute(body);
    if (i == 0) return link;  // the base frame is frame 0 at q = 0: no tilt, no offset, θ = q
    const auto [gamma, tilt] = tilt_of(i);
    const Pose<double> parent = parent_frame(body);
    link.tilt = tilt;
    link.z_in_parent = {tilt.sin_gamma * tilt.sin_alpha, -tilt.cos_gamma * tilt.sin_alpha, tilt.cos_alpha};
    const M parent_from_link = parent.R.transpose() * body.in_parent.R * body.frame.R;
    const V tilted_x{tilt.cos_gamma, tilt.sin_gamma, 0.0};
    const V x = parent_from_link.column_x();
    snap_pair(dot(tilted_x, x), dot(link.z_in_parent, cross(tilted_x, x)), link.fixed_turn.c, link.fixed_turn.s);
    link.theta = std::atan2(link.fixed_turn.s, link.fixed_turn.c);
    link.p_parent_to_link =
        snap_vector(parent.R.transpose() * (body.in_parent.p + body.in_parent.R * body.frame.p - parent.p), size_);
    return link;
  }

  void add_joint(const JointDescription& joint, Mechanism& out) const {
    out.joint_names.push_back(joint.name);
    out.coordinates.joint_limits.push_back(joint.limits);
    out.passive.push_back(joint.passive ? 1 : 0);
    out.has_passive = out.has_passive || joint.passive;
    out.drives.push_back(options_.rigid ? DriveConstants<double>{} : AllForces::of(joint.drive));
    out.has_drives = out.has_drives || out.drives.back().acts();
  }

  void add_frames(Mechanism& out) const {
    const auto in_link = [&](const Seat& seat, const Pose<double>& pose) {
      const Pose<double>& frame = seat.body == base_link ? base_frame_ : bodies_[index(seat.body)].frame;
      return frame.inverse() * seat.in_body * pose;
    };
    for (std::size_t k = 0; k < robot_.links.size(); ++k)
      out.frames.push_back({robot_.links[k].name, seats_[k].body, in_link(seats_[k], {})});
    for (const FrameDescription& f : robot_.frames)
      out.frames.push_back({f.name, seats_[index(f.link)].body, in_link(seats_[index(f.link)], f.pose)});
    out.tool = out.frame_index(robot_.tool_name());
  }

  // Mass, mass centre and inertia of each body: the sum over the links merged into it.
  void add_inertia(Mechanism& out) const {
    std::vector<V> moment(bodies_.size());
    for (std::size_t k = 0; k < robot_.links.size(); ++k) {
      const FrameConstants<double>& f = out.frames[k];
      if (f.link == base_link) continue;
      const Inertial& inertial = robot_.links[k].inertial;
      out.links[index(f.link)].mass += inertial.mass;
      moment[index(f.link)] += inertial.mass * (f.in_link.p + f.in_link.R * inertial.com);
    }
    for (std::size_t i = 0; i < bodies_.size(); ++i)
      if (out.links[i].mass > 0.0) out.links[i].com = snap_vector((1.0 / out.links[i].mass) * moment[i], size_);
    for (std::size_t k = 0; k < robot_.links.size(); ++k) {
      const FrameConstants<double>& f = out.frames[k];
      if (f.link == base_link) continue;
      LinkConstants<double>& link = out.links[index(f.link)];
      const Inertial& inertial = robot_.links[k].inertial;
      const V from_com = f.in_link.p + f.in_link.R * inertial.com - link.com;
      link.inertia_com += congruence(f.in_link.R, inertial.inertia) + inertial.mass * steiner(from_com);
    }
    for (LinkConstants<double>& link : out.links) {
      Sym3<double>& inertia = link.inertia_com;
      const double scale = options_.snap * inertia.trace();
      for (double* entry : {&inertia.xy, &inertia.xz, &inertia.yz})
        if (std::abs(*entry) < scale) *entry = 0.0;
      link.pseudo_com = pseudo_inertia(inertia);
    }
  }

  bool is_revolute(const Body& body) const { return robot_.joints[index(body.joint)].type == JointType::revolute; }
  // Normalized parent frame in the parent's J; for a root, the mechanism's base frame in the user's base link frame.
  Pose<double> parent_frame(const Body& body) const {
    return body.parent == base_link ? base_frame_ : bodies_[index(body.parent)].frame;
  }
  // (cos, sin) of the direction (c, s), rounded to exactly 0 and ±1 if it is that close.
  void snap_pair(double c, double s, double& cos_out, double& sin_out) const {
    const double h = std::hypot(c, s);
    cos_out = c / h;
    sin_out = s / h;
    if (std::abs(cos_out) < options_.snap) cos_out = 0.0, sin_out = std::copysign(1.0, sin_out);
    if (std::abs(sin_out) < options_.snap) sin_out = 0.0, cos_out = std::copysign(1.0, cos_out);
  }
  V snap_vector(V v, double scale) const {
    for (double* entry : {&v.x, &v.y, &v.z})
      if (std::abs(*entry) < options_.snap * scale) *entry = 0.0;
    return v;
  }

  const Robot& robot_;
  const MechanismOptions& options_;
  std::vector<Body> bodies_;
  std::vector<Seat> seats_;    // indexed like Robot::links
  Pose<double> base_frame_{};  // the user's base link frame from the mechanism's base frame
  double size_ = 0.0;          // the largest offset between joints, for snapping lengths
};

}  // namespace

Mechanism make_mechanism(const Robot& robot, const MechanismOptions& options) {
  const Findings findings = validate(robot);
  if (!findings.ok()) throw ModelError(format_problems(robot.name, findings.errors));
  if (has_elastic_joints(robot))
    return Normalizer(options.rigid || options.stiff ? with_stiff_joints(robot) : with_motors(robot), options).build();
  if (robot.loops.empty() || !robot.closed.empty()) return Normalizer(robot, options).build();
  Robot closed = robot;
  if (const std::vector<Problem> problems = close_loops(closed); !problems.empty())
    throw ModelError(format_problems(robot.name, problems));
  return Normalizer(closed, options).build();
}

void compute_augmented_links(Mechanism& mechanism) { augment_links(mechanism.links); }

Mechanism with_wrenches(const Mechanism& robot, std::vector<WrenchPlace> places) {
  for (const WrenchPlace& place : places)
    if (place.frame < 0 || index(place.frame) >= robot.frames.size())
      throw std::invalid_argument("external wrench: frame " + std::to_string(place.frame) +
                                  " does not exist; the robot has " + std::to_string(robot.frames.size()) + " frames");
  Mechanism out = robot;
  out.wrenches = std::move(places);
  return out;
}

}  // namespace catena

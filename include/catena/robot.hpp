// Robot: what the user wrote. Links, joints, names, frames, limits, friction, rotors, springs, gravity and tool, kept
// exactly as described, so that names, poses and Jacobians can be reported in the user's own frames. SI units, radians.
#pragma once

#include <array>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catena/math/pose.hpp"

namespace catena {

enum class JointType { revolute, prismatic, fixed };

struct Inertial {
  double mass = 0.0;       // kg
  Vec3<double> com{};      // link frame origin to mass centre, link frame (m)
  Sym3<double> inertia{};  // about the mass centre, link frame axes (kg m²)
};

struct LinkDescription {
  std::string name;
  Inertial inertial{};
  int line = 0;  // line in the file, 0 if built in code
};

struct JointLimits {
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  double velocity = std::numeric_limits<double>::infinity();
  double effort = std::numeric_limits<double>::infinity();
};

// The torque of the joint:
//   τ = rigid + viscous q̇ + (coulomb + stribeck exp(-(q̇/stribeck_speed)²)) sign(q̇)
//     + gear_ratio² rotor_inertia q̈ + spring (q - spring_rest) + offset
struct JointDrive {
  double viscous = 0.0;                  // N m s/rad or N s/m
  double coulomb = 0.0;                  // N m or N
  double rotor_inertia = 0.0;            // kg m², on the motor side of the gear
  double gear_ratio = 1.0;               // motor turns per joint turn (rad/m for a prismatic joint)
  double spring = 0.0;                   // stiffness, N m/rad or N/m
  double spring_rest = 0.0;              // where it exerts nothing, rad or m
  double offset = 0.0;                   // a constant torque or force, of either sign, N m or N
  double stribeck = 0.0;                 // dry friction at rest beyond coulomb, N m or N
  double stribeck_speed = 0.0;           // where 1/e of that is left, rad/s or m/s
  std::map<std::string, double> more{};  // constants of forces that have no field here, by name: model/forces.hpp

  double dry_friction() const { return coulomb + stribeck; }  // of a joint at rest
  double get(const std::string& constant) const {
    const auto found = more.find(constant);
    return found == more.end() ? 0.0 : found->second;
  }
};

// A spring between the motor and the link of a joint, behind the gear. The motor then has a coordinate of its own, θ,
// that of the link where the spring is slack: docs/elastic-joints.md.
struct JointElasticity {
  double stiffness = 0.0;  // N m/rad or N/m
  double damping = 0.0;    // beside the spring, N m s/rad or N s/m
  bool full = false;       // the rotor turns with the link that carries it too; false: only about its own axis (Spong)
};

// For a joint that follows other joints instead of moving independently: q = Σ factor q of that joint + offset. Those
// joints may be coupled too.
struct CouplingTerm {
  std::string joint;
  double factor = 1.0;
};
struct Coupling {
  std::vector<CouplingTerm> terms;
  double offset = 0.0;
};

// A classic or modified Denavit-Hartenberg row. γ and ε first turn and slide it about the parent's z axis: a branching
// link needs them in addition to the four numbers.
struct DhRow {
  double a = 0.0, alpha = 0.0, d = 0.0, theta = 0.0, gamma = 0.0, epsilon = 0.0;
};
enum class DhConvention { classic, modified };
constexpr std::string_view name_of(DhConvention convention) {
  return convention == DhConvention::classic ? "classic" : "modified";
}
struct WrittenRow {
  DhConvention convention = DhConvention::classic;
  DhRow row{};
};

// pose of the child link in the parent link:  origin * motion(axis, q) * child_frame
struct JointDescription {
  std::string name;
  JointType type = JointType::revolute;
  int parent = -1;  // index into Robot::links
  int child = -1;
  Pose<double> origin{};             // parent link frame from joint frame at q = 0
  Vec3<double> axis{0.0, 0.0, 1.0};  // unit, joint frame
  Pose<double> child_frame{};        // moved joint frame from child link frame (identity for URDF and modified DH)
  JointLimits limits{};
  JointDrive drive{};
  bool passive = false;                      // no motor: its torque is given (0), its acceleration follows
  Coupling coupling{};                       // no terms: it moves independently
  std::optional<JointElasticity> elastic{};  // none: the motor is rigidly geared to the link
  std::optional<WrittenRow> row{};           // that placed it; rows_as_written() says whether it still does
  bool dependent = false;  // follows from the closed loops: found by close_loops(), not written by users
  int line = 0;

  bool moves() const { return type != JointType::fixed; }
  bool is_coupled() const { return moves() && !coupling.terms.empty(); }
};

// A named frame fixed to a link: a tool, a camera.
struct FrameDescription {
  std::string name;
  int link = 0;
  Pose<double> pose{};  // link frame from this frame
  int line = 0;
};

// A closed loop: what its second frame may do against its first, whose z is the axis. Every joint of the tree on the
// path between the two takes part in it. A universal joint turns about z of the first and x of the second.
enum class LoopType { revolute, prismatic, cylindrical, universal, spherical, planar, fixed };
inline constexpr std::array<std::string_view, 7> loop_type_names{"revolute",  "prismatic", "cylindrical", "universal",
                                                                 "spherical", "planar",    "fixed"};
constexpr std::string_view name_of(LoopType type) { return loop_type_names[static_cast<std::size_t>(type)]; }
struct LoopDescription {
  std::string name;
  LoopType type = LoopType::revolute;
  std::array<std::string, 2> frames;  // links or frames, by name
  int line = 0;
};

// A problem with a robot that was accepted nevertheless.
struct Warning {
  std::string text;  // one line, "FILE:LINE: warning: link 2 'rod': …"
  std::string who;   // "link 2 'rod'", empty if it concerns the whole robot
  std::string kind;  // the same for all that differ only in who and in numbers: "triangle inequality"
};

class Robot {
 public:
  std::string name = "robot";
  std::vector<LinkDescription> links;     // links[root()] is the fixed base
  std::vector<JointDescription> joints;   // file order; those that move independently, in this order, are q
  std::vector<FrameDescription> frames;   // in addition to the link frames
  std::vector<LoopDescription> loops;     // that close the tree
  std::vector<std::string> independent;   // of the joints in loops, those that are coordinates; empty: chosen
  std::map<std::string, double> start;    // where joints in loops are looked for first
  std::map<std::string, double> closed;   // positions in which every loop is closed: found by close_loops()
  std::string floating;                   // name of the joint that leaves the base free (model/free_base.hpp)
  std::string tool;                       // name of the link or frame that --frame defaults to; empty: see tool_name()
  Vec3<double> gravity{0.0, 0.0, -9.81};  // m/s², base link frame
  std::vector<Warning> warnings;          // in the order of the file
  bool lenient = false;                   // an inertia that no body can have (indefinite) is a warning, not an error
  int line = 0;                           // where the file names the robot, 0 if built in code

  // To build link by link; these return indices. The first link added is the base.
  int add_link(std::string link_name, const Inertial& inertial = {});
  int add_joint(JointDescription joint);  // parent and child must exist
  int add_frame(std::string frame_name, int link, const Pose<double>& pose = {});

  int link_index(std::string_view link_name) const;  // -1: no such link
  int joint_index(std::string_view joint_name) const;
  int root() const;                        // the link that is not a joint's child
  std::vector<int> moving_joints() const;  // indices into joints, in the order of q: those that move independently
  std::vector<int> tree_joints() const;    // these, the coupled and the dependent ones
  int dof() const { return static_cast<int>(moving_joints().size()); }
  double mass() const;  // of all links, the base included

  // `tool`, or if that is empty: the last link in the file that has no children and that the last joint of
  // joints_outward() moves. (Files often end with a link named "world", which is the base.)
  std::string tool_name() const;
  // Indices into joints, base to tip: fixed joints as early as possible, otherwise in file order. Joints not connected
  // to the base are left out.
  std::vector<int> joints_outward() const;
};

// The pose of a classic or modified Denavit-Hartenberg row, split into the poses of a joint, which keeps the row.
JointDescription classic_dh(const DhRow& row, JointType type);   // T = Rz(γ)Tz(ε) Rz(θ)Tz(d)Tx(a)Rx(α)
JointDescription modified_dh(const DhRow& row, JointType type);  // T = Rz(γ)Tz(ε) Rx(α)Tx(a)Rz(θ)Tz(d)

// R = Rz(yaw) Ry(pitch) Rx(roll), as URDF writes it.
Mat3<double> rotation_from_rpy(const Vec3<double>& rpy);
Vec3<double> rpy_from_rotation(const Mat3<double>& rotation);
Mat3<double> rotation_about(const Vec3<double>& unit_axis, double angle);

}  // namespace catena

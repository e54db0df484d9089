#include "io/sdf_joint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <optional>
#include <string_view>

#include "io/text.hpp"

namespace catena::io {
namespace {

constexpr std::array<std::string_view, 9> types{"revolute",  "continuous", "prismatic", "fixed",  "ball",
                                                "universal", "revolute2",  "screw",     "gearbox"};
constexpr std::array<std::string_view, 13> joint_children{"parent",        "child",
                                                          "gearbox_ratio", "gearbox_reference_body",
                                                          "thread_pitch",  "screw_thread_pitch",
                                                          "axis",          "axis2",
                                                          "pose",          "physics",
                                                          "frame",         "sensor",
                                                          "plugin"};
constexpr std::array<std::string_view, 6> axis_children{"xyz",   "dynamics",        "limit", "use_parent_model_frame",
                                                        "mimic", "initial_position"};
constexpr std::array<std::string_view, 4> dynamics_children{"damping", "friction", "spring_reference",
                                                            "spring_stiffness"};
constexpr std::array<std::string_view, 6> limit_children{"lower",    "upper",     "effort",
                                                         "velocity", "stiffness", "dissipation"};
constexpr std::array<std::string_view, 3> mimic_children{"multiplier", "offset", "reference"};
constexpr std::array<std::string_view, 2> axis_names{"axis", "axis2"};
constexpr double unlimited = 1e16;  // SDF's default

bool has_two_axes(std::string_view type) { return type == "universal" || type == "revolute2"; }

// The motion about or along <axis> or <axis2>; none: a joint of this type has none.
std::optional<std::string> motion_of(const std::string& joint, std::string_view type, std::string_view axis) {
  if (has_two_axes(type)) return fmt::format("{}_{}", joint, axis);
  if (axis != "axis" || type == "fixed" || type == "ball" || type == "gearbox") return std::nullopt;
  return type == "screw" ? joint + "_turn" : joint;
}

class JointReader {
 public:
  JointReader(const SdfFrames& frames, int frame)
      : frames_(frames), frame_(frame), scope_(frames.at(frame).scope), own_(frames.element(frame)) {}

  SdfJoint read() {
    own_.check_names(joint_children);
    joint_.frame = frame_;
    joint_.name = frames_.at(frame_).name;
    joint_.type = own_.attribute("type");
    std::transform(joint_.type.begin(), joint_.type.end(), joint_.type.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    if (std::find(types.begin(), types.end(), joint_.type) == types.end()) {
      own_.error(fmt::format("<joint> type {} must be {} or {}{}", io::quoted(joint_.type),
                             fmt::join(types.begin(), types.end() - 1, ", "), types.back(),
                             did_you_mean(joint_.type, types)));
      joint_.type = "fixed";
    }
    read_ends();
    read_motions();
    if (const auto physics = own_.child("physics"))
      if (const auto simbody = physics->child("simbody")) joint_.is_cut = simbody->truth("must_be_loop_joint", false);
    return std::move(joint_);
  }

 private:
  void read_ends() {
    const auto parent = own_.child("parent");
    if (!parent) own_.error("<joint> has no <parent>, which is required");
    const int from = parent ? frames_.named(scope_, parent->node().text, *parent, "<parent>") : -1;
    if (from < 0 || !own_.node().child("child")) return;
    joint_.parent = frames_.link_of(from);
    joint_.child = frames_.link_of(frame_);
    if (joint_.parent == joint_.child)
      own_.error(fmt::format("its parent and child are both {}",
                             joint_.parent == 0 ? "the world" : "link " + io::quoted(frames_.at(joint_.parent).name)));
    joint_.origin = frames_.between(joint_.parent, frame_);
    joint_.child_frame = frames_.between(frame_, joint_.child);
  }

  void read_motions() {
    const std::string& type = joint_.type;
    if (type == "ball") return read_ball();
    if (type == "fixed") return;
    add_motion("axis", type == "prismatic" ? JointType::prismatic : JointType::revolute);
    if (has_two_axes(type) || type == "gearbox") add_motion("axis2", JointType::revolute);
    if (type != "screw") return;
    SdfMotion slide = joint_.motions.front();
    slide.name = joint_.name + "_slide";
    slide.type = JointType::prismatic;
    slide.limits = {};
    slide.drive = {};
    slide.coupling = {{{joint_.motions.front().name, metres_a_turn() / (2.0 * std::numbers::pi)}}, 0.0};
    joint_.motions.push_back(slide);
  }

  // The angles of rpy: R = Rz(yaw) Ry(pitch) Rx(roll).
  void read_ball() {
    if (const auto axis = own_.child("axis"))
      if (const auto dynamics = axis->child("dynamics"))
        for (const char* acts : {"damping", "friction", "spring_stiffness"})
          if (dynamics->number(acts, 0.0) != 0.0) dynamics->refuse(fmt::format("<{}> of a ball joint", acts));
    joint_.motions = {{joint_.name + "_yaw", JointType::revolute, {0.0, 0.0, 1.0}},
                      {joint_.name + "_pitch", JointType::revolute, {0.0, 1.0, 0.0}},
                      {joint_.name + "_roll", JointType::revolute, {1.0, 0.0, 0.0}}};
  }

  // screw_thread_pitch is that; thread_pitch is radians a metre of a left-handed thread.
  double metres_a_turn() const {
    constexpr double otherwise = 1.0;
    if (own_.node().child("screw_thread_pitch") != nullptr) return own_.number("screw_thread_pitch", otherwise);
    if (own_.node().child("thread_pitch") == nullptr) {
      own_.warning("pitch", "<screw_thread_pitch> is missing; SDF's default is 1 m per turn");
      return otherwise;
    }
    const double pitch = own_.number("thread_pitch", 1.0);
    if (pitch != 0.0) return -2.0 * std::numbers::pi / pitch;
    own_.error("<thread_pitch> 0 must not be zero: it is in radians per metre");
    return otherwise;
  }

  void add_motion(std::string_view which, JointType type) {
    SdfMotion motion;
    motion.name = motion_of(joint_.name, joint_.type, which).value_or(joint_.name);
    motion.type = type;
    const auto axis = own_.child(which);
    if (axis) {
      axis->check_names(axis_children);
      motion.axis = direction(*axis);
      read_limits(*axis, motion.limits);
      read_drive(*axis, motion);
      read_mimic(*axis, motion.coupling);
    } else {
      own_.warning("axis", fmt::format("<{}> is missing; SDF's default is 0 0 1", which));
    }
    joint_.motions.push_back(std::move(motion));
  }

  Vec3<double> direction(const SdfElement& axis) const {
    constexpr Vec3<double> along_z{0.0, 0.0, 1.0};
    const Vec3<double> given = axis.vector("xyz", along_z);
    const auto unit = normalized(given);
    if (!unit) axis.error(fmt::format("<xyz> [{}] has zero length; give a direction, e.g. 0 0 1", listed(given, " ")));
    const int minor = axis.node().minor;
    int seen_from = minor < 7 && axis.truth("use_parent_model_frame", minor < 5) ? scope_ : frame_;
    if (const auto xyz = axis.child("xyz"))
      if (const std::string name = xyz->attribute("expressed_in"); !name.empty())
        seen_from = frames_.named(scope_, name, *xyz, "<xyz> expressed_in");
    if (seen_from < 0 || seen_from == frame_) return unit.value_or(along_z);
    return normalized(frames_.between(frame_, seen_from).R * unit.value_or(along_z)).value_or(along_z);
  }

  void read_limits(const SdfElement& axis, JointLimits& limits) const {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const auto limit = axis.child("limit");
    if (!limit) return;
    limit->check_names(limit_children);
    const auto position = [&](const char* name, double none) {
      const double value = limit->limit(name, none);
      return std::abs(value) >= unlimited ? std::copysign(infinity, value) : value;
    };
    const auto at_most = [&](const char* name) {  // a negative one is none
      const double value = limit->limit(name, infinity);
      return value < 0.0 || value >= unlimited ? infinity : value;
    };
    if (joint_.type != "continuous") {
      limits.lower = position("lower", -infinity);
      limits.upper = position("upper", infinity);
    }
    limits.effort = at_most("effort");
    limits.velocity = at_most("velocity");
  }

  static void read_drive(const SdfElement& axis, SdfMotion& motion) {
    const auto dynamics = axis.child("dynamics");
    if (!dynamics) return;
    dynamics->check_names(dynamics_children);
    const auto not_negative = [&](const char* name) {
      const double value = dynamics->number(name, 0.0);
      if (value < 0.0) dynamics->error(fmt::format("<{}> {} must not be negative", name, value));
      return std::max(value, 0.0);
    };
    motion.drive.viscous = not_negative("damping");
    motion.drive.coulomb = not_negative("friction");
    motion.drive.spring = not_negative("spring_stiffness");
    motion.drive.spring_rest = dynamics->number("spring_reference", 0.0);
  }

  void read_mimic(const SdfElement& axis, Coupling& coupling) const {
    const auto mimic = axis.child("mimic");
    if (!mimic) return;
    mimic->check_names(mimic_children);
    const std::string leader = mimic->attribute("joint");
    const std::string which = mimic->node().find("axis") == nullptr ? "axis" : mimic->attribute("axis");
    const int k = leader.empty() ? -1 : frames_.find(scope_, leader);
    if (leader.empty()) return mimic->error("<mimic> has no attribute 'joint', which is required");
    if (k < 0 || frames_.at(k).kind != SdfKind::joint)
      return mimic->error(fmt::format("<mimic> joint {} is not a joint here", io::quoted(leader)));
    if (std::find(axis_names.begin(), axis_names.end(), which) == axis_names.end())
      return mimic->error(fmt::format(R"(<mimic> axis {} must be "axis" or "axis2")", io::quoted(which)));
    const auto followed = motion_of(frames_.at(k).name, frames_.element(k).attribute("type"), which);
    if (!followed)
      return mimic->error(fmt::format("<mimic> joint {} has no <{}>", io::quoted(leader), printable(which)));
    const double multiplier = mimic->number("multiplier", 1.0);
    coupling = {{{*followed, multiplier}}, mimic->number("offset", 0.0) - multiplier * mimic->number("reference", 0.0)};
  }

  const SdfFrames& frames_;
  int frame_, scope_;
  SdfElement own_;
  SdfJoint joint_;
};

}  // namespace

SdfJoint read_sdf_joint(const SdfFrames& frames, int frame) { return JointReader(frames, frame).read(); }

}  // namespace catena::io

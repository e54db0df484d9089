// What a Robot has and MJCF has no words for: entries of <custom>, which MuJoCo keeps and passes over.
#pragma once

#include <array>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "io/mjcf_relations.hpp"

namespace catena::io {

// Of a joint: <numeric name="catena:velocity JOINT" data="2.5"/>.
struct MjcfJointNumber {
  std::string_view key;
  double (*get)(const JointDescription& joint);  // infinite: nothing to say
  void (*set)(JointDescription& joint, double value);
};
inline constexpr double unsaid = std::numeric_limits<double>::infinity();
inline constexpr double said(double value) { return value != 0.0 ? value : unsaid; }
inline constexpr std::array<MjcfJointNumber, 10> joint_numbers{{
    {"velocity", [](const JointDescription& j) { return j.limits.velocity; },
     [](JointDescription& j, double value) { j.limits.velocity = value; }},
    // A negative one, which no range holds.
    {"effort", [](const JointDescription& j) { return j.limits.effort < 0.0 ? j.limits.effort : unsaid; },
     [](JointDescription& j, double value) { j.limits.effort = value; }},
    // The armature is that behind the gear.
    {"gear_ratio", [](const JointDescription& j) { return j.drive.gear_ratio != 1.0 ? j.drive.gear_ratio : unsaid; },
     [](JointDescription& j, double value) {
       j.drive.gear_ratio = value;
       if (value != 0.0) j.drive.rotor_inertia /= value * value;
     }},
    {"passive", [](const JointDescription& j) { return j.passive ? 1.0 : unsaid; },
     [](JointDescription& j, double value) { j.passive = value != 0.0; }},
    {"torque_offset", [](const JointDescription& j) { return said(j.drive.offset); },
     [](JointDescription& j, double value) { j.drive.offset = value; }},
    {"stribeck", [](const JointDescription& j) { return said(j.drive.stribeck); },
     [](JointDescription& j, double value) { j.drive.stribeck = value; }},
    {"stribeck_speed", [](const JointDescription& j) { return said(j.drive.stribeck_speed); },
     [](JointDescription& j, double value) { j.drive.stribeck_speed = value; }},
    // The first of these makes the joint elastic.
    {"elastic_stiffness", [](const JointDescription& j) { return j.elastic ? j.elastic->stiffness : unsaid; },
     [](JointDescription& j, double value) { j.elastic.emplace().stiffness = value; }},
    {"elastic_damping", [](const JointDescription& j) { return j.elastic ? said(j.elastic->damping) : unsaid; },
     [](JointDescription& j, double value) {
       if (j.elastic) j.elastic->damping = value;
     }},
    {"elastic_full", [](const JointDescription& j) { return j.elastic && j.elastic->full ? 1.0 : unsaid; },
     [](JointDescription& j, double value) {
       if (j.elastic) j.elastic->full = value != 0.0;
     }},
}};

// A number of a limit: 1e300 and more is none.
double limit_of(double number);

// The name of the body that is the robot's base, and not only fixed to it; empty: the world is.
std::string base_of(const std::vector<const MjcfNode*>& customs);
// All else, at the end: joints have their final names.
void read_customs(MjcfModel& model, const MjcfTree& tree, const std::vector<const MjcfNode*>& customs);

}  // namespace catena::io

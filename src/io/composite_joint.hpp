// Joints with several degrees of freedom, expressed as joints with one, with massless links between them
// (docs/robot-files.md).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "catena/robot.hpp"
#include "io/reading.hpp"

namespace catena::io {

enum class Direction { x, y, z };  // z: along the joint's axis; x and y: the frame's axes, rotated with it

struct JointPart {
  std::string_view name;
  JointType type = JointType::revolute;
  Direction direction = Direction::z;
};

struct CompositeKind {
  std::string_view name;
  std::span<const JointPart> parts;  // base to tip
  bool has_pitch = false;            // its last joint follows its first
  bool is_free = false;              // six degrees of freedom, only for the base: model/free_base.hpp
};

std::span<const CompositeKind> composite_kinds();
const CompositeKind* composite_kind(std::string_view name);  // nullptr: unknown

// A joint of the robot that represents several; they inherit its name, pose, axis and links.
struct Composite {
  std::size_t joint = 0;  // index into Robot::joints
  const CompositeKind* kind = nullptr;
  std::vector<JointDescription> parts;  // limits, drive, motor and coupling of each; compose() fills in the rest
};

// Replaces each composite joint by its joints, JOINT_x and so on; the links between, JOINT_x_link, are appended. The
// joints of a floating joint come first; a second floating joint is reported.
void compose(Reading& out, const std::vector<Composite>& composites);

}  // namespace catena::io

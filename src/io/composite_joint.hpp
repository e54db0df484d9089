// Joints of several degrees of freedom, as the joints of one that they are made of, with massless links between
// (docs/robot-files.md).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "catena/robot.hpp"
#include "io/reading.hpp"

namespace catena::io {

enum class Direction { x, y, z };  // z: along the joint's axis; x and y as the frame's, turned with it

struct JointPart {
  std::string_view name;
  JointType type = JointType::revolute;
  Direction direction = Direction::z;
};

struct CompositeKind {
  std::string_view name;
  std::span<const JointPart> parts;  // base to tip
  bool has_pitch = false;            // its last part follows its first
  bool is_free = false;              // six degrees of freedom, of the base alone: model/free_base.hpp
};

std::span<const CompositeKind> composite_kinds();
const CompositeKind* composite_kind(std::string_view name);  // nullptr: no such one

// A joint of the robot that stands for several: its name, place, axis and links are theirs.
struct Composite {
  std::size_t joint = 0;  // index into Robot::joints
  const CompositeKind* kind = nullptr;
  std::vector<JointDescription> parts;  // limits, drive, motor and coupling of each; the rest is filled in
};

// Puts the parts, JOINT_x and so on, in the places of the joints; the links between, JOINT_x_link, come last. Those of
// a floating joint come first. Reports a second one.
void compose(Reading& out, const std::vector<Composite>& composites);

}  // namespace catena::io

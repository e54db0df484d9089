// The parameters of a robot's kinematics as screws: what each of them moves, and the robot with them changed.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "catena/calibration.hpp"
#include "catena/dh_rows.hpp"
#include "catena/kinematics.hpp"
#include "catena/mechanism.hpp"

namespace catena::identification {

// Turns about a line, or slides along it. The line is given in a frame of the joint.
struct Screw {
  enum class In {
    encoder,  // no line: an offset, which moves the joint and those that follow it
    parent,   // the frame of the parent link
    before,   // the joint's frame before it moves
    moved,    // and after
    child     // the frame of the child link
  };
  KinematicParameter parameter;
  int joint = 0;  // index into Robot::joints
  In in = In::encoder;
  Vec3<double> point{}, direction{};
  bool turns = true;
};

class KinematicModel {
 public:
  // Throws std::invalid_argument for a frame that does not exist, a free base and closed loops.
  KinematicModel(const Robot& robot, KinematicForm form, std::string_view frame);

  const std::vector<Screw>& screws() const { return screws_; }
  const std::string& frame() const { return frame_; }
  // The robot with these changes of its parameters, in the order of the screws.
  Robot changed(std::span<const double> changes) const;

 private:
  void find_path();
  void add_offsets();
  void add_frame(int joint);
  void add_row(int joint);

  KinematicForm form_;
  Robot robot_;
  std::vector<DhRow> rows_;  // by joint; empty for the other forms
  std::string frame_;
  std::vector<int> path_;  // moving joints between base and frame
  std::vector<Screw> screws_;
};

// How points of the model's frame move with each screw, along the axes of the base link.
class ScrewColumns {
 public:
  ScrewColumns(Robot robot, const KinematicModel& model);
  void update(std::span<const double> q);
  const Pose<double>& pose() const { return pose_; }  // base link from the model's frame
  std::size_t positions() const { return static_cast<std::size_t>(mechanism_.nq()); }  // entries of q
  JacobianColumn<double> column(std::size_t k, const Vec3<double>& point) const;       // of screw k

 private:
  struct Line {
    Vec3<double> point{}, direction{};
  };
  Pose<double> frame_of(const Screw& screw) const;

  const KinematicModel& model_;
  Robot robot_;
  Mechanism mechanism_;
  Kinematics<double> kinematics_;
  int frame_ = 0;
  std::vector<int> coordinate_;  // by screw; -1: it has a line
  std::vector<Line> lines_;      // by screw, in the base link's frame
  Pose<double> pose_{};
  std::vector<JacobianColumn<double>> jacobian_;
};

}  // namespace catena::identification

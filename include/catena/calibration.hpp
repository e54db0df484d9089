// Kinematic calibration: corrections of joint offsets, frames or Denavit-Hartenberg rows from measured poses of a tool.
// docs/calibration.md.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "catena/math/pose.hpp"
#include "catena/robot.hpp"

namespace catena {

// What may be wrong with a robot's kinematics. Of the joints between the base and a frame:
//   offsets   what is added to the position that a joint's encoder shows; joints that follow it move with it
//   frames    these, and where each joint's frame stands before it moves: x, y, z along its own axes, and turns rx, ry,
//             rz about them (not about the axis of a joint that turns, nor along one that slides: that is the offset)
//   rows      theta, d, a and alpha of each row; and beta, a turn about y, where the next axis is parallel, whose tilt
//             the four cannot say (Hayati)
enum class KinematicForm { offsets, frames, classic_dh, modified_dh };
std::string_view name_of(KinematicForm form);

struct KinematicParameter {
  std::string name;       // "elbow offset", "elbow rx", "alpha elbow"
  std::string_view unit;  // rad or m
  double nominal = 0.0;   // the model's value: of a row; 0 for corrections of frames and offsets
};
// Those that can move the frame (a link or frame by name; empty: the tool), offsets first, then joint by joint from the
// base. Throw std::invalid_argument for a frame that does not exist, for a free base and for closed loops.
std::vector<KinematicParameter> kinematic_parameters(const Robot& robot, KinematicForm form,
                                                     std::string_view frame = {});
// How the frame's origin moves and how it turns with each parameter, along the axes of the base link: 6 x p by rows.
std::vector<double> kinematic_sensitivity(const Robot& robot, KinematicForm form, std::span<const double> q,
                                          std::string_view frame = {});

// Poses of a thing fixed to the frame, as a measuring device sees it.
struct MeasuredPoses {
  std::vector<double> q;                  // as the encoders showed them, pose by pose
  std::vector<Vec3<double>> positions;    // m, in the frame of the device
  std::vector<Mat3<double>> rotations{};  // device from measured body; empty: only positions were measured
};

struct CalibrationOptions {
  KinematicForm form = KinematicForm::frames;
  std::string frame{};              // empty: the tool
  bool base_known = false;          // the device measures in the base link's frame; else it stands anywhere
  bool tool_known = false;          // the thing is the frame itself; else it is anywhere on it
  std::vector<std::string> kept{};  // names of parameters that are not corrected
  double outlier = 5.0;             // poses this many standard deviations off are left out
};

struct Correction {
  KinematicParameter parameter;
  double change = 0.0;  // what the nominal value is corrected by
  double standard_error = 0.0;
  double lower = 0.0, upper = 0.0;  // 95 % interval of the change
};
// A parameter that these poses do not show: it has no effect, or the same as a sum of others. It stays as it is.
struct UnseenParameter {
  std::string name;
  std::string as;  // "tool x - 0.4 elbow offset"; empty: no effect
};
struct PoseErrors {
  std::size_t poses = 0;
  double position = 0.0, worst_position = 0.0;        // root mean square of the distances, and the largest, m
  double orientation = 0.0, worst_orientation = 0.0;  // the same of angles, rad; 0 where none were measured
};

struct Calibration {
  Robot robot;  // corrected
  std::vector<Correction> corrections;
  std::vector<UnseenParameter> unseen;
  std::string frame;
  Pose<double> base{}, tool{};         // device from base link; frame from measured thing
  std::vector<Correction> placements;  // of these two, where they are not known: changes count from what is given
  std::vector<double> covariance;      // of the corrections, by rows
  std::vector<std::size_t> outliers;   // poses that were left out, from 0
  PoseErrors before, after;            // with the model's kinematics, base and tool fitted; and with the corrected
  double position_sigma = 0.0, orientation_sigma = 0.0;  // of one measured coordinate, m and rad
  double condition = 0.0;                                // of the weighted matrix with columns scaled to length 1
};

// Robust Gauss-Newton: poses that do not fit are left out, the rest is fitted by least squares; positions and
// orientations are weighted by what they scatter. Intervals assume independent errors of the device and exact q. Throws
// std::invalid_argument for lengths and numbers that do not fit and for robots that cannot be calibrated so (free base,
// closed loops), and std::domain_error where poses are too few or do not belong to the robot.
Calibration calibrate(const Robot& robot, const MeasuredPoses& poses, const CalibrationOptions& options = {});

// The errors of a calibrated robot at other poses, measured in the same place.
PoseErrors pose_errors(const Calibration& found, const MeasuredPoses& poses);
// The errors at poses that were held out: every k-th of them in each of `folds` calibrations with the others.
PoseErrors cross_validate(const Robot& robot, const MeasuredPoses& poses, const CalibrationOptions& options, int folds);

}  // namespace catena

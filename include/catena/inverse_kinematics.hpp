// Inverse kinematics: joint positions, within their limits, that bring a frame to a given position or pose. Numeric:
// damped least squares from several starts. Equations (1)-(8): docs/equations/inverse_kinematics.md.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "catena/mechanism.hpp"

namespace catena {

enum class Aim { position, pose };  // only the frame's origin, or its axes as well

struct InverseKinematicsOptions {
  double position_tolerance = 1e-9;  // m
  double rotation_tolerance = 1e-9;  // rad, of the remaining rotation
  int iterations = 200;              // per start, at most
  int starts = 100;                  // at most: the given one, then others spread within the limits
  bool limits = true;                // joints stay within their limits
};

struct InverseKinematicsResult {
  bool reached = false;
  std::vector<double> q;        // reached, or the nearest found
  double position_error = 0.0;  // m
  double rotation_error = 0.0;  // rad; 0 if only the position is the aim
  int iterations = 0;           // over all starts
  int starts = 0;               // tried
  std::vector<int> at_limit;    // joints at a limit, by their index in q
};

// The rotation vector of a rotation: axis times angle, with the angle in [0, π]. (2)
Vec3<double> rotation_vector(const Mat3<double>& rotation);

// Solves for one frame of one robot; the workspace is created once and solving allocates nothing.
class InverseKinematics {
 public:
  // Throws std::invalid_argument for a frame that does not exist.
  InverseKinematics(const Mechanism& robot, int frame, Aim aim);
  ~InverseKinematics();
  InverseKinematics(InverseKinematics&&) noexcept;
  InverseKinematics& operator=(InverseKinematics&&) noexcept;

  // The target is given in the base link frame. The result is valid until the next call, and says whether the target
  // was reached. Without a start: from middle(). The same arguments always give the same result. Throws
  // std::invalid_argument on a wrong length, a start outside the limits, limits that no position satisfies, a matrix
  // that is not a rotation, numbers that are not finite and tolerances that are not positive.
  const InverseKinematicsResult& solve(const Pose<double>& target, std::span<const double> start = {},
                                       const InverseKinematicsOptions& options = {});

  // The middle of every joint's limits; if a limit is missing, 0 or the value within the other limit nearest to 0.
  std::span<const double> middle() const;

 private:
  struct Workspace;
  std::unique_ptr<Workspace> ws_;
};

// The same for callers that want a q or nothing: throws std::domain_error if the target was not reached, with the
// remaining error and the nearest q.
std::vector<double> joint_positions(const Mechanism& robot, int frame, Aim aim, const Pose<double>& target,
                                    std::span<const double> start = {}, const InverseKinematicsOptions& options = {});
std::string out_of_reach(const InverseKinematicsResult& result, Aim aim);  // the text of that error

}  // namespace catena

// Inverse kinematics: positions of the joints, within their limits, that bring a frame to a place. Numeric: damped
// least squares from several starts. Equations (1)-(8): docs/equations/inverse_kinematics.md.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "catena/mechanism.hpp"

namespace catena {

enum class Aim { position, pose };  // the frame's origin alone, or its axes as well

struct InverseKinematicsOptions {
  double position_tolerance = 1e-9;  // m
  double rotation_tolerance = 1e-9;  // rad, of the turn that is left
  int iterations = 200;              // of one start, at most
  int starts = 100;                  // at most: the given one, then others spread within the limits
  bool limits = true;                // joints stay within their limits
};

struct InverseKinematicsResult {
  bool reached = false;
  std::vector<double> q;        // reached, or the nearest that was found
  double position_error = 0.0;  // m
  double rotation_error = 0.0;  // rad; 0 where the position is the aim
  int iterations = 0;           // of all starts
  int starts = 0;               // tried
  std::vector<int> at_limit;    // joints, by their place in q, that stand at a limit
};

// A rotation as its vector: axis times angle, the angle in [0, π]. (2)
Vec3<double> rotation_vector(const Mat3<double>& rotation);

// Solves for one frame of one robot; the workspace is made once and solving allocates nothing.
class InverseKinematics {
 public:
  // Throws std::invalid_argument for a frame that does not exist.
  InverseKinematics(const Mechanism& robot, int frame, Aim aim);
  ~InverseKinematics();
  InverseKinematics(InverseKinematics&&) noexcept;
  InverseKinematics& operator=(InverseKinematics&&) noexcept;

  // Seen from the base link frame. The result is good until the next call; it says itself whether the target was
  // reached. Without a start: from middle(). The same arguments always give the same result. Throws
  // std::invalid_argument on a wrong length, a start outside of the limits, limits that no position satisfies, a
  // rotation that is none, numbers that are not finite and tolerances that are not positive.
  const InverseKinematicsResult& solve(const Pose<double>& target, std::span<const double> start = {},
                                       const InverseKinematicsOptions& options = {});

  // The middle of every joint's limits; 0, or the limit next to it, where one is missing.
  std::span<const double> middle() const;

 private:
  struct Workspace;
  std::unique_ptr<Workspace> ws_;
};

// The same for programs that want a q or nothing: throws std::domain_error where the target was not reached, with what
// is left of the way and the nearest q.
std::vector<double> joint_positions(const Mechanism& robot, int frame, Aim aim, const Pose<double>& target,
                                    std::span<const double> start = {}, const InverseKinematicsOptions& options = {});
std::string out_of_reach(const InverseKinematicsResult& result, Aim aim);  // the words of that error

}  // namespace catena

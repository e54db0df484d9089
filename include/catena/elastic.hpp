// Feed-forward of elastic joints: the motion of motors and their torques, for a motion of the links with four
// derivatives. Equations: docs/equations/elastic_joints.md. What a joint says: JointElasticity (robot.hpp); the robot
// with its motors: with_motors() (changes.hpp).
#pragma once

#include <memory>
#include <span>

#include "catena/mechanism.hpp"

namespace catena {

// A motion of the links at one time, an entry per coordinate of the robot with stiff joints.
struct LinkMotion {
  std::span<const double> q, qd, qdd, jerk, snap;
};

class ElasticInverse {
 public:
  // Throws ModelError if the robot is not valid, std::invalid_argument for one whose motors the motion of its links
  // does not determine by four derivatives: no elastic joint, one with damping or with full coupling to a link that
  // moves, passive joints, closed loops, a base that is not fixed.
  explicit ElasticInverse(const Robot& robot);
  ElasticInverse(ElasticInverse&&) noexcept;
  ~ElasticInverse();

  const Mechanism& links() const;   // with stiff joints, and without what is behind the springs: q of a LinkMotion
  const Mechanism& motors() const;  // with motors: (q, θ)

  // The motion of (q, θ) and its torques, motors().nv() entries each; those of elastic joints' links are 0.
  struct Motors {
    std::span<double> q, qd, qdd, tau;
  };
  void operator()(const LinkMotion& motion, const Motors& out);

  // The torques that the links need at their joints, and their first two derivatives: links().nv() entries each.
  void link_torques(const LinkMotion& motion, std::span<double> tau, std::span<double> rate, std::span<double> second);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace catena

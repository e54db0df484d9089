// A base that moves as it is told: a vehicle, a ship, a track. Around every formulation and every engine: the motion of
// the base acts on the joints by generalized forces δ, which are added to the torques that a job gives, or taken off
// those that it is given. No formulation knows of it, and neither does Call: who has no moving base pays nothing.
// Equations: docs/equations/moving_base.md.
#pragma once

#include <span>
#include <vector>

#include "catena/dynamics/call.hpp"

namespace catena {

// Along the axes of the base link, and of its origin: what gyroscopes and a speedometer bolted to it would show, and
// how fast these readings change. An accelerometer there shows v̇ + ω × v - g. (1)
template <class S>
struct BaseMotion {
  Vec3<S> velocity{};              // v, m/s
  Vec3<S> angular_velocity{};      // ω, rad/s
  Vec3<S> acceleration{};          // v̇: the derivatives of the components of v, m/s²
  Vec3<S> angular_acceleration{};  // ω̇, rad/s²
};

// The robot behind six joints without mass, P_x P_y P_z R_x R_y R_z along the axes of the mechanism's base frame, which
// are q[0] … q[5]; the robot's own follow. It has no gravity, and neither friction nor rotors.                     (2)
inline constexpr int base_joints = 6;
Mechanism on_moving_base(const Mechanism& robot);

// Whether a job's result is known for a moving base: inverse, bias, forward and hybrid dynamics.
bool follows_base(const JobInfo& job);
// Whether it would be another one there, known or not: derivatives of these, and weights.
bool depends_on_base(const JobInfo& job);

template <class S>
class MovingBase {
 public:
  explicit MovingBase(const Mechanism& robot);

  // δ(q, q̇, motion of the base), by q: what torques must bring beside those of the robot on a base at rest.         (5)
  // Valid until the next call. Allocates nothing. Throws std::invalid_argument on a wrong length and std::domain_error
  // where a number is not finite.
  std::span<const S> forces(std::span<const S> q, std::span<const S> qd, const BaseMotion<S>& motion);

  // A call of the same robot as it goes on the moving base, friction, rotors and wrenches included; on any engine. (6)
  // Wrenches along the world's axes keep those of the base link. Throws std::invalid_argument also where the job does
  // not follow the base.
  void run(Call<S>& call, const Inputs<S>& in, const BaseMotion<S>& motion, std::span<S> out);

 private:
  void set_base(const BaseMotion<S>& motion);

  Pose<S> link_from_base_;     // the user's base link frame from the mechanism's base frame
  std::vector<char> passive_;  // by q
  Call<S> moving_, still_;     // inverse dynamics behind the six joints; bias on a base at rest; both rigid, weightless
  std::vector<S> q_, qd_, qdd_, all_, alone_;  // with the six joints: state and torques; and torques without them
  std::vector<S> forces_, given_, lowered_;    // δ; torques as they came, and less δ
};

extern template class MovingBase<double>;
extern template class MovingBase<float>;

}  // namespace catena

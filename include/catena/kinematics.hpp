// Kinematics in the user's frames as an object: updated once for a state, queried any number of times. Each of its
// answers is also a job.
#pragma once

#include <memory>
#include <span>

#include "catena/math/pose.hpp"
#include "catena/mechanism.hpp"

namespace catena {

// S is double or float. Calls allocate nothing.
template <class S>
class Kinematics {
 public:
  explicit Kinematics(const MechanismFor<S>& robot);
  ~Kinematics();
  Kinematics(const Kinematics&);
  Kinematics& operator=(const Kinematics&);
  Kinematics(Kinematics&&) noexcept;
  Kinematics& operator=(Kinematics&&) noexcept;

  int nv() const;

  // Places every link. q̇ and q̈ may be left empty if only poses and Jacobians are needed, and so may the base motion
  // if the base is at rest.
  void update(std::span<const S> q, std::span<const S> qd = {}, std::span<const S> qdd = {},
              std::span<const S> base_motion = {});

  Pose<S> pose(int frame) const;  // world from frame
  FrameMotion<S> motion(int frame) const;

  // columns[j] = (∂v/∂q̇_j, ∂ω/∂q̇_j) of the frame's origin; zero for joints that do not move the frame.
  void jacobian(int frame, std::span<JacobianColumn<S>> columns);
  // The time derivative of jacobian(); update() must have been given q̇.
  void jacobian_derivative(int frame, std::span<JacobianColumn<S>> columns);

  S kinetic_energy() const;    // of the links; update() must have been given q̇
  S potential_energy() const;  // of the links, without springs

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace catena

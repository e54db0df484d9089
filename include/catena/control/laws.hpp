// Torque laws made of linearized models: for Simulation, and for whoever calls them.
#pragma once

#include <vector>

#include "catena/control/lqr.hpp"
#include "catena/dynamics/factorization.hpp"
#include "catena/sim/controllers.hpp"

namespace catena {

// K of lqr(), which has a row for each joint with a motor, with rows of zeros for passive joints: n x 2n. Throws
// std::invalid_argument on a wrong size.
std::vector<double> gain_of_all_joints(const Mechanism& robot, std::span<const double> K);

// τ = τ_r - K (x - x_r) about one state: K is n x 2n, see gain_of_all_joints().
TorqueLaw state_feedback(std::vector<double> q, std::vector<double> tau, std::vector<double> K);

// The same with the gains of a linear quadratic regulator of the robot at rest in q, and the torques that hold it
// there. Throws std::invalid_argument where a passive joint would not stay, std::domain_error where no feedback holds
// it.
using CostOf = std::function<QuadraticCost(const StateSpace& model)>;
TorqueLaw regulated_posture(const Mechanism& robot, const std::vector<double>& q, const CostOf& cost);

// τ = τ(q_r, q̇_r, q̈_r) - K(t) (x - x_r) along a reference: gains change on straight lines between the times, so that an
// integrator meets no jumps; the first and the last hold outside. Throws std::invalid_argument unless the times
// increase and every gain is n x 2n.
TorqueLaw tracking_feedback(const Mechanism& robot, Reference reference, std::vector<double> times,
                            std::vector<std::vector<double>> gains);

// The same with the gains of a linear quadratic regulator along the reference: the model is linearized and sampled
// every `dt` from `start` to `end`, (6); after that the regulator of where the motion ends holds. Throws
// std::domain_error where the robot cannot be accelerated or not be held.
struct Horizon {
  double start = 0.0, end = 0.0, dt = 0.01;
};
TorqueLaw regulated_tracking(const Mechanism& robot, Reference reference, const Horizon& horizon,
                             const QuadraticCost& cost);

// Where a frame should be and how it should move, along the axes of the base link.
struct FrameTarget {
  Pose<double> pose{};
  Vec3<double> velocity{}, omega{}, acceleration{}, omega_dot{};
};
using FrameReference = std::function<FrameTarget(double t)>;

// Along straight lines from pose to pose, turning about one axis between each two: where s of `progress` is k + x, the
// frame is the part x of the way from pose k to the next. Throws std::invalid_argument without poses.
struct PathProgress {
  double s = 0.0, rate = 0.0, acceleration = 0.0;
};
FrameReference frame_path(std::vector<Pose<double>> poses, std::function<PathProgress(double t)> progress);
// The same at rest in every pose, in equal times from each to the next, cycloids between.
FrameReference frame_path(std::vector<Pose<double>> poses, double time);

// Operational-space control of a frame's origin: with Λ its inertia and J̇q̇ its drift, the frame moves as
// ẍ = kp (x_r - x) - kd ẋ, whatever the arm; motion that the frame does not see is damped by `damping`, an acceleration
// per speed. Equations (7), (8): docs/equations/linear_control.md. Throws std::domain_error where the frame cannot be
// accelerated in all directions.
struct OperationalGains {
  double kp = 100.0, kd = 20.0, damping = 5.0;
};
TorqueLaw operational_space_control(const Mechanism& robot, int frame, const Vec3<double>& target,
                                    const OperationalGains& gains = {});

// Resolved acceleration (Luh, Walker and Paul): a frame follows a motion, its origin alone or its axes too, the error
// decaying as that oscillator, (7)-(9). Throws like the one above.
TorqueLaw resolved_acceleration_control(const Mechanism& robot, int frame, FrameReference reference,
                                        Directions directions = Directions::all, const OperationalGains& gains = {});

}  // namespace catena

// Linear models and control: state space, regulators, equilibria, torque laws, and models in Cartesian coordinates.
#pragma once

#include <array>
#include <cmath>
#include <complex>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "catena/call.hpp"
#include "catena/factorization.hpp"
#include "catena/laws.hpp"
#include "catena/math/pose.hpp"
#include "catena/mechanism.hpp"
#include "catena/simulation.hpp"
#include "catena/wrenches.hpp"

namespace catena {

// The linearized model in state space, x = (δq, δq̇): ẋ = A x + B δτ about a state and the torques acting in it; its
// sampled form and its poles. Passive joints have no column in B. Equations: docs/equations/linear_control.md.

struct StateSpace {
  int joints = 0;
  std::vector<double> A;  // 2n x 2n, row-major
  std::vector<double> B;  // 2n x m: a column for each joint with a motor, in the order of q

  std::size_t states() const { return 2 * static_cast<std::size_t>(joints); }
  std::size_t inputs() const { return joints > 0 ? B.size() / states() : 0; }
};

// Linearizes one robot about any state; the workspace is created once.
class Linearization {
 public:
  explicit Linearization(const Mechanism& robot);

  // About a state under given torques: (16) of docs/equations/tensor_linearized.md. Friction, rotors, springs and
  // wrenches included. Throws std::domain_error if the robot cannot be accelerated.
  StateSpace under(std::span<const double> q, std::span<const double> qd, std::span<const double> tau,
                   std::span<const ExternalWrench<double>> wrenches = {});
  // About a motion, under the torques that produce it, which torques() then returns. Passive joints have no torque, and
  // their acceleration is the one that follows, not the one supplied.
  StateSpace along(std::span<const double> q, std::span<const double> qd, std::span<const double> qdd,
                   std::span<const ExternalWrench<double>> wrenches = {});
  std::span<const double> torques() const { return tau_; }
  std::span<const double> accelerations() const { return qdd_; }  // of along()

 private:
  Mechanism robot_;
  Call<double> response_, motion_;
  std::vector<double> out_, motion_out_, zeros_, qdd_, tau_;
  std::vector<std::size_t> driven_;  // joints with a motor
};

// The same between samples dt apart, with the torques held constant, (1): x_{k+1} = A x_k + B δτ_k.
StateSpace discretize(const StateSpace& model, double dt);

// Eigenvalues of an m x m matrix, by real part, largest first.
std::vector<std::complex<double>> eigenvalues(std::span<const double> matrix);
inline std::vector<std::complex<double>> poles(const StateSpace& model) { return eigenvalues(model.A); }

// Linear quadratic regulators: the feedback δτ = -K x that minimizes ∫ (xᵀQ x + δτᵀR δτ) dt, or the sum of the same
// terms over infinitely or finitely many samples. Equations (2)-(6): docs/equations/linear_control.md.

// Q is 2n x 2n and positive semidefinite, R is m x m and positive definite; m is the number of inputs of the model, n
// unless joints are passive. Both are symmetric and row-major.
struct QuadraticCost {
  std::vector<double> Q, R;
};
// Diagonal weights of positions, speeds and torques: one per joint, or one for all.
QuadraticCost diagonal_cost(int joints, std::span<const double> position, std::span<const double> speed,
                            std::span<const double> torque);
// The same for a model with fewer inputs: one torque weight per input, or one for all.
QuadraticCost diagonal_cost(const StateSpace& model, std::span<const double> position, std::span<const double> speed,
                            std::span<const double> torque);

struct Regulator {
  std::vector<double> K;                    // m x 2n
  std::vector<double> S;                    // 2n x 2n: xᵀS x is the cost starting from x
  double residual = 0.0;                    // of the Riccati equation, relative to its largest term
  std::vector<std::complex<double>> poles;  // of the closed loop
};

// Continuous time (2), (3); sampled (4), (5). Throw std::invalid_argument on wrong sizes or an invalid cost, and
// std::domain_error if no feedback makes the loop stable, naming the pole that cannot be moved.
Regulator lqr(const StateSpace& model, const QuadraticCost& cost);
Regulator sampled_lqr(const StateSpace& sampled, const QuadraticCost& cost);

// Gains for each of the given samples of a motion, computed backwards in time (6): `end` is the cost of the state after
// the last one. gains[k] is m x 2n.
std::vector<std::vector<double>> finite_horizon_lqr(std::span<const StateSpace> sampled, const QuadraticCost& cost,
                                                    std::span<const double> end);

// Equilibria of a robot with passive joints: positions of these joints at which gravity does not move them while the
// others are held. Equations (3), (4): docs/equations/hybrid.md.

// What happens after a small push: it comes back, it falls away, or it stays where it was pushed.
enum class Stability { stable, unstable, neutral };
std::string_view name_of(Stability stability);

struct Equilibrium {
  std::vector<double> q;          // the active joints as supplied
  std::vector<double> tau;        // the torques that hold the active joints; 0 at the passive ones
  std::vector<double> stiffness;  // (4) eigenvalues of P_tt by real part, smallest first; all positive if stable
  Stability stability = Stability::neutral;
  double potential = 0.0;  // J
  double residual = 0.0;   // largest torque remaining at a passive joint
};

// (3) By Newton's method from q; if that does not converge, from points around it. Throws std::invalid_argument if no
// joint is passive, and std::domain_error if nothing is found, naming the joint with the largest remaining torque.
Equilibrium find_equilibrium(const Mechanism& robot, std::span<const double> q,
                             std::span<const ExternalWrench<double>> wrenches = {});

// From q and from `starts` points all around it: the distinct ones, lowest potential energy first. Of a continuum of
// them (a joint that gravity moves nowhere) only the one found first.
std::vector<Equilibrium> find_equilibria(const Mechanism& robot, std::span<const double> q, int starts = 32,
                                         std::span<const ExternalWrench<double>> wrenches = {});

// Torque laws based on linearized models: for Simulation, and for direct calls.

// K of lqr(), which has a row for each joint with a motor, expanded to n x 2n by rows of zeros for passive joints.
// Throws std::invalid_argument on a wrong size.
std::vector<double> gain_of_all_joints(const Mechanism& robot, std::span<const double> K);

// τ = τ_r - K (x - x_r) about one state: K is n x 2n, see gain_of_all_joints().
TorqueLaw state_feedback(std::vector<double> q, std::vector<double> tau, std::vector<double> K);

// The same with the gains of a linear quadratic regulator of the robot at rest in q, and the torques that hold it
// there. Throws std::invalid_argument if a passive joint would not stay there, std::domain_error if no feedback holds
// it.
using CostOf = std::function<QuadraticCost(const StateSpace& model)>;
TorqueLaw regulated_posture(const Mechanism& robot, const std::vector<double>& q, const CostOf& cost);

// τ = τ(q_r, q̇_r, q̈_r) - K(t) (x - x_r) along a reference: gains are interpolated linearly between the times, so that
// an integrator meets no jumps, and are constant before the first and after the last. Throws std::invalid_argument
// unless the times increase and every gain is n x 2n.
TorqueLaw tracking_feedback(const Mechanism& robot, Reference reference, std::vector<double> times,
                            std::vector<std::vector<double>> gains);

// The same with the gains of a linear quadratic regulator along the reference: the model is linearized and sampled
// every `dt` from `start` to `end`, (6); after that the regulator of the final state applies. Throws std::domain_error
// if the robot cannot be accelerated or cannot be held.
struct Horizon {
  double start = 0.0, end = 0.0, dt = 0.01;
};
GainSchedule regulated_gains(const Mechanism& robot, const Reference& reference, const Horizon& horizon,
                             const QuadraticCost& cost);
TorqueLaw regulated_tracking(const Mechanism& robot, Reference reference, const Horizon& horizon,
                             const QuadraticCost& cost);

// Where a frame should be and how it should move, in the axes of the base link.
struct FrameTarget {
  Pose<double> pose{};
  Vec3<double> velocity{}, omega{}, acceleration{}, omega_dot{};
};
using FrameReference = std::function<FrameTarget(double t)>;

// Straight lines from pose to pose, with a rotation about one axis between each two: at s = k + x of `progress`, the
// frame is the fraction x of the path beyond pose k. Throws std::invalid_argument without poses.
struct PathProgress {
  double s = 0.0, rate = 0.0, acceleration = 0.0;
};
FrameReference frame_path(std::vector<Pose<double>> poses, std::function<PathProgress(double t)> progress);
// The same, stopping in every pose, with equal times from each to the next along cycloids.
FrameReference frame_path(std::vector<Pose<double>> poses, double time);

// What a law of catena/laws.hpp follows and measures in a simulation; it reads those that it needs.
struct LawReference {
  Reference joints{};
  FrameReference frame{};
  std::array<double, 6> force{};  // wanted
  // What the frame exerts on its environment, force over moment, along the axes of the base link.
  std::function<std::array<double, 6>(double t, std::span<const double> q, std::span<const double> qd)>
      measured_force{};
};
// What a frame exerts on its environment where these wrenches act on it: for LawReference::measured_force.
std::function<std::array<double, 6>(double, std::span<const double>, std::span<const double>)> force_exerted(
    const Mechanism& robot, int frame, const Wrenches& wrenches);
// One step of a law: measurement, reference, dt, torque.
using LawStepFunction =
    std::function<void(std::span<const double>, std::span<const double>, double, std::span<double>)>;
// The law in a run whose SimulationOptions::period is `period`. The first step of a run resets it. `robot` is what the
// law knows. Throws std::invalid_argument if the reference lacks something.
TorqueLaw sampled_law(const Mechanism& robot, const std::shared_ptr<Controller>& controller, LawReference reference,
                      double period);
// The same with another step and reset, of generated code for instance.
TorqueLaw sampled_law(const Mechanism& robot, const Controller& layout, LawStepFunction step,
                      std::function<void()> reset, LawReference reference, double period);

// Operational-space control of a frame's origin: with Λ its inertia and J̇q̇ its drift, the frame moves as ẍ = kp (x_r
// - x) - kd ẋ, whatever the arm; motion that does not move the frame is damped by `damping`, an acceleration per speed.
// Equations (7), (8): docs/equations/linear_control.md. Throws std::domain_error if the frame cannot be accelerated in
// all directions.
struct OperationalGains {
  double kp = 100.0, kd = 20.0, damping = 5.0;
};
TorqueLaw operational_space_control(const Mechanism& robot, int frame, const Vec3<double>& target,
                                    const OperationalGains& gains = {});

// Resolved acceleration (Luh, Walker and Paul): a frame follows a motion, its origin alone or its axes too; the error
// decays like that oscillator, (7)-(9). Throws like the function above.
TorqueLaw resolved_acceleration_control(const Mechanism& robot, int frame, FrameReference reference,
                                        Directions directions = Directions::all, const OperationalGains& gains = {});

// The Cartesian vector χ of a frame: its position and three numbers for its rotation, in several conventions; and how
// well the joints can move it. Equations (18)-(22): docs/equations/cartesian_models.md.

// R = R_first(a) R_second(b) R_third(c) about axes that rotate with the frame. `reversed`: the angles are listed from
// the last to the first, as roll, pitch and yaw are.
struct AngleConvention {
  std::string_view name, axes;
  bool reversed = false;
};
inline constexpr std::array<AngleConvention, 4> angle_conventions{
    {{"rpy", "zyx", true}, {"zyz", "zyz"}, {"zxz", "zxz"}, {"xyz", "xyz"}}};

// The angles, the middle one in [-π/2, π/2], or in [0, π] if the first and last axes are the same; (18), (19). Where
// two of the axes coincide and only a sum of angles matters, the last of `axes` is 0. Throws std::invalid_argument if
// two consecutive axes are the same.
Vec3<double> angles_of(const Mat3<double>& rotation, const AngleConvention& convention);
Mat3<double> rotation_of(const Vec3<double>& angles, const AngleConvention& convention);

// Of the min(m, n) singular values of an m x n matrix by rows: their product, the ratio of the largest to the smallest
// (infinity if the smallest is 0) and the smallest, (22).
struct Dexterity {
  double manipulability = 0.0, condition = 0.0, smallest_singular_value = 0.0;
};
Dexterity dexterity(std::span<const double> J, std::size_t rows, std::size_t columns);

// What joints can do at a frame, all directions at once: (24)-(26) of docs/equations/cartesian_models.md.
struct Ellipsoid {
  std::vector<double> lengths;     // of its half axes, longest first
  std::vector<Vec3<double>> axes;  // unit, along the axes of the base link
  // The shortest over the longest; 0 where no joint moves the frame: all lengths are 0, or infinite.
  double isotropy() const {
    return lengths.empty() || lengths.front() == 0.0 || std::isinf(lengths.back()) ? 0.0
                                                                                   : lengths.back() / lengths.front();
  }
};
struct FrameEllipsoids {
  Ellipsoid velocity;      // joint speeds of norm 1
  Ellipsoid acceleration;  // torques of norm 1, from rest without gravity; where all joints have one, shares of efforts
  Ellipsoid inertia;       // the mass, or inertia, that resists there; infinite where no joint moves it
};
struct Ellipsoids {
  FrameEllipsoids translation, rotation;
  bool by_efforts = false;  // accelerations are for shares of the efforts
};
Ellipsoids ellipsoids(const Mechanism& robot, int frame, std::span<const double> q);

// The model in the coordinates χ of a frame instead of those of the joints: inertia, velocity terms, gravity and force
// as seen at the frame, and the model linearized about a motion of the frame. Balafoutis 1989, section 7.4. Equations
// (1)-(17): docs/equations/cartesian_models.md.

// What χ holds: the position x, y, z of the frame's origin and, for all but the first, three numbers for its rotation.
enum class FrameCoordinates {
  position,  // no rotation
  velocity,  // χ̇ has the angular velocity wx, wy, wz; χ itself has no such coordinates
  rpy,       // roll, pitch, yaw: R = Rz(yaw) Ry(pitch) Rx(roll); pitch other than ±90°
  zyz        // alpha, beta, gamma: R = Rz(alpha) Ry(beta) Rz(gamma); beta between 0 and 180°
};
inline constexpr std::string_view frame_coordinate_names[] = {"position", "velocity", "rpy", "zyz"};  // in that order
// Names of the rows of χ̇: "x", …, "wx", …, "roll", …, "alpha", ….
std::vector<std::string> row_names(FrameCoordinates coordinates);

struct CartesianOptions {
  // 0: a singular Jacobian is an error. Otherwise it is inverted with damping wherever its smallest singular value is
  // below this value, (6), and that value then acts as the smallest.
  double damping = 0.0;
  std::vector<int> rows{};  // the rows of row_names() that χ has, ascending; empty: all
};

// Where the frame is and how well it can be moved. Matrices by rows; m rows of χ, n joints.
struct CartesianMotion {
  std::vector<std::string> names;                // of the rows
  std::vector<double> position;                  // χ; for `velocity`, only the rows that are coordinates: x, y, z
  std::vector<double> velocity, acceleration;    // χ̇, χ̈
  std::vector<double> J, J_dot, J_ddot;          // m x n: χ̇ = J q̇, and its rates along the motion, exact
  std::vector<double> inverse;                   // n x m: J^#, (4)-(6)
  double manipulability = 0.0, condition = 0.0;  // product of the singular values; largest / smallest, or infinity
  double smallest_singular_value = 0.0;          // in metres and radians, like the two above
  double damping = 0.0;                          // λ of (6)
  bool damped() const { return damping > 0.0; }  // `inverse` is not an exact inverse
};

// f = D χ̈ + C + G - W, (7)-(10). C includes friction, D includes rotors, G springs, W is the effect of external
// wrenches.
struct CartesianModel : CartesianMotion {
  std::vector<double> D;           // m x m
  std::vector<double> C, G, W, f;  // m
};

// δτ = D δχ̈ + V δχ̇ + P δχ, (11)-(13): torques of the joints, n x m each. Exact if χ are coordinates; for `velocity`,
// δχ is the rotation δφ, and rotation_variation() converts measured values.
struct CartesianLinearization : CartesianMotion {
  std::vector<double> D, V, P;
};

// The same as a state space: the states are χ and χ̇ of the rows, the inputs torques of the joints with a motor; (23) of
// docs/equations/cartesian_models.md. Throws std::invalid_argument unless there are as many rows as joints, and
// std::domain_error if D is singular.
StateSpace state_space(const CartesianLinearization& model, const Mechanism& robot);

class CartesianDynamics {
 public:
  // Throws std::invalid_argument for a frame or row that does not exist and a damping that is negative or not finite.
  CartesianDynamics(const Mechanism& robot, int frame, FrameCoordinates coordinates,
                    const CartesianOptions& options = {});
  ~CartesianDynamics();
  CartesianDynamics(CartesianDynamics&&) noexcept;
  CartesianDynamics& operator=(CartesianDynamics&&) noexcept;

  // Throw std::invalid_argument on wrong lengths, and std::domain_error if the Jacobian is singular and no damping is
  // allowed, naming the lost directions; if the angles are at a singularity of their rates; or if a number is not
  // finite.
  using Wrenches = std::span<const ExternalWrench<double>>;
  CartesianModel model(std::span<const double> q, std::span<const double> qd, std::span<const double> qdd,
                       Wrenches wrenches = {});
  CartesianLinearization linearize(std::span<const double> q, std::span<const double> qd, std::span<const double> qdd,
                                   Wrenches wrenches = {});
  CartesianMotion motion(std::span<const double> q, std::span<const double> qd, std::span<const double> qdd);

 private:
  struct Workspace;
  std::unique_ptr<Workspace> ws_;
};

// χ of a pose, and the pose of a given χ: for `rpy` and `zyz`, all six numbers.
std::vector<double> coordinates_of(const Pose<double>& pose, FrameCoordinates coordinates);
Pose<double> pose_of(std::span<const double> chi, FrameCoordinates coordinates);

// The rotational part of (δχ, δχ̇, δχ̈) for `velocity`, (16), (17), from measured values: the small rotation δφ and the
// differences in the angular velocity ω and in the angular acceleration.
struct RotationVariation {
  Vec3<double> angle{}, rate{}, acceleration{};
};
RotationVariation rotation_variation(const Vec3<double>& turn, const Vec3<double>& omega_difference,
                                     const Vec3<double>& omega_dot_difference, const Vec3<double>& omega,
                                     const Vec3<double>& omega_dot);

}  // namespace catena

// Simulation of one robot: the run, torque laws, and wrenches and base motions over time.
#pragma once

#include <array>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "catena/base_motion.hpp"
#include "catena/mechanism.hpp"
#include "catena/wrenches.hpp"

namespace catena {

// Simulation: motion under torques, integrated by SUNDIALS with events. Changes of sign of Coulomb friction are
// located, joints rest and slip, limits are stops with restitution, and all energy is accounted for. docs/simulation.md
// says what happens at an event; docs/equations/friction_and_stops.md how.

// τ(t, q, q̇): the torques of the drives. It may throw; the samples so far are kept. Passive joints have no drive:
// torques that a law gives them are set to 0.
using TorqueLaw =
    std::function<void(double t, std::span<const double> q, std::span<const double> qd, std::span<double> tau)>;

// q̈ of one robot under τ. Throws std::domain_error if there is none.
using ForwardCall = std::function<void(std::span<const double> q, std::span<const double> qd,
                                       std::span<const double> tau, std::span<double> qdd)>;

// k(t, q, q̇): wrenches that the environment exerts. `wrenches` is passed empty and keeps its capacity between calls.
using WrenchLaw = std::function<void(double t, std::span<const double> q, std::span<const double> qd,
                                     std::vector<ExternalWrench<double>>& wrenches)>;

// The base motion at t. catena/simulation.hpp has some. v and v̇, and ω and ω̇, must agree: the second is the
// derivative of the first.
using BaseLaw = std::function<BaseMotion<double>(double t)>;
// A rotation as a unit quaternion (x, y, z, w).
using Quaternion = std::array<double, 4>;

enum class Integrator {
  verner,             // explicit Runge-Kutta, Verner 6(5): the default
  dormand_prince,     // explicit Runge-Kutta, Dormand and Prince 5(4)
  adams,              // CVODE, Adams-Moulton of variable order
  bdf,                // CVODE, backward differences, for stiff friction
  runge_kutta_4,      // classic, fixed step
  adams_bashforth_4,  // fixed step, started by Runge-Kutta
};
std::optional<Integrator> integrator_from_name(std::string_view name);
std::vector<std::string_view> integrator_names();
bool has_fixed_step(Integrator integrator);  // these locate no events

// What an event may do; if nothing is set, it is only recorded.
struct EventEffect {
  bool stop = false;
  TorqueLaw law;                   // applies from here on
  std::optional<Mechanism> robot;  // the robot from here on (same joints): a payload gripped or dropped
};

struct Event {
  std::string name;
  std::function<double(double t, std::span<const double> q, std::span<const double> qd)>
      trigger;        // happens where this is zero
  int direction = 0;  // +1: only while rising, -1: only while falling, 0: both
  std::function<EventEffect(double t, std::span<const double> q, std::span<const double> qd)> effect;
};
Event at_time(double when);
Event at_position(int entry, double value);  // an entry of q: Coordinates::position_of
Event at_speed(int joint, double value);
// The frame's origin reaches normal · p = offset in the world, from the side where normal · p < offset.
Event frame_enters(const Mechanism& robot, int frame, const Vec3<double>& normal, double offset);

struct SimulationOptions {
  Integrator integrator = Integrator::verner;
  double rtol = 1e-9, atol = 1e-11;
  double step = 1e-3;  // of the fixed-step integrators
  long max_steps = 10'000'000;
  std::string formulation;  // of forward dynamics; empty: the default
  // Replaces ForwardDynamics for the robot without its dry friction: called at the start and whenever an event changes
  // the robot.
  std::function<ForwardCall(const Mechanism& robot)> forward;
  // External wrenches for the present robot: called at the start and whenever an event changes the robot.
  // catena/simulation.hpp has some.
  std::function<WrenchLaw(const Mechanism& robot)> wrenches;
  // The base motion, if the base is not at rest; docs/equations/moving_base.md. Gravity keeps its direction in the
  // world; the model's gravity is given along the base link's axes at the identity orientation. `base_orientation` is
  // the base link's orientation in the world at the start.
  BaseLaw base_motion;
  Quaternion base_orientation{0.0, 0.0, 0.0, 1.0};
  bool stops = false;        // the model's make joint limits hard stops
  double restitution = 0.0;  // rebound speed over impact speed
  double rest_speed = 1e-6;  // slower rebounds end at the stop
  double rest_time = 1e-4;   // a joint that returns within this time of its last impact stays there, s
  bool saturate = false;     // the drives give at most the model's effort limits
  // Positive: the torque law is asked once a period, in order, and its torques are held in between, as a computer
  // would.
  double period = 0.0;
  std::function<bool(double t)> proceed;  // called at every sample, and now and then in between; false ends the run
};

// One row of the result.
struct Sample {
  double t = 0.0;
  std::vector<double> q, qd, tau;
  // With closed loops: positions of all joints of the tree; and the wrenches that hold the loops, as the job
  // loop_forces gives them (none on a base with a motion of its own).
  std::vector<double> q_tree{}, loop_forces{};
  double kinetic = 0.0, potential = 0.0;
  double work = 0.0;      // of the drives since the start
  double losses = 0.0;    // to friction and impacts since the start
  double external = 0.0;  // work of the external wrenches since the start
  // For a moving base. Energies are then those of the motion relative to the base, under the model's
  // gravity.
  double base_work = 0.0;                           // of inertial forces, and of gravity as it turns, since the start
  Quaternion base_orientation{0.0, 0.0, 0.0, 1.0};  // orientation of the base link
};

struct EventRecord {
  double t = 0.0;
  std::string what;  // the event's name, or "joint 'x' comes to rest", "… slips", "… hits its upper stop"
};

// A joint was beyond its limits, without stops, at the sample at t.
struct LeftLimits {
  int joint = 0;
  double t = 0.0;
};

struct SimulationResult {
  std::vector<Sample> samples;
  std::vector<EventRecord> events;
  std::vector<LeftLimits> left_limits;  // each joint once, in order of time
  long steps = 0, evaluations = 0;
  double largest_energy =
      0.0;                // of |kinetic|, |potential - potential at the start|, |work|, |external|, |base_work|, losses
  double balance = 0.0;   // largest |ΔT + ΔU - work - external - base_work + losses| over the samples, in joules
  bool complete = false;  // the last sample time was reached
  bool stopped = false;   // an event ended the run, as it was told to
  std::string ended_by;   // why not: an event's name, "interrupted", or an error
};

class Simulation {
 public:
  // Throws std::invalid_argument on impossible options.
  Simulation(const Mechanism& robot, TorqueLaw law, const SimulationOptions& options = {});
  ~Simulation();

  void add_event(Event event);

  // From (q, q̇) at times.front() through the increasing times, one sample each. `on_sample` gets each at once.
  // Throws std::invalid_argument on wrong lengths or times, or a start beyond a stop.
  // A failure (a law that throws or gives NaN, a singular model, tolerances that cannot be met) ends the run: the
  // samples so far stay in the result, complete is false and ended_by says what happened, where and when.
  SimulationResult run(std::span<const double> q, std::span<const double> qd, std::span<const double> times,
                       const std::function<void(const Sample&)>& on_sample = {});

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Torque laws. Each is a function object that owns what it needs and allocates nothing when called.

// The desired state at t. All spans but q have nv entries, q has nq.
using Reference = std::function<void(double t, std::span<double> q, std::span<double> qd, std::span<double> qdd)>;
Reference hold_at(std::vector<double> q);
// Quintics between rows that match position, speed and acceleration of both; before the first row and after the last
// one the robot stands still there. Throws std::invalid_argument unless the times increase.
struct MotionRow {
  double t = 0.0;
  std::vector<double> q, qd, qdd;
};
Reference reference_table(std::vector<MotionRow> rows);

TorqueLaw zero_torque();
TorqueLaw constant_torque(std::vector<double> value);
// Linear interpolation between rows; constant before the first and after the last. Throws std::invalid_argument unless
// the times increase.
TorqueLaw torque_table(std::vector<double> times, std::vector<std::vector<double>> rows);

struct Gains {
  std::vector<double> kp, kd;  // one per joint, or one for all
};
// kp (q_r - q) + kd (q̇_r - q̇)
TorqueLaw pd_control(const Mechanism& robot, Gains gains, Reference reference);
// The same plus g(q).
TorqueLaw pd_gravity_control(const Mechanism& robot, Gains gains, Reference reference);
// M(q) (q̈_r + kd (q̇_r - q̇) + kp (q_r - q)) + b(q, q̇): the error decays as a linear oscillator. With passive joints,
// the same holds for the active ones (hybrid dynamics), and the passive ones move as that implies.
TorqueLaw computed_torque_control(const Mechanism& robot, Gains gains, Reference reference);
// Feedforward along the reference plus feedback: τ(q_r, q̇_r, q̈_r) + kp e + kd ė. A feedback found by linearization
// can be used here too.
TorqueLaw feedforward_control(const Mechanism& robot, Gains gains, Reference reference);

// External wrenches over time, for SimulationOptions::wrenches. Frames are identified by name, because a robot that
// changes while it moves renumbers them.

using Wrenches = std::function<WrenchLaw(const Mechanism& robot)>;

// If the robot does not have the frame: the wrench is an error (std::invalid_argument), or waits until a part with that
// frame is attached.
enum class Absent { refused, waits };

struct FrameWrench {
  std::string frame;
  Vec3<double> force{}, moment{};
  Axes axes = Axes::frame;
};
Wrenches constant_wrench(const FrameWrench& wrench, Absent absent = Absent::refused);

// fx, fy, fz, mx, my, mz at increasing times: linear interpolation between rows; constant before the first and after
// the last. Throws std::invalid_argument unless the times increase.
struct WrenchRow {
  double t = 0.0;
  std::array<double, 6> values{};
};
Wrenches wrench_table(const std::string& frame, std::vector<WrenchRow> rows, Axes axes = Axes::frame,
                      Absent absent = Absent::refused);

// Any function: sets force and moment, initially zero, at t, q, q̇.
using WrenchFunction = std::function<void(double t, std::span<const double> q, std::span<const double> qd,
                                          Vec3<double>& force, Vec3<double>& moment)>;
Wrenches wrench_function(const std::string& frame, const WrenchFunction& function, Axes axes = Axes::frame,
                         Absent absent = Absent::refused);

// The sum of all of them.
Wrenches together(std::vector<Wrenches> all);

// Base motions over time, for SimulationOptions::base_motion. In each, v̇ and ω̇ are the derivatives of v and ω.
// Equations (9), (10): docs/equations/moving_base.md.

// vx, vy, vz, wx, wy, wz along the axes of the base link, or their derivatives.
using BaseTwist = std::array<double, 6>;
BaseMotion<double> base_motion(const BaseTwist& twist, const BaseTwist& acceleration = {});

// Starts with this twist at t = 0; its components then change at these constant rates.
BaseLaw constant_base_acceleration(const BaseTwist& twist, const BaseTwist& acceleration = {});

// Twists at increasing times: linear interpolation between rows, or cubics if the rows give rates. Outside, the nearest
// row's twist, constant. Throws std::invalid_argument unless the times increase.
struct BaseRow {
  double t = 0.0;
  BaseTwist twist{}, acceleration{};
};
BaseLaw base_motion_table(std::vector<BaseRow> rows, bool with_accelerations);

}  // namespace catena

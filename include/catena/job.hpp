// What a job is: a function of a robot's state, described once. Every front end (calls, command line, tables, generated
// and compiled code, counts, comparisons, tests, documents) loops over the list AllJobs of jobs.hpp and reads these
// descriptions.
#pragma once

#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "catena/formulation/conditioning.hpp"
#include "catena/formulation/formulation.hpp"
#include "catena/mechanism.hpp"
#include "catena/model/parameters.hpp"
#include "catena/model/varied.hpp"
#include "catena/wrenches.hpp"

namespace catena {

// --- sizes ---

struct Sizes {
  int positions = 0, velocities = 0;  // of a robot; one more position than velocities if the base is free
  int parameters = 0;                 // the parameters that torques are linear in: model/parameters.hpp
  int base_motion = 0;                // entries that describe the motion of a moving base
  int joints = 0, loops = 0;          // of the tree, without those that carry the base; closed loops
  int wrenches = 0;                   // numbers of the wrenches that are an input
  int constants = 0;                  // numbers that differ from robot to robot: model/varied.hpp
};
template <class T>
Sizes sizes_of(const BasicTree<T>& tree) {
  return {tree.joints(), tree.joints(), tree.joints() * parameters_per_joint, 0, tree.joints(), 0};
}
template <class T>
Sizes sizes_of(const BasicMechanism<T>& robot) {
  return {robot.nq(),
          robot.nv(),
          parameter_joints(robot) * parameters_per_joint,
          robot.coordinates.is_moving() ? base_motion_size : 0,
          robot.joints() - (robot.carried ? base_joints : 0),
          static_cast<int>(robot.coordinates.closure.loops.size()),
          6 * static_cast<int>(robot.wrenches.size()),
          robot.varied ? varied_constants(robot) : 0};
}
// The length of one dimension of an array: a number, or the robot's number of positions, velocities, parameters, joints
// of the tree, closed loops or constants that vary.
struct Extent {
  enum class Of {
    number,
    positions,
    velocities,
    parameters,
    base_motion,
    joints,
    loops,
    wrenches,
    constants
  } of = Of::number;
  int number = 1;

  constexpr int operator()(const Sizes& robot) const {
    switch (of) {
      case Of::positions:
        return robot.positions;
      case Of::velocities:
        return robot.velocities;
      case Of::parameters:
        return robot.parameters;
      case Of::base_motion:
        return robot.base_motion;
      case Of::joints:
        return robot.joints;
      case Of::loops:
        return robot.loops;
      case Of::wrenches:
        return robot.wrenches;
      case Of::constants:
        return robot.constants;
      default:
        return number;
    }
  }
  constexpr bool by_joint() const { return of != Of::number; }
};
namespace extents {
inline constexpr Extent one{}, nq{Extent::Of::positions, 0}, nv{Extent::Of::velocities, 0},
    np{Extent::Of::parameters, 0}, nb{Extent::Of::base_motion, 0}, nt{Extent::Of::joints, 0}, nl{Extent::Of::loops, 0},
    nw{Extent::Of::wrenches, 0}, nc{Extent::Of::constants, 0};
constexpr Extent exactly(int number) { return {Extent::Of::number, number}; }
}  // namespace extents

// The unit of an entry, for a revolute and for a prismatic joint.
struct Unit {
  std::string_view turning, sliding;
};
namespace unit {
inline constexpr Unit position{"rad", "m"}, velocity{"rad/s", "m/s"}, acceleration{"rad/s^2", "m/s^2"},
    effort{"N m", "N"}, inertia{"kg m^2", "kg"}, energy{"J", "J"}, length{"m", "m"}, mass{"kg", "kg"}, mixed{"", ""};
}

// --- inputs and outputs ---

enum class Input { q, qd, qdd, tau, lambda, reference, base_motion, pushes, constants };
struct InputInfo {
  Input input;
  std::string_view name, words;
  Extent size;
  Unit unit;

  // An angle or its rate for a revolute joint: may be in degrees.
  constexpr bool is_angle() const { return input <= Input::qdd || input == Input::reference; }
  // Whether it has one entry per joint.
  constexpr bool by_joint() const { return !of_robot(); }
  // Whether it comes with the robot: jobs of some robots take it, those of others do not.
  constexpr bool of_robot() const { return input >= Input::base_motion; }
  // Whether a recorded motion has it; others are asked for by the jobs that take them.
  constexpr bool of_motion() const { return input <= Input::tau; }
};
// Everything that a job may take, in the order in which inputs are asked for.
inline constexpr InputInfo all_inputs[] = {
    {Input::q, "q", "joint positions", extents::nq, unit::position},
    {Input::qd, "qd", "joint velocities", extents::nv, unit::velocity},
    {Input::qdd, "qdd", "joint accelerations", extents::nv, unit::acceleration},
    {Input::tau, "tau", "joint torques and forces", extents::nv, unit::effort},
    {Input::lambda, "lam", "joint multipliers: weights of the results that are differentiated", extents::nv,
     unit::mixed},
    {Input::reference, "qd_r", "reference velocities: what C(q, qd) multiplies", extents::nv, unit::velocity},
    {Input::base_motion, "base", "motion of the base along its axes: v, w, and their derivatives", extents::nb,
     unit::mixed},
    {Input::pushes, "wrenches", "wrenches of the environment: force and moment of each", extents::nw, unit::mixed},
    {Input::constants, "constants", "constants that differ between robots: constants_of()", extents::nc, unit::mixed},
};
constexpr const InputInfo& info_of(Input input) { return all_inputs[static_cast<std::size_t>(input)]; }

inline constexpr int tool_frame = -1;

// The inputs of a job. A job reads those that its description names and ignores the others.
template <class S>
struct Inputs {
  std::span<const S> q{}, qd{}, qdd{}, tau{}, base{};
  std::span<const ExternalWrench<S>> wrenches{};
  int frame = tool_frame;  // index into Tree::frames
  std::span<const S> lambda{}, reference{}, pushes{}, constants{};

  const std::span<const S>& operator[](Input input) const { return *at(*this, input); }
  std::span<const S>& operator[](Input input) { return *at(*this, input); }

 private:
  template <class Self>
  static auto* at(Self& self, Input input) {
    switch (input) {
      case Input::q:
        return &self.q;
      case Input::qd:
        return &self.qd;
      case Input::qdd:
        return &self.qdd;
      case Input::tau:
        return &self.tau;
      case Input::lambda:
        return &self.lambda;
      case Input::reference:
        return &self.reference;
      case Input::pushes:
        return &self.pushes;
      case Input::constants:
        return &self.constants;
      default:
        return &self.base;
    }
  }
};
// The same with these values for every input by joint that is not given: for programs that call any job.
template <class S>
Inputs<S> with_others(Inputs<S> in, std::span<const std::type_identity_t<S>> values) {
  for (const InputInfo& info : all_inputs)
    if (info.by_joint() && in[info.input].empty()) in[info.input] = values;
  return in;
}
template <class S>
int frame_of(const TreeFor<S>& tree, const Inputs<S>& in) {
  return in.frame == tool_frame ? tree.tool : in.frame;
}

// What a result is. The kind determines how a result is converted between the tree's joints and the user's coordinates
// (coordinates/pull_back.hpp), and what forces at joints and external wrenches add to it. An output without a kind, or
// with a kind that these conversions do not handle, does not compile.
enum class Kind {
  torque,           // τ of a motion
  bias,             // the same with q̈ = 0
  weight,           // the same with q̇ = 0 as well
  rows,             // a row for each torque: ∂τ/∂θ
  form,             // bilinear form, nv × nv: M, D
  connection,       // C, where C q̇ are the velocity torques
  damping,          // ∂τ/∂q̇
  stiffness,        // ∂τ/∂q
  columns,          // 6 × nv along the world's axes: Jacobian, momentum matrix
  drift,            // acceleration of a frame at q̈ = 0
  momentum,         // two vectors along the world's axes
  point,            // in the world
  tensor,           // 3 × 3 along the world's axes
  pose,             // world from frame, 4 × 4
  acceleration,     // solution: q̈
  found_torque,     // solution beside q̈: the torques that were not given
  factors,          // of M
  response_to_q,    // ∂q̈/∂q
  response_to_qd,   // ∂q̈/∂q̇
  response_to_tau,  // ∂q̈/∂τ
  curvature_q_q,    // λᵀ∂²τ/∂q², and of the other pairs that are not zero
  curvature_q_qd,
  curvature_q_qdd,
  curvature_qd_qd,
  response_curvature,  // λᵀ∂²q̈ likewise
  momenta,             // p = M q̇, of the coordinates
  momenta_rate,        // what they change by beside τ
  kinetic,             // energy
  potential,           // energy
  positions,           // of the tree's joints
  loop_force,          // wrenches that hold closed loops
  scalar,              // any other number
};
// A kind that must be given.
class GivenKind {
 public:
  constexpr GivenKind(Kind kind) : kind_(kind) {}  // NOLINT(google-explicit-constructor)
  constexpr operator Kind() const { return kind_; }

 private:
  Kind kind_;
};

struct OutputInfo {
  std::string_view name;   // M, tau, …: used as key, column and argument
  std::string_view words;  // one line for readers of code and tables
  GivenKind kind;
  Unit unit{};
  Extent rows = extents::one, columns = extents::one;
  bool symmetric = false;
  std::span<const std::string_view> row_names{};  // if the rows are not joints

  int size(const Sizes& robot) const { return rows(robot) * columns(robot); }
  constexpr bool is_matrix() const { return columns.by_joint() || columns.number > 1; }  // also for a small robot
  constexpr bool is_number() const { return !is_matrix() && !rows.by_joint() && rows.number == 1; }
};
inline constexpr std::string_view point_rows[] = {"x", "y", "z"},
                                  momentum_rows[] = {"px", "py", "pz", "lx", "ly", "lz"};
inline constexpr std::string_view twist_rows[] = {"vx", "vy", "vz", "wx", "wy", "wz"};

// --- the description ---

struct JobInfo {
  std::string_view name;    // as the command line and the API spell it
  std::string_view words;   // one line
  std::string_view result;  // in messages: "the torque is not finite"
  std::vector<Input> inputs;
  std::vector<OutputInfo> outputs;
  bool takes_frame = false;
  bool inverts_inertia = false;    // divides by pivots of M: no polynomial form, no result for a singular robot
  bool only_passive = false;       // and these are pivots of the block of M of the passive joints alone
  std::string_view by_matrix{};    // then: the formulation that builds M first, used with charts that are not square
  std::string_view by_clusters{};  // and the one that works on clusters of joints: coordinates/clustered_bodies.hpp
  bool by_depth = false;           // the fastest formulation depends on the longest path, not on the number of joints
  std::string_view on_moving_base{};  // the fastest there, if not the one for as many joints
  // Filled from the descriptor's list.
  std::vector<FormulationInfo> formulations{};
  std::vector<std::string_view> interchangeable{};  // give the same result: a search may use any of them
  std::string_view (*standard)(int joints) = nullptr;
  std::string_view (*standard_wide)(int joints) = nullptr;  // if the processor has vectors of eight doubles
  std::string_view in_lanes{};                              // the one that runs on packs (run/lane_runner.hpp)

  // The one that runs if none is named.
  template <class T>
  std::string_view standard_for(const BasicMechanism<T>& robot, bool wide = false) const {
    const auto& chart = robot.coordinates;
    if (!inverts_inertia || chart.is_square()) return standard_for(robot.tree(), wide);
    const bool only_coupled = !chart.is_closed() && !chart.is_moving() && chart.more.empty();
    return !by_clusters.empty() && only_coupled && forming_loses_digits(robot.tree()) ? by_clusters : by_matrix;
  }
  template <class T>
  std::string_view standard_for(const BasicTree<T>& tree, bool wide = false) const {
    if (tree.carried && !on_moving_base.empty()) return on_moving_base;
    const auto choose = wide ? standard_wide : standard;
    const std::string_view usual = choose(by_depth ? longest_path(tree) : tree.joints());
    if (!inverts_inertia) return usual;
    const std::string_view recursive = choose(std::numeric_limits<int>::max());  // the one that never forms M
    return usual == recursive || !forming_loses_digits(tree) ? usual : recursive;
  }
  bool takes(Input input) const;
  // For a robot with these sizes: what comes with the robot is an input of its jobs, wrenches of those that feel them.
  bool takes(Input input, const Sizes& sizes) const {
    if (!info_of(input).of_robot()) return takes(input);
    return info_of(input).size(sizes) > 0 && (input != Input::pushes || feels_wrenches());
  }
  bool gives(Kind kind) const;
  // Whether external wrenches change the result: they lower torques that it gives, add to torques that it takes, and
  // change how torques vary with positions.
  bool feels_wrenches() const;
  // Whether that formulation supports such a robot: every formulation does if the joints are the coordinates.
  template <class T>
  bool serves(const BasicMechanism<T>& robot, std::string_view formulation_name) const {
    const auto& chart = robot.coordinates;
    if (!chart.more.empty() && inverts_inertia) return formulation_name == by_matrix;
    if (chart.is_moving() && gives(Kind::connection) && !is_interchangeable(formulation_name)) return false;
    return serves(chart.is_square(), chart.base != BaseKind::fixed || chart.is_closed() || !chart.more.empty(),
                  formulation_name);
  }
  bool serves(bool square, bool accelerates, std::string_view formulation_name) const;
  bool is_interchangeable(std::string_view formulation_name) const;
  // The formulations among which a search for cheap code may choose for this robot: all that give the same result, or
  // only the standard one if forming M may lose digits.
  std::vector<std::string_view> candidates(const Mechanism& robot) const;
  // The inputs it takes for such a robot: a moving base adds its motion, wrenches their numbers, and so on.
  template <class T>
  std::vector<Input> inputs_for(const BasicMechanism<T>& robot) const {
    std::vector<Input> all = inputs;
    const Sizes sizes = sizes_of(robot);
    for (const InputInfo& info : all_inputs)
      if (info.of_robot() && takes(info.input, sizes)) all.push_back(info.input);
    return all;
  }
  int size(const Sizes& robot) const;                                           // all outputs in sequence
  const FormulationInfo& formulation(std::string_view formulation_name) const;  // throws std::invalid_argument
};

// The name of a descriptor's job, without building the description: that would allocate, and following calls must not.
template <class Job>
std::string_view name_of_job() {
  static const std::string_view name = Job::describe().name;
  return name;
}

// The unique name of an output beside those of other jobs: "tau_inverse" if another job takes tau, "D_factor" if
// another job gives a D.
std::string output_name(const OutputInfo& output, const JobInfo& job, std::span<const JobInfo* const> together);

// The jobs in the order of AllJobs, and one by its name: throws std::invalid_argument with a list of the names.
const std::vector<JobInfo>& jobs();
const JobInfo& job_info(std::string_view name);
// The job that gives a result of this kind and nothing else: torques, M, …
const JobInfo& job_of(Kind kind);

// The formulations of a job ("": of all jobs), in the order of registration.
std::vector<FormulationInfo> formulations(std::string_view job = {});

template <class... F>
struct FormulationList {
  // Calls visit(F{}) for each formulation.
  template <class Visitor>
  static void for_each(Visitor&& visit) {
    (visit(F{}), ...);
  }
  // Others first, then As<F> for each formulation F of this list.
  template <template <class> class As, class... Others>
  using Serving = FormulationList<Others..., As<F>...>;
};

}  // namespace catena

// What a job is: a function of a robot's state, described once. Every front end (calls, command line, tables, generated
// and compiled code, counts, comparisons, tests, documents) walks the list AllJobs of jobs.hpp and asks these
// questions.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "catena/dynamics/around/wrenches.hpp"
#include "catena/dynamics/formulation.hpp"
#include "catena/model/parameters.hpp"

namespace catena {

// --- sizes ---

struct Sizes {
  int positions = 0, velocities = 0;  // of a robot; one more position where the base is free
  int parameters = 0;                 // that torques are linear in: model/parameters.hpp
};
template <class T>
Sizes sizes_of(const BasicMechanism<T>& robot) {
  return {robot.nq(), robot.nv(), robot.n() * parameters_per_joint};
}
// One side of an array: a number, or as many as the robot has positions, velocities or parameters.
struct Extent {
  enum class Of { number, positions, velocities, parameters } of = Of::number;
  int number = 1;

  constexpr int operator()(const Sizes& robot) const {
    switch (of) {
      case Of::positions:
        return robot.positions;
      case Of::velocities:
        return robot.velocities;
      case Of::parameters:
        return robot.parameters;
      default:
        return number;
    }
  }
  constexpr bool by_joint() const { return of != Of::number; }
};
inline constexpr Extent one{}, nq{Extent::Of::positions, 0}, nv{Extent::Of::velocities, 0},
    np{Extent::Of::parameters, 0};
constexpr Extent exactly(int number) { return {Extent::Of::number, number}; }

// What an entry is measured in, where its joint turns and where it slides.
struct Unit {
  std::string_view turning, sliding;
};
namespace unit {
inline constexpr Unit position{"rad", "m"}, velocity{"rad/s", "m/s"}, acceleration{"rad/s^2", "m/s^2"},
    effort{"N m", "N"}, inertia{"kg m^2", "kg"}, energy{"J", "J"}, length{"m", "m"}, mass{"kg", "kg"}, mixed{"", ""};
}

// --- inputs and outputs ---

enum class Input { q, qd, qdd, tau };
struct InputInfo {
  Input input;
  std::string_view name, words;
  Extent size;
  Unit unit;

  constexpr bool is_angle() const { return input != Input::tau; }  // of a turning joint, or its rate: may be in degrees
};
// Everything that a job may take, in the order in which it is asked for.
inline constexpr InputInfo all_inputs[] = {
    {Input::q, "q", "joint positions", nq, unit::position},
    {Input::qd, "qd", "joint velocities", nv, unit::velocity},
    {Input::qdd, "qdd", "joint accelerations", nv, unit::acceleration},
    {Input::tau, "tau", "joint torques and forces", nv, unit::effort},
};
constexpr const InputInfo& info_of(Input input) { return all_inputs[static_cast<std::size_t>(input)]; }

inline constexpr int tool_frame = -1;

// What a job is handed. A job takes what its description names and leaves the rest alone.
template <class S>
struct Inputs {
  std::span<const S> q{}, qd{}, qdd{}, tau{};
  std::span<const ExternalWrench<S>> wrenches{};
  int frame = tool_frame;  // index into Mechanism::frames

  const std::span<const S>& operator[](Input input) const {
    return input == Input::q ? q : input == Input::qd ? qd : input == Input::qdd ? qdd : tau;
  }
  std::span<const S>& operator[](Input input) {
    return input == Input::q ? q : input == Input::qd ? qd : input == Input::qdd ? qdd : tau;
  }
};
template <class S>
int frame_of(const MechanismFor<S>& robot, const Inputs<S>& in) {
  return in.frame == tool_frame ? robot.tool : in.frame;
}

struct OutputInfo {
  std::string_view name;   // M, tau, …: key, column and argument
  std::string_view words;  // one line for the reader of code and tables
  Unit unit;
  Extent rows = one, columns = one;
  bool symmetric = false;
  std::span<const std::string_view> row_names{};  // where the rows are not joints

  int size(const Sizes& robot) const { return rows(robot) * columns(robot); }
  constexpr bool is_matrix() const { return columns.by_joint() || columns.number > 1; }  // also where a robot is small
  constexpr bool is_number() const { return !is_matrix() && !rows.by_joint() && rows.number == 1; }
};
inline constexpr std::string_view point_rows[] = {"x", "y", "z"},
                                  momentum_rows[] = {"px", "py", "pz", "lx", "ly", "lz"};
inline constexpr std::string_view twist_rows[] = {"vx", "vy", "vz", "wx", "wy", "wz"};

// --- the description ---

// How a job's result follows from that of the robot whose base is carried by six joints: docs/equations/free_base.md.
enum class OnFreeBase {
  none,           // not known
  as_carried,     // the same: torques, M, its factors, regressors
  by_inverse,     // inverse dynamics without accelerations: gravity, bias
  accelerations,  // the first results are accelerations
  coriolis,       // a matrix C
  linearized,     // D, V, P
  damping,        // V
  stiffness,      // P
  response,       // derivatives of accelerations
  pose,           // of a frame
  jacobian,       // 6 x nv, along the world's axes
  drift,          // J̇ q̇
  energy,         // kinetic, potential
  momentum,       // linear, angular, and where the centre of mass is
  centroidal,     // the matrix of that, inertia, centre of mass, mass
};

struct JobInfo {
  std::string_view name;    // as the command line and the API spell it
  std::string_view words;   // one line
  std::string_view result;  // in messages: "the torque is not finite"
  std::vector<Input> inputs;
  std::vector<OutputInfo> outputs;
  bool takes_frame = false;
  bool inverts_inertia = false;            // divides by pivots of M: no polynomial form, none for a singular robot
  bool only_passive = false;               // and these of the block of M over the passive joints alone
  std::string_view by_matrix{};            // then: the formulation that forms M first, which coupled joints take
  bool by_depth = false;                   // which formulation is fastest goes by the longest path, not by all joints
  WrenchRole wrenches = WrenchRole::none;  // what external wrenches do to it
  OnFreeBase on_free_base = OnFreeBase::none;
  // Filled from the descriptor's list.
  std::vector<FormulationInfo> formulations{};
  std::vector<std::string_view> interchangeable{};  // give the same result: a search may take any
  std::string_view (*standard)(int joints) = nullptr;

  // The one that runs when nobody asks for another.
  template <class T>
  std::string_view standard_for(const BasicMechanism<T>& robot) const {
    if (robot.is_coupled() && inverts_inertia) return by_matrix;
    return standard(by_depth ? longest_path(robot) : robot.n());
  }
  bool takes(Input input) const;
  int size(const Sizes& robot) const;                                           // all outputs in a row
  const FormulationInfo& formulation(std::string_view formulation_name) const;  // throws std::invalid_argument
};

// What an output is called beside those of other jobs: "tau_inverse" where another job takes tau, "D_factor" where
// another gives a D.
std::string output_name(const OutputInfo& output, const JobInfo& job, std::span<const JobInfo* const> together);

// The jobs in the order of AllJobs, and one by its name: throws std::invalid_argument that lists them.
const std::vector<JobInfo>& jobs();
const JobInfo& job_info(std::string_view name);

// The formulations of a job ("": of all), as registered.
std::vector<FormulationInfo> formulations(std::string_view job = {});

template <class... F>
struct FormulationList {
  // Calls visit(F{}) for each formulation.
  template <class Visitor>
  static void for_each(Visitor&& visit) {
    (visit(F{}), ...);
  }
  // Others first, then what each formulation of this list serves as.
  template <template <class> class As, class... Others>
  using Serving = FormulationList<Others..., As<F>...>;
};

}  // namespace catena

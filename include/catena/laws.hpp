// Control laws, step by step: in this process, and as C for a controller, from one text. Equations:
// docs/equations/control_laws.md.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "catena/code.hpp"
#include "catena/factorization.hpp"
#include "catena/mechanism.hpp"

namespace catena {

// A number that a law can be given, or one for each joint or direction.
struct LawParameter {
  enum class Per { law, joint, direction };
  std::string_view name, words;
  Per per = Per::joint;
  double standard = 0.0;  // its default value
  bool by_inertia = false;  // that times the joint's inertia, 1/(M⁻¹)ⱼⱼ, at rest in the middle of the robot's limits
  double turning = standard;  // for directions of rotation
};

// A law, described once: front ends and tests loop over control_laws().
struct LawInfo {
  std::string_view name, words;
  enum class Follows { joints, frame, both } follows = Follows::joints;
  std::vector<LawParameter> parameters{};
  bool takes_passive = false;                     // joints without motors
  bool takes_schedule = false;                    // gains over time
  bool takes_frame = follows != Follows::joints;  // some law of joints has to do with a frame too
  bool takes_force = false;                       // wanted, and measured
};
std::span<const LawInfo> control_laws();
const LawInfo& control_law(std::string_view name);  // throws std::invalid_argument if there is none

// Gains over time: linear in between, constant before and after. One row: the same at all times.
struct GainSchedule {
  std::vector<double> times;
  std::vector<std::vector<double>> gains;  // n x 2n each, by rows: of positions, then of rates
};

struct LawOptions {
  std::string law = "computed";
  std::map<std::string, std::vector<double>> parameters{};  // one value for all, or one per joint or direction
  int frame = tool_frame;                                   // what the law moves, pushes or supposes a load at
  Directions directions = Directions::all;                  // of the frame: all six, or only its origin
  GainSchedule schedule{};
  bool saturate = true;  // torques stay within the model's effort limits
};

// A part of an array that goes in or out of a step.
struct LawPart {
  std::string name, words;
  int size = 0;
};

// A law that runs. `robot` is the robot that it assumes. Steps allocate nothing.
class Controller {
 public:
  // Throws std::invalid_argument for a parameter that the law does not have, wrong numbers of values, or a robot that
  // the law cannot drive.
  Controller(const Mechanism& robot, const LawOptions& options);
  ~Controller();
  Controller(Controller&&) noexcept;
  Controller& operator=(Controller&&) noexcept;
  Controller(const Controller&);  // with a state of its own, the same at first
  Controller& operator=(const Controller&) = delete;

  // What the arrays hold, in order. With closed loops q has the positions of all joints that are not coupled.
  const std::vector<LawPart>& measurement() const;
  const std::vector<LawPart>& reference() const;
  const std::vector<LawPart>& state_parts() const;
  const LawOptions& options() const;

  std::span<double> state();
  void reset();
  // One period of length dt: torques from what is measured and wanted; the state moves on.
  // Throws std::invalid_argument on wrong lengths, std::domain_error where a result is not finite.
  void step(std::span<const double> measurement, std::span<const double> reference, double dt,
            std::span<double> torque);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// The step as a program: arguments state, measurement, reference, gains (where they are scheduled) and dt; results
// torque and next, the state afterwards. An argument without entries is left out.
Program law_program(const Mechanism& robot, const LawOptions& options);

// C99 with NAME_step(state, measurement, reference, dt, torque) and NAME_reset(state); nothing is allocated, nothing
// kept outside `state`.
Code print_controller(const Mechanism& robot, const LawOptions& options, const CodeOptions& code);

}  // namespace catena

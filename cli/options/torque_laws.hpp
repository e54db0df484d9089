// The torque laws of `simulate` as typed: a law by name and what belongs to it, or a table of torques; and the motion
// that a law follows.
#pragma once

#include <optional>
#include <string>

#include "catena/control.hpp"
#include "catena/simulation.hpp"
#include "options/app.hpp"
#include "options/model_options.hpp"
#include "options/motion_options.hpp"

namespace catena::cli {

struct LawOptions {
  std::string law = "zero", trajectory, frame, controller_model;
  std::optional<std::string> tau, target, kp, kd, weights, goal;
  MotionOptions motion;

  void add(CLI::App& command);
  // An option without the one that gives it a meaning is a mistake: throws UsageError.
  void require_companions() const;

  struct Made {
    TorqueLaw law;
    Reference reference{};  // where it follows one
    FrameReference path{};  // or where a frame does
    int frame = 0;
    bool turns = false;  // that frame's axes are to follow too
  };
  // Whether it follows a motion, on which a run starts unless told otherwise.
  bool moves() const { return !trajectory.empty() || motion.given(); }
  // `time`: how long the run is, and a motion whose times are not typed.
  Made make(const ModelOptions& model, const Robot& robot, const Mechanism& mechanism, std::span<const double> start,
            double time, bool degrees) const;

 private:
  Made follow_path(const Mechanism& known, std::span<const double> start, double time, bool degrees) const;
  Reference reference(const Robot& robot, const Mechanism& mechanism, double time, bool degrees) const;
};

}  // namespace catena::cli

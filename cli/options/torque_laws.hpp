// The torque laws of `simulate` as typed: a law by name with its options, or a table of torques; and the motion that a
// law follows.
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
  // Throws UsageError for an option given without the option that it depends on.
  void require_companions() const;

  struct Made {
    TorqueLaw law;
    Reference reference{};  // the joint motion that the law follows, if any
    FrameReference path{};  // or the motion of a frame
    int frame = 0;
    bool turns = false;  // the frame's axes are to follow too
  };
  // Whether the law follows a motion; a run then starts on that motion unless told otherwise.
  bool moves() const { return !trajectory.empty() || motion.given(); }
  // `time`: the duration of the run, and of a motion whose times are not given.
  Made make(const ModelOptions& model, const Robot& robot, const Mechanism& mechanism, std::span<const double> start,
            double time, bool degrees) const;

 private:
  Made follow_path(const Mechanism& known, std::span<const double> start, double time, bool degrees) const;
  Reference reference(const Robot& robot, const Mechanism& mechanism, double time, bool degrees) const;
};

}  // namespace catena::cli

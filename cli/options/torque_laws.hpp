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
#include "options/stepped_laws.hpp"

namespace catena::cli {

struct LawOptions {
  std::string law = "zero", trajectory, frame, controller_model;
  std::optional<std::string> tau, target, kp, kd, weights, goal;
  MotionOptions motion;
  SteppedLawOptions stepped;

  void add(CLI::App& command);
  // Throws UsageError for an option given without the option that it depends on.
  void require_companions() const;

  struct Made {
    TorqueLaw law;
    Reference reference{};  // the joint motion that the law follows, if any
    FrameReference path{};  // or the motion of a frame
    int frame = 0;
    bool turns = false;     // the frame's axes are to follow too
    double period = 0.0;    // positive: the law steps
    LawReference beside{};  // what it goes by besides: a posture, or the point where it brings the frame

    // All that it goes by.
    Reference joints() const { return reference ? reference : beside.joints; }
    FrameReference frame_motion() const { return path ? path : beside.frame; }
  };
  // Whether the law follows a motion; a run then starts on that motion unless told otherwise.
  bool moves() const { return !trajectory.empty() || motion.given(); }
  // `time`: the duration of the run, and of a motion whose times are not given.
  Made make(const ModelOptions& model, const Robot& robot, const Mechanism& mechanism, std::span<const double> start,
            double time, bool degrees, const Wrenches& wrenches) const;

 private:
  // The law as one that steps; null: it is one of the others.
  const LawInfo* steps() const;
  void require_stepped_companions(const LawInfo& own) const;
  Made make_stepped(const LawInfo& own, const Robot& robot, const Mechanism& known, std::span<const double> start,
                    double time, bool degrees, const Wrenches& wrenches) const;
  Made follow_path(const Mechanism& known, std::span<const double> start, double time, bool degrees) const;
  Reference reference(const Robot& robot, const Mechanism& mechanism, double time, bool degrees) const;
};

// A motion from a table, and when it starts and ends. Throws InputError.
struct MotionFile {
  Reference reference;
  double start = 0.0, end = 0.0;
};
MotionFile motion_from_file(const std::string& path, const Robot& robot, const Mechanism& mechanism, bool degrees,
                            std::optional<double> rate);

}  // namespace catena::cli

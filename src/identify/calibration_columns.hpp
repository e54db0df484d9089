// Measured poses against a robot's kinematics: residuals, their derivatives, and which unknowns they show.
#pragma once

#include <string>
#include <vector>

#include "identify/kinematic_parameters.hpp"
#include "identify/matrices.hpp"

namespace catena::identification {

// Where the unknowns stand: device from base link, frame from measured thing, changes of the kinematic parameters.
struct Placing {
  Pose<double> base{}, tool{};
  std::vector<double> changes;
};

struct Independent {
  struct Term {
    std::size_t unknown = 0;
    double factor = 0.0;
  };
  struct Other {
    std::size_t unknown = 0;
    std::vector<Term> as;  // empty: no effect
  };
  std::vector<std::size_t> chosen;
  std::vector<Other> others;
};
// Goes through the columns in the order of candidates: those that are a sum of chosen ones, to 1e-4 of their length,
// are others.
Independent independent(const Matrix& J, const std::vector<std::size_t>& candidates);

Matrix columns_of(const Matrix& J, const std::vector<std::size_t>& chosen);
std::string text_of(double number);

// The unknowns: six of the base, three or six of the tool, then the screws.
class PoseTable {
 public:
  PoseTable(const KinematicModel& model, const MeasuredPoses& poses, const CalibrationOptions& options);

  std::size_t poses() const { return measured_.positions.size(); }
  std::size_t width() const { return measured_.rotations.empty() ? 3 : 6; }  // numbers by pose
  std::size_t first_screw() const { return 6 + width(); }
  KinematicParameter parameter(std::size_t unknown) const;
  std::string sum_of(const std::vector<Independent::Term>& terms) const;
  std::vector<std::size_t> placements() const;  // those that are not known
  std::vector<std::size_t> unknowns() const;    // these, and the parameters that may change

  // A first guess: measured positions turned onto those of the model.
  Placing start() const;
  double spread() const;  // of the model's positions, m
  // In the base link's frame: measured less computed, three numbers of position, three of orientation by pose.
  void linearize(const Placing& at, Matrix& J, Vector& r) const { fill(at, &J, r); }
  void residuals(const Placing& at, Vector& r) const { fill(at, nullptr, r); }
  Placing moved(const Placing& at, const std::vector<std::size_t>& chosen, const Vector& steps) const;
  double change(const Placing& at, std::size_t unknown) const;
  PoseErrors errors(const Vector& r, const std::vector<double>& weights) const;  // of poses of a weight above 0

 private:
  void fill(const Placing& at, Matrix* J, Vector& r) const;
  std::span<const double> q(std::size_t pose) const { return std::span(measured_.q).subspan(pose * n_, n_); }

  const KinematicModel& model_;
  MeasuredPoses measured_;
  const CalibrationOptions& options_;
  std::size_t n_ = 0;
  Pose<double> first_base_{}, first_tool_{};
  std::vector<Pose<double>> nominal_;  // of the frame, by pose, with the model as it is
};

}  // namespace catena::identification

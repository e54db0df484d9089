// What a log says about the numbers of a regression: a triangle for each joint and part of the log, as large as the
// number of columns. Weights, choices of columns, values of others, folds: all are asked of these, not of the log.
#pragma once

#include <vector>

#include "identify/matrices.hpp"
#include "identify/regression_rows.hpp"

namespace catena::identification {

// [X τ] of a joint as the triangle of its QR decomposition: for any β, |τ - Xβ|² = |R [-β; 1]|².
struct JointEvidence {
  Matrix R;
  std::size_t rows = 0;
  double sum = 0.0, squares = 0.0;  // of the torques

  double variation() const { return rows == 0 ? 0.0 : squares - sum * sum / static_cast<double>(rows); }
};
using LogEvidence = std::vector<JointEvidence>;  // by joint

struct Evidence {
  RowLayout layout;
  std::vector<LogEvidence> parts;

  // All parts but one.
  LogEvidence joined(std::size_t without = static_cast<std::size_t>(-1)) const;
};
Evidence gather(const RegressionRows& rows, std::size_t parts);

// Which columns are fitted, and the values of all others.
struct Selection {
  std::vector<std::size_t> chosen;
  std::vector<double> others;  // by column; those of chosen ones are not read

  std::vector<double> all_values(const Vector& fitted) const;
};

// What was fitted: columns, which of them, and how rows were made.
struct ChosenFriction {
  JointFriction kind = JointFriction::coulomb;
  double width = 0.0;  // of tanh and stribeck
};
struct Model {
  std::vector<Column> columns;
  Selection selection;
  std::vector<double> nominal;  // by column
  IdentificationOptions options;
  std::vector<ChosenFriction> friction{};  // by joint
  double inflation = 1.0;                  // of variances by correlation
  std::vector<double> values{};            // of all columns, fitted
  std::vector<std::size_t> held{};         // columns that the motion does not determine, at nominal values
  bool gains = false;                      // torques are currents times gains that were fitted too
};

// [R z; 0 ρ] of the chosen columns: |z - Rβ|² + ρ² is the weighted sum of squares of all rows.
Matrix weighted_triangle(const RowLayout& layout, const LogEvidence& log, const Selection& selection,
                         const std::vector<double>& weights);
// The sum of squares that values of all columns leave of a joint's torques.
double squares_left(const RowLayout& layout, const LogEvidence& log, std::size_t joint,
                    const std::vector<double>& values);
FitScore score(const RowLayout& layout, const LogEvidence& log, const std::vector<double>& values);

}  // namespace catena::identification

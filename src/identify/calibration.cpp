// Calibration: robust Gauss-Newton on the placement of the device, that of the measured thing, and the screws of the
// robot's kinematics. docs/calibration.md.
#include "catena/calibration.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "catena/identify.hpp"
#include "identify/alignment.hpp"
#include "identify/calibration_columns.hpp"
#include "model/asking.hpp"

namespace catena {
namespace identification {
namespace {

constexpr double median_distance = 1.5381722545;  // of three independent normal numbers: of their length
constexpr double least_sigma = 1e-10;             // m or rad: what rounding leaves

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Unknowns that are fitted, of a table of all of them: the search for the least sum of squares.
class Fit {
 public:
  Fit(const PoseTable& table, Placing start) : table_(table), at_(std::move(start)), weights_(table.poses(), 1.0) {}

  // The unknowns of `candidates` that the poses show, in their order of preference.
  void choose(const std::vector<std::size_t>& candidates) {
    table_.linearize(at_, J_, r_);
    seen_ = independent(scaled_rows(roots(), J_), candidates);
    if (kept_rows() <= seen_.chosen.size())
      throw std::domain_error(std::to_string(kept_rows()) + " numbers were measured, too few for " +
                              std::to_string(seen_.chosen.size()) + " unknowns");
  }

  // With robust: weights of poses that are far off fall with their distance (Huber).
  void descend(bool robust) {
    double damping = 0.0;
    for (int iteration = 0; iteration < 100; ++iteration) {
      ask();
      table_.linearize(at_, J_, r_);
      robust ? weigh_robustly() : scale_by_scatter();
      const Vector root = roots();
      Matrix A = scaled_rows(root, columns_of(J_, seen_.chosen));
      const Vector b = scaled_rows(root, r_), scales = inverse_lengths(A);
      A = scaled_columns(std::move(A), scales);
      const double cost = dense::squared_norm({b.data(), b.size()});
      bool moved = false;
      double length = 0.0;
      for (int trial = 0; trial < 15 && !moved; ++trial) {
        const Vector step = damped_step(A, b, damping);
        length = dense::norm({step.data(), step.size()});
        const Placing next = table_.moved(at_, seen_.chosen, scaled_rows(scales, step));
        Vector left;
        table_.residuals(next, left);
        left = scaled_rows(root, std::move(left));
        const bool small = length <= 1e-7 * std::sqrt(cost) + 1e-6;
        moved = small || dense::squared_norm({left.data(), left.size()}) < cost;
        if (moved)
          at_ = next, damping *= 0.1;
        else
          damping = damping == 0.0 ? 1e-3 : 10.0 * damping;
      }
      if (!moved || length <= 1e-7 * std::sqrt(cost) + 1e-6) break;
    }
    table_.linearize(at_, J_, r_);
    if (!robust) scale_by_scatter();
  }

  // Leaves out what is farther off than `limit` standard deviations. Whether there was anything new.
  bool leave_out(double limit, std::vector<std::size_t>& outliers) {
    bool found = false;
    for (std::size_t k = 0; k < weights_.size(); ++k) {
      const bool out = std::find(outliers.begin(), outliers.end(), k) != outliers.end();
      if (!out && distance(k) > limit) outliers.push_back(k), found = true;
    }
    std::sort(outliers.begin(), outliers.end());
    if (2 * outliers.size() > weights_.size())
      throw std::domain_error("more than half of the poses do not fit together: " + std::to_string(outliers.size()) +
                              " of " + std::to_string(weights_.size()) + " are far off for any fit");
    set_outliers(outliers);
    return found;
  }
  void set_outliers(const std::vector<std::size_t>& outliers) {
    std::fill(weights_.begin(), weights_.end(), 1.0);
    for (const std::size_t k : outliers) weights_[k] = 0.0;
  }

  const Placing& at() const { return at_; }
  const Independent& seen() const { return seen_; }
  PoseErrors errors() const { return table_.errors(r_, weights_); }
  double position_sigma() const { return sigma_[0]; }
  double orientation_sigma() const { return table_.width() == 6 ? sigma_[1] : 0.0; }
  std::size_t freedom() const { return kept_rows() - seen_.chosen.size(); }

  // Of the chosen unknowns, and the condition number.
  std::pair<Matrix, double> covariance() const {
    const Matrix A = scaled_rows(roots(), columns_of(J_, seen_.chosen));
    const Vector scales = inverse_lengths(A);
    const Matrix R = triangle(scaled_columns(A, scales));
    const Matrix inverse = scaled_rows(scales, solve_upper(R, dense::identity(R.rows())));
    const std::vector<double> values = dense::singular_values(R);
    return {inverse * transposed(inverse), values.empty() ? 1.0 : values.front() / values.back()};
  }

 private:
  std::size_t kept_rows() const {
    std::size_t rows = 0;
    for (const double w : weights_) rows += w > 0.0 ? table_.width() : 0;
    return rows;
  }
  Vector roots() const {
    Vector out(r_.size(), 1);
    for (std::size_t row = 0; row < out.size(); ++row)
      out[row] = std::sqrt(weights_[row / table_.width()]) / sigma_[row % table_.width() / 3];
    return out;
  }
  double length_of(std::size_t pose, std::size_t part) const {
    return dense::norm({r_.data() + pose * table_.width() + 3 * part, 3});
  }
  // In standard deviations, of position or orientation.
  double distance(std::size_t pose) const {
    double most = 0.0;
    for (std::size_t part = 0; 3 * part < table_.width(); ++part)
      most = std::max(most, length_of(pose, part) / sigma_[part]);
    return most;
  }

  void weigh_robustly() {
    const double rows = static_cast<double>(r_.size()), unknowns = static_cast<double>(seen_.chosen.size());
    for (std::size_t part = 0; 3 * part < table_.width(); ++part) {
      std::vector<double> lengths;
      for (std::size_t k = 0; k < weights_.size(); ++k) lengths.push_back(length_of(k, part));
      sigma_[part] =
          std::max(least_sigma, median(lengths) / median_distance * std::sqrt(rows / std::max(1.0, rows - unknowns)));
    }
    for (std::size_t k = 0; k < weights_.size(); ++k) weights_[k] = std::min(1.0, 2.5 / distance(k));
  }

  // Standard deviations of positions and orientations from what is left, less what the unknowns took from each.
  void scale_by_scatter() {
    const Vector root = roots();
    const Matrix A = scaled_rows(root, columns_of(J_, seen_.chosen));
    const Vector scales = inverse_lengths(A);
    const Matrix B = scaled_columns(A, scales), Q = solve_lower(transposed(triangle(B)), transposed(B));
    double squares[2] = {0.0, 0.0}, free[2] = {0.0, 0.0};
    for (std::size_t row = 0; row < r_.size(); ++row) {
      if (weights_[row / table_.width()] == 0.0) continue;
      const std::size_t part = row % table_.width() / 3;
      squares[part] += r_[row] * r_[row], free[part] += 1.0;
      for (std::size_t k = 0; k < Q.rows(); ++k) free[part] -= Q(k, row) * Q(k, row);
    }
    for (std::size_t part = 0; 3 * part < table_.width(); ++part)
      sigma_[part] = std::max(least_sigma, std::sqrt(squares[part] / std::max(0.5, free[part])));
  }

  static Vector damped_step(const Matrix& A, const Vector& b, double damping) {
    const std::size_t p = A.columns();
    const Matrix R = triangle(
        dense::blocks({{A, b}, {std::sqrt(damping) * dense::identity(p), Matrix(p, 1)}, {Matrix(1, p), Matrix(1, 1)}}));
    return solve_upper(R.block(0, 0, p, p), R.block(0, p, p, 1));
  }

  const PoseTable& table_;
  Placing at_;
  std::vector<double> weights_;     // by pose
  double sigma_[2] = {1e-3, 1e-3};  // of positions, m, and orientations, rad
  Matrix J_;
  Vector r_;
  Independent seen_;
};

void require_belonging(const PoseTable& table, const PoseErrors& before, const MeasuredPoses& poses) {
  Vec3<double> mean{};
  for (const Vec3<double>& p : poses.positions) mean += (1.0 / static_cast<double>(poses.positions.size())) * p;
  double squares = 0.0;
  for (const Vec3<double>& p : poses.positions) squares += dot(p - mean, p - mean);
  const double spread = std::sqrt(squares / static_cast<double>(poses.positions.size())), own = table.spread();
  const double counts = 0.01;  // m: a frame that hardly moves says nothing about units
  if ((own > counts && spread > 100.0 * own) || own > 100.0 * spread)
    throw std::domain_error("measured positions spread over " + text_of(spread) + " m, those of the model over " +
                            text_of(own) + ": another unit of length?");
  if (before.position > 0.5 * spread)
    throw std::domain_error("with the model as it is, measured positions are " + text_of(before.position) +
                            " m off, and they spread over " + text_of(spread) +
                            ": joint positions in degrees, another order of joints, or another frame?");
}

std::vector<Correction> corrections_of(const PoseTable& table, const Fit& fit, const Matrix& covariance, bool screws) {
  std::vector<Correction> out;
  const double t = student_95(fit.freedom());
  for (std::size_t k = 0; k < fit.seen().chosen.size(); ++k) {
    const std::size_t unknown = fit.seen().chosen[k];
    if ((unknown >= table.first_screw()) != screws) continue;
    Correction own{table.parameter(unknown), table.change(fit.at(), unknown), std::sqrt(covariance(k, k)), 0.0, 0.0};
    own.lower = own.change - t * own.standard_error, own.upper = own.change + t * own.standard_error;
    out.push_back(std::move(own));
  }
  return out;
}

}  // namespace
}  // namespace identification

using namespace identification;

Calibration calibrate(const Robot& robot, const MeasuredPoses& poses, const CalibrationOptions& options) {
  const KinematicModel model(robot, options.form, options.frame);
  const PoseTable table(model, poses, options);
  Fit nominal(table, table.start());
  nominal.choose(table.placements());
  nominal.descend(true);
  require_belonging(table, nominal.errors(), poses);

  Fit fit(table, nominal.at());
  fit.choose(table.unknowns());
  fit.descend(true);
  Calibration out;
  fit.leave_out(options.outlier, out.outliers);
  do fit.descend(false);
  while (fit.leave_out(options.outlier, out.outliers));
  nominal.set_outliers(out.outliers);
  nominal.descend(false);

  out.robot = model.changed(fit.at().changes);
  out.frame = model.frame();
  out.base = fit.at().base, out.tool = fit.at().tool;
  out.before = nominal.errors(), out.after = fit.errors();
  out.position_sigma = fit.position_sigma(), out.orientation_sigma = fit.orientation_sigma();
  const auto [covariance, condition] = fit.covariance();
  out.condition = condition;
  out.corrections = corrections_of(table, fit, covariance, true);
  out.placements = corrections_of(table, fit, covariance, false);
  for (const auto& [unknown, as] : fit.seen().others)
    out.unseen.push_back({table.parameter(unknown).name, table.sum_of(as)});
  const std::size_t first = out.placements.size(), p = out.corrections.size();
  out.covariance = covariance.block(first, first, p, p).entries();
  return out;
}

PoseErrors pose_errors(const Calibration& found, const MeasuredPoses& poses) {
  CalibrationOptions options;
  options.frame = found.frame, options.form = KinematicForm::offsets;
  const KinematicModel model(found.robot, options.form, found.frame);
  const PoseTable table(model, poses, options);
  Vector r;
  table.residuals({found.base, found.tool, std::vector<double>(model.screws().size())}, r);
  return table.errors(r, std::vector<double>(table.poses(), 1.0));
}

PoseErrors cross_validate(const Robot& robot, const MeasuredPoses& poses, const CalibrationOptions& options,
                          int folds) {
  const std::size_t count = poses.positions.size();
  if (folds < 2 || static_cast<std::size_t>(folds) > count)
    throw std::invalid_argument("folds are from 2 to the number of poses, " + std::to_string(count));
  const std::size_t n = count == 0 ? 0 : poses.q.size() / count;
  PoseErrors sum;
  for (int fold = 0; fold < folds; ++fold) {
    MeasuredPoses train, test;
    for (std::size_t k = 0; k < count; ++k) {
      MeasuredPoses& to = k % static_cast<std::size_t>(folds) == static_cast<std::size_t>(fold) ? test : train;
      const auto row = poses.q.begin() + static_cast<std::ptrdiff_t>(k * n);
      to.q.insert(to.q.end(), row, row + static_cast<std::ptrdiff_t>(n));
      to.positions.push_back(poses.positions[k]);
      if (!poses.rotations.empty()) to.rotations.push_back(poses.rotations[k]);
    }
    const PoseErrors own = pose_errors(calibrate(robot, train, options), test);
    const double size = static_cast<double>(own.poses);
    sum.poses += own.poses;
    sum.position += size * own.position * own.position;
    sum.orientation += size * own.orientation * own.orientation;
    sum.worst_position = std::max(sum.worst_position, own.worst_position);
    sum.worst_orientation = std::max(sum.worst_orientation, own.worst_orientation);
  }
  sum.position = std::sqrt(sum.position / static_cast<double>(sum.poses));
  sum.orientation = std::sqrt(sum.orientation / static_cast<double>(sum.poses));
  return sum;
}

}  // namespace catena

#include "catena/identify.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <string>
#include <utility>

#include "catena/call.hpp"
#include "catena/model/parameters.hpp"
#include "identify/base_columns.hpp"
#include "identify/covariance.hpp"
#include "identify/doubts.hpp"
#include "identify/friction.hpp"
#include "identify/gains.hpp"
#include "identify/model.hpp"

namespace catena {
namespace {

using namespace identification;

std::size_t row_count(const std::vector<double>& values, std::size_t n, const char* name) {
  if (values.size() % n != 0)
    throw std::invalid_argument(std::string(name) + " has " + std::to_string(values.size()) +
                                " numbers, which are no rows of " + std::to_string(n) + " joints");
  return values.size() / n;
}

void require_finite(const std::vector<double>& values, const std::vector<std::uint8_t>& used, std::size_t n,
                    const char* name) {
  for (std::size_t k = 0; k < values.size(); ++k)
    if (!std::isfinite(values[k]) && (used.empty() || used[k] != 0 || name[0] != 't'))
      throw std::invalid_argument(std::string(name) + " of joint " + std::to_string(k % n + 1) + " in sample " +
                                  std::to_string(k / n + 1) + " is not a finite number");
}

void require_sensible(const Mechanism& robot, const IdentificationOptions& options) {
  const std::size_t n = index(robot.nv());
  const auto require = [](bool fits, const std::string& what) {
    if (!fits) throw std::invalid_argument(what);
  };
  require(options.friction.size() <= 1 || options.friction.size() == n,
          std::to_string(options.friction.size()) + " kinds of friction for " + std::to_string(n) + " joints");
  require(options.folds == 0 || options.folds >= 2, "there must be at least two folds");
  for (const int joint : options.only)
    require(joint >= 0 && joint < robot.joints(), "there is no joint " + std::to_string(joint));
  if (options.weights.empty()) return;
  require(options.weights.size() == n,
          std::to_string(options.weights.size()) + " weights for " + std::to_string(n) + " joints");
  for (const double weight : options.weights)
    require(weight > 0.0 && std::isfinite(weight),
            "a weight must be a positive number; give a joint that should not count a small one");
}

void put_estimates(const Model& model, const Solution& found, const Matrix& covariance,
                   const std::vector<std::size_t>& degrees, Identification& out) {
  const std::vector<double> values = model.selection.all_values(found.value);
  const std::size_t p = model.selection.chosen.size();
  Vector scale(p, 1);
  for (std::size_t k = 0; k < p; ++k) {
    const Column& column = model.columns[model.selection.chosen[k]];
    double value = found.value[k];
    scale[k] = 1.0;
    if (column.curve == Curve::tanh_width || column.curve == Curve::stribeck_width) {
      const Curve of = column.curve == Curve::tanh_width ? Curve::tanh : Curve::stribeck;
      for (std::size_t i = 0; i < model.columns.size(); ++i)
        if (model.columns[i].curve == of && model.columns[i].joint == column.joint && values[i] != 0.0)
          scale[k] = 1.0 / values[i];
      value = column.width + scale[k] * value;
    }
    const double error = std::abs(scale[k]) * std::sqrt(covariance(k, k)), t = student_95(degrees[k]);
    out.estimates.push_back({column.parameter, value, error, value - t * error, value + t * error});
  }
  out.covariance = scaled_columns(scaled_rows(scale, covariance), scale).entries();
}

// 1/gain of each joint, which is 1 after the torques have been made with it.
void put_gains(const Mechanism& robot, const Matrix& covariance, const std::vector<std::size_t>& degrees, std::size_t p,
               Identification& out) {
  for (const Coordinate j : robot.coordinates.all()) {
    const std::size_t k = p + index(j);
    const double error = std::sqrt(covariance(k, k)), t = student_95(degrees[k]);
    out.gains.push_back({gain_parameter(robot, j), 1.0, error, 1.0 - t * error, 1.0 + t * error});
  }
}

}  // namespace

void identification::require_consistent(const Mechanism& robot, const Measurements& data) {
  require_fixed_base(robot, "identification does");
  if (robot.nv() == 0) throw std::invalid_argument("the robot has no moving joints: there is nothing to identify");
  const std::size_t n = index(robot.nv()), rows = row_count(data.q, n, "q");
  for (const auto& [values, name] :
       {std::pair{&data.q, "q"}, {&data.qd, "qd"}, {&data.qdd, "qdd"}, {&data.tau, "tau"}}) {
    if (row_count(*values, n, name) != rows)
      throw std::invalid_argument(std::string(name) + " has " + std::to_string(values->size() / n) +
                                  " samples where q has " + std::to_string(rows));
    require_finite(*values, data.used, n, name);
  }
  if (!data.used.empty() && data.used.size() != rows * n)
    throw std::invalid_argument("'used' has " + std::to_string(data.used.size()) + " entries where there are " +
                                std::to_string(rows * n) + " torques");
  for (std::size_t k = 0; k < data.stretches.size(); ++k)
    if (k == 0 ? data.stretches[0] != 0 : data.stretches[k] <= data.stretches[k - 1] || data.stretches[k] >= rows)
      throw std::invalid_argument("stretches must begin with row 0, increase, and stay within the rows");
  if (!(data.period >= 0.0) || !std::isfinite(data.period))
    throw std::invalid_argument("the period of the rows must be a positive number");
}

// The distribution of t with ν degrees of freedom is a finite sum (Abramowitz and Stegun 26.7.3, 26.7.4), which is
// bisected; beyond 200 the first terms of Fisher's expansion about the normal distribution are exact to 1e-9.
double student_95(std::size_t degrees_of_freedom) {
  const auto nu = static_cast<double>(degrees_of_freedom);
  if (degrees_of_freedom == 0) return std::numeric_limits<double>::infinity();
  if (degrees_of_freedom > 200) {
    const double z = 1.959963984540054, z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z;
    return z + (z3 + z) / (4 * nu) + (5 * z5 + 16 * z3 + 3 * z) / (96 * nu * nu) +
           (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * nu * nu * nu);
  }
  const auto within = [&](double t) {
    const double theta = std::atan(t / std::sqrt(nu)), c = std::cos(theta), s = std::sin(theta);
    const bool odd = degrees_of_freedom % 2 == 1;
    double term = odd ? c : 1.0, sum = degrees_of_freedom == 1 ? 0.0 : term;
    for (std::size_t k = odd ? 3 : 2; k + 2 <= degrees_of_freedom; k += 2) {
      term *= c * c * static_cast<double>(k - 1) / static_cast<double>(k);
      sum += term;
    }
    return odd ? 2.0 / std::numbers::pi * (theta + s * sum) : s * sum;
  };
  double low = 1.9, high = 13.0;
  for (int step = 0; step < 60; ++step) (within((low + high) / 2) < 0.95 ? low : high) = (low + high) / 2;
  return high;
}

std::vector<double> base_regressors(const Mechanism& robot, std::span<const BaseParameter> parameters,
                                    std::span<const double> q, std::span<const double> qd,
                                    std::span<const double> qdd) {
  const std::size_t n = index(robot.nv()), width = index(robot.joints()) * parameters_per_joint;
  Call<double> regressor(robot, "regressor");
  std::vector<double> Y(regressor.size()), rows;
  rows.reserve(q.size() * parameters.size());
  for (std::size_t k = 0; k < q.size(); k += n) {
    regressor({.q = q.subspan(k, n), .qd = qd.subspan(k, n), .qdd = qdd.subspan(k, n)}, Y);
    for (std::size_t j = 0; j < n; ++j)
      for (const BaseParameter& parameter : parameters) rows.push_back(Y[j * width + index(parameter.column())]);
  }
  return rows;
}

Identification identify(const Mechanism& robot, const Measurements& data, const IdentificationOptions& options) {
  require_consistent(robot, data);
  require_sensible(robot, options);
  return fit(robot, data, model_for(robot, data, options));
}

Identification identification::fit(const Mechanism& robot, const Measurements& data, Model model) {
  const IdentificationOptions options = model.options;
  const std::size_t n = index(robot.nv());
  const RegressionRows rows(robot, model.columns, data, options);
  const Evidence evidence = gather(rows, options.folds > 0 ? index(options.folds) : 8);
  const LogEvidence log = evidence.joined();
  Identification out;
  for (const JointEvidence& joint : log) out.equations += joint.rows;
  out.samples = rows.size();
  if (out.equations <= model.selection.chosen.size())
    throw std::domain_error(std::to_string(out.samples) + " samples give " + std::to_string(out.equations) +
                            " torques for " + std::to_string(model.selection.chosen.size()) +
                            " base parameters: more than " + std::to_string(model.selection.chosen.size() / n) +
                            " samples are needed");
  hold_undetermined(evidence, log, model, out);
  for (const Coordinate j : robot.coordinates.all())
    if (const int k = offset_within(model.columns, j, model.friction[index(j)].kind);
        k >= 0 && std::count(model.selection.chosen.begin(), model.selection.chosen.end(), index(k)) == 0) {
      out.held.push_back({model.columns[index(k)].parameter, 0.0});
      out.held.back().parameter.text += ", which is in the asymmetric friction";
    }
  const WeightedSolution found = solve_weighted(evidence.layout, log, model.columns, model.selection, options);
  const std::size_t p = model.selection.chosen.size();
  const double variance = found.solution.squares / static_cast<double>(out.equations - p);
  out.weights = found.weights, out.reweightings = found.reweightings, out.condition = found.solution.condition;
  Matrix covariance = variance * found.solution.inverse;
  std::vector<std::size_t> degrees(p, out.equations - p);
  std::optional<Solution> with_gains;
  if (model.gains) with_gains = solve_with_gains(evidence.layout, log, model, found);
  if (with_gains) covariance = variance * with_gains->inverse, degrees.resize(p + n, out.equations - p);
  if (data.period > 0.0 && variance > 0.0) {
    const RobustCovariance robust =
        robust_covariance(rows, model.selection, found, with_gains ? &with_gains->inverse : nullptr);
    double ratio = 0.0;
    for (std::size_t k = 0; k < p; ++k) ratio += robust.covariance(k, k) / covariance(k, k) / static_cast<double>(p);
    model.inflation = std::max(ratio, 1.0);
    covariance = robust.covariance, degrees = robust.degrees;
    out.block = robust.block, out.correlation = robust.correlation;
    doubt_samples(robust.independent, p, out);
    doubt_blocks(out);
  }
  if (model.gains) put_gains(robot, covariance, degrees, p, out);
  put_estimates(model, found.solution, covariance.block(0, 0, p, p), degrees, out);
  const std::vector<double> values = model.selection.all_values(found.solution.value);
  const FitScore left = score(evidence.layout, log, values);
  out.residuals = left.rms, out.explained = left.explained;
  out.nominal = score(evidence.layout, log, model.nominal);
  for (const Coordinate j : robot.coordinates.all())
    out.friction.push_back(curve_of(robot, model.columns, values, j, model.friction[index(j)]));
  doubt_fit(robot, data, model, found.solution, out);
  model.values = values;
  out.evidence = std::make_shared<const Evidence>(evidence);
  out.model = std::make_shared<const Model>(std::move(model));
  return out;
}

}  // namespace catena

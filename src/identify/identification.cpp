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
  require(options.folds == 0 || options.folds >= 2, "folds are at least two");
  for (const int joint : options.only)
    require(joint >= 0 && joint < robot.joints(), "there is no joint " + std::to_string(joint));
  if (options.weights.empty()) return;
  require(options.weights.size() == n,
          std::to_string(options.weights.size()) + " weights for " + std::to_string(n) + " joints");
  for (const double weight : options.weights)
    require(weight > 0.0 && std::isfinite(weight),
            "a weight is not a positive number; a joint that is not to count has a small one");
}

// What the other links and drives do is known where only some are fitted: a column whose value is 1.
std::vector<Column> columns_for(const Mechanism& robot, const IdentificationOptions& options) {
  std::vector<int> candidates = columns_by_preference(robot, options.drives);
  if (options.only.empty()) return columns_of(base_parameters_among(robot, candidates));
  std::erase_if(candidates, [&](int k) {
    return std::find(options.only.begin(), options.only.end(), k / parameters_per_joint) == options.only.end();
  });
  std::vector<Column> columns = columns_of(base_parameters_among(robot, candidates));
  Column known;
  const std::vector<double> theta = standard_parameters(robot);
  for (std::size_t k = 0; k < theta.size(); ++k)
    if (theta[k] != 0.0 && std::find(candidates.begin(), candidates.end(), static_cast<int>(k)) == candidates.end())
      known.of_Y.push_back({static_cast<int>(k), theta[k]});
  known.parameter.text = "known", known.parameter.nominal = 1.0;
  columns.push_back(known);
  return columns;
}

// All columns but what is known and, unless the kind says so, friction; and their nominal values.
Model model_for(const Mechanism& robot, const Measurements& data, const IdentificationOptions& options) {
  Model model{columns_for(robot, options), {}, {}, options};
  const bool knows = !options.only.empty();
  if (options.offsets)
    for (const Coordinate j : robot.coordinates.all())
      if (offset_column(robot, model.columns, j) < 0) model.columns.push_back(curve_column(robot, Curve::offset, j));
  const auto reset = [&] {
    model.nominal.clear();
    for (const Column& column : model.columns) model.nominal.push_back(column.parameter.nominal);
    model.selection.others.assign(model.columns.size(), 0.0);
    for (std::size_t k = 0; k < model.columns.size(); ++k)
      if (model.columns[k].parameter.text == "known") model.selection.others[k] = 1.0;
  };
  for (std::size_t k = 0; k < model.columns.size(); ++k)
    if (!knows || model.columns[k].parameter.text != "known") model.selection.chosen.push_back(k);
  reset();
  model.friction.assign(index(robot.nv()), {options.drives ? JointFriction::coulomb : JointFriction::none});
  if (!options.drives || options.friction.empty()) return model;
  model.friction = choose_friction(robot, data, model.columns, model.selection, options);
  for (const Coordinate j : robot.coordinates.all()) {
    const FrictionColumns own = friction_of(robot, model.columns, j);
    if (knows && own.viscous < 0 && own.dry < 0) continue;  // not among those that are fitted
    std::erase_if(model.selection.chosen, [&](std::size_t k) { return own.has(k); });
    for (const std::size_t k : friction_columns(robot, model.columns, j, model.friction[index(j)]))
      model.selection.chosen.push_back(k);
  }
  std::sort(model.selection.chosen.begin(), model.selection.chosen.end());
  reset();
  return model;
}

void drop(Model& model, std::size_t column) { std::erase(model.selection.chosen, column); }

// Holds what is not determined at the model's values; widths of curves that hardly show are no estimates.
void hold_undetermined(const Evidence& evidence, const LogEvidence& log, Model& model, Identification& out) {
  Selection& selection = model.selection;
  const Matrix triangle = weighted_triangle(evidence.layout, log, selection, std::vector<double>(log.size(), 1.0));
  const std::vector<std::size_t> kept = determined(triangle, selection.chosen);
  for (const std::size_t k : std::vector(selection.chosen)) {
    const bool width = model.columns[k].curve == Curve::tanh_width || model.columns[k].curve == Curve::stribeck_width;
    if (std::binary_search(kept.begin(), kept.end(), k) || !(width || model.options.subset)) continue;
    drop(model, k);
    selection.others[k] = model.nominal[k];
    if (width) continue;
    model.held.push_back(k);
    out.held.push_back({model.columns[k].parameter, model.nominal[k]});
  }
}

// A better width for tanh and Stribeck's curve: one step of Gauss and Newton, with the curve's derivative as a column.
void refine_widths(const Mechanism& robot, const Measurements& data, Model& model) {
  for (int step = 0; step < 3; ++step) {
    Model wide = model;
    std::vector<std::array<std::size_t, 3>> pairs;  // curve, its derivative, joint
    for (std::size_t k = 0; k < model.columns.size(); ++k) {
      const Column& own = model.columns[k];
      if (own.curve != Curve::tanh && own.curve != Curve::stribeck) continue;
      pairs.push_back({k, wide.columns.size(), own.joint});
      wide.columns.push_back(curve_column(robot, own.curve == Curve::tanh ? Curve::tanh_width : Curve::stribeck_width,
                                          Coordinate(own.joint), own.width));
      wide.selection.chosen.push_back(pairs.back()[1]);
      wide.selection.others.push_back(0.0);
      wide.nominal.push_back(0.0);
    }
    if (pairs.empty()) return;
    const Evidence evidence = gather(RegressionRows(robot, wide.columns, data, model.options), 8);
    const LogEvidence log = evidence.joined();
    Identification unused;
    hold_undetermined(evidence, log, wide, unused);
    const WeightedSolution found = solve_weighted(evidence.layout, log, wide.columns, wide.selection, model.options);
    const std::vector<double> values = wide.selection.all_values(found.solution.value);
    double change = 0.0;
    for (const auto& [curve, derivative, joint] : pairs) {
      const double width = model.columns[curve].width;
      double next = values[curve] > 0.0 ? width + values[derivative] / values[curve] : width;
      next = std::clamp(next, width / 1.6, width * 1.6);
      change = std::max(change, std::abs(next / width - 1.0));
      model.friction[joint].width = next;
      model.columns[curve] = curve_column(robot, model.columns[curve].curve, Coordinate(joint), next);
    }
    if (change < 1e-3) return;
  }
}

// The width itself as an estimate: the derivative's column stands for it where the curve is there at all.
void add_widths(const Mechanism& robot, Model& model) {
  const std::size_t count = model.columns.size();
  for (std::size_t k = 0; k < count; ++k) {
    const Column own = model.columns[k];
    if (own.curve != Curve::tanh && own.curve != Curve::stribeck) continue;
    model.columns.push_back(curve_column(robot, own.curve == Curve::tanh ? Curve::tanh_width : Curve::stribeck_width,
                                         Coordinate(own.joint), own.width));
    model.selection.chosen.push_back(model.columns.size() - 1);
    model.selection.others.push_back(0.0);
    model.nominal.push_back(0.0);
  }
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
      throw std::invalid_argument("stretches begin with row 0 and go on in order, within the rows");
  if (!(data.period >= 0.0) || !std::isfinite(data.period))
    throw std::invalid_argument("the period of the rows is not a positive number");
}

// The distribution of t with ν degrees of freedom is a finite sum (Abramowitz and Stegun 26.7.3, 26.7.4), which is
// bisected; beyond 200 the first terms of Fisher's expansion about the normal distribution are exact to 1e-10.
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
  Model model = model_for(robot, data, options);
  if (model.selection.chosen.empty()) throw std::domain_error("no parameter of the robot shows in torques");
  refine_widths(robot, data, model);
  add_widths(robot, model);
  return fit(robot, data, std::move(model));
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
  const WeightedSolution found = solve_weighted(evidence.layout, log, model.columns, model.selection, options);
  const std::size_t p = model.selection.chosen.size();
  const double variance = found.solution.squares / static_cast<double>(out.equations - p);
  out.weights = found.weights, out.reweightings = found.reweightings, out.condition = found.solution.condition;
  Matrix covariance = variance * found.solution.inverse;
  std::vector<std::size_t> degrees(p, out.equations - p);
  if (data.period > 0.0 && variance > 0.0) {
    const RobustCovariance robust = robust_covariance(rows, model.selection, found);
    double ratio = 0.0;
    for (std::size_t k = 0; k < p; ++k) ratio += robust.covariance(k, k) / covariance(k, k) / static_cast<double>(p);
    model.inflation = std::max(ratio, 1.0);
    covariance = robust.covariance, degrees = robust.degrees;
    out.block = robust.block, out.correlation = robust.correlation;
    doubt_samples(robust.independent, p, out);
    doubt_blocks(out);
  }
  put_estimates(model, found.solution, covariance, degrees, out);
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

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "catena/identify.hpp"
#include "catena/model/parameters.hpp"
#include "identify/base_columns.hpp"
#include "identify/covariance.hpp"
#include "identify/doubts.hpp"

namespace catena {
namespace {

using namespace identification;

Measurements one_after_another(const Measurements& a, const Measurements& b, std::size_t n) {
  Measurements out = a;
  const std::size_t rows = a.q.size() / n;
  for (const auto& [to, from] : {std::pair{&out.q, &b.q}, {&out.qd, &b.qd}, {&out.qdd, &b.qdd}, {&out.tau, &b.tau}})
    to->insert(to->end(), from->begin(), from->end());
  if (out.stretches.empty()) out.stretches = {0};
  for (const std::size_t begin : b.stretches.empty() ? std::vector<std::size_t>{0} : b.stretches)
    out.stretches.push_back(rows + begin);
  if (a.used.empty() && b.used.empty()) return out;
  out.used.resize(a.tau.size(), 1);
  const std::vector<std::uint8_t> more = b.used.empty() ? std::vector<std::uint8_t>(b.tau.size(), 1) : b.used;
  out.used.insert(out.used.end(), more.begin(), more.end());
  return out;
}

// Currents i = α (Y θ + l) of all joints: θ and one α = 1/gain a joint, the torques l of the load known.
struct GainProblem {
  const RowLayout& layout;
  const LogEvidence& log;
  std::size_t p;  // entries of θ; the column of the load comes after

  // Of a joint's triangle: Y θ + l, the currents.
  Vector torques(std::size_t j, std::span<const double> theta) const {
    const Matrix& R = log[j].R;
    Vector out(R.rows(), 1);
    for (std::size_t k = 0; k < layout.columns[j].size(); ++k) {
      const std::size_t column = layout.columns[j][k];
      const double value = column < p ? theta[column] : 1.0;
      for (std::size_t i = 0; i <= k; ++i) out[i] += R(i, k) * value;
    }
    return out;
  }
  Vector currents(std::size_t j) const { return log[j].R.column(log[j].R.columns() - 1); }

  // A first α: each joint by itself, with parameters of its own.
  std::vector<double> first_guess() const {
    std::vector<double> out;
    for (std::size_t j = 0; j < log.size(); ++j) {
      const std::vector<std::size_t>& columns = layout.columns[j];
      const bool loaded = !columns.empty() && columns.back() == p;
      Matrix X = log[j].R.block(0, 0, log[j].R.rows(), columns.size());
      const Vector unit = inverse_lengths(X);
      const Vector found = scaled_rows(unit, least_squares(scaled_columns(X, unit), currents(j), 1e-6));
      const double alpha = loaded ? found[columns.size() - 1] : 0.0;
      if (!(std::abs(alpha) > 0.0))
        throw std::domain_error("the load does not show in the current of joint " + std::to_string(j + 1));
      out.push_back(alpha);
    }
    return out;
  }

  // [∂/∂θ ∂/∂α | what is left] of all joints as a triangle.
  Matrix linearized(std::span<const double> x, const std::vector<double>& weights) const {
    const std::size_t n = log.size(), width = p + n;
    Matrix all(width + 1, width + 1);
    for (std::size_t j = 0; j < n; ++j) {
      const double root = std::sqrt(weights[j]), alpha = x[p + j];
      const Vector tau = torques(j, x.first(p)), i = currents(j);
      Matrix own(tau.size(), width + 1);
      for (std::size_t row = 0; row < tau.size(); ++row) {
        for (std::size_t k = row; k < layout.columns[j].size(); ++k)
          if (layout.columns[j][k] < p) own(row, layout.columns[j][k]) = root * alpha * log[j].R(row, k);
        own(row, p + j) = root * tau[row];
        own(row, width) = root * (i[row] - alpha * tau[row]);
      }
      all = triangle(dense::blocks({{all}, {own}}));
    }
    return all;
  }
  std::vector<double> rms(std::span<const double> x) const {
    std::vector<double> out;
    for (std::size_t j = 0; j < log.size(); ++j)
      out.push_back(std::sqrt(squared_norm(currents(j) - x[p + j] * torques(j, x.first(p))) /
                              static_cast<double>(std::max<std::size_t>(log[j].rows, 1))));
    return out;
  }
};

std::vector<Column> names_with_gains(const std::vector<Column>& columns, std::size_t p, const Mechanism& robot) {
  std::vector<Column> out(columns.begin(), columns.begin() + static_cast<std::ptrdiff_t>(p));
  for (const Coordinate j : robot.coordinates.all()) {
    Column gain;
    gain.parameter.text = "gain of " + robot.name_of(j);
    gain.parameter.unit = robot.link(robot.link_of(j)).revolute ? "N m/A" : "N/A";
    out.push_back(gain);
  }
  return out;
}

// Torques from the first gains give a first θ; then Gauss and Newton, weighted anew in each step.
Solution maximize(const GainProblem& problem, const std::vector<Column>& named, std::vector<double>& x,
                  std::vector<double>& weights) {
  const std::size_t p = problem.p;
  std::vector<std::size_t> all(named.size());
  for (std::size_t k = 0; k < all.size(); ++k) all[k] = k;
  const std::vector<double> alphas = problem.first_guess();
  x.assign(p, 0.0);
  x.insert(x.end(), alphas.begin(), alphas.end());
  for (int k = 0; k < 60; ++k) {
    const Solution step = solve(problem.linearized(x, weights), named, all);
    double change = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (i >= p) change = std::max(change, std::abs(step.value[i] / x[i]));
      x[i] += i >= p ? std::clamp(step.value[i], -0.5 * std::abs(x[i]), 0.5 * std::abs(x[i])) : step.value[i];
    }
    const std::vector<double> rms = problem.rms(x);
    for (std::size_t j = 0; j < rms.size(); ++j) weights[j] = rms[j] > 0.0 ? 1.0 / (rms[j] * rms[j]) : 1.0;
    if (k > 2 && change < 1e-8) break;
  }
  return solve(problem.linearized(x, weights), named, all);
}

Estimate with_interval(const BaseParameter& parameter, double value, double error, std::size_t degrees) {
  const double t = student_95(degrees);
  return {parameter, value, error, value - t * error, value + t * error};
}

}  // namespace

DriveGains identify_gains(const Mechanism& robot, const Measurements& without, const Measurements& with,
                          std::span<const double> load, const IdentificationOptions& options) {
  require_consistent(robot, without);
  require_consistent(robot, with);
  const std::size_t n = index(robot.nv());
  std::vector<Column> columns = columns_of(base_parameters_among(robot, columns_by_preference(robot, options.drives)));
  if (options.offsets)
    for (const Coordinate j : robot.coordinates.all())
      if (offset_column(robot, columns, j) < 0) columns.push_back(curve_column(robot, Curve::offset, j));
  const std::size_t p = columns.size();
  Column known;
  for (std::size_t k = 0; k < load.size(); ++k)
    if (load[k] != 0.0) known.of_Y.push_back({static_cast<int>(k), load[k]});
  known.from = without.q.size() / n;
  columns.push_back(known);
  const Measurements both = one_after_another(without, with, n);
  const RegressionRows rows(robot, columns, both, options);
  const Evidence evidence = gather(rows, 8);
  const LogEvidence log = evidence.joined();
  const GainProblem problem{evidence.layout, log, p};
  const std::vector<Column> named = names_with_gains(columns, p, robot);
  std::vector<double> x, weights(n, 1.0);
  const Solution step = maximize(problem, named, x, weights);

  DriveGains out;
  out.samples = rows.size(), out.residuals = problem.rms(x);
  const RobustCovariance robust =
      robust_covariance(rows, step.inverse, weights, [&](const RegressionRow& row, std::size_t j, Gradient& gradient) {
        const std::vector<std::size_t>& own = evidence.layout.columns[j];
        const double *entries = &row.entries[evidence.layout.first[j]], alpha = x[p + j];
        double tau = 0.0;
        gradient.clear();
        for (std::size_t k = 0; k < own.size(); ++k) {
          tau += entries[k] * (own[k] < p ? x[own[k]] : 1.0);
          if (own[k] < p) gradient.emplace_back(own[k], alpha * entries[k]);
        }
        gradient.emplace_back(p + j, tau);
        return row.entries[evidence.layout.torque(j)] - alpha * tau;
      });
  out.block = robust.block;
  for (std::size_t k = 0; k < p + n; ++k) {
    const double error = std::sqrt(robust.covariance(k, k));
    if (k < p)
      out.parameters.push_back(with_interval(named[k].parameter, x[k], error, robust.degrees[k]));
    else
      out.gains.push_back(with_interval(named[k].parameter, 1.0 / x[k], error / (x[k] * x[k]), robust.degrees[k]));
  }
  return out;
}

}  // namespace catena

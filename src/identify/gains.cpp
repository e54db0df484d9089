#include "identify/gains.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "catena/identify.hpp"
#include "identify/doubts.hpp"
#include "identify/model.hpp"

namespace catena {
namespace {

using namespace identification;

constexpr double wide_gain = 0.05;  // relative standard error that is doubted

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

// Currents i = α (X β + l) of all joints: β and one α = 1/gain per joint; what is not chosen, the load among it, is
// known.
struct GainProblem {
  const RowLayout& layout;
  const LogEvidence& log;
  const Selection& selection;
  std::vector<std::size_t> place;  // of a column in β; p: known

  GainProblem(const RowLayout& of, const LogEvidence& rows, const Selection& chosen)
      : layout(of), log(rows), selection(chosen), place(chosen.others.size(), chosen.chosen.size()) {
    for (std::size_t k = 0; k < chosen.chosen.size(); ++k) place[chosen.chosen[k]] = k;
  }
  std::size_t p() const { return selection.chosen.size(); }

  // Of a joint's triangle: X β + l, the currents.
  Vector torques(std::size_t j, std::span<const double> beta) const {
    const Matrix& R = log[j].R;
    Vector out(R.rows(), 1);
    for (std::size_t k = 0; k < layout.columns[j].size(); ++k) {
      const std::size_t column = layout.columns[j][k];
      const double value = place[column] < p() ? beta[place[column]] : selection.others[column];
      for (std::size_t i = 0; i <= k; ++i) out[i] += R(i, k) * value;
    }
    return out;
  }
  Vector currents(std::size_t j) const { return log[j].R.column(log[j].R.columns() - 1); }

  // [∂/∂β ∂/∂α | what is left] of all joints as a triangle.
  Matrix linearized(std::span<const double> x, const std::vector<double>& weights) const {
    const std::size_t n = log.size(), width = p() + n;
    Matrix all(width + 1, width + 1);
    for (std::size_t j = 0; j < n; ++j) {
      const double root = std::sqrt(weights[j]), alpha = x[p() + j];
      const Vector tau = torques(j, x.first(p())), i = currents(j);
      Matrix own(tau.size(), width + 1);
      for (std::size_t row = 0; row < tau.size(); ++row) {
        for (std::size_t k = row; k < layout.columns[j].size(); ++k)
          if (place[layout.columns[j][k]] < p())
            own(row, place[layout.columns[j][k]]) = root * alpha * log[j].R(row, k);
        own(row, p() + j) = root * tau[row];
        own(row, width) = root * (i[row] - alpha * tau[row]);
      }
      all = triangle(dense::blocks({{all}, {own}}));
    }
    return all;
  }
  std::vector<double> rms(std::span<const double> x) const {
    std::vector<double> out;
    for (std::size_t j = 0; j < log.size(); ++j)
      out.push_back(std::sqrt(squared_norm(currents(j) - x[p() + j] * torques(j, x.first(p()))) /
                              static_cast<double>(std::max<std::size_t>(log[j].rows, 1))));
    return out;
  }
};

// A first α: each joint by itself, with parameters of its own. Throws where the load does not show in its current by
// three standard errors.
std::vector<double> first_guess(const Mechanism& robot, const GainProblem& problem, std::size_t load) {
  std::vector<double> out;
  std::string unseen;
  for (const Coordinate joint : robot.coordinates.all()) {
    const std::size_t j = index(joint);
    const std::vector<std::size_t>& columns = problem.layout.columns[j];
    const auto at = std::find(columns.begin(), columns.end(), load);
    const std::size_t width = columns.size();
    Matrix X = problem.log[j].R.block(0, 0, problem.log[j].R.rows(), width);
    const Vector unit = inverse_lengths(X);
    X = scaled_columns(std::move(X), unit);
    const Vector scaled = least_squares(X, problem.currents(j), 1e-6), found = scaled_rows(unit, scaled);
    const double alpha = at == columns.end() ? 0.0 : found[static_cast<std::size_t>(at - columns.begin())];
    double shows = 0.0;  // what the current has of the load, beyond all else
    if (at != columns.end()) {
      const std::size_t k = static_cast<std::size_t>(at - columns.begin());
      Matrix others = X;
      for (std::size_t i = 0; i < others.rows(); ++i) others(i, k) = 0.0;
      const Vector own = X.column(k);
      shows = std::abs(scaled[k]) * norm(own - others * least_squares(others, own, 1e-6));
    }
    const double rows = static_cast<double>(problem.log[j].rows), spare = rows - static_cast<double>(width);
    const double noise = spare > 0.0 ? norm(problem.currents(j) - X * scaled) / std::sqrt(spare) : 0.0;
    if (!(shows > 3.0 * noise && shows > 1e-9 * norm(problem.currents(j))))
      unseen += (unseen.empty() ? "'" : ", '") + robot.name_of(joint) + "'";
    out.push_back(alpha);
  }
  if (!unseen.empty())
    throw std::domain_error("the load does not affect the current of " + unseen +
                            ": the gain cannot be found; fix the load farther from the axis of that joint, or use a "
                            "heavier one, and turn the joint while the load is off to the side");
  return out;
}

// Torques from the first gains give a first β; then Gauss and Newton, with new weights in each step.
std::vector<double> maximize(const GainProblem& problem, const std::vector<Column>& named,
                             const std::vector<double>& alphas) {
  const std::size_t p = problem.p();
  std::vector<std::size_t> all(p + alphas.size());
  for (std::size_t k = 0; k < all.size(); ++k) all[k] = k;
  std::vector<double> x(p, 0.0), weights(alphas.size(), 1.0);
  x.insert(x.end(), alphas.begin(), alphas.end());
  for (int k = 0; k < 100; ++k) {
    const Solution step = solve(problem.linearized(x, weights), named, all);
    double change = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (i >= p) change = std::max(change, std::abs(step.value[i] / x[i]));
      x[i] += i >= p ? std::clamp(step.value[i], -0.5 * std::abs(x[i]), 0.5 * std::abs(x[i])) : step.value[i];
    }
    const std::vector<double> rms = problem.rms(x);
    for (std::size_t j = 0; j < rms.size(); ++j) weights[j] = rms[j] > 0.0 ? 1.0 / (rms[j] * rms[j]) : 1.0;
    if (k > 2 && change < 1e-7) break;
  }
  return {x.begin() + static_cast<std::ptrdiff_t>(p), x.end()};
}

std::vector<Column> named_with_gains(const Mechanism& robot, const Model& model) {
  std::vector<Column> out;
  for (const std::size_t k : model.selection.chosen) out.push_back(model.columns[k]);
  for (const Coordinate j : robot.coordinates.all()) out.push_back({gain_parameter(robot, j)});
  return out;
}

std::vector<double> alphas_of(const Mechanism& robot, const Measurements& both, Model& model,
                              const std::vector<double>& guess) {
  const Evidence evidence = gather(RegressionRows(robot, model.columns, both, model.options), 8);
  const LogEvidence log = evidence.joined();
  Identification unused;
  hold_undetermined(evidence, log, model, unused);
  const GainProblem problem(evidence.layout, log, model.selection);
  const auto load = std::find_if(model.columns.begin(), model.columns.end(),
                                 [](const Column& own) { return own.known() && own.from > 0; });
  return maximize(
      problem, named_with_gains(robot, model),
      guess.empty() ? first_guess(robot, problem, static_cast<std::size_t>(load - model.columns.begin())) : guess);
}

void doubt_gains(const Mechanism& robot, Identification& out) {
  for (const Coordinate j : robot.coordinates.all()) {
    const Estimate& own = out.gains[index(j)];
    if (own.standard_error < wide_gain * std::abs(own.value)) continue;
    out.doubts.push_back({"gain", "the gain of '" + robot.name_of(j) + "' has a standard error of " +
                                      std::to_string(std::lround(100.0 * own.standard_error / std::abs(own.value))) +
                                      " %: the load hardly affects its current"});
  }
}

}  // namespace

BaseParameter identification::gain_parameter(const Mechanism& robot, Coordinate joint) {
  BaseParameter out;
  out.text = "gain of " + robot.name_of(joint);
  out.unit = robot.link(robot.link_of(joint)).revolute ? "N m/A" : "N/A";
  return out;
}

Solution identification::solve_with_gains(const RowLayout& layout, const LogEvidence& log, const Model& model,
                                          const WeightedSolution& found) {
  const GainProblem problem(layout, log, model.selection);
  std::vector<double> x = found.solution.value.entries();
  x.resize(x.size() + log.size(), 1.0);
  std::vector<Column> named;
  for (const std::size_t k : model.selection.chosen) named.push_back(model.columns[k]);
  for (std::size_t j = 0; j < log.size(); ++j) named.push_back({{.terms = {}, .text = "gain", .unit = {}}});
  std::vector<std::size_t> all(x.size());
  for (std::size_t k = 0; k < all.size(); ++k) all[k] = k;
  return solve(problem.linearized(x, found.weights), named, all);
}

// First with viscous and dry friction; the torques of these gains then tell which friction there is, and gains again.
Identification identify_gains(const Mechanism& robot, const Measurements& without, const Measurements& with,
                              std::span<const double> load, const IdentificationOptions& options) {
  require_consistent(robot, without);
  require_consistent(robot, with);
  const std::size_t n = index(robot.nv());
  Column known;
  for (std::size_t k = 0; k < load.size(); ++k)
    if (load[k] != 0.0) known.of_Y.push_back({static_cast<int>(k), load[k]});
  known.from = without.q.size() / n, known.parameter = known_parameter();
  const Measurements currents = one_after_another(without, with, n);
  Measurements torques = currents;
  IdentificationOptions plain = options;
  plain.friction.clear(), plain.weights.clear(), plain.weights_from_residuals = true;
  Model model = model_for(robot, torques, plain, &known);
  std::vector<double> alphas = alphas_of(robot, currents, model, {});
  const auto apply = [&] {
    for (std::size_t k = 0; k < torques.tau.size(); ++k) torques.tau[k] = currents.tau[k] / alphas[k % n];
  };
  apply();
  plain.friction = options.friction;
  model = model_for(robot, torques, plain, &known);
  if (!options.friction.empty()) {
    Model trial = model;
    alphas = alphas_of(robot, currents, trial, alphas);
    apply();
  }
  model.gains = true;
  Identification out = fit(robot, torques, model);
  for (std::size_t j = 0; j < n; ++j) {
    Estimate& own = out.gains[j];
    const double gain = 1.0 / alphas[j], half = std::abs(gain) * (own.upper - own.value);
    own.value = gain, own.standard_error *= std::abs(gain), own.lower = gain - half, own.upper = gain + half;
  }
  doubt_gains(robot, out);
  Model later = *out.model;  // other logs have no load
  for (Column& own : later.columns)
    if (own.known() && own.from > 0) own.of_Y.clear();
  out.model = std::make_shared<const Model>(std::move(later));
  return out;
}

}  // namespace catena

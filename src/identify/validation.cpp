#include <cmath>
#include <limits>
#include <stdexcept>

#include "catena/identify.hpp"
#include "identify/doubts.hpp"
#include "identify/physical.hpp"

namespace catena {
namespace {

using namespace identification;

// Squares that are left, summed over parts.
struct Left {
  std::vector<double> squares;
  void add(const RowLayout& layout, const LogEvidence& log, const std::vector<double>& values) {
    squares.resize(log.size(), 0.0);
    for (std::size_t j = 0; j < log.size(); ++j) squares[j] += squares_left(layout, log, j, values);
  }
  FitScore over(const LogEvidence& log) const {
    FitScore out;
    for (std::size_t j = 0; j < squares.size(); ++j) {
      const double rows = static_cast<double>(log[j].rows), all = log[j].variation();
      out.rms.push_back(rows > 0.0 ? std::sqrt(squares[j] / rows) : 0.0);
      out.explained.push_back(all > 0.0 ? 1.0 - squares[j] / all : 0.0);
    }
    return out;
  }
};

// Columns of a joint's friction, among those that show in its torque.
std::vector<char> friction_columns_of(const Mechanism& robot, const Model& model, const RowLayout& layout,
                                      std::size_t joint) {
  const FrictionColumns own = friction_of(robot, model.columns, Coordinate(joint));
  std::vector<char> out;
  for (const std::size_t k : layout.columns[joint]) {
    if (k >= model.columns.size()) continue;
    const Curve curve = model.columns[k].curve;
    out.push_back(static_cast<int>(k) == own.viscous || static_cast<int>(k) == own.dry ||
                  (curve != Curve::none && curve != Curve::offset));
  }
  return out;
}

// A column of ones at each joint says how much of the filter's weight falls on samples that count.
ComparedTorques compared(const Mechanism& robot, const Model& model, const std::vector<double>* physical,
                         const Measurements& data) {
  require_consistent(robot, data);
  constexpr double least_share = 0.3, none = std::numeric_limits<double>::quiet_NaN();
  std::vector<Column> columns = model.columns;
  for (const Coordinate j : robot.coordinates.all()) columns.push_back(curve_column(robot, Curve::offset, j));
  const RegressionRows rows(robot, columns, data, model.options);
  const RowLayout& layout = rows.layout();
  const std::size_t n = layout.columns.size(), count = rows.size() * n;
  std::vector<std::vector<char>> of_friction;
  for (std::size_t j = 0; j < n; ++j) of_friction.push_back(friction_columns_of(robot, model, layout, j));
  ComparedTorques out;
  for (auto* values : {&out.measured, &out.least_squares, &out.friction, &out.speed}) values->assign(count, none);
  if (physical != nullptr) out.physical.assign(count, none);
  out.used.resize(count);
  for (std::size_t k = 0; k < rows.size(); ++k) out.samples.push_back(rows.sample(k));
  rows.in_parts(8, 1, [&](std::size_t, std::size_t from, std::size_t to) {
    rows.each(from, to, [&](const RegressionRow& row) {
      for (std::size_t j = 0; j < n; ++j) {
        const std::size_t at = row.number * n + j, sample = rows.sample(row.number) * n + j;
        const double share = row.entries[layout.torque(j) - 1];
        out.speed[at] = data.qd[sample];
        out.used[at] = row.counts[j] != 0 && (data.used.empty() || data.used[sample] != 0);
        if (!(share > least_share)) continue;
        double sums[3] = {};
        for (std::size_t k = 0; k + 1 < layout.columns[j].size(); ++k) {
          const double entry = row.entries[layout.first[j] + k];
          const std::size_t column = layout.columns[j][k];
          sums[0] += entry * model.values[column];
          if (physical != nullptr) sums[1] += entry * (*physical)[column];
          if (of_friction[j][k]) sums[2] += entry * model.values[column];
        }
        out.measured[at] = row.entries[layout.torque(j)] / share;
        out.least_squares[at] = sums[0] / share, out.friction[at] = sums[2] / share;
        if (physical != nullptr) out.physical[at] = sums[1] / share;
      }
    });
  });
  return out;
}

// What a part of a log does not determine, a joint that goes one way in it for example, keeps the value of the whole.
Selection shown_by(const Evidence& evidence, const LogEvidence& log, const Model& model,
                   const std::vector<double>& weights) {
  Selection out = model.selection;
  for (const std::size_t k : out.chosen) out.others[k] = model.values[k];
  const Matrix triangle = weighted_triangle(evidence.layout, log, out, weights);
  const std::vector<std::size_t> kept = determined(triangle, out.chosen, 1e7);
  if (kept.size() < out.chosen.size()) out.chosen = kept;
  return out;
}

}  // namespace

ComparedTorques compare_torques(const Mechanism& robot, const Identification& found, const PhysicalFit* fit,
                                const Measurements& data) {
  return compared(robot, *found.model, fit != nullptr ? &fit->of_columns : nullptr, data);
}
ComparedTorques compare_torques(const Mechanism& robot, const PayloadFit& fit, const Measurements& data) {
  return compared(robot, *fit.model, &fit.of_columns, data);
}

Validation validate(const Mechanism& robot, const Identification& found, const PhysicalFit* fit,
                    const Measurements& other) {
  require_consistent(robot, other);
  const Model& model = *found.model;
  const RegressionRows rows(robot, model.columns, other, model.options);
  const Evidence evidence = gather(rows, 8);
  const LogEvidence log = evidence.joined();
  Validation out;
  out.samples = rows.size();
  out.least_squares = score(evidence.layout, log, model.values);
  out.nominal = score(evidence.layout, log, model.nominal);
  if (fit == nullptr) return out;
  out.physical = score(evidence.layout, log, fit->of_columns);
  out.written = score(evidence.layout, log, fit->of_columns_written);
  return out;
}

std::vector<double> predict(const Mechanism& robot, const Identification& found, const PhysicalFit* fit,
                            std::span<const double> q, std::span<const double> qd, std::span<const double> qdd) {
  Measurements data;
  data.q.assign(q.begin(), q.end()), data.qd.assign(qd.begin(), qd.end()), data.qdd.assign(qdd.begin(), qdd.end());
  data.tau.assign(q.size(), 0.0);
  require_consistent(robot, data);
  const std::vector<double>& values = fit != nullptr ? fit->of_columns : found.model->values;
  const RegressionRows rows(robot, found.model->columns, data, {});
  const RowLayout& layout = rows.layout();
  const std::size_t n = layout.columns.size();
  rows.in_parts(8, 1, [&](std::size_t, std::size_t from, std::size_t to) {
    rows.each(from, to, [&](const RegressionRow& row) {
      for (std::size_t j = 0; j < n; ++j) {
        double sum = 0.0;
        for (std::size_t k = 0; k < layout.columns[j].size(); ++k)
          sum += row.entries[layout.first[j] + k] * values[layout.columns[j][k]];
        data.tau[row.number * n + j] = sum;
      }
    });
  });
  return data.tau;
}

Validation cross_validate(const Mechanism& robot, const Identification& found, const PhysicalOptions* physical) {
  const Model& model = *found.model;
  const Evidence& evidence = *found.evidence;
  if (model.options.folds < 2) throw std::invalid_argument("the log was not divided into folds when it was read");
  IdentificationOptions same = model.options;
  same.weights = found.weights, same.weights_from_residuals = false;
  Left least_squares, possible, written, nominal;
  for (std::size_t fold = 0; fold < evidence.parts.size(); ++fold) {
    const LogEvidence rest = evidence.joined(fold);
    const LogEvidence& own = evidence.parts[fold];
    const Selection selection = shown_by(evidence, rest, model, found.weights);
    const WeightedSolution solved = solve_weighted(evidence.layout, rest, model.columns, selection, same);
    least_squares.add(evidence.layout, own, selection.all_values(solved.solution.value));
    nominal.add(evidence.layout, own, model.nominal);
    if (physical == nullptr) continue;
    const PhysicalFit fit = possible_fit(robot, model, evidence, rest, found.weights, *physical);
    possible.add(evidence.layout, own, fit.of_columns);
    written.add(evidence.layout, own, fit.of_columns_written);
  }
  const LogEvidence all = evidence.joined();
  return {least_squares.over(all), possible.over(all), written.over(all), nominal.over(all), found.samples};
}

}  // namespace catena

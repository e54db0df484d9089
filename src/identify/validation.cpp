#include <cmath>
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

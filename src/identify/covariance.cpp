#include "identify/covariance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace catena::identification {
namespace {

constexpr double left_out = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t fewest_blocks = 30;
constexpr double times_correlation = 5.0;  // length of a block

struct Residuals {
  std::size_t joints;
  std::vector<double> left;  // by row and joint; NaN where a row does not count
  std::size_t grain;         // rows of a piece
  Matrix scores;             // by piece: Σ w x r
};

// What a fit leaves, and the gradient of half the squares, piece by piece: blocks are made of whole pieces.
Residuals residuals_of(const RegressionRows& rows, std::size_t p, const AddScore& add_score) {
  const std::size_t n = rows.layout().columns.size();
  Residuals out{n, std::vector<double>(rows.size() * n, left_out), rows.size() / 4096 + 1, {}};
  out.scores = Matrix((rows.size() + out.grain - 1) / out.grain, p + 1);  // a last column for those not chosen
  rows.in_parts(8, out.grain, [&](std::size_t, std::size_t from, std::size_t to) {
    rows.each(from, to, [&](const RegressionRow& row) {
      const std::span<double> score = out.scores.row(row.number / out.grain);
      for (std::size_t j = 0; j < n; ++j)
        if (row.counts[j]) out.left[row.number * n + j] = add_score(row, j, score);
    });
  });
  return out;
}

// The autocorrelation of a joint's residuals, lag after lag until it is lost in noise.
std::vector<double> autocorrelation(const RegressionRows& rows, const Residuals& residuals, std::size_t joint) {
  std::vector<std::size_t> since(rows.size(), 0);  // rows without a gap before
  for (std::size_t k = 1; k < rows.size(); ++k) since[k] = rows.continues(k) ? since[k - 1] + 1 : 0;
  const auto at = [&](std::size_t k) { return residuals.left[k * residuals.joints + joint]; };
  std::vector<double> out;
  double variance = 0.0;
  for (std::size_t lag = 0; lag <= rows.size() / 4; ++lag) {
    double sum = 0.0;
    std::size_t count = 0;
    for (std::size_t k = lag; k < rows.size(); ++k) {
      const double product = since[k] >= lag ? at(k) * at(k - lag) : left_out;
      if (!std::isnan(product)) sum += product, ++count;
    }
    if (count == 0) break;
    const double own = sum / static_cast<double>(count);
    if (lag == 0) {
      variance = own;
      if (!(variance > 0.0)) break;
      continue;
    }
    if (own < 2.0 * variance / std::sqrt(static_cast<double>(count))) break;
    out.push_back(own / variance);
  }
  return out;
}

// How much a block of this length misses of the variance of a mean.
double missed(const std::vector<double>& correlations, double all, double block) {
  double sum = 0.0;
  for (std::size_t k = 0; k < correlations.size(); ++k) {
    const double lag = static_cast<double>(k + 1);
    sum += 2.0 * correlations[k] * std::min(lag / block, 1.0);
  }
  return sum / all;
}

// Scores of blocks: pieces added up, never across a gap, the rest of a stretch with its last block.
std::vector<std::vector<double>> block_scores(const RegressionRows& rows, const Residuals& residuals,
                                              std::size_t pieces_of_block, std::size_t p) {
  std::vector<std::vector<double>> blocks;
  std::size_t filled = pieces_of_block, begun = 0;  // pieces in the last block; blocks of this stretch
  for (std::size_t piece = 0; piece < residuals.scores.rows(); ++piece) {
    if (piece == 0 || !rows.continues(piece * residuals.grain)) begun = 0, filled = pieces_of_block;
    const std::size_t rest = std::min(residuals.scores.rows(), piece + pieces_of_block) - piece;
    if (filled == pieces_of_block && (begun == 0 || 2 * rest > pieces_of_block)) {
      blocks.emplace_back(p, 0.0);
      filled = 0, ++begun;
    }
    for (std::size_t k = 0; k < p; ++k) blocks.back()[k] += residuals.scores(piece, k);
    if (filled < pieces_of_block) ++filled;
  }
  return blocks;
}

}  // namespace

// (3)-(6) of docs/equations/identification.md.
RobustCovariance robust_covariance(const RegressionRows& rows, const Matrix& inverse, const AddScore& add_score) {
  const std::size_t n = rows.layout().columns.size(), p = inverse.rows();
  const Residuals residuals = residuals_of(rows, p, add_score);
  RobustCovariance out;
  std::vector<std::vector<double>> correlations;
  double longest = 1.0;
  for (std::size_t j = 0; j < n; ++j) {
    correlations.push_back(autocorrelation(rows, residuals, j));
    double sum = 1.0;
    for (const double r : correlations.back()) sum += 2.0 * r;
    out.correlation.push_back(sum);
    longest = std::max(longest, sum);
    double counted = 0.0;
    for (std::size_t k = 0; k < rows.size(); ++k) counted += std::isnan(residuals.left[k * n + j]) ? 0.0 : 1.0;
    out.independent += counted / sum;
  }
  const double most = std::max(static_cast<double>(rows.size() / fewest_blocks), 1.0);
  const double wanted = longest > 1.0 ? times_correlation * longest : 1.0;
  const auto pieces =
      static_cast<std::size_t>(std::ceil(std::min(wanted, most) / static_cast<double>(residuals.grain)));
  out.block = pieces * residuals.grain;
  double missing = 0.0;
  for (std::size_t j = 0; j < n; ++j)
    missing += missed(correlations[j], out.correlation[j], static_cast<double>(out.block)) / static_cast<double>(n);
  const std::vector<std::vector<double>> blocks = block_scores(rows, residuals, pieces, p);
  const double spare = std::max(out.independent - static_cast<double>(p), 1.0);
  const double scale = out.independent / spare / (1.0 - std::min(missing, 0.5));
  Matrix spread(p, p);
  std::vector<double> fourth(p, 0.0);
  for (const std::vector<double>& block : blocks) {
    const Vector step = inverse * dense::as_column(block);
    for (std::size_t i = 0; i < p; ++i) {
      fourth[i] += std::pow(step[i], 4);
      for (std::size_t k = 0; k < p; ++k) spread(i, k) += step[i] * step[k];
    }
  }
  for (std::size_t k = 0; k < p; ++k) {
    const double ratio = fourth[k] > 0.0 ? 3.0 * spread(k, k) * spread(k, k) / fourth[k] - 2.0 : 0.0;
    out.degrees.push_back(static_cast<std::size_t>(std::clamp(ratio, 3.0, static_cast<double>(blocks.size()))));
  }
  out.covariance = scale * spread;
  return out;
}

RobustCovariance robust_covariance(const RegressionRows& rows, const Selection& selection,
                                   const WeightedSolution& found) {
  const RowLayout& layout = rows.layout();
  const std::size_t p = selection.chosen.size();
  const std::vector<double> values = selection.all_values(found.solution.value);
  std::vector<std::size_t> place(selection.others.size(), p);
  for (std::size_t k = 0; k < p; ++k) place[selection.chosen[k]] = k;
  return robust_covariance(rows, found.solution.inverse,
                           [&](const RegressionRow& row, std::size_t j, std::span<double> score) {
                             const std::vector<std::size_t>& columns = layout.columns[j];
                             const double* x = &row.entries[layout.first[j]];
                             double left = row.entries[layout.torque(j)];
                             for (std::size_t k = 0; k < columns.size(); ++k) left -= x[k] * values[columns[k]];
                             for (std::size_t k = 0; k < columns.size(); ++k)
                               score[place[columns[k]]] += found.weights[j] * left * x[k];
                             return left;
                           });
}

}  // namespace catena::identification

#include "identify/covariance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace catena::identification {
namespace {

constexpr double left_out = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t fewest_blocks = 30, most_blocks = 200;
constexpr double times_correlation = 5.0;  // length of a block

// What a fit leaves, by row and joint; NaN where a row does not count.
std::vector<double> residuals_of(const RegressionRows& rows, const Linearize& linearize) {
  const std::size_t n = rows.layout().columns.size();
  std::vector<double> out(rows.size() * n, left_out);
  rows.in_parts(8, 1, [&](std::size_t, std::size_t from, std::size_t to) {
    Gradient unused;
    rows.each(from, to, [&](const RegressionRow& row) {
      for (std::size_t j = 0; j < n; ++j)
        if (row.counts[j]) out[row.number * n + j] = linearize(row, j, unused);
    });
  });
  return out;
}

// The autocorrelation of a joint's residuals, lag after lag until it is lost in noise.
std::vector<double> autocorrelation(const RegressionRows& rows, const std::vector<double>& residuals,
                                    std::size_t joint) {
  const std::size_t n = rows.layout().columns.size();
  std::vector<std::size_t> since(rows.size(), 0);  // rows without a gap before
  for (std::size_t k = 1; k < rows.size(); ++k) since[k] = rows.continues(k) ? since[k - 1] + 1 : 0;
  std::vector<double> out;
  double variance = 0.0;
  for (std::size_t lag = 0; lag <= rows.size() / 4; ++lag) {
    double sum = 0.0;
    std::size_t count = 0;
    for (std::size_t k = lag; k < rows.size(); ++k) {
      if (since[k] < lag) continue;
      const double product = residuals[k * n + joint] * residuals[(k - lag) * n + joint];
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
  for (std::size_t k = 0; k < correlations.size(); ++k)
    sum += 2.0 * correlations[k] * std::min(static_cast<double>(k + 1) / block, 1.0);
  return sum / all;
}

// First rows of blocks: of about this length, and never across a gap.
std::vector<std::size_t> blocks_of(const RegressionRows& rows, std::size_t length) {
  std::vector<std::size_t> begins;
  for (std::size_t begin = 0, end = 0; begin < rows.size(); begin = end) {
    for (end = begin + 1; end < rows.size() && rows.continues(end);) ++end;
    const std::size_t count =
        std::max<std::size_t>((end - begin + length / 2) / length, begin == 0 && end == rows.size() ? 2 : 1);
    for (std::size_t k = 0; k < count; ++k) begins.push_back(begin + k * (end - begin) / count);
  }
  return begins;
}

struct Block {
  Vector score;   // Σ w r ∂
  Matrix normal;  // Σ w ∂ ∂ᵀ
};

// (4) The share of a block in the error of the estimates. What its own rows pulled the fit to themselves is put back,
// as if errors had one variance: (1 - A_g)^(-1/2) in coordinates in which all blocks' normal matrices add up to 1.
struct Share {
  Vector step;
  std::vector<double> expected;  // variance of each entry of the step, if errors had one variance
};
Share share_of(const Block& block, const Matrix& L) {
  const Matrix half = solve_lower(L, transposed(solve_lower(L, block.normal)));
  const auto [values, vectors] = symmetric_eigen(half);
  Vector along = transposed(vectors) * solve_lower(L, block.score);
  for (std::size_t k = 0; k < along.size(); ++k) along[k] /= std::sqrt(std::clamp(1.0 - values[k], 0.02, 1.0));
  const Matrix back = solve_upper(transposed(L), vectors);
  Share out{back * along, std::vector<double>(along.size(), 0.0)};
  for (std::size_t i = 0; i < along.size(); ++i)
    for (std::size_t k = 0; k < along.size(); ++k)
      out.expected[i] += back(i, k) * back(i, k) * std::max(values[k], 0.0);
  return out;
}

// L Lᵀ of the inverse of a covariance, whose units may be far apart.
Matrix root_of_inverse(const Matrix& covariance) {
  Vector unit(covariance.rows(), 1), back(covariance.rows(), 1);
  for (std::size_t k = 0; k < unit.size(); ++k) back[k] = std::sqrt(covariance(k, k)), unit[k] = 1.0 / back[k];
  const std::optional<Matrix> L = cholesky(inverted(scaled_columns(scaled_rows(unit, covariance), unit)).inverse);
  if (!L) throw std::domain_error("the motion does not determine all parameters: the normal matrix is singular");
  return scaled_rows(unit, *L);
}

Block block_between(const RegressionRows& rows, std::size_t from, std::size_t to, std::size_t p,
                    const std::vector<double>& weights, const Linearize& linearize) {
  Block out{Vector(p, 1), Matrix(p, p)};
  Gradient gradient;
  rows.each(from, to, [&](const RegressionRow& row) {
    for (std::size_t j = 0; j < weights.size(); ++j) {
      if (!row.counts[j]) continue;
      const double left = linearize(row, j, gradient);
      for (const auto& [k, own] : gradient) {
        out.score[k] += weights[j] * left * own;
        double* line = &out.normal(k, 0);
        const double factor = weights[j] * own;
        for (const auto& [i, other] : gradient) line[i] += factor * other;
      }
    }
  });
  return out;
}

}  // namespace

// (3)-(6) of docs/equations/identification.md.
RobustCovariance robust_covariance(const RegressionRows& rows, const Matrix& inverse,
                                   const std::vector<double>& weights, const Linearize& linearize) {
  const std::size_t n = weights.size(), p = inverse.rows();
  const std::vector<double> residuals = residuals_of(rows, linearize);
  RobustCovariance out;
  std::vector<std::vector<double>> correlations;
  double longest = 1.0;
  for (std::size_t j = 0; j < n; ++j) {
    correlations.push_back(autocorrelation(rows, residuals, j));
    double sum = 1.0, counted = 0.0;
    for (const double r : correlations.back()) sum += 2.0 * r;
    out.correlation.push_back(sum);
    longest = std::max(longest, sum);
    for (std::size_t k = 0; k < rows.size(); ++k) counted += std::isnan(residuals[k * n + j]) ? 0.0 : 1.0;
    out.independent += counted / sum;
  }
  const std::size_t longest_block = std::max<std::size_t>(rows.size() / fewest_blocks, 1);
  const auto wanted = static_cast<std::size_t>(std::ceil(times_correlation * longest));
  out.block = std::clamp(wanted, std::min(rows.size() / most_blocks + 1, longest_block), longest_block);
  double missing = 0.0;
  for (std::size_t j = 0; j < n; ++j)
    missing += missed(correlations[j], out.correlation[j], static_cast<double>(out.block)) / static_cast<double>(n);

  std::vector<std::size_t> begins = blocks_of(rows, out.block);
  out.blocks = begins.size();
  begins.push_back(rows.size());
  const Matrix L = root_of_inverse(inverse);
  std::vector<Share> shares(out.blocks);
  rows.in_parts(out.blocks, rows.size(), [&](std::size_t block, std::size_t, std::size_t) {
    shares[block] = share_of(block_between(rows, begins[block], begins[block + 1], p, weights, linearize), L);
  });
  out.covariance = Matrix(p, p);
  for (const Share& own : shares)
    for (std::size_t i = 0; i < p; ++i)
      for (std::size_t k = 0; k < p; ++k) out.covariance(i, k) += own.step[i] * own.step[k];
  for (std::size_t k = 0; k < p; ++k) {  // (6)
    double sum = 0.0, squares = 0.0;
    for (const Share& own : shares) sum += own.expected[k], squares += own.expected[k] * own.expected[k];
    out.degrees.push_back(static_cast<std::size_t>(std::max(squares > 0.0 ? sum * sum / squares : 0.0, 2.0)));
  }
  // (5) What blocks miss of the correlation, and what the fit took from all of them.
  const double count = static_cast<double>(out.blocks), spare = out.independent - static_cast<double>(p);
  out.covariance *=
      count / (count - 1.0) * out.independent / std::max(spare, 0.5 * out.independent) / (1.0 - std::min(missing, 0.5));
  return out;
}

RobustCovariance robust_covariance(const RegressionRows& rows, const Selection& selection,
                                   const WeightedSolution& found, const Matrix* with_gains) {
  const RowLayout& layout = rows.layout();
  const std::size_t p = selection.chosen.size();
  const std::vector<double> values = selection.all_values(found.solution.value);
  std::vector<std::size_t> place(selection.others.size(), p);
  for (std::size_t k = 0; k < p; ++k) place[selection.chosen[k]] = k;
  return robust_covariance(rows, with_gains != nullptr ? *with_gains : found.solution.inverse, found.weights,
                           [&](const RegressionRow& row, std::size_t j, Gradient& gradient) {
                             const std::vector<std::size_t>& columns = layout.columns[j];
                             const double* x = &row.entries[layout.first[j]];
                             double predicted = 0.0;
                             gradient.clear();
                             for (std::size_t k = 0; k < columns.size(); ++k) {
                               predicted += x[k] * values[columns[k]];
                               if (place[columns[k]] < p) gradient.emplace_back(place[columns[k]], x[k]);
                             }
                             if (with_gains != nullptr) gradient.emplace_back(p + j, predicted);
                             return row.entries[layout.torque(j)] - predicted;
                           });
}

}  // namespace catena::identification

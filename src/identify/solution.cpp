#include "identify/solution.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace catena::identification {
namespace {

// A direction of the parameters that changes torques by less than this, columns of length 1, is not excited.
constexpr double unexcited = 1e-9;

// The parameters that have a share in a direction that torques do not show.
std::vector<std::size_t> undetermined(const dense::PivotedTriangle& qr) {
  const std::size_t p = qr.order.size(), rank = qr.rank;
  const Matrix made_of = solve_upper(qr.R.block(0, 0, rank, rank), qr.R.block(0, rank, rank, p - rank));
  std::vector<std::size_t> named;
  for (std::size_t k = 0; k < p; ++k)
    if (k >= rank || dense::norm(made_of.row(k)) > 1e-6) named.push_back(qr.order[k]);
  std::sort(named.begin(), named.end());
  return named;
}

std::string list_of(const std::vector<std::size_t>& which, const std::vector<Column>& columns,
                    const std::vector<std::size_t>& chosen) {
  constexpr std::size_t most = 12;
  std::string text;
  for (std::size_t k = 0; k < std::min(which.size(), most); ++k)
    text += (k > 0 ? "; " : "") + columns[chosen[which[k]]].parameter.text;
  if (which.size() > most) text += "; and " + std::to_string(which.size() - most) + " more";
  return text;
}

std::vector<double> weights_of(const std::vector<double>& rms) {
  const double largest = *std::max_element(rms.begin(), rms.end());
  std::vector<double> weights;
  weights.reserve(rms.size());
  for (const double r : rms) weights.push_back(largest > 0.0 ? 1.0 / std::pow(std::max(r, 1e-6 * largest), 2) : 1.0);
  return weights;
}

}  // namespace

// From the triangle [R z; 0 ρ]: R has the lengths, the rank and the singular values of all rows.
Solution solve(const Matrix& triangle, const std::vector<Column>& columns, const std::vector<std::size_t>& chosen) {
  const std::size_t p = triangle.columns() - 1;
  Matrix X = triangle.block(0, 0, p, p);
  const Vector unit = inverse_lengths(X);
  X = scaled_columns(std::move(X), unit);
  const dense::PivotedTriangle qr = pivoted_triangle(X, unexcited);
  if (qr.rank < p) {
    const std::vector<std::size_t> unseen = undetermined(qr);
    throw std::domain_error("the motion does not determine " + std::to_string(unseen.size()) + " of " +
                            std::to_string(p) + " base parameters: " + list_of(unseen, columns, chosen));
  }
  const std::vector<double> singular = singular_values(qr.R);
  const Matrix R_inverse = solve_upper(qr.R, dense::identity(p));
  Matrix scale(p, p);
  for (std::size_t k = 0; k < p; ++k)
    for (std::size_t j = k; j < p; ++j) scale(qr.order[k], j) = unit[qr.order[k]] * R_inverse(k, j);
  Solution out;
  out.value = scaled_rows(unit, least_squares(X, triangle.block(0, p, p, 1), unexcited));
  out.inverse = scale * transposed(scale);
  out.squares = triangle(p, p) * triangle(p, p);
  out.condition = singular.front() / singular.back();
  return out;
}

std::vector<std::size_t> determined(const Matrix& triangle, const std::vector<std::size_t>& chosen, double condition) {
  const std::size_t p = triangle.columns() - 1;
  const Matrix own = triangle.block(0, 0, p, p), X = scaled_columns(own, inverse_lengths(own));
  const dense::PivotedTriangle qr = pivoted_triangle(X, 1.0 / condition);
  std::size_t rank = qr.rank;
  for (; rank > 0; --rank) {
    const std::vector<double> singular = singular_values(qr.R.block(0, 0, rank, rank));
    if (singular.front() < condition * singular.back()) break;
  }
  std::vector<std::size_t> kept;
  for (std::size_t k = 0; k < rank; ++k) kept.push_back(chosen[qr.order[k]]);
  std::sort(kept.begin(), kept.end());
  return kept;
}

WeightedSolution solve_weighted(const RowLayout& layout, const LogEvidence& log, const std::vector<Column>& columns,
                                const Selection& selection, const IdentificationOptions& options) {
  WeightedSolution out;
  out.weights = options.weights.empty() ? std::vector<double>(log.size(), 1.0) : options.weights;
  out.solution = solve(weighted_triangle(layout, log, selection, out.weights), columns, selection.chosen);
  for (; options.weights_from_residuals && out.reweightings < 50; ++out.reweightings) {
    const std::vector<double> next = weights_of(score(layout, log, selection.all_values(out.solution.value)).rms);
    double change = 0.0;
    for (std::size_t j = 0; j < next.size(); ++j)
      change = std::max(change, std::abs(std::log(next[j] / out.weights[j])));
    if (change < 1e-4) break;
    out.weights = next;
    out.solution = solve(weighted_triangle(layout, log, selection, out.weights), columns, selection.chosen);
  }
  return out;
}

}  // namespace catena::identification

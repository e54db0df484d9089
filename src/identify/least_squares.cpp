#include "identify/least_squares.hpp"

#include <algorithm>
#include <cmath>

namespace catena::identification {
namespace {

using dense::blocks;

// Calls visit(X, tau) with the base regressors and the torques of some samples after the others.
template <class Visitor>
void for_each_block(const Mechanism& robot, const std::vector<BaseParameter>& parameters, const Measurements& data,
                    Visitor&& visit) {
  const std::size_t n = index(robot.nv()), block = 256 * n;
  for (std::size_t first = 0; first < data.tau.size(); first += block) {
    const std::size_t size = std::min(block, data.tau.size() - first);
    const auto part = [&](const std::vector<double>& values) { return std::span(values).subspan(first, size); };
    visit(Matrix(size, parameters.size(),
                 base_regressors(robot, parameters, part(data.q), part(data.qd), part(data.qdd))),
          dense::as_column(part(data.tau)));
  }
}

}  // namespace

Matrix weighted_triangle(const Mechanism& robot, const std::vector<BaseParameter>& parameters, const Measurements& data,
                         const std::vector<double>& weights) {
  const std::size_t p = parameters.size();
  Matrix all(p + 1, p + 1);
  for_each_block(robot, parameters, data, [&](const Matrix& X, const Vector& tau) {
    Vector roots(X.rows(), 1);  // blocks begin with the first joint
    for (std::size_t row = 0; row < X.rows(); ++row) roots[row] = std::sqrt(weights[row % weights.size()]);
    all = triangle(blocks({{all}, {scaled_rows(roots, blocks({{X, tau}}))}}));
  });
  return all;
}

std::vector<double> residuals_by_joint(const Mechanism& robot, const std::vector<BaseParameter>& parameters,
                                       const Measurements& data, const Vector& values) {
  std::vector<double> out(index(robot.nv()));
  for_each_block(robot, parameters, data, [&](const Matrix& X, const Vector& tau) {
    const Vector left = tau - X * values;
    for (std::size_t row = 0; row < left.size(); ++row) out[row % out.size()] += left[row] * left[row];
  });
  const std::size_t samples = data.tau.size() / out.size();  // whole rows
  for (double& sum : out) sum = std::sqrt(sum / static_cast<double>(samples));
  return out;
}

}  // namespace catena::identification

#include "identify/least_squares.hpp"

#include <algorithm>
#include <cmath>

namespace catena::identification {
namespace {

// Calls visit(X, tau) with the base regressors and the torques of some samples after the others.
template <class Visitor>
void for_each_block(const Mechanism& robot, const std::vector<BaseParameter>& parameters, const Measurements& data,
                    Visitor&& visit) {
  const std::size_t n = index(robot.nv()), block = 256 * n;
  for (std::size_t first = 0; first < data.tau.size(); first += block) {
    const std::size_t size = std::min(block, data.tau.size() - first);
    const auto part = [&](const std::vector<double>& values) { return std::span(values).subspan(first, size); };
    const std::vector<double> entries = base_regressors(robot, parameters, part(data.q), part(data.qd), part(data.qdd));
    const auto rows = static_cast<Index>(size);
    visit(Eigen::Map<const RowMajor>(entries.data(), rows, static_cast<Index>(parameters.size())),
          Eigen::Map<const Vector>(data.tau.data() + first, rows));
  }
}

}  // namespace

Matrix weighted_triangle(const Mechanism& robot, const std::vector<BaseParameter>& parameters, const Measurements& data,
                         const std::vector<double>& weights) {
  const auto p = static_cast<Index>(parameters.size());
  Matrix triangle = Matrix::Zero(p + 1, p + 1);
  for_each_block(robot, parameters, data, [&](const auto& X, const auto& tau) {
    Matrix stack(p + 1 + X.rows(), p + 1);
    stack.topRows(p + 1) = triangle;
    stack.bottomLeftCorner(X.rows(), p) = X;
    stack.bottomRightCorner(X.rows(), 1) = tau;
    for (Index row = 0; row < X.rows(); ++row)  // blocks begin with the first joint
      stack.row(p + 1 + row) *= std::sqrt(weights[static_cast<std::size_t>(row) % weights.size()]);
    triangle = stack.householderQr().matrixQR().topRows(p + 1).template triangularView<Eigen::Upper>();
  });
  return triangle;
}

std::vector<double> residuals_by_joint(const Mechanism& robot, const std::vector<BaseParameter>& parameters,
                                       const Measurements& data, const Vector& values) {
  std::vector<double> out(index(robot.nv()));
  for_each_block(robot, parameters, data, [&](const auto& X, const auto& tau) {
    const Vector left = tau - X * values;
    for (Index row = 0; row < left.size(); ++row)
      out[static_cast<std::size_t>(row) % out.size()] += left(row) * left(row);
  });
  const std::size_t samples = data.tau.size() / out.size();  // whole rows
  for (double& sum : out) sum = std::sqrt(sum / static_cast<double>(samples));
  return out;
}

}  // namespace catena::identification

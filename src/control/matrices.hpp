// Row-major matrices of the interface as Eigen's, and back.
#pragma once

#include <Eigen/Dense>

#include <span>
#include <vector>

namespace catena::control {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using MatrixMap = Eigen::Map<const Matrix>;

inline MatrixMap as_matrix(std::span<const double> entries, std::size_t rows, std::size_t columns) {
  return {entries.data(), static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(columns)};
}
inline std::vector<double> as_vector(const Matrix& matrix) { return {matrix.data(), matrix.data() + matrix.size()}; }

}  // namespace catena::control

#include <cmath>
#include <stdexcept>

#include "catena/call.hpp"
#include "catena/identify.hpp"
#include "catena/model/parameters.hpp"
#include "identify/matrices.hpp"

namespace catena {

using identification::Matrix;

struct RecursiveIdentification::Impl {
  std::vector<BaseParameter> parameters;
  Call<double> regressor;
  std::size_t n, width, p;
  double forgetting;
  std::vector<double> weights, Y, row, values, errors;
  Matrix R;                        // p + 1 columns, the last for the torque
  double count = 0.0, left = 0.0;  // rows and squares, with forgetting

  Impl(const Mechanism& robot, bool drives, double forget, std::vector<double> given, double start)
      : parameters(base_parameters(robot, drives)),
        regressor(robot, "regressor"),
        n(index(robot.nv())),
        width(index(robot.joints()) * parameters_per_joint),
        p(parameters.size()),
        forgetting(forget),
        weights(std::move(given)),
        Y(regressor.size()),
        row(p + 1),
        values(p),
        errors(p),
        R(p, p + 1) {
    if (!(forgetting > 0.0 && forgetting <= 1.0))
      throw std::invalid_argument("the forgetting factor must be above 0 and at most 1");
    if (!(start > 0.0)) throw std::invalid_argument("the weight of the model's own values must be positive");
    if (weights.empty()) weights.assign(n, 1.0);
    if (weights.size() != n) throw std::invalid_argument("one weight for each joint");
    for (std::size_t k = 0; k < p; ++k) R(k, k) = std::sqrt(start), R(k, p) = R(k, k) * parameters[k].nominal;
  }

  // (8) Rotations of Givens bring a row to zero against the triangle; what is left of its torque is a residual.
  void rotate_in() {
    for (std::size_t k = 0; k < p; ++k) {
      if (row[k] == 0.0) continue;
      const double length = std::hypot(R(k, k), row[k]), c = R(k, k) / length, s = row[k] / length;
      for (std::size_t i = k; i <= p; ++i) {
        const double above = R(k, i);
        R(k, i) = c * above + s * row[i];
        row[i] = c * row[i] - s * above;
      }
    }
    left += row[p] * row[p], count += 1.0;
  }
};

RecursiveIdentification::RecursiveIdentification(const Mechanism& robot, bool drives, double forgetting,
                                                 std::vector<double> weights, double start)
    : impl_(std::make_unique<Impl>(robot, drives, forgetting, std::move(weights), start)) {}
RecursiveIdentification::~RecursiveIdentification() = default;
RecursiveIdentification::RecursiveIdentification(RecursiveIdentification&&) noexcept = default;
RecursiveIdentification& RecursiveIdentification::operator=(RecursiveIdentification&&) noexcept = default;

const std::vector<BaseParameter>& RecursiveIdentification::parameters() const { return impl_->parameters; }

void RecursiveIdentification::add(std::span<const double> q, std::span<const double> qd, std::span<const double> qdd,
                                  std::span<const double> tau, std::span<const std::uint8_t> used) {
  Impl& own = *impl_;
  own.regressor({.q = q, .qd = qd, .qdd = qdd}, own.Y);
  if (own.forgetting < 1.0) {
    own.R *= std::sqrt(own.forgetting);
    own.left *= own.forgetting, own.count *= own.forgetting;
  }
  for (std::size_t j = 0; j < own.n; ++j) {
    if (!used.empty() && used[j] == 0) continue;
    const double root = std::sqrt(own.weights[j]);
    for (std::size_t k = 0; k < own.p; ++k)
      own.row[k] = root * own.Y[j * own.width + index(own.parameters[k].column())];
    own.row[own.p] = root * tau[j];
    own.rotate_in();
  }
}

std::span<const double> RecursiveIdentification::values() {
  Impl& own = *impl_;
  for (std::size_t k = own.p; k-- > 0;) {
    double sum = own.R(k, own.p);
    for (std::size_t i = k + 1; i < own.p; ++i) sum -= own.R(k, i) * own.values[i];
    own.values[k] = sum / own.R(k, k);
  }
  return own.values;
}

std::span<const double> RecursiveIdentification::standard_errors() {
  Impl& own = *impl_;
  const double spare = own.count - static_cast<double>(own.p), variance = spare > 0.0 ? own.left / spare : 0.0;
  const Matrix inverse = solve_upper(own.R.block(0, 0, own.p, own.p), dense::identity(own.p));
  for (std::size_t k = 0; k < own.p; ++k) own.errors[k] = std::sqrt(variance) * dense::norm(inverse.row(k));
  return own.errors;
}

}  // namespace catena

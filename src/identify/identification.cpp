#include "catena/identify.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <string>
#include <utility>

#include "catena/call.hpp"
#include "catena/model/parameters.hpp"
#include "identify/least_squares.hpp"
#include "identify/matrices.hpp"

namespace catena {
namespace {

using namespace identification;

// A direction of the parameters that changes torques by less than this, columns of length 1, is not excited.
constexpr double unexcited = 1e-9;

std::size_t row_count(const std::vector<double>& values, std::size_t n, const char* name) {
  if (values.size() % n != 0)
    throw std::invalid_argument(std::string(name) + " has " + std::to_string(values.size()) +
                                " numbers, which are no rows of " + std::to_string(n) + " joints");
  return values.size() / n;
}

void require_finite(const std::vector<double>& values, std::size_t n, const char* name) {
  for (std::size_t k = 0; k < values.size(); ++k)
    if (!std::isfinite(values[k]))
      throw std::invalid_argument(std::string(name) + " of joint " + std::to_string(k % n + 1) + " in sample " +
                                  std::to_string(k / n + 1) + " is not a finite number");
}

void require_consistent(const Mechanism& robot, const Measurements& data, const IdentificationOptions& options) {
  require_fixed_base(robot, "identification does");
  if (robot.nv() == 0) throw std::invalid_argument("the robot has no moving joints: there is nothing to identify");
  const std::size_t n = index(robot.nv()), rows = row_count(data.q, n, "q");
  for (const auto& [values, name] :
       {std::pair{&data.q, "q"}, {&data.qd, "qd"}, {&data.qdd, "qdd"}, {&data.tau, "tau"}}) {
    if (row_count(*values, n, name) != rows)
      throw std::invalid_argument(std::string(name) + " has " + std::to_string(values->size() / n) +
                                  " samples where q has " + std::to_string(rows));
    require_finite(*values, n, name);
  }
  if (options.weights.empty()) return;
  if (options.weights.size() != n)
    throw std::invalid_argument(std::to_string(options.weights.size()) + " weights for " + std::to_string(n) +
                                " joints");
  for (const double weight : options.weights)
    if (!(weight > 0.0) || !std::isfinite(weight))
      throw std::invalid_argument("a weight is not a positive number; a joint that is not to count has a small one");
}

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

std::string list_of(const std::vector<std::size_t>& which, const std::vector<BaseParameter>& parameters) {
  constexpr std::size_t most = 12;
  std::string text;
  for (std::size_t k = 0; k < std::min(which.size(), most); ++k)
    text += (k > 0 ? "; " : "") + parameters[which[k]].text;
  if (which.size() > most) text += "; and " + std::to_string(which.size() - most) + " more";
  return text;
}

struct Solution {
  Vector value;
  Matrix covariance;     // where the variance is 1
  double squares = 0.0;  // weighted, what is left
  double condition = 0.0;
};

// From the triangle [R z; 0 ρ] of least_squares.hpp: R has the lengths, the rank and the singular values of all rows.
Solution solve(const Matrix& triangle, const std::vector<BaseParameter>& parameters) {
  const std::size_t p = triangle.columns() - 1;
  Matrix X = triangle.block(0, 0, p, p);
  const Vector unit = inverse_lengths(X);
  X = scaled_columns(std::move(X), unit);
  const dense::PivotedTriangle qr = pivoted_triangle(X, unexcited);
  if (qr.rank < p) {
    const std::vector<std::size_t> unseen = undetermined(qr);
    throw std::domain_error("the motion does not determine " + std::to_string(unseen.size()) + " of " +
                            std::to_string(p) + " base parameters: " + list_of(unseen, parameters));
  }
  const std::vector<double> singular = singular_values(qr.R);
  const Matrix R_inverse = solve_upper(qr.R, dense::identity(p));
  Matrix scale(p, p);
  for (std::size_t k = 0; k < p; ++k)
    for (std::size_t j = k; j < p; ++j) scale(qr.order[k], j) = unit[qr.order[k]] * R_inverse(k, j);
  Solution out;
  out.value = scaled_rows(unit, least_squares(X, triangle.block(0, p, p, 1), unexcited));
  out.covariance = scale * transposed(scale);
  out.squares = triangle(p, p) * triangle(p, p);
  out.condition = singular.front() / singular.back();
  return out;
}

std::vector<double> weights_of(const std::vector<double>& rms) {
  const double largest = *std::max_element(rms.begin(), rms.end());
  std::vector<double> weights;
  weights.reserve(rms.size());
  for (const double r : rms) weights.push_back(largest > 0.0 ? 1.0 / std::pow(std::max(r, 1e-6 * largest), 2) : 1.0);
  return weights;
}

}  // namespace

// The distribution of t with ν degrees of freedom is a finite sum (Abramowitz and Stegun 26.7.3, 26.7.4), which is
// bisected; beyond 200 the first terms of Fisher's expansion about the normal distribution are exact to 1e-10.
double student_95(std::size_t degrees_of_freedom) {
  const auto nu = static_cast<double>(degrees_of_freedom);
  if (degrees_of_freedom == 0) return std::numeric_limits<double>::infinity();
  if (degrees_of_freedom > 200) {
    const double z = 1.959963984540054, z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z;
    return z + (z3 + z) / (4 * nu) + (5 * z5 + 16 * z3 + 3 * z) / (96 * nu * nu) +
           (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * nu * nu * nu);
  }
  const auto within = [&](double t) {
    const double theta = std::atan(t / std::sqrt(nu)), c = std::cos(theta), s = std::sin(theta);
    const bool odd = degrees_of_freedom % 2 == 1;
    double term = odd ? c : 1.0, sum = degrees_of_freedom == 1 ? 0.0 : term;
    for (std::size_t k = odd ? 3 : 2; k + 2 <= degrees_of_freedom; k += 2) {
      term *= c * c * static_cast<double>(k - 1) / static_cast<double>(k);
      sum += term;
    }
    return odd ? 2.0 / std::numbers::pi * (theta + s * sum) : s * sum;
  };
  double low = 1.9, high = 13.0;
  for (int step = 0; step < 60; ++step) (within((low + high) / 2) < 0.95 ? low : high) = (low + high) / 2;
  return high;
}

std::vector<double> base_regressors(const Mechanism& robot, std::span<const BaseParameter> parameters,
                                    std::span<const double> q, std::span<const double> qd,
                                    std::span<const double> qdd) {
  const std::size_t n = index(robot.nv()), width = index(robot.joints()) * parameters_per_joint;
  Call<double> regressor(robot, "regressor");
  std::vector<double> Y(regressor.size()), rows;
  rows.reserve(q.size() * parameters.size());
  for (std::size_t k = 0; k < q.size(); k += n) {
    regressor({.q = q.subspan(k, n), .qd = qd.subspan(k, n), .qdd = qdd.subspan(k, n)}, Y);
    for (std::size_t j = 0; j < n; ++j)
      for (const BaseParameter& parameter : parameters) rows.push_back(Y[j * width + index(parameter.column())]);
  }
  return rows;
}

Identification identify(const Mechanism& robot, const Measurements& data, const IdentificationOptions& options) {
  require_consistent(robot, data, options);
  const std::size_t n = index(robot.nv());
  const std::vector<BaseParameter> parameters = base_parameters(robot, options.drives);
  const std::size_t p = parameters.size(), rows = data.tau.size();
  if (p == 0) throw std::domain_error("no parameter of the robot shows in torques");
  if (rows <= p)
    throw std::domain_error(std::to_string(rows / n) + " samples give " + std::to_string(rows) + " torques for " +
                            std::to_string(p) + " base parameters: more than " + std::to_string(p / n) +
                            " samples are needed");

  Identification out;
  out.samples = rows / n, out.equations = rows;
  out.weights = options.weights.empty() ? std::vector<double>(n, 1.0) : options.weights;
  Solution found = solve(weighted_triangle(robot, parameters, data, out.weights), parameters);
  if (options.weights_from_residuals) {
    out.weights = weights_of(residuals_by_joint(robot, parameters, data, found.value));
    found = solve(weighted_triangle(robot, parameters, data, out.weights), parameters);
  }
  out.residuals = residuals_by_joint(robot, parameters, data, found.value);
  out.condition = found.condition;
  const double variance = found.squares / static_cast<double>(rows - p), t = student_95(rows - p);
  for (std::size_t k = 0; k < p; ++k) {
    const double value = found.value[k], error = std::sqrt(variance * found.covariance(k, k));
    out.estimates.push_back({parameters[k], value, error, value - t * error, value + t * error});
  }
  out.covariance = (variance * found.covariance).entries();
  return out;
}

}  // namespace catena

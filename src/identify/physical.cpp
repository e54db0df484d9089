#include "catena/identify.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <stdexcept>

#include "catena/model/parameters.hpp"
#include "identify/least_squares.hpp"
#include "identify/matrices.hpp"

namespace catena {
namespace {

using namespace identification;
using Pseudo = Matrix;  // ∫ [r; 1] [r; 1]ᵀ dm = [Σ, m c; m cᵀ, m], 4 x 4: any real body's has no negative eigenvalue

// The ten parameters of a link, which are linear in its matrix, and back.
void put_link(const Pseudo& P, std::span<double> theta) {
  const double trace = P(0, 0) + P(1, 1) + P(2, 2);
  const double values[link_parameters] = {P(3, 3),         P(0, 3),         P(1, 3),  P(2, 3),  trace - P(0, 0),
                                          trace - P(1, 1), trace - P(2, 2), -P(0, 1), -P(0, 2), -P(1, 2)};
  std::copy(values, values + link_parameters, theta.begin());
}
Pseudo pseudo_of(std::span<const double> theta) {
  const double half = 0.5 * (theta[4] + theta[5] + theta[6]);
  const double entries[] = {half - theta[4], -theta[7],       -theta[8],       theta[1],  //
                            -theta[7],       half - theta[5], -theta[9],       theta[2],  //
                            -theta[8],       -theta[9],       half - theta[6], theta[3],  //
                            theta[1],        theta[2],        theta[3],        theta[0]};
  return {4, 4, entries};
}
double trace_of_product(const Pseudo& A, const Pseudo& B) {
  double sum = 0.0;
  for (std::size_t i = 0; i < A.rows(); ++i)
    for (std::size_t j = 0; j < A.columns(); ++j) sum += A(i, j) * B(j, i);
  return sum;
}

// Sizes of a link's parameters: its mass, or a hundredth of the robot's; its radius of inertia, or that of the others.
struct Scale {
  double mass = 1.0, length = 1.0;
  double of(ParameterKind kind) const {
    if (kind == ParameterKind::mass) return mass;
    if (kind == ParameterKind::moment) return mass * length;
    if (kind == ParameterKind::inertia) return mass * length * length;
    return 1.0;
  }
};
ParameterKind kind_of(std::size_t k) { return parameter_infos[k % parameters_per_joint].kind; }
bool has_sign(std::size_t k) { return kind_of(k) == ParameterKind::signed_device; }
bool is_device(std::size_t k) { return has_sign(k) || kind_of(k) == ParameterKind::device; }
bool is_drive(std::size_t k) { return k % parameters_per_joint >= link_parameters; }
// A stiffness may be of any size, and so is what stands beside it.
double largest_device(const std::vector<double>& theta, std::size_t k) {
  const std::size_t first = k - k % parameters_per_joint;
  double size = 1.0;
  for (std::size_t l = first; l < first + parameters_per_joint; ++l)
    if (is_device(l)) size = std::max(size, std::abs(theta[l]));
  return size;
}
std::vector<Scale> scales_of(const std::vector<double>& theta) {
  double mass = 0.0, second = 0.0;
  for (std::size_t k = 0; k < theta.size(); k += parameters_per_joint)
    mass += theta[k], second += theta[k + 4] + theta[k + 5] + theta[k + 6];
  const double all = mass > 0.0 ? mass : 1.0, length = second > 0.0 ? std::sqrt(second / all) : 1.0;
  std::vector<Scale> scales;
  for (std::size_t k = 0; k < theta.size(); k += parameters_per_joint)
    scales.push_back({std::max(theta[k], 0.01 * all), length});
  return scales;
}

// A θ is to be y, as nearly as squares go, among the θ that are possible.
struct FitProblem {
  Matrix A;
  Vector y;
  std::vector<bool> positive;  // by parameter: friction, rotors and stiffnesses that are looked for

  // -Σ log det P - Σ log of friction, rotors and stiffnesses: it grows without bound towards what is not possible.
  // nullopt: beyond.
  std::optional<double> barrier(const Vector& theta) const;
  void add_barrier(const Vector& theta, double share, Vector& gradient, Matrix& H) const;
  double squares(const Vector& theta) const { return 0.5 * squared_norm(A * theta - y); }
};

std::optional<double> FitProblem::barrier(const Vector& theta) const {
  double sum = 0.0;
  for (std::size_t first = 0; first < theta.size(); first += parameters_per_joint) {
    const std::optional<Matrix> L = cholesky(pseudo_of(std::span(theta).subspan(first)));
    if (!L) return std::nullopt;
    for (std::size_t k = 0; k < L->rows(); ++k) sum -= 2.0 * std::log((*L)(k, k));
    for (std::size_t k = first + link_parameters; k < first + parameters_per_joint; ++k) {
      if (!positive[k]) continue;
      if (!(theta[k] > 0.0)) return std::nullopt;
      sum -= std::log(theta[k]);
    }
  }
  return std::isfinite(sum) ? std::optional(sum) : std::nullopt;
}

// ∂ log det P / ∂θ_k = tr(P⁻¹ E_k) with P = Σ θ_k E_k, and once more.
void FitProblem::add_barrier(const Vector& theta, double share, Vector& gradient, Matrix& H) const {
  for (std::size_t first = 0; first < theta.size(); first += parameters_per_joint) {
    const Pseudo inverse = inverted(pseudo_of(std::span(theta).subspan(first))).inverse;
    std::array<Pseudo, link_parameters> parts;
    for (std::size_t k = 0; k < parts.size(); ++k) {
      double unit[link_parameters] = {};
      unit[k] = 1.0;
      parts[k] = inverse * pseudo_of(unit);
      gradient[first + k] -= share * trace(parts[k]);
    }
    for (std::size_t k = 0; k < parts.size(); ++k)
      for (std::size_t l = 0; l < parts.size(); ++l)
        H(first + k, first + l) += share * trace_of_product(parts[k], parts[l]);
    for (std::size_t k = first + link_parameters; k < first + parameters_per_joint; ++k) {
      if (!positive[k]) continue;
      gradient[k] -= share / theta[k];
      H(k, k) += share / (theta[k] * theta[k]);
    }
  }
}

// One step of Newton on squares + share × barrier, shortened until it is possible and helps; false where none does. The
// sum is convex: there is one minimum.
bool step(const FitProblem& problem, const Matrix& AtA, const Vector& scale, double share, Vector& theta) {
  Vector gradient = transposed(problem.A) * (problem.A * theta - problem.y);
  Matrix H = AtA;
  problem.add_barrier(theta, share, gradient, H);
  const Matrix scaled = scaled_columns(scaled_rows(scale, H), scale);
  const Vector way = -scaled_rows(scale, solve_symmetric(scaled, scaled_rows(scale, gradient)));
  const double slope = dense::dot(gradient, way), now = problem.squares(theta) + share * *problem.barrier(theta);
  if (!(slope < -1e-9 * share)) return false;
  double length = 1.0;
  for (int halvings = 0; halvings < 34; ++halvings, length *= 0.5) {
    const Vector next = theta + length * way;
    const std::optional<double> wall = problem.barrier(next);
    if (!wall || problem.squares(next) + share * *wall > now + 0.1 * length * slope) continue;
    theta = next;
    return true;
  }
  return false;
}

// The barrier is taken away step by step; in the end it holds θ off by less than 0.01 in squared standard errors.
Vector minimize(const FitProblem& problem, const Vector& scale, Vector theta) {
  const Matrix AtA = transposed(problem.A) * problem.A;
  const double last = 0.01 / static_cast<double>(theta.size());
  double share = 1e4;
  while (share > last) {
    for (int k = 0; k < 100 && step(problem, AtA, scale, share, theta); ++k) continue;
    share *= 0.2;
  }
  return theta;
}

// The model's own parameters as far as they are possible, and a little more for links without mass or thickness.
Vector start(const std::vector<double>& nominal, const std::vector<Scale>& scales, const std::vector<bool>& positive) {
  std::vector<double> theta = nominal;
  for (std::size_t joint = 0; joint < scales.size(); ++joint) {
    const std::span<double> own = std::span(theta).subspan(joint * parameters_per_joint, parameters_per_joint);
    const auto& [mass, length] = scales[joint];
    auto [values, vectors] = symmetric_eigen(pseudo_of(own));
    for (double& value : values) value = std::max(value, 0.0);
    Pseudo P = scaled_columns(vectors, dense::as_column(values)) * transposed(vectors);
    for (std::size_t k = 0; k < 4; ++k) P(k, k) += 1e-2 * mass * (k < 3 ? length * length : 1.0);
    put_link(P, own);
    for (std::size_t k = link_parameters; k < parameters_per_joint; ++k)
      if (positive[joint * parameters_per_joint + k]) own[k] = std::max(own[k], 1e-2);
  }
  return dense::as_column(theta);
}

Matrix combinations(const std::vector<Estimate>& estimates, std::size_t size) {
  Matrix B(estimates.size(), size);
  for (std::size_t k = 0; k < estimates.size(); ++k)
    for (const auto& [parameter, factor] : estimates[k].parameter.terms) B(k, index(parameter)) = factor;
  return B;
}

Inertial inertial_of(const double* theta) {
  Inertial out;
  out.mass = theta[0];
  if (!(out.mass > 0.0)) return {};
  out.com = (1.0 / out.mass) * Vec3<double>{theta[1], theta[2], theta[3]};
  out.inertia = Sym3<double>{theta[4], theta[5], theta[6], theta[7], theta[8], theta[9]} - out.mass * steiner(out.com);
  return out;
}

}  // namespace

PhysicalFit fit_physical(const Mechanism& robot, const Measurements& data, const Identification& found, bool drives) {
  std::vector<BaseParameter> parameters;
  Vector values(found.estimates.size(), 1);
  for (const Estimate& own : found.estimates) {
    values[parameters.size()] = own.value;
    parameters.push_back(own.parameter);
  }
  // The weighted sum of squares is |U (β - values)|² + what is left at best, whose size is the unit.
  const Matrix triangle = weighted_triangle(robot, parameters, data, found.weights);
  const std::size_t p = values.size();
  const auto rows = static_cast<double>(data.tau.size());
  const double least = 1e-4 * norm(triangle.column(p)) / std::sqrt(rows);
  const double unit = std::max(std::abs(triangle(p, p)) / std::sqrt(rows - static_cast<double>(p)), least);
  const Matrix U = 1.0 / (unit > 0.0 ? unit : 1.0) * triangle.block(0, 0, p, p);

  // Below these rows, a weak pull to the model: a tenth of a standard error where all of a parameter is missing.
  std::vector<double> nominal = standard_parameters(robot);
  std::vector<bool> positive;
  for (std::size_t k = 0; k < nominal.size(); ++k) {
    if (is_drive(k) && !drives) nominal[k] = 0.0;
    positive.push_back(is_drive(k) && drives && !has_sign(k) && is_identified(robot, static_cast<int>(k)));
  }
  const std::vector<Scale> scales = scales_of(nominal);
  const std::size_t size = nominal.size();
  const Matrix B = combinations(found.estimates, size);
  Matrix pull(size, size);
  Vector scale(size, 1);
  for (std::size_t k = 0; k < size; ++k) {
    scale[k] = is_device(k) ? largest_device(nominal, k) : scales[k / parameters_per_joint].of(kind_of(k));
    pull(k, k) = 0.1 / scale[k];
  }
  const FitProblem problem{dense::blocks({{U * B}, {pull}}),
                           dense::blocks({{U * values}, {pull * dense::as_column(nominal)}}), positive};
  const Vector theta = minimize(problem, scale, start(nominal, scales, positive));

  PhysicalFit out;
  out.parameters = theta.entries();
  const Vector base_values = B * theta;
  out.values = base_values.entries();
  out.distance = norm(U * (base_values - values)) / std::sqrt(static_cast<double>(p));
  out.residuals = residuals_by_joint(robot, parameters, data, base_values);
  return out;
}

Robot with_parameters(const Robot& robot, std::span<const double> parameters) {
  const std::vector<int> moving = robot.tree_joints();
  if (parameters.size() != moving.size() * parameters_per_joint)
    throw std::invalid_argument(std::to_string(parameters.size()) + " parameters for " + std::to_string(moving.size()) +
                                " joints, which have " + std::to_string(parameters_per_joint) + " each");
  Robot out = robot;
  std::vector<bool> moves(robot.links.size(), false);
  for (const int j : robot.joints_outward()) {
    const JointDescription& joint = robot.joints[index(j)];
    moves[index(joint.child)] = moves[index(joint.parent)] || joint.type != JointType::fixed;
    if (moves[index(joint.child)]) out.links[index(joint.child)].inertial = {};
  }
  for (std::size_t k = 0; k < moving.size(); ++k) {
    const double* theta = parameters.data() + k * parameters_per_joint;
    JointDescription& joint = out.joints[index(moving[k])];
    out.links[index(joint.child)].inertial = inertial_of(theta);
    joint.drive.viscous = theta[10];
    joint.drive.coulomb = theta[11];
    const double ratio = joint.drive.gear_ratio * joint.drive.gear_ratio;
    joint.drive.rotor_inertia = ratio > 0.0 ? theta[12] / ratio : 0.0;
    joint.drive.spring = theta[13];
    if (theta[13] > 0.0) joint.drive.spring_rest = theta[14] / theta[13];
  }
  return out;
}

}  // namespace catena

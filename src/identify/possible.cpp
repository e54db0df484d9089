#include "identify/possible.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <stdexcept>

#include "catena/model/parameters.hpp"
#include "model/asking.hpp"

namespace catena::identification {
namespace {

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

// -log of what must stay positive: it grows without bound towards what is not possible.
class Barrier {
 public:
  explicit Barrier(const PossibleProblem& problem) : problem_(problem) {}

  // nullopt: beyond what is possible.
  std::optional<double> at(const Vector& x) const {
    double sum = 0.0;
    const auto add = [&](double left) { sum -= left > 0.0 ? std::log(left) : std::nan(""); };
    for (const PossibleProblem::Body& body : problem_.bodies) {
      const std::optional<Matrix> L = cholesky(pseudo_of(std::span(x).subspan(body.first)));
      if (!L) return std::nullopt;
      for (std::size_t k = 0; k < L->rows(); ++k) add((*L)(k, k)), add((*L)(k, k));
      if (body.bounds.least_mass > 0.0) add(x[body.first] - body.bounds.least_mass);
      if (std::isfinite(body.bounds.most_mass)) add(body.bounds.most_mass - x[body.first]);
      if (std::isfinite(body.bounds.centre_within)) {
        const Vector v = x.block(body.first, 0, 4, 1);
        add(dense::dot(v.entries(), (ball(body) * v).entries()));
      }
    }
    for (const std::size_t k : problem_.positive) add(x[k]);
    return std::isfinite(sum) ? std::optional(sum) : std::nullopt;
  }

  void add_derivatives(const Vector& x, double share, Vector& gradient, Matrix& H) const {
    for (const PossibleProblem::Body& body : problem_.bodies) {
      add_determinant(x, body.first, share, gradient, H);
      if (body.bounds.least_mass > 0.0)
        add_log(x[body.first] - body.bounds.least_mass, 1.0, body.first, share, gradient, H);
      if (std::isfinite(body.bounds.most_mass))
        add_log(body.bounds.most_mass - x[body.first], -1.0, body.first, share, gradient, H);
      if (std::isfinite(body.bounds.centre_within)) add_ball(x, body, share, gradient, H);
    }
    for (const std::size_t k : problem_.positive) add_log(x[k], 1.0, k, share, gradient, H);
  }

 private:
  // -log(left), left = ±x_k + ...
  static void add_log(double left, double sign, std::size_t k, double share, Vector& gradient, Matrix& H) {
    gradient[k] -= share * sign / left;
    H(k, k) += share / (left * left);
  }
  // ∂ log det P / ∂x_k = tr(P⁻¹ E_k) with P = Σ x_k E_k, and once more.
  static void add_determinant(const Vector& x, std::size_t first, double share, Vector& gradient, Matrix& H) {
    const Pseudo inverse = inverted(pseudo_of(std::span(x).subspan(first))).inverse;
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
  }
  // r² m² - |m c - m c0|² = vᵀ Q v with v = (m, m c).
  static Matrix ball(const PossibleProblem::Body& body) {
    const double r = body.bounds.centre_within;
    const auto& [x, y, z] = body.centre;
    const double entries[] = {r * r - x * x - y * y - z * z, x, y, z, x, -1, 0, 0, y, 0, -1, 0, z, 0, 0, -1};
    return {4, 4, entries};
  }
  static void add_ball(const Vector& x, const PossibleProblem::Body& body, double share, Vector& gradient, Matrix& H) {
    const Matrix Q = ball(body);
    const Vector v = x.block(body.first, 0, 4, 1), Qv = Q * v;
    const double left = dense::dot(v.entries(), Qv.entries());
    for (std::size_t i = 0; i < 4; ++i) {
      gradient[body.first + i] -= share * 2.0 * Qv[i] / left;
      for (std::size_t k = 0; k < 4; ++k)
        H(body.first + i, body.first + k) += share * (4.0 * Qv[i] * Qv[k] / (left * left) - 2.0 * Q(i, k) / left);
    }
  }
  const PossibleProblem& problem_;
};

double squares(const PossibleProblem& problem, const Vector& x) {
  return 0.5 * squared_norm(problem.A * x - problem.y);
}

// One step of Newton on squares + share × barrier, shortened until it is possible and helps; false where none does. The
// sum is convex: there is one minimum.
bool newton_step(const PossibleProblem& problem, const Matrix& AtA, double share, Vector& x) {
  const Barrier barrier(problem);
  Vector gradient = transposed(problem.A) * (problem.A * x - problem.y);
  Matrix H = AtA;
  barrier.add_derivatives(x, share, gradient, H);
  for (const std::size_t k : problem.fixed) {
    for (std::size_t i = 0; i < x.size(); ++i) H(i, k) = H(k, i) = 0.0;
    H(k, k) = 1.0 / (problem.scale[k] * problem.scale[k]), gradient[k] = 0.0;
  }
  const Matrix scaled = scaled_columns(scaled_rows(problem.scale, H), problem.scale);
  const Vector way = -scaled_rows(problem.scale, solve_symmetric(scaled, scaled_rows(problem.scale, gradient)));
  const double slope = dense::dot(gradient, way), now = squares(problem, x) + share * *barrier.at(x);
  if (!(slope < -1e-9 * share)) return false;
  double length = 1.0;
  for (int halvings = 0; halvings < 34; ++halvings, length *= 0.5) {
    const Vector next = x + length * way;
    const std::optional<double> wall = barrier.at(next);
    if (!wall || squares(problem, next) + share * *wall > now + 0.1 * length * slope) continue;
    x = next;
    return true;
  }
  return false;
}

}  // namespace

// The barrier is taken away step by step; in the end it holds x off by less than 0.01 in squared standard errors.
Vector least_possible(const PossibleProblem& problem, Vector x) {
  const Matrix AtA = transposed(problem.A) * problem.A;
  const double last = 0.01 / static_cast<double>(x.size());
  double share = std::max(1e4, squares(problem, x) / static_cast<double>(x.size()));  // so large that x is not far off
  while (share > last) {
    ask();
    for (int k = 0; k < 100 && newton_step(problem, AtA, share, x); ++k) continue;
    share *= 0.2;
  }
  return x;
}

void require_room(const BodyBounds& bounds) {
  if (!(bounds.least_mass < bounds.most_mass) || !(bounds.most_mass > 0.0) || !(bounds.centre_within > 0.0))
    throw std::invalid_argument("no body lies within these bounds of mass and mass centre");
}

void put_possible(std::span<double> body, const BodyBounds& bounds, double mass, double length) {
  const double given = body[0];
  Vec3<double> centre{};
  if (given > 0.0) centre = (1.0 / given) * Vec3<double>{body[1], body[2], body[3]};
  double m = std::max(given, 1e-2 * mass);
  const double low = bounds.least_mass, high = bounds.most_mass;
  if (std::isfinite(high))
    m = std::clamp(m, low + 0.02 * (high - low), high - 0.02 * (high - low));
  else
    m = std::max(m, 1.02 * low);
  auto [values, vectors] = symmetric_eigen(pseudo_of(body).block(0, 0, 3, 3) - [&] {
    Matrix own(3, 3);
    const double c[] = {centre.x, centre.y, centre.z};
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t k = 0; k < 3; ++k) own(i, k) = given * c[i] * c[k];
    return own;
  }());
  for (double& value : values) value = std::max(value, 0.0) + 1e-2 * m * length * length;
  const Matrix about_centre = scaled_columns(vectors, dense::as_column(values)) * transposed(vectors);
  Pseudo P(4, 4);
  const double c[] = {centre.x, centre.y, centre.z, 1.0};
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t k = 0; k < 4; ++k) P(i, k) = m * c[i] * c[k] + (i < 3 && k < 3 ? about_centre(i, k) : 0.0);
  put_link(P, body);
}

}  // namespace catena::identification

// Equations (4)-(13), (16), (17): docs/equations/cartesian_models.md.
#include "catena/control.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numeric>
#include <optional>
#include <stdexcept>

#include "catena/call.hpp"
#include "control/cartesian_motion.hpp"
#include "dense/dense.hpp"

namespace catena {
namespace {

using dense::as_column;
using dense::Matrix;
using dense::Vector;

constexpr double singular = 1e-10;  // smallest over largest singular value

std::string direction_text(const Vector& direction, const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t k = 0; k < direction.size(); ++k) {
    if (std::abs(direction[k]) < 0.005) continue;
    char part[32];
    std::snprintf(part, sizeof part, "%.2f ", std::abs(direction[k]));
    if (!text.empty() || direction[k] < 0.0) text += direction[k] < 0.0 ? (text.empty() ? "-" : " - ") : " + ";
    text += part + names[k];
  }
  return text;
}

// The directions of a subspace, given by orthonormal columns: rows that lie in it by name, then what is left of it.
std::string subspace_text(const Matrix& basis, const std::vector<std::string>& names) {
  Matrix projector = basis * transposed(basis);
  std::string text;
  for (std::size_t k = 0; k < projector.rows(); ++k) {
    if (projector(k, k) < 1.0 - 1e-9) continue;
    text += (text.empty() ? "" : ", ") + names[k];
    for (std::size_t j = 0; j < projector.rows(); ++j) projector(k, j) = projector(j, k) = 0.0;
  }
  const dense::SymmetricEigen rest = symmetric_eigen(projector);
  for (std::size_t k = 0; k < projector.rows(); ++k) {
    if (rest.values[k] < 0.5) continue;
    Vector direction = rest.vectors.column(k);
    const auto smaller = [](double a, double b) { return std::abs(a) < std::abs(b); };
    if (*std::max_element(direction.begin(), direction.end(), smaller) < 0.0) direction *= -1.0;  // the sign is free
    text += (text.empty() ? "" : ", ") + direction_text(direction, names);
  }
  return text;
}

std::vector<int> chosen_rows(FrameCoordinates coordinates, const std::vector<int>& rows) {
  const int all = static_cast<int>(row_names(coordinates).size());
  std::vector<int> chosen = rows;
  if (rows.empty()) {
    chosen.resize(index(all));
    std::iota(chosen.begin(), chosen.end(), 0);
  }
  for (std::size_t k = 0; k < chosen.size(); ++k)
    if (chosen[k] < 0 || chosen[k] >= all || (k > 0 && chosen[k] <= chosen[k - 1]))
      throw std::invalid_argument("rows of χ are numbered 0 to " + std::to_string(all - 1) + ", ascending");
  return chosen;
}

}  // namespace

std::vector<std::string> row_names(FrameCoordinates coordinates) {
  switch (coordinates) {
    case FrameCoordinates::position:
      return {"x", "y", "z"};
    case FrameCoordinates::velocity:
      return {"x", "y", "z", "wx", "wy", "wz"};
    case FrameCoordinates::rpy:
      return {"x", "y", "z", "roll", "pitch", "yaw"};
    default:
      return {"x", "y", "z", "alpha", "beta", "gamma"};
  }
}

std::vector<double> coordinates_of(const Pose<double>& pose, FrameCoordinates coordinates) {
  std::vector<double> chi{pose.p.x, pose.p.y, pose.p.z};
  Vec3<double> angles{};
  const Mat3<double>& R = pose.R;
  if (coordinates == FrameCoordinates::rpy)
    angles = rpy_from_rotation(R);
  else if (coordinates == FrameCoordinates::zyz)
    angles = {std::atan2(R.yz, R.xz), std::atan2(std::hypot(R.xz, R.yz), R.zz), std::atan2(R.zy, -R.zx)};
  else
    return chi;
  chi.insert(chi.end(), {angles.x, angles.y, angles.z});
  return chi;
}

Pose<double> pose_of(std::span<const double> chi, FrameCoordinates coordinates) {
  const bool angles = coordinates == FrameCoordinates::rpy || coordinates == FrameCoordinates::zyz;
  if (!angles || chi.size() != 6) throw std::invalid_argument("a pose has six coordinates, of rpy or zyz");
  const Vec3<double> z{0.0, 0.0, 1.0}, y{0.0, 1.0, 0.0};
  const Mat3<double> R = coordinates == FrameCoordinates::rpy
                             ? rotation_from_rpy({chi[3], chi[4], chi[5]})
                             : rotation_about(z, chi[3]) * rotation_about(y, chi[4]) * rotation_about(z, chi[5]);
  return {R, {chi[0], chi[1], chi[2]}};
}

RotationVariation rotation_variation(const Vec3<double>& turn, const Vec3<double>& omega_difference,
                                     const Vec3<double>& omega_dot_difference, const Vec3<double>& omega,
                                     const Vec3<double>& omega_dot) {
  const Vec3<double> rate = omega_difference - cross(turn, omega);                                       // (16)
  const Vec3<double> acceleration = omega_dot_difference - cross(rate, omega) - cross(turn, omega_dot);  // (17)
  return {turn, rate, acceleration};
}

struct CartesianDynamics::Workspace {
  std::string frame_name;
  FrameCoordinates coordinates;
  double allowed_damping;
  std::vector<int> rows;
  std::vector<std::string> names;
  control::CoordinateRates rates;
  Call<double> inertia, bias, gravity, inverse, sensitivities;
  std::vector<double> M, b, g, tau, DVP;

  Workspace(const Mechanism& robot, int frame, FrameCoordinates the_coordinates, const CartesianOptions& options)
      : frame_name(robot.frames[index(frame)].name),
        coordinates(the_coordinates),
        allowed_damping(options.damping),
        rows(chosen_rows(coordinates, options.rows)),
        rates(robot, frame, coordinates, rows),
        inertia(robot, "inertia"),
        bias(robot, "bias"),
        gravity(robot, "gravity"),
        inverse(robot, "inverse"),
        sensitivities(robot, "linearize"),
        M(inertia.size()),
        b(bias.size()),
        g(gravity.size()),
        tau(inverse.size()),
        DVP(sensitivities.size()) {
    const std::vector<std::string> all = row_names(coordinates);
    for (const int row : rows) names.push_back(all[index(row)]);
  }

  std::size_t joints() const { return tau.size(); }
  Matrix D() const { return {joints(), joints(), M}; }

  // Those of the singular values, and a Jacobian that cannot be inverted is refused unless damping is allowed.
  void measure(CartesianMotion& out) const {
    const std::size_t m = rates.J.rows();
    const auto [U, values] = left_singular(rates.J);
    const double largest = values.front(), smallest = rates.J.columns() < m ? 0.0 : values.back();
    out.manipulability = smallest;
    for (std::size_t k = 0; k + 1 < m; ++k) out.manipulability *= values[k];
    out.smallest_singular_value = smallest;
    out.condition = smallest > 0.0 ? largest / smallest : std::numeric_limits<double>::infinity();
    if (smallest < allowed_damping)  // (6)
      out.damping = std::sqrt((allowed_damping - smallest) * (allowed_damping + smallest));
    if (smallest > singular * largest || out.damped()) return;
    std::size_t rank = 0;
    while (rank < m && values[rank] > singular * largest) ++rank;
    throw std::domain_error("the Jacobian of frame '" + frame_name + "' is singular: no joint can move it along " +
                            subspace_text(U.block(0, rank, m, m - rank), names) +
                            "; leave rows of χ out, or allow damping");
  }

  // J^#: (4) for a square Jacobian, (5) where there are more joints than rows, (6) with damping.
  Matrix inverted(double damping) const {
    const Matrix& J = rates.J;
    if (J.columns() == 0) return Matrix(0, J.rows());
    if (damping == 0.0 && J.rows() == J.columns()) return dense::inverted(J).inverse;
    const std::optional<Matrix> L = cholesky(D());
    if (!L)
      throw std::domain_error(
          "the inertia matrix is not positive definite: forces cannot be shared among the joints by it");
    const Matrix shared = solve_upper(transposed(*L), solve_lower(*L, transposed(J)));  // D⁻¹ Jᵀ
    const Matrix A = J * shared;
    const double size = squared_norm(J);
    const double added = damping * damping * (size > 0.0 ? trace(A) / size : 1.0);
    return transposed(solve_symmetric(A + added * dense::identity(A.rows()), transposed(shared)));
  }

  // Everything that does not need forces; leaves J^# in `sharp`.
  void move(std::span<const double> q, std::span<const double> qd, std::span<const double> qdd, CartesianMotion& out,
            Matrix& sharp) {
    inertia({.q = q}, M);  // checks lengths and numbers, before kinematics reads them
    inverse({.q = q, .qd = qd, .qdd = qdd}, tau);
    rates.update(q, qd, qdd);
    measure(out);
    sharp = inverted(out.damping);
    out.names = names;
    const std::vector<double> chi = coordinates_of(rates.pose, coordinates);
    for (const int row : rows)
      if (index(row) < chi.size()) out.position.push_back(chi[index(row)]);
    out.velocity = (rates.J * as_column(qd)).entries();
    out.acceleration = (rates.J * as_column(qdd) + rates.J_dot * as_column(qd)).entries();
    out.J = rates.J.entries(), out.J_dot = rates.J_dot.entries(), out.J_ddot = rates.J_ddot.entries();
    out.inverse = sharp.entries();
    if (!all_finite(sharp) || !all_finite(rates.J_ddot))
      throw std::domain_error("the motion of the frame is not finite");
  }
};

CartesianDynamics::CartesianDynamics(const Mechanism& robot, int frame, FrameCoordinates coordinates,
                                     const CartesianOptions& options) {
  require_frame(robot, frame);
  if (!(options.damping >= 0.0) || !std::isfinite(options.damping))
    throw std::invalid_argument("the damping must be a number, positive or 0");
  ws_ = std::make_unique<Workspace>(robot, frame, coordinates, options);
}
CartesianDynamics::~CartesianDynamics() = default;
CartesianDynamics::CartesianDynamics(CartesianDynamics&&) noexcept = default;
CartesianDynamics& CartesianDynamics::operator=(CartesianDynamics&&) noexcept = default;

CartesianMotion CartesianDynamics::motion(std::span<const double> q, std::span<const double> qd,
                                          std::span<const double> qdd) {
  CartesianMotion out;
  Matrix sharp;
  ws_->move(q, qd, qdd, out, sharp);
  return out;
}

CartesianModel CartesianDynamics::model(std::span<const double> q, std::span<const double> qd,
                                        std::span<const double> qdd, Wrenches wrenches) {
  CartesianModel out;
  Matrix sharp;
  ws_->move(q, qd, qdd, out, sharp);
  ws_->bias({.q = q, .qd = qd}, ws_->b);
  ws_->gravity({.q = q}, ws_->g);
  const Matrix D = ws_->D(), transpose = transposed(sharp);
  const Vector g = as_column(ws_->g), c = as_column(ws_->b) - g;
  const Vector drift = ws_->rates.J_dot * as_column(qd);
  ws_->gravity({.q = q, .wrenches = wrenches}, ws_->b);
  const Vector w = g - as_column(ws_->b);                     // the wrenches' own generalized forces
  out.D = (transpose * D * sharp).entries();                  // (7)
  out.C = (transpose * (c - D * (sharp * drift))).entries();  // (8)
  out.G = (transpose * g).entries();                          // (9)
  out.W = (transpose * w).entries();
  out.f = (transpose * (as_column(ws_->tau) - w)).entries();  // (10)
  return out;
}

CartesianLinearization CartesianDynamics::linearize(std::span<const double> q, std::span<const double> qd,
                                                    std::span<const double> qdd, Wrenches wrenches) {
  CartesianLinearization out;
  Matrix sharp;
  ws_->move(q, qd, qdd, out, sharp);
  ws_->sensitivities({.q = q, .qd = qd, .qdd = qdd, .wrenches = wrenches}, ws_->DVP);
  const std::size_t n = ws_->joints(), square = n * n;
  const std::span<const double> all = ws_->DVP;
  const Matrix by_qdd(n, n, all.first(square)), by_qd(n, n, all.subspan(square, square)), by_q(n, n, all.last(square));
  const auto& rates = ws_->rates;
  const Matrix D = by_qdd * sharp;                                       // (11)
  const Matrix V = (by_qd - 2.0 * D * rates.J_dot) * sharp;              // (12)
  const Matrix P = (by_q - V * rates.J_dot - D * rates.J_ddot) * sharp;  // (13)
  out.D = D.entries(), out.V = V.entries(), out.P = P.entries();
  return out;
}

}  // namespace catena

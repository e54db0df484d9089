// Equations (4)-(13), (16), (17): docs/equations/cartesian_models.md.
#include "catena/control.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "catena/call.hpp"
#include "control/cartesian_motion.hpp"

namespace catena {
namespace {

using control::as_matrix;
using control::as_vector;
using control::Matrix;
using Vector = Eigen::VectorXd;

constexpr double singular = 1e-10;  // smallest over largest singular value

Eigen::Map<const Vector> as_column(std::span<const double> entries) {
  return {entries.data(), static_cast<Eigen::Index>(entries.size())};
}
std::vector<double> list(const Vector& v) { return {v.begin(), v.end()}; }

std::string direction_text(const Vector& direction, const std::vector<std::string>& names) {
  std::string text;
  for (Eigen::Index k = 0; k < direction.size(); ++k) {
    if (std::abs(direction[k]) < 0.005) continue;
    char part[32];
    std::snprintf(part, sizeof part, "%.2f ", std::abs(direction[k]));
    if (!text.empty() || direction[k] < 0.0) text += direction[k] < 0.0 ? (text.empty() ? "-" : " - ") : " + ";
    text += part + names[static_cast<std::size_t>(k)];
  }
  return text;
}

// The directions of a subspace, given by orthonormal columns: rows that lie in it by name, then what is left of it.
std::string subspace_text(const Matrix& basis, const std::vector<std::string>& names) {
  Matrix projector = basis * basis.transpose();
  std::string text;
  for (Eigen::Index k = 0; k < projector.rows(); ++k) {
    if (projector(k, k) < 1.0 - 1e-9) continue;
    text += (text.empty() ? "" : ", ") + names[static_cast<std::size_t>(k)];
    projector.row(k).setZero(), projector.col(k).setZero();
  }
  const Eigen::SelfAdjointEigenSolver<Matrix> rest(projector);
  for (Eigen::Index k = 0; k < projector.rows(); ++k) {
    if (rest.eigenvalues()[k] < 0.5) continue;
    Vector direction = rest.eigenvectors().col(k);
    Eigen::Index largest = 0;
    direction.cwiseAbs().maxCoeff(&largest);
    if (direction[largest] < 0.0) direction = -direction;  // the sign is free
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
      throw std::invalid_argument("rows of χ are numbered from 0 to " + std::to_string(all - 1) + ", ascending");
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
  if (!angles || chi.size() != 6) throw std::invalid_argument("a pose is six coordinates, of rpy or zyz");
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
  Eigen::Map<const Matrix> D() const { return as_matrix(M, joints(), joints()); }

  // Those of the singular values, and a Jacobian that cannot be inverted is refused unless damping is allowed.
  void measure(CartesianMotion& out) const {
    const auto m = rates.J.rows(), n = rates.J.cols();
    Eigen::MatrixXd J = Eigen::MatrixXd::Zero(m, std::max<Eigen::Index>(n, 1));  // a robot may have no joints
    J.leftCols(n) = rates.J;
    const Eigen::JacobiSVD<Eigen::MatrixXd> svd(J, Eigen::ComputeFullU);
    const auto values = svd.singularValues().size();
    const double largest = svd.singularValues()[0], smallest = values < m ? 0.0 : svd.singularValues()[m - 1];
    out.manipulability = values < m ? 0.0 : svd.singularValues().prod();
    out.smallest_singular_value = smallest;
    out.condition = smallest > 0.0 ? largest / smallest : std::numeric_limits<double>::infinity();
    if (smallest < allowed_damping)  // (6)
      out.damping = std::sqrt((allowed_damping - smallest) * (allowed_damping + smallest));
    if (smallest > singular * largest || out.damped()) return;
    Eigen::Index rank = 0;
    while (rank < values && svd.singularValues()[rank] > singular * largest) ++rank;
    throw std::domain_error("the Jacobian of frame '" + frame_name + "' is singular: no joint moves it along " +
                            subspace_text(svd.matrixU().rightCols(m - rank), names) +
                            "; leave rows of χ out, or allow damping");
  }

  // J^#: (4) for a square Jacobian, (5) where there are more joints than rows, (6) with damping.
  Matrix inverted(double damping) const {
    const Matrix& J = rates.J;
    if (J.cols() == 0) return Matrix(0, J.rows());
    if (damping == 0.0 && J.rows() == J.cols()) return J.fullPivLu().inverse();
    const Eigen::LLT<Matrix> llt(D());
    if (llt.info() != Eigen::Success)
      throw std::domain_error(
          "the inertia matrix is not positive definite: forces cannot be shared among the joints by it");
    const Matrix shared = llt.solve(J.transpose());
    Matrix A = J * shared;
    const double size = J.squaredNorm();
    A.diagonal().array() += damping * damping * (size > 0.0 ? A.trace() / size : 1.0);
    return A.ldlt().solve(shared.transpose()).transpose();
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
    out.velocity = list(rates.J * as_column(qd));
    out.acceleration = list(rates.J * as_column(qdd) + rates.J_dot * as_column(qd));
    out.J = as_vector(rates.J), out.J_dot = as_vector(rates.J_dot), out.J_ddot = as_vector(rates.J_ddot);
    out.inverse = as_vector(sharp);
    if (!sharp.allFinite() || !rates.J_ddot.allFinite())
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
  const auto D = ws_->D();
  const Vector g = as_column(ws_->g), c = as_column(ws_->b) - g;
  const Vector drift = ws_->rates.J_dot * as_column(qd);
  ws_->gravity({.q = q, .wrenches = wrenches}, ws_->b);
  const Vector w = g - as_column(ws_->b);                       // the wrenches' own generalized forces
  out.D = as_vector(sharp.transpose() * D * sharp);             // (7)
  out.C = list(sharp.transpose() * (c - D * (sharp * drift)));  // (8)
  out.G = list(sharp.transpose() * g);                          // (9)
  out.W = list(sharp.transpose() * w);
  out.f = list(sharp.transpose() * (as_column(ws_->tau) - w));  // (10)
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
  const auto& rates = ws_->rates;
  const Matrix D = as_matrix(all.first(square), n, n) * sharp;                                      // (11)
  const Matrix V = (as_matrix(all.subspan(square, square), n, n) - 2.0 * D * rates.J_dot) * sharp;  // (12)
  const Matrix P =                                                                                  // (13)
      (as_matrix(all.subspan(2 * square, square), n, n) - V * rates.J_dot - D * rates.J_ddot) * sharp;
  out.D = as_vector(D), out.V = as_vector(V), out.P = as_vector(P);
  return out;
}

}  // namespace catena

// The model in the coordinates χ of a frame instead of those of the joints: inertia, velocity terms, gravity and force
// as the frame feels them, and the model linearized about a motion of the frame. Balafoutis 1989, section 7.4.
// Equations (1)-(17): docs/equations/cartesian_models.md.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "catena/dynamics/wrenches.hpp"
#include "catena/model/mechanism.hpp"

namespace catena {

// What χ is: the position of the frame's origin, x, y, z, and for all but the first three numbers of its rotation.
enum class FrameCoordinates {
  position,  // none
  velocity,  // χ̇ has the angular velocity wx, wy, wz; χ itself has no such coordinates
  rpy,       // roll, pitch, yaw: R = Rz(yaw) Ry(pitch) Rx(roll); pitch other than ±90°
  zyz        // alpha, beta, gamma: R = Rz(alpha) Ry(beta) Rz(gamma); beta between 0 and 180°
};
inline constexpr std::string_view frame_coordinate_names[] = {"position", "velocity", "rpy", "zyz"};  // in that order
// Names of the rows of χ̇: "x", …, "wx", …, "roll", …, "alpha", ….
std::vector<std::string> row_names(FrameCoordinates coordinates);

struct CartesianOptions {
  // 0: a singular Jacobian is an error. Else it is inverted with damping where its smallest singular value is below
  // this, (6), so that it counts as this one.
  double damping = 0.0;
  std::vector<int> rows{};  // those of row_names() that χ has, ascending; empty: all
};

// Where the frame is and how well it can be moved. Matrices by rows; m rows of χ, n joints.
struct CartesianMotion {
  std::vector<std::string> names;                // of the rows
  std::vector<double> position;                  // χ; for `velocity` of the rows that are coordinates: x, y, z
  std::vector<double> velocity, acceleration;    // χ̇, χ̈
  std::vector<double> J, J_dot, J_ddot;          // m x n: χ̇ = J q̇, and its rates along the motion, exact
  std::vector<double> inverse;                   // n x m: J^#, (4)-(6)
  double manipulability = 0.0, condition = 0.0;  // product of the singular values; largest over smallest, or infinity
  double smallest_singular_value = 0.0;          // in metres and radians, as the two above
  double damping = 0.0;                          // λ of (6)
  bool damped() const { return damping > 0.0; }  // `inverse` is no inverse
};

// f = D χ̈ + C + G - W, (7)-(10). Friction is in C, rotors are in D, W is what external wrenches bring.
struct CartesianModel : CartesianMotion {
  std::vector<double> D;           // m x m
  std::vector<double> C, G, W, f;  // m
};

// δτ = D δχ̈ + V δχ̇ + P δχ, (11)-(13): torques of the joints, n x m each. Exact where χ are coordinates; for
// `velocity`, δχ is the turn δφ, and what is measured is to be converted by rotation_variation().
struct CartesianLinearization : CartesianMotion {
  std::vector<double> D, V, P;
};

class CartesianDynamics {
 public:
  // Throws std::invalid_argument for a frame or row that does not exist and a damping that is negative or not finite.
  CartesianDynamics(const Mechanism& robot, int frame, FrameCoordinates coordinates,
                    const CartesianOptions& options = {});
  ~CartesianDynamics();
  CartesianDynamics(CartesianDynamics&&) noexcept;
  CartesianDynamics& operator=(CartesianDynamics&&) noexcept;

  // Throw std::invalid_argument on wrong lengths, and std::domain_error when the Jacobian is singular and no damping is
  // allowed, naming the directions that are lost; when the angles are those where they have no rates; when a number is
  // not finite.
  using Wrenches = std::span<const ExternalWrench<double>>;
  CartesianModel model(std::span<const double> q, std::span<const double> qd, std::span<const double> qdd,
                       Wrenches wrenches = {});
  CartesianLinearization linearize(std::span<const double> q, std::span<const double> qd, std::span<const double> qdd,
                                   Wrenches wrenches = {});
  CartesianMotion motion(std::span<const double> q, std::span<const double> qd, std::span<const double> qdd);

 private:
  struct Workspace;
  std::unique_ptr<Workspace> ws_;
};

// χ of a pose, and the pose where χ is: for `rpy` and `zyz`, all six.
std::vector<double> coordinates_of(const Pose<double>& pose, FrameCoordinates coordinates);
Pose<double> pose_of(std::span<const double> chi, FrameCoordinates coordinates);

// The rotational part of (δχ, δχ̇, δχ̈) for `velocity`, (16), (17), from what is measured: the small turn δφ and the
// differences of the angular velocity ω and of the angular acceleration.
struct RotationVariation {
  Vec3<double> angle{}, rate{}, acceleration{};
};
RotationVariation rotation_variation(const Vec3<double>& turn, const Vec3<double>& omega_difference,
                                     const Vec3<double>& omega_dot_difference, const Vec3<double>& omega,
                                     const Vec3<double>& omega_dot);

}  // namespace catena

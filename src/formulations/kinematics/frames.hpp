// Formulations of the kinematics jobs: each places the links, then reads off one result. Equations:
// docs/equations/kinematics.md.
#pragma once

#include "formulations/kinematics/placed_links.hpp"

namespace catena {

namespace detail {
constexpr FormulationInfo kinematics_info(std::string_view job) {
  return {"kinematics", job, "textbook kinematics", "docs/equations/kinematics.md", "none published"};
}
}  // namespace detail

// How poses and columns of Jacobians are stored in arrays: 4 x 4 and 6 x n by rows, linear above angular.
template <class S>
void put_pose(const Pose<S>& pose, std::span<S> out) {
  using T = ConstantOf<S>;
  const auto& [R, p] = pose;
  const S rows[] = {R.xx, R.xy, R.xz, p.x, R.yx,    R.yy,    R.yz,    p.y,
                    R.zx, R.zy, R.zz, p.z, S(T(0)), S(T(0)), S(T(0)), S(T(1))};
  for (std::size_t k = 0; k < 16; ++k) out[k] = rows[k];
}
template <class S>
void put_column(const JacobianColumn<S>& column, int j, int n, std::span<S> out) {
  const S entries[] = {column.linear.x,  column.linear.y,  column.linear.z,
                       column.angular.x, column.angular.y, column.angular.z};
  for (std::size_t k = 0; k < 6; ++k) out[k * index(n) + index(j)] = entries[k];
}

// World from frame, 4 x 4 by rows.
struct FramePose {
  static constexpr FormulationInfo info = detail::kinematics_info("pose");
  template <class S>
  using Workspace = PlacedLinks<S>;

  template <class S>
  static void run(const TreeFor<S>& robot, std::span<const S> q, int frame, Workspace<S>& links, std::span<S> out) {
    links.place(robot, q);
    put_pose(links.pose(robot, frame), out);
  }
};

// 6 x n by rows: velocity above angular velocity of the frame's origin, along the world's axes.
struct FrameJacobian {
  static constexpr FormulationInfo info = detail::kinematics_info("jacobian");
  template <class S>
  using Workspace = PlacedLinks<S>;

  template <class S>
  static void run(const TreeFor<S>& robot, std::span<const S> q, int frame, Workspace<S>& links, std::span<S> J) {
    links.place(robot, q);
    for (S& entry : J) entry = S{};
    links.jacobian(robot, frame, [&](int j, const auto& column) { put_column(column, j, robot.joints(), J); });
  }
};

// J̇ q̇: the acceleration of the frame at zero joint acceleration.
struct FrameDrift {
  static constexpr FormulationInfo info = detail::kinematics_info("drift");
  template <class S>
  using Workspace = PlacedLinks<S>;

  template <class S>
  static void run(const TreeFor<S>& robot, std::span<const S> q, std::span<const S> qd, int frame, Workspace<S>& links,
                  std::span<S> out) {
    links.place(robot, q, qd);
    const FrameMotion<S> m = links.motion(robot, frame);
    put_column(JacobianColumn<S>{m.acceleration, m.omega_dot}, 0, 1, out);
  }
};

// Kinetic and potential energy.
struct LinkEnergies {
  static constexpr FormulationInfo info = detail::kinematics_info("energy");
  template <class S>
  using Workspace = PlacedLinks<S>;

  template <class S>
  static void run(const TreeFor<S>& robot, std::span<const S> q, std::span<const S> qd, Workspace<S>& links,
                  std::span<S> out) {
    links.place(robot, q, qd);
    out[0] = links.kinetic_energy(robot);
    out[1] = links.potential_energy(robot);
  }
};

}  // namespace catena

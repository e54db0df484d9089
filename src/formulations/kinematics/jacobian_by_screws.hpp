// The Jacobian of a frame from the screws of the joints about the base's origin, each moved to the frame's: the first
// route of Laus, Simoni and Martins. Equations (1), (2): docs/equations/jacobian_routes.md.
#pragma once

#include "formulations/kinematics/frames.hpp"

namespace catena {

struct JacobianByScrews {
  static constexpr FormulationInfo info{"joint-screws", "jacobian", "Laus, Simoni and Martins, eqs 22-24",
                                        "docs/equations/jacobian_routes.md", "none published"};
  static constexpr bool reference_only = true;
  template <class S>
  using Workspace = PlacedLinks<S>;

  template <class S>
  static void run(const TreeFor<S>& robot, std::span<const S> q, int frame, Workspace<S>& links, std::span<S> J) {
    links.place(robot, q);
    for (S& entry : J) entry = S{};
    const auto& f = robot.frames[index(frame)];
    if (f.link == base_link) return;
    const auto& R = robot.world_from_base.R;
    const Vec3<S> e = links.pose_of(f.link).p + links.pose_of(f.link).R * f.in_link.p;
    for (int i = f.link; i != base_link; i = robot.link(i).parent) {
      const Vec3<S> z = links.pose_of(i).R.column_z();
      JacobianColumn<S> column{R * z, Vec3<S>{}};  // of a joint that slides: the same about every point
      if (robot.link(i).revolute) {
        const Vec3<S> at_origin = cross(links.pose_of(i).p, z);  // (1)
        column = {R * add_cross(at_origin, z, e), R * z};        // (2)
      }
      put_column(column, robot.link(i).q, robot.joints(), J);
    }
  }
};

}  // namespace catena

// The inverse of the inertia matrix without the matrix: articulated bodies, then one recursion a column. Equations
// (1)-(6): docs/equations/inverse_inertia.md.
#pragma once

#include "formulations/forward/articulated_body.hpp"
#include "formulations/shared/articulated_columns.hpp"

namespace catena {

struct ArticulatedInverse {
  static constexpr FormulationInfo info{"articulated-body", "inverse_inertia",
                                        "Rodriguez and Kreutz 1988, in one frame", "docs/equations/inverse_inertia.md",
                                        "none published"};

  template <class S>
  struct Workspace : ArticulatedBody::Workspace<S> {  // with its pivots, which are checked
    ArticulatedColumns<S> columns;
    Array<Pose<S>> placed;  // root from link

    explicit Workspace(const TreeFor<S>& robot)
        : ArticulatedBody::Workspace<S>(robot), columns(robot), placed(index(robot.joints())) {}
  };

  template <class S>
  static void run(const TreeFor<S>& robot, std::span<const S> q, Workspace<S>& ws, const MatrixView<S>& inverse) {
    ArticulatedBody::factor_at_rest<S>(robot, q, ws);
    for (int i = 0; i < robot.joints(); ++i) {
      const auto& link = robot.link(i);
      Pose<S>& own = ws.placed[index(i)];
      if (link.parent == base_link) {
        own = {static_cast<Mat3<S>>(Mat3<ConstantOf<S>>::identity()), {}};
      } else {
        const Pose<S>& parent = ws.placed[index(link.parent)];
        own = {compose(parent.R, link.tilt, ws.turns[i]), parent.p + parent.R * joint_offset(link, q[index(link.q)])};
      }
      ws.columns.set(i, link.revolute, own, ws.links[index(i)].k, ws.links[index(i)].inverse_pivot);
    }
    const typename ArticulatedColumns<S>::Wanted wanted[] = {{{}, inverse.entries}};
    ws.columns.solve(wanted);
  }
};

}  // namespace catena

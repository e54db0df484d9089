// Factors of the inertia matrix, which is built by generalized links and then eliminated. Equation (7):
// docs/equations/factor.md.
#pragma once

#include "forces/joint_forces.hpp"
#include "formulations/factor/branches.hpp"
#include "formulations/inertia/generalized_links.hpp"

namespace catena {

// LDLᵀ: builds M by generalized links, then eliminates.
struct FormedElimination {
  static constexpr FormulationInfo info{"ldlt", "factor", "Featherstone 2008, section 8.5; M by generalized links",
                                        "docs/equations/factor.md", "none published"};

  template <class S>
  struct Workspace {
    GeneralizedLinks::Workspace<S> inertia;
    Branches constants;

    explicit Workspace(const TreeFor<S>& robot) : inertia(robot), constants(robot) {}
  };

  template <class S>
  static void run(const TreeFor<S>& robot, std::span<const S> q, Workspace<S>& ws, const FactorView<S>& out) {
    GeneralizedLinks::run<S>(robot, q, ws.inertia, out.U);
    add_joint_inertia<S>(robot, out.U);
    eliminate<S>(ws.constants, out);
  }
};

}  // namespace catena

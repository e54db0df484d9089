// What the forces at the joints of the tree (model/forces.hpp) together add to torques, matrices and energies, outside
// every formulation. Equations: docs/equations/joint_forces.md.
#pragma once

#include <span>

#include "catena/formulation/formulation.hpp"
#include "catena/scalar/dual.hpp"

namespace catena {

// pivot, plus what forces add to it, if anything
template <class S, class T>
S with_added(const S& pivot, const T& added) {
  return added == T(0) ? pivot : S(pivot + added);
}

// What they add at joint j; q̈ and q̇ are zero if empty: (1)-(3).
template <class S>
S joint_torque(const TreeFor<S>& tree, TreeJoint j, const Motion<S>& x) {
  const auto at = [&](std::span<const S> of) { return of.empty() ? S{} : of[index(j)]; };
  S sum{};
  if (x.qd.empty()) {
    AllForces::for_each([&](auto force) {
      if constexpr (requires { force.holds(tree.drives[j], x.q[0]); })
        sum += force.holds(tree.drives[j], x.q[index(j)]);
    });
    return sum;
  }
  return AllForces::torque<S>(tree.drives[j], {at(x.q), at(x.qd), at(x.qdd)});
}
template <class S>
void add_joint_torques(const TreeFor<S>& tree, const Motion<S>& x, std::span<S> tau) {
  if (!tree.has_drives) return;
  if (x.qd.empty() || x.qdd.empty()) {
    for (const TreeJoint j : tree.all_joints()) tau[index(j)] += joint_torque<S>(tree, j, x);
    return;
  }
  const auto& drives = tree.drives.list();
  for (std::size_t j = 0; j < tau.size(); ++j) {
    const JointState<S> state{x.q[j], x.qd[j], x.qdd[j]};
    tau[j] += AllForces::torque<S>(drives[j], state);
  }
}

// M_jj += ∂τ/∂q̈, V_jj += ∂τ/∂q̇, P_jj += ∂τ/∂q
template <class S>
void add_joint_inertia(const TreeFor<S>& tree, const MatrixView<S>& M) {
  if (!tree.has_drives) return;
  AllForces::for_each([&](auto force) {
    [[maybe_unused]] const auto& drives = tree.drives.list();
    for (int j = 0; j < M.n; ++j)
      if constexpr (requires { force.inertia(drives[0]); }) M(j, j) = M(j, j) + force.inertia(drives[index(j)]);
  });
}
template <class S>
void add_joint_damping(const TreeFor<S>& tree, std::span<const S> qd, const MatrixView<S>& V) {
  if (!tree.has_drives) return;
  AllForces::for_each([&](auto force) {
    for (const TreeJoint j : tree.all_joints())
      if constexpr (requires { force.damping(tree.drives[j], qd[0]); })
        V(j, j) = V(j, j) + force.damping(tree.drives[j], qd[index(j)]);
  });
}
template <class S>
void add_joint_stiffness(const TreeFor<S>& tree, std::span<const S> q, const MatrixView<S>& P) {
  if (!tree.has_drives) return;
  AllForces::for_each([&](auto force) {
    for (const TreeJoint j : tree.all_joints())
      if constexpr (requires { force.stiffness(tree.drives[j], q[0]); })
        P(j, j) = P(j, j) + force.stiffness(tree.drives[j], q[index(j)]);
  });
}

// H_jj += λ_j ∂²τ_j/∂q_j², by the stiffness on dual numbers
template <class S>
void add_joint_curvature(const TreeFor<S>& tree, std::span<const S> q, std::span<const S> lambda,
                         const MatrixView<S>& H) {
  if (!tree.has_drives) return;
  AllForces::for_each([&](auto force) {
    for (const TreeJoint j : tree.all_joints()) {
      [[maybe_unused]] const Dual<S> at(q[index(j)], S(ConstantOf<S>(1)));
      if constexpr (requires { S(force.stiffness(tree.drives[j], at).derivative); })  // it varies with q
        H(j, j) = H(j, j) + lambda[index(j)] * force.stiffness(tree.drives[j], at).derivative;
    }
  });
}

// The same by speeds, H_jj += λ_j ∂²τ_j/∂q̇_j², by the damping
template <class S>
void add_joint_rate_curvature(const TreeFor<S>& tree, std::span<const S> qd, std::span<const S> lambda,
                              const MatrixView<S>& H) {
  if (!tree.has_drives) return;
  AllForces::for_each([&](auto force) {
    for (const TreeJoint j : tree.all_joints()) {
      [[maybe_unused]] const Dual<S> at(qd[index(j)], S(ConstantOf<S>(1)));
      if constexpr (requires { S(force.damping(tree.drives[j], at).derivative); })
        H(j, j) = H(j, j) + lambda[index(j)] * force.damping(tree.drives[j], at).derivative;
    }
  });
}

// p_j += ∂τ_j/∂q̈_j q̇_j
template <class S>
void add_joint_momenta(const TreeFor<S>& tree, std::span<const S> qd, std::span<S> p) {
  AllForces::for_each([&](auto force) {
    for (const TreeJoint j : tree.all_joints())
      if constexpr (requires { force.inertia(tree.drives[j]); })
        p[index(j)] = p[index(j)] + force.inertia(tree.drives[j]) * qd[index(j)];
  });
}

template <class S>
S joint_kinetic_energy(const TreeFor<S>& tree, std::span<const S> qd) {
  S sum{};
  AllForces::for_each([&](auto force) {
    for (const TreeJoint j : tree.all_joints())
      if constexpr (requires { force.kinetic_energy(tree.drives[j], qd[0]); })
        sum += force.kinetic_energy(tree.drives[j], qd[index(j)]);
  });
  return sum;
}
template <class S>
S joint_potential_energy(const TreeFor<S>& tree, [[maybe_unused]] std::span<const S> q) {
  S sum{};
  AllForces::for_each([&](auto force) {
    for ([[maybe_unused]] const TreeJoint j : tree.all_joints())
      if constexpr (requires { force.potential_energy(tree.drives[j], q[0]); })
        sum += force.potential_energy(tree.drives[j], q[index(j)]);
  });
  return sum;
}

// The derivatives of torques with respect to the constants of the forces at a joint, in the order of their parameters.
template <class S>
void put_force_columns(const DriveConstants<ConstantOf<S>>& constants, const JointState<S>& x, std::span<S> y) {
  std::size_t next = 0;
  AllForces::for_each([&](auto force) {
    for (const S& column : force.template columns<S>(constants, x)) y[next++] = column;
  });
}

}  // namespace catena

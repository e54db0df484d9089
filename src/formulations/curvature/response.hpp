// Second derivatives of λᵀq̈ by positions, speeds and torques, from those of torques: with M μ = λ and the response of q̈
// to each of them, no other terms. Equations (17)-(19): docs/equations/curvature.md.
#pragma once

#include "forces/joint_forces.hpp"
#include "formulations/curvature/composite.hpp"
#include "formulations/linearize/response.hpp"

namespace catena {

// (17)
template <class S>
void find_multipliers(const MatrixView<S>& to_tau, std::span<const S> lambda, std::span<S> mu) {
  for (int i = 0; i < to_tau.n; ++i) {
    mu[index(i)] = S{};
    for (int j = 0; j < to_tau.n; ++j) mu[index(i)] += to_tau(j, i) * lambda[index(j)];
  }
}
// (18), (19) in place: what was by accelerations is then by torques.
template <class S>
void turn_to_accelerations(const Responses<S>& response, std::span<S> row, const SecondDerivatives<S>& H) {
  const int n = H.q_q.n;
  const auto times = [&](int j, const MatrixView<S>& by, int k) {  // (N by)_jk
    S sum{};
    for (int m = 0; m < n; ++m) sum += H.q_qdd(j, m) * by(m, k);
    return sum;
  };
  for (int j = 0; j < n; ++j)
    for (int k = 0; k < n; ++k) {
      const S turned = times(j, response.to_q, k);
      H.q_q(j, k) += turned;
      H.q_q(k, j) += turned;
      H.q_qd(j, k) += times(j, response.to_qd, k);
    }
  for (int j = 0; j < n; ++j) {
    for (int k = 0; k < n; ++k) row[index(k)] = times(j, response.to_tau, k);
    for (int k = 0; k < n; ++k) H.q_qdd(j, k) = row[index(k)];
  }
  for (const MatrixView<S>* matrix : {&H.q_q, &H.q_qd, &H.q_qdd, &H.qd_qd})
    for (S& entry : matrix->entries) entry = -entry;
}

template <class Responding, class Curving>
struct ResponseCurvature {
  static constexpr bool reference_only = is_reference_only<Curving>();

  template <class S>
  struct Workspace : Responding::template Workspace<S> {  // with its pivots, which are checked
    typename Curving::template Workspace<S> curving;
    Array<S> to_q, to_qd, to_tau, mu;

    explicit Workspace(const TreeFor<S>& robot)
        : Responding::template Workspace<S>(robot),
          curving(robot),
          to_q(index(robot.joints()) * index(robot.joints())),
          to_qd(to_q.size()),
          to_tau(to_q.size()),
          mu(index(robot.joints())) {}
  };

  template <class S>
  static void run(const TreeFor<S>& robot, const Inputs<S>& in, Workspace<S>& ws, const SecondDerivatives<S>& out) {
    const int n = robot.joints();
    const Responses<S> response{{ws.to_q, n}, {ws.to_qd, n}, {ws.to_tau, n}};
    Responding::template run<S>(robot, in.q, in.qd, in.tau, ws, response);
    find_multipliers<S>(response.to_tau, in.lambda, ws.mu);
    Curving::template run<S>(robot, {in.q, in.qd, ws.qdd}, ws.mu, ws.curving, out);
    add_joint_curvature<S>(robot, in.q, ws.mu, out.q_q);
    add_joint_rate_curvature<S>(robot, in.qd, ws.mu, out.qd_qd);
    turn_to_accelerations<S>(response, ws.mu, out);
  }
};

}  // namespace catena

#include "run_jobs.hpp"

#include <stdexcept>
#include <string>

#include "catena/dynamics/forward/drives.hpp"
#include "catena/dynamics/kinematics.hpp"
#include "catena/dynamics/registry.hpp"

namespace catena {
namespace {

using S = Expr;
using SymbolicRobot = BasicMechanism<Expr>;

// call(formulation) for the formulation of that name.
template <class Formulations, class Call>
void with_formulation(std::string_view method, Call&& call) {
  bool found = false;
  Formulations::for_each([&](auto formulation) {
    if (formulation.info.name != method) return;
    found = true;
    call(formulation);
  });
  if (!found) throw std::invalid_argument("no formulation '" + std::string(method) + "'");
}

void inverse(std::string_view method, const SymbolicRobot& robot, const Motion<S>& x, std::span<S> tau) {
  with_formulation<InverseFormulations>(method, [&](auto formulation) {
    using F = decltype(formulation);
    typename F::template Workspace<S> ws(robot);
    F::template run<S>(robot, x, {}, ws, tau);
  });
  add_drive_torques<S>(robot, x, tau);
}

void inertia(std::string_view method, const SymbolicRobot& robot, std::span<const S> q, const MatrixView<S>& M) {
  with_formulation<InertiaFormulations>(method, [&](auto formulation) {
    using F = decltype(formulation);
    typename F::template Workspace<S> ws(robot);
    F::template run<S>(robot, q, ws, M);
  });
  add_rotor_inertia<S>(robot, M);
}

void coriolis(std::string_view method, const SymbolicRobot& robot, const SymbolicState& x, const MatrixView<S>& C) {
  with_formulation<CoriolisFormulations>(method, [&](auto formulation) {
    using F = decltype(formulation);
    typename F::template Workspace<S> ws(robot);
    F::template run<S>(robot, x.q, x.qd, ws, C);
  });
}

void bias(std::string_view method, const SymbolicRobot& robot, const SymbolicState& x, std::span<S> b) {
  with_formulation<BiasFormulations>(method, [&](auto formulation) {
    using F = decltype(formulation);
    typename F::template Workspace<S> ws(robot);
    F::template run<S>(robot, x.q, x.qd, ws, b);
  });
  add_friction<S>(robot, x.qd, b);
}

void forward(std::string_view method, const SymbolicRobot& robot, const SymbolicState& x, std::span<S> qdd) {
  with_formulation<ForwardFormulations>(method, [&](auto formulation) {
    using F = decltype(formulation);
    typename F::template Workspace<S> ws(robot);
    F::template run<S>(robot, x.q, x.qd, std::span<const S>(x.tau), {}, ws, qdd);
  });
}

std::vector<Expr> pose(const SymbolicRobot& robot, const SymbolicState& x) {
  Kinematics<S> kinematics(robot);
  kinematics.update(x.q);
  const Pose<S> P = kinematics.pose(x.frame);
  const Mat3<S>& R = P.R;
  return {R.xx, R.xy, R.xz, P.p.x, R.yx, R.yy, R.yz, P.p.y, R.zx, R.zy, R.zz, P.p.z, S(0), S(0), S(0), S(1)};
}

std::vector<Expr> jacobian(const SymbolicRobot& robot, const SymbolicState& x) {
  const std::size_t n = x.q.size();
  Kinematics<S> kinematics(robot);
  kinematics.update(x.q);
  std::vector<JacobianColumn<S>> columns(n);
  kinematics.jacobian(x.frame, columns);
  std::vector<Expr> rows(6 * n);
  for (std::size_t j = 0; j < n; ++j) {
    const auto& [v, w] = columns[j];
    const S entries[] = {v.x, v.y, v.z, w.x, w.y, w.z};
    for (std::size_t k = 0; k < 6; ++k) rows[k * n + j] = entries[k];
  }
  return rows;
}

}  // namespace

std::vector<Expr> run_job(std::string_view job, std::string_view method, const SymbolicRobot& robot,
                          const SymbolicState& x) {
  const int n = robot.n();
  if (job == "pose") return pose(robot, x);
  if (job == "jacobian") return jacobian(robot, x);
  std::vector<Expr> vector(index(n)), matrix;
  if (job == "inertia" || job == "coriolis") {
    matrix.resize(index(n) * index(n));
    const MatrixView<S> view{matrix, n};
    if (job == "inertia") inertia(method, robot, x.q, view);
    if (job == "coriolis") coriolis(method, robot, x, view);
    return matrix;
  }
  const std::vector<Expr> zeros(index(n));
  if (job == "inverse") inverse(method, robot, {x.q, x.qd, x.qdd}, vector);
  if (job == "gravity") inverse(method, robot, {x.q, zeros, zeros}, vector);
  if (job == "bias") bias(method, robot, x, vector);
  if (job == "forward") forward(method, robot, x, vector);
  return vector;
}

}  // namespace catena

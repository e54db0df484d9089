// A job of generated code by the library's own run-time path: what generated code is held against.
#pragma once

#include <string_view>
#include <vector>

#include "catena/codegen/program.hpp"
#include "catena/dynamics/forward_dynamics.hpp"
#include "catena/dynamics/inverse_dynamics.hpp"
#include "catena/dynamics/kinematics.hpp"
#include "catena/dynamics/matrices.hpp"
#include "support/random_robot.hpp"

namespace catena::test {

// Results in rows, full matrices. `tau` drives forward dynamics.
inline std::vector<double> generic_job(std::string_view job, const Mechanism& robot, const State& x,
                                       const std::vector<double>& tau, int frame) {
  const std::size_t n = x.q.size();
  std::vector<double> vector(n), matrix(n * n);
  if (job == "inverse") InverseDynamics<double>{robot}(x.q, x.qd, x.qdd, vector);
  if (job == "gravity") InverseDynamics<double>(robot).gravity(x.q, vector);
  if (job == "bias") BiasVector<double>{robot}(x.q, x.qd, vector);
  if (job == "forward") ForwardDynamics<double>{robot}(x.q, x.qd, tau, vector);
  if (job == "inertia") return InertiaMatrix<double>{robot}(x.q, matrix), matrix;
  if (job == "coriolis") return CoriolisMatrix<double>{robot}(x.q, x.qd, matrix), matrix;
  Kinematics<double> kinematics(robot);
  if (job == "pose") {
    kinematics.update(x.q);
    const auto [R, p] = kinematics.pose(frame);
    return {R.xx, R.xy, R.xz, p.x, R.yx, R.yy, R.yz, p.y, R.zx, R.zy, R.zz, p.z, 0.0, 0.0, 0.0, 1.0};
  }
  if (job == "jacobian") {
    kinematics.update(x.q);
    std::vector<JacobianColumn<double>> columns(n);
    kinematics.jacobian(frame, columns);
    std::vector<double> rows(6 * n);
    for (std::size_t j = 0; j < n; ++j) {
      const auto& [v, w] = columns[j];
      const double entries[] = {v.x, v.y, v.z, w.x, w.y, w.z};
      for (std::size_t k = 0; k < 6; ++k) rows[k * n + j] = entries[k];
    }
    return rows;
  }
  return vector;
}

// The values of a program's inputs in a row.
inline std::vector<double> input_values(const Program& program, const State& x, const std::vector<double>& tau) {
  std::vector<double> values;
  for (const Argument& input : program.inputs) {
    const auto& source = input.name == "q" ? x.q : input.name == "qd" ? x.qd : input.name == "qdd" ? x.qdd : tau;
    values.insert(values.end(), source.begin(), source.end());
  }
  return values;
}

}  // namespace catena::test

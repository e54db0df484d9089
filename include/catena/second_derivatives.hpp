// The second derivatives of every torque or acceleration: the job `curvature` or `response_curvature` with λ = e_i, for
// each i in turn. And those of a frame's position. docs/linear-models.md
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "catena/call.hpp"
#include "catena/kinematics.hpp"

namespace catena {

template <class S>
class SecondDerivativeTensors {
 public:
  explicit SecondDerivativeTensors(const Mechanism& robot, std::string_view job = "curvature")
      : call_(robot, job), lambda_(static_cast<std::size_t>(robot.nv())) {}

  // The number of results: those of the job, as many times as there are velocities.
  std::size_t size() const { return lambda_.size() * call_.size(); }
  const JobInfo& job() const { return call_.job(); }
  // All results of the job for τ_1 or q̈_1, then for the next. λ of `in` is not read. Throws as a call does.
  void operator()(Inputs<S> in, std::span<S> out) {
    in.lambda = lambda_;
    const std::size_t each = call_.size();
    for (std::size_t i = 0; i < lambda_.size(); ++i) {
      lambda_[i] = S(1);
      call_(in, out.subspan(i * each, each));
      lambda_[i] = S(0);
    }
  }

 private:
  Call<S> call_;
  std::vector<S> lambda_;
};

// ∂²p/∂q_j∂q_k of a frame's origin p in the world: three symmetric matrices, by x, y and z. The Jacobian's rate at a
// unit speed of coordinate k is its derivative by that coordinate. Along a free base, whose turns do not commute, this
// is the mean of both orders. Calls allocate nothing.
template <class S>
class PositionHessian {
 public:
  explicit PositionHessian(const MechanismFor<S>& robot)
      : kinematics_(robot), speeds_(static_cast<std::size_t>(robot.nv())), columns_(speeds_.size()) {}

  std::size_t size() const { return 3 * speeds_.size() * speeds_.size(); }
  void operator()(std::span<const S> q, int frame, std::span<S> out) {
    const std::size_t n = speeds_.size();
    const S half = S(0.5);
    for (S& entry : out) entry = S(0);
    for (std::size_t k = 0; k < n; ++k) {
      speeds_[k] = S(1);
      kinematics_.update(q, speeds_);
      speeds_[k] = S(0);
      kinematics_.jacobian_derivative(frame, columns_);
      for (std::size_t j = 0; j < n; ++j) {
        const Vec3<S>& p = columns_[j].linear;
        const S rows[] = {p.x, p.y, p.z};
        for (std::size_t r = 0; r < 3; ++r) {
          out[(r * n + j) * n + k] += half * rows[r];
          out[(r * n + k) * n + j] += half * rows[r];
        }
      }
    }
  }

 private:
  Kinematics<S> kinematics_;
  std::vector<S> speeds_;
  std::vector<JacobianColumn<S>> columns_;
};

}  // namespace catena

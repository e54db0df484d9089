#include "run/curvature.hpp"

#include <stdexcept>

#include "catena/model/regroup.hpp"
#include "catena/scalar/dual.hpp"
#include "formulations/linearize/tensor.hpp"
#include "jobs/checks.hpp"

namespace catena {

struct Curvature::Impl {
  using S = Dual<double>;
  Mechanism robot;
  TensorLinearized::Workspace<S> linearized;
  std::vector<S> q, qd, qdd, D, V, P;

  explicit Impl(const Mechanism& given)
      : robot(optimize(given)),
        linearized(robot),
        q(index(robot.joints())),
        qd(q.size()),
        qdd(q.size()),
        D(q.size() * q.size()),
        V(D.size()),
        P(D.size()) {}

  // D, V and P, and their derivatives along one input.
  void differentiate(std::vector<S>& along, std::size_t k) {
    along[k].derivative = 1.0;
    TensorLinearized::run<S>(robot, {q, qd, qdd}, linearized,
                             {{D, robot.joints()}, {V, robot.joints()}, {P, robot.joints()}});
    along[k].derivative = 0.0;
  }
  // Column k of the result: λᵀ times the derivative of a matrix.
  void contract(const std::vector<S>& change, std::span<const double> lambda, std::size_t k,
                std::vector<double>& out) const {
    const std::size_t n = q.size();
    for (std::size_t j = 0; j < n; ++j) {
      double sum = 0.0;
      for (std::size_t i = 0; i < n; ++i) sum += lambda[i] * change[i * n + j].derivative;
      out[j * n + k] = sum;
    }
  }
};

Curvature::Curvature(const Mechanism& robot) : impl_(std::make_unique<Impl>(robot)) {
  require_fixed_base(robot, "second derivatives do");
  require_uncoupled(robot, "second derivatives");
}
Curvature::~Curvature() = default;
Curvature::Curvature(Curvature&&) noexcept = default;
Curvature& Curvature::operator=(Curvature&&) noexcept = default;

void Curvature::operator()(std::span<const double> q, std::span<const double> qd, std::span<const double> qdd,
                           std::span<const double> lambda, Result& out) {
  Impl& p = *impl_;
  const std::size_t n = p.q.size();
  require_length(q.size(), n, "q");
  require_length(qd.size(), n, "qd");
  require_length(qdd.size(), n, "qdd");
  require_length(lambda.size(), n, "lambda");
  for (std::size_t j = 0; j < n; ++j) p.q[j] = {q[j], 0.0}, p.qd[j] = {qd[j], 0.0}, p.qdd[j] = {qdd[j], 0.0};
  for (auto* matrix : {&out.q_q, &out.q_qd, &out.q_qdd, &out.qd_qd}) matrix->assign(n * n, 0.0);
  for (std::size_t k = 0; k < n; ++k) {
    p.differentiate(p.q, k);
    p.contract(p.P, lambda, k, out.q_q);
    p.contract(p.D, lambda, k, out.q_qdd);  // by acceleration j and position k: transposed below
    p.differentiate(p.qd, k);
    p.contract(p.P, lambda, k, out.q_qd);
    p.contract(p.V, lambda, k, out.qd_qd);
  }
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t k = 0; k < j; ++k) std::swap(out.q_qdd[j * n + k], out.q_qdd[k * n + j]);
  for (const auto* matrix : {&out.q_q, &out.q_qd, &out.q_qdd, &out.qd_qd})
    if (!all_finite<double>(*matrix)) throw std::domain_error("the second derivatives are not finite");
}

}  // namespace catena

#include "run/perturbation.hpp"

#include <cmath>
#include <stdexcept>
#include <vector>

#include "catena/model/regroup.hpp"
#include "catena/scalar/dual.hpp"
#include "forces/joint_forces.hpp"
#include "formulations/inverse/tensor_augmented.hpp"
#include "formulations/linearize/transposed.hpp"
#include "jobs/checks.hpp"

namespace catena {

struct Perturbation::Impl {
  using S = Dual<double>;
  Mechanism robot;
  TensorAugmented::Workspace<S> inverse;
  GeneralizedForces<S> forces;
  std::vector<S> q, qd, qdd, tau;
  std::vector<ExternalWrench<S>> wrenches;
  TransposedProducts::Workspace<double> transposed;

  explicit Impl(const Mechanism& given)
      : robot(optimize(given)),
        inverse(robot),
        forces(robot),
        q(index(robot.joints())),
        qd(q.size()),
        qdd(q.size()),
        tau(q.size()),
        transposed(robot) {
    require_uncoupled(robot, "perturbations");
    require_fixed_base(robot, "perturbations do");
    wrenches.reserve(16);
  }
  static void load(std::span<const double> value, std::span<const double> change, std::vector<S>& out, const char* name,
                   const char* name_of_change) {
    require_length(value.size(), out.size(), name);
    require_length(change.size(), out.size(), name_of_change);
    for (std::size_t j = 0; j < out.size(); ++j) out[j] = S(value[j], change[j]);
  }
  // Forces at a joint do not affect the other joints.
  void add_forces(const Motion& at, std::span<const double> lambda, const Gradient& out) const {
    if (!robot.has_drives) return;
    AllForces::for_each([&](auto force) {
      for (const TreeJoint j : robot.all_joints()) {
        const auto& drive = robot.drives[j];
        if constexpr (requires { force.stiffness(drive, at.q[0]); })
          out.q[index(j)] += force.stiffness(drive, at.q[index(j)]) * lambda[index(j)];
        if constexpr (requires { force.damping(drive, at.qd[0]); })
          out.qd[index(j)] += force.damping(drive, at.qd[index(j)]) * lambda[index(j)];
        if constexpr (requires { force.inertia(drive); }) out.qdd[index(j)] += force.inertia(drive) * lambda[index(j)];
      }
    });
  }
};

Perturbation::Perturbation(const Mechanism& robot) : impl_(std::make_unique<Impl>(robot)) {}
Perturbation::~Perturbation() = default;
Perturbation::Perturbation(Perturbation&&) noexcept = default;
Perturbation& Perturbation::operator=(Perturbation&&) noexcept = default;

void Perturbation::operator()(const Motion& at, const Motion& change, std::span<double> tau,
                              std::span<double> tau_change, std::span<const ExternalWrench<double>> wrenches) {
  using S = Impl::S;
  Impl& p = *impl_;
  Impl::load(at.q, change.q, p.q, "q", "the change of q");
  Impl::load(at.qd, change.qd, p.qd, "qd", "the change of qd");
  Impl::load(at.qdd, change.qdd, p.qdd, "qdd", "the change of qdd");
  if (!tau.empty()) require_length(tau.size(), p.tau.size(), "tau");
  require_length(tau_change.size(), p.tau.size(), "the change of tau");
  TensorAugmented::run<S>(p.robot, {p.q, p.qd, p.qdd}, p.inverse, p.tau);
  add_joint_torques<S>(p.robot, {p.q, p.qd, p.qdd}, p.tau);
  if (!wrenches.empty()) {
    p.wrenches.clear();
    for (const auto& w : wrenches)
      p.wrenches.push_back({w.frame, static_cast<Vec3<S>>(w.force), static_cast<Vec3<S>>(w.moment), w.axes});
    const std::span<const S> pushes = p.forces.find(p.robot, p.q, p.wrenches);
    for (std::size_t j = 0; j < p.tau.size(); ++j) p.tau[j] -= pushes[j];
  }
  for (std::size_t j = 0; j < p.tau.size(); ++j) {
    if (!std::isfinite(p.tau[j].value) || !std::isfinite(p.tau[j].derivative))
      throw std::domain_error("the change of the torque of joint '" + p.robot.joint_names[TreeJoint(j)] +
                              "' is not finite");
    if (!tau.empty()) tau[j] = p.tau[j].value;
    tau_change[j] = p.tau[j].derivative;
  }
}

void Perturbation::transposed(const Motion& at, std::span<const double> lambda, const Gradient& out,
                              std::span<const ExternalWrench<double>> wrenches) {
  Impl& p = *impl_;
  const std::size_t n = p.q.size();
  require_length(at.q.size(), n, "q");
  require_length(at.qd.size(), n, "qd");
  require_length(at.qdd.size(), n, "qdd");
  require_length(lambda.size(), n, "lambda");
  for (const std::span<double> result : {out.q, out.qd, out.qdd}) require_length(result.size(), n, "a gradient");
  TransposedProducts::run<double>(p.robot, {at.q, at.qd, at.qdd}, lambda, wrenches, p.transposed,
                                  {out.q, out.qd, out.qdd});
  p.add_forces(at, lambda, out);
  for (std::size_t j = 0; j < n; ++j) {
    if (!std::isfinite(out.q[j]) || !std::isfinite(out.qd[j]) || !std::isfinite(out.qdd[j]))
      throw std::domain_error("the gradient by the motion of joint '" + p.robot.joint_names[TreeJoint(j)] +
                              "' is not finite");
  }
}

}  // namespace catena

// λᵀ∂²τ of a robot with closed loops: its linearized model on dual numbers, once per position and once per speed. The
// positions of all joints are found first; along a coordinate each changes by its rate. docs/equations/curvature.md
#include <array>
#include <vector>

#include "catena/math/quaternion.hpp"
#include "catena/scalar/dual.hpp"
#include "coordinates/charted_runner.hpp"
#include "coordinates/placement.hpp"
#include "jobs/inverse.hpp"
#include "jobs/linearize.hpp"
#include "run/charted_curvature.hpp"
#include "run/runner_of.hpp"

namespace catena {
namespace {

using D = Dual<double>;

std::unique_ptr<Runner<D>> make_on_dual(std::string_view job, std::shared_ptr<const TreeFor<D>> tree,
                                        std::string_view) {
  if (job == "linearize") return std::make_unique<RunnerOf<LinearizeJob, TensorLinearized, D>>(std::move(tree));
  return std::make_unique<RunnerOf<InverseJob, TensorAugmented, D>>(std::move(tree));
}

template <class S>
class LoopCurvature final : public Runner<S> {
 public:
  LoopCurvature(std::shared_ptr<const Mechanism> robot, const FormulationInfo& asked)
      : Runner<S>(asked),
        robot_(std::move(robot)),
        placement_(robot_),
        chart_(robot_->coordinates, *robot_),
        linearize_(make_linearize()),
        rate_(index(robot_->nv())),
        matrices_(3 * rate_.size() * rate_.size()) {}
  LoopCurvature(const LoopCurvature& other) : LoopCurvature(other.robot_, other.formulation) {}
  std::unique_ptr<Runner<S>> clone() const override { return std::make_unique<LoopCurvature>(*this); }

  Doubt<S> run(const Inputs<S>& in, std::span<S> out) override {
    for (const Input input : {Input::q, Input::qd, Input::qdd, Input::lambda, Input::base_motion}) {
      const std::span<const S> given = in[input];
      plain_[std::size_t(input)].assign(given.begin(), given.end());
    }
    const std::vector<double>& q = plain_[std::size_t(Input::q)];
    load(placement_(q), Input::q);
    for (const Input input : {Input::qd, Input::qdd, Input::base_motion}) load(plain_[std::size_t(input)], input);
    const SecondDerivatives<S> H = second_derivatives(out, robot_->nv());
    for (int k = 0; k < robot_->nv(); ++k) {
      find_rates(q, k);
      differentiate();
      for (D& entry : dual_[std::size_t(Input::q)]) entry.derivative = 0.0;
      for (int j = 0; j < robot_->nv(); ++j) {
        H.q_q(j, k) = weighed(2, j);
        H.q_qdd(k, j) = weighed(0, j);
      }
      dual_[std::size_t(Input::qd)][index(k)].derivative = 1.0;
      differentiate();
      dual_[std::size_t(Input::qd)][index(k)].derivative = 0.0;
      for (int j = 0; j < robot_->nv(); ++j) {
        H.q_qd(j, k) = weighed(2, j);
        H.qd_qd(j, k) = weighed(1, j);
      }
    }
    return not_finite<S>(out);
  }
  void check(const Inputs<S>& in, std::span<const S> out) override {
    if (!all_finite<S>(out)) report_not_finite<S>(in, "the curvature");
  }

 private:
  std::unique_ptr<Runner<D>> make_linearize() const {
    const JobInfo& job = job_info("linearize");
    return std::make_unique<ChartedRunner<D>>(std::make_shared<const Mechanism>(with_all_positions(*robot_)), job,
                                              job.formulation(TensorLinearized::info.name), make_on_dual);
  }
  void load(std::span<const double> values, Input input) {
    auto& list = dual_[std::size_t(input)];
    list.assign(values.begin(), values.end());
  }
  // The rates of all positions at a unit speed of coordinate k.
  void find_rates(const std::vector<double>& q, int k) {
    rate_[index(k)] = 1.0;
    const std::span<const double> of_tree = chart_.place({.q = q, .qd = rate_}).qd;
    rate_[index(k)] = 0.0;
    const auto& movers = robot_->coordinates.closure.movers;
    auto& all = dual_[std::size_t(Input::q)];
    const std::size_t more = robot_->coordinates.is_free() ? 1 : 0;
    for (std::size_t m = 0; m < movers.size(); ++m) all[m + more].derivative = of_tree[index(movers[m])];
    if (more > 0) turn_base(k);
  }
  // ṗ = R v, ξ̇ = ½ ξ ⊗ (ω, 0)
  void turn_base(int k) {
    auto& all = dual_[std::size_t(Input::q)];
    for (std::size_t e = 0; e < 7; ++e) all[e].derivative = 0.0;
    const double x = all[3].value, y = all[4].value, z = all[5].value, w = all[6].value;
    const Mat3<double> R = rotation_of(x, y, z, w);
    const Vec3<double> axis{k % 3 == 0 ? 1.0 : 0.0, k % 3 == 1 ? 1.0 : 0.0, k % 3 == 2 ? 1.0 : 0.0};
    if (k < 3) {
      const Vec3<double> p = R * axis;
      all[0].derivative = p.x, all[1].derivative = p.y, all[2].derivative = p.z;
    } else if (k < base_joints) {
      const Vec3<double> xi{x, y, z}, turned = 0.5 * (w * axis + cross(xi, axis));
      all[3].derivative = turned.x, all[4].derivative = turned.y, all[5].derivative = turned.z;
      all[6].derivative = -0.5 * dot(xi, axis);
    }
  }
  void differentiate() {
    Inputs<D> in;
    for (const Input input : {Input::q, Input::qd, Input::qdd, Input::base_motion})
      in[input] = dual_[std::size_t(input)];
    linearize_->run(in, matrices_);
  }
  // λᵀ times a column of the change of D, V or P.
  S weighed(int matrix, int column) const {
    const std::size_t n = rate_.size();
    const std::vector<double>& lambda = plain_[std::size_t(Input::lambda)];
    double sum = 0.0;
    for (std::size_t i = 0; i < n; ++i)
      sum += lambda[i] * matrices_[(index(matrix) * n + i) * n + index(column)].derivative;
    return static_cast<S>(sum);
  }

  std::shared_ptr<const Mechanism> robot_;
  PlacementOf<double> placement_;
  Chart<double> chart_;
  std::unique_ptr<Runner<D>> linearize_;
  std::vector<double> rate_;
  std::vector<D> matrices_;
  std::array<std::vector<double>, std::size(all_inputs)> plain_;
  std::array<std::vector<D>, std::size(all_inputs)> dual_;
};

}  // namespace

template <>
std::unique_ptr<Runner<double>> make_loop_curvature(std::shared_ptr<const Mechanism> robot,
                                                    const FormulationInfo& asked) {
  return std::make_unique<LoopCurvature<double>>(std::move(robot), asked);
}
template <>
std::unique_ptr<Runner<float>> make_loop_curvature(std::shared_ptr<const BasicMechanism<float>> robot,
                                                   const FormulationInfo& asked) {
  return std::make_unique<LoopCurvature<float>>(std::make_shared<const Mechanism>(robot->cast<double>()), asked);
}

}  // namespace catena

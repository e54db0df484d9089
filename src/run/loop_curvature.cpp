// λᵀ∂²τ of a robot with closed loops: its linearized model on dual numbers, once per position and once per speed. The
// positions of all joints are found first; along a coordinate each changes by its rate. docs/equations/curvature.md
#include <array>
#include <vector>

#include "coordinates/charted_runner.hpp"
#include "jobs/inverse.hpp"
#include "jobs/linearize.hpp"
#include "run/charted_curvature.hpp"
#include "run/positions_along.hpp"
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
        positions_(robot_),
        linearize_(make_linearize()),
        matrices_(3 * index(robot_->nv()) * index(robot_->nv())) {
    const std::size_t most = robot_->coordinates.closure.movers.size() + base_motion_size;  // calls allocate nothing
    plain_.reserve(most), still_.reserve(most);
    for (std::vector<D>& list : dual_) list.reserve(most);
  }
  LoopCurvature(const LoopCurvature& other) : LoopCurvature(other.robot_, other.formulation) {}
  std::unique_ptr<Runner<S>> clone() const override { return std::make_unique<LoopCurvature>(*this); }

  Doubt<S> run(const Inputs<S>& in, std::span<S> out) override {
    plain_.assign(in.q.begin(), in.q.end());
    positions_.set(plain_);
    plain_.assign(in.lambda.begin(), in.lambda.end());
    for (const Input input : {Input::qd, Input::qdd, Input::base_motion}) load(in[input], input);
    const SecondDerivatives<S> H = second_derivatives(out, robot_->nv());
    for (int k = 0; k < robot_->nv(); ++k) {
      differentiate(positions_.along(k));
      for (int j = 0; j < robot_->nv(); ++j) {
        H.q_q(j, k) = weighed(2, j);
        H.q_qdd(k, j) = weighed(0, j);
      }
      still_.assign(in_.q.begin(), in_.q.end());
      for (D& entry : still_) entry.derivative = 0.0;
      dual_[std::size_t(Input::qd)][index(k)].derivative = 1.0;
      differentiate(still_);
      dual_[std::size_t(Input::qd)][index(k)].derivative = 0.0;
      for (int j = 0; j < robot_->nv(); ++j) {
        H.q_qd(j, k) = weighed(2, j);
        H.qd_qd(j, k) = weighed(1, j);
      }
    }
    return not_finite<S>(out);
  }
  void check(const Inputs<S>& in, std::span<const S> out) override {
    if (all_finite<S>(out)) return;
    if constexpr (std::same_as<S, double>) report_not_finite<S>(in, "the curvature");
    throw std::domain_error("the curvature is not finite: a number is not, or is too large to compute with");
  }

 private:
  std::unique_ptr<Runner<D>> make_linearize() const {
    const JobInfo& job = job_info("linearize");
    return std::make_unique<ChartedRunner<D>>(std::make_shared<const Mechanism>(with_all_positions(*robot_)), job,
                                              job.formulation(TensorLinearized::info.name), make_on_dual);
  }
  void load(std::span<const S> values, Input input) {
    auto& list = dual_[std::size_t(input)];
    list.clear();
    for (const S value : values) list.emplace_back(static_cast<double>(value));
  }
  void differentiate(std::span<const D> q) {
    for (const Input input : {Input::qd, Input::qdd, Input::base_motion}) in_[input] = dual_[std::size_t(input)];
    in_.q = q;
    linearize_->run(in_, matrices_);
  }
  // λᵀ times a column of the change of D, V or P.
  S weighed(int matrix, int column) const {
    const std::size_t n = index(robot_->nv());
    double sum = 0.0;
    for (std::size_t i = 0; i < n; ++i)
      sum += plain_[i] * matrices_[(index(matrix) * n + i) * n + index(column)].derivative;
    return static_cast<S>(sum);
  }

  std::shared_ptr<const Mechanism> robot_;
  PositionsAlong positions_;
  std::unique_ptr<Runner<D>> linearize_;
  std::vector<D> matrices_, still_;
  std::vector<double> plain_;  // q, then λ
  std::array<std::vector<D>, std::size(all_inputs)> dual_;
  Inputs<D> in_{};
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

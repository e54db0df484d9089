// λᵀ∂²τ of robots with closed loops in extended precision, as run/loop_curvature.cpp has it in machine numbers: the
// linearized model on dual numbers, along each coordinate and along its speed.
#include "coordinates/charted_runner.hpp"
#include "jobs/inverse.hpp"
#include "jobs/linearize.hpp"
#include "run/runner_of.hpp"
#include "support/extended.hpp"

namespace catena {
namespace {

using D = Dual<Extended>;

std::unique_ptr<Runner<D>> make_on_dual(std::string_view job, std::shared_ptr<const TreeFor<D>> tree,
                                        std::string_view) {
  if (job == "linearize") return std::make_unique<RunnerOf<LinearizeJob, TensorLinearized, D>>(std::move(tree));
  return std::make_unique<RunnerOf<InverseJob, TensorAugmented, D>>(std::move(tree));
}

// For a robot that takes all positions: with_all_positions().
class LoopCurvature final : public Runner<Extended> {
 public:
  LoopCurvature(std::shared_ptr<const Mechanism> robot, const FormulationInfo& asked)
      : Runner<Extended>(asked),
        robot_(std::move(robot)),
        chart_(robot_->coordinates, *robot_),
        linearize_(robot_, job_info("linearize"), TensorLinearized::info, make_on_dual) {}
  std::unique_ptr<Runner<Extended>> clone() const override { return std::make_unique<LoopCurvature>(*this); }

  Doubt<Extended> run(const Inputs<Extended>& in, std::span<Extended> out) override {
    const int n = robot_->nv();
    const SecondDerivatives<Extended> H = second_derivatives(out, n);
    for (int k = 0; k < n; ++k) {
      std::vector<D> qd = duals(in.qd);
      const std::vector<Extended> along_q = differentiated(in, along(in.q, k), qd);
      qd[index(k)].derivative = 1.0L;
      const std::vector<Extended> along_qd = differentiated(in, duals(in.q), qd);
      const auto weighed = [&](const std::vector<Extended>& matrices, int matrix, int column) {
        Extended sum;
        for (int i = 0; i < n; ++i) sum += in.lambda[index(i)] * matrices[index((matrix * n + i) * n + column)];
        return sum;
      };
      for (int j = 0; j < n; ++j) {
        H.q_q(j, k) = weighed(along_q, 2, j);
        H.q_qdd(k, j) = weighed(along_q, 0, j);
        H.q_qd(j, k) = weighed(along_qd, 2, j);
        H.qd_qd(j, k) = weighed(along_qd, 1, j);
      }
    }
    return {};
  }
  void check(const Inputs<Extended>&, std::span<const Extended>) override {}

 private:
  static std::vector<D> duals(std::span<const Extended> values) { return {values.begin(), values.end()}; }
  std::vector<Extended> differentiated(const Inputs<Extended>& in, const std::vector<D>& q, const std::vector<D>& qd) {
    const std::vector<D> qdd = duals(in.qdd), base = duals(in.base);
    std::vector<D> all(3 * qd.size() * qd.size());
    linearize_.run({.q = q, .qd = qd, .qdd = qdd, .base = base}, all);
    std::vector<Extended> out;
    for (const D& entry : all) out.push_back(entry.derivative);
    return out;
  }
  // All positions at a unit speed of coordinate k: run/positions_along.hpp.
  std::vector<D> along(std::span<const Extended> q, int k) const {
    std::vector<D> out = duals(q);
    std::vector<Extended> speed(index(robot_->nv()));
    speed[index(k)] = 1.0L;
    const std::span<const Extended> rates = chart_.place({.q = q, .qd = speed}).qd;
    const bool free = robot_->coordinates.is_free();
    const auto& movers = robot_->coordinates.closure.movers;
    for (std::size_t m = free ? base_joints : 0; m < movers.size(); ++m)
      out[m + (free ? 1 : 0)].derivative = rates[index(static_cast<int>(movers[m]))];
    if (free && k < base_joints) move_base(out, k);
    return out;
  }
  // ṗ = R v, ξ̇ = ½ ξ ⊗ (ω, 0)
  static void move_base(std::vector<D>& q, int k) {
    const auto put = [&](const Vec3<Extended>& v, std::size_t at) {
      q[at].derivative = v.x, q[at + 1].derivative = v.y, q[at + 2].derivative = v.z;
    };
    const Vec3<Extended> xi{q[3].value, q[4].value, q[5].value};
    const Extended w = q[6].value;
    const Vec3<Extended> axis{k % 3 == 0 ? 1.0L : 0.0L, k % 3 == 1 ? 1.0L : 0.0L, k % 3 == 2 ? 1.0L : 0.0L};
    if (k < 3) return put(rotation_of(xi.x, xi.y, xi.z, w) * axis, 0);
    put(Extended(0.5L) * (w * axis + cross(xi, axis)), 3);
    q[6].derivative = Extended(-0.5L) * dot(xi, axis);
  }

  std::shared_ptr<const Mechanism> robot_;
  Chart<Extended> chart_;
  ChartedRunner<D> linearize_;
};

}  // namespace

template <>
std::unique_ptr<Runner<Extended>> make_loop_curvature(std::shared_ptr<const Mechanism> robot,
                                                      const FormulationInfo& asked) {
  return std::make_unique<LoopCurvature>(std::move(robot), asked);
}

}  // namespace catena

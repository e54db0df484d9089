#include "generic_job.hpp"

#include "catena/dynamics/forward_dynamics.hpp"
#include "catena/dynamics/inverse_dynamics.hpp"
#include "catena/dynamics/kinematics.hpp"
#include "catena/dynamics/matrices.hpp"

namespace catena::jit {
namespace {

// A call of the dynamics layer and how it takes its arguments.
template <class Call, class Apply>
class DynamicsJob final : public GenericJob {
 public:
  DynamicsJob(const Mechanism& robot, const std::string& method, Apply apply) : call_(robot, method), apply_(apply) {}
  void run(const Inputs<double>& in, std::span<double> out) override { apply_(call_, in, out); }
  std::string method() const override { return std::string(call_.method().name); }

 private:
  Call call_;
  Apply apply_;
};

template <class Call, class Apply>
std::unique_ptr<GenericJob> make(const Mechanism& robot, const std::string& method, Apply apply) {
  return std::make_unique<DynamicsJob<Call, Apply>>(robot, method, apply);
}

class FrameJob : public GenericJob {
 public:
  FrameJob(const Mechanism& robot, int frame)
      : robot_(robot), frame_(frame < 0 ? robot.tool : frame), kinematics_(robot_) {}
  std::string method() const override { return "kinematics"; }

 protected:
  Mechanism robot_;
  int frame_;
  Kinematics<double> kinematics_;
};

class PoseJob final : public FrameJob {
 public:
  using FrameJob::FrameJob;
  void run(const Inputs<double>& in, std::span<double> T) override {
    kinematics_.update(in.q);
    const auto [R, p] = kinematics_.pose(frame_);
    const double entries[] = {R.xx, R.xy, R.xz, p.x, R.yx, R.yy, R.yz, p.y, R.zx, R.zy, R.zz, p.z, 0.0, 0.0, 0.0, 1.0};
    std::copy(std::begin(entries), std::end(entries), T.begin());
    if (!all_finite<double>(T)) report_not_finite(in, "the pose");
  }
};

class JacobianJob final : public FrameJob {
 public:
  JacobianJob(const Mechanism& robot, int frame) : FrameJob(robot, frame), columns_(robot.links.size()) {}
  void run(const Inputs<double>& in, std::span<double> J) override {
    kinematics_.update(in.q);
    kinematics_.jacobian(frame_, columns_);
    const std::size_t n = columns_.size();
    for (std::size_t j = 0; j < n; ++j) {
      const auto& [v, w] = columns_[j];
      const double entries[] = {v.x, v.y, v.z, w.x, w.y, w.z};
      for (std::size_t k = 0; k < 6; ++k) J[k * n + j] = entries[k];
    }
    if (!all_finite<double>(J)) report_not_finite(in, "the Jacobian");
  }

 private:
  std::vector<JacobianColumn<double>> columns_;
};

}  // namespace

std::unique_ptr<GenericJob> make_generic_job(std::string_view job, const Mechanism& robot, const std::string& method,
                                             int frame) {
  using In = const Inputs<double>&;
  using Out = std::span<double>;
  if (job == "inverse")
    return make<InverseDynamics<double>>(robot, method,
                                         [](auto& call, In in, Out out) { call(in.q, in.qd, in.qdd, out); });
  if (job == "gravity")
    return make<InverseDynamics<double>>(robot, method, [](auto& call, In in, Out out) { call.gravity(in.q, out); });
  if (job == "inertia")
    return make<InertiaMatrix<double>>(robot, method, [](auto& call, In in, Out out) { call(in.q, out); });
  if (job == "bias")
    return make<BiasVector<double>>(robot, method, [](auto& call, In in, Out out) { call(in.q, in.qd, out); });
  if (job == "coriolis")
    return make<CoriolisMatrix<double>>(robot, method, [](auto& call, In in, Out out) { call(in.q, in.qd, out); });
  if (job == "forward")
    return make<ForwardDynamics<double>>(robot, method,
                                         [](auto& call, In in, Out out) { call(in.q, in.qd, in.tau, out); });
  if (job == "pose") return std::make_unique<PoseJob>(robot, frame);
  if (job == "jacobian") return std::make_unique<JacobianJob>(robot, frame);
  throw std::invalid_argument("no call for '" + std::string(job) +
                              "'; known: inverse, gravity, inertia, bias, coriolis, forward, pose, jacobian");
}

}  // namespace catena::jit

// Second derivatives of robots with a chart that are not pulled back from the tree. Those of accelerations follow in
// the user's coordinates from the response and from those of torques, for any chart. Those of torques through closed
// loops: run/loop_curvature.cpp. Equations: docs/equations/curvature.md.
#pragma once

#include <concepts>
#include <memory>
#include <stdexcept>
#include <utility>

#include "formulations/curvature/response.hpp"
#include "jobs/checks.hpp"
#include "jobs/runner.hpp"

namespace catena {

template <class S>
class ChartedResponseCurvature final : public Runner<S> {
 public:
  using Robot = std::shared_ptr<const MechanismFor<S>>;
  using Maker = std::unique_ptr<Runner<S>> (*)(std::string_view, Robot, std::string_view, TreeRunnerMaker<S>);

  ChartedResponseCurvature(const Robot& robot, const JobInfo& job, const FormulationInfo& asked,
                           TreeRunnerMaker<S> on_tree, Maker make)
      : Runner<S>(asked),
        job_(&job),
        n_(robot->nv()),
        matrices_(3 * index(n_) * index(n_)),
        qdd_(index(n_)),
        mu_(index(n_)) {
    const auto made = [&](std::string_view name) {
      return make(name, robot, job_info(name).standard_for(*robot), on_tree);
    };
    response_ = made("response"), forward_ = made("forward"), curvature_ = made("curvature");
  }
  ChartedResponseCurvature(const ChartedResponseCurvature& other)
      : Runner<S>(other),
        job_(other.job_),
        n_(other.n_),
        matrices_(other.matrices_),
        qdd_(other.qdd_),
        mu_(other.mu_),
        response_(other.response_->clone()),
        forward_(other.forward_->clone()),
        curvature_(other.curvature_->clone()) {}
  std::unique_ptr<Runner<S>> clone() const override { return std::make_unique<ChartedResponseCurvature>(*this); }

  Doubt<S> run(const Inputs<S>& in, std::span<S> out) override {
    Doubt<S> doubt = response_->run(in, matrices_);
    doubt |= forward_->run(in, qdd_);
    const auto [to_q, to_qd, to_tau] = three_matrices<S>(matrices_, n_);
    find_multipliers<S>(to_tau, in.lambda, mu_);  // (17)
    motion_ = in;
    motion_.qdd = qdd_, motion_.lambda = mu_;
    doubt |= curvature_->run(motion_, out);
    turn_to_accelerations<S>({to_q, to_qd, to_tau}, mu_, second_derivatives(out, n_));  // (18), (19)
    return doubt | not_finite<S>(out);
  }
  void check(const Inputs<S>& in, std::span<const S> out) override {
    if constexpr (std::floating_point<S>) {
      response_->check(in, matrices_);
      forward_->check(in, qdd_);
      if (!all_finite<S>(out)) report_not_finite<S>(in, job_->result);
    }
  }

 private:
  const JobInfo* job_;
  int n_;
  Array<S> matrices_, qdd_, mu_;
  std::unique_ptr<Runner<S>> response_, forward_, curvature_;
  Inputs<S> motion_{};
};

// Of torques, for a robot with closed loops: on dual numbers, which other scalars than machine numbers do not search
// on.
template <class S>
std::unique_ptr<Runner<S>> make_loop_curvature(std::shared_ptr<const MechanismFor<S>>, const FormulationInfo&) {
  throw std::invalid_argument("curvature through closed loops is computed only by calls");
}
template <>
std::unique_ptr<Runner<double>> make_loop_curvature(std::shared_ptr<const Mechanism> robot,
                                                    const FormulationInfo& asked);
template <>
std::unique_ptr<Runner<float>> make_loop_curvature(std::shared_ptr<const BasicMechanism<float>> robot,
                                                   const FormulationInfo& asked);

}  // namespace catena

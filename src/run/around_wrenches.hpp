// What wrenches of the environment do to a job, around any runner of it. Given by the caller, or as an input: six
// numbers with every state for each place of the robot where one acts. Equations: docs/equations/charts.md (16).
#pragma once

#include <concepts>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "coordinates/pushes.hpp"
#include "jobs/runner.hpp"
#include "run/wrench_curvature.hpp"

namespace catena {

template <class S>
class AroundWrenches {
 public:
  AroundWrenches(std::shared_ptr<const MechanismFor<S>> robot, const JobInfo& job)
      : robot_(std::move(robot)), job_(&job), pushes_(robot_), n_(robot_->nv()) {
    const Sizes sizes = sizes_of(*robot_);
    for (const OutputInfo& output : job.outputs) sizes_.push_back(index(output.size(sizes)));
    if (job.takes(Input::tau)) pushed_.resize(index(n_));
    if (job.gives(Kind::response_to_q)) turning_.resize(index(n_) * index(n_));
    make_curved();
  }
  AroundWrenches(const AroundWrenches& other)
      : robot_(other.robot_),
        job_(other.job_),
        pushes_(other.pushes_),
        n_(other.n_),
        sizes_(other.sizes_),
        pushed_(other.pushed_),
        turning_(other.turning_) {
    make_curved();
  }
  AroundWrenches& operator=(const AroundWrenches&) = delete;
  ~AroundWrenches() = default;
  Pushes<S>& pushes() { return pushes_; }

  // Wrenches add to given torques; what they add to a result depends on its kind.
  Doubt<S> run(Runner<S>& runner, const Inputs<S>& in, std::span<S> out) {
    Inputs<S> inside = in;
    const std::span<const S> found = pushes_.find(in.q, in.wrenches);
    if (job_->takes(Input::tau)) {
      for (std::size_t j = 0; j < pushed_.size(); ++j) pushed_[j] = in.tau[j] + found[j];
      inside.tau = pushed_;
    }
    const Doubt<S> doubt = runner.run(inside, out);
    std::span<S> rest = out;
    for (std::size_t k = 0; k < sizes_.size(); ++k) {
      lower(job_->outputs[k].kind, in, found, rest.first(sizes_[k]), out);
      rest = rest.subspan(sizes_[k]);
    }
    if constexpr (std::floating_point<S>)
      if (curved_) curved_->lower(in, pushes_, out);
    return doubt | not_finite<S>(out);
  }

 private:
  void make_curved() {
    if (!job_->takes(Input::lambda)) return;
    if constexpr (std::floating_point<S>)
      curved_ = std::make_unique<WrenchCurvature<S>>(robot_, *job_);
    else
      throw std::invalid_argument("second derivatives with wrenches exist only for numbers");
  }
  void lower(Kind kind, const Inputs<S>& in, std::span<const S> found, std::span<S> result, std::span<S> out) {
    if (kind == Kind::torque || kind == Kind::bias || kind == Kind::weight) {
      for (std::size_t j = 0; j < result.size(); ++j) result[j] -= found[j];
    } else if (kind == Kind::found_torque) {  // a given torque stays unchanged
      for (std::size_t j = 0; j < result.size(); ++j)
        result[j] = robot_->is_passive(Coordinate(j)) ? in.tau[j] : S(result[j] - found[j]);
    } else if (kind == Kind::stiffness) {
      pushes_.lower_stiffness(in.q, in.wrenches, result);
    } else if (kind == Kind::loop_force) {
      pushes_.lower_loop_forces(in.q, in.wrenches, result);
    } else if (kind == Kind::response_to_q) {
      change_response(in, result, out.last(result.size()));
    }
  }
  // ∂q̈/∂q += ∂q̈/∂τ ∂(Jᵀw)/∂q
  void change_response(const Inputs<S>& in, std::span<S> response, std::span<S> inverse) {
    for (S& entry : turning_) entry = S{};
    pushes_.lower_stiffness(in.q, in.wrenches, turning_);
    const MatrixView<S> to_q{response, n_}, to_tau{inverse, n_}, lowered{turning_, n_};
    for (int i = 0; i < n_; ++i)
      for (int k = 0; k < n_; ++k)
        for (int j = 0; j < n_; ++j) to_q(i, j) -= to_tau(i, k) * lowered(k, j);
  }

  std::shared_ptr<const MechanismFor<S>> robot_;
  const JobInfo* job_;
  Pushes<S> pushes_;
  int n_;
  Array<std::size_t> sizes_;                    // of the outputs
  Array<S> pushed_;                             // torques plus the generalized forces of wrenches
  Array<S> turning_;                            // the derivative of those with respect to positions
  std::unique_ptr<WrenchCurvature<S>> curved_;  // the second derivatives, for jobs that give them
};

// A runner that takes the wrenches at the places of the robot from its inputs.
template <class S>
class PushedRunner final : public Runner<S> {
 public:
  PushedRunner(std::shared_ptr<const MechanismFor<S>> robot, const JobInfo& job, std::unique_ptr<Runner<S>> inside)
      : Runner<S>(inside->formulation), inside_(std::move(inside)), around_(robot, job) {
    for (const WrenchPlace& place : robot->wrenches) wrenches_.push_back({place.frame, {}, {}, place.axes});
  }
  PushedRunner(const PushedRunner& other)
      : Runner<S>(other), inside_(other.inside_->clone()), around_(other.around_), wrenches_(other.wrenches_) {}
  std::unique_ptr<Runner<S>> clone() const override { return std::make_unique<PushedRunner>(*this); }

  Doubt<S> run(const Inputs<S>& in, std::span<S> out) override {
    const S* next = in.pushes.data();
    for (ExternalWrench<S>& w : wrenches_) {
      w.force = {next[0], next[1], next[2]}, w.moment = {next[3], next[4], next[5]};
      next += 6;
    }
    Inputs<S> inside = in;
    inside.wrenches = wrenches_;
    return around_.run(*inside_, inside, out);
  }
  void check(const Inputs<S>& in, std::span<const S> out) override {
    Inputs<S> inside = in;
    inside.wrenches = wrenches_;  // of the latest run
    inside_->check(inside, out);
  }

 private:
  std::unique_ptr<Runner<S>> inside_;
  AroundWrenches<S> around_;
  std::vector<ExternalWrench<S>> wrenches_;
};

}  // namespace catena

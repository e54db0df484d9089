// What external wrenches do to second derivatives in a call of `curvature` or `response_curvature`, beside torques that
// include theirs. Made within an ArenaScope it lives there. Equation (20): docs/equations/curvature.md.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <memory>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "coordinates/pushes.hpp"
#include "jobs/runner.hpp"
#include "run/curved_pushes.hpp"

namespace catena {

template <class S>
class WrenchCurvature {
 public:
  WrenchCurvature(std::shared_ptr<const MechanismFor<S>> robot, const JobInfo& job)
      : n_(robot->nv()), change_(index(n_) * index(n_)) {
    if constexpr (std::same_as<S, double>) {
      curved_ = std::make_unique<CurvedPushes>(robot);
    } else {
      curved_ = std::make_unique<CurvedPushes>(std::make_shared<const Mechanism>(robot->template cast<double>()));
      wide_wrenches_.reserve(2 * robot->frames.size() + 8);
      wide_[0].resize(index(robot->nq())), wide_[1].resize(index(n_)), wide_[2].resize(change_.size());
    }
    if (!job.gives(Kind::response_curvature)) return;
    const JobInfo& inversion = job_info("inverse_inertia");
    const std::string_view by = inversion.standard_for(*robot);
    inverse_ = make_runner<S>(inversion.name, std::move(robot), by);
    P_.resize(change_.size());
    mu_.resize(index(n_));
  }
  static void* operator new(std::size_t bytes) { return allocate_in_arena(bytes); }
  static void operator delete(void* object) { deallocate_in_arena(object); }

  // All results of the job.
  void lower(const Inputs<S>& in, Pushes<S>& pushes, std::span<S> out) {
    if (!inverse_) return curve(in, in.lambda, out.first(change_.size()));
    inverse_->run(in, change_);
    for (int i = 0; i < n_; ++i) {
      mu_[index(i)] = S(0);
      for (int j = 0; j < n_; ++j) mu_[index(i)] += change_[index(i * n_ + j)] * in.lambda[index(j)];
    }
    for (Array<S>* matrix : {&change_, &P_})
      for (S& entry : *matrix) entry = S(0);
    curve(in, mu_, change_);
    pushes.lower_stiffness(in.q, in.wrenches, P_);
    const MatrixView<S> H{out.first(P_.size()), n_}, by_torque{out.subspan(2 * P_.size(), P_.size()), n_}, P{P_, n_};
    for (int j = 0; j < n_; ++j)
      for (int k = 0; k < n_; ++k) {
        S turned = S(0);
        for (int m = 0; m < n_; ++m) turned += by_torque(j, m) * P(m, k);
        H(j, k) -= change_[index(j * n_ + k)] + turned;
        H(k, j) -= turned;
      }
  }

 private:
  // H -= λᵀ ∂²(Jᵀw)/∂q∂q, in double
  void curve(const Inputs<S>& in, std::span<const S> lambda, std::span<S> H) {
    if constexpr (std::same_as<S, double>) {
      curved_->lower(in.q, in.wrenches, lambda, H);
    } else {
      wide_wrenches_.clear();
      for (const auto& w : in.wrenches)
        wide_wrenches_.push_back(
            {w.frame, static_cast<Vec3<double>>(w.force), static_cast<Vec3<double>>(w.moment), w.axes});
      const auto [q, weights, change] = std::tie(wide_[0], wide_[1], wide_[2]);
      std::copy(in.q.begin(), in.q.end(), q.begin());
      std::copy(lambda.begin(), lambda.end(), weights.begin());
      std::fill(change.begin(), change.end(), 0.0);
      curved_->lower(q, wide_wrenches_, weights, change);
      for (std::size_t k = 0; k < H.size(); ++k) H[k] += static_cast<S>(change[k]);
    }
  }

  int n_;
  Array<S> change_, P_, mu_;
  std::unique_ptr<CurvedPushes> curved_;
  std::vector<ExternalWrench<double>> wide_wrenches_;  // for a narrower S, the same in double
  std::array<Array<double>, 3> wide_;                  // q, λ and the result
  std::unique_ptr<Runner<S>> inverse_;                 // M⁻¹, for accelerations
};

}  // namespace catena

// Momenta of robots with a chart, in the user's coordinates: p = M q̇ and β = Ṁ q̇ - b = (C + Cᵀ) q̇ - b, for any chart
// and any forces at the joints. Equations (16), (17): docs/equations/two_velocities.md.
#pragma once

#include <concepts>
#include <memory>

#include "jobs/checks.hpp"
#include "jobs/runner.hpp"

namespace catena {

template <class S>
class ChartedObserver final : public Runner<S> {
 public:
  using Robot = std::shared_ptr<const MechanismFor<S>>;
  using Maker = std::unique_ptr<Runner<S>> (*)(std::string_view, Robot, std::string_view, TreeRunnerMaker<S>);

  ChartedObserver(const Robot& robot, const JobInfo& job, const FormulationInfo& asked, TreeRunnerMaker<S> on_tree,
                  Maker make)
      : Runner<S>(asked), job_(&job), n_(robot->nv()), M_(index(n_) * index(n_)), C_(M_.size()) {
    const auto made = [&](Kind kind) {
      const JobInfo& other = job_of(kind);
      return make(other.name, robot, other.standard_for(*robot), on_tree);
    };
    inertia_ = made(Kind::form), coriolis_ = made(Kind::connection), bias_ = made(Kind::bias);
  }
  ChartedObserver(const ChartedObserver& other)
      : Runner<S>(other),
        job_(other.job_),
        n_(other.n_),
        M_(other.M_),
        C_(other.C_),
        inertia_(other.inertia_->clone()),
        coriolis_(other.coriolis_->clone()),
        bias_(other.bias_->clone()) {}
  std::unique_ptr<Runner<S>> clone() const override { return std::make_unique<ChartedObserver>(*this); }

  Doubt<S> run(const Inputs<S>& in, std::span<S> out) override {
    const std::span<S> p = out.first(index(n_)), beta = out.last(index(n_));
    Doubt<S> doubt = inertia_->run(in, M_);
    doubt |= coriolis_->run(in, C_);
    doubt |= bias_->run(in, beta);
    const MatrixView<S> M{M_, n_}, C{C_, n_};
    for (int i = 0; i < n_; ++i) {
      p[index(i)] = S{}, beta[index(i)] = -beta[index(i)];
      for (int j = 0; j < n_; ++j) {
        p[index(i)] += M(i, j) * in.qd[index(j)];                 // (16)
        beta[index(i)] += (C(i, j) + C(j, i)) * in.qd[index(j)];  // (17)
      }
    }
    return doubt | not_finite<S>(out);
  }
  void check(const Inputs<S>& in, std::span<const S> out) override {
    if constexpr (std::floating_point<S>)
      if (!all_finite<S>(out)) report_not_finite<S>(in, job_->result);
  }

 private:
  const JobInfo* job_;
  int n_;
  Array<S> M_, C_;
  std::unique_ptr<Runner<S>> inertia_, coriolis_, bias_;
};

}  // namespace catena

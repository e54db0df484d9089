// Jobs that invert the inertia matrix, for a robot whose chart is not square: M and b are pulled back to the user's
// coordinates, and M is factored there. Equations (12)-(15): docs/equations/charts.md.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "coordinates/charted_runner.hpp"
#include "coordinates/judged_pivots.hpp"
#include "formulations/factor/branches.hpp"
#include "formulations/shared/ldlt.hpp"

namespace catena {

template <class S>
class ChartedSolver final : public Runner<S>, public TwoHalves<S> {
 public:
  ChartedSolver(std::shared_ptr<const MechanismFor<S>> robot, const JobInfo& job, const FormulationInfo& asked,
                TreeRunnerMaker<S> make)
      : Runner<S>(asked),
        robot_(std::move(robot)),
        job_(&job),
        judge_(robot_),
        n_(robot_->nv()),
        given_torque_(those_given(*robot_, gives(Kind::found_torque))),
        inertia_(pulled(Kind::form, make)),
        bias_(pulled(Kind::bias, make)),
        branches_(size()),
        M_(index(n_ * n_)),
        factors_(index(gives(Kind::factors) ? size() * (size() + 1) : 0)),
        L_(index(size() * size())),
        inverse_pivots_(index(size())),
        b_(index(n_)),
        x_(index(n_)) {
    if (!gives(Kind::response_to_q)) return;
    for (const JobInfo& other : jobs())
      if (other.outputs.size() == 3 && other.outputs[2].kind == Kind::stiffness)
        linearize_ =
            std::make_unique<ChartedRunner<S>>(robot_, other, other.formulation(other.standard_for(*robot_)), make);
    sensitivities_.resize(3 * M_.size());
  }
  ChartedSolver(const ChartedSolver& other)
      : Runner<S>(other),
        TwoHalves<S>(other),
        robot_(other.robot_),
        job_(other.job_),
        judge_(other.judge_),
        n_(other.n_),
        given_torque_(other.given_torque_),
        inertia_(other.inertia_->clone()),
        bias_(other.bias_->clone()),
        linearize_(other.linearize_ ? other.linearize_->clone() : nullptr),
        branches_(other.branches_),
        M_(other.M_),
        factors_(other.factors_),
        L_(other.L_),
        inverse_pivots_(other.inverse_pivots_),
        b_(other.b_),
        x_(other.x_),
        sensitivities_(other.sensitivities_) {}
  std::unique_ptr<Runner<S>> clone() const override { return std::make_unique<ChartedSolver>(*this); }

  Doubt<S> run(const Inputs<S>& in, std::span<S> out) override {
    Doubt<S> doubt = factor(in);
    if (gives(Kind::factors)) {
      std::copy(factors_.begin(), factors_.end(), out.begin());
    } else if (!job_->takes(Input::tau)) {
      invert(out);
    } else {
      doubt |= bias_->run(in, b_);
      gives(Kind::found_torque) ? solve_hybrid(in, out)
                                : accelerate(in, gives(Kind::acceleration) ? out : std::span<S>(x_));
      if (gives(Kind::response_to_q)) doubt |= respond(in, out);
    }
    return doubt | not_finite<S>(out);
  }
  // Forward dynamics in two halves: the first factors M only to check it; the second does all the work again.
  Doubt<S> factor(const Inputs<S>& in) override {
    const Doubt<S> doubt = inertia_->run(in, M_);
    const auto given = [&](int k) { return given_torque_[index(k)]; };
    if (gives(Kind::factors)) {
      const FactorView<S> out = view();
      for (int r = 0; r < size(); ++r)
        for (int c = 0; c < size(); ++c) out.U(r, c) = M(given(r), given(c));
      eliminate<S>(branches_, out);  // (12)
    } else {
      const MatrixView<S> L{L_, size()};
      for (int r = 0; r < size(); ++r)  // the last coordinate first, as in the other case
        for (int c = r; c < size(); ++c) L(r, c) = M(given(size() - 1 - r), given(size() - 1 - c));
      factor_ldlt<S>(L, inverse_pivots_);  // (12)
    }
    return doubt | small_pivots();
  }
  Doubt<S> solve(const Inputs<S>& in, std::span<S> out) override { return run(in, out); }

  void check(const Inputs<S>& in, std::span<const S> out) override {
    if constexpr (std::floating_point<S>) {
      require_regular(in);
      if (!all_finite<S>(out)) report_not_finite<S>(in, job_->result);
    }
  }

 private:
  bool gives(Kind kind) const { return job_->gives(kind); }
  // The coordinates whose torque is given: all, except for hybrid dynamics.
  static Array<Coordinate> those_given(const MechanismFor<S>& robot, bool only_passive) {
    Array<Coordinate> given;
    for (const Coordinate c : robot.coordinates.all())
      if (!only_passive || robot.is_passive(c)) given.push_back(c);
    return given;
  }
  std::unique_ptr<Runner<S>> pulled(Kind kind, TreeRunnerMaker<S> make) const {
    const JobInfo& job = job_of(kind);
    return std::make_unique<ChartedRunner<S>>(robot_, job, job.formulation(job.standard_for(*robot_)), make);
  }
  int size() const { return static_cast<int>(given_torque_.size()); }
  FactorView<S> view() { return factor_view<S>(factors_, size()); }
  FactorView<const S> factors() const { return factor_view<const S>(std::span<const S>(factors_), size()); }
  S& M(int row, int column) { return M_[index(row * n_ + column)]; }

  void accelerate(const Inputs<S>& in, std::span<S> qdd) {  // (13)
    for (int j = 0; j < n_; ++j) qdd[index(j)] = in.tau[index(j)] - b_[index(j)];
    solve_given(qdd);
  }
  void solve_given(std::span<S> x) {
    std::reverse(x.begin(), x.end());
    solve_ldlt<S>({L_, size()}, inverse_pivots_, x);
    std::reverse(x.begin(), x.end());
  }
  // (14): M⁻¹ is stored after the two others, which it multiplies.
  Doubt<S> respond(const Inputs<S>& in, std::span<S> out) {
    const std::size_t square = M_.size();
    Inputs<S> motion = in;
    motion.qdd = x_;
    const Doubt<S> doubt = linearize_->run(motion, sensitivities_);
    const std::span<S> inverse = out.last(square);
    invert(inverse);
    const auto view_of = [&](std::span<S> entries) { return MatrixView<S>{entries, n_}; };
    const std::span<S> all(sensitivities_);
    minus_product<S>(view_of(inverse), view_of(all.last(square)), view_of(out.first(square)));
    minus_product<S>(view_of(inverse), view_of(all.subspan(square, square)), view_of(out.subspan(square, square)));
    return doubt;
  }
  void invert(std::span<S> inverse) {
    if constexpr (std::floating_point<S>)
      if (n_ >= detail::lane_count<S>) {
        solve_units_ldlt<S>({L_, n_}, inverse_pivots_, {inverse, n_});
        return std::reverse(inverse.begin(), inverse.end());  // the first coordinate first
      }
    for (int c = 0; c < n_; ++c) {
      for (int r = 0; r < n_; ++r) b_[index(r)] = S(ConstantOf<S>(r == c ? 1 : 0));
      solve_given(b_);
      for (int r = 0; r < n_; ++r) inverse[index(r * n_ + c)] = b_[index(r)];
    }
  }
  // (15): docs/equations/hybrid.md (1), (2)
  void solve_hybrid(const Inputs<S>& in, std::span<S> out) {
    const std::span<S> qdd = out.first(index(n_)), tau = out.last(index(n_));
    const auto passive = [&](int j) { return robot_->is_passive(Coordinate(j)); };
    for (int j = 0; j < n_; ++j)
      if (!passive(j)) qdd[index(j)] = in.qdd[index(j)];
    const std::span<S> x = std::span<S>(x_).first(index(size()));
    for (int r = 0; r < size(); ++r) {
      const int t = given_torque_[index(r)];
      x[index(r)] = in.tau[index(t)] - b_[index(t)];
      for (int a = 0; a < n_; ++a)
        if (!passive(a)) x[index(r)] -= M(t, a) * qdd[index(a)];
    }
    solve_given(x);
    for (int r = 0; r < size(); ++r) qdd[index(given_torque_[index(r)])] = x[index(r)];
    for (int j = 0; j < n_; ++j) {
      S& torque = tau[index(j)];
      torque = passive(j) ? in.tau[index(j)] : b_[index(j)];
      if (passive(j)) continue;
      for (int k = 0; k < n_; ++k) torque += M(j, k) * qdd[index(k)];
    }
  }

  const S& entry(int k) const { return M_[index(given_torque_[index(k)] * (n_ + 1))]; }
  const S& pivot(int k) const {
    return gives(Kind::factors) ? factors().D[index(k)] : L_[index((size() - 1 - k) * (size() + 1))];
  }
  Doubt<S> small_pivots() const {
    Doubt<S> doubt{};
    for (int k = 0; k < size(); ++k) doubt |= judge_.doubt(given_torque_[index(k)], pivot(k), entry(k));
    return doubt;
  }
  void require_regular(const Inputs<S>& in) const {
    if constexpr (std::floating_point<S>) {
      require_finite_inputs<S>(in, job_->inputs_for(*robot_));
      for (int k = size() - 1; k >= 0; --k) judge_.require(given_torque_[index(k)], pivot(k), entry(k), in);
    }
  }

  std::shared_ptr<const MechanismFor<S>> robot_;
  const JobInfo* job_;
  JudgedPivots<S> judge_;
  int n_;
  Array<Coordinate> given_torque_;
  std::unique_ptr<Runner<S>> inertia_, bias_, linearize_;
  Branches branches_;
  Array<S> M_, factors_, L_, inverse_pivots_, b_, x_, sensitivities_;
};

}  // namespace catena

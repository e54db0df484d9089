// Runners for robots with coupled joints, made of runners for the tree. Equations: docs/equations/coupled_joints.md.
#pragma once

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "catena/dynamics/around/projection.hpp"
#include "catena/dynamics/checks.hpp"
#include "catena/dynamics/factor/branches.hpp"
#include "catena/dynamics/runner.hpp"

namespace catena {

// Makes a runner for a robot without couplings.
template <class S>
using TreeRunnerMaker =
    std::function<std::unique_ptr<Runner<S>>(std::string_view job, const MechanismFor<S>&, std::string_view)>;

// A job whose results are gathered from the tree's: torques, matrices, Jacobians, energies.
template <class S>
class ProjectedRunner final : public Runner<S> {
 public:
  ProjectedRunner(const MechanismFor<S>& robot, const JobInfo& job, std::unique_ptr<Runner<S>> tree)
      : Runner<S>(robot, tree->formulation, job.result),
        job_(&job),
        tree_(std::move(tree)),
        projection_(robot),
        results_(index(job.size(sizes_of(tree_->robot())))),
        half_(results_.size()) {}
  ProjectedRunner(const ProjectedRunner& other)
      : Runner<S>(other),
        job_(other.job_),
        tree_(other.tree_->clone()),
        projection_(other.projection_),
        results_(other.results_),
        half_(other.half_) {}
  std::unique_ptr<Runner<S>> clone() const override { return std::make_unique<ProjectedRunner>(*this); }

  void run(const Inputs<S>& in, std::span<S> out) override {
    tree_->run(projection_.in_tree(in), results_);
    gather(out);
  }
  void run_formulation(const Inputs<S>& in, std::span<S> out) override {
    tree_->run_formulation(projection_.in_tree(in), results_);
    gather(out);
  }
  void check(const Inputs<S>& in, std::span<const S> out) override {
    if constexpr (std::floating_point<S>)
      if (!all_finite<S>(out)) report_not_finite<S>(in, this->result);
  }
  void follow(std::shared_ptr<const MechanismFor<S>>, int) override {}  // an assembly takes no coupled joints
  void rebuild() override {}
  void choose_early_omega(std::span<const char> by_link) override { tree_->choose_early_omega(by_link); }

 private:
  void gather(std::span<S> out) {
    const Sizes tree = sizes_of(tree_->robot()), own = sizes_of(this->robot());
    std::span<const S> from = results_;
    for (const OutputInfo& output : job_->outputs) {
      const std::size_t given = index(output.size(tree)), wanted = index(output.size(own));
      gather(output, tree, from.first(given), out.first(wanted));
      from = from.subspan(given);
      out = out.subspan(wanted);
    }
  }
  void gather(const OutputInfo& output, const Sizes& tree, std::span<const S> from, std::span<S> out) {
    const auto by_coordinate = [](const Extent& extent) {
      return extent.of == Extent::Of::positions || extent.of == Extent::Of::velocities;
    };
    const int rows = output.rows(tree);
    int columns = output.columns(tree);
    if (by_coordinate(output.columns)) {
      columns = projection_.nv();
      const std::span<S> gathered = by_coordinate(output.rows) ? std::span<S>(half_).first(index(rows * columns)) : out;
      projection_.gather_columns(from, rows, gathered);
      from = gathered;
    }
    if (by_coordinate(output.rows))
      projection_.gather_rows(from, columns, out);
    else if (!by_coordinate(output.columns))
      std::copy(from.begin(), from.end(), out.begin());
  }

  const JobInfo* job_;
  std::unique_ptr<Runner<S>> tree_;
  Projection<S> projection_;
  Array<S> results_, half_;
};

// A job that inverts the inertia matrix: the gathered one is formed and factored (5)-(7).
template <class S>
class ProjectedSolver final : public Runner<S> {
 public:
  ProjectedSolver(const MechanismFor<S>& robot, const JobInfo& job, const FormulationInfo& asked,
                  const TreeRunnerMaker<S>& make)
      : Runner<S>(robot, asked, job.result),
        solves_(job.name == "forward"    ? Solves::forward
                : job.name == "factor"   ? Solves::factors
                : job.name == "response" ? Solves::response
                                         : Solves::hybrid),
        n_(robot.nv()),
        given_torque_(those_given(robot, solves_)),
        inertia_(projected("inertia", make)),
        bias_(projected("bias", make)),
        branches_(size()),
        M_(index(n_ * n_)),
        factors_(M_.size() + index(n_)),
        b_(index(n_)),
        x_(index(n_)) {
    if (solves_ == Solves::response) linearize_ = projected("linearize", make), sensitivities_.resize(3 * M_.size());
  }
  ProjectedSolver(const ProjectedSolver& other)
      : Runner<S>(other),
        solves_(other.solves_),
        n_(other.n_),
        given_torque_(other.given_torque_),
        inertia_(other.inertia_->clone()),
        bias_(other.bias_->clone()),
        linearize_(other.linearize_ ? other.linearize_->clone() : nullptr),
        branches_(other.branches_),
        M_(other.M_),
        factors_(other.factors_),
        b_(other.b_),
        x_(other.x_),
        sensitivities_(other.sensitivities_) {}
  std::unique_ptr<Runner<S>> clone() const override { return std::make_unique<ProjectedSolver>(*this); }

  void run(const Inputs<S>& in, std::span<S> out) override {
    inertia_->run({.q = in.q}, M_);
    if (solves_ == Solves::factors) {
      factor_matrix();
      std::copy(factors_.begin(), factors_.end(), out.begin());
      return;
    }
    bias_->run({.q = in.q, .qd = in.qd}, b_);
    factor_matrix();
    if (solves_ == Solves::hybrid) return solve_hybrid(in, out);
    accelerate(in, solves_ == Solves::forward ? out : std::span<S>(x_));
    if (solves_ == Solves::response) respond(in, out);
  }
  void run_formulation(const Inputs<S>& in, std::span<S> out) override { run(in, out); }
  // Forward dynamics in two halves: what is looked at after the first; all is done in the second.
  void factor(const Inputs<S>& in) override {
    inertia_->run({.q = in.q}, M_);
    factor_matrix();
  }
  void check(const Inputs<S>& in, std::span<const S> out) override {
    if constexpr (std::floating_point<S>) {
      require_regular(in);
      if (!all_finite<S>(out)) report_not_finite<S>(in, this->result);
    }
  }
  void follow(std::shared_ptr<const MechanismFor<S>>, int) override {}
  void rebuild() override {}

 private:
  enum class Solves { forward, factors, response, hybrid };

  // The joints whose torque is given: all, but for hybrid dynamics.
  static Array<int> those_given(const MechanismFor<S>& robot, Solves solves) {
    Array<int> given;
    for (int j = 0; j < robot.nv(); ++j)
      if (solves != Solves::hybrid || robot.is_passive(j)) given.push_back(j);
    return given;
  }
  std::unique_ptr<Runner<S>> projected(std::string_view job, const TreeRunnerMaker<S>& make) const {
    const JobInfo& info = job_info(job);
    const MechanismFor<S> tree = tree_of(this->robot());
    return std::make_unique<ProjectedRunner<S>>(this->robot(), info, make(job, tree, info.standard_for(tree)));
  }
  int size() const { return static_cast<int>(given_torque_.size()); }
  FactorView<S> view() { return factor_view<S>(std::span<S>(factors_).first(index(size() * (size() + 1))), size()); }
  FactorView<const S> factors() const {
    return factor_view<const S>(std::span<const S>(factors_).first(index(size() * (size() + 1))), size());
  }
  S& M(int row, int column) { return M_[index(row * n_ + column)]; }

  void factor_matrix() {  // (5)
    const FactorView<S> out = view();
    for (int r = 0; r < size(); ++r)
      for (int c = 0; c < size(); ++c) out.U(r, c) = M(given_torque_[index(r)], given_torque_[index(c)]);
    eliminate<S>(branches_, out);
  }
  void accelerate(const Inputs<S>& in, std::span<S> qdd) {  // (6)
    for (int j = 0; j < n_; ++j) qdd[index(j)] = in.tau[index(j)] - b_[index(j)];
    solve_factored<S>(branches_, factors(), qdd);
  }
  // (7): M⁻¹ behind the two others, which it multiplies.
  void respond(const Inputs<S>& in, std::span<S> out) {
    const std::size_t square = M_.size();
    linearize_->run({.q = in.q, .qd = in.qd, .qdd = x_}, sensitivities_);
    const std::span<S> inverse = out.last(square);
    for (int c = 0; c < n_; ++c) {
      for (int r = 0; r < n_; ++r) b_[index(r)] = S(ConstantOf<S>(r == c ? 1 : 0));
      solve_factored<S>(branches_, factors(), b_);
      for (int r = 0; r < n_; ++r) inverse[index(r * n_ + c)] = b_[index(r)];
    }
    const std::span<const S> V = std::span<const S>(sensitivities_).subspan(square, square),
                             P = std::span<const S>(sensitivities_).last(square);
    minus_product(inverse, P, out.first(square));
    minus_product(inverse, V, out.subspan(square, square));
  }
  void minus_product(std::span<const S> A, std::span<const S> B, std::span<S> C) const {
    for (int r = 0; r < n_; ++r)
      for (int c = 0; c < n_; ++c) {
        S sum{};
        for (int k = 0; k < n_; ++k) sum += A[index(r * n_ + k)] * B[index(k * n_ + c)];
        C[index(r * n_ + c)] = -sum;
      }
  }
  // docs/equations/hybrid.md (1), (2)
  void solve_hybrid(const Inputs<S>& in, std::span<S> out) {
    const std::span<S> qdd = out.first(index(n_)), tau = out.last(index(n_));
    for (int j = 0; j < n_; ++j)
      if (!this->robot().is_passive(j)) qdd[index(j)] = in.qdd[index(j)];
    const std::span<S> x = std::span<S>(x_).first(index(size()));
    for (int r = 0; r < size(); ++r) {
      const int t = given_torque_[index(r)];
      x[index(r)] = in.tau[index(t)] - b_[index(t)];
      for (int a = 0; a < n_; ++a)
        if (!this->robot().is_passive(a)) x[index(r)] -= M(t, a) * qdd[index(a)];
    }
    solve_factored<S>(branches_, factors(), x);
    for (int r = 0; r < size(); ++r) qdd[index(given_torque_[index(r)])] = x[index(r)];
    for (int j = 0; j < n_; ++j) {
      S& torque = tau[index(j)];
      torque = this->robot().is_passive(j) ? in.tau[index(j)] : b_[index(j)];
      if (this->robot().is_passive(j)) continue;
      for (int k = 0; k < n_; ++k) torque += M(j, k) * qdd[index(k)];
    }
  }
  // A pivot must stand out from the entry of the diagonal that it is left of.
  void require_regular(const Inputs<S>& in) const {
    if constexpr (std::floating_point<S>) {
      const S share = S(64) * std::numeric_limits<S>::epsilon();
      const FactorView<const S> found = factors();
      for (int k = size() - 1; k >= 0; --k) {
        const int j = given_torque_[index(k)];
        const S pivot = found.D[index(k)], entry = M_[index(j * n_ + j)];
        if (!std::isfinite(pivot) || !std::isfinite(entry)) report_not_finite<S>(in, "the inertia matrix");
        if (!(pivot > share * std::abs(entry)))
          throw std::domain_error(
              "joint '" + this->robot().joint_names[index(j)] +
              "': the inertia matrix is singular here: what moves with this joint has no inertia of "
              "its own, nor has it a rotor");
      }
    }
  }

  Solves solves_;
  int n_;
  Array<int> given_torque_;
  std::unique_ptr<Runner<S>> inertia_, bias_, linearize_;
  Branches branches_;
  Array<S> M_, factors_, b_, x_, sensitivities_;
};

// Throws std::invalid_argument where the formulation is none for coupled joints.
template <class S>
std::unique_ptr<Runner<S>> make_projected_runner(std::string_view job, const MechanismFor<S>& robot,
                                                 std::string_view formulation, const TreeRunnerMaker<S>& make) {
  const JobInfo& info = job_info(job);
  const FormulationInfo& asked = info.formulation(formulation);
  if (!info.inverts_inertia)
    return std::make_unique<ProjectedRunner<S>>(robot, info, make(job, tree_of(robot), formulation));
  if (info.by_matrix.empty()) throw std::invalid_argument("'" + std::string(job) + "' does not take coupled joints");
  if (formulation != info.by_matrix)
    throw std::invalid_argument("'" + std::string(formulation) + "' of " + std::string(job) +
                                " does not take coupled joints; '" + std::string(info.by_matrix) + "' does");
  return std::make_unique<ProjectedSolver<S>>(robot, info, asked, make);
}

}  // namespace catena

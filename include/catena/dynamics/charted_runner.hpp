// A job of a robot with a chart: the state outward to the tree, the formulation there, and its results back, each by
// what it is. What is solved for is found on the tree where G is 1; else dynamics/charted_solver.hpp.
// Equations: docs/equations/charts.md.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "catena/dynamics/charts.hpp"
#include "catena/dynamics/checks.hpp"
#include "catena/dynamics/kinematics/placed_links.hpp"
#include "catena/dynamics/pull_back.hpp"
#include "catena/dynamics/runner.hpp"

namespace catena {

// The tree as formulations see it: gravity is the chart's where the world moves.
template <class T>
std::shared_ptr<const BasicTree<T>> tree_of(const std::shared_ptr<const BasicMechanism<T>>& robot) {
  if (!robot->coordinates.is_free()) return robot;
  auto tree = std::make_shared<BasicTree<T>>(*robot);
  tree->gravity = {};
  return tree;
}

// The one job that gives a result of this kind and nothing else.
inline const JobInfo& job_of(Kind kind) {
  for (const JobInfo& job : jobs())
    if (job.outputs.size() == 1 && job.outputs.front().kind == kind) return job;
  throw std::logic_error("no job gives that kind of result alone");
}

template <class S>
class ChartedRunner final : public Runner<S>, public TwoHalves<S>, public Search {
 public:
  ChartedRunner(std::shared_ptr<const MechanismFor<S>> robot, const JobInfo& job, const FormulationInfo& asked,
                TreeRunnerMaker<S> make)
      : Runner<S>(asked),
        robot_(std::move(robot)),
        job_(&job),
        chart_(robot_->coordinates, *robot_),
        tree_robot_(tree_of(robot_)),
        zeros_(index(robot_->nv())) {
    // Without accelerations of its own to add, a job that asks for none is that of the tree.
    const bool by_inverse =
        is_bias(job.outputs.front().kind) && chart_.any([](const auto& step) { return step.accelerates(); });
    inputs_ = by_inverse ? job_of(Kind::torque).inputs : job.inputs;
    if (robot_->coordinates.is_moving()) inputs_.push_back(Input::base);
    add(by_inverse ? job_of(Kind::torque) : job, make, asked.name);
    for (const OutputInfo& output : job.outputs) need_beside(output.kind, make);
    for (const auto& step : chart_.steps())
      half_.resize(std::max(half_.size(), index(step->inner()) * index(step->outer())));
    if (chart_.mover() && gives(Kind::potential)) placed_.emplace(*tree_robot_);
  }
  ChartedRunner(const ChartedRunner& other)
      : Runner<S>(other),
        TwoHalves<S>(other),
        Search(other),
        robot_(other.robot_),
        job_(other.job_),
        inputs_(other.inputs_),
        chart_(other.chart_),
        tree_robot_(other.tree_robot_),
        zeros_(other.zeros_),
        half_(other.half_),
        placed_(other.placed_) {
    for (const Found& found : other.found_) found_.push_back({found.job, found.runner->clone(), found.levels});
  }
  std::unique_ptr<Runner<S>> clone() const override { return std::make_unique<ChartedRunner>(*this); }

  Doubt<S> run(const Inputs<S>& in, std::span<S> out) override {
    on_tree_ = chart_.place(given(in));
    Doubt<S> doubt = Doubt<S>{};
    for (Found& found : found_) doubt |= found.runner->run(on_tree_, found.outermost(out));
    bring_back(in, out);
    return doubt | not_finite<S>(out);
  }
  void check(const Inputs<S>& in, std::span<const S> out) override {
    if constexpr (std::floating_point<S>) {
      require_finite_inputs<S>(in, inputs_);
      Found& main = found_.front();
      main.runner->check(on_tree_, main.levels.empty() ? out : std::span<const S>(main.levels.back()));
      if (!all_finite<S>(out)) report_not_finite<S>(in, job_->result);
    }
  }

  Doubt<S> factor(const Inputs<S>& in) override {
    on_tree_ = chart_.place(given(in));
    if (auto* halves = dynamic_cast<TwoHalves<S>*>(found_.front().runner.get())) return halves->factor(on_tree_);
    return Doubt<S>{};
  }
  Doubt<S> solve(const Inputs<S>& in, std::span<S> out) override {
    auto* halves = dynamic_cast<TwoHalves<S>*>(found_.front().runner.get());
    if (!halves) return run(in, out);
    on_tree_ = chart_.place(given(in));
    const Doubt<S> doubt = halves->solve(on_tree_, out);
    bring_back(in, out);
    return doubt | not_finite<S>(out);
  }
  int iterations() const override {
    const auto* search = dynamic_cast<const Search*>(found_.front().runner.get());
    return search ? search->iterations() : 0;
  }

 private:
  // A job on the tree, and its results on every level between the tree and the user: the first is the user's own where
  // nobody else asks for it.
  struct Found {
    const JobInfo* job;
    std::unique_ptr<Runner<S>> runner;
    std::vector<Array<S>> levels;  // none: the caller's memory serves all of them

    std::span<S> outermost(std::span<S> callers) { return levels.empty() ? callers : std::span<S>(levels.back()); }
  };

  static bool is_bias(Kind kind) { return kind == Kind::bias || kind == Kind::weight; }
  bool gives(Kind kind) const {
    return std::any_of(job_->outputs.begin(), job_->outputs.end(), [&](const auto& o) { return o.kind == kind; });
  }
  Sizes sizes(std::size_t level) const {
    Sizes own = sizes_of(*robot_);
    if (level > 0) own.velocities = chart_.steps()[level - 1]->outer();
    return own;
  }
  void add(const JobInfo& job, TreeRunnerMaker<S> make, std::string_view formulation) {
    Found found{&job, make(job.name, tree_robot_, formulation), {}};
    if (!chart_.is_square() || !found_.empty())
      for (std::size_t level = 0; level <= chart_.steps().size(); ++level)
        found.levels.emplace_back(index(job.size(sizes(level))));
    found_.push_back(std::move(found));
  }
  // What else the way back of such a result asks for.
  void need_beside(Kind kind, TreeRunnerMaker<S> make) {
    const bool spins = chart_.any([](const auto& step) { return step.spins(); });
    const bool bends = chart_.any([](const auto& step) { return step.bends(); });
    const bool accelerates = chart_.any([](const auto& step) { return step.accelerates(); });
    const auto need = [&](Kind beside) {
      for (const Found& found : found_)
        for (const OutputInfo& output : found.job->outputs)
          if (output.kind == beside) return;
      const JobInfo& job = job_of(beside);
      add(job, make, job.standard_for(*tree_robot_));
    };
    if (spins && (kind == Kind::connection || kind == Kind::damping || kind == Kind::stiffness)) need(Kind::form);
    if (bends && kind == Kind::stiffness) need(Kind::damping), need(Kind::torque);
    if (accelerates && kind == Kind::drift) need(Kind::columns);
  }

  // What the job takes and no more; at zero what it does not take and the tree does.
  Inputs<S> given(const Inputs<S>& in) const {
    Inputs<S> taken;
    taken.frame = in.frame;
    for (const Input input : inputs_) {
      taken[input] = in[input];
      if (input != Input::base && !job_->takes(input)) taken[input] = zeros_;
    }
    return taken;
  }

  // The outer result of that kind, at one level.
  std::span<const S> result(Kind kind, std::size_t level, std::span<const S> out) const {
    for (const Found& found : found_) {
      std::span<const S> row = found.levels.empty() ? out : std::span<const S>(found.levels[level]);
      for (const OutputInfo& output : found.job->outputs) {
        const std::size_t size = index(output.size(sizes(level)));
        if (output.kind == kind) return row.first(size);
        row = row.subspan(size);
      }
    }
    return {};
  }
  void bring_back(const Inputs<S>& in, std::span<S> out) {
    for (std::size_t level = chart_.steps().size(); level > 0; --level) {
      const PullBack<S> pull(*chart_.steps()[level - 1],
                             [&](Kind kind) { return result(kind, level, out); }, half_);
      for (std::size_t f = found_.size(); f-- > 0;) {  // those beside it are asked for on their level until the last
        Found& found = found_[f];
        if (f > 0 && level == 1) continue;
        std::span<const S> from = found.levels.empty() ? out : std::span<const S>(found.levels[level]);
        std::span<S> to = found.levels.empty() || level == 1 ? out : std::span<S>(found.levels[level - 1]);
        for (const OutputInfo& output : found.job->outputs) {
          const std::size_t given = index(output.size(sizes(level))), wanted = index(output.size(sizes(level - 1)));
          if (output.kind != Kind::pose || !stands(in)) {
            pull(output, from.first(given), to.first(wanted));
          } else if (from.data() != to.data()) {
            std::copy_n(from.begin(), given, to.begin());
          }
          from = from.subspan(given), to = to.subspan(wanted);
        }
      }
    }
    if (placed_) weigh(out);
  }
  // A frame that stands in the world, whatever moves.
  bool stands(const Inputs<S>& in) const {
    return chart_.mover() && robot_->frames[index(frame_of<S>(*robot_, in))].link == base;
  }
  // The potential energy where the world moves: the tree has no gravity.                                          (11)
  void weigh(std::span<S> out) {
    const ChartStep<S>& mover = *chart_.mover();
    placed_->place(*tree_robot_, on_tree_.q);
    ConstantOf<S> mass(0);
    for (const auto& link : tree_robot_->links) mass += link.mass;
    const Vec3<S> weight = mover.moved()->R.transpose() * static_cast<Vec3<S>>(mover.gravity());
    const S lifted = dot(mover.gravity(), mover.moved()->p) * mass;
    std::size_t at = 0;
    for (const OutputInfo& output : job_->outputs) {
      if (output.kind == Kind::potential) out[at] += -(dot(weight, placed_->first_moment(*tree_robot_)) + lifted);
      at += index(output.size(sizes(0)));
    }
  }

  std::shared_ptr<const MechanismFor<S>> robot_;
  const JobInfo* job_;
  std::vector<Input> inputs_;
  Chart<S> chart_;
  std::shared_ptr<const TreeFor<S>> tree_robot_;
  Array<S> zeros_, half_;
  std::vector<Found> found_;  // the job itself first
  std::optional<PlacedLinks<S>> placed_;
  Inputs<S> on_tree_{};
};

}  // namespace catena

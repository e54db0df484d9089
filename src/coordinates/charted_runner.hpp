// A job of a robot with a chart: maps the state outward to the tree, runs the formulation there and pulls back its
// results, each according to its kind. Jobs that solve run on the tree if G is 1; else coordinates/charted_solver.hpp.
// Equations: docs/equations/charts.md.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "coordinates/charts.hpp"
#include "coordinates/pull_back.hpp"
#include "formulations/kinematics/placed_links.hpp"
#include "jobs/checks.hpp"
#include "jobs/runner.hpp"

namespace catena {

// The tree that formulations see: its gravity is supplied by the chart if the tree's world moves.
template <class T>
std::shared_ptr<const BasicTree<T>> tree_of(const std::shared_ptr<const BasicMechanism<T>>& robot) {
  if (!robot->coordinates.is_free()) return robot;
  auto tree = std::make_shared<BasicTree<T>>(*robot);
  tree->gravity = {};
  return tree;
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
    if (job.gives(Kind::curvature_q_q) && chart_.any([](const auto& step) { return !step.has_curvature(); }))
      throw std::invalid_argument("a step of the robot's chart has no second derivatives");
    if (job.takes(Input::reference)) chart_.take_references();
    // If the chart adds no accelerations, a job at zero acceleration is the same job on the tree.
    const bool by_inverse = holds_loops() || (is_bias(job.outputs.front().kind) &&
                                              chart_.any([](const auto& step) { return step.accelerates(); }));
    inputs_ = by_inverse ? job_of(Kind::torque).inputs : job.inputs;
    for (const Input input : inputs_)
      if (!job.takes(input)) at_zero_.push_back(input);
    if (robot_->coordinates.is_moving()) inputs_.push_back(Input::base_motion);
    const JobInfo& on_tree = by_inverse ? job_of(Kind::torque) : job;
    add(on_tree, make, holds_loops() ? on_tree.standard_for(*tree_robot_) : asked.name);
    for (const OutputInfo& output : job.outputs) need_beside(output.kind, make);
    for (const auto& step : chart_.steps())
      half_.resize(std::max(half_.size(), index(step->inner() + 1) * index(step->outer() + 1)));
    for (std::size_t level = holds_loops() ? 0 : chart_.steps().size(); level > 0; --level) plan(level);
    if (chart_.mover() && job.gives(Kind::potential)) placed_.emplace(*tree_robot_);
    doubles_twist_ = robot_->coordinates.is_moving() && job.gives(Kind::connection);
    if (doubles_twist_) twist_.resize(base_motion_size);
  }
  ChartedRunner(const ChartedRunner& other)
      : Runner<S>(other),
        TwoHalves<S>(other),
        Search(other),
        robot_(other.robot_),
        job_(other.job_),
        inputs_(other.inputs_),
        at_zero_(other.at_zero_),
        chart_(other.chart_),
        tree_robot_(other.tree_robot_),
        zeros_(other.zeros_),
        twist_(other.twist_),
        half_(other.half_),
        doubles_twist_(other.doubles_twist_),
        moves_(other.moves_),
        beside_(other.beside_),
        placed_(other.placed_) {
    for (const Found& found : other.found_) found_.push_back({found.job, found.runner->clone(), found.levels});
  }
  std::unique_ptr<Runner<S>> clone() const override { return std::make_unique<ChartedRunner>(*this); }

  Doubt<S> run(const Inputs<S>& in, std::span<S> out) override {
    on_tree_ = chart_.place(given(in));
    Doubt<S> doubt = Doubt<S>{};
    for (Found& found : found_) doubt |= found.runner->run(on_tree_, found.outermost(out));
    if (holds_loops()) {
      if (!out.empty()) chart_.loops().loop_forces(found_.front().levels.back(), out);
      return doubt | not_finite<S>(out);
    }
    if (moves_.empty() && !placed_) return doubt;  // they are already the user's
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
  // A job on the tree, and its results on every level between the tree and the user. The first level of the main job is
  // the caller's memory.
  struct Found {
    const JobInfo* job;
    std::unique_ptr<Runner<S>> runner;
    std::vector<Array<S>> levels;  // empty: the caller's memory is used for all of them

    std::span<S> outermost(std::span<S> callers) { return levels.empty() ? callers : std::span<S>(levels.back()); }
  };

  // Its result comes from the torques that the tree needs, at the step that closes the loops, which is next to it.
  bool holds_loops() const { return job_->gives(Kind::loop_force); }
  static bool is_bias(Kind kind) { return kind == Kind::bias || kind == Kind::weight; }
  Sizes sizes(std::size_t level) const {
    Sizes own = sizes_of(*robot_);
    if (level == 0) return own;
    own.velocities = chart_.steps()[level - 1]->outer();
    own.parameters = tree_robot_->joints() * parameters_per_joint;
    own.joints = tree_robot_->joints();
    return own;
  }
  void add(const JobInfo& job, TreeRunnerMaker<S> make, std::string_view by) {
    Found found{&job, make(job.name, tree_robot_, by), {}};
    if (!found.runner)
      throw std::invalid_argument("'" + std::string(by) + "' of " + std::string(job.name) +
                                  " is not a formulation for such a robot");
    if (!chart_.is_square() || !found_.empty() || holds_loops() || job.gives(Kind::positions))
      for (std::size_t level = 0; level <= chart_.steps().size(); ++level)
        found.levels.emplace_back(index(job.size(sizes(level))));
    found_.push_back(std::move(found));
  }
  // Other jobs needed to pull back such a result.
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
    if (spins && kind == Kind::curvature_q_q) need(Kind::form);
    if (accelerates && kind == Kind::drift) need(Kind::columns);
  }

  // Passes the inputs that the job takes, and zeros for others that the tree's job takes. The base twist w and the
  // rates v interact twice in the torques C(q̇_t) q̇_t: C v contains both at q̇_t = G v + 2w. (4)
  Inputs<S> given(const Inputs<S>& in) {
    Inputs<S> taken;
    taken.frame = in.frame;
    for (const Input input : inputs_) taken[input] = in[input];
    for (const Input input : at_zero_) taken[input] = zeros_;
    if (doubles_twist_ && !in.base.empty()) {
      for (std::size_t k = 0; k < twist_.size(); ++k)
        twist_[k] = k < base_joints ? in.base[k] + in.base[k] : in.base[k];
      taken.base = twist_;
    }
    return taken;
  }

  // Where a result is: of which job, at which entry.
  struct Place {
    std::size_t found = 0, at = 0, size = 0;
  };
  struct Move {
    std::size_t level;
    const OutputInfo* output;
    Place from, to;
  };
  // The pull-backs from one level to the next, and the other results they need.
  void plan(std::size_t level) {
    const ChartStep<S>& step = *chart_.steps()[level - 1];
    beside_.insert(beside_.begin(),
                   {{place_of(Kind::form, level), place_of(Kind::damping, level), place_of(Kind::torque, level),
                     place_of(Kind::columns, level), place_of(Kind::curvature_q_qdd, level)}});
    for (std::size_t f = found_.size(); f-- > 0;) {  // other jobs' results are needed except on the last level
      if (f > 0 && level == 1) continue;
      Place from{f, 0, 0}, to{f, 0, 0};
      for (const OutputInfo& output : found_[f].job->outputs) {
        from.size = index(output.size(sizes(level))), to.size = index(output.size(sizes(level - 1)));
        const bool in_place = found_[f].levels.empty() && step.is_square();
        if (!in_place || !PullBack<S>::stays(output.kind)) moves_.push_back({level, &output, from, to});
        from.at += from.size, to.at += to.size;
      }
    }
  }
  Place place_of(Kind kind, std::size_t level) const {
    for (std::size_t f = 0; f < found_.size(); ++f) {
      Place place{f, 0, 0};
      for (const OutputInfo& output : found_[f].job->outputs) {
        place.size = index(output.size(sizes(level)));
        if (output.kind == kind) return place;
        place.at += place.size;
      }
    }
    return {};
  }
  std::span<S> span_of(const Place& place, std::size_t level, std::span<S> out) {
    Found& found = found_[place.found];
    const bool callers = found.levels.empty() || (level == 0 && place.found == 0);
    return (callers ? out : std::span<S>(found.levels[level])).subspan(place.at, place.size);
  }

  void bring_back(const Inputs<S>& in, std::span<S> out) {
    typename PullBack<S>::Beside beside;
    std::size_t known = 0;
    for (const Move& move : moves_) {
      const ChartStep<S>& step = *chart_.steps()[move.level - 1];
      if (known != move.level) {
        known = move.level;
        const auto& places = beside_[known - 1];
        beside = {span_of(places[0], known, out), span_of(places[1], known, out), span_of(places[2], known, out),
                  span_of(places[3], known, out), span_of(places[4], known, out)};
      }
      const std::span<const S> from = span_of(move.from, move.level, out);
      const std::span<S> to = span_of(move.to, move.level - 1, out);
      if (move.output->kind == Kind::pose && stands(in)) {
        if (from.data() != to.data()) std::copy(from.begin(), from.end(), to.begin());
      } else {
        PullBack<S>(step, beside, half_)(*move.output, from, to);
      }
    }
    if (placed_) weigh(out);
  }
  // Whether the frame is fixed in the world.
  bool stands(const Inputs<S>& in) const {
    return chart_.mover() && robot_->frames[index(frame_of<S>(*robot_, in))].link == base_link;
  }
  // The potential energy if the tree's world moves: the tree has no gravity.                                       (11)
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
  std::vector<Input> inputs_, at_zero_;
  Chart<S> chart_;
  std::shared_ptr<const TreeFor<S>> tree_robot_;
  Array<S> zeros_, twist_, half_;
  bool doubles_twist_ = false;
  std::vector<Found> found_;  // the job itself comes first
  std::vector<Move> moves_;
  std::vector<std::array<Place, 5>> beside_;  // by level: form, damping, torque, columns, q_qdd
  std::optional<PlacedLinks<S>> placed_;
  Inputs<S> on_tree_{};
};

}  // namespace catena

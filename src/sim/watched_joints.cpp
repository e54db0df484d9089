#include "sim/watched_joints.hpp"

#include <algorithm>
#include <cmath>

#include "model/clusters.hpp"
#include "model/dense_steps.hpp"

namespace catena {
namespace {

// How little of the best coordinates' fitness is enough to stay with the present ones.
constexpr double least_share = 0.1;

std::vector<int> columns_of(const LoopEquations<double>& equations, const std::vector<int>& movers) {
  std::vector<int> columns;
  for (const int m : movers)
    columns.push_back(static_cast<int>(std::find(equations.movers().begin(), equations.movers().end(), m) -
                                       equations.movers().begin()));
  return columns;
}
// The dependent columns that are best here, as many as there are now.
std::vector<int> best_columns(const LoopEquations<double>& equations, std::size_t count) {
  const std::vector<double> J(equations.J().begin(), equations.J().end());
  std::vector<int> best =
      independent_columns(J, index(equations.columns()), std::vector<double>(index(equations.columns()), 1.0));
  if (best.size() > count) best.resize(count);
  return best;
}

}  // namespace

WatchedJoints::WatchedJoints(std::shared_ptr<const Mechanism> robot, const Mechanism& with_friction) {
  for (const Coordinate c : robot->coordinates.all()) {
    joints_.push_back(robot->coordinates.joints[c]);
    limits_.push_back(robot->limits(c));
    coulomb_.push_back(0.0);
  }
  if (robot->coordinates.is_closed())
    for (const TreeJoint j : robot->all_joints()) {
      const JointLimits& limits = robot->coordinates.joint_limits[j];
      const double coulomb = with_friction.drives[j].coulomb + with_friction.drives[j].stribeck;
      if (std::find(joints_.begin(), joints_.end(), j) != joints_.end()) continue;
      if (coulomb == 0.0 && !std::isfinite(limits.lower) && !std::isfinite(limits.upper)) continue;
      if (terms_of(robot->coordinates, j).empty()) continue;  // it cannot move
      joints_.push_back(j);
      coulomb_.push_back(coulomb);
    }
  use(std::move(robot));
}

void WatchedJoints::use(std::shared_ptr<const Mechanism> robot) {
  robot_ = std::move(robot);
  seen_.clear();
  coordinate_.assign(joints_.size(), -1);
  for (std::size_t k = 0; k < joints_.size(); ++k)
    for (const Coordinate c : robot_->coordinates.all())
      if (robot_->coordinates.joints[c] == joints_[k]) coordinate_[k] = c;
  if (!robot_->coordinates.is_closed()) return;
  chart_.emplace(robot_->coordinates, *robot_);
  equations_.clear();
  for (const LoopCluster& cluster : robot_->coordinates.closure.clusters)
    equations_.emplace_back(*robot_, robot_->coordinates.closure, cluster);
  rows_.resize(joints_.size() * index(robot_->nv()));
}

void WatchedJoints::see(std::span<const double> q, std::span<const double> qd) const {
  if (!chart_) return;
  const auto same = [&] {
    return seen_.size() == q.size() + qd.size() && std::equal(q.begin(), q.end(), seen_.begin()) &&
           std::equal(qd.begin(), qd.end(), seen_.begin() + static_cast<std::ptrdiff_t>(q.size()));
  };
  if (same()) return;
  seen_.clear();
  const Inputs<double> tree = chart_->place({.q = q, .qd = qd});
  const LoopStep<double>& loops = chart_->loops();
  q_tree_.assign(tree.q.begin(), tree.q.end());
  qd_tree_.assign(tree.qd.begin(), tree.qd.end());
  constexpr double at_rest = 1e-14;  // what is left of a speed that was set to zero, far below the slack of triggers
  for (double& speed : qd_tree_)
    if (std::abs(speed) < at_rest) speed = 0.0;
  drift_.assign(loops.drift().begin(), loops.drift().end());
  const int n = robot_->nv();
  for (std::size_t k = 0; k < joints_.size(); ++k)
    for (int c = 0; c < n; ++c) rows_[k * index(n) + index(c)] = loops.entry(joints_[k], c);
  seen_.assign(q.begin(), q.end());
  seen_.insert(seen_.end(), qd.begin(), qd.end());
}

std::span<const double> WatchedJoints::row(std::size_t k) const {
  const std::size_t n = index(robot_->nv());
  return std::span<const double>(rows_).subspan(k * n, n);
}

double WatchedJoints::fitness() const {
  const Closure<double>& closure = robot_->coordinates.closure;
  std::vector<double> x;
  for (const TreeJoint joint : closure.movers) x.push_back(q_tree_[index(joint)]);
  double least = 1.0;
  for (std::size_t k = 0; k < equations_.size(); ++k) {
    const LoopCluster& cluster = closure.clusters[k];
    if (cluster.dependent.empty() || cluster.independent.empty()) continue;
    LoopEquations<double>& equations = equations_[k];
    equations.place(x);
    const std::size_t n = index(equations.columns());
    const double own = fitness_of(equations.J(), n, columns_of(equations, cluster.dependent));
    const double best = fitness_of(equations.J(), n, best_columns(equations, cluster.dependent.size()));
    least = std::min(least, best > 0.0 ? own / best - least_share : 1.0);
  }
  return least;
}

Mechanism WatchedJoints::refit(std::string& what) const {
  Mechanism out = *robot_;
  Closure<double>& closure = out.coordinates.closure;
  fitness();  // places the equations
  for (std::size_t m = 0; m < closure.movers.size(); ++m) closure.closed[m] = q_tree_[index(closure.movers[m])];
  for (std::size_t k = 0; k < equations_.size(); ++k) {
    LoopCluster& cluster = closure.clusters[k];
    const std::vector<int> best = best_columns(equations_[k], cluster.dependent.size());
    if (best.size() < cluster.dependent.size()) continue;  // singular in any coordinates
    const std::vector<int> before = cluster.independent;
    cluster.independent.clear(), cluster.dependent.clear();
    for (int c = 0; c < equations_[k].columns(); ++c) {
      const int m = equations_[k].movers()[index(c)];
      const bool depends = std::find(best.begin(), best.end(), c) != best.end();
      (depends ? cluster.dependent : cluster.independent).push_back(m);
      closure.coordinate[index(m)] = depends ? -1 : 0;
      if (!depends && std::find(before.begin(), before.end(), m) == before.end())
        what += (what.empty() ? "'" : ", '") + out.joint_names[closure.movers[index(m)]] + "'";
    }
  }
  out.coordinates.joints.clear();
  out.coordinates.limits.clear();
  int next = 0;
  for (std::size_t m = 0; m < closure.movers.size(); ++m) {
    if (closure.coordinate[m] < 0) continue;
    closure.coordinate[m] = next++;
    out.coordinates.joints.push_back(closure.movers[m]);
    out.coordinates.limits.push_back(out.coordinates.joint_limits[closure.movers[m]]);
  }
  return out;
}

}  // namespace catena

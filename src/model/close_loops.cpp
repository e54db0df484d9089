#include "model/close_loops.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <string>

#include "model/clusters.hpp"
#include "model/dense_steps.hpp"
#include "model/joint_rows.hpp"
#include "model/loop_equations.hpp"
#include "model/words.hpp"

namespace catena {

using namespace words;

namespace {

// Lengths by that of the cluster. More equations than unknowns, of numbers that were rounded for a file, agree only so
// far; the nearest place then counts as closed.
constexpr double closed_enough = 1e-11, closed_but_for_rounding = 1e-6;
// An equation that no joint changes by more than this holds wherever the joints are.
constexpr double no_change = 1e-9;

// Sets of movers that loops and couplings tie to each other, as clusters of links.
std::vector<Cluster> tie(const Mechanism& tree, const Closure<double>& closure) {
  std::vector<int> set(closure.movers.size());
  std::iota(set.begin(), set.end(), 0);
  const auto join = [&](int a, int b) {
    const int from = set[index(a)], to = set[index(b)];
    std::replace(set.begin(), set.end(), from, to);
  };
  std::vector<int> first;  // by loop: one of its movers
  std::vector<char> in_loop(tree.links.size(), 0);
  for (const auto& loop : closure.loops) {
    first.push_back(-1);
    std::vector<char> on(tree.links.size(), 0);
    for (const int frame : loop.frames)
      for (int i = tree.frames[index(frame)].link; i != base_link; i = tree.link(i).parent)
        on[index(i)] ^= 1;  // not where both paths run
    for (int i = 0; i < tree.joints(); ++i)
      if (on[index(i)] != 0)
        for (const auto& term : closure.joints[tree.link(i).q].terms) {
          in_loop[index(i)] = 1;
          if (first.back() >= 0) join(term.mover, first.back());
          first.back() = term.mover;
        }
  }
  std::vector<int> parents;
  std::vector<std::vector<Coordinate>> moved_by;
  for (std::size_t i = 0; i < tree.links.size(); ++i) {
    parents.push_back(tree.links[i].parent);
    moved_by.emplace_back();
    if (in_loop[i] == 0) continue;  // couplings of other joints do not matter to the loops
    for (const auto& term : closure.joints[tree.links[i].q].terms)
      moved_by.back().push_back(Coordinate(set[index(term.mover)]));
  }
  return clusters_of(parents, moved_by);
}

void add_loops(const Mechanism& tree, Closure<double>& closure) {
  const auto link_of = [&](std::size_t loop, std::size_t k) {
    return tree.frames[index(closure.loops[loop].frames[k])].link;
  };
  for (Cluster& tied : tie(tree, closure)) {
    LoopCluster cluster;
    cluster.carrier = tied.parent;
    cluster.links = std::move(tied.links);
    const auto has = [&](int link) {
      return std::find(cluster.links.begin(), cluster.links.end(), link) != cluster.links.end();
    };
    for (std::size_t l = 0; l < closure.loops.size(); ++l)
      if (has(link_of(l, 0)) || has(link_of(l, 1))) cluster.loops.push_back(static_cast<int>(l));
    // Frames of another cluster may stand on a link of this one: that is not a joint of theirs.
    std::erase_if(cluster.loops, [&](int l) {
      for (std::size_t k = 0; k < 2; ++k)
        if (const int link = link_of(index(l), k); !has(link) && link != cluster.carrier) return true;
      return link_of(index(l), 0) == link_of(index(l), 1);
    });
    if (cluster.loops.empty()) continue;
    double size = 0.0;
    const auto length = [](const Vec3<double>& p) { return std::sqrt(dot(p, p)); };
    for (const int i : cluster.links)
      if (tree.link(i).parent != cluster.carrier) size = std::max(size, length(tree.link(i).p_parent_to_link));
    for (const int l : cluster.loops)
      for (const int frame : closure.loops[index(l)].frames)
        if (tree.frames[index(frame)].link != cluster.carrier)
          size = std::max(size, length(tree.frames[index(frame)].in_link.p));
    cluster.size = size > 0.0 ? size : 1.0;
    closure.clusters.push_back(std::move(cluster));
  }
}

// One cluster while it is examined: lengths are by its size, so that angles and lengths compare.
class Examined {
 public:
  Examined(const Mechanism& tree, const Closure<double>& closure, const LoopCluster& cluster)
      : equations(tree, closure, cluster), size_(cluster.size) {
    for (const int m : equations.movers())
      scale_.push_back(tree.link(tree.link_of(closure.movers[index(m)])).revolute ? 1.0 : size_);
    for (const int l : cluster.loops)
      for (const LoopRow& row : rows_of(closure.loops[index(l)].type))
        row_scale_.push_back(row.point ? 1.0 / size_ : 1.0);
  }

  LoopEquations<double> equations;
  std::size_t columns() const { return scale_.size(); }
  bool is_filled(std::size_t column) const {
    for (int r = 0; r < equations.rows(); ++r)
      if (equations.is_filled(r, static_cast<int>(column))) return true;
    return false;
  }
  double scale(std::size_t column) const { return scale_[column]; }
  // φ and J, scaled.
  double place(std::span<const double> x) {
    equations.place(x);
    phi.assign(equations.phi().begin(), equations.phi().end());
    J.assign(equations.J().begin(), equations.J().end());
    double most = 0.0;
    for (std::size_t r = 0; r < phi.size(); ++r) {
      phi[r] *= row_scale_[r];
      most = std::max(most, std::abs(phi[r]));
      for (std::size_t c = 0; c < columns(); ++c) J[r * columns() + c] *= row_scale_[r] * scale_[c];
    }
    for (std::size_t l = 0; l < loops(); ++l)
      if (equations.agreement(l) < 0.0) most = std::max(most, 1.0);  // an axis is reversed
    return most;
  }
  void move(std::span<double> x, std::span<const double> by) const {
    for (std::size_t c = 0; c < columns(); ++c) x[index(equations.movers()[c])] += scale_[c] * by[c];
  }
  // Damped steps towards a place where all loops are closed.
  bool close(std::vector<double>& x) {
    double mu = 1e-3, error = sum_of_squares(x);
    bool stands = false;  // no step makes the rest less
    std::vector<double> step(columns()), next;
    for (int k = 0; k < 300 && error > 0.0 && !stands; ++k) {
      place(x);
      std::fill(step.begin(), step.end(), 0.0);
      for (std::size_t r = 0; r < phi.size(); ++r)
        for (std::size_t c = 0; c < columns(); ++c) step[c] -= J[r * columns() + c] * phi[r];
      solve_damped(J, columns(), mu, step);
      next = x;
      move(next, step);
      const double then = sum_of_squares(next);
      stands =
          (mu < 1e-10 || mu > 1e6) && then > 0.9 * error && error < closed_but_for_rounding * closed_but_for_rounding;
      if (then < error) {
        x = next;
        mu = std::max(mu * 0.2, 1e-14);
        if (then < 1e-30) break;
      } else {
        mu *= 5.0;
        if (mu > 1e8) break;
      }
      error = std::min(error, then);
    }
    open = place(x);
    return open < (stands ? closed_but_for_rounding : closed_enough);
  }
  // As many columns as differ by more than what is open, none for what is no change of any equation.
  std::vector<int> independent(std::span<const double> weights) const {
    const double least = no_change * std::sqrt(static_cast<double>(phi.size()));
    return independent_columns(J, columns(), weights, std::max(1e-7, 30.0 * open), least);
  }
  // Other places: a way along which the loops stay closed, and closed again.
  bool wander(std::vector<double>& x, std::mt19937& random) {
    std::normal_distribution<double> normal;
    std::vector<double> step(columns());
    for (double& part : step) part = normal(random);
    constexpr double mu = 1e-10;
    place(x);
    for (double& part : step) part *= mu;
    solve_damped(J, columns(), mu, step);
    double length = 0.0;
    for (const double part : step) length += part * part;
    if (length < 1e-12) return false;  // nothing can move
    for (double& part : step) part *= 0.3 / std::sqrt(length);
    move(x, step);
    return close(x);
  }
  std::size_t loops() const { return equations.loop_of(equations.rows() - 1) + 1; }

  std::vector<double> phi, J;
  double open = 0.0;  // what is left of φ where close() ended

 private:
  double sum_of_squares(std::span<const double> x) {
    place(x);
    double sum = 0.0;
    for (const double part : phi) sum += part * part;
    return sum;
  }
  double size_;
  std::vector<double> scale_, row_scale_;
};

class Closing {
 public:
  Closing(const Robot& robot, const Mechanism& tree, std::vector<Problem>& problems)
      : robot_(robot), tree_(tree), joints_(robot.tree_joints()), problems_(problems) {}

  Closure<double> find() {
    const std::size_t before = problems_.size();
    set_movers();
    add_loops(tree_, closure_);
    for (std::size_t l = 0; l < closure_.loops.size(); ++l) {
      const auto in = [&](const LoopCluster& c) { return std::count(c.loops.begin(), c.loops.end(), int(l)) > 0; };
      if (std::none_of(closure_.clusters.begin(), closure_.clusters.end(), in))
        error(robot_.loops[l], "no joint moves one of its frames against the other");
    }
    closure_.coordinate.assign(closure_.movers.size(), 0);
    for (LoopCluster& cluster : closure_.clusters)
      if (problems_.size() == before) examine(cluster);
    int next = 0;
    for (int& c : closure_.coordinate) c = c < 0 ? c : next++;
    return closure_;
  }

 private:
  const JointDescription& joint_of(int mover) const {
    return robot_.joints[index(joints_[index(closure_.movers[index(mover)])])];
  }
  void error(const LoopDescription& loop, const std::string& what) {
    problems_.push_back({loop.line, "loop " + quoted(loop.name) + ": " + what});
  }
  const LoopDescription& first_loop(const LoopCluster& cluster) const {
    return robot_.loops[index(cluster.loops.front())];
  }
  std::string names(const std::vector<int>& movers) const {
    std::string all;
    for (const int m : movers) all += (all.empty() ? "" : ", ") + quoted(joint_of(m).name);
    return all;
  }

  void set_movers() {
    std::vector<int> movers;
    for (std::size_t j = 0; j < joints_.size(); ++j) {
      if (robot_.joints[index(joints_[j])].is_coupled()) continue;
      closure_.movers.emplace_back(j);
      movers.push_back(joints_[j]);
    }
    closure_.joints = rows_by_movers(robot_, movers);
    for (const LoopDescription& loop : robot_.loops) {
      closure_.loops.push_back(
          {loop.name, loop.type, {tree_.frame_index(loop.frames[0]), tree_.frame_index(loop.frames[1])}});
    }
    for (std::size_t m = 0; m < closure_.movers.size(); ++m) closure_.closed.push_back(guess(joint_of(int(m))));
  }
  // The place nearest to zero within the limits, unless told.
  double guess(const JointDescription& joint) const {
    for (const auto* told : {&robot_.start, &robot_.closed})
      if (const auto found = told->find(joint.name); found != told->end()) return found->second;
    return std::clamp(0.0, joint.limits.lower, joint.limits.upper);
  }

  void examine(LoopCluster& cluster) {
    const std::size_t before = problems_.size();
    Examined at(tree_, closure_, cluster);
    for (const int m : at.equations.movers())
      if (tree_.carried && closure_.movers[index(m)] < base_joints)
        return error(first_loop(cluster), "ties the free base '" + robot_.floating + "' to the world");
    const std::vector<double> told = closure_.closed;
    if (!close(at, cluster)) return report_open(at, cluster);
    check_start(at, told, cluster);
    if (problems_.size() == before) choose(at, cluster);
  }
  // From where it was told; without a start, from other places too.
  bool close(Examined& at, const LoopCluster& cluster) {
    const std::vector<double> first = closure_.closed;
    if (at.close(closure_.closed)) return true;
    std::mt19937 random(7);
    std::uniform_real_distribution<double> anywhere(-1.0, 1.0);
    const bool is_told = std::any_of(at.equations.movers().begin(), at.equations.movers().end(),
                                     [&](int m) { return robot_.start.contains(joint_of(m).name); });
    for (int k = 0; k < (is_told ? 0 : 60); ++k) {
      closure_.closed = first;
      for (std::size_t c = 0; c < at.columns(); ++c) {
        const int m = at.equations.movers()[c];
        const JointLimits& limits = joint_of(m).limits;
        const double wide = at.scale(c) == 1.0 ? 3.0 : 2.0 * cluster.size;
        closure_.closed[index(m)] = std::clamp(wide * anywhere(random), limits.lower, limits.upper);
      }
      if (at.close(closure_.closed)) return true;
    }
    closure_.closed = first;
    at.close(closure_.closed);
    return false;
  }
  void report_open(Examined& at, const LoopCluster& cluster) {
    double points = 0.0, turns = 0.0;
    int worst = 0;
    at.place(closure_.closed);
    std::size_t r = 0;
    for (std::size_t l = 0; l < cluster.loops.size(); ++l)
      for (const LoopRow& row : rows_of(closure_.loops[index(cluster.loops[l])].type)) {
        double& own = row.point ? points : turns;
        if (std::abs(at.phi[r]) > std::max(points, turns)) worst = static_cast<int>(l);
        own = std::max(own, std::abs(at.phi[r++]));
      }
    const LoopDescription& loop = robot_.loops[index(cluster.loops[index(worst)])];
    const std::string frames = quoted(loop.frames[0]) + " and " + quoted(loop.frames[1]);
    if (points < closed_but_for_rounding && turns > closed_but_for_rounding)
      return error(loop, "the axes of " + frames + " do not fit: where the frames meet, they are off by " +
                             rounded(turns) + " rad");
    error(loop, "cannot close: " + frames + " come no nearer than " + rounded(points * cluster.size) + " m" +
                    (robot_.start.empty() ? "" : " from where start puts the joints"));
  }
  void check_start(const Examined& at, const std::vector<double>& told, const LoopCluster& cluster) {
    for (std::size_t c = 0; c < at.columns(); ++c) {
      const int m = at.equations.movers()[c];
      const std::string& joint = joint_of(m).name;
      if (!robot_.start.contains(joint)) continue;
      if (std::abs(closure_.closed[index(m)] - told[index(m)]) <= at.scale(c)) continue;
      error(first_loop(cluster), "start leads to another assembly: joint " + quoted(joint) + " was looked for at " +
                                     rounded(told[index(m)]) + " and found at " + rounded(closure_.closed[index(m)]) +
                                     "; start nearer to where the loop closes");
    }
  }

  // Which rows joints can change, how many of them count, and which joints are the coordinates.
  void choose(Examined& at, LoopCluster& cluster) {
    const std::size_t n = at.columns();
    const std::vector<double> ones(n, 1.0);
    std::vector<double> most(index(at.equations.rows()), 0.0);
    std::mt19937 random(11);
    std::size_t rank = 0;
    std::vector<double> x = closure_.closed;
    for (int k = 0; k < 12; ++k) {
      if (k > 0 && !at.wander(x, random)) x = closure_.closed;
      at.place(x);
      rank = std::max(rank, at.independent(ones).size());
      for (std::size_t r = 0; r < most.size(); ++r)
        for (std::size_t c = 0; c < n; ++c) most[r] = std::max(most[r], std::abs(at.J[r * n + c]));
    }
    int kept = 0;
    for (const double row : most) cluster.kept.push_back(row > no_change ? 1 : 0), kept += row > no_change ? 1 : 0;
    cluster.redundant = kept - static_cast<int>(rank);
    at.place(closure_.closed);
    std::vector<char> dependent(n, 0);
    for (const int c : dependent_columns(at, cluster, rank)) dependent[index(c)] = 1;
    for (std::size_t c = 0; c < n; ++c) {
      const int m = at.equations.movers()[c];
      if (!at.is_filled(c)) continue;  // a joint between two loops that moves neither
      if (dependent[c] != 0) closure_.coordinate[index(m)] = -1;
      (dependent[c] != 0 ? cluster.dependent : cluster.independent).push_back(m);
    }
    sort_dependent(at, cluster);
  }
  // Few equations first: elimination then fills in little.
  static void sort_dependent(const Examined& at, LoopCluster& cluster) {
    const auto filled = [&](int mover) {
      const auto& movers = at.equations.movers();
      const int column = static_cast<int>(std::find(movers.begin(), movers.end(), mover) - movers.begin());
      int rows = 0;
      for (int r = 0; r < at.equations.rows(); ++r) rows += at.equations.is_filled(r, column) ? 1 : 0;
      return rows;
    };
    std::stable_sort(cluster.dependent.begin(), cluster.dependent.end(),
                     [&](int a, int b) { return filled(a) < filled(b); });
  }
  std::vector<int> dependent_columns(const Examined& at, const LoopCluster& cluster, std::size_t rank) {
    const std::size_t n = at.columns();
    std::size_t moving = 0;
    for (std::size_t c = 0; c < n; ++c) moving += at.is_filled(c) ? 1 : 0;
    const auto& movers = at.equations.movers();
    const auto is_told = [&](int m) {
      const auto& told = robot_.independent;
      return std::find(told.begin(), told.end(), joint_of(m).name) != told.end();
    };
    const bool known = std::none_of(movers.begin(), movers.end(), is_told) &&
                       std::any_of(movers.begin(), movers.end(), [&](int m) { return joint_of(m).dependent; });
    // Joints without a motor depend on those with one, unless that is singular.
    std::vector<double> weights;
    std::vector<int> told;
    for (std::size_t c = 0; c < n; ++c) {
      const int m = movers[c];
      if (at.is_filled(c) && (known ? !joint_of(m).dependent : is_told(m))) told.push_back(m);
      weights.push_back(joint_of(m).passive ? 1e3 : 1.0);
    }
    if (told.empty() && !known) {
      std::vector<int> dependent = at.independent(weights);
      if (dependent.size() < rank) report_singular(cluster);
      return dependent;
    }
    if (told.size() != moving - rank)
      error(first_loop(cluster), "leaves " + std::to_string(moving - rank) + " of its " + std::to_string(moving) +
                                     " joints independent; independent names " + std::to_string(told.size()) +
                                     (told.empty() ? "" : ": " + names(told)));
    for (std::size_t c = 0; c < n; ++c)
      if (std::count(told.begin(), told.end(), movers[c]) > 0) weights[c] = 0.0;
    std::vector<int> dependent = at.independent(weights);
    if (told.size() == moving - rank && dependent.size() < rank) {
      if (at.independent(std::vector<double>(n, 1.0)).size() < rank)
        report_singular(cluster);
      else
        error(first_loop(cluster), "the other joints do not follow from the independent " + names(told));
    }
    return dependent;
  }
  void report_singular(const LoopCluster& cluster) {
    error(first_loop(cluster), "is singular at its start; give another start");
  }

  const Robot& robot_;
  const Mechanism& tree_;
  std::vector<int> joints_;  // the robot's joint of each of the tree
  std::vector<Problem>& problems_;
  Closure<double> closure_;
};

}  // namespace

Closure<double> find_closure(const Robot& robot, const Mechanism& tree, std::vector<Problem>& problems) {
  return Closing(robot, tree, problems).find();
}

Robot without_loops(const Robot& robot) {
  Robot open = robot;
  open.loops.clear(), open.independent.clear(), open.start.clear(), open.closed.clear();
  for (JointDescription& joint : open.joints) joint.dependent = false;
  return open;
}

std::vector<Problem> close_loops(Robot& robot) {
  std::vector<Problem> problems;
  if (robot.loops.empty()) return problems;
  const Mechanism tree = make_mechanism(without_loops(robot));
  const Closure<double> closure = find_closure(robot, tree, problems);
  if (!problems.empty()) return problems;
  const std::vector<int> joints = robot.tree_joints();
  for (std::size_t m = 0; m < closure.movers.size(); ++m) {
    JointDescription& joint = robot.joints[index(joints[index(closure.movers[m])])];
    joint.dependent = closure.coordinate[m] < 0;
    robot.closed[joint.name] = closure.closed[m];
  }
  return problems;
}

}  // namespace catena

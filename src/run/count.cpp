#include "catena/count.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <string>
#include <vector>

#include "formulations/bias/base_origin.hpp"
#include "formulations/forward/base_origin.hpp"
#include "formulations/forward/conjugate_gradient.hpp"
#include "formulations/forward/denoc.hpp"
#include "formulations/inertia/base_origin.hpp"
#include "formulations/linearize/algorithms_7_1_7_2.hpp"
#include "jobs/runner.hpp"

namespace catena {
namespace {

using S = Counted;

// A generic state, and memory for every result.
struct Bench {
  std::vector<S> q, qd, qdd, results;

  Bench(int n, std::size_t size) : q(index(n)), qd(index(n)), qdd(index(n)), results(size) {
    for (int j = 0; j < n; ++j) {
      q[index(j)] = S::variable(0.3 + 0.1 * j);
      qd[index(j)] = S::variable(0.7 - 0.05 * j);
      qdd[index(j)] = S::variable(0.2 + 0.03 * j);
    }
  }
  bool finite() const {
    return std::all_of(results.begin(), results.end(), [](const S& v) { return std::isfinite(v.value()); });
  }
};

// One run of the formulation, without the checks around it; its lines are left in the tally.
OperationCount run_once(const Mechanism& robot, const JobInfo& job, std::string_view formulation, bool& finite,
                        Constants constants = Constants::any) {
  Bench bench(robot.nv(), index(job.size(sizes_of(robot))));
  bench.q.resize(index(robot.nq()), S::variable(0.3 + 0.1 * robot.nv()));  // one more where the base is free
  const std::vector<S> base_motion(index(sizes_of(robot).base_motion), S::variable(0.1));
  if (const Closure<double>& closure = robot.coordinates.closure; closure.placed) {  // near where the loops are closed
    const std::size_t more = robot.coordinates.is_free() ? 1 : 0;
    for (std::size_t m = more > 0 ? base_joints : 0; m < closure.movers.size(); ++m)
      bench.q[m + more] = S::variable(closure.closed[m] + 0.01 * double(m + 1));
  }
  const auto runner = make_runner<S>(job.name, robot, formulation);
  Counted::reset();
  Counted::tally().constants_known = constants != Constants::any;
  runner->run(with_others<S>({.q = bench.q, .qd = bench.qd, .base = base_motion}, bench.qdd), bench.results);
  Counted::tally().constants_known = false;
  finite = bench.finite();
  return Counted::count();
}

std::vector<LineCount> charged_lines() {
  std::vector<LineCount> lines;
  for (const LineCount& line : Counted::tally().lines)
    if (!line.equation.empty()) lines.push_back(line);
  if (lines.empty()) return lines;
  std::sort(lines.begin(), lines.end(), [](const auto& a, const auto& b) { return a.equation < b.equation; });
  if (const OperationCount rest = Counted::count() - Counted::tally().charged; rest != OperationCount{})
    lines.push_back({"other", rest});
  return lines;
}

// A formulation that reads the augmented links passes their NaN on to its result.
bool reads_augmented_links(Mechanism robot, const JobInfo& job, std::string_view formulation) {
  for (auto& link : robot.links)
    link.augmented_moment.x = link.augmented_pseudo.xx = std::numeric_limits<double>::quiet_NaN();
  bool finite = true;
  run_once(robot, job, formulation, finite);
  return !finite;
}

OperationCount count_augmentation(const Mechanism& robot) {
  std::vector<LinkConstants<S>> links;
  for (const auto& l : robot.links) {
    LinkConstants<S> link;
    link.parent = l.parent;
    link.revolute = l.revolute;
    link.p_parent_to_link = static_cast<Vec3<S>>(l.p_parent_to_link);
    link.mass = S(l.mass);
    link.com = static_cast<Vec3<S>>(l.com);
    link.pseudo_com = static_cast<Sym3<S>>(l.pseudo_com);
    links.push_back(link);
  }
  const OperationCount before = Counted::count();
  augment_links(links);
  return Counted::count() - before;
}

OperationCount bias_beside_inertia(const Mechanism& robot) {
  const std::size_t n = index(robot.joints());
  Bench bench(robot.joints(), n + n * n);
  const std::span<S> vector = std::span(bench.results).first(n), matrix = std::span(bench.results).subspan(n);
  BaseOriginInertia::Workspace<S> inertia(robot);
  BaseOriginBias::Workspace<S> bias(robot);
  BaseOriginInertia::run<S>(robot, bench.q, inertia, MatrixView<S>{matrix, robot.joints()});
  const OperationCount before = Counted::count();
  BaseOriginBias::after_stage<S>(robot, bench.qd, inertia.stage, bias, vector);
  return Counted::count() - before;
}

OperationCount forward_beside_bias(const Mechanism& robot) {
  Bench bench(robot.joints(), index(robot.joints()));
  DenocForward::Workspace<S> workspace(robot);
  DenocForward::find_bias<S>(robot, bench.q, bench.qd, workspace);
  const OperationCount before = Counted::count();
  DenocForward::factor_inertia<S>(robot, bench.q, workspace);
  DenocForward::solve<S>(robot, bench.q, bench.qdd, workspace, bench.results);
  return Counted::count() - before;
}

OperationCount inertia_and_bias(const Mechanism& robot) {
  Bench bench(robot.joints(), 0);
  BaseOriginForward::Workspace<S> workspace(robot);
  const OperationCount before = Counted::count();
  BaseOriginForward::form_rigid<S>(robot, bench.q, bench.qd, workspace);
  return Counted::count() - before;
}

// Algorithms 7.1 and 7.2 and what they are made for, beside the inverse dynamics that they start from.
OperationCount linearization_beside_inverse(const Mechanism& robot) {
  OperationCount sum;
  for (const LineCount& line : count_operations(robot, "linearize", Algorithms71And72::info.name).lines)
    if (line.equation.starts_with("7.")) sum += line.online;
  return sum;
}

OperationCount short_recurrence(const Mechanism& robot) {
  Bench bench(robot.joints(), index(robot.joints()));
  ConjugateGradient::Workspace<S> workspace(robot);
  const OperationCount before = Counted::count();
  ConjugateGradient::run_short<S>(robot, bench.q, bench.qd, bench.qdd, workspace, bench.results);
  return Counted::count() - before;
}

}  // namespace

std::vector<PartCount> count_parts(const Mechanism& robot) {
  if (!robot.coordinates.is_plain())
    return {};  // the counted parts of formulations run directly on the tree, which has no chart
  return {{"bias", BaseOriginBias::info.name, "inertia", bias_beside_inertia(robot)},
          {"forward", DenocForward::info.name, "bias", forward_beside_bias(robot)},
          {"forward", BaseOriginForward::info.name, "solver", inertia_and_bias(robot)},
          {"forward", ConjugateGradient::info.name, "conjugacy to all", short_recurrence(robot)},
          {"linearize", Algorithms71And72::info.name, "Algorithm 5.5", linearization_beside_inverse(robot)}};
}

FormulationCount count_operations(const Mechanism& robot, std::string_view job, std::string_view formulation,
                                  Constants constants) {
  const JobInfo& info = job_info(job);
  Mechanism rigid = with_all_positions(robot);
  rigid.has_drives = false;
  if (double other = 0.1; constants == Constants::twists)  // numbers of which no two cancel
    for (auto& link : rigid.links)
      for (double* offset : {&link.p_parent_to_link.x, &link.p_parent_to_link.y, &link.p_parent_to_link.z})
        if (*offset == 0.0) *offset = other += 0.0137;
  FormulationCount out;
  bool finite = true;
  out.online = run_once(rigid, info, formulation, finite, constants);
  out.lines = charged_lines();
  if (reads_augmented_links(rigid, info, formulation)) out.offline = count_augmentation(robot);
  return out;
}

Robot general_arm(int joints, AxisAngles angles) {
  Robot robot;
  robot.name = "general arm";
  robot.add_link("base");
  for (int i = 1; i <= joints; ++i) {
    const double k = 0.01 * ((i - 1) % 12 + 1);  // links repeat after twelve, so that all of them are valid bodies
    const Sym3<double> inertia{0.1 + k, 0.12 + k, 0.13 - 0.5 * k, 0.01, -0.02, 0.015};
    const int link = robot.add_link("link" + std::to_string(i), {1.0 + k, {0.1 + k, -0.2, 0.15 - k}, inertia});
    const double alpha = angles == AxisAngles::general ? 0.9 - 3.0 * k : (i % 3 == 0 ? 0.0 : std::numbers::pi / 2);
    JointDescription joint = modified_dh({0.3 + k, alpha, 0.2 - k, 0.0, 0.0, 0.0}, JointType::revolute);
    joint.name = "joint" + std::to_string(i);
    joint.parent = link - 1;
    joint.child = link;
    robot.add_joint(joint);
  }
  return robot;
}

}  // namespace catena

#include "catena/dynamics/count.hpp"

#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <string>
#include <vector>

#include "catena/dynamics/registry.hpp"

namespace catena {
namespace {

using S = Counted;

// A state with nothing special about it, and room for every result.
struct Bench {
  std::vector<S> q, qd, qdd, vector, matrix;

  explicit Bench(int n) : q(index(n)), qd(index(n)), qdd(index(n)), vector(index(n)), matrix(index(n) * index(n)) {
    for (int j = 0; j < n; ++j)
      q[index(j)] = 0.3 + 0.1 * j, qd[index(j)] = 0.7 - 0.05 * j, qdd[index(j)] = 0.2 + 0.03 * j;
  }
  bool finite() const {
    for (const auto* values : {&vector, &matrix})
      for (const S& v : *values)
        if (!std::isfinite(v.value())) return false;
    return true;
  }
};

// How a formulation of each job is called.
struct InverseCall {
  static constexpr std::string_view job = "inverse";
  using List = InverseFormulations;
  template <class F, class W>
  static void run(const Mechanism& robot, Bench& b, W& ws) {
    F::template run<S>(robot, Motion<S>{b.q, b.qd, b.qdd}, {}, ws, std::span<S>(b.vector));
  }
};
struct InertiaCall {
  static constexpr std::string_view job = "inertia";
  using List = InertiaFormulations;
  template <class F, class W>
  static void run(const Mechanism& robot, Bench& b, W& ws) {
    F::template run<S>(robot, b.q, ws, MatrixView<S>{b.matrix, robot.n()});
  }
};
struct CoriolisCall {
  static constexpr std::string_view job = "coriolis";
  using List = CoriolisFormulations;
  template <class F, class W>
  static void run(const Mechanism& robot, Bench& b, W& ws) {
    F::template run<S>(robot, b.q, b.qd, ws, MatrixView<S>{b.matrix, robot.n()});
  }
};
struct BiasCall {
  static constexpr std::string_view job = "bias";
  using List = BiasFormulations;
  template <class F, class W>
  static void run(const Mechanism& robot, Bench& b, W& ws) {
    F::template run<S>(robot, b.q, b.qd, ws, std::span<S>(b.vector));
  }
};
struct ForwardCall {
  static constexpr std::string_view job = "forward";
  using List = ForwardFormulations;
  template <class F, class W>
  static void run(const Mechanism& robot, Bench& b, W& ws) {
    F::template run<S>(robot, b.q, b.qd, std::span<const S>(b.qdd), {}, ws, std::span<S>(b.vector));
  }
};

template <class Call, class F>
OperationCount run_once(const Mechanism& robot, bool& finite) {
  Bench bench(robot.n());
  typename F::template Workspace<S> workspace(robot);
  const OperationCount before = Counted::count();
  Call::template run<F>(robot, bench, workspace);
  finite = bench.finite();
  return Counted::count() - before;
}

// Whoever reads the augmented links passes on what stands there.
template <class Call, class F>
bool reads_augmented_links(Mechanism robot) {
  for (auto& link : robot.links)
    link.augmented_moment.x = link.augmented_pseudo.xx = std::numeric_limits<double>::quiet_NaN();
  bool finite = true;
  run_once<Call, F>(robot, finite);
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

template <class Call>
bool count_in(const Mechanism& robot, std::string_view job, std::string_view method, FormulationCount& out) {
  bool found = false;
  if (job != Call::job) return found;
  Call::List::for_each([&](auto formulation) {
    using F = decltype(formulation);
    if (F::info.name != method) return;
    bool finite = true;
    out.online = run_once<Call, F>(robot, finite);
    if (reads_augmented_links<Call, F>(robot)) out.offline = count_augmentation(robot);
    found = true;
  });
  return found;
}

OperationCount bias_beside_inertia(const Mechanism& robot) {
  Bench bench(robot.n());
  BaseOriginInertia::Workspace<S> inertia(robot);
  BaseOriginBias::Workspace<S> bias(robot);
  BaseOriginInertia::run<S>(robot, bench.q, inertia, MatrixView<S>{bench.matrix, robot.n()});
  const OperationCount before = Counted::count();
  BaseOriginBias::after_stage<S>(robot, bench.qd, inertia.stage, bias, bench.vector);
  return Counted::count() - before;
}

OperationCount forward_beside_bias(const Mechanism& robot) {
  Bench bench(robot.n());
  DenocForward::Workspace<S> workspace(robot);
  DenocForward::find_bias<S>(robot, bench.q, bench.qd, {}, workspace);
  const OperationCount before = Counted::count();
  DenocForward::factor_inertia<S>(robot, bench.q, workspace);
  DenocForward::solve<S>(robot, bench.q, bench.qdd, workspace, bench.vector);
  return Counted::count() - before;
}

}  // namespace

std::vector<PartCount> count_parts(const Mechanism& robot) {
  return {{"bias", BaseOriginBias::info.name, "inertia", bias_beside_inertia(robot)},
          {"forward", DenocForward::info.name, "bias", forward_beside_bias(robot)}};
}

FormulationCount count_operations(const Mechanism& robot, std::string_view job, std::string_view method) {
  FormulationCount out;
  if (count_in<InverseCall>(robot, job, method, out) || count_in<InertiaCall>(robot, job, method, out) ||
      count_in<CoriolisCall>(robot, job, method, out) || count_in<BiasCall>(robot, job, method, out) ||
      count_in<ForwardCall>(robot, job, method, out))
    return out;
  throw std::invalid_argument("no formulation '" + std::string(method) + "' computes '" + std::string(job) + "'");
}

Robot general_arm(int joints, Twists twists) {
  Robot robot;
  robot.name = "general arm";
  robot.add_link("base");
  for (int i = 1; i <= joints; ++i) {
    const double k = 0.01 * i;
    const Sym3<double> inertia{0.1 + k, 0.12 + k, 0.13 - 0.5 * k, 0.01, -0.02, 0.015};
    const int link = robot.add_link("link" + std::to_string(i), {1.0 + k, {0.1 + k, -0.2, 0.15 - k}, inertia});
    const double alpha = twists == Twists::general ? 0.9 - 3.0 * k : (i % 3 == 0 ? 0.0 : std::numbers::pi / 2);
    JointDescription joint = modified_dh({0.3 + k, alpha, 0.2 - k, 0.0, 0.0, 0.0}, JointType::revolute);
    joint.name = "joint" + std::to_string(i);
    joint.parent = link - 1;
    joint.child = link;
    robot.add_joint(joint);
  }
  return robot;
}

}  // namespace catena

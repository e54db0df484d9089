// Robots with closed loops against their open trees: along a motion, where the latest positions are near, and with q of
// every joint given.
#include <algorithm>
#include <cmath>
#include <memory>

#include "harness.hpp"

namespace catena::bench {
namespace {

constexpr std::size_t samples = 4096;

// A smooth motion about the place where the loops were closed, a thousand samples a second.
struct Motion {
  std::vector<double> q, qd, qdd, q_all, qd_all, qdd_all;  // _all: of every joint
  std::size_t n = 0, all = 0;
};
Motion motion_of(const Mechanism& robot) {
  Motion m;
  const Closure<double>& closure = robot.coordinates.closure;
  m.n = index(robot.nv()), m.all = index(robot.joints());
  Call<double> place(robot, "place");
  std::vector<double> q_tree(m.all);
  for (std::size_t k = 0; k < samples; ++k) {
    for (std::size_t j = 0; j < m.n; ++j) {
      const auto mover = static_cast<std::size_t>(
          std::find(closure.coordinate.begin(), closure.coordinate.end(), int(j)) - closure.coordinate.begin());
      const double w = 2.0 + 0.3 * double(j), t = 1e-3 * double(k), a = 0.03;
      m.q.push_back(closure.closed[mover] + a * std::sin(w * t));
      m.qd.push_back(a * w * std::cos(w * t));
      m.qdd.push_back(-a * w * w * std::sin(w * t));
    }
    place({.q = std::span<const double>(m.q).last(m.n)}, q_tree);
    m.q_all.insert(m.q_all.end(), q_tree.begin(), q_tree.end());
  }
  m.qd_all.assign(m.q_all.size(), 0.3), m.qdd_all.assign(m.q_all.size(), 0.2);
  return m;
}

void add_along(const std::string& name, const Mechanism& robot, std::string_view job, const std::vector<double>& q,
               const std::vector<double>& qd, const std::vector<double>& qdd) {
  const auto call = std::make_shared<Call<double>>(robot, job);
  const std::vector<double> tau(index(robot.nv()), 0.5);
  add(name, [=, out = std::vector<double>(call->size())](std::size_t k) mutable {
    const auto row = [&](const std::vector<double>& table, int size) {
      return std::span<const double>(table).subspan((k % samples) * index(size), index(size));
    };
    (*call)({.q = row(q, robot.nq()), .qd = row(qd, robot.nv()), .qdd = row(qdd, robot.nv()), .tau = tau}, out);
    benchmark::DoNotOptimize(out.data());
  });
}

}  // namespace

void add_loops() {
  for (const std::string model : {"fourbar_press", "palletizer", "delta", "excavator", "stewart"}) {
    Robot robot = load_robot(find_model(model)), open = robot;
    open.loops.clear(), open.independent.clear(), open.start.clear(), open.closed.clear();
    for (JointDescription& joint : open.joints) joint.dependent = false, joint.coupling = {};
    const Mechanism closed = make_mechanism(robot), tree = make_mechanism(open);
    const Motion m = motion_of(closed);
    for (const std::string job : {"inverse", "forward"}) {
      const std::string prefix = job + "/" + model + "/";
      add_along(prefix + "open tree", tree, job, m.q_all, m.qd_all, m.qdd_all);
      add_along(prefix + "closed", closed, job, m.q, m.qd, m.qdd);
      add_along(prefix + "closed, all positions given", with_all_positions(closed), job, m.q_all, m.qd, m.qdd);
      add_ratio(model + ": " + job + ", closed to open", prefix + "closed", prefix + "open tree",
                job == "inverse" && (model == "delta" || model == "palletizer") ? 3.0 : 0.0);
      add_ratio(model + ": " + job + ", q given, to open", prefix + "closed, all positions given",
                prefix + "open tree");
    }
  }
}

}  // namespace catena::bench

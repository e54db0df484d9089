// A formulation of one's own: the potential energy, one text that runs on double, on dual numbers, which give gravity's
// torques as its derivatives, and on numbers that count. Beside what the library says. Exit status 1 when they differ.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <span>
#include <vector>

#include "catena/catena.hpp"
#include "catena/formulations.hpp"

namespace {

using namespace catena;

// -Σ m g · c over the links, each placed from its parent.
struct OwnPotential {
  template <class S>
  struct Workspace {
    JointTurns<S> turns;
    Array<Pose<S>> placed;  // base from link

    explicit Workspace(const TreeFor<S>& robot) : turns(robot.joints()), placed(index(robot.joints())) {}
  };

  template <class S>
  static S run(const TreeFor<S>& robot, std::span<const S> q, Workspace<S>& ws) {
    joint_turns<S>(robot, q, ws.turns);
    S energy{};
    for (int i = 0; i < robot.joints(); ++i) {
      const auto& link = robot.link(i);
      const Pose<S> step{matrix(link.tilt, ws.turns[i]), joint_offset(link, q[index(link.q)])};
      ws.placed[index(i)] = link.parent == base_link ? step : ws.placed[index(link.parent)] * step;
      const Vec3<S> com = ws.placed[index(i)].p + ws.placed[index(i)].R * link.com;
      energy -= link.mass * dot(robot.gravity, com);
    }
    return energy;
  }
};

}  // namespace

int main() try {
  const Mechanism robot = make_mechanism(load_robot(find_model("ur5")));
  const std::vector<double> q{0.1, -1.0, 1.0, 0.2, 0.3, 0.0};
  std::vector<double> tau(q.size());
  Call<double>(robot, "gravity")({.q = q}, tau);
  double worst = 0.0;
  for (std::size_t j = 0; j < q.size(); ++j) {
    std::vector<Dual<double>> at(q.begin(), q.end());
    at[j].derivative = 1.0;
    OwnPotential::Workspace<Dual<double>> ws(robot);
    const double slope = OwnPotential::run<Dual<double>>(robot, at, ws).derivative;
    std::printf("joint %zu: dU/dq %12.6f   gravity %12.6f N m\n", j + 1, slope, tau[j]);
    worst = std::max(worst, std::abs(slope - tau[j]));
  }
  std::vector<Counted> counted(q.begin(), q.end());
  OwnPotential::Workspace<Counted> ws(robot);
  Counted::reset();
  OwnPotential::run<Counted>(robot, counted, ws);
  const OperationCount cost = Counted::count();
  std::printf("%ld multiplications and %ld additions; largest difference %.1e N m\n", cost.multiplications,
              cost.additions, worst);
  return worst < 1e-12 ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "own_formulation: %s\n", error.what());
  return 1;
}

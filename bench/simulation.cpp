// Dry friction in simulation: what it costs to hold joints, beside the frictionless robot.
#include "catena/simulation.hpp"
#include "harness.hpp"
#include "sim/held_dynamics.hpp"

namespace catena::bench {
namespace {

void add_fall(const std::string& name, Mechanism robot, double coulomb) {
  for (auto& drive : robot.drives) drive.coulomb = coulomb;
  robot.has_drives = true;
  const std::size_t n = index(robot.nv());
  std::vector<double> times;
  for (int k = 0; k <= 10; ++k) times.push_back(0.02 * k);
  const auto simulation = std::make_shared<Simulation>(robot, zero_torque());
  add(name, [=, q = std::vector<double>(n, 0.1), qd = std::vector<double>(n, 0.3)](std::size_t) {
    benchmark::DoNotOptimize(simulation->run(q, qd, times));
  });
}

}  // namespace

void add_simulation() {
  const Mechanism robot = general_chain(24);
  const States states(24);
  for (const std::size_t count : {1U, 8U, 16U, 24U}) {
    std::vector<std::size_t> held(count);
    for (std::size_t k = 0; k < count; ++k) held[k] = k * 24 / count;
    const std::string name = "simulation/chain/24/held-" + std::to_string(count);
    const auto dynamics = std::make_shared<HeldDynamics>(robot);
    add(name, [=, qdd = std::vector<double>(24), hold = std::vector<double>(24)](std::size_t k) mutable {
      dynamics->accelerate(states.q(k), states.qd(k), states.qdd(k), held, qdd, hold);
      benchmark::DoNotOptimize(qdd.data());
    });
    add_ratio("chain of 24, " + std::to_string(count) + " joints held: one evaluation to forward dynamics", name,
              "forward/chain/24/articulated-body", 3.0);
  }
  add_fall("simulation/chain/24/frictionless", robot, 0.0);
  for (const auto& [name, coulomb] : {std::pair{"weak", 0.5}, {"strong", 20.0}}) {
    const std::string run = std::string("simulation/chain/24/") + name + "-friction";
    add_fall(run, robot, coulomb);
    add_ratio(std::string("chain of 24, 0.2 s with ") + name + " dry friction to without", run,
              "simulation/chain/24/frictionless", 3.0);
  }
}

}  // namespace catena::bench

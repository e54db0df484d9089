// Forward dynamics: where the formulations that grow with n overtake the inertia matrix and its factors.
#include <memory>

#include "harness.hpp"

namespace catena::bench {
namespace {

void time_forward(const std::string& name, const Mechanism& robot, std::string_view method) {
  struct Setup {
    ForwardDynamics<double> call;
    States states;
    std::vector<double> qdd;
  };
  auto setup = std::make_shared<Setup>(Setup{ForwardDynamics<double>(robot, method), States(robot.n()),
                                             std::vector<double>(static_cast<std::size_t>(robot.n()))});
  add(name, [setup](std::size_t k) {
    setup->call(setup->states.q(k), setup->states.qd(k), setup->states.qdd(k), setup->qdd);
    benchmark::DoNotOptimize(setup->qdd.data());
  });
}

}  // namespace

void add_forward() {
  for (const std::string model : {"ur5", "panda"}) {
    const Mechanism robot = shipped(model);
    const std::string prefix = "forward/" + model + "/";
    time_forward(prefix + "default", robot, {});
    for (const FormulationInfo& f : formulations("forward")) time_forward(prefix + std::string(f.name), robot, f.name);
    add_ratio(model + ": default forward to inverse", prefix + "default", "inverse/" + model + "/default");
  }
  std::vector<std::pair<int, std::string>> articulated, denoc;
  for (const int n : {6, 7, 8, 9, 10, 12, 24, 48, 96}) {
    const Mechanism robot = general_chain(n);
    const std::string prefix = "forward/chain/" + std::to_string(n) + "/";
    for (const char* method : {"composite-ldlt", "articulated-body", "denoc"})
      time_forward(prefix + method, robot, method);
    articulated.emplace_back(n, prefix + "articulated-body");
    denoc.emplace_back(n, prefix + "denoc");
    add_ratio("chain of " + std::to_string(n) + ": articulated-body to composite-ldlt", prefix + "articulated-body",
              prefix + "composite-ldlt");
  }
  add_slope("forward dynamics of a chain, articulated-body", articulated);
  add_slope("forward dynamics of a chain, denoc", denoc);
}

}  // namespace catena::bench

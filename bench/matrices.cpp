// The inertia matrix: the default against the slowest and against walker-orin, and its growth with the number of
// joints.
#include <memory>

#include "harness.hpp"

namespace catena::bench {
namespace {

void time_inertia(const std::string& name, const Mechanism& robot, std::string_view method) {
  struct Setup {
    InertiaMatrix<double> call;
    States states;
    std::vector<double> M;
  };
  const auto n = static_cast<std::size_t>(robot.n());
  auto setup = std::make_shared<Setup>(
      Setup{InertiaMatrix<double>(robot, method), States(robot.n()), std::vector<double>(n * n)});
  add(name, [setup](std::size_t k) {
    setup->call(setup->states.q(k), setup->M);
    benchmark::DoNotOptimize(setup->M.data());
  });
}

}  // namespace

void add_matrices() {
  for (const std::string model : {"ur5", "panda"}) {
    const Mechanism robot = shipped(model);
    const std::string prefix = "inertia/" + model + "/";
    time_inertia(prefix + "default", robot, {});
    for (const FormulationInfo& f : formulations("inertia")) time_inertia(prefix + std::string(f.name), robot, f.name);
    add_ratio(model + ": default to walker-orin", prefix + "default", prefix + "walker-orin");
    add_ratio(model + ": default to progressive, the slowest", prefix + "default", prefix + "progressive");
  }
  for (const int n : {2, 4, 6, 7, 9, 12, 16, 24, 48, 96}) {
    const Mechanism robot = general_chain(n);
    const std::string prefix = "inertia/chain/" + std::to_string(n) + "/";
    for (const char* method : {"generalized-links", "fijany-bejczy"}) time_inertia(prefix + method, robot, method);
    time_inertia(prefix + "default", robot, {});
    add_ratio("chain of " + std::to_string(n) + ": fijany-bejczy to generalized-links", prefix + "fijany-bejczy",
              prefix + "generalized-links");
  }
}

}  // namespace catena::bench

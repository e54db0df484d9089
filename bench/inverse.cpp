// Inverse dynamics: the default against every registered formulation, and its growth with the number of joints.
#include <memory>

#include "harness.hpp"

namespace catena::bench {
namespace {

void time_inverse(const std::string& name, const Mechanism& robot, std::string_view method) {
  struct Setup {
    InverseDynamics<double> call;
    States states;
    std::vector<double> tau;
  };
  const auto n = static_cast<std::size_t>(robot.n());
  auto setup =
      std::make_shared<Setup>(Setup{InverseDynamics<double>(robot, method), States(robot.n()), std::vector<double>(n)});
  add(name, [setup](std::size_t k) {
    setup->call(setup->states.q(k), setup->states.qd(k), setup->states.qdd(k), setup->tau);
    benchmark::DoNotOptimize(setup->tau.data());
  });
}

}  // namespace

void add_inverse() {
  for (const std::string model : {"ur5", "panda"}) {
    const Mechanism robot = shipped(model);
    const std::string prefix = "inverse/" + model + "/";
    time_inverse(prefix + "default", robot, {});
    for (const FormulationInfo& f : formulations("inverse")) time_inverse(prefix + std::string(f.name), robot, f.name);
    Mechanism library = robot;
    library.library_sincos = true;
    time_inverse(prefix + "default with the library's sincos", library, {});
    add_ratio(model + ": default to luh-walker-paul", prefix + "default", prefix + "luh-walker-paul", 0.75);
    add_ratio(model + ": our sincos to the library's", prefix + "default",
              prefix + "default with the library's sincos");
  }
  std::vector<std::pair<int, std::string>> names;
  for (const int n : {2, 4, 6, 7, 9, 12, 24, 48, 96}) {
    names.emplace_back(n, "inverse/chain/" + std::to_string(n) + "/default");
    time_inverse(names.back().second, general_chain(n), {});
  }
  add_slope("inverse dynamics of a chain", names);
}

}  // namespace catena::bench

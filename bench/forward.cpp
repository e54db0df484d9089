// Forward dynamics: where the formulations that grow with n overtake the inertia matrix and its factors.
#include "harness.hpp"

namespace catena::bench {

void add_forward() {
  for (const std::string model : {"ur5", "panda"})
    add_ratio(model + ": default forward to inverse", "forward/" + model + "/default", "inverse/" + model + "/default");
  std::vector<std::pair<int, std::string>> articulated, denoc;
  for (const int n : {6, 7, 8, 9, 10, 12, 24, 48, 96}) {
    const Mechanism robot = general_chain(n);
    const std::string prefix = "forward/chain/" + std::to_string(n) + "/";
    for (const char* formulation : {"composite-ldlt", "articulated-body", "denoc"})
      add_job(prefix + formulation, robot, "forward", formulation);
    articulated.emplace_back(n, prefix + "articulated-body");
    denoc.emplace_back(n, prefix + "denoc");
    add_ratio("chain of " + std::to_string(n) + ": articulated-body to composite-ldlt", prefix + "articulated-body",
              prefix + "composite-ldlt");
  }
  add_slope("forward dynamics of a chain, articulated-body", articulated);
  add_slope("forward dynamics of a chain, denoc", denoc);
}

}  // namespace catena::bench

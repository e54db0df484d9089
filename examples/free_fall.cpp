// Two arms let go: the planar 3R from the horizontal and the Stanford arm from its start pose, one second of free fall
// each, beside end states from an independent program. Exit status 1 when they differ by more than 1e-9.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "catena/catena.hpp"
#include "catena/simulation.hpp"

namespace {

// Drops the robot from rest, prints where it is after a second, and returns the largest difference from the reference.
double drop(const std::string& model, const std::vector<double>& start, const std::vector<double>& q_reference,
            const std::vector<double>& qd_reference) {
  const catena::Mechanism robot = catena::make_mechanism(catena::load_robot(catena::find_model(model)));
  catena::SimulationOptions options;
  options.rtol = 1e-12;
  options.atol = 1e-13;
  catena::Simulation simulation(robot, catena::zero_torque(), options);
  const std::vector<double> at_rest(start.size()), times{0.0, 1.0};
  const catena::SimulationResult result = simulation.run(start, at_rest, times);
  if (!result.complete) throw std::runtime_error(result.ended_by);
  const catena::Sample& end = result.samples.back();
  std::printf("%s after 1 s of free fall (%ld steps, energy balance %.1e J)\n", model.c_str(), result.steps,
              result.balance);
  std::printf("  joint %18s %18s %18s %18s\n", "q", "reference", "qd", "reference");
  double worst = 0.0;
  for (std::size_t j = 0; j < start.size(); ++j) {
    std::printf("  %5zu %18.12f %18.12f %18.12f %18.12f\n", j + 1, end.q[j], q_reference[j], end.qd[j],
                qd_reference[j]);
    worst = std::max({worst, std::abs(end.q[j] - q_reference[j]), std::abs(end.qd[j] - qd_reference[j])});
  }
  std::printf("  largest difference %.1e\n\n", worst);
  return worst;
}

}  // namespace

int main() {
  try {
    const double planar = drop("planar3r", {0.0, 0.0, 0.0}, {-1.80614322907, -0.541805954197, -0.132219209128},
                               {-3.52039796365, 0.2779497398, 2.84400160502});
    const double stanford =
        drop("stanford", {0.0, std::acos(0.0), 0.0, 0.0, 0.0, 0.0},
             {0.00254347828977, 0.0809666575413, 2.99966161955, 0.0444530562758, 1.489576977, -0.00359459223348},
             {0.193899316382, -0.256287691136, 7.89498092561, 0.237995282123, 0.256178383448, -0.00787911446047});
    return std::max(planar, stanford) < 1e-9 ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}

// What it takes to hold the PUMA 560 still: the torques against gravity in the given posture.
#include <catena/catena.hpp>
#include <cstdio>
#include <vector>

int main() {
  const catena::Mechanism puma = catena::make_mechanism(catena::load_robot(catena::find_model("puma560")));
  catena::InverseDynamics<double> inverse_dynamics(puma);
  const std::vector<double> q{0.0, 0.8, -0.5, 0.2, 0.3, 0.0}, rest(q.size(), 0.0);
  std::vector<double> tau(q.size());
  inverse_dynamics(q, rest, rest, tau);
  for (const catena::Coordinate c : puma.coordinates.all())
    std::printf("%s %.6f\n", puma.name_of(c).c_str(), tau[catena::index(c)]);
}

#include <catena/catena.hpp>
#include <cstdio>
#include <vector>

int main() {
  const catena::Robot robot = catena::load_robot(catena::find_model("ur5"));  // or any .toml, .urdf, .xml or .sdf file
  catena::InverseDynamics<double> inverse_dynamics(catena::make_mechanism(robot));
  const std::vector<double> q{0.1, -1.2, 0.8, 0.4, 0.5, 0.0}, qd(6, 0.2), qdd(6, 1.0);  // rad, rad/s, rad/s²
  std::vector<double> tau(6);
  inverse_dynamics(q, qd, qdd, tau);
  for (const double torque : tau) std::printf("%10.6f N m\n", torque);
}

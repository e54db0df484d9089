// A four-bar press, whose crank turns evenly: where its joints are, the motor's torque, and the load of the bearing
// that closes the loop, over one turn. Exit status 1 if forward dynamics does not give the motion back.
#include <catena/catena.hpp>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <vector>

int main() {
  using namespace catena;
  const Mechanism press = make_mechanism(load_robot(find_model("fourbar_press")));
  Call<double> place(press, "place"), loop_forces(press, "loop_forces");
  InverseDynamics<double> inverse_dynamics(press);
  ForwardDynamics<double> forward_dynamics(press);

  // q, qd, qdd and tau are the crank's alone; coupler and rocker follow.
  const double degree = std::numbers::pi / 180.0;
  std::vector<double> q{0.0}, qd{4.0 * std::numbers::pi}, qdd{0.0}, tau(1), again(1);  // two turns a second
  std::vector<double> joints(place.size()), wrench(loop_forces.size());  // crank, coupler, rocker; one loop: 1 x 6
  double heaviest = 0.0, off = 0.0;
  std::printf("crank, deg  coupler, deg  rocker, deg  torque, N m  bearing load, N\n");
  for (int k = 0; k <= 24; ++k) {
    q[0] = 15.0 * k * degree;
    place({.q = q}, joints);
    inverse_dynamics(q, qd, qdd, tau);
    loop_forces({.q = q, .qd = qd, .qdd = qdd}, wrench);
    forward_dynamics(q, qd, tau, again);
    const double load = std::hypot(wrench[0], wrench[1], wrench[2]);
    heaviest = std::max(heaviest, load);
    off = std::max(off, std::abs(again[0] - qdd[0]));
    std::printf("%10.0f  %12.3f  %11.3f  %11.3f  %15.2f\n", q[0] / degree, joints[1] / degree, joints[2] / degree,
                tau[0], load);
  }
  std::printf("the bearing carries up to %.1f N; forward dynamics gives the motion back to %.0e rad/s2\n", heaviest,
              off);
  return off < 1e-8 ? 0 : 1;
}

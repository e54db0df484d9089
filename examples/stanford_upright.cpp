// The Stanford arm with its boom straight up: it falls by itself, and a regulator made of its linearized model holds
// it. Prints the poles of both, simulates the robot with and without the regulator from two degrees off, and draws the
// poles:
//   stanford_upright [FILE.svg]
// Exit status 1 when the regulator does not hold it.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <exception>
#include <fstream>
#include <numbers>
#include <vector>

#include "catena/catena.hpp"
#include "catena/control.hpp"

namespace {

using Poles = std::vector<std::complex<double>>;

// How far from upright the second joint is after two seconds.
double angle_after(const catena::Mechanism& robot, const catena::TorqueLaw& law, const std::vector<double>& upright) {
  catena::Simulation simulation(robot, law);
  std::vector<double> q = upright;
  const std::vector<double> qd(q.size()), times{0.0, 2.0};
  q[1] += 2.0 * std::numbers::pi / 180.0;
  const catena::SimulationResult result = simulation.run(q, qd, times);
  if (!result.complete) throw std::runtime_error(result.ended_by);
  return (result.samples.back().q[1] - upright[1]) * 180.0 / std::numbers::pi;
}

// Crosses for the open loop, circles for the closed one; poles beyond the frame are not drawn.
void draw(const std::string& path, const Poles& open, const Poles& closed) {
  constexpr double half = 180.0, reach = 12.0;
  std::ofstream out(path);
  out << "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 400 400\" font-family=\"sans-serif\" "
         "font-size=\"12\">\n"
      << "<rect width=\"400\" height=\"400\" fill=\"white\"/>\n"
      << "<path d=\"M20 200H380M200 20V380\" stroke=\"#888\"/>\n"
      << "<text x=\"352\" y=\"216\">Re, 1/s</text><text x=\"206\" y=\"30\">Im</text>\n"
      << "<text x=\"24\" y=\"216\">-12</text><text x=\"372\" y=\"196\">12</text>\n"
      << "<text x=\"24\" y=\"36\" fill=\"#c00\">x open loop</text><text x=\"24\" y=\"52\" fill=\"#06c\">o "
         "regulated</text>\n";
  const auto visible = [](const std::complex<double>& p) {
    return std::abs(p.real()) <= reach && std::abs(p.imag()) <= reach;
  };
  const auto x = [](const std::complex<double>& p) { return 200.0 + half * p.real() / reach; };
  const auto y = [](const std::complex<double>& p) { return 200.0 - half * p.imag() / reach; };
  for (const auto& p : open)
    if (visible(p))
      out << "<path d=\"M" << x(p) - 4 << ' ' << y(p) - 4
          << "l8 8m0 -8l-8 8\" stroke=\"#c00\" stroke-width=\"1.5\"/>\n";
  for (const auto& p : closed)
    if (visible(p))
      out << "<circle cx=\"" << x(p) << "\" cy=\"" << y(p)
          << "\" r=\"4.5\" fill=\"none\" stroke=\"#06c\" stroke-width=\"1.5\"/>\n";
  out << "</svg>\n";
}

void print(const char* title, const Poles& poles) {
  std::printf("%s\n", title);
  for (const auto& p : poles) std::printf("  %14.6f %+14.6f i\n", p.real(), p.imag());
}

}  // namespace

int main(int argc, char** argv) try {
  const catena::Mechanism robot = catena::make_mechanism(catena::load_robot(catena::find_model("stanford")));
  const std::vector<double> upright{0.0, std::numbers::pi, 0.1, 0.0, 0.0, 0.0}, zeros(6);

  catena::Linearization linearization(robot);
  const catena::StateSpace model = linearization.along(upright, zeros, zeros);
  const std::vector<double> hold(linearization.torques().begin(), linearization.torques().end());
  const std::vector<double> position{100.0}, speed{1.0}, torque{0.01};
  const catena::Regulator regulator = catena::lqr(model, catena::diagonal_cost(6, position, speed, torque));
  print("poles of the arm, boom up", catena::poles(model));
  print("poles with the regulator", regulator.poles);

  const double falling = angle_after(robot, catena::constant_torque(hold), upright);
  const double held = angle_after(robot, catena::state_feedback(upright, hold, regulator.K), upright);
  std::printf("2 degrees off, after 2 s: %.3f degrees without, %.6f with (Riccati residual %.1e)\n", falling, held,
              regulator.residual);
  if (argc > 1) draw(argv[1], catena::poles(model), regulator.poles);
  return std::abs(held) < 0.05 && std::abs(falling) > 10.0 ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "stanford_upright: %s\n", error.what());
  return 1;
}

// The Stanford arm along a cycloid from rest to rest in ten seconds: the torques at five instants beside reference
// numbers from an independent program, and 501 samples as CSV. Exit status 1 when they differ by more than 1e-10.
#include <algorithm>
#include <array>
#include <cmath>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <string>

#include "catena/catena.hpp"

namespace {

constexpr std::size_t joints = 6;
constexpr int samples = 501;
constexpr double duration = 10.0;    // s
constexpr double tolerance = 1e-10;  // N m, N for joint 3
constexpr double pi = std::numbers::pi;

using Row = std::array<double, joints>;
constexpr Row q_start{0.0, pi / 2, 0.0, 0.0, 0.0, 0.0};
constexpr Row q_end{pi / 3, pi / 3, 0.1, pi / 3, pi / 3, pi / 3};

// Torques of an independent world-frame program, rounded to 12 significant digits.
struct Reference {
  double t;
  Row tau;
};
constexpr std::array<Reference, 5> reference{{
    {0.0, {0.0, 13.3416, 0.0, 0.0, 0.0, 0.0}},
    {2.5, {0.104302575299, 13.8227158279, -2.78629403168, 0.000327195163163, 4.69065879427e-05, 0.000268387534329}},
    {5.0,
     {-0.00570858867646, 15.7537854002, -15.5743918965, 4.00284523559e-05, -9.80994189283e-05, -6.97972515786e-05}},
    {7.5, {-0.0998369761122, 16.7328672744, -27.5183536764, -0.000210423818254, 3.19849312994e-05, -0.000217470058295}},
    {10.0, {0.0, 16.7365471459, -29.9205, 0.0, 0.0, 0.0}},
}};

struct State {
  Row q, qd, qdd;
};

// q = q0 + (qT - q0) (x - sin x) / 2π with x = 2π t / T: velocity and acceleration vanish at both ends.
State cycloid(double t) {
  const double rate = 2.0 * pi / duration, x = rate * t;
  State state{};
  for (std::size_t j = 0; j < joints; ++j) {
    const double amplitude = (q_end[j] - q_start[j]) / (2.0 * pi);
    state.q[j] = q_start[j] + amplitude * (x - std::sin(x));
    state.qd[j] = amplitude * rate * (1.0 - std::cos(x));
    state.qdd[j] = amplitude * rate * rate * std::sin(x);
  }
  return state;
}

Row torques(catena::InverseDynamics<double>& inverse_dynamics, const State& state) {
  Row tau{};
  inverse_dynamics(state.q, state.qd, state.qdd, tau);
  return tau;
}

double largest_difference(const Row& a, const Row& b) {
  double largest = 0.0;
  for (std::size_t j = 0; j < joints; ++j) largest = std::max(largest, std::abs(a[j] - b[j]));
  return largest;
}

void print_row(const char* label, const Row& values) {
  std::cout << std::left << std::setw(12) << label << std::right << std::setprecision(12);
  for (const double v : values) std::cout << std::setw(20) << (std::abs(v) < 1e-14 ? 0.0 : v);
  std::cout << '\n';
}

double print_table(catena::InverseDynamics<double>& inverse_dynamics) {
  std::cout << std::setw(12) << "";
  for (const char* column : {"tau1 [N m]", "tau2 [N m]", "tau3 [N]", "tau4 [N m]", "tau5 [N m]", "tau6 [N m]"})
    std::cout << std::setw(20) << column;
  std::cout << '\n';
  double largest = 0.0;
  for (const auto& [t, expected] : reference) {
    const Row tau = torques(inverse_dynamics, cycloid(t));
    std::cout << "t = " << t << " s\n";
    print_row("  computed", tau);
    print_row("  reference", expected);
    largest = std::max(largest, largest_difference(tau, expected));
  }
  std::cout << std::setprecision(2) << "\nLargest difference from the reference (12 digits): " << largest
            << ", allowed " << tolerance << '\n';
  return largest;
}

void write_header(std::ostream& out) {
  out << "t";
  for (const char* quantity : {"q", "qd", "qdd", "tau"})
    for (std::size_t j = 1; j <= joints; ++j) out << ',' << quantity << j;
  out << '\n';
}

void write_csv(catena::InverseDynamics<double>& inverse_dynamics, const std::filesystem::path& path) {
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path());
  std::ofstream out(path);
  out << std::setprecision(std::numeric_limits<double>::max_digits10);
  write_header(out);
  for (int k = 0; k < samples; ++k) {
    const double t = duration * k / (samples - 1);
    const State state = cycloid(t);
    out << t;
    for (const Row& row : {state.q, state.qd, state.qdd, torques(inverse_dynamics, state)})
      for (const double v : row) out << ',' << v;
    out << '\n';
  }
  if (!out.flush()) throw std::runtime_error("cannot write " + path.string());
}

// How far the registered formulations are apart over the whole motion.
void print_agreement(const catena::Mechanism& arm, catena::InverseDynamics<double>& chosen) {
  for (const catena::FormulationInfo& other : catena::formulations("inverse")) {
    if (other.name == chosen.formulation().name) continue;
    catena::InverseDynamics<double> inverse_dynamics(arm, other.name);
    double largest = 0.0;
    for (int k = 0; k < samples; ++k) {
      const State state = cycloid(duration * k / (samples - 1));
      largest = std::max(largest, largest_difference(torques(chosen, state), torques(inverse_dynamics, state)));
    }
    std::cout << "Largest difference from " << other.name << " over all " << samples << " samples: " << largest << '\n';
  }
}

int run(const std::filesystem::path& csv) {
  const catena::Mechanism arm = catena::make_mechanism(catena::load_robot(catena::find_model("stanford")));
  catena::InverseDynamics<double> inverse_dynamics(arm);
  std::cout << arm.name << ", " << arm.nv() << " joints, the third one slides; from rest to rest in " << duration
            << " s along a cycloid.\nJoint torques by " << inverse_dynamics.formulation().name
            << " (below 1e-14 shown as 0):\n\n";
  const double largest = print_table(inverse_dynamics);
  print_agreement(arm, inverse_dynamics);
  write_csv(inverse_dynamics, csv);
  std::cout << samples << " samples of t, q, qd, qdd, tau written to " << csv.string() << std::endl;
  return largest <= tolerance ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc > 1 ? argv[1] : "stanford_torques.csv");
  } catch (const std::exception& error) {
    std::cerr << error.what() << std::endl;
    return 2;
  }
}

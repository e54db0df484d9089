// The motions of Saha's two worked examples and the torques they take, beside reference numbers from an independent
// program: the planar 3R arm and the Stanford arm along cycloids from rest to rest in ten seconds. Exit status 1 when a
// torque differs by more than 1e-9.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <numbers>
#include <vector>

#include "catena/catena.hpp"

namespace {

constexpr double pi = std::numbers::pi;
constexpr double duration = 10.0;   // s
constexpr double tolerance = 1e-9;  // N m, N for prismatic joints

using Row = std::vector<double>;
struct Instant {
  double t;
  Row tau;  // rounded to 12 significant digits
};

void print(const char* label, const Row& values) {
  std::printf("  %-9s", label);
  for (const double v : values) std::printf(" %19.12g", std::abs(v) < 1e-14 ? 0.0 : v);
  std::printf("\n");
}

// Prints the table and returns the largest difference from it.
double compare(const char* title, const char* model, const Row& from, const Row& to,
               const std::vector<Instant>& table) {
  const catena::Mechanism robot = catena::make_mechanism(catena::load_robot(catena::find_model(model)));
  catena::InverseDynamics<double> inverse_dynamics(robot);
  const std::vector<double> times{0.0, duration};
  const auto motion = catena::Trajectory::through(catena::ProfileKind::cycloid, {from, to}, times);
  Row q(from.size()), qd(q), qdd(q), tau(q);
  double largest = 0.0;
  std::printf("%s: %s\n", robot.name.c_str(), title);
  for (const auto& [t, expected] : table) {
    motion.at(t, q, qd, qdd);
    inverse_dynamics(q, qd, qdd, tau);
    std::printf("t = %g s\n", t);
    print("q", q);
    print("qd", qd);
    print("qdd", qdd);
    print("tau", tau);
    print("reference", expected);
    for (std::size_t j = 0; j < tau.size(); ++j) largest = std::max(largest, std::abs(tau[j] - expected[j]));
  }
  std::printf("largest difference %.1e\n\n", largest);
  return largest;
}

double planar() {
  return compare("all joints from 0 to 180 degrees", "planar3r", Row(3, 0.0), Row(3, pi),
                 {{0.0, {44.145, 19.62, 4.905}},
                  {2.5, {41.5641225266, 17.1599009038, 3.76641445976}},
                  {5.0, {-17.4784892323, -15.109784176, 0.789568352087}},
                  {7.5, {-14.5369421047, 9.06427654337, -3.27645209789}},
                  {10.0, {-14.715, 9.81, -4.905}}});
}

const Row stanford_start{0.0, pi / 2, 0.0, 0.0, 0.0, 0.0};

// The end values of the text: 60 degrees, and 0.1 m for joint 3.
double stanford() {
  return compare(
      "to 60 degrees and 0.1 m", "stanford", stanford_start, {pi / 3, pi / 3, 0.1, pi / 3, pi / 3, pi / 3},
      {{0.0, {0.0, 13.3416, 0.0, 0.0, 0.0, 0.0}},
       {2.5, {0.104302575299, 13.8227158279, -2.78629403168, 0.000327195163163, 4.69065879427e-05, 0.000268387534329}},
       {5.0,
        {-0.00570858867646, 15.7537854002, -15.5743918965, 4.00284523559e-05, -9.80994189283e-05, -6.97972515786e-05}},
       {7.5,
        {-0.0998369761122, 16.7328672744, -27.5183536764, -0.000210423818254, 3.19849312994e-05, -0.000217470058295}},
       {10.0, {0.0, 16.7365471459, -29.9205, 0.0, 0.0, 0.0}}});
}

// The printed equation, which takes every joint half a turn (and joint 3 a way of pi metres).
double stanford_as_printed() {
  Row end = stanford_start;
  for (double& q : end) q += pi;
  return compare(
      "the equation as printed", "stanford", stanford_start, end,
      {{0.0, {0.0, 13.3416, 0.0, 0.0, 0.0, 0.0}},
       {2.5, {0.964279970806, 30.371686942, 17.5793974435, 0.00117526530185, 0.00081394243663, 0.00103427305252}},
       {5.0, {-0.48053129908, 8.63602828175, 55.5213277656, 0.00110539569292, 0.00371097125481, -0.00315827340835}},
       {7.5,
        {-3.8134474667, -186.185091278, 12.1984199907, -0.000568586809076, -0.000349330981338, -0.000222469463325}},
       {10.0, {0.0, -201.337645983, 0.0, 0.0, 0.0, 0.0}}});
}

}  // namespace

int main() {
  try {
    const double largest = std::max({planar(), stanford(), stanford_as_printed()});
    std::printf("largest difference of all %.1e, allowed %.0e\n", largest, tolerance);
    return largest <= tolerance ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "saha_trajectories: %s\n", error.what());
    return 1;
  }
}

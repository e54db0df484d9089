// The example of Laus, Simoni and Martins: a pelican arm picks up a crucible that hangs from a pivot without a motor,
// carries it over, and puts it down. Twice: with a controller that knows the arm alone, and with a regulator made of
// the linearized model of arm and crucible, three joints and two motors, that keeps it from swinging.
//   pelican_carries [FILE.svg]
// Exit status 1 when the regulator does not.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <fstream>
#include <memory>
#include <numbers>
#include <vector>

#include "catena/catena.hpp"
#include "catena/control.hpp"
#include "catena/progressive.hpp"

namespace {

using namespace catena;
using Values = std::vector<double>;
constexpr double degree = std::numbers::pi / 180.0;
constexpr double gripped = 0.3, arrived = 1.3, put_down = 3.0, end = 3.3;

// The crucible hangs straight down where the three angles make -90 degrees.
double hanging(double q1, double q2) { return -90.0 * degree - q1 - q2; }

// From rest to rest in one second; then the arm waits.
struct Path {
  Trajectory motion = Trajectory::through(ProfileKind::quintic, points(), times());

  static std::vector<JointPoint> points() { return {{-30.0 * degree, 100.0 * degree}, {20.0 * degree, 60.0 * degree}}; }
  static Values times() { return {gripped, arrived}; }
  void at(double t, Values& q, Values& qd, Values& qdd) const {
    motion.at(std::clamp(t, gripped, arrived), q, qd, qdd);
    if (t >= gripped && t <= arrived) return;
    std::fill(qd.begin(), qd.end(), 0.0);
    std::fill(qdd.begin(), qdd.end(), 0.0);
  }
};

// The arm along its path, whatever hangs on it: computed torque with the model of the arm alone.
TorqueLaw arm_alone(const Mechanism& arm) {
  const Reference reference = [path = Path()](double t, std::span<double> q, std::span<double> qd,
                                              std::span<double> qdd) {
    Values a(2), b(2), c(2);
    path.at(t, a, b, c);
    std::copy(a.begin(), a.end(), q.begin()), std::copy(b.begin(), b.end(), qd.begin()),
        std::copy(c.begin(), c.end(), qdd.begin());
  };
  const TorqueLaw law = computed_torque_control(arm, {{400.0}, {40.0}}, reference);
  return [law](double t, std::span<const double> q, std::span<const double> qd, std::span<double> tau) {
    law(t, q.first(2), qd.first(2), tau.first(2));
    std::fill(tau.begin() + 2, tau.end(), 0.0);
  };
}

// The same path for arm and crucible, which is to hang still: torques that bring it as far as two motors can, and the
// regulator of the model linearized where the path ends.
TorqueLaw regulated(const Mechanism& robot) {
  const Path path;
  Values q(2), qd(2), qdd(2);
  path.at(end, q, qd, qdd);
  Linearization linearization(robot);
  const Values there{q[0], q[1], hanging(q[0], q[1])}, still(3);
  const StateSpace model = linearization.along(there, still, still);
  const QuadraticCost cost{diagonal_cost(3, Values{200.0, 200.0, 400.0}, Values{10.0, 10.0, 40.0}, Values{1.0}).Q,
                           {0.01, 0.0, 0.0, 0.01}};
  const Values K = lqr(model, cost).K;
  struct Workspace {
    InverseDynamics<double> inverse;
    Values q = Values(2), qd = Values(2), qdd = Values(2), r = Values(3), rd = Values(3), rdd = Values(3),
           tau = Values(3);
  };
  const auto workspace = std::make_shared<Workspace>(Workspace{InverseDynamics<double>(robot)});
  return [=](double t, std::span<const double> at, std::span<const double> speed, std::span<double> tau) {
    Workspace& x = *workspace;
    path.at(t, x.q, x.qd, x.qdd);
    x.r = {x.q[0], x.q[1], hanging(x.q[0], x.q[1])};
    x.rd = {x.qd[0], x.qd[1], -x.qd[0] - x.qd[1]};
    x.rdd = {x.qdd[0], x.qdd[1], -x.qdd[0] - x.qdd[1]};
    x.inverse(x.r, x.rd, x.rdd, x.tau);
    for (std::size_t i = 0; i < 2; ++i) {
      tau[i] = x.tau[i];
      for (std::size_t j = 0; j < 3; ++j)
        tau[i] -= K[i * 6 + j] * (at[j] - x.r[j]) + K[i * 6 + 3 + j] * (speed[j] - x.rd[j]);
    }
    tau[2] = 0.0;
  };
}

struct Run {
  Values t, swing;          // of the crucible from the vertical, degrees, while it is carried
  double largest_late = 0;  // the largest of them after the arm has arrived, in the last second before putting down
  double lost = 0, balance = 0;
};

Run carry(const Robot& pelican, const std::shared_ptr<const Part>& crucible, bool with_regulator) {
  Assembly assembly(pelican);
  const Mechanism arm = assembly.mechanism();
  ProgressiveSimulation simulation(assembly, [&](const Mechanism& robot) {
    return with_regulator && robot.nv() == 3 ? regulated(robot) : arm_alone(arm);
  });
  Assembly::Handle handle = 0;
  simulation.at_time(gripped, "picked up", [&](Change& change) {
    LoadMotion motion;
    motion.q = {hanging(change.q()[0], change.q()[1])};
    handle = change.attach("link2", crucible, {}, motion);
  });
  simulation.at_time(put_down, "put down", [&](Change& change) { change.detach(handle); });
  Values times;
  for (int k = 0; k <= 660; ++k) times.push_back(end * k / 660.0);
  Values q(2), qd(2), qdd(2);
  Path().at(0.0, q, qd, qdd);
  Run run;
  const ProgressiveResult result = simulation.run(q, qd, times, [&](const Segment& segment, const Sample& s) {
    if (segment.joints.size() < 3) return;
    run.t.push_back(s.t);
    run.swing.push_back((s.q[0] + s.q[1] + s.q[2]) / degree + 90.0);
    if (s.t > put_down - 1.0) run.largest_late = std::max(run.largest_late, std::abs(run.swing.back()));
  });
  if (!result.complete) throw std::runtime_error(result.ended_by);
  for (const ChangeRecord& change : result.changes) run.lost += change.lost;
  run.balance = result.balance;
  return run;
}

void draw(const std::string& path, const Run& without, const Run& with) {
  double reach = 5.0;
  for (const Run* run : {&without, &with})
    for (const double angle : run->swing) reach = std::max(reach, std::abs(angle));
  reach = 10.0 * std::ceil(reach / 10.0);
  std::ofstream out(path);
  out << "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 640 320\" font-family=\"sans-serif\" "
         "font-size=\"12\">\n"
      << "<rect width=\"640\" height=\"320\" fill=\"white\"/>\n"
      << "<path d=\"M50 20V290M50 155H620\" stroke=\"#888\"/>\n"
      << "<text x=\"8\" y=\"24\">" << reach << "&#176;</text><text x=\"8\" y=\"292\">-" << reach
      << "&#176;</text><text x=\"590\" y=\"172\">t, s</text>\n";
  const auto x = [](double t) { return 50.0 + 570.0 * (t - gripped) / (put_down - gripped); };
  for (const double t : {0.5, 1.0, 1.5, 2.0, 2.5, 3.0})
    out << "<text x=\"" << x(t) - 8 << "\" y=\"306\">" << t << "</text>\n";
  out << "<path d=\"M" << x(arrived) << " 20V290\" stroke=\"#ccc\" stroke-dasharray=\"4\"/><text x=\"" << x(arrived) + 4
      << "\" y=\"32\" fill=\"#666\">the arm arrives</text>\n";
  for (const auto& [run, colour] : {std::pair{&without, "#c60"}, {&with, "#06c"}}) {
    out << "<polyline fill=\"none\" stroke=\"" << colour << "\" stroke-width=\"1.5\" points=\"";
    for (std::size_t k = 0; k < run->t.size(); ++k)
      out << x(run->t[k]) << ',' << 155.0 - 135.0 * run->swing[k] / reach << ' ';
    out << "\"/>\n";
  }
  out << "<text x=\"380\" y=\"50\" fill=\"#c60\">the arm's own controller</text>\n"
      << "<text x=\"380\" y=\"68\" fill=\"#06c\">regulator of arm and crucible</text>\n"
      << "<text x=\"60\" y=\"14\">swing of the crucible from the vertical</text>\n</svg>\n";
}

}  // namespace

int main(int argc, char** argv) try {
  const Robot pelican = load_robot(find_model("pelican"));
  JointDescription pivot;  // the crucible's frame is at its bottom, as in pelican_crucible.toml
  pivot.name = "pivot";
  pivot.child_frame.p = {0.20, 0.0, 0.0};
  pivot.passive = true;
  const auto crucible = std::make_shared<const Part>(
      "crucible", Inertial{1.0, {-0.05, 0.0, 0.0}, {0.0, 0.01, 0.01, 0.0, 0.0, 0.0}}, pivot);
  const Run without = carry(pelican, crucible, false), with = carry(pelican, crucible, true);
  for (const auto& [run, who] :
       {std::pair{&without, "the arm's own controller"}, {&with, "regulator of arm and crucible"}})
    std::printf("%-30s swing in the last second %8.4f degrees, lost in the grip %.1e J, energy balance %.1e J\n", who,
                run->largest_late, run->lost, run->balance);
  if (argc > 1) {
    draw(argv[1], without, with);
    std::printf("%s\n", argv[1]);
  }
  return with.largest_late < 1.0 && without.largest_late > 5.0 * with.largest_late ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "pelican_carries: %s\n", error.what());
  return 1;
}

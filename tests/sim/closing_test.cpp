// Loops that close and open while the robot runs.
#include <gtest/gtest.h>

#include <cmath>

#include "catena/call.hpp"
#include "catena/progressive.hpp"
#include "catena/validate.hpp"
#include "model/close_loops.hpp"
#include "support/four_bar.hpp"
#include "support/loop_robots.hpp"
#include "support/tolerances.hpp"

namespace catena::test::closing_test {
namespace {

SimulationOptions exact() {
  SimulationOptions options;
  options.rtol = 1e-11;
  options.atol = 1e-12;
  return options;
}
TorqueLaw no_torque(const Mechanism&) {
  return [](double, auto, auto, std::span<double> tau) { std::fill(tau.begin(), tau.end(), 0.0); };
}
Values times_to(double end, int count) {
  Values out;
  for (int k = 0; k <= count; ++k) out.push_back(end * k / count);
  return out;
}
// All joints where the loop is closed.
Values closed_positions(const Robot& robot) {
  Robot closed = robot;
  EXPECT_TRUE(close_loops(closed).empty());
  Values q;
  for (const int j : closed.tree_joints()) q.push_back(closed.closed.at(closed.joints[std::size_t(j)].name));
  return q;
}
double kinetic(const Mechanism& robot, const Values& q, const Values& qd) {
  Values energies(2);
  Call<double>(robot, "energy")({.q = q, .qd = qd}, energies);
  return energies[0];
}

// The impact by multipliers: M (q̇⁺ - q̇⁻) = Jᵀ λ, J q̇⁺ = 0. Planar: J by differences of the coupler's end.
TEST(Closing, IsAnImpactThatKeepsWhatTheLoopAllows) {
  const Robot robot = four_bar(), open = without_loops(robot);
  const Values q = closed_positions(robot), before{1.0, -0.4, 0.7};
  Assembly assembly(open);
  ProgressiveSimulation simulation(assembly, no_torque, exact());
  simulation.at_time(1e-9, "close", [&](Change& change) { change.close(robot.loops[0]); });
  const ProgressiveResult run = simulation.run(q, before, times_to(1.0, 20));
  ASSERT_TRUE(run.complete) << run.ended_by;
  ASSERT_EQ(run.segments.size(), 2U);
  ASSERT_EQ(run.changes.size(), 1U);
  EXPECT_EQ(run.segments[0].joints.size(), 3U);
  ASSERT_EQ(run.segments[1].joints.size(), 1U);
  EXPECT_LT(run.balance, 1e-8);
  LoopRobot loops{robot, open, q, {robot.loops[0].frames}};
  Multipliers exact_system(loops);
  const Mechanism tree = make_mechanism(open);
  const Mechanism closed = make_mechanism(robot);
  const std::vector<int> crank{closed.coordinates.joints[Coordinate(0)]};
  const Vector G = exact_system.G(q, crank);
  Values M(9);
  Call<double>(tree, "inertia")({.q = q}, M);
  const Vector p = times(M, before, 3);
  const double rate = times(transposed(G, 1), p, 3)[0] / times(transposed(G, 1), times(M, G, 3), 3)[0];
  const Sample& after = run.segments[1].result.samples.front();
  const std::string& mover = run.segments[1].joints[0];
  const std::size_t row = mover == "crank" ? 0 : mover == "coupler" ? 1 : 2;
  EXPECT_NEAR(after.qd[0], G[row] * rate, 1e-6);
  Values qd;
  for (const double part : G) qd.push_back(part * rate);
  const double lost = kinetic(tree, q, before) - kinetic(tree, q, qd);
  EXPECT_GT(lost, 1e-3);
  EXPECT_NEAR(run.changes[0].lost, lost, 1e-6);
}

TEST(Closing, OpensIntoTheTree) {
  const Robot robot = four_bar(), open = without_loops(robot);
  Assembly assembly(open);
  ProgressiveSimulation simulation(assembly, no_torque, exact());
  simulation.start_closed(robot);
  Values q, qd;
  simulation.at_time(0.4, "open", [&](Change& change) {
    change.open("closure");
    q.assign(change.q().begin(), change.q().end());
    qd.assign(change.qd().begin(), change.qd().end());
  });
  const ProgressiveResult run = simulation.run(Values{0.1}, Values{2.0}, times_to(1.0, 10));
  ASSERT_TRUE(run.complete) << run.ended_by;
  ASSERT_EQ(run.segments.size(), 2U);
  EXPECT_EQ(run.segments[0].joints, std::vector<std::string>{"crank"});
  EXPECT_EQ(run.segments[1].joints.size(), 3U);
  EXPECT_NEAR(run.changes[0].lost, 0.0, 1e-12);
  EXPECT_LT(run.balance, 1e-8);
  const SimulationResult plain = Simulation(make_mechanism(open), no_torque({}), exact()).run(q, qd, Values{0.4, 1.0});
  EXPECT_TRUE(near(run.segments[1].result.samples.back().q, plain.samples.back().q, relative(1e-8)));
  // Closed to the end: the ordinary run.
  const SimulationResult closed =
      Simulation(make_mechanism(robot), no_torque({}), exact()).run(Values{0.1}, Values{2.0}, Values{0.0, 0.4});
  EXPECT_TRUE(near(run.segments[0].result.samples.back().q, closed.samples.back().q, relative(1e-8)));
}

// A rod that is attached to the crank closes the loop with its other end; when it is detached the loop is gone.
TEST(Closing, WithAPartAndWithoutIt) {
  Robot robot = four_bar();
  Robot rod;
  rod.name = "rod";
  rod.add_link("coupler bar", robot.links[std::size_t(robot.link_index("coupler bar"))].inertial);
  rod.add_frame("coupler end", 0, robot.frames[0].pose);
  Robot two;  // crank and rocker
  two.name = "two";
  two.add_link("ground");
  for (const char* name : {"crank", "rocker"}) {
    JointDescription joint = robot.joints[std::size_t(robot.joint_index(name))];
    joint.parent = 0;
    joint.child = two.add_link(std::string(name) + " bar", robot.links[std::size_t(joint.child)].inertial);
    two.add_joint(joint);
  }
  two.add_frame("rocker end", 2, robot.frames[1].pose);
  Pose<double> end;
  end.p = {0.3, 0.0, 0.0};
  two.add_frame("crank end", 1, end);
  const Values all = closed_positions(robot);  // crank, coupler, rocker
  Assembly assembly(two);
  ProgressiveSimulation simulation(assembly, no_torque, exact());
  JointDescription pin;
  pin.name = "coupler";
  const auto part = std::make_shared<const Part>(rod, pin);
  Assembly::Handle handle{};
  simulation.at_time(1e-9, "grip", [&](Change& change) {
    handle = change.attach("crank end", part, {}, {{}, {}, {all[1]}});
    change.close(robot.loops[0]);
  });
  simulation.at_time(0.5, "let go", [&](Change& change) { change.detach(handle); });
  const ProgressiveResult run = simulation.run(Values{all[0], all[2]}, Values{0.5, 0.2}, times_to(1.0, 10));
  ASSERT_TRUE(run.complete) << run.ended_by;
  ASSERT_EQ(run.segments.size(), 3U);
  EXPECT_EQ(run.segments[0].joints.size(), 2U);
  EXPECT_EQ(run.segments[1].joints.size(), 1U);
  EXPECT_EQ(run.segments[2].joints.size(), 2U);
  EXPECT_LT(run.balance, 1e-8);
  // In between it is the four-bar linkage.
  const Sample& first = run.segments[1].result.samples.front();
  Robot same = robot;
  same.independent = run.segments[1].joints;
  const SimulationResult plain =
      Simulation(make_mechanism(same), no_torque({}), exact()).run(first.q, first.qd, Values{0.0, 0.5 - 1e-9});
  EXPECT_TRUE(near(run.segments[1].result.samples.back().q, plain.samples.back().q, relative(1e-7)));
}

// Motors stay at their joints: the same work with the loop closed.
TEST(Closing, MotorsStayAtTheirJoints) {
  const Robot robot = four_bar();
  const Mechanism closed = make_mechanism(robot);
  const TorqueLaw motors = [](double, std::span<const double>, std::span<const double> qd, std::span<double> tau) {
    for (std::size_t k = 0; k < tau.size(); ++k) tau[k] = 1.0 + double(k) - 0.5 * qd[k];
  };
  const TorqueLaw law = at_joints(motors, {"coupler", "rocker"}, closed);
  const Values q{0.3}, qd{0.8};
  Values tau(1);
  law(0.0, q, qd, tau);
  Values all(3);
  Call<double>(closed, "place")({.q = q}, all);
  LoopRobot loops{robot, without_loops(robot), all, {robot.loops[0].frames}};
  const Vector G = Multipliers(loops).G(all, {0});
  const double expected = G[1] * (1.0 - 0.5 * G[1] * qd[0]) + G[2] * (2.0 - 0.5 * G[2] * qd[0]);
  EXPECT_NEAR(tau[0], expected, 1e-10);
  EXPECT_THROW(at_joints(motors, {"elbow"}, closed), std::invalid_argument);
}

TEST(Closing, RefusesWhatCannotBeDone) {
  const Robot robot = four_bar();
  const auto ended_by = [&](const std::function<void(Change&)>& effect, Values q) {
    Assembly assembly(without_loops(robot));
    ProgressiveSimulation simulation(assembly, no_torque, exact());
    simulation.at_time(1e-9, "x", effect);
    return simulation.run(q, Values(3), times_to(0.1, 2)).ended_by;
  };
  Values q = closed_positions(robot);
  EXPECT_EQ(ended_by([](Change& change) { change.open("closure"); }, q), "x: no loop 'closure' is closed");
  LoopDescription loop = robot.loops[0];
  EXPECT_EQ(ended_by([&](Change& change) { change.close(loop), change.close(loop); }, q),
            "x: loop 'closure' is closed already");
  loop.frames[1] = "nowhere";
  EXPECT_EQ(ended_by([&](Change& change) { change.close(loop); }, q), "x: loop 'closure': no link or frame 'nowhere'");
  q[2] += 0.1;
  EXPECT_NE(ended_by([&](Change& change) { change.close(robot.loops[0]); }, q).find("the frames do not meet: joint '"),
            std::string::npos);
}

}  // namespace
}  // namespace catena::test::closing_test

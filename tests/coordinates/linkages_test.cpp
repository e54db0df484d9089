// Linkages against what geometry says, runs of them, and what is refused.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "catena/batch.hpp"
#include "catena/call.hpp"
#include "catena/changes.hpp"
#include "catena/kinematics.hpp"
#include "catena/robot_file.hpp"
#include "catena/simulation.hpp"
#include "catena/validate.hpp"
#include "model/free_base.hpp"
#include "model/loop_search.hpp"
#include "support/generic_job.hpp"
#include "support/held_linkages.hpp"
#include "support/random_robot.hpp"
#include "support/same_results.hpp"
#include "support/tolerances.hpp"

namespace catena::test::linkages_test {
namespace {

constexpr double pi = std::numbers::pi;

Values call(const Mechanism& robot, std::string_view job, const State& x) {
  Call<double> made(robot, job);
  Values out(made.size());
  made({.q = x.q, .qd = x.qd, .qdd = x.qdd}, out);
  return out;
}
double turn(double angle) { return std::remainder(angle, 2.0 * pi); }

// A bar along x that turns about z of its parent, at a distance along x.
int add_bar(Robot& robot, const std::string& name, const std::string& parent, double at, double length,
            JointType type = JointType::revolute) {
  JointDescription joint;
  joint.name = name;
  joint.type = type;
  if (type == JointType::prismatic) joint.axis = {1.0, 0.0, 0.0};
  joint.parent = robot.link_index(parent);
  joint.child =
      robot.add_link(name + " bar", {1.0 + length, {0.5 * length, 0.0, 0.0}, Sym3<double>::diagonal(0.01, 0.1, 0.1)});
  joint.origin.p = {at, 0.0, 0.0};
  robot.add_joint(joint);
  Pose<double> end;
  end.p = {length, 0.0, 0.0};
  robot.add_frame(name + " end", joint.child, end);
  return joint.child;
}

TEST(Linkages, FourBarIsFreudensteins) {
  const Mechanism robot = make_mechanism(four_bar());
  const double a = 0.3, b = 0.8, c = 0.5, d = 0.7;
  for (int k = -40; k <= 40; ++k) {
    const double q = 0.15 * k;  // two turns
    const double px = a * std::cos(q), py = a * std::sin(q), e = std::hypot(d - px, -py);
    const double to_ground = std::atan2(-py, d - px);
    const double coupler = to_ground + std::acos((b * b + e * e - c * c) / (2.0 * b * e));
    const double rocker = std::atan2(py + b * std::sin(coupler), px + b * std::cos(coupler) - d);
    const Values all = call(robot, "place", {{q}, {}, {}});
    EXPECT_NEAR(turn(all[1] - (coupler - q)), 0.0, 1e-13) << q;
    EXPECT_NEAR(turn(all[2] - rocker), 0.0, 1e-13) << q;
    const double w3 = a * std::sin(rocker - q) / (b * std::sin(coupler - rocker));
    const double w4 = a * std::sin(q - coupler) / (c * std::sin(rocker - coupler));
    const double vx = -a * std::sin(q) - 0.5 * b * w3 * std::sin(coupler);
    const double vy = a * std::cos(q) + 0.5 * b * w3 * std::cos(coupler);
    const double M =
        0.1 + a * (0.25 * a * a) + 0.1 * w3 * w3 + b * (vx * vx + vy * vy) + (0.1 + c * 0.25 * c * c) * w4 * w4;
    EXPECT_NEAR(call(robot, "inertia", {{q}, {}, {}})[0], M, 1e-12 * M) << q;
  }
}

TEST(Linkages, SliderCrankIsATriangle) {
  const Mechanism robot = make_mechanism(load_robot(find_model("slider_crank")));
  for (int k = -40; k <= 40; ++k) {
    const double q = 0.15 * k, across = 0.05 * std::cos(q);
    const Values T = call(robot, "pose", {{q}, {}, {}});
    EXPECT_NEAR(T[3], 0.0, 1e-14);
    EXPECT_NEAR(T[7], 0.05 * std::sin(q) + std::sqrt(0.16 * 0.16 - across * across), 1e-14) << q;
  }
}

TEST(Linkages, ParallelogramStaysOne) {
  const Mechanism robot = make_mechanism(load_robot(find_model("parallelogram")));
  for (const double q : {-1.0, -0.4, 0.0, 0.3, 1.0}) {
    const Values all = call(robot, "place", {{q}, {}, {}});
    for (std::size_t j = 1; j < 4; ++j) EXPECT_NEAR(all[j], j % 2 == 0 ? q : -q, 1e-13);
  }
}

// Two cranks whose couplers meet where two circles do.
TEST(Linkages, FiveBarMeetsWhereCirclesDo) {
  Robot robot;
  robot.add_link("ground");
  add_bar(robot, "left", "ground", 0.0, 0.4);
  add_bar(robot, "left coupler", "left bar", 0.4, 0.6);
  add_bar(robot, "right", "ground", 0.5, 0.4);
  add_bar(robot, "right coupler", "right bar", 0.4, 0.6);
  robot.loops = {{"meet", LoopType::revolute, {"left coupler end", "right coupler end"}, 0}};
  robot.independent = {"left", "right"};
  robot.start = {{"left", 2.0}, {"right", 1.0}, {"left coupler", -1.2}, {"right coupler", 1.2}};
  robot.tool = "left coupler end";
  const Mechanism five = make_mechanism(robot);
  for (const double l : {1.7, 2.0, 2.4})
    for (const double r : {0.6, 1.0, 1.4}) {
      const double ax = 0.4 * std::cos(l), ay = 0.4 * std::sin(l), bx = 0.5 + 0.4 * std::cos(r), by = 0.4 * std::sin(r);
      const double e = std::hypot(bx - ax, by - ay), high = std::sqrt(0.36 - 0.25 * e * e);
      const Values T = call(five, "pose", {{l, r}, {}, {}});
      EXPECT_NEAR(T[3], 0.5 * (ax + bx) - high * (by - ay) / e, 1e-13);
      EXPECT_NEAR(T[7], 0.5 * (ay + by) + high * (bx - ax) / e, 1e-13);
    }
}

// The error of each step of Newton's method is bounded by the square of the one before.
TEST(Linkages, NewtonsMethodConvergesQuadratically) {
  const Mechanism robot = make_mechanism(four_bar());
  const Closure<double>& closure = robot.coordinates.closure;
  ClosedCluster<double> cluster(robot, closure, closure.clusters.front());
  std::vector<double> x(closure.closed), step(2);
  x[0] += 0.3;
  std::vector<double> sizes;
  for (int k = 0; k < 6; ++k) {
    cluster.place(x);
    cluster.newton_step(x, step);
    sizes.push_back(std::hypot(step[0], step[1]));
  }
  for (std::size_t k = 1; k < sizes.size(); ++k) EXPECT_LE(sizes[k], 3.0 * sizes[k - 1] * sizes[k - 1] + 1e-15) << k;
  EXPECT_LT(sizes[5], 1e-14);
  LoopSearch<double> search(robot, closure, closure.clusters.front());
  std::vector<double> near(closure.closed);
  for (int k = 0; k < 50; ++k) {
    near[0] += 0.05;
    ASSERT_TRUE(search.find(near));
    EXPECT_LE(search.steps(), 4) << k;
  }
}

// A crank that drives a slider, described from either end.
Robot slider(const std::string& independent) {
  Robot robot;
  robot.add_link("ground");
  add_bar(robot, "crank", "ground", 0.0, 0.1);
  add_bar(robot, "rod", "crank bar", 0.1, 0.3);
  add_bar(robot, "slider", "ground", 0.0, 0.0, JointType::prismatic);
  robot.loops = {{"pin", LoopType::revolute, {"slider end", "rod end"}, 0}};
  robot.independent = {independent};
  robot.start = {{"crank", 1.0}, {"rod", -1.28}, {"slider", 0.34}};
  robot.gravity = {0.0, -9.81, 0.0};
  return robot;
}
std::vector<double> times_to(double end, int samples) {
  std::vector<double> times;
  for (int k = 0; k < samples; ++k) times.push_back(end * k / (samples - 1));
  return times;
}
SimulationOptions tight() {
  SimulationOptions options;
  options.rtol = 1e-11, options.atol = 1e-13;
  return options;
}

TEST(Linkages, RunThroughDeadPoints) {
  const Mechanism by_crank = make_mechanism(slider("crank")), by_slider = make_mechanism(slider("slider"));
  const std::vector<double> times = times_to(3.0, 61);
  const double speed = 8.0, start = 1.0;
  const Values at = call(by_crank, "place", {{start}, {}, {}});
  Call<double> jacobian(by_crank, "jacobian");
  Values J(6);
  jacobian({.q = Values{start}, .frame = by_crank.frame_index("slider end")}, J);
  const SimulationResult one = Simulation(by_crank, zero_torque(), tight()).run(Values{start}, Values{speed}, times);
  const SimulationResult two =
      Simulation(by_slider, zero_torque(), tight()).run(Values{at[2]}, Values{J[0] * speed}, times);
  ASSERT_TRUE(one.complete) << one.ended_by;
  ASSERT_TRUE(two.complete) << two.ended_by;
  EXPECT_GT(one.samples.back().q[0], 2.0 * pi);  // it has turned
  EXPECT_FALSE(two.events.empty());
  for (std::size_t k = 0; k < times.size(); ++k)
    for (std::size_t j = 0; j < 3; ++j)
      EXPECT_NEAR(turn(one.samples[k].q_tree[j] - two.samples[k].q_tree[j]), 0.0, 1e-7) << k;
  EXPECT_LT(one.balance, 1e-8);
  EXPECT_LT(two.balance, 1e-8);
}

TEST(Linkages, RunThroughChangePoints) {
  Robot robot;
  robot.add_link("ground");
  add_bar(robot, "crank", "ground", 0.0, 0.3);
  add_bar(robot, "coupler", "crank bar", 0.3, 0.7);
  add_bar(robot, "rocker", "ground", 0.7, 0.3);
  robot.loops = {{"closure", LoopType::revolute, {"coupler end", "rocker end"}, 0}};
  robot.independent = {"crank"};
  robot.start = {{"crank", 1.0}, {"coupler", -1.0}, {"rocker", 1.0}};
  robot.gravity = {0.0, -2.0, 0.0};
  const SimulationResult result =
      Simulation(make_mechanism(robot), zero_torque(), tight()).run(Values{1.0}, Values{6.0}, times_to(5.0, 51));
  ASSERT_TRUE(result.complete) << result.ended_by;
  EXPECT_GT(result.samples.back().q[0], 4.0 * pi);
  for (const Sample& s : result.samples) EXPECT_NEAR(turn(s.q_tree[2] - s.q_tree[0]), 0.0, 1e-9) << s.t;
  EXPECT_LT(result.balance, 1e-7);
}

// A pendulum of four bars with friction, and with stops, at the rocker: as a coordinate and as a dependent joint.
TEST(Linkages, FrictionAndStopsActAtDependentJoints) {
  for (const bool stops : {false, true}) {
    std::vector<SimulationResult> results;
    for (const char* independent : {"crank", "rocker"}) {
      Robot robot = four_bar();
      robot.gravity = {-5.0, -5.0, 0.0};
      robot.independent = {independent};
      robot.start = {{"crank", 1.2}, {"coupler", -0.6}, {"rocker", 1.4}};
      JointDescription& rocker = robot.joints[2];
      if (stops) rocker.limits.lower = 1.0, rocker.limits.upper = 2.0;
      rocker.drive.coulomb = 0.2, rocker.drive.viscous = 0.05;
      close_loops(robot);
      const Mechanism mechanism = make_mechanism(robot);
      SimulationOptions options = tight();
      options.stops = stops, options.restitution = 0.5;
      const double at = independent == std::string("crank") ? robot.closed.at("crank") : robot.closed.at("rocker");
      results.push_back(Simulation(mechanism, zero_torque(), options).run(Values{at}, Values{0.0}, times_to(4.0, 41)));
      ASSERT_TRUE(results.back().complete) << results.back().ended_by;
      EXPECT_LT(results.back().balance, 1e-8);
    }
    for (SimulationResult& result : results)
      std::erase_if(result.events, [](const EventRecord& e) { return e.what.starts_with("coordinates"); });
    EXPECT_EQ(results[0].events.size(), results[1].events.size());
    EXPECT_GT(results[0].events.size(), 1U);
    for (std::size_t k = 0; k < 41; ++k)
      for (std::size_t j = 0; j < 3; ++j)
        EXPECT_NEAR(results[0].samples[k].q_tree[j], results[1].samples[k].q_tree[j], 1e-6) << stops << k << j;
  }
}

// Friction at every joint of a loop, and a motor that turns harder and harder: by virtual work it breaks away at
// τ = Σ f_j |dq_j/dq|, and goes on.
TEST(Linkages, BreakAwayWhereTheFrictionOfAllJointsIsOvercome) {
  for (const double friction : {0.5, 0.7, 1.0}) {
    Robot robot = slider("crank");
    robot.gravity = {};
    close_loops(robot);
    for (JointDescription& joint : robot.joints)
      if (joint.type != JointType::fixed) joint.drive.coulomb = friction * (joint.name == "rod" ? 2.0 : 1.0);
    const Mechanism mechanism = make_mechanism(robot);
    const double start = robot.closed.at("crank"), h = 1e-6, rate = 10.0;
    const Values up = call(mechanism, "place", {{start + h}, {}, {}}),
                 down = call(mechanism, "place", {{start - h}, {}, {}});
    double needed = 0.0;
    for (std::size_t j = 0; j < 3; ++j)
      needed += friction * (j == 1 ? 2.0 : 1.0) * std::abs(up[j] - down[j]) / (2.0 * h);
    const TorqueLaw ramp = [&](double t, auto, auto, std::span<double> tau) { tau[0] = rate * t; };
    const SimulationResult result = Simulation(mechanism, ramp, {}).run(Values{start}, Values{0.0}, times_to(1.0, 101));
    ASSERT_TRUE(result.complete) << result.ended_by;
    for (const Sample& s : result.samples) {
      if (s.t < needed / rate) {
        EXPECT_NEAR(s.q[0], start, 1e-8) << friction << " " << s.t;
      } else if (s.t > needed / rate + 0.01) {
        EXPECT_GT(s.q[0], start + 1e-7) << friction << " " << s.t;
      }
    }
    EXPECT_GT(result.samples.back().q[0], start + 1.0) << friction;
    EXPECT_LT(result.balance, 1e-5 * result.largest_energy);
  }
}

TEST(Linkages, FlyFreely) {
  Robot robot = four_bar();
  robot.links.front().inertial = {2.0, {0.3, 0.0, 0.1}, Sym3<double>::diagonal(0.1, 0.2, 0.3)};
  const Mechanism free = make_mechanism(on_free_base(robot));
  State x;
  x.q = {0.1, 0.2, 0.3, 0.0, 0.0, 0.0, 1.0, 0.4};
  x.qd = {0.1, -0.2, 0.3, 0.5, -0.4, 0.6, 5.0};
  const Values before = call(free, "momentum", x);
  SimulationOptions options = tight();
  Mechanism weightless = free;
  weightless.gravity = {};
  const SimulationResult result = Simulation(weightless, zero_torque(), options).run(x.q, x.qd, times_to(3.0, 31));
  ASSERT_TRUE(result.complete) << result.ended_by;
  EXPECT_LT(result.balance, 1e-9);
  const Sample& end = result.samples.back();
  const Values after = call(weightless, "momentum", {end.q, end.qd, {}});
  for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(after[k], before[k], 1e-8) << k;
}

std::string problem(const std::function<void(Robot&)>& change) {
  Robot robot = four_bar();
  change(robot);
  try {
    make_mechanism(robot);
  } catch (const ModelError& error) {
    return error.what();
  }
  return "";
}

TEST(Linkages, WhatCannotCloseIsRefusedInOneLine) {
  const std::string who = "four-bar: loop 'closure': ";
  EXPECT_EQ(problem([](Robot&) {}), "");
  EXPECT_EQ(
      problem([](Robot& r) { r.frames[0].pose.p.x = 5.0; }),
      who + "cannot close: 'coupler end' and 'rocker end' come no nearer than 3.5 m from where start puts the joints");
  EXPECT_EQ(problem([](Robot& r) {  // of two, the one that is farther from it
              r.frames[0].pose.p.x = 5.0;
              r.add_frame("post", r.root(), {Mat3<double>::identity(), {50.0, 0.0, 0.0}});
              r.loops.push_back({"far", LoopType::spherical, {"coupler end", "post"}});
            })
                .rfind("four-bar: loop 'far': cannot close", 0),
            0U);
  EXPECT_EQ(problem([](Robot& r) { r.loops[0].frames[1] = "coupler bar"; }),
            who + "no joint moves one of its frames against the other");
  EXPECT_EQ(problem([](Robot& r) { r.loops[0].frames[1] = "coupler end"; }),
            who + "both of its frames are 'coupler end'");
  EXPECT_EQ(problem([](Robot& r) { r.loops[0].frames[1] = "nowhere"; }),
            who + "'nowhere' is neither a link nor a frame of this robot");
  EXPECT_EQ(problem([](Robot& r) {
              r.frames[1].pose.R = rotation_about({1.0, 0.0, 0.0}, 0.1);
            }).rfind(who + "the axes of 'coupler end' and 'rocker end' do not fit", 0),
            0U);
  EXPECT_EQ(problem([](Robot& r) {
              r.independent = {"crank", "rocker"};
            }),
            who + "leaves 1 of its 3 joints independent; independent names 2: 'crank', 'rocker'");
  EXPECT_EQ(problem([](Robot& r) { r.independent = {"crnk"}; }),
            "four-bar: independent: 'crnk' is not a joint of this robot");
  EXPECT_EQ(problem([](Robot& r) {
              r.start = {{"coupler", -3.0}, {"rocker", -1.0}};
            }).rfind(who + "start leads to another assembly: joint 'rocker' was looked for at -1", 0),
            0U);
  EXPECT_EQ(problem([](Robot& r) { r.loops.clear(); }),
            "four-bar: independent: 'crank' is given, but the robot has no loop\n"
            "four-bar: start: 'coupler' is given, but the robot has no loop\n"
            "four-bar: start: 'rocker' is given, but the robot has no loop");
}

// Files have rounded numbers: a pin whose axis is off by a millionth of a degree still fits, and changes as little.
TEST(Linkages, RedundantEquationsMayDisagreeByRounding) {
  const auto turned = [](double angle) {
    Robot robot = four_bar();
    robot.frames[1].pose.R = robot.frames[1].pose.R * rotation_about({1.0, 0.0, 0.0}, angle);
    return robot;
  };
  const Mechanism exact = make_mechanism(four_bar()), nearly = make_mechanism(turned(2e-8));
  ASSERT_EQ(nearly.nv(), 1U);
  for (const double q : {0.0, 0.7, 2.0}) {
    const State x{{q}, {1.3}, {-0.4}};
    EXPECT_NEAR(call(nearly, "inverse", x)[0], call(exact, "inverse", x)[0], 1e-6);
  }
  EXPECT_NE(problem([&](Robot& r) { r = turned(1e-5); }), "");
}

TEST(Linkages, PlacesOutOfReachAreNamed) {
  Robot robot = four_bar();
  robot.independent = {"rocker"};  // it swings, the crank turns
  const Mechanism mechanism = make_mechanism(robot);
  try {
    call(mechanism, "place", {{3.0}, {}, {}});
    FAIL();
  } catch (const std::domain_error& error) {
    EXPECT_STREQ(error.what(), "loop 'closure' cannot close at rocker = 3.000000");
  }
}

TEST(Linkages, LockedJoinedAndLoadedTheyStayClosed) {
  const Robot robot = four_bar();
  EXPECT_EQ(make_mechanism(lock_joints(robot, {{"crank", 0.4}})).nv(), 0);
  EXPECT_EQ(make_mechanism(add_payload(robot, "coupler end", {1.0, {}, {}})).nv(), 1);
  JointDescription joint;
  joint.name = "shoulder";
  EXPECT_EQ(make_mechanism(join(robot, "coupler end", robot, joint)).nv(), 3);
}

TEST(Linkages, HeldAtEveryJointTheyAreWhatTheyAreAtRest) {
  const Mechanism moving = make_mechanism(upright());
  const State still{{0.4}, {0.0}, {0.0}};
  for (const Robot& robot : held(upright())) {
    const Mechanism stands = make_mechanism(robot);
    ASSERT_EQ(stands.nv(), 0);
    const auto same = [&](const JobInfo&, const OutputInfo& output) {
      return stands.joints() == moving.joints() || output.kind == Kind::pose || output.kind == Kind::drift ||
             output.kind == Kind::loop_force;
    };
    const auto expect_same = [&](const Mechanism& one, const State& x, const Mechanism& other) {
      EXPECT_GT(expect_same_results<double>(one, x, other, still, 1e-10, same), 20);
      EXPECT_GT(expect_same_results<float>(one, x, other, still, 1e-3, same), 20);
    };
    expect_same(stands, {}, moving);
    expect_same(with_all_positions(stands), with_all_positions(stands, State{}), moving);
    expect_same(on_moving_base(stands), {}, on_moving_base(moving));
    Kinematics<double> kinematics(stands);
    kinematics.update({});
    EXPECT_NEAR(kinematics.pose(stands.tool).p.x, call(moving, "pose", still)[3], 1e-12);
  }
}

TEST(Linkages, HeldBesideAnArmTheyDoNotMatterToIt) {
  const auto with_arm = [](Robot robot) {
    add_bar(robot, "arm", "ground", -0.5, 0.4);
    robot.tool = "arm end";
    return robot;
  };
  Robot ground;
  ground.add_link("ground");
  ground.gravity = upright().gravity;
  const Mechanism alone = make_mechanism(with_arm(ground));
  const State x{{0.3}, {-1.2}, {0.7}};
  const auto of_arm = [](const JobInfo& job, const OutputInfo&) {
    return job.name != "centroidal" && job.name != "momentum" && job.name != "energy";
  };
  for (std::size_t k = 0; k < 2; ++k) {
    const Mechanism both = make_mechanism(held(with_arm(upright()))[k]);
    ASSERT_EQ(both.nv(), 1);
    EXPECT_GT(expect_same_results<double>(both, x, alone, x, 1e-10, of_arm), 50);
    EXPECT_GT(expect_same_results<double>(on_moving_base(both), x, on_moving_base(alone), x, 1e-10, of_arm), 50);
    const Values forces = call(make_mechanism(held(upright())[k]), "loop_forces", {});
    EXPECT_TRUE(near(call(both, "loop_forces", x), forces, relative(1e-10)));
  }
}

TEST(Linkages, HeldTheyRunInBatchesAndAsCode) {
  for (const Robot& robot : held(upright())) {
    const Mechanism stands = make_mechanism(robot);
    for (const JobInfo& job : jobs()) {
      const Values expected = results_of<double>(stands, job.name, "", {});
      Batch<double> batch(stands, {{std::string(job.name)}}, {.threads = 1});
      constexpr std::size_t states = 11;
      Values out(states * expected.size());
      std::vector<StateArray<double>> arrays;
      std::size_t at = 0;
      for (const auto& output : batch.outputs()) {
        arrays.push_back({out.data() + at, static_cast<std::ptrdiff_t>(expected.size())});
        at += output.size();
      }
      EXPECT_EQ(batch.run(states, {}, arrays).failed, 0U) << job.name;
      for (std::size_t k = 0; k < states; ++k)
        EXPECT_TRUE(near(Values(out.data() + k * at, out.data() + (k + 1) * at), expected, 1.0, relative(1e-10)))
            << job.name;
      if (job.takes(Input::lambda)) continue;  // code has none through loops
      const Program program = usual_program(stands, {.jobs = {std::string(job.name)}});
      Values made = program.evaluate(input_values(program, with_all_positions(stands, State{}), {}));
      if (job.gives(Kind::positions)) made.pop_back();  // what is left open
      EXPECT_TRUE(near(made, expected, 1.0, relative(1e-10))) << job.name;
    }
  }
}

}  // namespace
}  // namespace catena::test::linkages_test

// catena trajectory, inverse along a motion, gravity and static, run as a person runs them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "catena/catena.hpp"
#include "support/program.hpp"

namespace catena::trajectory_cli_test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using Values = std::vector<double>;

class TrajectoryCli : public ProgramTest {};

std::size_t lines(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

const std::string ur5_move = "ur5 --from 0,-1.5,1,-1,0.5,0 --to 1,-1,0.5,0,-0.5,1 --time 1.5";

TEST_F(TrajectoryCli, WritesATableThatInverseReads) {
  ASSERT_EQ(run("trajectory planar2r --via '0,0;1,-0.5;2,1' --times 0,1,2.5 --profile cubic -o m.csv").status, 0);
  const std::string table = contents(folder_ / "m.csv");
  EXPECT_EQ(table.substr(0, table.find('\n')), "t,q1,q2,qd1,qd2,qdd1,qdd2");
  EXPECT_EQ(lines(table), 102U);
  const Result states = run("inverse planar2r --states m.csv"), along = run("inverse planar2r --trajectory m.csv");
  EXPECT_EQ(states.status, 0) << states.err;
  EXPECT_EQ(along.status, 0) << along.err;
  EXPECT_EQ(along.out, states.out);  // t is carried along in the first, read in the second
  EXPECT_EQ(along.out.substr(0, 11), "t,tau1,tau2");
  const Result typed = run("inverse planar2r --via '0,0;1,-0.5;2,1' --times 0,1,2.5 --profile cubic");
  EXPECT_EQ(typed.out, along.out);
  EXPECT_NE(typed.err.find("within all limits"), std::string::npos);
  EXPECT_NE(typed.err.find("nothing limits the speed"), std::string::npos);
}

TEST_F(TrajectoryCli, NpyTablesHaveNoTime) {
  ASSERT_EQ(run("trajectory planar2r --to 1,1 --time 2 --rate 100 -o m.npy").status, 0);
  ASSERT_EQ(run("trajectory planar2r --to 1,1 --time 2 --rate 100 -o m.csv").status, 0);
  EXPECT_EQ(run("inverse planar2r --trajectory m.npy --rate 100").out, run("inverse planar2r --trajectory m.csv").out);
  EXPECT_NE(refused("inverse planar2r --trajectory m.npy").find("--rate"), std::string::npos);
  ASSERT_EQ(run("inverse planar2r --trajectory m.csv -o tau.npy").status, 0);
  EXPECT_NE(contents(folder_ / "tau.npy").find("(201, 2)"), std::string::npos);
}

TEST_F(TrajectoryCli, SamplesRatesAndDegrees) {
  const json five = run_json("trajectory planar2r --from 90,0 --to 0,-90 --deg --time 1 --samples 5");
  EXPECT_EQ(five["t"].get<Values>(), (Values{0.0, 0.25, 0.5, 0.75, 1.0}));
  EXPECT_EQ(five["q"].size(), 5U);
  EXPECT_NEAR(five["q"][0][0].get<double>(), M_PI / 2, 1e-15);
  EXPECT_NEAR(five["q"][4][1].get<double>(), -M_PI / 2, 1e-15);
  EXPECT_EQ(five["duration"], 1.0);
  const json rate = run_json("trajectory planar2r --to 1,1 --time 0.95 --rate 10");
  EXPECT_EQ(rate["t"].size(), 11U);  // the last row is just past the end
  EXPECT_EQ(rate["q"][10][0], 1.0);
  EXPECT_EQ(rate["qd"][10][0], 0.0);
  EXPECT_EQ(run_json("trajectory planar2r --to 1,1 --time 1 --rate 10")["t"].size(), 11U);
}

TEST_F(TrajectoryCli, DurationsFromLimits) {
  // Trapezoid of joint 1: way 3, speed 1, acceleration 2: 3/1 + 1/2.
  const json out = run_json("trajectory planar2r --to 3,1 --speeds 1 --accelerations 2 --profile trapezoidal");
  EXPECT_NEAR(out["duration"].get<double>(), 3.5, 1e-14);
  const json model = run_json("trajectory ur5 --to 3.15,0,0,0,0,0 --accelerations 6.3 --profile trapezoidal");
  EXPECT_NEAR(model["duration"].get<double>(), 1.5, 1e-14);  // 3.15 rad/s is the model's
}

TEST_F(TrajectoryCli, CheckReportsTheFirstViolationAndTheTimeScale) {
  const json slow = run_json("trajectory " + ur5_move + " --check");
  EXPECT_EQ(slow["within_limits"], true);
  EXPECT_EQ(slow["first"], nullptr);
  const double scale = slow["time_scale"];
  EXPECT_LT(scale, 1.0);
  EXPECT_EQ(slow["scaling"], "found");
  EXPECT_EQ(slow["peaks"].size(), 31U);
  const json at_limit = run_json("trajectory " + ur5_move + " --check --scale-to-limits");
  EXPECT_EQ(at_limit["within_limits"], true);
  EXPECT_NEAR(at_limit["time_scale"].get<double>(), 1.0, 1e-9);
  EXPECT_NEAR(at_limit["duration"].get<double>(), 1.5 * scale, 1e-9);
  const json power = run_json("trajectory " + ur5_move + " --check --power 15 --total-power 1000", 1);
  EXPECT_EQ(power["within_limits"], false);
  EXPECT_EQ(power["first"]["kind"], "power");
  EXPECT_EQ(power["first"]["limit"], 15.0);
  EXPECT_NEAR(std::abs(power["first"]["value"].get<double>()), 15.0, 1e-5);
  EXPECT_GT(power["time_scale"].get<double>(), 1.0);
  EXPECT_EQ(power["violations"][0]["time"], power["first"]["time"]);
  EXPECT_GT(std::abs(power["violations"][0]["peak"].get<double>()), 15.0);
  const Result text = run("trajectory " + ur5_move + " --check --power 15 -o m.csv");
  EXPECT_EQ(text.out.find("duration 1.5 s\nfirst violation: power of "), 0U) << text.out;
  EXPECT_EQ(lines(contents(folder_ / "m.csv")), 102U);
}

TEST_F(TrajectoryCli, WhatNoScalingHelpsIsNamed) {
  const std::string far = "ur5 --to 0,0,4,0,0,0 --time 5";
  const json report = run_json("trajectory " + far + " --check", 1);
  EXPECT_EQ(report["scaling"], "impossible");
  EXPECT_EQ(report["time_scale"], nullptr);
  EXPECT_EQ(report["binding"]["kind"], "position");
  EXPECT_EQ(report["binding"]["joint"], "elbow_joint");
  EXPECT_NE(refused("trajectory --scale-to-limits " + far, 1).find("position of elbow_joint"), std::string::npos);
  EXPECT_NE(refused("inverse --scale-to-limits " + far, 1).find("no time scaling"), std::string::npos);
}

TEST_F(TrajectoryCli, InverseScalesATableToTheLimits) {
  ASSERT_EQ(run("trajectory " + ur5_move + " --samples 2001 -o m.csv").status, 0);
  const json typed = run_json("inverse " + ur5_move + " --scale-to-limits --samples 2001");
  const json table = run_json("inverse ur5 --trajectory m.csv --scale-to-limits");
  EXPECT_NEAR(table["scaled_by"].get<double>(), typed["scaled_by"].get<double>(), 1e-6);
  EXPECT_EQ(table["limits"]["within_limits"], true);
  ASSERT_EQ(table["tau"].size(), 2001U);
  for (const std::size_t k : {0U, 700U, 2000U})
    for (std::size_t j = 0; j < 6; ++j)
      EXPECT_NEAR(table["tau"][k][j].get<double>(), typed["tau"][k][j].get<double>(), 1e-3);
  EXPECT_NEAR(table["t"][2000].get<double>(), 1.5 * table["scaled_by"].get<double>(), 1e-12);
  EXPECT_EQ(table["method"], "tensor-augmented");
}

TEST_F(TrajectoryCli, GravityAndStaticAreNamedCalls) {
  const Values q{0.0, -1.0, 1.0, 0.2, 0.3, 0.0};
  const Mechanism robot = make_mechanism(load_robot(find_model("ur5")));
  InverseDynamics<double> inverse(robot);
  Values g(6), tau(6);
  inverse.gravity(q, g);
  const std::vector<ExternalWrench<double>> push{{robot.frame_index("tool0"), {0, 0, -50}, {}, Axes::world}};
  inverse.statics(q, push, tau);
  const std::string posture = "ur5 --q 0,-1,1,0.2,0.3,0";
  const Values shown_g = run_json("gravity " + posture)["g"];
  const Values shown_tau = run_json("static " + posture + " --wrench tool0:0,0,-50,0,0,0 --wrench-axes world")["tau"];
  for (std::size_t j = 0; j < 6; ++j) {
    EXPECT_NEAR(shown_g[j], g[j], 1e-12);
    EXPECT_NEAR(shown_tau[j], tau[j], 1e-12);
  }
  EXPECT_NE(run("gravity " + posture).out.find("shoulder_lift_joint"), std::string::npos);
  make("q.csv", "name,q1,q2\na,0,0\nb,1,0.5\n");
  EXPECT_EQ(run("gravity planar2r --states q.csv").out.substr(0, 13), "name,g1,g2\na,");
}

// URDF files often say velocity="0": such a joint may not move, and everything that leaves it alone works.
TEST_F(TrajectoryCli, AJointWithAVelocityLimitOfZeroMayNotMove) {
  for (const std::string& source : {std::string(CATENA_SOURCE_DIR "/tests/data/wild/quill6.urdf"), find_model("ur5")}) {
    SCOPED_TRACE(source);
    Robot robot = load_robot(source);
    const std::vector<int> moving = robot.moving_joints();
    ASSERT_EQ(moving.size(), 6U);
    for (const int j : moving) {
      robot.joints[static_cast<std::size_t>(j)].limits.velocity = 1.5;
      robot.joints[static_cast<std::size_t>(j)].limits.effort = 1e6;
    }
    JointDescription& held = robot.joints[static_cast<std::size_t>(moving[1])];
    held.limits.velocity = 0.0;
    save_robot(robot, (folder_ / "held.urdf").string());
    const std::string q2 = std::to_string(std::clamp(-0.25, held.limits.lower, held.limits.upper));
    const std::string still = " held.urdf --from 0," + q2 + ",0.1,0,0,0 --to 0.2," + q2 + ",0.2,0.1,0.1,0.1 ";
    const std::string moved = " held.urdf --from 0," + q2 + ",0.1,0,0,0 --to 0.2,0.3,0.2,0.1,0.1,0.1 ";
    // Where it stands, all works.
    for (const char* command : {"trajectory", "inverse"})
      for (const char* how : {"--time 1", "--time 0.01 --scale-to-limits", "--accelerations 2"}) {
        const Result result = run(command + still + how + " --json");
        EXPECT_EQ(result.status, 0) << command << how << result.err;
      }
    EXPECT_EQ(run_json("trajectory" + still + "--time 10 --check")["within_limits"], true);
    // Where it moves: the torques come with a word, scaling is refused.
    const Result along = run("inverse" + moved + "--time 1 --samples 5 -o tau.csv");
    EXPECT_EQ(along.status, 0) << along.err;
    EXPECT_EQ(lines(contents(folder_ / "tau.csv")), 6U);
    EXPECT_NE(along.err.find("first violation: speed of " + held.name), std::string::npos) << along.err;
    const std::string why = "joint " + held.name + " may not move: its velocity limit in the model is 0";
    EXPECT_NE(along.err.find(why), std::string::npos) << along.err;
    EXPECT_EQ(run("trajectory" + moved + "--time 1 -o m.csv").status, 0);
    const json report = run_json("trajectory" + moved + "--time 1 --check", 1);
    EXPECT_EQ(report["scaling"], "impossible");
    EXPECT_EQ(report["binding"]["joint"], held.name);
    EXPECT_EQ(report["binding"]["limit"], 0.0);
    for (const char* command : {"trajectory", "inverse"}) {
      EXPECT_NE(refused(command + moved + "--time 1 --scale-to-limits", 1).find(why), std::string::npos);
      EXPECT_NE(refused(command + moved + "--accelerations 2", 1).find(why), std::string::npos);
      EXPECT_EQ(run(command + moved + "--accelerations 2 --speeds 1").status, 0);
    }
    EXPECT_NE(refused("inverse held.urdf --trajectory m.csv --scale-to-limits", 1).find(why), std::string::npos);
    EXPECT_EQ(run("inverse held.urdf --trajectory m.csv").status, 0);
  }
}

TEST_F(TrajectoryCli, BadUsageIsOneLine) {
  const auto says = [&](const std::string& arguments, const std::string& what) {
    const std::string err = refused(arguments);
    EXPECT_EQ(lines(err), 1U) << err;
    EXPECT_NE(err.find(what), std::string::npos) << arguments << ": " << err;
  };
  says("trajectory planar2r --time 1", "--from and --to, or --via");
  says("trajectory planar2r --from 0,0 --time 1", "--from needs --to");
  says("trajectory planar2r --to 1,1", "--accelerations");
  says("trajectory planar2r --to 1,1 --time 0", "positive time");
  says("trajectory planar2r --to 1,1 --time nan", "positive time");
  says("trajectory planar2r --to 1 --time 1", "--to has 1 number");
  says("trajectory planar2r --via '0,0;1' --time 1", "--via, point 2 has 1 number");
  says("trajectory planar2r --via '0,0' --time 1", "at least two points");
  says("trajectory planar2r --via '0,0;1,1' --to 1,1 --time 1", "leave out --from and --to");
  says("trajectory planar2r --to 1,1 --times 0,0", "times must increase");
  says("trajectory planar2r --to 1,1 --times 0,1,2", "3 times for 2 points");
  says("trajectory planar2r --to 1,1 --time 1 --times 0,1", "give one of");
  says("trajectory planar2r --to 1,1 --time 1 --samples 1", "at least 2");
  says("trajectory planar2r --to 1,1 --time 1 --rate 0", "rows per second");
  says("trajectory planar2r --to 1,1 --time 1 --profile nonic", "nonic");
  says("trajectory planar2r --to 1,1 --time 1 --check --power 1,2,3", "--power has 3 numbers; planar 2R takes 2");
  EXPECT_NE(refused("trajectory planar2r --to 1,1 --time 1 -o missing/m.csv", 1).find("cannot be written"),
            std::string::npos);
  says("inverse planar2r --time 1", "--time goes with --to or --via");
  says("inverse planar2r --to 1,1 --time 1 --q 0,0", "leave out --q");
  says("inverse planar2r --trajectory gone.csv", "gone.csv");
  make("q.csv", "t,q1,q2,qd1,qd2\n0,0,0,0,0\n");
  says("inverse planar2r --trajectory q.csv", "has no columns qdd1, qdd2");
  make("back.csv", "t,q1,q2,qd1,qd2,qdd1,qdd2\n0,0,0,0,0,0,0\n0,0,0,0,0,0,0\n");
  says("inverse planar2r --trajectory back.csv", "back.csv:3: times must increase");
  make("word.csv", "t,q1,q2,qd1,qd2,qdd1,qdd2\nnoon,0,0,0,0,0,0\n");
  says("inverse planar2r --trajectory word.csv", "word.csv:2: column t: 'noon' is not a number");
}

TEST_F(TrajectoryCli, FindsTheFastestMotion) {
  const std::string path = "ur5 --via '0,-1,1,0,0,0;1,-1.5,1,0,1,0;2,-1,0.5,0,0,0' --time-optimal";
  const json found = run_json("trajectory " + path + " --check --phase-plot phase.svg -o fastest.csv");
  EXPECT_NEAR(double(found["duration"]), 0.7988, 1e-3);
  EXPECT_LE(int(found["time_optimal"]["idle"]), 1);
  EXPECT_TRUE(fs::exists(folder_ / "phase.svg"));
  const json loaded = run_json("trajectory " + path + " --payload tool0:5,0,0,0.1 --check");
  EXPECT_GT(double(loaded["duration"]), double(found["duration"]));
  const json smooth = run_json("trajectory " + path + " --jerks 200 --check"),
             stops = run_json("trajectory " + path + " --profile trapezoidal --check");
  EXPECT_GT(double(smooth["duration"]), double(found["duration"]));
  EXPECT_GT(double(stops["duration"]), 0.5);  // straight, and faster than the spline
  const Result followed = run("simulate " + path + " --torque computed --samples 11 --time 1 --json");
  EXPECT_EQ(followed.status, 0) << followed.err;
  EXPECT_EQ(run("inverse " + path + " --samples 5").status, 0);
  for (const auto& [options, words] :
       {std::pair{" --time 2", "leave out --time"}, {" --scale-to-limits", "leave out --scale-to-limits"}})
    EXPECT_NE(refused("trajectory " + path + options).find(words), std::string::npos) << options;
  EXPECT_NE(refused("trajectory ur5 --to 1,1,1,1,1,1 --time 1 --jerks 3").find("--jerks goes with --time-optimal"),
            std::string::npos);
  EXPECT_NE(run("trajectory planar2r --to 1,1 --time-optimal").err.find("has no effort limits"), std::string::npos);
}

}  // namespace
}  // namespace catena::trajectory_cli_test

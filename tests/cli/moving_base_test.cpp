// --base-twist, --base-acceleration and --base-motion, as typed.
#include <gtest/gtest.h>

#include <cmath>

#include "support/program.hpp"

namespace catena::moving_base_cli_test {
namespace {

using nlohmann::json;

class MovingBaseCli : public ProgramTest {
 protected:
  static void expect_near(const json& a, const json& b, double tolerance) {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(a[k].get<double>(), b[k].get<double>(), tolerance) << k;
  }
};

const std::string state = " ur5 --q 0,-1,1,0.2,0.3,0.4 --qd 0.1,0.2,-0.3,0.4,0.5,-0.6 ";
const std::string moving = "--base-twist 1,2,-0.5,0.3,-0.4,0.5 --base-acceleration 0.5,-1,2,0.2,0.1,-0.3 ";

TEST_F(MovingBaseCli, AnAccelerationIsLessGravity) {
  const json moved = run_json("inverse" + state + "--base-acceleration 1,2,3,0,0,0 --base-twist 5,0,0,0,0,0");
  expect_near(moved["tau"], run_json("inverse" + state + "--gravity=-1,-2,-12.81")["tau"], 1e-11);
  EXPECT_EQ(moved["method"], run_json("inverse" + state)["method"]);
}

TEST_F(MovingBaseCli, EveryMethodAndEngineGivesTheSameAndForwardReturns) {
  const json qdd = {1.0, -2.0, 0.5, 0.25, -1.0, 2.0};
  const std::string given = "--qdd 1,-2,0.5,0.25,-1,2 ";
  const json tau = run_json("inverse" + state + given + moving)["tau"];
  EXPECT_GT(std::abs(tau[1].get<double>() - run_json("inverse" + state + given)["tau"][1].get<double>()), 1.0);
  for (const char* way : {"--method kane", "--method uicker-kahn", "--method luh-walker-paul", "--engine compiled"})
    expect_near(run_json("inverse" + state + given + moving + way)["tau"], tau, 1e-9);
  std::string typed;
  for (const auto& t : tau) typed += (typed.empty() ? "" : ",") + t.dump();
  for (const char* way : {"", "--method articulated-body", "--engine compiled"})
    expect_near(run_json("forward" + state + moving + "--tau=" + typed + " " + way)["qdd"], qdd, 1e-9);
  expect_near(run_json("hybrid" + state + given + moving)["tau"], tau, 1e-9);
  expect_near(run_json("bias" + state + moving)["b"], run_json("inverse" + state + moving)["tau"], 1e-10);
  const json both = run_json("run" + state + moving + "--compute bias,inertia,jacobian");
  expect_near(both["b"], run_json("bias" + state + moving)["b"], 1e-12);
}

TEST_F(MovingBaseCli, EveryOtherJobFollowsTheBaseToo) {
  const std::string q = " ur5 --q 0,-1,1,0.2,0.3,0.4 ", rates = "--qd 0.1,0.2,-0.3,0.4,0.5,-0.6 ";
  const std::string faster = "--base-acceleration 1,2,3,0,0,0 ", heavier = "--gravity=-1,-2,-12.81 ";
  for (const auto& [command, key] : {std::pair{"gravity" + q, "g"}, {"static" + q, "tau"}, {"bias" + q + rates, "b"}})
    expect_near(run_json(command + faster)[key], run_json(command + heavier)[key], 1e-11);
  for (const auto& [command, key] : {std::pair{"stiffness" + q + rates, "P"}, {"inertia" + q, "M"}}) {
    const json moved = run_json(command + faster)[key], other = run_json(command + heavier)[key];
    for (std::size_t row = 0; row < 6; ++row) expect_near(moved[row], other[row], 1e-11);
  }
  // A frame is accelerated by what the base is, and has its speed.
  json drift = run_json("drift" + q + rates)["Jdot_qd"];
  for (std::size_t k = 0; k < 3; ++k) drift[k] = drift[k].get<double>() + static_cast<double>(k + 1);
  expect_near(run_json("drift" + q + rates + faster)["Jdot_qd"], drift, 1e-11);
  const double mass = run_json("centroidal" + q)["mass"].get<double>();
  EXPECT_NEAR(run_json("energy" + q + "--base-twist 2,0,0,0,0,0")["kinetic_energy"].get<double>(), 2.0 * mass, 1e-10);
  EXPECT_EQ(run_json("run" + q + moving + "--compute inertia,gravity,linearize")["g"],
            run_json("gravity" + q + moving)["g"]);
}

TEST_F(MovingBaseCli, ATableOfStatesIsMovedAlikeRowByRow) {
  make("x.csv", "q1,q2,qd1,qd2,qdd1,qdd2\n0.1,0.2,1,2,3,4\n-0.5,1,0,0,1,0\n");
  const json table = run_json("inverse planar2r --states x.csv " + moving);
  expect_near(table["tau"][0], run_json("inverse planar2r --q 0.1,0.2 --qd 1,2 --qdd 3,4 " + moving)["tau"], 1e-12);
  expect_near(table["tau"][1], run_json("inverse planar2r --q=-0.5,1 --qdd 1,0 " + moving)["tau"], 1e-12);
}

// Both joints passive: what they do is found, and the arm is not accelerated by what the base takes.
TEST_F(MovingBaseCli, PassiveJointsFollowTheBase) {
  const json passive = run_json("inverse planar2r --passive joint1 --passive joint2 --q 0.4,0.3 " + moving);
  expect_near(passive["qdd"], run_json("forward planar2r --q 0.4,0.3 " + moving)["qdd"], 1e-10);
  expect_near(passive["tau"], {0.0, 0.0}, 0.0);
}

const std::string run_of_arm = "simulate planar2r --q 0.3,0.2 --time 1 --samples 11 ";

TEST_F(MovingBaseCli, ARunOnAnAcceleratingBaseIsOneUnderLessGravity) {
  const json moved = run_json(run_of_arm + "--base-twist 3,0,0,0,0,0 --base-acceleration 1,-2,0,0,0,0");
  const json gravity = run_json("info planar2r")["gravity"];
  const std::string less = std::to_string(gravity[0].get<double>() - 1.0) + "," +
                           std::to_string(gravity[1].get<double>() + 2.0) + "," + gravity[2].dump();
  expect_near(moved["q"][10], run_json(run_of_arm + "--gravity=" + less)["q"][10], 1e-7);
  EXPECT_LT(moved["balance"].get<double>(), 1e-6);
  EXPECT_NE(moved["base_work"][10], 0.0);
  expect_near(moved["base_orientation"][10], {0.0, 0.0, 0.0, 1.0}, 0.0);
  const Result table = run(run_of_arm + "--base-acceleration 1,0,0,0,0,0");
  EXPECT_EQ(table.out.substr(0, table.out.find('\n')),
            "t,q1,q2,qd1,qd2,tau1,tau2,kinetic,potential,work,losses,base_work");
}

// Turned by a quarter, the base has gravity along another of its axes.
TEST_F(MovingBaseCli, GravityTurnsAsTheBaseDoes) {
  const json turned = run_json(run_of_arm + "--base-twist 0,0,0,0,0,1.5707963267948966");
  const double half = std::sqrt(0.5);
  expect_near(turned["base_orientation"][10], {0.0, 0.0, half, half}, 1e-8);
  EXPECT_LT(turned["balance"].get<double>(), 1e-6);
}

TEST_F(MovingBaseCli, TablesOverTime) {
  make("line.csv", "t,vx,vy,vz,wx,wy,wz\n0,3,0,0,0,0,0\n2,5,-4,0,0,0,0.5\n");
  make("cubic.csv",
       "t,wz,vx,vy,vz,wx,wy,ax,ay,az,alphax,alphay,alphaz\n0,0,3,0,0,0,0,1,-2,0,0,0,0.25\n"
       "2,0.5,5,-4,0,0,0,1,-2,0,0,0,0.25\n");
  const json typed = run_json(run_of_arm + "--base-twist 3,0,0,0,0,0 --base-acceleration 1,-2,0,0,0,0.25");
  for (const char* file : {"line.csv", "cubic.csv"})
    expect_near(run_json(run_of_arm + "--base-motion " + file)["q"][10], typed["q"][10], 1e-8);
}

TEST_F(MovingBaseCli, EventsThatChangeTheRobotLeaveTheBaseTurning) {
  const std::string part = std::string(CATENA_SOURCE_DIR) + "/examples/crucible.toml";
  const json changing = run_json(
      "simulate pelican --time 1 --torque pd-gravity --base-twist 0,0,0,0,0,1 --base-acceleration 1,0,0,0,0,0 "
      "--wrench link2:0,3,0,0,0,0 --event \"t=0.4 attach " +
      part + " at link2 as revolute called load\" --event \"t=0.8 detach load\"");
  EXPECT_LT(changing["balance"].get<double>(), 1e-6);
  ASSERT_EQ(changing["segments"].size(), 3U);
  expect_near(changing["segments"][2]["base_orientation"].back(), {0.0, 0.0, std::sin(0.5), std::cos(0.5)}, 1e-8);
}

TEST_F(MovingBaseCli, WhatIsWrongIsSaidInOneLine) {
  make("short.csv", "t,vx,vy\n0,1,2\n");
  make("brief.csv", "t,vx,vy,vz,wx,wy,wz\n0,0,0,0,0,0,0\n0.5,0,0,0,0,0,0\n");
  make("late.csv", "t,vx,vy,vz,wx,wy,wz\n1,0,0,0,0,0,0\n0.5,0,0,0,0,0,0\n");
  make("half.csv", "t,vx,vy,vz,wx,wy,wz,ax\n0,0,0,0,0,0,0,0\n");
  make("word.csv", "t,vx,vy,vz,wx,wy,wz\n0,0,0,zero,0,0,0\n");
  make("nan.csv", "t,vx,vy,vz,wx,wy,wz\n0,0,0,nan,0,0,0\n");
  make("none.csv", "t,vx,vy,vz,wx,wy,wz\n");
  make("x.csv", "q1,q2\n0,0\n");
  const std::pair<std::string, const char*> cases[] = {
      {"inverse ur5 --base-twist 1,2,3", "--base-twist has 3 numbers; give 6: vx,vy,vz,wx,wy,wz"},
      {"inverse ur5 --base-acceleration 1", "--base-acceleration has 1 number; give 6: ax,ay,az,alphax,alphay,alphaz"},
      {"bias ur5 --base-twist 1,2,3,4,5,6,7", "--base-twist has 7 numbers"},
      {"forward ur5 --base-twist 1,2,3,4,5,nan", "--base-twist: 'nan' is not finite"},
      {"forward ur5 --base-acceleration 1,2,3,4,5,x", "--base-acceleration: 'x' is not a number"},
      {"simulate ur5 --time 1 --base-twist 1,2,3", "--base-twist has 3 numbers"},
      {"simulate ur5 --time 1 --base-twist 1,2,3,4,5,6 --base-motion brief.csv", "--base-motion"},
      {"simulate ur5 --time 1 --base-motion short.csv", "short.csv:1: the header has no column"},
      {"simulate ur5 --time 1 --base-motion half.csv", "half.csv:1: column 'ax'"},
      {"simulate ur5 --time 1 --base-motion late.csv", "late.csv:3: t = 0.5 comes after 1; times must increase"},
      {"simulate ur5 --time 1 --base-motion word.csv", "word.csv:2: column vz: 'zero' is not a number"},
      {"simulate ur5 --time 1 --base-motion nan.csv", "nan.csv:2: column vz"},
      {"simulate ur5 --time 1 --base-motion none.csv", "none.csv: has no rows"},
      {"simulate ur5 --time 1 --base-motion gone.csv", "gone.csv"},
      {"simulate ur5 --time 1 --base-motion brief.csv",
       "brief.csv: the table goes from t = 0 to 0.5 s, the run from 0 to 1 s"},
      {"simulate ur5 --time 1 --base-motion - <brief.csv", "give a file"},
      {"gravity ur5 --floating-base --base-twist 1,2,3,4,5,6", "has a free base, whose motion cannot be prescribed"},
      {"linearize ur5 --state-space --base-twist 1,2,3,4,5,6", "--base-twist: --state-space needs a base at rest"},
      {"coriolis ur5 --coefficients --base-twist 1,2,3,4,5,6", "--base-twist: --coefficients needs a base at rest"},
      {"inverse ur5 --to 1,1,1,1,1,1 --time 1 --base-twist 1,2,3,4,5,6",
       "--base-twist goes with one state or --states, not with a motion"},
  };
  for (const auto& [arguments, words] : cases) {
    const std::string err = refused(arguments);
    EXPECT_NE(err.find(words), std::string::npos) << arguments << ": " << err;
  }
  for (const char* command : {"kinematics ur5", "equilibrium pelican_crucible", "info ur5", "generate ur5"})
    EXPECT_NE(refused(std::string(command) + " --base-twist 1,2,3,4,5,6").find("--base-twist"), std::string::npos);
}

}  // namespace
}  // namespace catena::moving_base_cli_test

// catena inertia, bias, coriolis, factor, forward and simulate, run as a person runs them.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "support/nightly.hpp"
#include "support/program.hpp"

namespace catena::dynamics_cli_test {
namespace {

using Values = std::vector<double>;
using Matrix = std::vector<Values>;

class DynamicsCli : public ProgramTest {};

const std::string state = "pelican_crucible --q 0.4,0.9,-1.2";
const std::string moving = state + " --qd 0.7,-0.3,0.5";

// The published numbers of the pelican with its crucible.
TEST_F(DynamicsCli, GivesThePublishedMatricesByEveryMethod) {
  const Matrix M{{0.704960217341, 0.227887340072, 0.0838900755005},
                 {0.227887340072, 0.141036742827, 0.0466319524246},
                 {0.0838900755005, 0.0466319524246, 0.0325}};
  const Matrix C{{0.039228128944, 0.00354977588926, 0.0430873311713},
                 {0.0538531152311, 0.0181747621764, 0.0327145719174},
                 {-0.0226075113829, -0.0145398097411, 0.0}};
  const auto expect_near = [](const Matrix& computed, const Matrix& published, const std::string& method) {
    for (std::size_t r = 0; r < 3; ++r)
      for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR(computed[r][c], published[r][c], 1e-11) << method;
  };
  int methods = 0;
  const auto all = run_json("methods");
  for (const auto& m : all["methods"]) {
    const std::string name = m["name"], job = m["computes"];
    if (job == "inertia")
      expect_near(run_json("inertia " + state + " --method " + name)["M"].get<Matrix>(), M, name), ++methods;
    if (job == "coriolis")
      expect_near(run_json("coriolis " + moving + " --method " + name)["C"].get<Matrix>(), C, name), ++methods;
  }
  EXPECT_GE(methods, 11);
  expect_near(run_json("inertia " + state)["M"].get<Matrix>(), M, "default");
  expect_near(run_json("coriolis " + moving)["C"].get<Matrix>(), C, "default");
}

TEST_F(DynamicsCli, BiasIsCoriolisAndGravityByEveryMethod) {
  const Matrix C = run_json("coriolis " + moving)["C"].get<Matrix>();
  const Values g = run_json("gravity " + state)["g"].get<Values>();
  const Values qd{0.7, -0.3, 0.5};
  const auto known = run_json("methods --compute bias");
  ASSERT_GE(known["methods"].size(), 7U);
  for (const auto& m : known["methods"]) {
    const Values b = run_json("bias " + moving + " --method " + m["name"].get<std::string>())["b"].get<Values>();
    for (std::size_t r = 0; r < 3; ++r)
      EXPECT_NEAR(b[r], C[r][0] * qd[0] + C[r][1] * qd[1] + C[r][2] * qd[2] + g[r], 1e-12) << m;
  }
}

TEST_F(DynamicsCli, FactorsMultiplyBackAndInvert) {
  const auto factors = run_json("factor " + state + " --inverse");
  const Matrix U = factors["U"].get<Matrix>(), inverse = factors["M_inverse"].get<Matrix>();
  const Values D = factors["D"].get<Values>();
  const Matrix M = run_json("inertia " + state)["M"].get<Matrix>();
  for (std::size_t r = 0; r < 3; ++r) {
    for (std::size_t c = 0; c < 3; ++c) {
      double product = 0.0, unit = 0.0;
      for (std::size_t k = 0; k < 3; ++k) product += U[r][k] * D[k] * U[c][k], unit += M[r][k] * inverse[k][c];
      EXPECT_NEAR(product, M[r][c], 1e-12);
      EXPECT_NEAR(unit, r == c ? 1.0 : 0.0, 1e-10);
    }
  }
}

TEST_F(DynamicsCli, OperationalInertiaIsTheInverseOfMobility) {
  const std::string arm = "ur5 --q 0.1,-1,1,0.2,1,0";
  const Matrix inverse = run_json("factor " + arm + " --inverse")["M_inverse"].get<Matrix>();
  const Matrix J = run_json("kinematics " + arm + " --frame tool0")["J"].get<Matrix>();
  for (const std::size_t size : {3U, 6U}) {
    const std::string asked = std::string(" --frame tool0") + (size == 3 ? " --translation" : "");
    const Matrix Lambda = run_json("factor " + arm + asked)["Lambda"].get<Matrix>();
    ASSERT_EQ(Lambda.size(), size);
    Matrix mobility(size, Values(size));
    for (std::size_t r = 0; r < size; ++r)
      for (std::size_t c = 0; c < size; ++c)
        for (std::size_t i = 0; i < 6; ++i)
          for (std::size_t k = 0; k < 6; ++k) mobility[r][c] += J[r][i] * inverse[i][k] * J[c][k];
    for (std::size_t r = 0; r < size; ++r) {
      for (std::size_t c = 0; c < size; ++c) {
        double unit = 0.0;
        for (std::size_t k = 0; k < size; ++k) unit += Lambda[r][k] * mobility[k][c];
        EXPECT_NEAR(unit, r == c ? 1.0 : 0.0, 1e-8);
      }
    }
  }
}

TEST_F(DynamicsCli, AFrameThatCannotMoveEverywhereAndAJointWithoutInertiaFailWithStatusOne) {
  EXPECT_NE(refused("factor " + state + " --frame crucible --json", 1).find("independent"), std::string::npos);
  make("thin.toml",
       "name = 'thin'\nconvention = 'classic'\n[[link]]\njoint = 'revolute'\njoint_name = 'idle'\nmass = 0\n");
  const Result result = run("forward thin.toml --tau 1");
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.err.find("idle"), std::string::npos) << result.err;
}

TEST_F(DynamicsCli, ForwardUndoesInverseByEveryMethod) {
  const Values tau{15.5570961043, 2.28710197397, 1.45956148481}, qdd{1.0, -2.0, 0.5};
  const auto known = run_json("methods --compute forward");
  ASSERT_GE(known["methods"].size(), 5U);
  std::string model = contents(CATENA_SOURCE_DIR "/models/pelican_crucible.toml");  // with a motor at its pivot
  model.erase(model.find("passive = true"), std::string("passive = true").size());
  make("driven.toml", model);
  const std::string driven = "driven.toml" + moving.substr(moving.find(' '));
  for (const auto& m : known["methods"]) {
    const Values a = run_json("forward " + driven + " --tau 15.5570961043,2.28710197397,1.45956148481 --method " +
                              m["name"].get<std::string>())["qdd"]
                         .get<Values>();
    for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(a[j], qdd[j], 1e-8) << m;
  }
}

TEST_F(DynamicsCli, SimulatesThePublishedFreeFall) {
  const auto fall = run_json("simulate planar3r --time 1 --samples 5 --rtol 1e-12 --atol 1e-13");
  for (const char* key : {"t", "q", "qd", "tau", "energy"}) EXPECT_EQ(fall[key].size(), 5U) << key;
  const Values end = fall["q"].back().get<Values>();
  EXPECT_NEAR(end[0], -1.80614322907, 1e-9);
  EXPECT_NEAR(end[2], -0.132219209128, 1e-9);
  EXPECT_LT(fall["balance"].get<double>(), 1e-9);
  EXPECT_GT(fall["steps"].get<int>(), 0);
  EXPECT_GT(fall["evaluations"].get<int>(), fall["steps"].get<int>());
}

TEST_F(DynamicsCli, SimulateWritesTablesStopsAtEventsAndTakesTorqueTables) {
  ASSERT_EQ(run("simulate planar2r --time 1 --samples 11 -o fall.csv").status, 0);
  const std::string table = contents(folder_ / "fall.csv");
  EXPECT_EQ(table.substr(0, table.find('\n')), "t,q1,q2,qd1,qd2,tau1,tau2,kinetic,potential,work,losses");
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 12);
  const auto stopped = run_json("simulate planar2r --time 5 --event position:joint1:-0.5:stop");
  EXPECT_FALSE(stopped["complete"].get<bool>());
  EXPECT_NEAR(stopped["q"].back()[0].get<double>(), -0.5, 1e-9);
  make("push.csv", "t,tau1,tau2\n0,0,0\n1,1,0\n");
  const auto pushed = run_json("simulate planar2r --gravity 0,0,0 --time 0.5 --samples 3 --torque push.csv");
  EXPECT_NEAR(pushed["tau"][1][0].get<double>(), 0.25, 1e-12);
}

TEST_F(DynamicsCli, SimulateRefusesNonsense) {
  EXPECT_NE(refused("simulate planar2r --time 0").find("--time"), std::string::npos);
  EXPECT_NE(refused("simulate planar2r --time 1 --integrator euler").find("verner"), std::string::npos);
  EXPECT_NE(refused("simulate planar2r --time 1 --rtol 1e-30").find("rtol"), std::string::npos);
  EXPECT_NE(refused("simulate planar2r --time 1 --event sometimes").find("time:T"), std::string::npos);
  EXPECT_NE(refused("simulate planar2r --time 1 --torque nonsense").find("--torque"), std::string::npos);
  EXPECT_NE(refused("simulate ur5 --time 1 --integrator rk4 --stops").find("fixed-step"), std::string::npos);
}

TEST_F(DynamicsCli, LinearizesInStateSpace) {
  const std::string upright = "linearize stanford --q 0,180,0.1,0,0,0 --deg --state-space";
  const auto open = run_json(upright), closed = run_json(upright + " --lqr"),
             sampled = run_json(upright + " --discrete 0.001");
  EXPECT_NEAR(open["poles"][0][0].get<double>(), 3.6654, 1e-4);
  EXPECT_EQ(open["A"].size(), 12U);
  EXPECT_EQ(open["B"][0].size(), 6U);
  EXPECT_EQ(closed["K"].size(), 6U);
  EXPECT_LT(closed["closed_loop_poles"][0][0].get<double>(), -2.9);
  EXPECT_LT(closed["residual"].get<double>(), 1e-10);
  EXPECT_NEAR(sampled["poles"][0][0].get<double>(), std::exp(0.0036654), 1e-7);
  EXPECT_NE(refused(upright + " --discrete 0").find("--discrete"), std::string::npos);
  EXPECT_NE(refused(upright + " --lqr --weights 1,2").find("three numbers"), std::string::npos);
  EXPECT_NE(refused(upright + " --lqr --weights 1,1,0").find("torques must be positive"), std::string::npos);
  const auto held = run_json(
      "simulate stanford --torque lqr --target 0,180,0.1,0,0,0 --q 0,181,0.1,0,0,0 --deg --time 2 --samples 3");
  EXPECT_NEAR(held["q"].back()[1].get<double>(), 3.14159265, 1e-4);
}

// A line and back, turning by 30 degrees, with the model that the law knows and with a load that it does not.
TEST_F(DynamicsCli, FollowsACartesianPath) {
  const std::string line = "simulate ur5 --q 0.2,-1.2,1.4,-0.5,1,0.3 --torque resolved --time 2 --samples 21 --goal ";
  const nlohmann::json there = run_json(line + "0.4,0.2,0.5");
  EXPECT_LT(there["tracking_error"]["position"]["largest"].get<double>(), 1e-6);
  EXPECT_FALSE(there["tracking_error"].contains("rotation"));
  const nlohmann::json pose = run_json("kinematics ur5 --q 0.2,-1.2,1.4,-0.5,1,0.3");
  const auto place = pose["chi"]["position"].get<std::vector<double>>(),
             rpy = pose["chi"]["rpy"].get<std::vector<double>>();
  std::string goal;
  for (const double x : {place[0] - 0.1, place[1], place[2], rpy[0], rpy[1], rpy[2] + 0.5})
    goal += (goal.empty() ? "" : ",") + std::to_string(x);
  const nlohmann::json turning = run_json(line + goal);
  EXPECT_LT(turning["tracking_error"]["position"]["largest"].get<double>(), 1e-6);
  EXPECT_LT(turning["tracking_error"]["rotation"]["largest"].get<double>(), 1e-6);
  const nlohmann::json loaded = run_json(line + goal + " --payload tool0:2,0,0,0.05 --controller-model ur5");
  EXPECT_GT(loaded["tracking_error"]["position"]["largest"].get<double>(), 1e-3);
}

TEST_F(DynamicsCli, RefusesSimulationOptionsThatMeanNothing) {
  const std::pair<const char*, const char*> mistakes[] = {
      {"--tau 3,3", "--tau goes with --torque constant"},
      {"--kp 3", "--kp goes with --torque pd"},
      {"--kd 3 --torque zero", "--kd goes with --torque pd"},
      {"--target 0,0 --torque push.csv", "--target goes with --torque pd"},
      {"--torque constant", "--torque constant needs --tau"},
      {"--torque operational", "--torque operational needs --goal"},
      {"--goal 1,1,0", "--goal goes with --torque operational"},
      {"--frame link1", "--frame goes with --torque operational"},
      {"--torque resolved", "--torque resolved needs --goal"},
      {"--torque resolved --goal 1,1", "--goal: a target is x,y,z or x,y,z,roll,pitch,yaw; target 1 has 2 numbers"},
      {"--torque resolved --goal 1,1,0 --kp 1,2", "--kp: --torque resolved takes one for all directions"},
      {"--weights 1,1,1 --torque pd", "--weights goes with --torque lqr"},
      {"--step 0.1", "--step goes with --integrator rk4"},
      {"--rtol 1e-3 --integrator rk4", "--rtol goes with --integrator verner"},
      {"--atol 1e-3 --integrator adams-bashforth", "--atol goes with --integrator verner"},
      {"--restitution 0.5", "--restitution goes with --stops"},
      {"--saturate", "--saturate: no joint of planar 2R has an effort limit"},
      {"--stops", "--stops: no joint of planar 2R has limits"},
  };
  for (const auto& [options, message] : mistakes)
    EXPECT_NE(refused(std::string("simulate planar2r --time 1 ") + options).find(message), std::string::npos)
        << options;
  EXPECT_NE(refused("simulate panda --time 1 --stops").find("--q: joint 'panda_joint4' is at 0, beyond its upper stop"),
            std::string::npos);
}

TEST_F(DynamicsCli, SaysWhenAJointLeavesItsLimits) {
  const std::string fall = "simulate panda --q 0,0,0,-1.5,0,1.5,0 --time 1 --samples 11 --json";
  const auto free = run_json(fall);
  ASSERT_FALSE(free["left_limits"].empty());
  EXPECT_EQ(free["left_limits"][0]["joint"], "panda_joint2");
  EXPECT_NE(run("simulate panda --q 0,0,0,-1.5,0,1.5,0 --time 1 -o fall.csv").err.find("--stops"), std::string::npos);
  const auto stopped = run_json(fall + " --stops");
  EXPECT_TRUE(stopped["left_limits"].empty());
  EXPECT_DOUBLE_EQ(stopped["q"].back()[1], 1.7628);
}

TEST_F(DynamicsCli, AFullDiskIsAnErrorAndAnInterruptKeepsTheSamples) {
  EXPECT_EQ(run("simulate planar2r --time 1 --samples 2000 > /dev/full").status, 1);
  const Result result = shell(
      "\"$CATENA\" simulate planar3r --time 100000 --samples 100001 --rtol 1e-10 -o long.csv & pid=$!; sleep 0.7; "
      "kill -INT $pid; wait $pid");
  EXPECT_EQ(result.status, 130) << result.err;
  const std::string table = contents(folder_ / "long.csv.part");
  EXPECT_GT(std::count(table.begin(), table.end(), '\n'), 1) << result.err;
  EXPECT_EQ(table.back(), '\n');
}

TEST_F(DynamicsCli, CountsAndCompares) {
  const auto count = run_json("count --n 6 --method tensor-augmented");
  EXPECT_LE(count["online"]["multiplications"].get<int>(), 489);
  EXPECT_LE(count["online"]["additions"].get<int>(), 420);
  EXPECT_EQ(count["online"]["sincos"].get<int>(), 6);
  EXPECT_GT(count["offline"]["multiplications"].get<int>(), 0);
  const auto compared = run_json("compare planar3r --compute forward");
  ASSERT_EQ(compared["formulations"].size(), 10U);
  for (const auto& f : compared["formulations"]) {
    EXPECT_LT(f["disagreement"].get<double>(), 1e-9) << f;
    EXPECT_GT(f["ns"].get<double>(), 0.0) << f;
  }
  EXPECT_NE(run("compare planar3r").out.find("ns per call"), std::string::npos);
  const auto right = run_json("count --n 6 --twists right --constants twists --method tensor-augmented");  // Table 5.2
  EXPECT_EQ(right["online"]["multiplications"].get<int>(), 354);
  EXPECT_LE(right["online"]["additions"].get<int>(), 351);
  EXPECT_NE(refused("count ur5 --constants some").find("twists"), std::string::npos);
  EXPECT_EQ(right["counts"][0]["lines"]["5.3.45c"]["multiplications"].get<int>(), 31);
  EXPECT_NE(run("count --n 6 --method tensor-augmented").out.find("5.3.45c"), std::string::npos);
  EXPECT_EQ(run_json("count --n 26 --method denoc")["online"]["multiplications"].get<int>(), 119 * 26 - 80);
  const auto far = run("count --n 160");  // an arm of any length; what grows with n⁴ is left out, and that is said
  EXPECT_EQ(far.status, 0) << far.err;
  EXPECT_NE(far.err.find("uicker-kahn is left out beyond 150 joints"), std::string::npos) << far.err;
  EXPECT_EQ(far.out.find("uicker-kahn"), std::string::npos);
  EXPECT_NE(far.out.find("luh-walker-paul"), std::string::npos);
  EXPECT_NE(refused("count --compute inverse").find("--n"), std::string::npos);
  EXPECT_NE(refused("count --compute wish --n 6").find("no job 'wish'"), std::string::npos);
  EXPECT_NE(refused("count --compute wish --method tensor --n 6").find("wish"), std::string::npos);
  EXPECT_NE(refused("count ur5 --n 6").find("not both"), std::string::npos);
  EXPECT_NE(refused("count ur5 --method nonsense").find("tensor-augmented"), std::string::npos);
}

TEST_F(DynamicsCli, EveryFormulationIsCounted) {
  const auto listed = run_json("methods");
  EXPECT_GT(listed["methods"].size(), 10U);
  int counted = 0;
  for (const auto& f : listed["methods"]) {
    const std::string what =
        " --compute " + f["computes"].get<std::string>() + " --method " + f["name"].get<std::string>();
    for (const char* robot : {"--n 6", "--n 6 --twists right", "--n 1", "ur5", "stanford"}) {
      if (counted++ % 4 != 0 && !test::nightly()) continue;  // four: every method with one, every robot with some
      const auto count = run_json("count " + std::string(robot) + what);
      EXPECT_EQ(count["compute"], f["computes"]) << what;
      for (const char* when : {"online", "offline"}) {
        std::vector<std::string> keys;
        for (const auto& [key, value] : count[when].items()) keys.push_back(key);
        EXPECT_EQ(keys, (std::vector<std::string>{"additions", "divisions", "multiplications", "sincos"})) << what;
      }
      EXPECT_EQ(count["counts"][0]["online"], count["online"]) << what;
    }
    if (f["computes"] == "place" || f["computes"] == "loop_forces") continue;  // nothing to do for an open chain
    EXPECT_GT(run_json("count --n 6" + what)["online"]["multiplications"].get<int>(), 100) << what;
  }
}

// A load gripped, emptied and put down while the arm moves.
TEST_F(DynamicsCli, SimulatesARobotThatChanges) {
  make("crucible.toml",
       "name = \"crucible\"\n[base]\nname = \"bowl\"\nmass = 1.0\ncom = [0.15, 0.0, 0.0]\n"
       "inertia = [0.0, 0.01, 0.01]\n");
  const std::string run_it =
      "simulate pelican --q 20,60 --deg --torque pd-gravity --target 30,50 --time 1 --samples 21 ";
  const std::string grip = "--event \"t=0.2 attach crucible.toml at link2 as revolute called c moving 0,0.5,0,0,0,1\" ";
  const nlohmann::json r = run_json(run_it + grip + "--event \"t=0.5 set mass c_bowl 0.4\" --event \"t=0.8 detach c\"");
  ASSERT_EQ(r["segments"].size(), 4u);
  EXPECT_EQ(r["segments"][1]["joints"].size(), 3u);
  EXPECT_EQ(r["segments"][3]["joints"].size(), 2u);
  ASSERT_EQ(r["changes"].size(), 3u);
  EXPECT_GT(r["changes"][0]["lost"].get<double>(), 1e-4);
  EXPECT_LT(r["balance"].get<double>(), 1e-8);
  EXPECT_TRUE(r["complete"].get<bool>());
  ASSERT_EQ(run(run_it + grip + "-o run.csv").status, 0);
  const std::string table = contents(folder_ / "run.csv");
  EXPECT_EQ(table.substr(0, table.find('\n')), "t,q1,q2,q3,qd1,qd2,qd3,tau1,tau2,tau3,kinetic,potential,work,losses");
  EXPECT_NE(table.find(",nan,"), std::string::npos);
  const std::string at = "simulate pelican --time 1 --event ";
  EXPECT_NE(refused(at + "\"t=0.5 attach crucible.toml at gripper\"").find("no link or frame 'gripper'"),
            std::string::npos);
  EXPECT_NE(refused(at + "\"t=0.5 detach c\"").find("nothing called 'c'"), std::string::npos);
  EXPECT_NE(refused(at + "\"t=0.5 attach gone.toml at link2\"").find("gone.toml"), std::string::npos);
  EXPECT_NE(refused(at + "\"t=0.5 paint link2 red\"").find("WHEN attach MODEL"), std::string::npos);
  EXPECT_NE(refused(at + "\"t=x attach crucible.toml at link2\"").find("'x'"), std::string::npos);
  EXPECT_NE(refused(at + "\"t=0.5 attach crucible.toml at link2 as ball\"").find("revolute"), std::string::npos);
  EXPECT_NE(refused(at + "\"t=0.5 attach crucible.toml at link2\" --integrator rk4").find("fixed-step"),
            std::string::npos);
}

}  // namespace
}  // namespace catena::dynamics_cli_test

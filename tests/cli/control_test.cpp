// Inverse kinematics and Cartesian models through the program.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "catena/model/parameters.hpp"
#include "support/program.hpp"

namespace catena::control_cli_test {
namespace {

using nlohmann::json;
using Matrix = std::vector<std::vector<double>>;

class ControlCli : public ProgramTest {
 protected:
  static std::string list(const std::vector<double>& numbers) {
    std::string text;
    for (const double x : numbers) text += (text.empty() ? "" : ",") + json(x).dump();
    return text;
  }
};

TEST_F(ControlCli, SolvesForAPose) {
  const json found = run_json("kinematics ur5 --solve 0.4,0.2,0.3,180,0,90 --deg --frame tool0");
  EXPECT_EQ(found["frame"], "tool0");
  EXPECT_LE(found["position_error"], 1e-9);
  EXPECT_LE(found["rotation_error"], 1e-9);
  EXPECT_TRUE(found["at_limit"].empty());
  // Rz(90°) Rx(180°), there
  const auto pose = run_json("kinematics ur5 --frame tool0 --q " + list(found["q"]))["pose"].get<Matrix>();
  const Matrix expected{{0, 1, 0, 0.4}, {1, 0, 0, 0.2}, {0, 0, -1, 0.3}, {0, 0, 0, 1}};
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < 4; ++j) EXPECT_NEAR(pose[i][j], expected[i][j], 2e-9);
  const Result text = run("kinematics ur5 --solve 0.4,0.2,0.3,180,0,90 --deg");
  EXPECT_EQ(text.status, 0);
  EXPECT_NE(text.out.find("elbow_joint"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("found             from start"), std::string::npos) << text.out;
}

// A path: each target from the solution of the last, so the arm does not jump.
TEST_F(ControlCli, FollowsAPath) {
  std::string targets;
  for (int k = 0; k <= 20; ++k) targets += (k ? ";" : "") + std::string("0.5,") + json(0.01 * k).dump() + ",0.4,3,0,0";
  const json path = run_json("kinematics panda --solve \"" + targets + "\"");
  ASSERT_EQ(path["solutions"].size(), 21u);
  for (std::size_t k = 1; k <= 20; ++k) {
    EXPECT_EQ(path["solutions"][k]["starts"], 1);
    for (std::size_t j = 0; j < 7; ++j)
      EXPECT_NEAR(path["solutions"][k]["q"][j].get<double>(), path["solutions"][k - 1]["q"][j].get<double>(), 0.2);
  }
}

TEST_F(ControlCli, SaysWhyATargetIsNotReached) {
  const std::string far = refused("kinematics ur5 --solve 3,0,0", 1);
  EXPECT_NE(far.find("m are left at the nearest q found"), std::string::npos) << far;
  EXPECT_NE(refused("kinematics ur5 --solve \"0.4,0.2,0.3;3,0,0\"", 1).find("target 2"), std::string::npos);
  EXPECT_NE(refused("kinematics planar2r --solve 0,0,1", 1).find("m are left"), std::string::npos);
  EXPECT_NE(refused("kinematics ur5 --solve 1,2").find("x,y,z or x,y,z,roll,pitch,yaw"), std::string::npos);
  EXPECT_NE(refused("kinematics ur5 --solve \"0.4,0.2,0.3;0.4,0.2,0.3,0,0,0\"").find("all as poses"),
            std::string::npos);
  EXPECT_NE(refused("kinematics panda --solve 0.5,0,0.4 --q 0,0,0,0,0,0,0").find("panda_joint4"), std::string::npos);
  EXPECT_NE(refused("kinematics ur5 --solve 0.4,0.2,nan").find("--solve"), std::string::npos);
  refused("kinematics ur5 --solve 0.4,0.2,0.3 --qd 1,0,0,0,0,0");
  refused("kinematics ur5 --solve 0.4,0.2,0.3 --all");
}

// A planar arm of two links by hand: f = J⁻ᵀ τ in the plane.
TEST_F(ControlCli, CartesianModelOfAPlanarArm) {
  const std::string at = " planar2r --q 0.3,0.7 --qd 0.5,-0.2 --qdd 1,2";
  const json m = run_json("cartesian" + at + " --coordinates position --rows x,y");
  EXPECT_EQ(m["rows"], (json{"x", "y"}));
  const auto J = m["J"].get<Matrix>();
  const auto tau = run_json("inverse" + at)["tau"].get<std::vector<double>>();
  for (std::size_t j = 0; j < 2; ++j)
    EXPECT_NEAR(J[0][j] * m["f"][0].get<double>() + J[1][j] * m["f"][1].get<double>(), tau[j], 1e-10);
  const auto motion = run_json("kinematics" + at);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_NEAR(m["chi"][i].get<double>(), motion["pose"][i][3].get<double>(), 1e-14);
    EXPECT_NEAR(m["chi_dot"][i].get<double>(), motion["velocity"][i].get<double>(), 1e-14);
    EXPECT_NEAR(m["chi_ddot"][i].get<double>(), motion["acceleration"][i].get<double>(), 1e-13);
    double f = m["C_chi"][i].get<double>() + m["G_chi"][i].get<double>();
    for (std::size_t k = 0; k < 2; ++k) f += m["D_chi"][i][k].get<double>() * m["chi_ddot"][k].get<double>();
    EXPECT_NEAR(f, m["f"][i].get<double>(), 1e-9);
  }
  EXPECT_NEAR(m["manipulability"].get<double>(), std::abs(J[0][0] * J[1][1] - J[0][1] * J[1][0]), 1e-12);
  EXPECT_FALSE(m["damped"].get<bool>());
  EXPECT_FALSE(m.contains("P_hat"));
}

// D_hat J = D of the joints, in every kind of coordinates.
TEST_F(ControlCli, CartesianLinearization) {
  const std::string at = " ur5 --q 0.1,-1,1,0.3,1,0.2 --qd 0.5,-0.2,0.1,0.3,0.2,0.1 --qdd 1,2,0,0,1,0";
  const auto D = run_json("linearize" + at)["D"].get<Matrix>();
  for (const char* kind : {"velocity", "rpy", "zyz"}) {
    const json m = run_json("cartesian" + at + " --linearize --coordinates " + kind);
    for (const char* key : {"D_hat", "V_hat", "P_hat"}) ASSERT_EQ(m[key].size(), 6u);
    for (std::size_t i = 0; i < 6; ++i)
      for (std::size_t j = 0; j < 6; ++j) {
        double sum = 0.0;
        for (std::size_t k = 0; k < 6; ++k) sum += m["D_hat"][i][k].get<double>() * m["J"][k][j].get<double>();
        EXPECT_NEAR(sum, D[i][j], 1e-11);
      }
  }
  const Result text = run("cartesian" + at + " --linearize");
  EXPECT_EQ(text.status, 0) << text.err;
  for (const char* part : {"D_chi\n", "P_hat\n", "condition number", "elbow_joint"})
    EXPECT_NE(text.out.find(part), std::string::npos) << text.out;
}

TEST_F(ControlCli, CartesianSaysWhatIsLost) {
  const std::string lost = refused("cartesian ur5 --q 0.1,-1,1,0.3,0,0.2", 1);
  EXPECT_NE(lost.find("no joint can move it along"), std::string::npos) << lost;
  EXPECT_NE(refused("cartesian planar2r --q 0.3,0.7 --coordinates position", 1).find("along z;"), std::string::npos);
  EXPECT_NE(refused("cartesian ur5 --q 0.1,-1,1,0.3,0,0.2 --rows x,q").find("wx, wy, wz"), std::string::npos);
  EXPECT_NE(refused("cartesian ur5 --rows x,x").find("twice"), std::string::npos);
  EXPECT_NE(refused("cartesian ur5 --damping -1").find("--damping"), std::string::npos);
  EXPECT_NE(refused("cartesian ur5 --coordinates euler").find("euler"), std::string::npos);
  const Result damped = run("cartesian ur5 --q 0.1,-1,1,0.3,0,0.2 --damping 0.02 --json");
  EXPECT_EQ(damped.status, 0);
  EXPECT_NE(damped.err.find("damping of 0.02"), std::string::npos) << damped.err;
  EXPECT_TRUE(json::parse(damped.out)["damped"].get<bool>());
}

// The same model by two commands; along a motion each row is that of its state.
TEST_F(ControlCli, LinearizesInCartesianCoordinatesAndAlongAMotion) {
  ASSERT_EQ(run("trajectory ur5 --from 0,-1,1,0,1,0 --to 0.5,-0.8,0.7,0.2,1.2,0 --time 1 --samples 3 -o m.csv").status,
            0);
  const json states = run_json("trajectory ur5 --from 0,-1,1,0,1,0 --to 0.5,-0.8,0.7,0.2,1.2,0 --time 1 --samples 3");
  const std::string middle =
      " ur5 --q " + list(states["q"][1]) + " --qd " + list(states["qd"][1]) + " --qdd " + list(states["qdd"][1]);
  const json cartesian = run_json("linearize" + middle + " --cartesian --coordinates rpy");
  const json other = run_json("cartesian" + middle + " --coordinates rpy --linearize");
  for (const char* key : {"D_hat", "V_hat", "P_hat", "J", "manipulability"})
    EXPECT_EQ(cartesian[key], other[key]) << key;
  EXPECT_FALSE(cartesian.contains("D_chi"));
  const json hats = run_json("linearize ur5 --trajectory m.csv --cartesian --coordinates rpy");
  ASSERT_EQ(hats["t"], (json{0.0, 0.5, 1.0}));
  const auto near = [](const json& a, const json& b) {
    const auto x = a.get<Matrix>(), y = b.get<Matrix>();
    ASSERT_EQ(x.size(), y.size());
    for (std::size_t i = 0; i < x.size(); ++i)
      for (std::size_t j = 0; j < x[i].size(); ++j) EXPECT_NEAR(x[i][j], y[i][j], 1e-9 * (1.0 + std::abs(y[i][j])));
  };
  near(hats["P_hat"][1], cartesian["P_hat"]);
  const json space = run_json("linearize" + middle + " --state-space --discrete 0.01");
  const json spaces = run_json("linearize ur5 --trajectory m.csv --state-space --discrete 0.01");
  near(spaces["A"][1], space["A"]);
  near(spaces["B"][1], space["B"]);
  near(run_json("linearize ur5 --trajectory m.csv")["V"][1], run_json("linearize" + middle)["V"]);
  ASSERT_EQ(run("linearize ur5 --trajectory m.csv --state-space -o ab.npz").status, 0);
  EXPECT_NE(refused("linearize ur5 --trajectory gone.csv --state-space").find("gone.csv"), std::string::npos);
  make("late.csv", "t,q1,q2,qd1,qd2,qdd1,qdd2\n0,0,0,0,0,0,0\nx,0,0,0,0,0,0\n");
  EXPECT_NE(run("linearize planar2r --trajectory late.csv --state-space").err.find("late.csv:3: column t: 'x'"),
            std::string::npos);
}

TEST_F(ControlCli, LinearizesByParameters) {
  const std::string at = " planar2r --q 0.3,0.7 --qd 0.5,-0.2 --qdd 1,2";
  const json by = run_json("linearize" + at + " --wrt parameters --parameters \"m2,fv1\"");
  EXPECT_EQ(by["parameters"], (json{"m2", "fv1"}));
  const auto Y = run_json("regressor" + at)["Y"].get<Matrix>();
  for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(by["dtau"][i][0].get<double>(), Y[i][parameters_per_joint]);
  EXPECT_EQ(by["dtau"][0][1].get<double>(), 0.5);
  EXPECT_EQ(run("linearize" + at + " --wrt parameters").status, 0);
  ASSERT_EQ(run("simulate planar2r --q 0.3,0.7 --torque constant --tau 1,0.2 --time 0.5 -o run.csv").status, 0);
  const json along = run_json("linearize planar2r --trajectory run.csv --wrt parameters --parameters m2");
  EXPECT_EQ(along["dq"].size(), 101u);
  EXPECT_EQ(along["dq"][0], (json{{0.0}, {0.0}}));
  EXPECT_GT(std::abs(along["dqd"][100][0][0].get<double>()), 0.01);
  EXPECT_NE(refused("linearize planar2r --wrt parameters --parameters m22").find("no parameter 'm22'"),
            std::string::npos);
  refused("linearize planar2r --wrt parameters --cartesian");
}

// Saha's Stanford arm with a load that the controller does not know, along his trajectory.
TEST_F(ControlCli, FollowsAMotionWithEveryLaw) {
  const std::string moved =
      "simulate stanford --via \"0,90,0,0,0,0;60,60,0.1,60,60,60\" --deg --profile cycloid --time 10 "
      "--q 1,91,0.01,1,1,1 --rtol 1e-6 --atol 1e-8 --samples 51 ";
  const auto error = [&](const std::string& more) {
    return run_json(moved + more)["tracking_error"]["rms"].get<double>();
  };
  const double alone = error("--torque feedforward --kp 0 --kd 0");
  for (const char* law : {"pd", "pd-gravity", "computed", "feedforward", "lqr"})
    EXPECT_LT(10.0 * error(std::string("--torque ") + law), alone) << law;
  // Without an error in the model or at the start the reference is the motion.
  const std::string exact = "simulate ur5 --to 1,-1,1,0,0.5,0 --time 1 --torque ";
  EXPECT_LT(run_json(exact + "computed")["tracking_error"]["largest"].get<double>(), 1e-8);
  EXPECT_LT(run_json(exact + "lqr")["tracking_error"]["largest"].get<double>(), 1e-8);
  EXPECT_GT(run_json(exact + "computed --payload tool0:2,0,0,0.05 --controller-model ur5")["tracking_error"]["largest"]
                .get<double>(),
            1e-3);
  ASSERT_EQ(run("trajectory ur5 --to 1,-1,1,0,0.5,0 --time 1 -o m.csv").status, 0);
  EXPECT_LT(
      run_json("simulate ur5 --trajectory m.csv --time 1 --torque computed")["tracking_error"]["largest"].get<double>(),
      1e-8);
  EXPECT_NE(refused("simulate ur5 --time 1 --torque pd --controller-model panda").find("panda_joint1"),
            std::string::npos);
  refused("simulate ur5 --time 1 --controller-model ur5");
  refused("simulate ur5 --time 1 --torque pd --to 1,0,0,0,0,0 --target 1,0,0,0,0,0");
  refused("simulate ur5 --time 1 --torque zero --to 1,0,0,0,0,0");
  refused("simulate ur5 --time 1 --torque pd --from 1,0,0,0,0,0");
}

}  // namespace
}  // namespace catena::control_cli_test

// Inverse kinematics and Cartesian models through the program.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "support/program.hpp"

namespace catena {
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

}  // namespace
}  // namespace catena

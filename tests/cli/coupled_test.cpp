// Coupled joints through the program: q, columns and names are those of the joints that move by themselves.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "support/program.hpp"

namespace catena::coupled_cli_test {
namespace {

using nlohmann::json;

// A wrist, a finger that slides, one that copies it the other way, and a geared thumb that follows wrist and finger.
const std::string hand = R"(name = "hand"
convention = "frames"

[[link]]
name = "palm"
joint = "revolute"
joint_name = "wrist"
axis = [0, 1, 0]
mass = 1.0
com = [0, 0, 0.1]
inertia = [0.01, 0.01, 0.02]
limits = { lower = -2, upper = 2, velocity = 3, effort = 20 }

[[link]]
name = "left"
joint = "prismatic"
joint_name = "left_finger"
axis = [0, 1, 0]
xyz = [0, 0, 0.2]
mass = 0.2
com = [0, 0, 0.05]
inertia = [0.001, 0.001, 0.001]
limits = { lower = -0.1, upper = 0.1, velocity = 1, effort = 20 }

[[link]]
name = "right"
parent = "palm"
joint = "prismatic"
joint_name = "right_finger"
axis = [0, 1, 0]
xyz = [0, 0, 0.2]
mimic = { joint = "left_finger", multiplier = -2, offset = 0.01 }
mass = 0.2
com = [0, 0, 0.05]
inertia = [0.001, 0.001, 0.001]

[[link]]
name = "tip"
parent = "palm"
joint = "revolute"
joint_name = "thumb"
axis = [1, 0, 0]
xyz = [0, 0, 0.1]
coupling = { joints = { wrist = 0.5, left_finger = -3 } }
mass = 0.1
com = [0, 0, 0.05]
inertia = [0.001, 0.001, 0.001]
)";

class CoupledCli : public ProgramTest {
 protected:
  CoupledCli() { make("hand.toml", hand); }
};

auto lines(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }

const std::string state = " --q 0.3,0.05 --qd 0.4,-0.2";

TEST_F(CoupledCli, InfoListsTheJointsThatMoveByThemselves) {
  const json info = run_json("info hand.toml");
  EXPECT_EQ(info["dof"], 2);
  EXPECT_EQ(info["joints"], (json{"wrist", "left_finger"}));
  EXPECT_EQ(info["types"].size(), 2U);
  ASSERT_EQ(info["coupled"].size(), 2U);
  EXPECT_EQ(info["coupled"][0]["joint"], "right_finger");
  EXPECT_EQ(info["coupled"][0]["terms"], json::parse(R"([{"joint": "left_finger", "factor": -2.0}])"));
  EXPECT_EQ(info["coupled"][0]["offset"], 0.01);
  EXPECT_EQ(info["coupled"][1]["terms"].size(), 2U);
  EXPECT_EQ(info["tree"].size(), 4U);
  EXPECT_EQ(run_json("info ur5")["coupled"], json::array());
  const std::string text = run("info hand.toml").out;
  EXPECT_NE(text.find("hand: 2 joints"), std::string::npos) << text;
  EXPECT_NE(text.find("coupled  right_finger = -2 left_finger + 0.01\n"), std::string::npos) << text;
  EXPECT_NE(text.find("coupled  thumb = 0.5 wrist - 3 left_finger\n"), std::string::npos) << text;
}

TEST_F(CoupledCli, EveryJobHasTheLengthsOfQ) {
  EXPECT_EQ(run_json("bias hand.toml" + state)["b"].size(), 2U);
  EXPECT_EQ(run_json("gravity hand.toml --q 0.3,0.05")["g"].size(), 2U);
  EXPECT_EQ(run_json("factor hand.toml --q 0.3,0.05")["D"].size(), 2U);
  EXPECT_EQ(run_json("inertia hand.toml --q 0.3,0.05")["M"].size(), 2U);
  EXPECT_EQ(run_json("jacobian hand.toml --q 0.3,0.05")["J"][0].size(), 2U);
  const json tau = run_json("inverse hand.toml" + state + " --qdd 1,2")["tau"];
  ASSERT_EQ(tau.size(), 2U);
  const json qdd = run_json("forward hand.toml" + state + " --tau " + tau[0].dump() + "," + tau[1].dump())["qdd"];
  EXPECT_NEAR(qdd[0].get<double>(), 1.0, 1e-9);
  EXPECT_NEAR(qdd[1].get<double>(), 2.0, 1e-9);
  make("states.csv", "q1,q2,qd1,qd2,qdd1,qdd2\n0.3,0.05,0.4,-0.2,1,2\n");
  const Result table = run("inverse hand.toml --states states.csv");
  EXPECT_EQ(table.out.substr(0, table.out.find('\n')), "tau1,tau2") << table.err;
  EXPECT_EQ(run("simulate hand.toml --q 0.3,0.05 --time 0.1").status, 0);
  EXPECT_EQ(run("trajectory hand.toml --to 1,0.04 --time 1").status, 0);
}

// Where some formulations cannot, the others are compared, counted and searched.
TEST_F(CoupledCli, CountCompareAndGenerateTakeWhatTakesThem) {
  for (const std::string job : {"inverse", "forward", "inertia"}) {
    for (const std::string command : {"count", "compare"})
      EXPECT_EQ(run(command + " hand.toml --compute " + job).status, 0) << command << " " << job;
    EXPECT_EQ(run("generate hand.toml --compute " + job + " -o " + job + ".c").status, 0) << job;
  }
}

TEST_F(CoupledCli, ConvertKeepsCouplingsBothWays) {
  ASSERT_EQ(run("convert hand.toml -o hand.urdf").status, 0);
  ASSERT_EQ(run("convert hand.urdf -o again.toml").status, 0);
  EXPECT_EQ(run_json("info again.toml")["coupled"], run_json("info hand.toml")["coupled"]);
  const std::string urdf = contents(folder_ / "hand.urdf");
  EXPECT_NE(urdf.find(R"(<mimic joint="left_finger" multiplier="-2" offset="0.01"/>)"), std::string::npos) << urdf;
  EXPECT_NE(urdf.find(R"(<term joint="left_finger" factor="-3"/>)"), std::string::npos) << urdf;
  EXPECT_EQ(run_json("inverse again.toml" + state)["tau"].size(), 2U);
}

TEST_F(CoupledCli, LocksTakeFollowersAlong) {
  const Result one = run("info hand.toml --lock left_finger=0.02 --json");
  const json locked = json::parse(one.out);
  EXPECT_EQ(locked["joints"], json{"wrist"});
  ASSERT_EQ(locked["coupled"].size(), 1U);
  EXPECT_NEAR(locked["coupled"][0]["offset"].get<double>(), -0.06, 1e-15);
  EXPECT_NE(one.err.find("'right_finger': is coupled to 'left_finger', so that it is locked with it, at -0.03"),
            std::string::npos)
      << one.err;
  EXPECT_EQ(run_json("info hand.toml --lock thumb=0.2")["coupled"].size(), 1U);
  EXPECT_EQ(run("info hand.toml --lock right_finger=0.02").err, "");
}

TEST_F(CoupledCli, FollowersHaveNoNumbersAndNoMotorsOfTheirOwn) {
  EXPECT_EQ(refused("inverse hand.toml --q right_finger=1"),
            "catena: --q: joint 'right_finger' is coupled to 'left_finger' and follows it; it has no value of its own "
            "(see 'catena inverse --help')\n");
  EXPECT_EQ(refused("info hand.toml --passive thumb"),
            "catena: --passive: joint 'thumb' is coupled to 'wrist', 'left_finger'; only an independent joint can be "
            "passive (see 'catena info --help')\n");
  EXPECT_NE(refused("inverse hand.toml --q 1,2,3,4").find("takes 2 (wrist, left_finger)"), std::string::npos);
}

TEST_F(CoupledCli, AssembleKeepsAndRenamesThem) {
  const Result joined = run("assemble ur5 hand.toml --at tool0 -o both.toml");
  ASSERT_EQ(joined.status, 0) << joined.err;
  EXPECT_EQ(run_json("info both.toml")["dof"], 8);
  ASSERT_EQ(run("assemble hand.toml hand.toml --at palm --prefix b_ -o two.toml").status, 0);
  const json two = run_json("info two.toml");
  EXPECT_EQ(two["dof"], 4);
  EXPECT_EQ(two["coupled"][2]["terms"][0]["joint"], "b_left_finger");
}

TEST_F(CoupledCli, WhoCannotTakeThemSaysSo) {
  for (const std::string command : {"equations hand.toml", "links hand.toml", "denoc hand.toml",
                                    "simulate hand.toml --time 1 --event \"t=0.5 attach hand.toml at palm\""}) {
    const Result result = run(command);
    EXPECT_EQ(result.status, 2) << command << result.err;
    EXPECT_NE(result.err.find("coupled joints"), std::string::npos) << command << ": " << result.err;
    EXPECT_EQ(lines(result.err), 1) << command << ": " << result.err;
  }
  EXPECT_NE(refused("forward hand.toml --method denoc").find("does not take coupled joints"), std::string::npos);
}

TEST_F(CoupledCli, ASphericalJointNearItsSingularPoseIsNamed) {
  make("ball.toml",
       "convention = \"frames\"\n[[link]]\njoint = \"spherical\"\njoint_name = \"hip\"\nmass = 1\ncom = [0, 0, 0.1]\n"
       "inertia = [0.1, 0.1, 0.1]\n");
  EXPECT_EQ(run("gravity ball.toml --q 0,80,0 --deg").err, "");
  EXPECT_EQ(
      run("gravity ball.toml --q 0,-90,0 --deg").err,
      "catena: joint 'hip' is near its singular pose, hip_pitch = -1.5708: hip_yaw and hip_roll turn about nearly "
      "the same axis\n");
  ASSERT_EQ(run("convert ball.toml -o ball.urdf").status, 0);
  EXPECT_EQ(lines(run("gravity ball.urdf --q 0,90,0 --deg").err), 1);
}

}  // namespace
}  // namespace catena::coupled_cli_test

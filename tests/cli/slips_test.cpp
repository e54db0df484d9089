// Slips that people make every day, and what the program says to each: degrees for radians, grams for kilograms, a
// start away from the motion, spaces for commas, names that others use, a robot on which nothing moves.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "support/program.hpp"

namespace catena::slips_cli_test {
namespace {

using nlohmann::json;

class SlipsCli : public ProgramTest {
 protected:
  // One line on stderr that asks about degrees, and the result all the same.
  void expect_doubt(const std::string& arguments, const std::string& where) const {
    const Result result = run(arguments);
    EXPECT_EQ(result.status, 0) << arguments << result.err;
    EXPECT_EQ(result.err.find("catena: warning: " + where), 0U) << arguments << result.err;
    EXPECT_NE(result.err.find("degrees instead of radians? (--deg)"), std::string::npos) << result.err;
    EXPECT_EQ(result.err.find("degrees"), result.err.rfind("degrees")) << "asked twice: " << result.err;
    const Result strict = run(arguments + " --strict");
    EXPECT_EQ(strict.status, 2) << arguments;
    EXPECT_NE(strict.err.find("degrees instead of radians?"), std::string::npos) << strict.err;
  }
  void expect_no_doubt(const std::string& arguments) const {
    const Result result = run(arguments);
    EXPECT_EQ(result.status, 0) << arguments << result.err;
    EXPECT_EQ(result.err.find("degrees instead"), std::string::npos) << result.err;
  }
};

TEST_F(SlipsCli, PositionsInDegreesAreAskedAbout) {
  const std::string degrees = "0,-90,90,0,0,0";
  for (const char* command : {"inverse", "gravity", "inertia", "forward", "kinematics", "linearize", "energy", "static",
                              "links", "denoc", "regressor", "factor"})
    expect_doubt(std::string(command) + " ur5 --q " + degrees, "--q: joint 'shoulder_lift_joint' at -90 rad");
  expect_doubt("run ur5 --compute inverse,inertia --q " + degrees, "--q");
  expect_doubt("trajectory ur5 --to " + degrees + " --time 200", "--to");
  expect_doubt("trajectory ur5 --via '0,0,0,0,0,0;" + degrees + "' --time 200", "--via, point 2");
  expect_doubt("simulate ur5 --torque pd-gravity --kp 1 --target " + degrees + " --time 0.01", "--target");
  expect_doubt("inverse ur5 --floating-base --q 0,0,0,0,0,0,1," + degrees, "--q");
  expect_doubt("inverse ur5 --q elbow_joint=45", "--q: joint 'elbow_joint' at 45 rad");
  expect_no_doubt("inverse ur5 --q 0,-90,90,0,0,0 --deg");
  expect_no_doubt("inverse ur5 --q 0,-1.5,3.1,-6.2,0,0");
  expect_no_doubt("inverse planar2r --q 90,45");  // without limits nobody knows
  // Just beyond a limit is no slip of units: the joint is where it should not be, and that is for others to say.
  expect_no_doubt("inverse panda --q 0,0,0,0.5,0,0,0");
  expect_doubt("inverse panda --q 0,0,0,6.5,0,0,0", "--q: joint 'panda_joint4' at 6.5 rad");
}

TEST_F(SlipsCli, TablesInDegreesAreAskedAboutOnce) {
  make("t.csv", "t,q1,q2,q3,q4,q5,q6\n0,0,-1,1,0,0,0\n1,0,-90,90,0,0,0\n2,0,-90,90,0,0,0\n");
  expect_doubt("inverse ur5 --states t.csv", "t.csv:3: joint 'shoulder_lift_joint' at -90 rad");
  expect_no_doubt("inverse ur5 --states t.csv --deg");
  make("m.csv", "t,q1,q2,qd1,qd2,qdd1,qdd2\n0,0,0,0,0,0,0\n1,90,0,0,0,0,0\n");
  make("limited.toml",
       "name = \"limited\"\nconvention = \"classic\"\n[[link]]\njoint = \"revolute\"\na = 1.0\nmass = 1.0\ncom = "
       "[-0.5, 0, "
       "0]\ninertia = [0.01, 0.1, 0.1]\nlimits = { lower = -2, upper = 2 }\n[[link]]\njoint = \"revolute\"\na = "
       "1.0\nmass = "
       "1.0\ncom = [-0.5, 0, 0]\ninertia = [0.01, 0.1, 0.1]\n");
  expect_doubt("inverse limited.toml --trajectory m.csv", "m.csv:3: joint 'joint1' at 90 rad");
  ASSERT_EQ(run("trajectory limited.toml --to 90,1 --time 5 -o a.npy --quiet").status, 0);
  expect_doubt("run limited.toml --compute inverse --states a.npy --restart -o b.npy", "a.npy: row ");
}

TEST_F(SlipsCli, MassesInGramsAreAskedAbout) {
  const Result right = run("convert ur5 --to toml");
  ASSERT_EQ(right.status, 0) << right.err;
  std::string grams;
  for (std::size_t at = 0; at < right.out.size();) {
    const std::size_t end = std::min(right.out.find('\n', at), right.out.size());
    std::string line = right.out.substr(at, end - at);
    if (line.starts_with("mass = ")) line = "mass = " + std::to_string(1000.0 * std::stod(line.substr(7)));
    grams += line + "\n";
    at = end + 1;
  }
  make("right.toml", right.out);
  make("grams.toml", grams);
  EXPECT_EQ(run("check right.toml --strict").status, 0);
  const Result told = run("check grams.toml");
  EXPECT_NE((told.out + told.err).find("grams instead of kg?"), std::string::npos) << told.out << told.err;
  EXPECT_EQ(run("check grams.toml --strict").status, 2);
  for (const char* robot :
       {"planar2r", "planar3r", "stanford", "pelican", "pelican_crucible", "puma560", "panda", "iiwa14"})
    EXPECT_EQ((run(std::string("check ") + robot).out).find("grams"), std::string::npos) << robot;
}

TEST_F(SlipsCli, ARunAlongAMotionStartsOnIt) {
  const std::string motion = " --torque computed --time 0.5 --from 0.5,-1,1,0.2,0.3,-0.1 --to 1,-1,1,0,0,0";
  const json along = run_json("simulate ur5" + motion);
  EXPECT_EQ(along["q"][0], (std::vector<double>{0.5, -1, 1, 0.2, 0.3, -0.1}));
  EXPECT_LT(along["tracking_error"]["largest"].get<double>(), 1e-5);
  EXPECT_EQ(run("simulate ur5" + motion).err.find("away"), std::string::npos);
  const Result elsewhere = run("simulate ur5 --q 0.5,-1,1,0.2,0,-0.1" + motion);
  EXPECT_EQ(elsewhere.status, 0) << elsewhere.err;
  EXPECT_NE(elsewhere.err.find("the run does not start on the motion: wrist_2_joint is at 0, the motion starts at 0.3"),
            std::string::npos)
      << elsewhere.err;
  // A table may start in motion; so does the run.
  make("t.csv", "t,q1,q2,qd1,qd2,qdd1,qdd2\n0,0.4,0.1,1,-2,0,0\n1,1.4,-1.9,1,-2,0,0\n");
  const json table = run_json("simulate planar2r --torque computed --time 1 --trajectory t.csv");
  EXPECT_EQ(table["q"][0], (std::vector<double>{0.4, 0.1}));
  EXPECT_EQ(table["qd"][0], (std::vector<double>{1, -2}));
  EXPECT_LT(table["tracking_error"]["largest"].get<double>(), 1e-6);
  // What holds a place has no start of its own.
  EXPECT_EQ(run_json("simulate planar2r --torque computed --time 0.1 --target 1,1")["q"][0],
            (std::vector<double>{0, 0}));
}

TEST_F(SlipsCli, ACheckThatFailsSaysSoByItsStatus) {
  const std::string fast = "trajectory ur5 --to 1,1,1,1,1,1 --time 0.1 --check",
                    slow = "trajectory ur5 --to 1,-1,1,0,0,0 --time 4 --check";
  EXPECT_EQ(run(slow).status, 0);
  const Result failed = run(fast);
  EXPECT_EQ(failed.status, 1);
  EXPECT_NE(failed.out.find("first violation"), std::string::npos);
  EXPECT_EQ(failed.err, "catena: the motion does not respect the limits\n");
  EXPECT_EQ(run_json(fast, 1)["within_limits"], false);
  EXPECT_EQ(run(fast + " --scale-to-limits").status, 0);
  for (const char* option : {"--payload tool:1,0,0,0", "--friction elbow_joint:1", "--gravity 0,0,0"})
    EXPECT_NE(refused(std::string("trajectory ur5 --to 1,-1,1,0,0,0 --time 4 ") + option).find("goes with --check"),
              std::string::npos)
        << option;
  EXPECT_GT(run_json(slow + " --payload tool:20,0,0,0.5", 1)["violations"].size(), 0U);
}

TEST_F(SlipsCli, ToolIsAFrameEverywhere) {
  EXPECT_EQ(run("inverse ur5 --q 0,-1,1,0,0,0 --wrench tool:0,0,5,0,1,0").out,
            run("inverse ur5 --q 0,-1,1,0,0,0 --wrench tool0:0,0,5,0,1,0").out);
  for (const char* command : {"pose", "jacobian", "drift", "kinematics", "factor"})
    EXPECT_EQ(run(std::string(command) + " ur5 --q 0,-1,1,0,0,0 --frame tool").out,
              run(std::string(command) + " ur5 --q 0,-1,1,0,0,0 --frame tool0").out)
        << command;
  EXPECT_EQ(run("simulate ur5 --time 0.1 --wrench tool:0,0,5,0,1,0").out,
            run("simulate ur5 --time 0.1 --wrench tool0:0,0,5,0,1,0").out);
  EXPECT_EQ(run("simulate ur5 --time 1 --event frame:tool:0,0,-1,0.2:stop").out,
            run("simulate ur5 --time 1 --event frame:tool0:0,0,-1,0.2:stop").out);
  EXPECT_NE(refused("pose ur5 --frame tol").find("no frame 'tol'"), std::string::npos);
}

TEST_F(SlipsCli, NamesThatOthersUse) {
  const std::vector<std::pair<std::string, std::string>> meant{
      {"inv ur5", "'inverse'"},
      {"rnea ur5", "'inverse'"},
      {"crba ur5", "'inertia'"},
      {"aba ur5", "'forward'"},
      {"ik ur5", "'kinematics'"},
      {"inverse ur5 --method newton-euler", "'luh-walker-paul'"},
      {"inverse ur5 --method rnea", "'luh-walker-paul'"},
      {"inertia ur5 --method crba", "'walker-orin'"},
      {"forward ur5 --method aba", "'articulated-body'"},
      {"simulate ur5 --time 1 --torque impedence", "'impedance'"},
      {"simulate ur5 --time 1 --torque computed-torque", "'computed'"},
      {"run ur5 --compute crba", "'inertia'"}};
  for (const auto& [typed, here] : meant)
    EXPECT_NE(refused(typed).find("; did you mean " + here + "?"), std::string::npos)
        << typed << ": " << refused(typed);
  EXPECT_NE(refused("inverse ur5 --method nothing-like-it").find("known: uicker-kahn"), std::string::npos);
}

TEST_F(SlipsCli, NumbersWithSpaces) {
  for (const char* typed :
       {"inverse ur5 --q 0 -1 1 0 0 0", "inverse ur5 --q 0 1 1 0 0 0", "inverse ur5 --q 0, -1, 1, 0, 0, 0"})
    EXPECT_NE(refused(typed).find("with commas and no spaces"), std::string::npos) << typed;
}

TEST_F(SlipsCli, FrictionIsTyped) {
  const auto torque = [&](const std::string& more) {
    return run_json("inverse ur5 --q 0,-1,1,0,0,0 --qd 0,0,2,0,0,0 " + more)["tau"][2].get<double>();
  };
  const double without = torque("");
  EXPECT_NEAR(torque("--friction elbow_joint:1.5") - without, 3.0, 1e-12);
  EXPECT_NEAR(torque("--friction elbow_joint:1.5,4") - without, 7.0, 1e-12);
  EXPECT_NEAR(torque("--friction elbow_joint:1.5,4 --friction wrist_1_joint:9") - without, 7.0, 1e-12);
  EXPECT_NEAR(torque("--friction elbow_joint:1.5,4 --rigid") - without, 0.0, 1e-12);
  EXPECT_NE(
      run("convert ur5 --to toml --friction elbow_joint:1.5,4").out.find("friction = { viscous = 1.5, coulomb = 4"),
      std::string::npos);
  EXPECT_NE(refused("inverse ur5 --friction elbow_joint").find("JOINT:viscous"), std::string::npos);
  EXPECT_NE(refused("inverse ur5 --friction elbow_joint:-1").find("0 or more"), std::string::npos);
  EXPECT_NE(refused("inverse ur5 --friction elbow_joint:1,2,3").find("JOINT:viscous"), std::string::npos);
  EXPECT_NE(refused("inverse ur5 --friction elbo_joint:1").find("'elbow_joint'"), std::string::npos);
  EXPECT_NE(refused("inverse ur5 --lock elbow_joint=1 --friction elbow_joint:1").find("no moving joint"),
            std::string::npos);
}

TEST_F(SlipsCli, MeshesThatAreMissingAreTold) {
  make("arm.urdf",
       "<robot name=\"arm\"><link name=\"base\"/><link name=\"a\"><inertial><mass value=\"1\"/><inertia ixx=\"1\" "
       "iyy=\"1\" "
       "izz=\"1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial><visual><geometry><mesh "
       "filename=\"package://gone/a.stl\"/></geometry></visual><visual><geometry><mesh "
       "filename=\"package://gone/b.stl\"/></geometry></visual></link><joint name=\"j\" type=\"continuous\"><parent "
       "link=\"base\"/><child link=\"a\"/></joint></robot>");
  make("page.html", "<script id=\"catena-engine\"></script><!--catena-data-->");
  const Result told = shell("CATENA_PAGE=page.html \"$CATENA\" report arm.urdf -o r.html");
  EXPECT_EQ(told.status, 0) << told.err;
  EXPECT_NE(told.err.find("a.stl of link 'a': the file was not found (and 1 more)"), std::string::npos) << told.err;
}

TEST_F(SlipsCli, CountsSayWhoCounted) {
  EXPECT_NE(run("methods --compute inverse").out.find("the source's own count"), std::string::npos);
  EXPECT_NE(run("count --n 2").out.find("'catena methods' has the published\ncosts"), std::string::npos);
}

TEST_F(SlipsCli, WhatAFreeBaseIsNotTakenByIsNamed) {
  make("t.csv", "t,q1,q2\n");
  EXPECT_EQ(refused("identify ur5 --floating-base --states t.csv"),
            "catena: robot 'UR5' has a free base, which identification does not support\n");
  EXPECT_EQ(refused("filter ur5 --floating-base --log t.csv"),
            "catena: robot 'UR5' has a free base, which filtering logs does not support\n");
  EXPECT_EQ(
      refused("simulate ur5 --floating-base --torque lqr --time 1"),
      "catena: robot 'UR5' has a free base, which state-space models do not support (see 'catena simulate --help')\n");
}

// Every command takes a robot on which nothing moves: a result without joints, or one line that says that there is
// nothing to do.
// What a robot without a moving joint can be asked.
const std::vector<std::string> done_at_rest{"info",
                                            "check",
                                            "convert --to urdf",
                                            "convert --to dh",
                                            "info --dh",
                                            "kinematics",
                                            "kinematics --solve 0,0,0",
                                            "inverse",
                                            "gravity",
                                            "inertia",
                                            "bias",
                                            "coriolis",
                                            "factor --inverse",
                                            "forward",
                                            "hybrid",
                                            "pose",
                                            "place",
                                            "loop_forces",
                                            "jacobian",
                                            "drift",
                                            "energy",
                                            "linearize",
                                            "linearize --state-space",
                                            "linearize --state-space --discrete 0.01",
                                            "damping",
                                            "stiffness",
                                            "response",
                                            "inverse_inertia",
                                            "regressor",
                                            "regressor --parameters",
                                            "regressor --base",
                                            "links",
                                            "denoc",
                                            "static",
                                            "curvature",
                                            "response_curvature",
                                            "inverse_two",
                                            "regressor_two",
                                            "observer",
                                            "run --compute inverse,response",
                                            "count",
                                            "compare",
                                            "generate --compute inverse,response -o g.c --force",
                                            "equations",
                                            "inverse --engine compiled",
                                            "assemble ur5 --at link1 -o both.toml --force"};

TEST_F(SlipsCli, NothingMoves) {
  make("still.toml",
       "name = \"still\"\nconvention = \"frames\"\n[[link]]\njoint = \"fixed\"\nmass = 1.0\n"
       "com = [0.1, 0, 0]\ninertia = [0.01, 0.01, 0.01]\n");
  make("t.csv", "t\n0\n1\n");
  std::set<std::string> tried{"report",  "gpu",        "jobs", "laws",
                              "methods", "completion", "help"};  // the page, and no robot
  for (const std::string& command : done_at_rest) {
    const std::size_t space = std::min(command.find(' '), command.size());
    tried.insert(command.substr(0, space));
    const Result result = run(command.substr(0, space) + " still.toml" + command.substr(space));
    EXPECT_EQ(result.status, 0) << command << ": " << result.err;
    EXPECT_EQ(result.out.find("nan"), std::string::npos) << command;
  }
  const std::vector<std::string> refusing{"inverse still.toml --states t.csv",
                                          "inverse still.toml --to 1 --time 1",
                                          "linearize still.toml --state-space --lqr",
                                          "equilibrium still.toml",
                                          "trajectory still.toml --to 1 --time 1",
                                          "simulate still.toml --time 1",
                                          "hash still.toml",
                                          "excite still.toml --time 1",
                                          "calibrate still.toml --poses t.csv",
                                          "identify still.toml --states t.csv",
                                          "filter still.toml --log t.csv",
                                          "cartesian still.toml",
                                          "momentum still.toml",
                                          "centroidal still.toml"};
  for (const std::string& command : refusing) {
    tried.insert(command.substr(0, command.find(' ')));
    const Result result = run(command);
    EXPECT_TRUE(result.status == 1 || result.status == 2) << command << result.status;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << command << ": " << result.err;
  }
  for (const std::string& command : commands()) EXPECT_TRUE(tried.contains(command)) << command;
}

}  // namespace
}  // namespace catena::slips_cli_test

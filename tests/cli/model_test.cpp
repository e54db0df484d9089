// MODEL and its options, joints by name, standard input and warnings: what every command shares.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "support/program.hpp"
#include "support/tolerances.hpp"

namespace catena::model_cli_test {
namespace {

using json = nlohmann::json;
using Values = std::vector<double>;
using test::near;
using test::relative;

const std::string models = std::string(CATENA_SOURCE_DIR) + "/models/";
const std::string wild = std::string(CATENA_SOURCE_DIR) + "/tests/data/wild/";

class ModelCli : public ProgramTest {
 protected:
  Values tau(const std::string& arguments) const { return run_json("inverse " + arguments)["tau"]; }
  static int lines(const std::string& text) { return static_cast<int>(std::count(text.begin(), text.end(), '\n')); }
};

// --- every command that takes a MODEL ---

// Commands with what they need beside a MODEL of two joints; those that are missing here take none.
TEST_F(ModelCli, EveryCommandThatTakesAModelTakesItsOptions) {
  const Result help = run("--help");
  std::vector<std::string> commands;
  std::size_t at = help.out.find("Commands:\n");
  ASSERT_NE(at, std::string::npos);
  for (at = help.out.find('\n', at) + 1; help.out.compare(at, 2, "  ") == 0; at = help.out.find('\n', at) + 1)
    if (help.out[at + 2] != ' ') commands.push_back(help.out.substr(at + 2, help.out.find(' ', at + 2) - at - 2));
  int found = 0;
  for (const std::string& command : commands) {
    const std::string own = run(command + " --help").out;
    EXPECT_NE(own.find("--quiet"), std::string::npos) << command;
    if (own.find("MODEL") == std::string::npos) continue;
    ++found;
    for (const char* option : {"--strict", "--lenient", "--xacro NAME:=VALUE", "--package-path DIR",
                               "--lock JOINT=X,...", "--payload FRAME:mass,cx,cy,cz"})
      EXPECT_NE(own.find(option), std::string::npos) << command << " " << option;
  }
  EXPECT_GE(found, 18);
}

// --- locked joints ---

TEST_F(ModelCli, ALockedRobotHasFewerJoints) {
  const json info = run_json("info panda --lock panda_joint3=0.2,panda_joint7=-0.5 --lock panda_joint1=0");
  EXPECT_EQ(info["dof"], 4);
  EXPECT_EQ(info["tool"], "panda_link8");
  const Values whole = tau("panda --q 0,0.1,0.2,-1,0.3,1,-0.5 --qd 0,1,0,1,1,1,0 --qdd 0,1,0,2,1,1,0");
  const Values some =
      tau("panda --q 0.1,-1,0.3,1 --qd 1,1,1,1 --qdd 1,2,1,1 --lock panda_joint1=0,panda_joint3=0.2,panda_joint7=-0.5");
  EXPECT_TRUE(near(some, {whole[1], whole[3], whole[4], whole[5]}, relative(1e-12)));
}

TEST_F(ModelCli, LocksAreInDegreesWhereAllIs) {
  const Values degrees = tau("ur5 --deg --q 10,20,30,40,50 --lock wrist_3_joint=90");
  const Values radians = tau("ur5 --deg --q 10,20,30,40,50,90");
  EXPECT_TRUE(near(degrees, {radians.begin(), radians.end() - 1}, relative(1e-12)));
  // The prismatic joint of the Stanford arm stays in metres.
  EXPECT_EQ(tau("stanford --deg --q 10,20,30,40,50 --lock joint3=0.5").size(), 5U);
}

TEST_F(ModelCli, LocksThatCannotBeAreRefused) {
  EXPECT_NE(refused("info ur5 --lock wrist_3_jont=1")
                .find("--lock: no moving joint 'wrist_3_jont'; did you mean 'wrist_3_joint'?"),
            std::string::npos);
  EXPECT_NE(refused("info ur5 --lock wrist_3_joint").find("'wrist_3_joint' does not name a joint"), std::string::npos);
  EXPECT_NE(refused("info ur5 --lock wrist_3_joint=x").find("'x' is not a number"), std::string::npos);
  EXPECT_NE(refused("info ur5 --lock wrist_3_joint=1,wrist_3_joint=1").find("is given twice"), std::string::npos);
  EXPECT_NE(refused("info planar2r --lock joint1=1,joint2=1").find("no joint of planar 2R is left to move"),
            std::string::npos);
  EXPECT_NE(refused("count --n 3 --lock joint1=0").find("--lock goes with a MODEL"), std::string::npos);
  EXPECT_NE(refused("info " + wild + "quill6.urdf --lock flange-tool0=1").find("joint 'flange-tool0' is fixed already"),
            std::string::npos);
}

TEST_F(ModelCli, ALockOutsideTheLimitsIsAWarning) {
  const Result result = run("gravity ur5 --lock elbow_joint=7");
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(lines(result.err), 1) << result.err;
  EXPECT_NE(result.err.find("joint 'elbow_joint': locked at 7, outside its limits"), std::string::npos);
  EXPECT_EQ(run("gravity ur5 --lock elbow_joint=7 --strict").status, 2);
  EXPECT_EQ(run("gravity ur5 --lock elbow_joint=1 --strict").err, "");
}

TEST_F(ModelCli, AMimicFollowsWhatIsLocked) {
  const std::string hand = wild + "heron_torso.urdf";
  const Result result = run("info " + hand + " --lock left_l_finger_joint=0.01 --json");
  EXPECT_EQ(json::parse(result.out)["dof"], 14);
  EXPECT_NE(result.err.find("'left_r_finger_joint': is coupled to 'left_l_finger_joint', so that it is locked with it"),
            std::string::npos)
      << result.err;
}

// --- payloads ---

TEST_F(ModelCli, APayloadIsAsGoodAsAModelWrittenByHand) {
  make("loaded.toml",
       contents(models + "panda.toml") +
           "\n[[link]]\nname = \"box\"\njoint = \"fixed\"\njoint_name = \"grip\"\nparent = \"panda_link7\"\n"
           "xyz = [0.0, 0.0, 0.107]\nmass = 1.5\ncom = [0.01, -0.02, 0.1]\n"
           "inertia = [0.011, 0.012, 0.013, 0.001, -0.002, 0.003]\n");
  const std::string state = " --q 0.1,-0.2,0.3,-1.4,0.5,1.6,0.7 --qd 1,2,-1,1,0.5,1,2 --qdd 1,-2,3,1,2,-1,3";
  const Values by_hand = tau("loaded.toml" + state);
  const std::string numbers = "1.5,0.01,-0.02,0.1,0.011,0.012,0.013,0.001,-0.002,0.003";
  for (const char* where : {"panda_link8", "tool"})
    EXPECT_TRUE(near(tau("panda" + state + " --payload " + where + ":" + numbers), by_hand, relative(1e-12))) << where;
  EXPECT_GT(std::abs(tau("panda" + state)[1] - by_hand[1]), 1.0);
  EXPECT_NEAR(run_json("info panda --payload tool:1.5,0,0,0.1 --payload panda_link5:0.5,0,0,0")["mass"].get<double>(),
              run_json("info panda")["mass"].get<double>() + 2.0, 1e-12);
  // A file written with it has it.
  EXPECT_EQ(run("convert panda -o own.toml --payload tool:" + numbers).status, 0);
  EXPECT_TRUE(near(tau("own.toml" + state), by_hand, relative(1e-12)));
}

TEST_F(ModelCli, PayloadsThatCannotBeAreRefused) {
  EXPECT_NE(refused("info ur5 --payload tool_0:1,0,0,0").find("did you mean 'tool0'?"), std::string::npos);
  EXPECT_NE(refused("info ur5 --payload 1,0,0,0").find("write FRAME:mass"), std::string::npos);
  EXPECT_NE(refused("info ur5 --payload tool0:1,0,0").find("has 3 numbers"), std::string::npos);
  EXPECT_NE(refused("info ur5 --payload tool0:-1,0,0,0").find("must not be negative"), std::string::npos);
  EXPECT_NE(refused("info ur5 --payload tool0:1,0,0,0,1,1,-1").find("not positive semidefinite"), std::string::npos);
}

// --- joints by name ---

TEST_F(ModelCli, JointsMayBeNamed) {
  EXPECT_EQ(tau("ur5 --q elbow_joint=0.5,shoulder_lift_joint=-1 --qd wrist_3_joint=2"),
            tau("ur5 --q 0,-1,0.5,0,0,0 --qd 0,0,0,0,0,2"));
  EXPECT_EQ(tau("ur5 --deg --q elbow_joint=30"), tau("ur5 --deg --q 0,0,30,0,0,0"));
  EXPECT_EQ(tau("stanford --deg --q 'joint3=0.5, joint2=90'"), tau("stanford --deg --q 0,90,0.5,0,0,0"));
  EXPECT_EQ(run_json("forward ur5 --tau elbow_joint=3")["qdd"], run_json("forward ur5 --tau 0,0,3,0,0,0")["qdd"]);
  EXPECT_EQ(run("trajectory ur5 --to elbow_joint=1 --time 1").out, run("trajectory ur5 --to 0,0,1,0,0,0 --time 1").out);
  EXPECT_EQ(run("trajectory planar2r --via 'joint1=1;joint2=1' --time 1").out,
            run("trajectory planar2r --via '1,0;0,1' --time 1").out);
  EXPECT_EQ(run("kinematics ur5 --q elbow_joint=1").out, run("kinematics ur5 --q 0,0,1,0,0,0").out);
  EXPECT_EQ(run("simulate planar2r --q joint2=1 --time 0.1").out, run("simulate planar2r --q 0,1 --time 0.1").out);
  EXPECT_EQ(run("trajectory planar2r --to 1,1 --accelerations 2 --speeds joint1=1,joint2=2 --check").out,
            run("trajectory planar2r --to 1,1 --accelerations joint1=2,joint2=2 --speeds 1,2 --check").out);
}

TEST_F(ModelCli, NamesThatCannotBeAreRefused) {
  EXPECT_NE(refused("inverse ur5 --q elbow_joint=0.5,1").find("--q: '1' does not name a joint"), std::string::npos);
  EXPECT_NE(refused("inverse ur5 --q elbo_joint=0.5").find("did you mean 'elbow_joint'?"), std::string::npos);
  EXPECT_NE(refused("inverse ur5 --qd elbow_joint=1,elbow_joint=1").find("--qd: joint 'elbow_joint' is given twice"),
            std::string::npos);
  EXPECT_NE(refused("inverse ur5 --q elbow_joint=").find("--q: '' is not a number"), std::string::npos);
}

TEST_F(ModelCli, TablesMayNameJoints) {
  make("numbered.csv", "t,q1,q2,qd1,qd2\n0,0.1,0.2,0.3,0.4\n1,0.5,0.6,0.7,0.8\n");
  make("named.csv", "t,qd:joint2,q:joint2,q:joint1,qd:joint1\n0,0.4,0.2,0.1,0.3\n1,0.8,0.6,0.5,0.7\n");
  const std::string numbered = run("inverse planar2r --states numbered.csv").out;
  std::string expected = numbered;
  EXPECT_EQ(expected.substr(0, 12), "t,tau1,tau2\n");
  expected.replace(0, 12, "t,tau:joint1,tau:joint2\n");
  const Result named = run("inverse planar2r --states named.csv");
  EXPECT_EQ(named.out, expected) << named.err;
  // What comes out goes in again: results of an earlier run are left out by either name.
  make("again.csv", "q:joint1,q:joint2,tau:joint1\n0.1,0.2,7\n");
  EXPECT_EQ(run("inverse planar2r --states again.csv").out.substr(0, 22), "tau:joint1,tau:joint2\n");
  make("motion.csv", "t,q:joint1,q:joint2,qd:joint1,qd:joint2,qdd:joint1,qdd:joint2\n0,0,0,0,0,0,0\n1,1,1,0,0,0,0\n");
  EXPECT_EQ(run("inverse planar2r --trajectory motion.csv").out.substr(0, 24), "t,tau:joint1,tau:joint2\n");
  make("mixed.csv", "q1,q:joint2\n0,0\n");
  EXPECT_NE(refused("inverse planar2r --states mixed.csv").find("by joints (q:joint1) or by numbers (q1), not both"),
            std::string::npos);
  make("wrong.csv", "q:joint1,q:jont2\n0,0\n");
  EXPECT_NE(
      refused("inverse planar2r --states wrong.csv").find("wrong.csv:1: column 'q:jont2': the robot has no joint"),
      std::string::npos);
  make("half.csv", "q:joint1\n0\n");
  EXPECT_NE(refused("inverse planar2r --states half.csv").find("the header has no column q:joint2"), std::string::npos);
}

// --- standard input ---

TEST_F(ModelCli, AModelMayComeFromAPipe) {
  for (const char* format : {"toml", "urdf"})
    EXPECT_EQ(
        shell(std::string("\"$CATENA\" convert ur5 --to ") + format + " | \"$CATENA\" inverse - --q 1,1,1,1,1,1").out,
        run("inverse ur5 --q 1,1,1,1,1,1").out)
        << format;
  EXPECT_EQ(run("check - < " + models + "planar2r.toml").out, "<stdin>: OK: planar 2R, 2 joints, 2 kg\n");
  EXPECT_NE(refused("info - < " + models + "bad/indefinite_inertia.urdf").find("<stdin>:4: link 1 'upper': "),
            std::string::npos);
  EXPECT_NE(refused("info - < /dev/null").find("<stdin>:1: the file is empty"), std::string::npos);
}

TEST_F(ModelCli, StandardInputIsReadOnce) {
  const std::string text = "would both read standard input";
  EXPECT_NE(refused("inverse - --states - < " + models + "ur5.toml").find(text), std::string::npos);
  EXPECT_NE(refused("inverse - --trajectory - < " + models + "ur5.toml").find(text), std::string::npos);
  EXPECT_NE(refused("check - - < " + models + "ur5.toml").find(text), std::string::npos);
}

// --- warnings ---

TEST_F(ModelCli, WarningsGoToStderrOnce) {
  const std::string model = models + "bad/warn_triangle.toml";
  for (const char* command : {"info ", "check ", "gravity ", "kinematics "}) {
    const Result result = run(command + model);
    EXPECT_EQ(result.out.find("violate the triangle"), std::string::npos) << result.out;
    EXPECT_EQ(lines(result.err), 1) << result.err;
  }
  EXPECT_NE(run("check " + model).out.find(", 1 warning\n"), std::string::npos);
}

TEST_F(ModelCli, CheckNotesWhatIsNotUsed) {
  const std::string file = "arm.xml";
  make(file,
       "<mujoco>\n<worldbody>\n<body><joint/>\n<geom size='1' mass='1' rgba='1 0 0 "
       "1'/></body></worldbody>\n<sensor/></mujoco>\n");
  const std::string end = ": not used, which does not change the results\n";
  EXPECT_EQ(run("check " + file).err, file + ":4: note: <geom> rgba" + end + file + ":5: note: <sensor>" + end);
  EXPECT_EQ(run("check --quiet " + file).err, "");
  EXPECT_EQ(run("info " + file).err, "");
  EXPECT_NE(run("check --quiet --json " + file).out.find("\"notes\": [\"" + file + ":4: note: "), std::string::npos);
}

TEST_F(ModelCli, TenOfAKindAreOneLine) {
  const std::string hand = wild + "sprig_hand.urdf";
  const Result result = run("gravity " + hand);
  EXPECT_EQ(lines(result.err), 1) << result.err;
  EXPECT_NE(result.err.find("triangle inequality"), std::string::npos);
  EXPECT_NE(result.err.find(" … and 12 more like it: link "), std::string::npos) << result.err;
  EXPECT_EQ(run_json("info " + hand)["warnings"].size(), 13U);  // a program gets them all
}

TEST_F(ModelCli, QuietLeavesErrorsOnly) {
  const std::string model = models + "bad/warn_triangle.toml";
  for (const std::string& line :
       {"--quiet gravity " + model, "gravity --quiet " + model, "gravity " + model + " --quiet"}) {
    const Result result = run(line);
    EXPECT_EQ(result.err, "") << line;
    EXPECT_EQ(result.out, run("gravity " + model).out);
  }
  EXPECT_EQ(run("inverse ur5 --to 1,1,1,1,1,1 --time 1 --snap 1e-6 --quiet").err, "");
  EXPECT_EQ(run("simulate planar2r --time 0.1 --quiet").err, "");
  EXPECT_NE(refused("--quiet gravity " + models + "bad/negative_mass.toml").find("negative"), std::string::npos);
  EXPECT_NE(refused("gravity --quiet ur5 --q 1").find("--q has 1 number"), std::string::npos);
}

// --- lenient ---

TEST_F(ModelCli, LenientTakesInertiaAsWritten) {
  const std::string model = models + "bad/indefinite_inertia.urdf";
  EXPECT_NE(refused("gravity " + model).find("--lenient"), std::string::npos);
  const Result torque = run("inverse " + model + " --lenient --q 0.3 --qdd 1");
  EXPECT_EQ(torque.status, 0);
  EXPECT_EQ(lines(torque.err), 1);
  EXPECT_NE(torque.err.find("warning: link 1 'upper': "), std::string::npos) << torque.err;
  EXPECT_NE(refused("gravity --strict --lenient ur5").find("give either --strict or --lenient"), std::string::npos);
  make(
      "r.urdf",
      "<robot name='r'><link name='base'/><link name='thigh'><inertial><mass value='1'/><inertia ixx='0.01' iyy='0.01' "
      "izz='-0.02' ixy='0' ixz='0' iyz='0'/></inertial></link><joint name='hip' type='continuous'><parent "
      "link='base'/><child link='thigh'/><axis xyz='0 0 1'/></joint></robot>");
  EXPECT_EQ(run_json("inverse r.urdf --lenient --qdd 2")["tau"][0], -0.04);
  const std::string refusal = refused("forward r.urdf --lenient --quiet", 1);
  EXPECT_NE(refusal.find("joint 'hip': the inertia matrix is not positive definite (pivot -0.02)"), std::string::npos)
      << refusal;
}

TEST_F(ModelCli, ASingleJointIsNotTalkedOfAsOneOfMany) {
  make(
      "rod.urdf",
      "<robot name='r'><link name='base'/><link name='rod'><inertial><origin xyz='0 0 1'/><mass value='1'/><inertia "
      "ixx='0' iyy='0' izz='0' ixy='0' ixz='0' iyz='0'/></inertial></link><joint name='spin' type='continuous'><parent "
      "link='base'/><child link='rod'/><axis xyz='0 0 1'/></joint></robot>");
  const std::string refusal = refused("forward rod.urdf", 1);
  EXPECT_NE(refusal.find("joint 'spin': the inertia matrix is singular: what this joint moves has no inertia about its "
                         "axis, and there is no rotor"),
            std::string::npos)
      << refusal;
}

// --- convert ---

TEST_F(ModelCli, ConvertKeepsTheTool) {
  for (const char* file : {"quill6", "carousel7", "heron_torso", "ladle3", "lintel_gantry", "sprig_hand"}) {
    const std::string model = wild + file + ".urdf";
    const std::string tool = run_json("info " + model)["tool"];
    for (const char* format : {"toml", "urdf", "mjcf"}) {
      const std::string out = std::string(file) + "." + format;
      if (out == "ladle3.mjcf" || out == "sprig_hand.mjcf") continue;  // their inertias are those of no body
      EXPECT_EQ(run("convert --quiet " + model + " -o " + out).status, 0);
      EXPECT_EQ(run_json("info " + out)["tool"], tool) << out;
    }
  }
}

// --- Denavit-Hartenberg rows ---

TEST_F(ModelCli, RowsOfAnyFileAreTheSameRobot) {
  const std::vector<std::string> robots{"ur5", "iiwa14", wild + "quill6.urdf", wild + "carousel7.urdf",
                                        wild + "sprig_hand.urdf"};
  for (const std::string& model : robots)
    for (const char* convention : {"classic", "modified"}) {
      const Result made = run("convert --quiet " + model + " --to dh --convention " + convention + " > rows.toml");
      ASSERT_EQ(made.status, 0) << made.err;
      EXPECT_NE(contents(folder_ / "rows.toml").find(std::string("convention = \"") + convention), std::string::npos);
      const json before = run_json("info " + model), after = run_json("info rows.toml");
      EXPECT_EQ(before["tool"], after["tool"]) << model;
      EXPECT_EQ(before["joints"], after["joints"]) << model;
      std::string q = "0.3";
      for (std::size_t k = 1; k < before["joints"].size(); ++k) q += ",0.3";
      const json pose = run_json("pose " + model + " --q " + q)["T"], again = run_json("pose rows.toml --q " + q)["T"];
      for (std::size_t k = 0; k < 3; ++k) EXPECT_TRUE(near(Values(pose[k]), Values(again[k]), 1.0, relative(1e-12)));
      EXPECT_TRUE(
          near(tau(model + " --q " + q + " --qd " + q), tau("rows.toml --q " + q + " --qd " + q), relative(1e-12)))
          << model;
    }
}

TEST_F(ModelCli, ATableOfRows) {
  const std::string text = run("info panda --dh --convention modified").out;
  EXPECT_NE(text.find("panda_joint5  revolute     q5  0.384  -0.0825   -90°\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\ntool panda_link8 on link panda_link7: xyz 0 0 0.107, rpy 0° 0° 0°\n"), std::string::npos)
      << text;
  EXPECT_NE(run("info stanford --dh").out.find("joint3  prismatic      0   q3  0      0\n"), std::string::npos);
  EXPECT_NE(run("info stanford --dh --format markdown").out.find("| joint4 | revolute | q4 | 0.6 | 0 | 90° |\n"),
            std::string::npos);
  EXPECT_NE(run("info ur5 --dh --format latex")
                .out.find("wrist\\_3\\_joint & revolute & $q_{6} + 180^\\circ$ & $0.0823$ & $0$ & $0$ \\\\\n"),
            std::string::npos);
  EXPECT_EQ(run("info planar2r --dh --format csv").out,
            "joint,type,theta,d,a,alpha\njoint1,revolute,0,0,1,0\njoint2,revolute,0,0,1,0\n"
            "# tool link2: the frame of that link\n");
  EXPECT_NE(run("info panda --dh --convention modified --format csv")
                .out.find("# tool panda_link8 on link panda_link7: xyz 0 0 0.107, rpy 0 0 0\n"),
            std::string::npos);
  const std::string tree = run("info gripper --dh --convention modified").out;  // branches, and joints that follow
  EXPECT_NE(tree.find("gamma  epsilon\n"), std::string::npos) << tree;
  EXPECT_NE(tree.find("q(right crank) + 45°"), std::string::npos) << tree;
  EXPECT_EQ(lines(refused("info ur5 --dh --json")), 1);
  EXPECT_NE(refused("info ur5 --dh --convention craig").find("classic,modified"), std::string::npos);
  EXPECT_NE(refused("info ur5 --dh --format html").find("text,markdown,latex,csv"), std::string::npos);
  EXPECT_NE(refused("convert ur5 --to toml --convention classic").find("--convention goes with --to dh"),
            std::string::npos);
  EXPECT_NE(refused("convert ur5 --to denavit").find("dh"), std::string::npos);
}

}  // namespace
}  // namespace catena::model_cli_test

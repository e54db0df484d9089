// The program as a person runs it: what it prints, where, and with which exit status.
#include <gtest/gtest.h>

#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "catena/catena.hpp"
#include "run/level.hpp"
#include "support/program.hpp"

namespace catena::cli_test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class Cli : public ProgramTest {};

const std::string models = std::string(CATENA_SOURCE_DIR) + "/models/";

std::vector<double> torques(const std::string& model, const std::vector<double>& q, const std::vector<double>& qd,
                            const std::vector<double>& qdd) {
  const Mechanism mechanism = make_mechanism(load_robot(find_model(model)));
  InverseDynamics<double> inverse(mechanism);
  std::vector<double> tau(q.size());
  inverse(q, qd, qdd, tau);
  return tau;
}

TEST_F(Cli, RunsAtTheLevelThatIsAskedFor) {
  EXPECT_NE(run("--version").out.find("instructions: " + std::string(level().name)), std::string::npos);
  const std::string inverse = " inverse ur5 --q 0,-1,1,0,0,0 --qd 1,1,1,1,1,1 --json";
  const auto torques = [](const Result& result) {
    return nlohmann::json::parse(result.out)["tau"].get<std::vector<double>>();
  };
  const std::vector<double> usual = torques(run(inverse));
  for (const Level& l : levels()) {
    const std::string asked = "CATENA_LEVEL=" + std::string(l.name) + " \"$CATENA\" ";
    const Result version = shell(asked + "--version"), result = shell(asked + inverse);
    EXPECT_EQ(version.status, l.runs_here ? 0 : 2);
    if (!l.runs_here) continue;
    EXPECT_NE(version.out.find("instructions: " + std::string(l.name) + "\n"), std::string::npos) << version.out;
    for (std::size_t j = 0; j < 6; ++j) EXPECT_NEAR(torques(result)[j], usual[j], 1e-12) << l.name;
  }
  const Result wrong = shell("CATENA_LEVEL=x87 \"$CATENA\"" + inverse);
  EXPECT_EQ(wrong.status, 2);
  EXPECT_EQ(wrong.out, "");
  EXPECT_EQ(wrong.err.find("catena: CATENA_LEVEL: there is no level 'x87'; this machine has baseline"), 0U)
      << wrong.err;
  EXPECT_EQ(std::count(wrong.err.begin(), wrong.err.end(), '\n'), 1) << wrong.err;
}

TEST_F(Cli, HelpAndVersion) {
  EXPECT_EQ(run("--version").out.substr(0, 7), "catena ");
  const Result help = run("--help");
  EXPECT_EQ(help.status, 0);
  for (const char* command :
       {"info", "check", "convert", "kinematics", "inverse", "equations", "methods", "completion"}) {
    EXPECT_NE(help.out.find(command), std::string::npos);
    const Result own = run(std::string(command) + " --help");
    EXPECT_EQ(own.status, 0);
    EXPECT_NE(own.out.find("Examples:\n  "), std::string::npos) << command;
    EXPECT_NE(own.out.find(std::string("Usage: catena ") + command), std::string::npos);
  }
  const Result nothing = run("");
  EXPECT_EQ(nothing.status, 2);
  EXPECT_EQ(nothing.out, "");
  EXPECT_NE(nothing.err.find("Usage:"), std::string::npos);
}

TEST_F(Cli, InfoAndCheckHaveTheSameKeys) {
  for (const char* command : {"info ", "check "}) {
    const json info = run_json(std::string(command) + "ur5");
    EXPECT_EQ(info["name"], "UR5");
    EXPECT_EQ(info["dof"], 6);
    EXPECT_EQ(info["joints"].size(), 6U);
    EXPECT_EQ(info["joints"][0], "shoulder_pan_joint");
    EXPECT_NEAR(info["mass"].get<double>(), 20.9939, 1e-12);
    EXPECT_TRUE(info["warnings"].empty());
  }
  EXPECT_EQ(run_json("check ur5 panda")["models"].size(), 2U);
  EXPECT_EQ(run("check ur5").out, "ur5: OK: UR5, 6 joints, 20.9939 kg\n");
  EXPECT_NE(run("info ur5").out.find("shoulder_lift_joint  revolute  shoulder_link"), std::string::npos);
}

TEST_F(Cli, WarningsAreSaidListedAndMadeErrorsByStrict) {
  const std::string model = models + "bad/warn_triangle.toml";
  const Result info = run("info " + model + " --json");
  EXPECT_EQ(info.status, 0);
  EXPECT_EQ(json::parse(info.out)["warnings"].size(), 1U);
  EXPECT_NE(info.err.find("warn_triangle.toml:5: "), std::string::npos);
  const Result inverse = run("inverse " + model + " --json");
  EXPECT_EQ(inverse.status, 0);
  EXPECT_EQ(inverse.err, info.err);
  EXPECT_NE(refused("inverse --strict " + model).find("triangle"), std::string::npos);
}

TEST_F(Cli, EveryProblemOfEveryFileIsReported) {
  const Result result = run("check ur5 " + models + "bad/several.toml " + models + "bad/negative_mass.toml");
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_NE(result.err.find("several.toml:10: "), std::string::npos);
  EXPECT_NE(result.err.find("several.toml:17: "), std::string::npos);
  EXPECT_NE(result.err.find("negative_mass.toml:9: "), std::string::npos);
}

TEST_F(Cli, NumbersMayStartWithAMinusAndUseDegrees) {
  const std::vector<double> zero(2, 0.0);
  const std::vector<double> expected = torques("planar2r", {-0.5, 0.25}, zero, zero);
  for (const char* q : {"--q -0.5,0.25", "--q=-0.5,0.25", "--q -.5,.25", "--q -5e-1,+2.5E-1", "--q ' -0.5, 0.25'"})
    EXPECT_EQ(run_json(std::string("inverse planar2r ") + q)["tau"].get<std::vector<double>>(), expected) << q;
  const std::vector<double> degrees = run_json("inverse planar2r --deg --q -90,45 --qd 180,0")["tau"];
  const std::vector<double> radians = torques("planar2r", {-M_PI / 2, M_PI / 4}, {M_PI, 0}, zero);
  for (std::size_t j = 0; j < 2; ++j) EXPECT_NEAR(degrees[j], radians[j], 1e-12);
  // A prismatic joint stays in metres: the third of the Stanford arm.
  const std::vector<double> none(6, 0.0);
  const std::vector<double> metres = run_json("inverse stanford --deg --q 0,90,0.5,0,0,0")["tau"];
  const std::vector<double> stanford = torques("stanford", {0, M_PI / 2, 0.5, 0, 0, 0}, none, none);
  for (std::size_t j = 0; j < 6; ++j) EXPECT_NEAR(metres[j], stanford[j], 1e-10);
}

TEST_F(Cli, JsonHas17DigitsAndReadsBackToTheSameBits) {
  const Result result = run("inverse planar2r --q 0.1,0.2 --qd 0.3,-0.4 --qdd 0.5,0.6 --json");
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(std::count(result.out.begin(), result.out.end(), '\n'), 1);
  EXPECT_EQ(json::parse(result.out)["tau"].get<std::vector<double>>(),
            torques("planar2r", {0.1, 0.2}, {0.3, -0.4}, {0.5, 0.6}));
  EXPECT_NE(run("kinematics planar2r --q 0.1,0 --json").out.find("0.99500416527802582"), std::string::npos);
}

TEST_F(Cli, EveryMethodAgrees) {
  const json listed = run_json("methods --compute inverse")["methods"];
  ASSERT_GE(listed.size(), 2U);
  const std::string state =
      "inverse panda --q 0.1,0.2,-0.3,-1,0.5,1,0 --qd 1,1,1,1,1,1,1 --qdd 0,1,0,1,0,1,0 --method ";
  const std::vector<double> reference = run_json(state + "luh-walker-paul")["tau"];
  for (const json& method : listed) {
    for (const char* key : {"name", "computes", "source", "equations", "cost"}) EXPECT_TRUE(method.contains(key));
    const json result = run_json(state + method["name"].get<std::string>());
    EXPECT_EQ(result["method"], method["name"]);
    for (std::size_t j = 0; j < 7; ++j) EXPECT_NEAR(result["tau"][j].get<double>(), reference[j], 1e-10);
  }
}

TEST_F(Cli, KinematicsReportsAFrame) {
  const json result = run_json("kinematics planar2r --q 0.1,0.2 --qd 1,2 --qdd 0,1 --frame link2 --all");
  EXPECT_EQ(result["frame"], "link2");
  EXPECT_EQ(result["pose"].size(), 4U);
  EXPECT_EQ(result["J"].size(), 6U);
  EXPECT_EQ(result["J"][0].size(), 2U);
  EXPECT_EQ(result["poses"]["link2"], result["pose"]);
  for (std::size_t i = 0; i < 6; ++i) {
    const double velocity = result["J"][i][0].get<double>() + 2.0 * result["J"][i][1].get<double>();
    EXPECT_NEAR(result["velocity"][i].get<double>(), velocity, 1e-14);
    const double acceleration =
        result["J"][i][1].get<double>() + result["Jdot"][i][0].get<double>() + 2.0 * result["Jdot"][i][1].get<double>();
    EXPECT_NEAR(result["acceleration"][i].get<double>(), acceleration, 1e-13);
  }
  EXPECT_GT(result["kinetic_energy"].get<double>(), 0.0);
  EXPECT_TRUE(result.contains("potential_energy"));
  EXPECT_FALSE(run_json("kinematics planar2r --q 0.1,0.2").contains("Jdot"));
  EXPECT_NE(refused("kinematics planar2r --frame nose").find("base, link1, link2"), std::string::npos);
}

TEST_F(Cli, OptionsOfTheModelAct) {
  const std::vector<double> weightless = run_json("inverse ur5 --gravity 0,0,0")["tau"];
  EXPECT_EQ(weightless, std::vector<double>(6, 0.0));
  const std::string moving = "inverse puma560 --qd 1,1,1,1,1,1";
  EXPECT_NE(run_json(moving)["tau"], run_json(moving + " --rigid")["tau"]);
  const Result snapped = run("inverse ur5 --snap 1e-6 --json");
  EXPECT_EQ(snapped.status, 0);
  EXPECT_NE(snapped.err.find("catena: --snap 1e-06 changes torques by at most"), std::string::npos);
  // 10 N down at the tool, held by the arm: the same as a force up in the tool's power, J transposed.
  const json bare = run_json("inverse ur5 --q 0,-1,1,0,0,0");
  const json loaded = run_json("inverse ur5 --q 0,-1,1,0,0,0 --wrench tool0:0,0,-10,0,0,0 --wrench-axes world");
  const json J = run_json("kinematics ur5 --q 0,-1,1,0,0,0 --frame tool0")["J"];
  for (std::size_t j = 0; j < 6; ++j)
    EXPECT_NEAR(loaded["tau"][j].get<double>() - bare["tau"][j].get<double>(), 10.0 * J[2][j].get<double>(), 1e-12);
}

TEST_F(Cli, BadUsageIsOneLineWithAHint) {
  EXPECT_EQ(refused("invrse ur5"), "catena: unknown command 'invrse'; did you mean 'inverse'? (see 'catena --help')\n");
  EXPECT_EQ(refused("inverse ur5 --methd x"),
            "catena: unknown option '--methd'; did you mean '--method'? (see 'catena inverse --help')\n");
  EXPECT_EQ(refused("inverse planar2r --q 1"),
            "catena: --q has 1 number; planar 2R takes 2 (joint1, joint2) (see 'catena inverse --help')\n");
  EXPECT_EQ(refused("inverse planar2r --q 1,x"),
            "catena: --q: 'x' is not a number; write them like 0.1,-2,3e-4 (see 'catena inverse --help')\n");
  EXPECT_NE(refused("inverse planar2r --q 1,nan").find("'nan' is not finite"), std::string::npos);
  EXPECT_NE(refused("inverse planar2r --q 1,1e999").find("'1e999'"), std::string::npos);
  EXPECT_NE(refused("inverse planar2r --q ''").find("--q has 0 numbers"), std::string::npos);
  EXPECT_NE(refused("inverse planar2r --method foo").find("known: "), std::string::npos);
  EXPECT_NE(refused("inverse").find("MODEL is required"), std::string::npos);
  EXPECT_NE(refused("inverse ur5 more").find("unexpected argument 'more'"), std::string::npos);
  EXPECT_NE(refused("inverse no_such_robot").find("no_such_robot: "), std::string::npos);
  EXPECT_NE(refused("inverse planar2r --wrench tip:0,0,0,0,0,0").find("no frame 'tip'"), std::string::npos);
  EXPECT_NE(refused("inverse planar2r --snap -1").find("--snap"), std::string::npos);
  EXPECT_NE(refused("inverse planar2r --gravity 1,2").find("takes 3 numbers"), std::string::npos);
  EXPECT_NE(refused("methods --compute tea").find("nothing computes 'tea'"), std::string::npos);
  refused("convert ur5");
  refused("completion tcsh");
}

TEST_F(Cli, AFailedComputationIsStatus1) {
  const Result result = run("inverse planar2r --q 1,1 --qd 1e200,1e200");
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err.substr(0, 8), "catena: ");
}

TEST_F(Cli, ConvertGoesThereAndBack) {
  EXPECT_EQ(run("convert panda -o panda.urdf").status, 0);
  EXPECT_NE(refused("convert panda -o panda.urdf").find("--force"), std::string::npos);
  EXPECT_EQ(run("convert panda.urdf -o back.toml").status, 0);
  EXPECT_EQ(run("convert panda -o panda.urdf --force").status, 0);
  const std::string state = " --q 0.1,0.2,-0.3,-1,0.5,1,0 --qd 1,1,1,1,1,1,1";
  const std::vector<double> there = run_json("inverse panda" + state)["tau"];
  const std::vector<double> back = run_json("inverse back.toml" + state)["tau"];
  for (std::size_t j = 0; j < 7; ++j) EXPECT_NEAR(there[j], back[j], 1e-12 * (1.0 + std::abs(there[j])));
  const Result text = run("convert ur5 --to urdf");
  EXPECT_EQ(text.status, 0);
  EXPECT_NE(text.out.find("<robot"), std::string::npos);
  refused("convert ur5 -o ur5.txt");
  refused("convert ur5 -o no/such/folder.toml", 1);
  for (const char* file : {"panda.xml", "panda.mjcf"}) {  // .xml is MJCF
    EXPECT_EQ(run(std::string("convert panda -o ") + file).status, 0);
    EXPECT_EQ(contents(folder_ / file).substr(0, 7), "<mujoco");
    EXPECT_EQ(run_json(std::string("info ") + file)["tool"], "panda_link8");
  }
  EXPECT_EQ(run("convert panda --to urdf -o panda.xml --force").status, 0);  // unless --to says URDF
  EXPECT_NE(contents(folder_ / "panda.xml").find("<robot"), std::string::npos);
  EXPECT_EQ(run("convert panda --to dh -o rows.toml").status, 0);
  EXPECT_NE(contents(folder_ / "rows.toml").find("convention = \"classic\""), std::string::npos);
  EXPECT_NE(refused("convert panda --to dh -o rows.toml").find("--force"), std::string::npos);
  EXPECT_NE(refused("convert panda --to mjcf -o panda.urdf").find("must end in .xml or .mjcf"), std::string::npos);
  const Result puma = run("convert puma560 -o puma.xml");  // its moments are those that were published
  EXPECT_EQ(puma.status, 2);
  EXPECT_NE(puma.err.find("link 'link3': no body has"), std::string::npos) << puma.err;
}

TEST_F(Cli, TablesGoThroughEveryFormat) {
  make("in.csv", "t,qd1,qd2,q2,q1\n0.0,1,2,0.25,-0.5\n0.1,0,0,1,1\n");
  const std::vector<double> first = torques("planar2r", {-0.5, 0.25}, {1, 2}, {0, 0});
  EXPECT_EQ(run("inverse planar2r --states in.csv -o out.csv").status, 0);
  const std::string csv = contents(folder_ / "out.csv");
  EXPECT_EQ(csv.substr(0, csv.find('\n')), "t,tau1,tau2");
  EXPECT_EQ(run("inverse planar2r --states in.csv").out, csv);
  EXPECT_EQ(run("inverse planar2r --states - -o - <in.csv").out, csv);
  EXPECT_EQ(shell("cat in.csv | \"$CATENA\" inverse planar2r --states -").out, csv);
  const json rows = run_json("inverse planar2r --states in.csv");
  EXPECT_EQ(rows["tau"][0].get<std::vector<double>>(), first);
  EXPECT_EQ(run_json("inverse planar2r --states in.csv -o out.npy")["rows"], 2);
  EXPECT_EQ(contents(folder_ / "out.npy").size(), 128U + 2 * 2 * 8);
  EXPECT_EQ(run_json("inverse planar2r --states out.npy")["tau"].size(), 2U);
}

TEST_F(Cli, ABadRowLeavesNoOutput) {
  make("in.csv", "q1,q2\n0,0\n0,x\n");
  EXPECT_EQ(refused("inverse planar2r --states in.csv -o out.csv"), "in.csv:3: column q2: 'x' is not a number\n");
  EXPECT_EQ(refused("inverse planar2r --states in.csv"), "in.csv:3: column q2: 'x' is not a number\n");
  EXPECT_FALSE(fs::exists(folder_ / "out.csv"));
  make("huge.csv", "q1,q2,qd1,qd2\n0,0,0,0\n1,1,1e200,1e200\n");
  const Result failed = run("inverse planar2r --states huge.csv -o out.csv");
  EXPECT_EQ(failed.status, 1);
  EXPECT_EQ(failed.err.substr(0, 12), "huge.csv:3: ");
  EXPECT_FALSE(fs::exists(folder_ / "out.csv"));
  refused("inverse planar2r --states no_such.csv");
  refused("inverse planar2r --states in.csv --q 0,0");
  refused("inverse planar2r -o out.csv");
}

TEST_F(Cli, AnInterruptKeepsTheRowsSoFar) {
  // The writer end stays open, so the program waits for more when the signal comes.
  const Result result = shell(
      "mkfifo pipe; \"$CATENA\" inverse planar2r --states pipe -o out.npy & program=$!\n"
      "exec 3>pipe; printf 'q1,q2\\n0,0\\n1,1\\n2,' >&3; sleep 0.5; kill -TERM $program; wait $program");
  EXPECT_EQ(result.status, 128 + SIGTERM);
  EXPECT_EQ(result.err, "catena: interrupted: 2 complete rows written to out.npy.part\n");
  EXPECT_FALSE(fs::exists(folder_ / "out.npy"));
  EXPECT_EQ(shell("mv out.npy.part out.npy").status, 0);
  EXPECT_EQ(run_json("inverse planar2r --states out.npy")["tau"].size(), 2U);
}

TEST_F(Cli, AFullDiskIsAnError) {
  make("in.csv", "q1,q2\n0,0\n");
  for (const char* command :
       {"info ur5 >/dev/full", "--help >/dev/full", "inverse planar2r --json >/dev/full",
        "inverse planar2r --states in.csv >/dev/full", "inverse planar2r --states in.csv -o /dev/full"}) {
    const Result result = run(command);
    EXPECT_EQ(result.status, 1) << command;
    EXPECT_NE(result.err.find("No space left on device"), std::string::npos) << command;
  }
}

TEST_F(Cli, CompletionScriptsAreValid) {
  const Result bash = run("completion bash");
  EXPECT_EQ(bash.status, 0);
  EXPECT_EQ(shell("\"$CATENA\" completion bash >c.bash && bash -n c.bash").status, 0);
  const std::string ask =
      "source c.bash; COMP_WORDS=(catena inverse ur5 --meth); COMP_CWORD=3; _catena; echo ${COMPREPLY[@]}; "
      "COMP_WORDS=(catena inverse ur5 --method lu); COMP_CWORD=4; _catena; echo ${COMPREPLY[@]}; "
      "COMP_WORDS=(catena inverse pelican_); COMP_CWORD=2; _catena; echo ${COMPREPLY[@]}";
  EXPECT_EQ(shell("bash -c '" + ask + "'").out, "--method\nluh-walker-paul\npelican_crucible\n");
  EXPECT_EQ(run("completion zsh").out.substr(0, 15), "#compdef catena");
  EXPECT_NE(run("completion fish").out.find("-l wrench-axes -x -a 'frame world'"), std::string::npos);
}

}  // namespace
}  // namespace catena::cli_test

// Passive joints through the program: files, --passive, inverse, forward, simulate, equilibrium, linearize.
#include <gtest/gtest.h>

#include <cmath>

#include "support/program.hpp"

namespace catena::passive_cli_test {
namespace {

using nlohmann::json;

class PassiveCli : public ProgramTest {};

TEST_F(PassiveCli, InverseFindsWhatThePassiveJointDoes) {
  const std::string state = "pelican_crucible --q 0.4,0.9,-1.2 --qd 0.7,-0.3,0.5 --qdd 1,-2,0";
  const json found = run_json("inverse " + state);
  EXPECT_EQ(found["tau"][2], 0.0);
  EXPECT_EQ(found["qdd"][0], 1.0);
  // M_33 q̈_3 + … from the printed numbers: tests/formulations/hybrid_test.cpp
  EXPECT_NEAR(found["qdd"][2].get<double>(), -44.409584, 1e-5);
  const json back = run_json("forward pelican_crucible --q 0.4,0.9,-1.2 --qd 0.7,-0.3,0.5 --tau " +
                             found["tau"][0].dump() + "," + found["tau"][1].dump() + ",0");
  for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(back["qdd"][j].get<double>(), found["qdd"][j].get<double>(), 1e-9);
  const Result text = run("inverse " + state);
  EXPECT_NE(text.err.find("passive: pivot;"), std::string::npos) << text.err;
  const json same = run_json("hybrid " + state);
  EXPECT_EQ(same["tau"], found["tau"]);
  EXPECT_EQ(same["qdd"], found["qdd"]);
  for (const char* method : {"articulated-body", "block-ldlt"})
    EXPECT_NEAR(run_json("inverse " + state + " --method " + method)["tau"][0].get<double>(),
                found["tau"][0].get<double>(), 1e-10);
  // Without the passive joint, the torques of old.
  EXPECT_NEAR(run_json("inverse planar2r --qdd 1,0")["tau"][0].get<double>(),
              run_json("run planar2r --compute inverse --qdd 1,0")["tau"][0].get<double>(), 0.0);
}

TEST_F(PassiveCli, InverseOverTables) {
  make("motion.csv", "q1,q2,q3,qd1,qd2,qd3,qdd1,qdd2,qdd3\n0.4,0.9,-1.2,0.7,-0.3,0.5,1,-2,0\n0,0,0,0,0,0,0,0,7\n");
  ASSERT_EQ(run("inverse pelican_crucible --states motion.csv -o out.csv").status, 0);
  const std::string table = contents(folder_ / "out.csv");
  EXPECT_EQ(table.substr(0, table.find('\n')), "qdd1,qdd2,qdd3,tau1,tau2,tau3");
  const json rows = run_json("inverse pelican_crucible --states motion.csv");
  EXPECT_NEAR(rows["qdd"][0][2].get<double>(), -44.409584, 1e-5);
  for (const char* motion :
       {"inverse pelican_crucible --to 1,1,1 --time 1", "trajectory pelican_crucible --to 1,1,1 --time 1 --check"})
    EXPECT_NE(refused(motion).find("these are passive: pivot"), std::string::npos);
  const Result compiled = run("inverse pelican_crucible --states motion.csv --engine compiled --json");
  ASSERT_EQ(compiled.status, 0) << compiled.err;
  EXPECT_EQ(json::parse(compiled.out)["engine"], "compiled") << compiled.err;
  EXPECT_NEAR(json::parse(compiled.out)["qdd"][0][2].get<double>(), -44.409584, 1e-5);
}

TEST_F(PassiveCli, NothingGivenIsIgnored) {
  EXPECT_NE(refused("forward pelican_crucible --tau 1,0,0.5").find("joint 'pivot' is passive"), std::string::npos);
  EXPECT_NE(refused("inverse pelican_crucible --qdd pivot=1").find("its acceleration is a result"), std::string::npos);
  EXPECT_NE(refused("hybrid pelican_crucible --tau shoulder=1").find("joint 'shoulder' is not passive"),
            std::string::npos);
  EXPECT_EQ(run("hybrid pelican_crucible --tau pivot=1 --qdd shoulder=1").status, 0);
  make("states.csv", "q1,q2,q3,qd1,qd2,qd3,tau1,tau2,tau3\n0,0,0,0,0,0,1,1,0\n0,0,0,0,0,0,1,1,2\n");
  const Result rows = run("forward pelican_crucible --states states.csv -o out.csv");
  EXPECT_EQ(rows.status, 2);
  EXPECT_NE(rows.err.find("states.csv:3: joint 'pivot' is passive"), std::string::npos) << rows.err;
  const std::string motion = "simulate pelican_crucible --time 0.1 --torque ";
  EXPECT_NE(refused(motion + "constant --tau 0,0,1").find("--tau: joint 'pivot' is passive"), std::string::npos);
  make("torques.csv", "t,tau1,tau2,tau3\n0,0,0,0\n1,0,0,1\n");
  EXPECT_NE(refused(motion + "torques.csv").find("torques.csv:3: joint 'pivot' is passive"), std::string::npos);
  EXPECT_EQ(run(motion + "constant --tau 1,1,0").status, 0);
  const json run_of = run_json(motion + "pd --target 0,0,1 --samples 3");
  EXPECT_EQ(run_of["tau"][1][2], 0.0);
  EXPECT_NE(run_of["tau"][1][0], 0.0);
}

TEST_F(PassiveCli, PassiveByOptionAndByFile) {
  EXPECT_NE(refused("info ur5 --passive elbow").find("--passive: no moving joint 'elbow'"), std::string::npos);
  EXPECT_NE(refused("inverse pelican --passive elbo").find("did you mean 'elbow'?"), std::string::npos);
  EXPECT_NE(run("info pelican_crucible").out.find("passive  pivot (no motor)"), std::string::npos);
  EXPECT_EQ(run_json("info pelican --passive shoulder,elbow")["passive"], (json{"shoulder", "elbow"}));
  EXPECT_EQ(run_json("inverse pelican --passive elbow --qdd 1,0")["tau"][1], 0.0);
  EXPECT_EQ(run_json("info pelican_crucible --lock pivot=0")["passive"], json::array());
  ASSERT_EQ(run("convert pelican_crucible --passive elbow -o out.urdf").status, 0);
  EXPECT_NE(contents(folder_ / "out.urdf").find("<catena passive=\"true\"/>"), std::string::npos);
  ASSERT_EQ(run("convert out.urdf -o out.toml").status, 0);
  EXPECT_EQ(run_json("info out.toml")["passive"], (json{"elbow", "pivot"}));
  make("bad.toml",
       "convention = \"frames\"\n[[link]]\njoint = \"fixed\"\nmass = 0\npassive = true\n"
       "[[link]]\njoint = \"revolute\"\nmass = 0\npassive = 1\n");
  const Result bad = run("check bad.toml");
  EXPECT_NE(bad.status, 0);
  EXPECT_NE((bad.out + bad.err).find("bad.toml:5: joint 'joint1': is fixed and cannot be passive"), std::string::npos)
      << bad.out << bad.err;
  EXPECT_NE((bad.out + bad.err).find("bad.toml:9: joint 'joint2': passive must be true or false"), std::string::npos);
  make("bad.urdf",
       "<robot name='r'><link name='a'/><link name='b'/>\n<joint name='j' type='fixed'><parent link='a'/><child "
       "link='b'/>\n"
       "<catena passive='true'/></joint></robot>\n");
  const Result urdf = run("check bad.urdf");
  EXPECT_NE((urdf.out + urdf.err).find("bad.urdf:3: joint 'j': is fixed and cannot be passive"), std::string::npos)
      << urdf.out << urdf.err;
}

TEST_F(PassiveCli, ASingularBlockIsNamed) {
  make("leaf.toml",
       "convention = \"frames\"\n[[link]]\njoint = \"revolute\"\nmass = 1\ncom = [0.1, 0, 0]\ninertia = [1, 1, 1]\n"
       "[[link]]\njoint = \"revolute\"\njoint_name = \"leaf\"\nmass = 0\npassive = true\n");
  const Result result = run("inverse leaf.toml --quiet");
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.err.find("joint 'leaf': the inertia matrix is singular"), std::string::npos) << result.err;
}

TEST_F(PassiveCli, Equilibria) {
  const json found = run_json("equilibrium pelican_crucible --q 0.5,0.3,0");
  EXPECT_EQ(found["passive"], json{"pivot"});
  ASSERT_EQ(found["equilibria"].size(), 2u);
  EXPECT_EQ(found["equilibria"][0]["stability"], "stable");
  EXPECT_NEAR(found["equilibria"][0]["q"][2].get<double>(), -0.8 - std::acos(0.0), 1e-12);
  EXPECT_EQ(found["equilibria"][1]["stability"], "unstable");
  EXPECT_NE(run("equilibrium pelican_crucible").out.find("stable, potential energy"), std::string::npos);
  EXPECT_NE(refused("equilibrium ur5").find("has no passive joint; name some with --passive"), std::string::npos);
  const Result none = run("equilibrium stanford --passive joint3 --quiet");
  EXPECT_EQ(none.status == 0 || none.status == 1, true);
}

TEST_F(PassiveCli, LinearModelsHaveFewerInputs) {
  const json model = run_json("linearize planar2r --passive joint1 --q 90,0 --deg --state-space --lqr");
  EXPECT_EQ(model["B"].size(), 4u);
  EXPECT_EQ(model["B"][0].size(), 1u);
  EXPECT_EQ(model["K"].size(), 1u);
  EXPECT_EQ(model["K"][0].size(), 4u);
  for (const json& pole : model["closed_loop_poles"]) EXPECT_LT(pole[0].get<double>(), 0.0);
  const json run_of =
      run_json("simulate planar2r --passive joint1 --torque lqr --target 90,0 --q 91,-1 --deg --time 20 --samples 3");
  EXPECT_NEAR(run_of["q"][2][0].get<double>(), std::acos(0.0), 1e-3);
  EXPECT_NE(refused("simulate planar2r --passive joint1 --torque lqr --target 0.3,0 --time 1").find("no equilibrium"),
            std::string::npos);
}

}  // namespace
}  // namespace catena::passive_cli_test

// A free base through the program: names and lengths of q and qd, files, options, tables, runs, and what is refused.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "support/program.hpp"

namespace catena::free_base_cli_test {
namespace {

using nlohmann::json;

const std::string world = R"(name = "walker"
convention = "frames"

[base]
name = "world"
)";
const std::string trunk = R"(
[[link]]
name = "trunk"
joint = "floating"
joint_name = "root"
mass = 6.0
com = [0.02, 0, 0.01]
inertia = [0.05, 0.1, 0.12]
)";
std::string leg(const std::string& side, double y) {
  return "\n[[link]]\nname = \"" + side + "_thigh\"\nparent = \"trunk\"\njoint = \"revolute\"\njoint_name = \"" + side +
         "_hip\"\naxis = [0, 1, 0]\nxyz = [0, " + std::to_string(y) +
         ", -0.05]\nmass = 1.0\ncom = [0, 0, -0.1]\ninertia = [0.01, 0.01, 0.002]\n"
         "limits = { lower = -1.5, upper = 1.5, velocity = 20, effort = 60 }\n"
         "friction = { viscous = 0.1, coulomb = 0.05 }\n"
         "\n[[link]]\nname = \"" +
         side + "_shank\"\njoint = \"revolute\"\njoint_name = \"" + side +
         "_knee\"\naxis = [0, 1, 0]\nxyz = [0, 0, -0.25]\nmass = 0.5\ncom = [0, 0, -0.1]\ninertia = [0.004, 0.004, "
         "0.001]\nlimits = { lower = -2, upper = 0.1, velocity = 20, effort = 60 }\n";
}
const std::string walker = world + trunk + leg("left", 0.1) + leg("right", -0.1);
const std::string somewhere = "0.1,0.2,1,0,0,0.6,0.8,0.3,-0.5,-0.2,-0.9", zeros10 = "0,0,0,0,0,0,0,0,0,0";

class FreeBaseCli : public ProgramTest {
 protected:
  FreeBaseCli() { make("walker.toml", walker); }

  void expect_refused(const std::string& arguments, const std::string& words) {
    const Result result = run(arguments);
    EXPECT_EQ(result.status, 2) << arguments << "\n" << result.out;
    EXPECT_NE(result.err.find(words), std::string::npos) << result.err;
    EXPECT_LE(std::count(result.err.begin(), result.err.end(), '\n'), 2) << result.err;
  }
};

TEST_F(FreeBaseCli, InfoListsBothOrders) {
  const json info = run_json("info walker.toml");
  EXPECT_EQ(info["floating"], "root");
  EXPECT_EQ(info["dof"], 10);
  const std::vector<std::string> joints{"left_hip", "left_knee", "right_hip", "right_knee"};
  std::vector<std::string> q{"root_x", "root_y", "root_z", "root_qx", "root_qy", "root_qz", "root_qw"},
      qd{"root_x", "root_y", "root_z", "root_rx", "root_ry", "root_rz"};
  q.insert(q.end(), joints.begin(), joints.end()), qd.insert(qd.end(), joints.begin(), joints.end());
  EXPECT_EQ(info["positions"], json(q));
  EXPECT_EQ(info["joints"], json(qd));
  EXPECT_EQ(info["passive"], json::array());
  EXPECT_TRUE(run_json("info ur5")["floating"].is_null());
  EXPECT_EQ(run_json("info ur5")["positions"], run_json("info ur5")["joints"]);
  const std::string text = run("info walker.toml").out;
  for (const char* words :
       {"a free base and 4 joints", "q has 11 entries, qd, qdd and tau 10", "root_qx root_qy", "floating"})
    EXPECT_NE(text.find(words), std::string::npos) << text;
}

TEST_F(FreeBaseCli, EveryJobHasItsLengths) {
  const json listed = run_json("jobs");
  for (const json& job : listed.contains("jobs") ? listed["jobs"] : listed) {
    const std::string name = job["name"];
    const json out = run_json(name + " walker.toml --q " + somewhere);
    for (const auto& [key, value] : out.items())
      if (value.is_array() && value.size() > 9) {
        EXPECT_EQ(value.size(), 10U) << name << " " << key;
      }
  }
  const json tau =
      run_json("inverse walker.toml --q " + somewhere + " --qd root_rz=1,left_hip=2 --qdd root_x=3")["tau"];
  std::string typed;
  for (const json& torque : tau) typed += (typed.empty() ? "" : ",") + torque.dump();
  const json qdd =
      run_json("forward walker.toml --q " + somewhere + " --qd root_rz=1,left_hip=2 --tau=" + typed)["qdd"];
  for (std::size_t j = 0; j < qdd.size(); ++j) EXPECT_NEAR(qdd[j].get<double>(), j == 0 ? 3.0 : 0.0, 1e-8);
}

TEST_F(FreeBaseCli, TablesHaveTheColumnsOfBoth) {
  std::string header, row = somewhere;
  for (int k = 1; k <= 11; ++k) header += "q" + std::to_string(k) + ",";
  for (int k = 1; k <= 10; ++k) header += "qd" + std::to_string(k) + (k < 10 ? "," : "\n");
  make("states.csv", header + somewhere + "," + zeros10 + "\n");
  const Result table = run("bias walker.toml --states states.csv");
  EXPECT_EQ(table.status, 0) << table.err;
  EXPECT_EQ(table.out.substr(0, 6), "b1,b2,");
  make("bad.csv", header + "0,0,0,0,0,0,2,0,0,0,0," + zeros10 + "\n");
  const Result bad = run("bias walker.toml --states bad.csv");
  EXPECT_EQ(bad.status, 2);
  EXPECT_NE(bad.err.find("bad.csv:2: the quaternion of the base, q4 to q7 = (0, 0, 0, 2), has length 2"),
            std::string::npos)
      << bad.err;
  make("named.csv",
       "q:root_x,q:root_y,q:root_z,q:root_qx,q:root_qy,q:root_qz,q:root_qw,q:left_hip,q:left_knee,q:right_hip,"
       "q:right_knee\n" +
           somewhere + "\n");
  const Result named = run("gravity walker.toml --states named.csv");
  EXPECT_EQ(named.status, 0) << named.err;
  make("wide.csv", "q12\n0\n");
  EXPECT_NE(run("gravity walker.toml --states wide.csv").err.find("the robot has 11 positions, q1 to q11"),
            std::string::npos);
}

TEST_F(FreeBaseCli, ConvertsBothWaysAndFreesABaseThatAFileFixes) {
  ASSERT_EQ(run("convert walker.toml -o walker.urdf").status, 0);
  ASSERT_EQ(run("convert walker.urdf -o again.toml").status, 0);
  EXPECT_NE(contents(folder_ / "walker.urdf").find(R"(<joint name="root" type="floating">)"), std::string::npos);
  EXPECT_NE(contents(folder_ / "again.toml").find("joint = \"floating\""), std::string::npos);
  EXPECT_EQ(run_json("info again.toml")["positions"], run_json("info walker.toml")["positions"]);
  EXPECT_EQ(run_json("inverse again.toml --q " + somewhere)["tau"],
            run_json("inverse walker.toml --q " + somewhere)["tau"]);
  const json info = run_json("info panda --floating-base");
  EXPECT_EQ(info["floating"], "floating_base");
  EXPECT_EQ(info["positions"].size(), info["joints"].size() + 1);
  ASSERT_EQ(run("convert panda --floating-base -o panda.toml").status, 0);
  EXPECT_EQ(run_json("gravity panda.toml")["g"], run_json("gravity panda --floating-base")["g"]);
  // Held at its base, the arm needs what it needs on the ground.
  const json free = run_json("gravity panda --floating-base")["g"], fixed = run_json("gravity panda")["g"];
  for (std::size_t j = 0; j < fixed.size(); ++j)
    EXPECT_NEAR(free[6 + j].get<double>(), fixed[j].get<double>(), 1e-12) << j;
}

TEST_F(FreeBaseCli, GeneratesCountsAndCompares) {
  for (const std::string job : {"inverse", "forward", "bias", "momentum"}) {
    EXPECT_EQ(run("count walker.toml --compute " + job).status, 0) << job;
    EXPECT_EQ(run("compare walker.toml --compute " + job).status, 0) << job;
  }
  const Result code = run("generate walker.toml --compute inverse,centroidal -o walker.c");
  EXPECT_EQ(code.status, 0) << code.err;
  EXPECT_NE(contents(folder_ / "walker.h").find("q[11]"), std::string::npos) << contents(folder_ / "walker.h");
  EXPECT_EQ(shell("cc -c -Wall -Werror walker.c -o walker.o").status, 0);
}

TEST_F(FreeBaseCli, ExtrasOfJobsHaveTheirLengths) {
  const json factors = run_json("factor walker.toml --inverse --frame left_shank --q " + somewhere);
  ASSERT_EQ(factors["M_inverse"].size(), 10U);
  EXPECT_EQ(factors["Lambda"].size(), 6U);
  // C is made of its coefficients.
  const std::string rates = "0.1,-0.2,0.3,0.4,0.5,-0.6,0.7,0.8,-0.9,1";
  const std::vector<double> qd{0.1, -0.2, 0.3, 0.4, 0.5, -0.6, 0.7, 0.8, -0.9, 1.0};
  const json c = run_json("coriolis walker.toml --coefficients --q " + somewhere)["coefficients"];
  const json C = run_json("coriolis walker.toml --q " + somewhere + " --qd=" + rates)["C"];
  for (std::size_t i = 0; i < 10; ++i)
    for (std::size_t j = 0; j < 10; ++j) {
      double sum = 0.0;
      for (std::size_t k = 0; k < 10; ++k) sum += c[i][j][k].get<double>() * qd[k];
      EXPECT_NEAR(C[i][j].get<double>(), sum, 1e-12) << i << " " << j;
    }
}

TEST_F(FreeBaseCli, AControllerMayTakeAnotherModelForIt) {
  const json run_known =
      run_json("simulate panda --floating-base --time 0.1 --samples 3 --torque computed --controller-model panda");
  EXPECT_EQ(run_known["complete"], true);
}

// Arrays of states go through batches; what is kept of a run is another model's to continue only if it computes the
// same.
TEST_F(FreeBaseCli, RunsOverArraysAndContinues) {
  ASSERT_EQ(
      shell(CATENA_PYTHON " -c \"import numpy as np; n=5000; r=np.random.default_rng(1); q=r.normal(size=(n,11)); "
                          "q[:,3:7]/=np.linalg.norm(q[:,3:7],axis=1,keepdims=True); "
                          "np.save('x.npy', np.hstack([q, r.normal(size=(n,20))])); q[7,6]+=1; "
                          "np.save('bad.npy', np.hstack([q, r.normal(size=(n,20))]))\"")
          .status,
      0);
  const Result whole = run("run walker.toml --compute inverse --states x.npy -o a.npy --threads 2");
  EXPECT_EQ(whole.status, 0) << whole.err;
  EXPECT_EQ(run("inverse walker.toml --states x.npy -o b.npy --quiet").status, 0);
  EXPECT_EQ(
      shell(CATENA_PYTHON " -c \"import numpy as np; assert abs(np.load('a.npy')-np.load('b.npy')).max() < 1e-10\"")
          .status,
      0);
  const Result bad = run("run walker.toml --compute inverse --states bad.npy -o c.npy --threads 2");
  EXPECT_EQ(bad.status, 1);
  EXPECT_NE(bad.err.find("row 8: the quaternion of the base"), std::string::npos) << bad.err;
}

TEST_F(FreeBaseCli, FallsTumblesAndHoldsItsJoints) {
  const json run_free =
      run_json("simulate walker.toml --q " + somewhere +
               " --qd root_rx=1,root_ry=2,left_hip=3 --time 1 --samples 11 --stops --torque pd --kp 20 --kd "
               "1 --target " +
               somewhere);
  EXPECT_EQ(run_free["complete"], true);
  EXPECT_LT(run_free["balance"].get<double>(), 1e-6);
  for (const json& q : run_free["q"]) {
    ASSERT_EQ(q.size(), 11U);
    double length = 0.0;
    for (std::size_t k = 3; k < 7; ++k) length += q[k].get<double>() * q[k].get<double>();
    EXPECT_NEAR(length, 1.0, 1e-14);
  }
  const Result table = run("simulate walker.toml --time 0.1 --samples 3");
  EXPECT_NE(table.out.find("q11,qd1,"), std::string::npos) << table.out;
  const Result landed = run("simulate walker.toml --q root_z=1 --time 5 --event position:root_z:0:stop");
  EXPECT_EQ(landed.status, 0) << landed.err;
  EXPECT_NE(landed.out.find("\n0.45"), std::string::npos) << landed.out.substr(0, 0);
  EXPECT_EQ(run("simulate walker.toml --time 0.1 --plot fall.svg -o fall.csv").status, 0);
}

TEST_F(FreeBaseCli, WhatCannotBeIsOneLine) {
  expect_refused("inverse walker.toml --q 0,0,0,0,0,0,2,0,0,0,0", "has length 2; it must be 1");
  expect_refused("inverse walker.toml --q 0,0,0,0,0,0,0,0,0,0,0", "has length 0; it must be 1");
  expect_refused("inverse walker.toml --q " + zeros10, "--q has 10 numbers; walker takes 11 (root_x");
  expect_refused("inverse walker.toml --q " + somewhere + " --qd 1,2,3", "--qd has 3 numbers; walker takes 10 (root_x");
  expect_refused("inverse walker.toml --floating-base", "its base is free already, by joint 'root'");
  expect_refused("inverse walker.toml --lock root_x=0", "it is a part of the free base 'root'");
  expect_refused("gravity walker.toml --method progressive", "does not take a free base");
  expect_refused("equations walker.toml", "free base");
  expect_refused("denoc walker.toml", "free base");
  expect_refused("simulate walker.toml --time 1 --torque resolved --goal 0,0,1", "free base");
  expect_refused("trajectory walker.toml --to 1 --time 1", "free base");
  expect_refused("inverse walker.toml --base-twist 1,0,0,0,0,0", "free base");
  expect_refused("simulate walker.toml --time 1 --event position:root_rx:1", "the turn of a free base is not an angle");
  make("middle.toml", world + leg("left", 0.1).replace(leg("left", 0.1).find("parent = \"trunk\"\n"), 17, "") +
                          "\n[[link]]\nname = \"trunk\"\njoint = \"floating\"\njoint_name = \"root\"\nmass = 1\ncom = "
                          "[0, 0, 0]\ninertia = [1, 1, 1]\n");
  expect_refused("info middle.toml",
                 "joint 'root': is floating and hangs on link 'left_shank', which joint 'left_knee' moves");
  make("two.toml", walker +
                       "\n[[link]]\nname = \"ball\"\nparent = \"world\"\njoint = \"floating\"\nmass = 1\ncom = [0, 0, "
                       "0]\ninertia = [1, 1, 1]\n");
  expect_refused("info two.toml", "is floating, and so is 'root'; a robot has only one free base");
  make("beside.toml", walker +
                          "\n[[link]]\nname = \"door\"\nparent = \"world\"\njoint = \"revolute\"\naxis = [0, 0, "
                          "1]\nmass = 1\ncom = [0, 0, 0]\ninertia = [1, 1, 1]\n");
  expect_refused("info beside.toml", "moves beside it; everything that moves must be carried by the free base");
  make("axis.toml", world +
                        "\n[[link]]\nname = \"ball\"\njoint = \"floating\"\naxis = [0, 0, 1]\nmass = 1\ncom = [0, 0, "
                        "0]\ninertia = [1, 1, 1]\n");
  expect_refused("info axis.toml", "is floating and cannot have an axis");
  make("limits.toml", world +
                          "\n[[link]]\nname = \"ball\"\njoint = \"floating\"\nlimits = { lower = 0 }\nmass = 1\ncom = "
                          "[0, 0, 0]\ninertia = [1, 1, 1]\n");
  expect_refused("info limits.toml", "of a floating joint, which has neither limits nor a drive");
  make("middle.urdf",
       R"(<robot name="m"><link name="a"/><link name="b"><inertial><mass value="1"/><inertia ixx="1" iyy="1"
izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link><link name="c"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"
ixy="0" ixz="0" iyz="0"/></inertial></link><joint name="turn" type="continuous"><parent link="a"/><child link="b"/></joint>
<joint name="free" type="floating"><parent link="b"/><child link="c"/></joint></robot>)");
  expect_refused("info middle.urdf",
                 "middle.urdf:4: joint 'free': is floating and hangs on link 'b', which joint 'turn' moves");
}

}  // namespace
}  // namespace catena::free_base_cli_test

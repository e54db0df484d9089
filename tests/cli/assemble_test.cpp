// The commands assemble and links, and --only: robots put together, and taken apart link by link.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "catena/changes.hpp"
#include "catena/robot_file.hpp"
#include "support/program.hpp"
#include "support/same_robot.hpp"
#include "support/tolerances.hpp"

namespace catena::test::assemble_cli_test {
namespace {

using Json = nlohmann::json;

std::string wild(const std::string& name) { return CATENA_SOURCE_DIR "/tests/data/wild/" + name + ".urdf"; }

Values flat(const Json& rows) {
  Values out;
  for (const Json& row : rows)
    for (const Json& entry : row) out.push_back(entry.get<double>());
  return out;
}

class Assemble : public ProgramTest {
 protected:
  static constexpr const char* crucible =
      "<robot name='crucible'><link name='crucible'><inertial><origin xyz='0.15 0 0'/><mass value='1.0'/>"
      "<inertia ixx='0' iyy='0.01' izz='0.01' ixy='0' ixz='0' iyz='0'/></inertial></link></robot>";
};

TEST_F(Assemble, ThePelicanGripsItsCrucible) {
  make("crucible.urdf", crucible);
  for (const std::string out : {"loaded.toml", "loaded.urdf"}) {
    SCOPED_TRACE(out);
    ASSERT_EQ(run("assemble pelican crucible.urdf --at tool --joint revolute --name pivot -o " + out).status, 0);
    for (const char* job : {"bias", "gravity"}) {  // the pivot of theirs has no motor, which these do not ask
      const std::string at = job == std::string("bias") ? " --q 0.4,0.9,-1.2 --qd 0.7,-0.3,0.5" : " --q 0.4,0.9,-1.2";
      const Json mine = run_json(job + (" " + out) + at),
                 theirs = run_json(job + std::string(" pelican_crucible") + at);
      const char* key = job == std::string("bias") ? "b" : "g";
      EXPECT_TRUE(near(mine[key].get<Values>(), theirs[key].get<Values>(), relative(1e-14))) << job;
    }
    EXPECT_EQ(run_json("info " + out)["joints"][2], "pivot");
  }
}

TEST_F(Assemble, AHandOnAnArmAndAnArmOnAGantry) {
  ASSERT_EQ(run("assemble ur5 " + wild("sprig_hand") + " --at tool0 -o hand.toml").status, 0);
  EXPECT_EQ(run_json("info hand.toml")["dof"], 6 + load_robot(wild("sprig_hand")).dof());
  ASSERT_EQ(run("assemble " + wild("lintel_gantry") + " " + wild("quill6") +
                " --at carriage_plate --joint prismatic --axis 0,0,-2 --origin 0,0,-0.2,3.14159265,0,0 --prefix arm_ "
                "--name lift -o cell.urdf")
                .status,
            0);
  JointDescription lift;
  lift.name = "lift";
  lift.type = JointType::prismatic;
  lift.axis = {0, 0, -1};
  lift.origin = {rotation_from_rpy({3.14159265, 0, 0}), {0, 0, -0.2}};
  expect_same(join(load_robot(wild("lintel_gantry")), "carriage_plate", load_robot(wild("quill6")), lift, "arm_"),
              load_robot((folder_ / "cell.urdf").string()));
}

TEST_F(Assemble, LocksAndLoadsTheFirst) {
  make("crucible.urdf", crucible);
  ASSERT_EQ(run("assemble ur5 crucible.urdf --at tool0 --lock elbow_joint=0.3 --payload tool:1,0,0,0 -o x.toml").status,
            0);
  const Json info = run_json("info x.toml");
  EXPECT_EQ(info["dof"], 5);
  EXPECT_NEAR(info["mass"].get<double>(), run_json("info ur5")["mass"].get<double>() + 2.0, 1e-12);
}

TEST_F(Assemble, SaysWhatIsWrong) {
  make("crucible.urdf", crucible);
  const std::string start = "assemble ur5 crucible.urdf -o x.toml --at ";
  EXPECT_NE(refused(start + "tool_0").find("--at: UR5 has no link or frame 'tool_0'; did you mean 'tool0'?"),
            std::string::npos);
  EXPECT_NE(refused(start + "tool0 --joint revolute --axis 0,0,0").find("--axis 0,0,0 has zero length"),
            std::string::npos);
  EXPECT_NE(refused(start + "tool0 --joint fixed --axis 0,0,1").find("--axis goes with --joint revolute or prismatic"),
            std::string::npos);
  EXPECT_NE(refused(start + "tool0 --axis 0,0,1").find("--axis goes with --joint"), std::string::npos);
  EXPECT_NE(refused(start + "tool0 --origin 1,2").find("--origin '1,2' has 2 numbers"), std::string::npos);
  EXPECT_NE(refused(start + "tool0 --joint ball").find("--joint"), std::string::npos);
  EXPECT_NE(refused("assemble ur5 crucible.urdf --at tool0 -o x.json").find(".toml, .urdf or .xml"), std::string::npos);
  EXPECT_NE(refused("assemble ur5 nothing.urdf --at tool0 -o x.toml").find("nothing.urdf"), std::string::npos);
  ASSERT_EQ(run(start + "tool0").status, 0);
  EXPECT_NE(refused(start + "tool0").find("--force"), std::string::npos);
  EXPECT_EQ(run(start + "tool0 --force").status, 0);
  make("again.urdf",
       "<robot name='again'><link name='tool0'/><link name='again_tool0'/><joint name='j' type='fixed'>"
       "<parent link='tool0'/><child link='again_tool0'/></joint></robot>");
  EXPECT_NE(refused("assemble ur5 again.urdf --at tool0 -o y.toml").find("'again_tool0' is used twice"),
            std::string::npos);
  EXPECT_EQ(run("assemble ur5 again.urdf --at tool0 --prefix b_ -o y.toml").status, 0);
}

TEST_F(Assemble, StrictSpeaksOfTheWhole) {
  make("arm.urdf",
       "<robot name='arm'><link name='base'/><link name='hook'/><joint name='turn' type='continuous'>"
       "<parent link='base'/><child link='hook'/><axis xyz='0 0 1'/></joint></robot>");
  make("crucible.urdf", crucible);
  EXPECT_NE(refused("check arm.urdf --strict").find("moves no mass"), std::string::npos);
  const Result loaded = run("assemble arm.urdf crucible.urdf --at hook --strict -o x.toml");
  EXPECT_EQ(loaded.status, 0) << loaded.err;
  EXPECT_EQ(loaded.err, "");
  EXPECT_NE(refused("assemble crucible.urdf arm.urdf --at crucible --strict -o y.toml").find("moves no mass"),
            std::string::npos);
}

// --- link by link ---

TEST_F(Assemble, LinksAddUp) {
  const Json all = run_json("links ur5 --q 0.1,-1,1,0.3,0.7,0.2 --qd 1,0.5,-0.5,0.3,0.2,0.1")["links"];
  Values M(36), C(36), g(6);
  for (const Json& link : all) {
    const auto index = link["index"].get<std::vector<std::size_t>>();
    ASSERT_EQ(link["joints"].size(), index.size());
    for (std::size_t i = 0; i < index.size(); ++i) {
      for (std::size_t j = 0; j < index.size(); ++j) {
        M[index[i] * 6 + index[j]] += link["M"][i][j].get<double>();
        C[index[i] * 6 + index[j]] += link["C"][i][j].get<double>();
      }
      g[index[i]] += link["g"][i].get<double>();
    }
  }
  const std::string q = " ur5 --rigid --q 0.1,-1,1,0.3,0.7,0.2", qd = " --qd 1,0.5,-0.5,0.3,0.2,0.1";
  EXPECT_TRUE(near(M, flat(run_json("inertia" + q)["M"]), relative(1e-12)));
  EXPECT_TRUE(near(C, flat(run_json("coriolis" + q + qd + " --method progressive")["C"]), relative(1e-12)));
  EXPECT_TRUE(near(g, run_json("gravity" + q)["g"].get<Values>(), relative(1e-12)));
}

TEST_F(Assemble, LinksAsText) {
  const Result one = run("links pelican_crucible --q 0.4,0.9,-1.2 --qd 0.7,-0.3,0.5 --link crucible");
  EXPECT_EQ(one.status, 0);
  EXPECT_EQ(one.out.find("link 'crucible', 1 kg, moved by shoulder, elbow, pivot\nM\n"), 0U) << one.out;
  EXPECT_NE(run("links ur5").out.find("moved by no joint"), std::string::npos);
  EXPECT_NE(refused("links pelican_crucible --link crucibel").find("did you mean 'crucible'?"), std::string::npos);
  EXPECT_NE(refused("links pelican_crucible --screws --qd 1,2,3").find("--screws"), std::string::npos);
  const std::string all = run("links pelican").out;
  for (const char* part : {"\nM\n", "\nscrews of the joints, along the axes of the base link\njoint ",
                           "\nscrews of inertia, in the link's frame\naxis x", "\ninertia at the mass centre"})
    EXPECT_NE(all.find(part), std::string::npos) << part;
}

TEST_F(Assemble, Screws) {
  const Json links = run_json("links pelican_crucible --screws")["links"];
  ASSERT_EQ(links.size(), 4U);
  EXPECT_TRUE(links[0]["screws"].empty());
  const Json& screws = links[3]["screws"];
  ASSERT_EQ(screws.size(), 6U);
  EXPECT_EQ(screws[0]["pitch"].get<double>(), 0.0);
  EXPECT_NEAR(screws[4]["pitch"].get<double>(), 0.1, 1e-15);
  EXPECT_NEAR(screws[5]["pitch"].get<double>(), -0.1, 1e-15);
  EXPECT_EQ(screws[5]["point"], Json({-0.05, 0.0, 0.0}));
  EXPECT_NE(run("links pelican_crucible --screws").out.find("no mass, so no screws"), std::string::npos);
  EXPECT_EQ(run_json("links pelican_crucible")["links"][3]["screws"], screws);
}

// Laus's eqs 43-46 and 37 of the pelican at 0.4, 0.9: axes along z through the joints; the inertia of its link 2.
TEST_F(Assemble, ScrewsOfJointsAndTheInertiaTheyMake) {
  const Json link = run_json("links pelican --q 0.4,0.9 --screws --link link2")["links"][0];
  ASSERT_EQ(link["joint_screws"].size(), 2U);
  for (std::size_t j = 0; j < 2; ++j) {
    const Json& screw = link["joint_screws"][j];
    EXPECT_TRUE(near(screw["axis"].get<Values>(), {0, 0, 1}, 1.0, relative(1e-15)));
    const double reach = j == 0 ? 0.0 : 0.26;
    EXPECT_TRUE(
        near(screw["point"].get<Values>(), {reach * std::cos(0.4), reach * std::sin(0.4), 0}, 1.0, relative(1e-15)));
    EXPECT_NEAR(screw["pitch"].get<double>(), 0.0, 1e-15);
  }
  const Json info = run_json("info pelican")["links"][2];
  const Values inertia = flat(link["inertia"]);
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t j = 0; j < 6; ++j) {
      const double own = i < 3 && j < 3 ? info["inertia"][i][j].get<double>() : i == j ? info["mass"].get<double>() : 0;
      EXPECT_NEAR(inertia[i * 6 + j], own, 1e-14);
    }
}

// A joint that slides has no point and no pitch; every kind of robot has screws.
TEST_F(Assemble, ScrewsOfEveryRobot) {
  const Json sliding = run_json("links stanford --q 0.3,0.5,0.2,0,0,0 --link link6")["links"][0]["joint_screws"][2];
  EXPECT_TRUE(sliding["point"].is_null() && sliding["pitch"].is_null());
  EXPECT_NE(run("links stanford").out.find("infinite"), std::string::npos);
  for (const char* robot : {"gripper", "delta", "ur5 --floating-base"}) {
    const Json links = run_json(std::string("links ") + robot + " --screws")["links"];
    EXPECT_FALSE(links.back()["joint_screws"].empty()) << robot;
  }
  make("nut.toml",
       "convention = \"frames\"\n[[link]]\njoint = \"screw\"\npitch = 0.02\nmass = 2\ncom = [0, 0, 0]\ninertia = [1, "
       "1, 1]\n");
  const Json nut = run_json("links nut.toml --screws")["links"][1]["joint_screws"][0];
  EXPECT_NEAR(nut["pitch"].get<double>(), 0.02 / (2 * 3.141592653589793), 1e-15);
  make("odd.toml",
       "convention = \"modified\"\n[[link]]\njoint = \"revolute\"\nmass = 1.0\ncom = [0, 0, 0]\ninertia = [-0.1, 0.2, "
       "0.2]\n");
  const std::string why = "a body with the principal moment -0.1 has no screws of inertia\n";
  EXPECT_NE(run("links odd.toml --lenient").out.find(why), std::string::npos);
  EXPECT_NE(refused("links odd.toml --lenient --screws --quiet", 1).find("link 'link1': a body"), std::string::npos);
}

// --- what some links add ---

TEST_F(Assemble, WhatLinksAddIsTheDifference) {
  const std::string x = " --q 0.1,-1,1,0.3,0.7,0.2 --qd 1,0.5,-0.5,0.3,0.2,0.1 --qdd 1,2,3,4,5,6";
  const auto tau = [&](const std::string& options) {
    return run_json("inverse ur5 --rigid" + x + " " + options)["tau"].get<Values>();
  };
  Values with = tau("--payload tool0:2,0,0,0.05"), without = tau(""),
         only = tau("--payload tool0:2,0,0,0.05 --only payload");
  for (std::size_t k = 0; k < with.size(); ++k) without[k] += only[k];
  EXPECT_TRUE(near(without, with, relative(1e-12)));
  const Values compiled = tau("--payload tool0:2,0,0,0.05 --only payload --engine compiled");
  EXPECT_TRUE(near(compiled, only, relative(1e-12)));
}

TEST_F(Assemble, WhatThePayloadAddsInNumbersAndSymbols) {
  const Json M = run_json("inertia pelican_crucible --q 0.4,0.9,-1.2 --only crucible")["M"];
  EXPECT_TRUE(near(flat(M), flat(run_json("links pelican_crucible --q 0.4,0.9,-1.2 --link crucible")["links"][0]["M"]),
                   relative(1e-13)));
  const Result symbols = run("equations pelican_crucible --only crucible --format text");
  EXPECT_EQ(symbols.status, 0) << symbols.err;
  EXPECT_EQ(symbols.err, "");
  EXPECT_NE(symbols.out.find("m3"), std::string::npos) << symbols.out;
  EXPECT_EQ(symbols.out.find("m2"), std::string::npos) << symbols.out;
  EXPECT_EQ(symbols.out.find("m1"), std::string::npos) << symbols.out;
}

TEST_F(Assemble, OnlyIsRefusedWhereItCannotBe) {
  EXPECT_NE(refused("inertia pelican_crucible --q 0,0,0 --only crucibel")
                .find("--only: Pelican with crucible has no link "
                      "'crucibel'; did you mean 'crucible'?"),
            std::string::npos);
  EXPECT_NE(refused("inertia pelican_crucible --q 0,0,0 --only crucible,crucible").find("is given twice"),
            std::string::npos);
  EXPECT_NE(refused("forward pelican_crucible --q 0,0,0 --tau 0,0,0 --only crucible", 1).find("singular"),
            std::string::npos);
  const Result nothing = run("inertia pelican_crucible --q 0,0,0 --only base");
  EXPECT_EQ(nothing.status, 0);
  EXPECT_EQ(nothing.err, "warning: link 0 'base': has neither mass nor inertia, so it adds nothing\n");
  EXPECT_EQ(run("inertia pelican_crucible --q 0,0,0 --only base --strict").status, 2);
  for (const std::string command :
       {"kinematics", "simulate", "equations", "generate", "count", "cartesian", "links", "run"})
    EXPECT_NE(run(command + " --help").out.find("--only LINK,..."), std::string::npos) << command;
}

}  // namespace
}  // namespace catena::test::assemble_cli_test

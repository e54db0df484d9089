// catena report and --report: what a page carries is what was computed, whatever names and numbers say. The page itself
// is tested in a browser (tests/page); here a template of two lines stands for it.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "support/packed_column.hpp"
#include "support/program.hpp"

namespace catena::report_cli_test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using namespace test;

class ReportCli : public ProgramTest {
 protected:
  ReportCli() { use("<head></head><body><!--catena-data--></body>"); }
  void use(const std::string& page) const {
    make("template.html", page);
    ::setenv("CATENA_PAGE", (folder_ / "template.html").c_str(), 1);
  }
  // Runs, and gives what the page carries.
  Json payload(const std::string& arguments, const std::string& file = "page.html") const {
    const Result result = run(arguments);
    EXPECT_EQ(result.status, 0) << arguments << "\n" << result.err;
    return read(file);
  }
  Json read(const std::string& file) const {
    const std::string page = contents(folder_ / file);
    const std::string open = "<script type=\"application/json\" id=\"catena-data\">", close = "</script>";
    const std::size_t from = page.find(open), to = page.find(close, from);
    EXPECT_NE(from, std::string::npos);
    EXPECT_EQ(page.find(open, from + 1), std::string::npos);
    EXPECT_EQ(page.substr(to + close.size()), "</body>") << "what is carried has ended its script";
    return Json::parse(page.substr(from + open.size(), to - from - open.size()));
  }
  static Table table_of(const Json& scene) {
    Table table;
    const std::size_t count = scene["samples"]["count"];
    for (const Json& column : scene["samples"]["columns"]) {
      EXPECT_FALSE(table.contains(column["name"])) << column["name"];
      table[column["name"]] = unpacked(column["data"], count);
      EXPECT_EQ(table[column["name"]].size(), count);
    }
    return table;
  }
  // Every column of the file is in the page, to 1e-9 of its range.
  static void expect_same(const Table& file, const Table& page, const std::string& what) {
    for (const auto& [name, values] : file) {
      ASSERT_TRUE(page.contains(name)) << what << ": " << name;
      const std::vector<double>& shown = page.at(name);
      ASSERT_EQ(values.size(), shown.size()) << what << ": " << name;
      double low = HUGE_VAL, high = -HUGE_VAL;
      for (const double v : values)
        if (std::isfinite(v)) low = std::min(low, v), high = std::max(high, v);
      const double slack = std::max(0.5001e-9 * (high - low), 1e-15 * std::max(std::abs(low), std::abs(high)));
      for (std::size_t i = 0; i < values.size(); ++i) {
        if (std::isfinite(values[i]))
          ASSERT_NEAR(values[i], shown[i], slack) << what << ": " << name << " " << i;
        else
          ASSERT_TRUE(std::isnan(values[i]) ? std::isnan(shown[i]) : shown[i] == values[i]) << what << ": " << name;
      }
    }
  }
};

TEST_F(ReportCli, EveryCommandThatOffersItShowsWhatItComputed) {
  ASSERT_EQ(run("trajectory stanford --to 1,1,0.1,0,1,0 --time 1 --rate 100 -o motion.csv").status, 0);
  const std::map<std::string, std::string> commands{
      {"inverse", "inverse stanford --trajectory motion.csv -o out.csv"},
      {"simulate", "simulate stanford --time 0.2 --samples 11 -o out.csv"},
      {"trajectory", "trajectory stanford --to 1,1,0.1,0,1,0 --time 1 -o out.csv"},
      {"linearize", "linearize stanford --q 0,1,0.1,0,0,0 --state-space"},
      {"compare", "compare planar2r"}};
  std::istringstream help(run("--help").out);
  std::set<std::string> offered;
  for (std::string line; std::getline(help, line);) {
    const std::string name = line.size() > 2 ? line.substr(2, line.find(' ', 2) - 2) : "";
    if (!line.starts_with("  ") || name.empty() || name.front() == '-' || name == "catena") continue;
    if (name == "report" || name == "identify") continue;  // identify's page is another: identify_report_test
    if (run(name + " --help").out.find("--report") != std::string::npos) offered.insert(name);
  }
  for (const std::string& name : offered) EXPECT_TRUE(commands.contains(name)) << name << " is not tried here";
  for (const auto& [name, command] : commands) {
    EXPECT_TRUE(offered.contains(name)) << name;
    fs::remove(folder_ / "out.csv");
    const Json page = payload(command + " --report page.html");
    ASSERT_EQ(page["scenes"].size(), 1U);
    const Json& scene = page["scenes"][0];
    EXPECT_EQ(page["version"], 1);
    EXPECT_EQ(scene["kind"], name);
    EXPECT_NE(scene["command"].get<std::string>().find("catena " + name), std::string::npos);
    EXPECT_EQ(scene["q"].size(), scene["robot"]["nq"].get<std::size_t>());
    if (fs::exists(folder_ / "out.csv")) expect_same(csv_of(contents(folder_ / "out.csv")), table_of(scene), name);
  }
}

TEST_F(ReportCli, ARobotIsTheOneOfTheCommandLine) {
  const Json scene =
      payload("report panda --lock panda_joint7=0.5 --payload tool:1.5,0,0,0.1 -o page.html")["scenes"][0];
  EXPECT_EQ(scene["robot"]["dof"], 6);
  EXPECT_EQ(scene["payloads"][0]["mass"], 1.5);
  make("again.toml", scene["toml"]);
  const Json from_page = run_json("gravity again.toml --q 0.1,0.2,0.3,-1,0.5,1");
  const Json from_model =
      run_json("gravity panda --lock panda_joint7=0.5 --payload tool:1.5,0,0,0.1 --q 0.1,0.2,0.3,-1,0.5,1");
  for (std::size_t j = 0; j < 6; ++j)
    EXPECT_NEAR(from_page["g"][j].get<double>(), from_model["g"][j].get<double>(), 1e-12);
}

// The page places links by origin, axis and child of every joint; Kinematics does by its own means.
TEST_F(ReportCli, PosesFollowFromTheDescription) {
  const std::map<std::string, std::string> robots{
      {"stanford", "0.3,-0.5,0.2,1,-1,0.5"}, {"pelican", "0.3,-1.1"}, {"ur5", "0.3,-1,1.2,0.4,-0.6,0.9"}};
  using Pose = std::array<double, 16>;
  const auto times = [](const Pose& a, const Pose& b) {
    Pose c{};
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t j = 0; j < 4; ++j)
        for (std::size_t k = 0; k < 4; ++k) c[4 * i + j] += a[4 * i + k] * b[4 * k + j];
    return c;
  };
  for (const auto& [name, q] : robots) {
    const Json robot = payload("report " + name + " --q " + q + " -o page.html")["scenes"][0]["robot"];
    const Json start = read("page.html")["scenes"][0]["q"];
    std::vector<Pose> at(robot["links"].size());
    for (Pose& pose : at) pose = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    for (const Json& joint : robot["joints"]) {
      const double x = joint["q"] >= 0 ? start[joint["q"].get<std::size_t>()].get<double>() : 0.0;
      const std::vector<double> u = joint["axis"];
      Pose motion{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
      if (joint["type"] == "prismatic") motion[3] = x * u[0], motion[7] = x * u[1], motion[11] = x * u[2];
      if (joint["type"] == "revolute") {
        const double c = std::cos(x), s = std::sin(x), v = 1 - c;
        motion = {c + v * u[0] * u[0],
                  v * u[0] * u[1] - s * u[2],
                  v * u[0] * u[2] + s * u[1],
                  0,
                  v * u[0] * u[1] + s * u[2],
                  c + v * u[1] * u[1],
                  v * u[1] * u[2] - s * u[0],
                  0,
                  v * u[0] * u[2] - s * u[1],
                  v * u[1] * u[2] + s * u[0],
                  c + v * u[2] * u[2],
                  0,
                  0,
                  0,
                  0,
                  1};
      }
      const Pose local = times(times(joint["origin"].get<Pose>(), motion), joint["child"].get<Pose>());
      at[joint["link"].get<std::size_t>()] = times(at[joint["parent"].get<std::size_t>()], local);
    }
    const auto& links = robot["links"];
    for (std::size_t k = 0; k < links.size(); ++k) {
      const Json pose = run_json("pose " + name + " --q " + q + " --frame " + links[k]["name"].get<std::string>());
      for (std::size_t i = 0; i < 16; ++i)
        EXPECT_NEAR(pose["T"][i / 4][i % 4].get<double>(), at[k][i], 1e-12) << name << " " << links[k]["name"];
    }
  }
}

TEST_F(ReportCli, RowsOfDenavitAndHartenbergAreFoundAgain) {
  const Json stanford = payload("report stanford -o page.html")["scenes"][0]["robot"];
  ASSERT_EQ(stanford["dh"].size(), 6U);
  const Json pelican = payload("report pelican -o page.html")["scenes"][0]["robot"];
  ASSERT_EQ(pelican["dh"].size(), 2U);
  EXPECT_EQ(pelican["dh"][0]["convention"], "classic");
  EXPECT_NEAR(pelican["dh"][0]["a"].get<double>(), 0.26, 1e-12);
  EXPECT_FALSE(payload("report ur5 -o page.html")["scenes"][0]["robot"].contains("dh"));
}

TEST_F(ReportCli, ResultsBelongToTheRobotBeforeThem) {
  ASSERT_EQ(run("trajectory ur5 --to 1,-1,1,0,0,0 --time 1 --rate 50 -o motion.csv").status, 0);
  ASSERT_EQ(run("inverse ur5 --trajectory motion.csv -o tau.csv").status, 0);
  ASSERT_EQ(run("simulate planar3r --time 0.5 --samples 51 -o fall.npy").status, 0);
  ASSERT_EQ(run("simulate planar3r --time 0.5 --samples 51 -o fall.csv").status, 0);
  ASSERT_EQ(run("trajectory ur5 --to 1,-1,1,0,0,0 --time 1 --rate 50 -o motion.npz").status, 0);
  const Json page = payload("report ur5 motion.csv tau.csv motion.npz planar3r fall.npy pelican -o page.html");
  ASSERT_EQ(page["scenes"].size(), 4U);
  EXPECT_EQ(page["scenes"][0]["kind"], "inverse");
  expect_same(csv_of(contents(folder_ / "motion.csv")), table_of(page["scenes"][0]), "motion");
  expect_same(csv_of(contents(folder_ / "tau.csv")), table_of(page["scenes"][0]), "tau");
  EXPECT_EQ(page["scenes"][1]["kind"], "trajectory");
  expect_same(csv_of(contents(folder_ / "motion.csv")), table_of(page["scenes"][1]), "npz");
  EXPECT_EQ(page["scenes"][2]["kind"], "simulate");
  expect_same(csv_of(contents(folder_ / "fall.csv")), table_of(page["scenes"][2]), "npy");
  EXPECT_EQ(page["scenes"][3]["kind"], "robot");
}

// Power is torque by speed, the balance what the energies leave, accelerations those of forward dynamics.
TEST_F(ReportCli, WhatFollowsFromTheSamplesIsThere) {
  const Table run =
      table_of(payload("simulate planar3r --time 1 --samples 201 -o out.csv --report page.html")["scenes"][0]);
  const Json first = run_json("forward planar3r");
  for (std::size_t j = 1; j <= 3; ++j) {
    const std::string k = std::to_string(j);
    EXPECT_NEAR(run.at("qdd" + k)[0], first["qdd"][j - 1].get<double>(), 1e-6);
    EXPECT_NEAR(run.at("power" + k)[100], run.at("tau" + k)[100] * run.at("qd" + k)[100], 1e-6);
  }
  EXPECT_NEAR(run.at("balance").back(), 0.0, 1e-6);
  const Table motion =
      table_of(payload("trajectory ur5 --to 1,-1,1,0,0,0 --time 1 --report page.html -o m.csv")["scenes"][0]);
  EXPECT_TRUE(motion.contains("tau6") && motion.contains("power6") && motion.contains("kinetic"));
}

// One state, a table of them with times and without, joints without motors, joints that come later, a free base.
TEST_F(ReportCli, EveryWayThroughACommandEndsInAPage) {
  for (const char* robot : {"planar3r", "pelican_crucible"}) {
    make("whole.csv", "t,q1,q2,q3,qd1,qd2,qd3\n0,0.3,0.2,-1.5,0,0,0\n0.1,0.4,0.2,-1.5,1,0,0\n");
    const Json scene =
        payload(std::string("inverse ") + robot + " --states whole.csv -o out.csv --report page.html")["scenes"][0];
    expect_same(csv_of(contents(folder_ / "out.csv")), table_of(scene), robot);
    expect_same(csv_of(contents(folder_ / "whole.csv")), table_of(scene), robot);
  }
  const Json one =
      payload("inverse ur5 --q 0,-1,1,0,0,0 --wrench tool0:0,0,-9,0,0,1 --wrench-axes world --report page.html");
  EXPECT_EQ(one["scenes"][0]["samples"]["count"], 1);
  EXPECT_EQ(one["scenes"][0]["wrenches"][0]["wrench"][2], -9.0);
  EXPECT_EQ(one["scenes"][0]["wrenches"][0]["axes"], "world");
  const Json tau = run_json("inverse ur5 --q 0,-1,1,0,0,0 --wrench tool0:0,0,-9,0,0,1 --wrench-axes world")["tau"];
  EXPECT_NEAR(table_of(one["scenes"][0]).at("tau2")[0], tau[1].get<double>(), 1e-12);
  const Json motion = payload("linearize planar3r --trajectory whole.csv -o out.csv --report page.html")["scenes"][0];
  EXPECT_EQ(motion["matrix"]["D"].size(), 3U);
  EXPECT_EQ(motion["matrix"]["poles"].size(), 6U);
  EXPECT_EQ(motion["samples"]["count"], 2);
  const Json grown =
      payload("simulate pelican --time 1 --event 't=0.5 attach " CATENA_SOURCE_DIR
              "/examples/crucible.toml at link2 as revolute' -o out.csv --report page.html")["scenes"][0];
  expect_same(csv_of(contents(folder_ / "out.csv")), table_of(grown), "joints that come later");
  EXPECT_EQ(grown["samples"]["events"].size(), 1U);
  EXPECT_FALSE(table_of(grown).contains("balance"));
  const Json fall = payload("simulate ur5 --floating-base --time 0.3 -o out.csv --report page.html")["scenes"][0];
  expect_same(csv_of(contents(folder_ / "out.csv")), table_of(fall), "a free base");
  EXPECT_EQ(fall["samples"]["columns"][4]["unit"], "");
}

TEST_F(ReportCli, NamesAreTextWhateverTheySay) {
  for (const std::string name :
       {"</script><script>alert(1)</script>", "<!--<script>", "it's \"quoted\" \\ & ]]>", "🤖 \u2028 arm"}) {
    std::string quoted;
    for (const char c : name) quoted += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
    make("robot.toml", "name = \"" + quoted + "\"\nconvention = \"classic\"\n[[link]]\nname = \"" + quoted +
                           "\"\njoint_name = \"" + quoted +
                           "\"\njoint = \"revolute\"\nmass = 1.0\ncom = [-0.5, 0, 0]\ninertia = [0.1, 0.1, 0.1]\n");
    const Json page = payload("simulate robot.toml --time 0.1 -o out.csv --report page.html");
    EXPECT_EQ(page["title"], name);
    EXPECT_EQ(page["scenes"][0]["robot"]["joints"][0]["name"], name);
    EXPECT_EQ(page["scenes"][0]["samples"]["columns"][1]["label"], name);
    const std::string text = contents(folder_ / "page.html");
    EXPECT_EQ(text.find("alert(1)</script>"), std::string::npos);
    EXPECT_EQ(text.find("\u2028"), std::string::npos);
  }
}

TEST_F(ReportCli, NumbersThatAreNone) {
  make("gaps.csv", "t,q1,q2,q3,tau1,tau2,tau3\n0,1,2,3,nan,inf,7\n0.1,nan,2,3,1,-inf,7\n0.2,1.5,nan,3,2,1e300,7\n");
  const Json page = payload("report planar3r gaps.csv -o page.html");
  expect_same(csv_of(contents(folder_ / "gaps.csv")), table_of(page["scenes"][0]), "gaps");
  make("nothing.csv", "t,q1,q2,q3\n0,nan,nan,nan\n1,nan,nan,nan\n");
  const Table nothing = table_of(payload("report planar3r nothing.csv -o page.html")["scenes"][0]);
  EXPECT_TRUE(std::isnan(nothing.at("q1")[1]));
  make("empty.csv", "t,q1,q2,q3\n");
  const Json empty = payload("report planar3r empty.csv -o page.html")["scenes"][0];
  EXPECT_EQ(empty["samples"]["count"], 0);
  EXPECT_NE(empty["notes"].dump().find("has no rows"), std::string::npos);
  make("hard.csv", "t,q1,q2,q3\n0,1e15,1e-250,5\n1,1000000000000001,3e-250,5\n2,1000000000000003,-2e-250,5\n");
  expect_same(csv_of(contents(folder_ / "hard.csv")),
              table_of(payload("report planar3r hard.csv -o page.html")["scenes"][0]), "hard");
}

constexpr const char* cube =
    "solid c\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid "
    "c\n";

TEST_F(ReportCli, MeshesComeAlongWhereTheirFilesAre) {
  fs::create_directories(folder_ / "arm_description" / "meshes");
  fs::create_directories(folder_ / "arm_description" / "urdf");
  make("arm_description/meshes/base.STL", cube);
  make("arm_description/meshes/tip.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  const auto visual = [](const std::string& geometry) {
    return "<visual><origin xyz='0 0 0.5' rpy='0 0 0'/><geometry>" + geometry +
           "</geometry><material name='blue'/></visual>";
  };
  make("arm_description/urdf/arm.urdf",
       "<robot name='arm'><material name='blue'><color rgba='0 0 1 1'/></material><link name='base'>" +
           visual("<mesh filename='package://arm_description/meshes/base.STL' scale='2 2 2'/>") +
           "</link><link name='tip'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' "
           "iyz='0'/></inertial>" +
           visual("<mesh filename='../meshes/tip.obj'/>") + visual("<mesh filename='package://nowhere/gone.dae'/>") +
           visual("<box size='1 2 3'/>") + visual("<mesh filename='../meshes/picture.ply'/>") +
           "</link><joint name='j' type='revolute'><parent link='base'/><child link='tip'/><axis xyz='0 0 1'/>"
           "<limit lower='-1' upper='1' velocity='1' effort='1'/></joint></robot>");
  const Result result = run("report arm_description/urdf/arm.urdf -o page.html");
  ASSERT_EQ(result.status, 0) << result.err;
  const Json scene = read("page.html")["scenes"][0];
  ASSERT_EQ(scene["meshes"].size(), 4U) << scene["meshes"].dump();
  const Json& base = scene["meshes"][0];
  EXPECT_EQ(base["link"], 0);
  EXPECT_EQ(base["format"], "stl");
  EXPECT_EQ(base["scale"], Json({2.0, 2.0, 2.0}));
  EXPECT_EQ(base["origin"][11], 0.5);
  EXPECT_EQ(base["color"][2], 1.0);
  EXPECT_EQ(inflated(bytes_of(base["data"]), std::string(cube).size()), cube);
  EXPECT_EQ(scene["meshes"][1]["format"], "obj");
  EXPECT_TRUE(scene["meshes"][2]["data"].is_null());
  EXPECT_EQ(scene["meshes"][2]["note"], "the file was not found");
  EXPECT_TRUE(scene["meshes"][3]["data"].is_string());
  EXPECT_NE(scene["notes"].dump().find("gone.dae"), std::string::npos);
  EXPECT_NE(scene["notes"].dump().find("picture.ply"), std::string::npos);
}

TEST_F(ReportCli, GeomsOfMjcfAreDrawn) {
  make("tip.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  const std::string seen =
      "<geom type='ellipsoid' size='.1 .2 .3' group='2' rgba='1 0 0 1'/>"
      "<geom type='capsule' fromto='0 0 0 0 0 1' size='.1' class='seen' material='blue'/>"
      "<geom type='mesh' mesh='tip' class='seen'/><geom type='mesh' mesh='own' class='seen'/>"
      "<geom type='box' size='.1 .2 .3' class='seen' rgba='0 0 0 0'/><geom type='plane' size='1 1 1' class='seen'/>";
  const auto file = [](const std::string& geoms) {
    return "<mujoco><default><default class='seen'><geom contype='0' conaffinity='0'/></default></default>"
           "<asset><material name='blue' rgba='0 0 1 1'/><mesh name='tip' file='tip.obj' scale='2 2 2' refpos='1 0 0'/>"
           "<mesh name='own' vertex='0 0 0 1 0 0 0 1 0 0 0 1' face='0 2 1 0 1 3 1 2 3 2 0 3'/></asset>"
           "<worldbody><body name='a' pos='1 0 0'><joint/><inertial mass='1' pos='0 0 0' diaginertia='1 1 1'/>"
           "<geom type='box' size='.1 .2 .3'/><frame pos='0 0 5'>" +
           geoms + "</frame></body></worldbody></mujoco>";
  };
  make("arm.xml", file(seen));
  const Json meshes = payload("report arm.xml -o page.html")["scenes"][0]["meshes"];
  ASSERT_EQ(meshes.size(), 4U) << meshes.dump();
  for (const Json& mesh : meshes) EXPECT_TRUE(mesh["data"].is_string()) << mesh.dump();
  EXPECT_EQ(meshes[0]["scale"], Json({0.1, 0.2, 0.3}));
  EXPECT_EQ(meshes[0]["color"], Json({1.0, 0.0, 0.0, 1.0}));
  EXPECT_EQ(meshes[1]["origin"][11], 5.5);
  EXPECT_EQ(meshes[1]["color"], Json({0.0, 0.0, 1.0, 1.0}));
  EXPECT_EQ(meshes[2]["origin"][3], -2.0);
  make("bare.xml", file(""));  // none is marked: all are drawn
  EXPECT_EQ(payload("report bare.xml -o page.html")["scenes"][0]["meshes"].size(), 1U);
}

TEST_F(ReportCli, AFreeBaseIsOneJoint) {
  const Json scene = payload("report ur5 --floating-base -o page.html")["scenes"][0];
  EXPECT_EQ(scene["robot"]["nq"], 13);
  EXPECT_EQ(scene["robot"]["joints"][0]["type"], "floating");
  EXPECT_EQ(scene["q"][6], 1.0);
  EXPECT_EQ(scene["robot"]["joints"][0]["q"], 0);
  for (const Json& joint : scene["robot"]["joints"]) {
    if (joint["v"] < 6) continue;
    EXPECT_EQ(joint["q"].get<int>(), joint["v"].get<int>() + 1);
  }
}

// Crank 0.1 m, coupler 0.36 m, rocker 0.25 m, ground 0.4 m: the ends of coupler and rocker stay together.
TEST_F(ReportCli, JointsThatFollowFromLoopsAreRecorded) {
  const Json scene = payload("simulate fourbar_press --time 1 --samples 41 --report page.html")["scenes"][0];
  const Table table = table_of(scene);
  const auto &q = table.at("q1"), &coupler = table.at("tree2"), &rocker = table.at("tree3");
  for (std::size_t i = 0; i < q.size(); ++i) {
    const double c = q[i] + coupler[i], r = rocker[i];
    EXPECT_NEAR(0.1 * std::cos(q[i]) + 0.36 * std::cos(c), 0.4 + 0.25 * std::cos(r), 1e-9) << i;
    EXPECT_NEAR(0.1 * std::sin(q[i]) + 0.36 * std::sin(c), 0.25 * std::sin(r), 1e-9) << i;
  }
  EXPECT_EQ(scene["robot"]["nt"], 3);
  EXPECT_EQ(scene["robot"]["start"].size(), 1U);
  for (const Json& joint : scene["robot"]["joints"]) {
    EXPECT_EQ(joint["name"] == "crank", joint["q"] == 0) << joint;
    EXPECT_EQ(joint["name"] == "crank", !joint.contains("tree")) << joint;
  }
  EXPECT_EQ(scene["tree"].size(), 3U);
  EXPECT_NEAR(scene["tree"][2], rocker[0], 1e-9);
}

TEST_F(ReportCli, LoopsAreClosedWhereARobotStandsFirst) {
  for (const std::string name : {"delta", "stewart", "palletizer", "gripper", "excavator"}) {
    const Json scene = payload("report " + name + " -o page.html")["scenes"][0];
    const std::string q = scene["q"].dump();
    const Json tree = run_json("place " + name + " --q=" + q.substr(1, q.size() - 2))["q_tree"];
    ASSERT_EQ(tree.size(), scene["tree"].size()) << name;
    for (std::size_t j = 0; j < tree.size(); ++j)
      EXPECT_NEAR(tree[j].get<double>(), scene["tree"][j].get<double>(), 1e-9) << name << " " << j;
  }
  const Json far = payload("report stewart --q 5,0,0,0,0,0 -o page.html")["scenes"][0];
  EXPECT_NE(far["notes"].dump().find("cannot close at leg 1 = 5"), std::string::npos) << far["notes"];
  EXPECT_LT(std::abs(far["q"][0].get<double>()), 1.0);
  EXPECT_FALSE(payload("report ur5 -o page.html")["scenes"][0].contains("tree"));
}

TEST_F(ReportCli, SixtySecondsAtOneKilohertzAreSmall) {
  const auto start = std::chrono::steady_clock::now();
  ASSERT_EQ(
      run("simulate panda --time 60 --samples 60001 --q 0,0.3,0,-1.5,0,1.8,0.8 --rtol 1e-6 --atol 1e-8 -o run.csv "
          "--report page.html")
          .status,
      0);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const auto bytes = fs::file_size(folder_ / "page.html");
  RecordProperty("megabytes", std::to_string(static_cast<double>(bytes) / 1e6));
  RecordProperty("seconds", std::to_string(seconds));
  EXPECT_LT(bytes, 4'500'000U) << "with the library and the page inside, 6 MB are to be enough";
  const Json scene = read("page.html")["scenes"][0];
  EXPECT_EQ(scene["samples"]["count"], 60001);
  expect_same(csv_of(contents(folder_ / "run.csv")), table_of(scene), "run");
}

TEST_F(ReportCli, BenchmarksAreRatios) {
  make(
      "bench.json",
      R"({"processor": "p", "compiler": "c", "flags": "-O3", "date": "d", "ns": {"inverse": {"ur5": {"catena": 100, "other": 250}}}})");
  const Json page = payload("report ur5 --benchmark bench.json -o page.html");
  EXPECT_EQ(page["benchmarks"][0]["rows"][0]["values"]["other"], 2.5);
  EXPECT_NE(refused("report ur5 --benchmark nowhere.json -o page.html").find("nowhere.json"), std::string::npos);
}

TEST_F(ReportCli, SaysWhatIsMissingOrWrong) {
  EXPECT_NE(refused("report run.csv -o page.html").find("give its robot first"), std::string::npos);
  EXPECT_NE(refused("report ur5 --deg -o page.html").find("--deg"), std::string::npos);
  EXPECT_NE(refused("report ur5 --rate 100 -o page.html").find("--rate"), std::string::npos);
  EXPECT_NE(refused("report ur5 panda --q 0,0,0,0,0,0 -o page.html").find("for a single robot"), std::string::npos);
  EXPECT_NE(refused("report ur5 -o page.pdf").find("must end in .html"), std::string::npos);
  EXPECT_NE(refused("simulate ur5 --time 1 --report page.txt").find("must end in .html"), std::string::npos);
  EXPECT_NE(refused("report ur5 nowhere.csv -o page.html").find("nowhere.csv: no such file"), std::string::npos);
  make("other.csv", "t,q1,q2\n0,1,2\n");
  EXPECT_NE(refused("report ur5 other.csv -o page.html").find(" has 6: is it of another robot?"), std::string::npos);
  make("bad.csv", "t,q1,q2,q3\n0,1,two,3\n");
  EXPECT_NE(refused("report planar3r bad.csv -o page.html").find("bad.csv:2: column q2: 'two' is not a number"),
            std::string::npos);
  make("headless.csv", "0,1,2,3\n");
  EXPECT_NE(refused("report planar3r headless.csv -o page.html").find("headless.csv:1"), std::string::npos);
  make("short.csv", "t,q1,q2,q3\n0,1,2\n");
  EXPECT_NE(refused("report planar3r short.csv -o page.html").find("short.csv:2: has 3 columns"), std::string::npos);
  EXPECT_FALSE(fs::exists(folder_ / "page.html"));
  ::setenv("CATENA_PAGE", (folder_ / "none.html").c_str(), 1);
  for (const char* command : {"report ur5 -o page.html", "simulate ur5 --time 1 --report page.html"})
    EXPECT_NE(refused(command, 1).find("'make page' builds it"), std::string::npos);
  use("<html>no mark</html>");
  EXPECT_NE(refused("report ur5 -o page.html", 1).find("catena-data"), std::string::npos);
}

}  // namespace
}  // namespace catena::report_cli_test

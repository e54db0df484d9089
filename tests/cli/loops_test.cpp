// Closed loops through the program: listed by info, kept by convert and assemble.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "catena/robot_file.hpp"
#include "support/four_bar.hpp"
#include "support/program.hpp"

namespace catena::loops_cli_test {
namespace {

using nlohmann::json;

class LoopsCli : public ProgramTest {
 protected:
  LoopsCli() { make("linkage.toml", to_toml(test::four_bar())); }
};

TEST_F(LoopsCli, InfoListsThem) {
  EXPECT_EQ(run_json("info linkage.toml")["loops"],
            json::parse(R"([{"name": "closure", "type": "revolute", "frames": ["coupler end", "rocker end"]}])"));
  EXPECT_EQ(run_json("info ur5")["loops"], json::array());
  const std::string text = run("info linkage.toml").out;
  EXPECT_NE(text.find("loop     closure: revolute, coupler end to rocker end\n"), std::string::npos) << text;
}

TEST_F(LoopsCli, ConvertKeepsThemBothWays) {
  ASSERT_EQ(run("convert linkage.toml -o linkage.urdf").status, 0);
  ASSERT_EQ(run("convert linkage.urdf -o again.toml").status, 0);
  EXPECT_EQ(run_json("info again.toml")["loops"], run_json("info linkage.toml")["loops"]);
  const std::string toml = contents(folder_ / "again.toml");
  EXPECT_NE(toml.find("independent = [\"crank\"]\nstart = { \"coupler\" = 0.54, \"rocker\" = 0.96 }\n"),
            std::string::npos)
      << toml;
}

TEST_F(LoopsCli, FormulationsAreComparedAndCountedWhereTheyClose) {
  for (const char* robot : {"fourbar_press", "bricard"}) {
    const json rows = run_json(std::string("compare ") + robot + " --compute inverse")["formulations"];
    ASSERT_GE(rows.size(), 8U) << robot;
    for (const json& row : rows) EXPECT_LT(row["disagreement"].get<double>(), 1e-9) << robot << " " << row["name"];
    const json counts = run_json(std::string("count ") + robot + " --compute inertia")["counts"];
    for (const json& row : counts)
      EXPECT_GT(row["online"]["multiplications"].get<long>(), 0) << robot << " " << row["name"];
  }
}

// A loop that opens while the robot runs, and one that closes.
TEST_F(LoopsCli, OpenAndCloseInARun) {
  const std::string run_it = "simulate linkage.toml --time 0.2 --samples 3 ";
  const json opened = run_json(run_it + "--event \"t=0.1 open closure\"");
  ASSERT_EQ(opened["segments"].size(), 2u);
  EXPECT_EQ(opened["segments"][0]["joints"], json::parse(R"(["crank"])"));
  EXPECT_EQ(opened["segments"][1]["joints"], json::parse(R"(["crank", "coupler", "rocker"])"));
  EXPECT_LT(opened["balance"].get<double>(), 1e-8);
  ASSERT_EQ(run(run_it + "--event \"t=0.1 open closure\" -o run.csv").status, 0);
  const std::string table = contents(folder_ / "run.csv");
  EXPECT_EQ(table.substr(0, table.find('\n')), "t,q1,q2,q3,qd1,qd2,qd3,tau1,tau2,tau3,kinetic,potential,work,losses");
  Robot open = test::four_bar();
  open.frames[0].name = "coupler_end", open.frames[1].name = "rocker_end";  // events are split at spaces
  open.loops.clear(), open.independent.clear(), open.start.clear();
  make("open.toml", to_toml(open));
  const std::string close = "--event \"t=1e-9 close coupler_end to rocker_end as revolute called pin\"";
  const json placed = run_json("place linkage.toml --q 0.3");
  const std::string q = fmt::format("{:.17g},{:.17g},{:.17g}", placed["q_tree"][0].get<double>(),
                                    placed["q_tree"][1].get<double>(), placed["q_tree"][2].get<double>());
  const json closed = run_json("simulate open.toml --time 0.2 --samples 3 --q " + q + " --qd 1,0,0 " + close);
  ASSERT_EQ(closed["segments"].size(), 2u);
  EXPECT_EQ(closed["segments"][1]["joints"].size(), 1u);
  EXPECT_GT(closed["changes"][0]["lost"].get<double>(), 1e-3);
  EXPECT_LT(closed["balance"].get<double>(), 1e-8);
  EXPECT_NE(refused("simulate open.toml --time 1 --event \"t=0.1 close coupler_end to nowhere\"").find("'nowhere'"),
            std::string::npos);
  EXPECT_NE(refused("simulate open.toml --time 1 --event \"t=0.1 close coupler_end to rocker_end as ball\"")
                .find("as 'ball': give revolute, prismatic, cylindrical, universal, spherical, planar, fixed"),
            std::string::npos);
  EXPECT_NE(refused("simulate open.toml --time 1 --event \"t=0.1 attach linkage.toml at coupler_end to ground\"")
                .find("is none of"),
            std::string::npos);
  EXPECT_NE(
      refused("simulate open.toml --time 1 --event \"t=0.1 close coupler_end\"").find("WHEN close FRAME to FRAME"),
      std::string::npos);
}

// Where every coordinate has a motor of its own, their torques are those of `inverse`, whatever else is given: a base
// that moves, wrenches, a load, a joint that follows. Two motors on joints that move alike share by their weights.
TEST_F(LoopsCli, MotorsOfCoordinatesGiveTheirTorques) {
  make("geared.toml", R"(name = "geared"
convention = "classic"
[[link]]
joint_name = "one"
joint = "revolute"
a = 1.0
mass = 2.0
com = [-0.5, 0.0, 0.0]
inertia = [0.0, 0.2, 0.2]
[[link]]
joint_name = "two"
joint = "revolute"
mimic = { joint = "one", multiplier = 2.0 }
a = 1.0
mass = 2.0
com = [-0.5, 0.0, 0.0]
inertia = [0.0, 0.2, 0.2]
[[link]]
joint_name = "three"
joint = "revolute"
a = 1.0
mass = 2.0
com = [-0.5, 0.0, 0.0]
inertia = [0.0, 0.2, 0.2]
)");
  const std::string state = " --q 0.1,0.2 --qd 1,2 --qdd 0.3,0.4 ";
  for (const auto& [robot, motors] :
       {std::pair<std::string, std::string>{"geared.toml", "one,three"}, {"five_bar", "\"left arm,right arm\""}})
    for (const std::string more : {"", "--base-twist 1,2,0,0,0,3 --base-acceleration 1,0,0,0,0,2",
                                   "--wrench tool:1,2,0,0,0,3", "--payload tool:1.5,0,0,0.1", "--engine compiled"}) {
      const std::string line = "inverse " + robot + state + more;
      const json alone = run_json(line), shared = run_json(line + " --motors " + motors);
      EXPECT_EQ(shared["tau"], alone["tau"]) << line;
      std::size_t at = 0;
      for (const json& torque : shared["motors"])
        EXPECT_NEAR(torque.get<double>(), alone["tau"][at++].get<double>(), 1e-9) << line;
      EXPECT_EQ(at, 2U);
    }
  const json all = run_json("inverse geared.toml" + state + "--motors one,two,three");
  const double first = all["motors"]["one"].get<double>();
  EXPECT_NEAR(first + 2.0 * all["motors"]["two"].get<double>(), all["tau"][0].get<double>(), 1e-9);
  EXPECT_NEAR(all["motors"]["two"].get<double>(), 2.0 * first, 1e-9);
}

TEST_F(LoopsCli, AssembleRenamesThem) {
  ASSERT_EQ(run("assemble linkage.toml linkage.toml --at ground --joint fixed --prefix b_ -o two.toml").status, 0);
  const json loops = run_json("info two.toml")["loops"];
  ASSERT_EQ(loops.size(), 2U);
  EXPECT_EQ(loops[1]["name"], "b_closure");
  EXPECT_EQ(loops[1]["frames"], (json{"b_coupler end", "b_rocker end"}));
}

}  // namespace
}  // namespace catena::loops_cli_test

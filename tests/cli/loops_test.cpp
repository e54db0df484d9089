// Closed loops through the program: listed by info, kept by convert and assemble.
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

TEST_F(LoopsCli, AssembleRenamesThem) {
  ASSERT_EQ(run("assemble linkage.toml linkage.toml --at ground --joint fixed --prefix b_ -o two.toml").status, 0);
  const json loops = run_json("info two.toml")["loops"];
  ASSERT_EQ(loops.size(), 2U);
  EXPECT_EQ(loops[1]["name"], "b_closure");
  EXPECT_EQ(loops[1]["frames"], (json{"b_coupler end", "b_rocker end"}));
}

}  // namespace
}  // namespace catena::loops_cli_test

// Springs of joints in the program: files, info, statics, linear models, equations, generated code.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "support/program.hpp"

namespace catena::springs_cli_test {
namespace {

using json = nlohmann::json;

class SpringsCli : public ProgramTest {
 protected:
  void SetUp() override { make("crane.toml", crane); }

  // A pendulum whose spring rests at 30 degrees, and a load on a spring in the direction of its link.
  static constexpr const char* crane = R"(name = "crane"
convention = "frames"
angles = "deg"
[[link]]
name = "boom"
joint = "revolute"
axis = [0, 1, 0]
mass = 2
com = [0.5, 0, 0]
inertia = [0, 0.1, 0.1]
spring = { stiffness = 40, rest = 30 }
[[link]]
name = "load"
joint = "prismatic"
axis = [1, 0, 0]
mass = 3
com = [0, 0, 0]
inertia = [0, 0, 0]
spring = { stiffness = 1000, rest = 0.7 }
passive = true
)";
};

TEST_F(SpringsCli, AreReadInfoedAndWritten) {
  const std::string text = run("info crane.toml").out;
  EXPECT_NE(text.find("spring   joint1: 40 N m/rad, at rest at 0.523599 rad\n"), std::string::npos) << text;
  EXPECT_NE(text.find("spring   joint2: 1000 N/m, at rest at 0.7 m\n"), std::string::npos) << text;
  const json tree = run_json("info crane.toml")["tree"];
  EXPECT_EQ(tree[0]["spring"], 40.0);
  EXPECT_NEAR(tree[0]["spring_rest"].get<double>(), M_PI / 6.0, 1e-15);
  for (const std::string file : {"same.toml", "same.urdf"}) {
    ASSERT_EQ(run("convert crane.toml -o " + file).status, 0) << file;
    EXPECT_EQ(run_json("info " + file)["tree"][0]["spring_rest"], tree[0]["spring_rest"]) << file;
    EXPECT_EQ(run_json("inverse " + file + " --q 0.3,0.2 --qd 1,2")["tau"],
              run_json("inverse crane.toml --q 0.3,0.2 --qd 1,2")["tau"])
        << file;
  }
  EXPECT_NE(contents(folder_ / "same.urdf").find("<catena spring=\"1000\" spring_rest=\"0.7\" passive=\"true\"/>"),
            std::string::npos);
}

TEST_F(SpringsCli, HoldAndLeaveOut) {
  const double q = 0.3, reach = 0.2, g = 9.81;
  const json held = run_json("gravity crane.toml --q 0.3,0.2")["g"];
  EXPECT_NEAR(held[0].get<double>(), -g * std::cos(q) * (2 * 0.5 + 3 * reach) + 40 * (q - M_PI / 6), 1e-10);
  EXPECT_NEAR(held[1].get<double>(), -3 * g * std::sin(q) + 1000 * (reach - 0.7), 1e-10);
  const json rigid = run_json("gravity crane.toml --q 0.3,0.2 --rigid")["g"];
  EXPECT_NEAR(rigid[1].get<double>(), -3 * g * std::sin(q), 1e-10);
  const json found = run_json("equilibrium crane.toml --q 0.3,0")["equilibria"];
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NEAR(found[0]["q"][1].get<double>(), 0.7 + 3 * g * std::sin(q) / 1000, 1e-10);
  EXPECT_NEAR(found[0]["stiffness"][0].get<double>(), 1000.0, 1e-8);
}

TEST_F(SpringsCli, StandInEquations) {
  const std::string text = run("equations crane.toml --format text --symbols all").out;
  for (const char* part : {"g1 = ", "k1 (q1 - qr1)", "k2 (q2 - qr2)", "k1    stiffness of the spring of joint 1",
                           "qr2   rest position of the spring of joint 2"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  const std::string numbers = run("equations crane.toml --format text --symbols none --compute gravity,energy").out;
  EXPECT_NE(numbers.find("40 q1"), std::string::npos) << numbers;
  EXPECT_NE(numbers.find("q1 (20 q1 - 20.944)"), std::string::npos) << numbers;
  const std::string rigid = run("equations crane.toml --format text --symbols all --rigid").out;
  EXPECT_EQ(rigid.find("k1"), std::string::npos) << rigid;
}

TEST_F(SpringsCli, StayArgumentsOfGeneratedCode) {
  const Result c = run("generate crane.toml --compute gravity --keep spring:1 --lang c");
  EXPECT_EQ(c.status, 0) << c.err;
  for (const char* part : {"parameters[0] is k1, in the model 40", "parameters[1] is qr1, in the model 0.523598"})
    EXPECT_NE(c.out.find(part), std::string::npos) << part << "\n" << c.out;
}

}  // namespace
}  // namespace catena::springs_cli_test

// Stribeck friction and constant torques in the program: files, info, equations, generated code, options, refusals.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "support/program.hpp"

namespace catena::stribeck_cli_test {
namespace {

using json = nlohmann::json;

class StribeckCli : public ProgramTest {
 protected:
  void SetUp() override { make("crane.toml", crane); }

  static constexpr const char* crane = R"(name = "crane"
convention = "frames"
[[link]]
name = "boom"
joint = "revolute"
axis = [0, 1, 0]
mass = 2
com = [0.5, 0, 0]
inertia = [0, 0.1, 0.1]
friction = { viscous = 0.5, coulomb = 1.5, stribeck = 0.8, stribeck_speed = 0.25 }
torque_offset = -0.7
[[link]]
name = "load"
joint = "prismatic"
axis = [1, 0, 0]
mass = 3
com = [0, 0, 0]
inertia = [0, 0, 0]
friction = { stribeck = 2, stribeck_speed = 0.1 }
spring = { stiffness = 100, rest = 0.2 }
torque_offset = 4
)";
};

TEST_F(StribeckCli, IsReadInfoedAndWritten) {
  const std::string text = run("info crane.toml").out;
  for (const char* line :
       {"stribeck joint1: 0.8 N m more at rest, 1/e of it at 0.25 rad/s\n", "offset   joint1: -0.7 N m\n",
        "stribeck joint2: 2 N more at rest, 1/e of it at 0.1 m/s\n", "offset   joint2: 4 N\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line << "\n" << text;
  const json tree = run_json("info crane.toml")["tree"];
  const std::string state = " --q 0.3,0.2 --qd 0.1,-0.05 --qdd 1,2";
  for (const std::string file : {"same.toml", "same.urdf", "same.xml"}) {
    ASSERT_EQ(run("convert crane.toml -o " + file).status, 0) << file;
    const json same = run_json("info " + file)["tree"];
    for (std::size_t j = 0; j < 2; ++j)
      for (const char* key : {"torque_offset", "stribeck", "stribeck_speed"})
        EXPECT_EQ(same[j][key], tree[j][key]) << file << " " << key;
    const json one = run_json("inverse " + file + state)["tau"], two = run_json("inverse crane.toml" + state)["tau"];
    for (std::size_t j = 0; j < 2; ++j) EXPECT_NEAR(one[j].get<double>(), two[j].get<double>(), 1e-12) << file;
  }
  make("degrees.toml", "angles = \"deg\"\n" + std::string(crane));
  EXPECT_NEAR(run_json("info degrees.toml")["tree"][0]["stribeck_speed"].get<double>(), 0.25 * M_PI / 180, 1e-15);
  EXPECT_EQ(run_json("info degrees.toml")["tree"][1]["stribeck_speed"], 0.1);
}

TEST_F(StribeckCli, ActsAndIsLeftOut) {
  const double v = 0.1, rises = 0.8 * std::exp(-(v / 0.25) * (v / 0.25));
  const std::string at = "crane.toml --q 0,0.2 --qd 0.1,0";
  EXPECT_NEAR(run_json("bias " + at)["b"][0].get<double>(), -9.81 * (1 + 0.6) + 0.05 + 1.5 + rises - 0.7, 1e-12);
  EXPECT_NEAR(run_json("bias " + at)["b"][1].get<double>(), 4.0 - 3 * 0.01 * 0.2, 1e-12);
  EXPECT_NEAR(run_json("bias " + at + " --rigid")["b"][0].get<double>(), -9.81 * 1.6, 1e-12);
  EXPECT_NEAR(run_json("bias " + at + " --friction joint1:2,3")["b"][0].get<double>(), -9.81 * 1.6 + 0.2 + 3 - 0.7,
              1e-12);
  EXPECT_NEAR(run_json("bias " + at + " --friction joint1:2,3,0.8,0.25")["b"][0].get<double>(),
              -9.81 * 1.6 + 0.2 + 3 + rises - 0.7, 1e-12);
  EXPECT_EQ(run_json("bias " + at + " --engine compiled")["b"].size(), 2U);
  for (const char* job : {"inverse", "linearize", "regressor", "energy"}) {
    const std::string state = std::string(job) + " crane.toml --q 0.3,0.1 --qd 0.1,-0.07" +
                              (std::string(job) == "energy" ? "" : " --qdd 1,2");
    const json generic = run_json(state), compiled = run_json(state + " --engine compiled");
    for (const auto& [key, value] : generic.items())
      if (value.is_array() && value[0].is_number()) {
        for (std::size_t k = 0; k < value.size(); ++k)
          EXPECT_NEAR(value[k].get<double>(), compiled[key][k].get<double>(), 1e-11) << job << " " << key;
      }
  }
}

TEST_F(StribeckCli, StandsInEquations) {
  const std::string text = run("equations crane.toml --format text --symbols all").out;
  for (const char* part : {"exp(-(qd1/0.25)^2)", "fs1", "to1", "k2 (q2 - qr2)", "fs1   Stribeck friction of joint 1",
                           "to1   offset of the torque of joint 1"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  const std::string latex = run("equations crane.toml --format latex --symbols none").out;
  EXPECT_NE(latex.find("e^{-(\\dot\\theta_1/0.25)^2}"), std::string::npos) << latex;
  EXPECT_EQ(run("equations crane.toml --format text --compute bias,damping,inverse").status, 0);
  EXPECT_NE(refused("equations ur5 --symbols fs1=fc1").find("the model has no Stribeck friction of joint 1"),
            std::string::npos);
  EXPECT_EQ(run("equations crane.toml --format text --rigid").out.find("exp("), std::string::npos);
}

TEST_F(StribeckCli, StaysAnArgumentOfGeneratedCode) {
  const Result c = run("generate crane.toml --compute bias --keep friction:1,spring:1 --lang c");
  EXPECT_EQ(c.status, 0) << c.err;
  for (const char* part : {"is fs1, in the model 0.8", "is to1, in the model -0.7", "2 exponentials", "_decay("})
    EXPECT_NE(c.out.find(part), std::string::npos) << part << "\n" << c.out;
  EXPECT_EQ(run("generate ur5 --compute inverse --lang c").out.find("_decay"), std::string::npos);
  EXPECT_NE(run("generate crane.toml --compute bias --lang python").out.find("np.exp(-"), std::string::npos);
  EXPECT_NE(run("generate crane.toml --compute bias --lang cuda").out.find("exp(-"), std::string::npos);
}

TEST_F(StribeckCli, RefusesWhatIsNoFriction) {
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = crane;
    text.replace(text.find(from), from.size(), to);
    make("bad.toml", text);
    return refused("info bad.toml");
  };
  EXPECT_NE(with(", stribeck_speed = 0.25", "").find("bad.toml:10"), std::string::npos);
  EXPECT_NE(with(", stribeck_speed = 0.25", "").find("stribeck_speed is missing"), std::string::npos);
  EXPECT_NE(with("stribeck_speed = 0.25", "stribeck_speed = 0").find("must be positive"), std::string::npos);
  EXPECT_NE(with("stribeck = 0.8", "stribeck = -1").find("negative"), std::string::npos);
  EXPECT_NE(with("torque_offset = -0.7", "torque_offset = \"much\"").find("torque_offset"), std::string::npos);
  EXPECT_NE(refused("info crane.toml --friction joint1:1,2,3").find("JOINT:viscous[,dry[,stribeck,speed]]"),
            std::string::npos);
}

// A joint that is pulled less than friction holds stays; one that is pulled more moves.
TEST_F(StribeckCli, HoldsInRuns) {
  make("wheel.toml",
       "name = \"wheel\"\nconvention = \"frames\"\n[[link]]\nname = \"l\"\njoint = \"revolute\"\naxis = [0, 0, 1]\n"
       "mass = 1\ncom = [0, 0, 0]\ninertia = [0.1, 0.1, 0.1]\n"
       "friction = { coulomb = 1, stribeck = 0.5, stribeck_speed = 0.1 }\ntorque_offset = 0.2\n");
  const std::string held = "simulate wheel.toml --json --time 1 --torque constant --tau ";
  EXPECT_EQ(run_json(held + "1.69")["q"].back()[0], 0.0);
  EXPECT_GT(run_json(held + "1.71")["q"].back()[0].get<double>(), 0.1);
  EXPECT_EQ(run_json(held + "-1.29")["q"].back()[0], 0.0);
  EXPECT_LT(run_json(held + "-1.31")["q"].back()[0].get<double>(), -0.1);
}

}  // namespace
}  // namespace catena::stribeck_cli_test

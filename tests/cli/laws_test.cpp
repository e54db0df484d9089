// catena laws, generate --law and simulate --torque of laws that step.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "catena/laws.hpp"
#include "support/program.hpp"
#include "support/shared_library.hpp"

namespace catena::laws_cli_test {
namespace {

using Json = nlohmann::json;

class LawsCli : public ProgramTest {
 protected:
  std::string succeeded(const std::string& arguments) const {
    const Result result = run(arguments);
    EXPECT_EQ(result.status, 0) << arguments << ": " << result.err;
    return result.out;
  }
};

std::string more_for(std::string_view law) {
  if (law == "null-space") return " --directions translation";
  if (law == "hybrid") return " --gain along=0,0,1,0,0,0";
  return "";
}

TEST_F(LawsCli, AreListedWithTheirGains) {
  const Json all = Json::parse(succeeded("laws --json"));
  EXPECT_EQ(all["laws"].size(), control_laws().size());
  const std::string text = succeeded("laws impedance");
  EXPECT_NE(text.find("stiffness"), std::string::npos);
  EXPECT_EQ(text.find("pid"), std::string::npos);
  EXPECT_NE(refused("laws impedence").find("did you mean 'impedance'"), std::string::npos);
}

TEST_F(LawsCli, EveryLawIsSimulatedAndWrittenAsC) {
  for (const LawInfo& law : control_laws()) {
    SCOPED_TRACE(std::string(law.name));
    const std::string name(law.name);
    const Json run = Json::parse(succeeded(
        "simulate ur5 --q 0.1,-1,1.2,0.3,0.8,0.2 --time 0.2 --period 0.002 --json --samples 3 --torque " + name +
        more_for(law.name) + (law.follows == LawInfo::Follows::frame ? "" : " --target 0.1,-1,1.2,0.3,0.8,0.2")));
    EXPECT_EQ(run["t"].size(), 3U);
    if (law.takes_schedule) continue;
    EXPECT_NE(succeeded("generate ur5 --law " + name + more_for(law.name)).find("void controller_step("),
              std::string::npos);
  }
}

// A goal without angles says where the frame goes, not how it turns.
TEST_F(LawsCli, AGoalThatIsAPointKeepsTheFrameTurnedAsItIs) {
  const std::string q = "0.1,-1,1.2,0.3,0.8,0.2";
  const Json pose = Json::parse(succeeded("pose ur5 --json --q " + q))["T"];
  const auto at = [&](int row) { return pose[row][3].dump(); };
  for (const std::string law : {"operational", "impedance"}) {
    const Json run =
        Json::parse(succeeded("simulate ur5 --time 0.2 --samples 2 --json --period 0.001 --directions all --torque " +
                              law + " --q " + q + " --goal " + at(0) + "," + at(1) + "," + at(2)));
    for (int j = 0; j < 6; ++j) EXPECT_NEAR(run["q"][1][j].get<double>(), run["q"][0][j].get<double>(), 1e-9) << law;
  }
}

TEST_F(LawsCli, GainsAlongAMotionAreATable) {
  succeeded("trajectory ur5 --to 1,-1,1,0,0,0 --time 2 --rate 50 -o motion.csv");
  succeeded("generate ur5 --law lqr --trajectory motion.csv --name follow -o follow.c");
  const std::string text = contents(folder_ / "follow.c");
  EXPECT_NE(text.find("follow_gains_at"), std::string::npos);
  test::SharedLibrary compiles(text, "-std=c99 -O1 -Wall -Wextra -Werror -pedantic");
  EXPECT_NE(contents(folder_ / "follow.h").find("#define FOLLOW_STATES 1"), std::string::npos);
}

TEST_F(LawsCli, WhatDoesNotFitIsRefused) {
  const auto says = [&](const std::string& arguments, const std::string& words) {
    EXPECT_NE(refused(arguments).find(words), std::string::npos) << refused(arguments);
  };
  says("generate ur5 --law pid --compute inverse", "--compute does not go with --law");
  says("generate ur5 --law pid --lang python", "--law writes C");
  says("generate ur5 --law pid --gain kx=1", "has no parameter 'kx'; it has kp, ki, kd");
  says("generate ur5 --law pid --gain kp", "--gain kp: give a name and its values");
  says("generate ur5 --law pid --gain kp=1 --gain kp=2", "given twice");
  says("generate ur5 --law pid --directions all", "--directions does not go with --law pid");
  says("generate ur5 --law lqr", "--law lqr needs --trajectory");
  says("generate ur5 --law pid --weights 1,1,1", "--weights does not go with --law pid");
  says("generate ur5 --law null-space", "more joints than directions");
  says("generate planar2r --law impedance", "needs a joint for each of 3 directions");
  says("simulate ur5 --time 1 --torque pid --goal 0,0,0", "--goal does not go with --torque pid");
  says("simulate ur5 --time 1 --torque impedance --target 0,0,0,0,0,0", "--target does not go with --torque impedance");
  says("simulate ur5 --time 1 --torque pid --kp 3", "--gain kp=");
  says("simulate ur5 --time 1 --torque computed --gain kp=3", "--gain goes with a --torque that steps");
  says("simulate ur5 --time 1 --torque pid --period 0", "--period must be positive");
  says("simulate ur5 --time 1 --torque pid --force 0,0,1", "--force does not go with --torque pid");
}

}  // namespace
}  // namespace catena::laws_cli_test

// Elastic joints in the program: files, what is stiff, feed-forward, what is refused.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "support/program.hpp"

namespace catena::elastic_cli_test {
namespace {

using json = nlohmann::json;

class ElasticCli : public ProgramTest {
 protected:
  void SetUp() override {
    text_ = contents(std::string(CATENA_SOURCE_DIR) + "/examples/elastic_arm.toml");
    make("arm.toml", text_);
    std::string stiff = text_;
    for (std::size_t at = 0; (at = stiff.find("elastic = ")) != std::string::npos;)
      stiff.erase(at, stiff.find('\n', at) - at);
    make("stiff.toml", stiff);
  }
  // The file with one text in place of another.
  std::string with(const std::string& from, const std::string& to) const {
    std::string text = text_;
    text.replace(text.find(from), from.size(), to);
    make("other.toml", text);
    return "other.toml";
  }

  std::string text_;
};

TEST_F(ElasticCli, IsReadInfoedAndWritten) {
  const std::string said = run("info arm.toml").out;
  EXPECT_NE(said.find("elastic  elbow: 5000 N m/rad, damping 0, reduced coupling\n"), std::string::npos) << said;
  const json elastic = run_json("info arm.toml")["tree"][2]["elastic"];
  EXPECT_EQ(elastic["stiffness"], 5000.0);
  EXPECT_EQ(elastic["coupling"], "reduced");
  const std::string state = " --q 0.1,0.2,0.3,0.15,0.25,0.35 --qd 1,2,3,4,5,6 --tau 0,0,0,7,8,9";
  const json before = run_json("forward arm.toml" + state)["qdd"];
  for (const std::string file : {"same.toml", "same.urdf", "same.mjcf"}) {
    ASSERT_EQ(run("convert arm.toml -o " + file).status, 0) << file;
    const json after = run_json("forward " + file + state)["qdd"];
    for (std::size_t k = 0; k < 6; ++k)
      EXPECT_NEAR(after[k].get<double>(), before[k].get<double>(), 1e-8 * std::abs(before[k].get<double>())) << file;
  }
}

TEST_F(ElasticCli, StiffIsTheRobotWithoutTheLine) {
  for (const std::string job : {"linearize", "bias", "energy", "coriolis", "regressor"})
    for (const std::string options : {" --lock shoulder=0.3 --q 0.1,0.3 --qd 1,2",
                                      " --payload tool:1,0,0,0.1 --friction elbow:3,1 --q 0.1,0.2,0.3 --qd 1,2,3"})
      EXPECT_EQ(run_json(job + " arm.toml --stiff" + options), run_json(job + " stiff.toml" + options)) << job;
  EXPECT_EQ(run_json("inertia arm.toml --rigid"), run_json("inertia stiff.toml --rigid"));
  EXPECT_EQ(run_json("kinematics arm.toml --q 0.1,0.2,0.3"), run_json("kinematics stiff.toml --q 0.1,0.2,0.3"));
}

// Every command that computes takes it.
TEST_F(ElasticCli, GivesNumbersInEveryJob) {
  const json given{
      {"q", "0.1,0.2,0.3,0.15,0.25,0.35"}, {"qd", "1,2,3,4,5,6"}, {"qdd", "0,0,0,1,1,1"}, {"tau", "0,0,0,7,8,9"}};
  const json table = run_json("jobs");
  for (const json& job : table["jobs"]) {
    const std::string name = job["name"];
    if (name == "loop_forces") continue;
    std::string line = "run arm.toml --payload tool:1,0,0,0.1 --friction elbow:3,1 --json --compute " + name;
    for (const std::string input : job["inputs"]) {
      if (given.contains(input) && !(name == "hybrid" && input == "tau"))
        line += " --" + input + "=" + given[input].get<std::string>();
      if (input == "wrenches") line += " --wrench tool:1,2,3,0,0,0";
    }
    const Result result = run(line);
    EXPECT_EQ(result.status, 0) << line << ": " << result.err;
  }
  for (const std::string command :
       {"simulate arm.toml --time 0.02 --samples 3 --json", "linearize arm.toml --state-space --json",
        "equations arm.toml --stiff --compute gravity --format text", "generate arm.toml --compute inverse --lang c",
        "count arm.toml --compute forward", "equilibrium arm.toml", "check arm.toml", "report arm.toml -o page.html",
        "simulate arm.toml --time 0.02 --samples 3 --floating-base --json", "links arm.toml",
        "trajectory arm.toml --to 1,1,1 --time 1"}) {
    const Result result = run(command);
    EXPECT_EQ(result.status, 0) << command << ": " << result.err;
  }
}

// The table of feed-forward moves the simulated robot along it without feedback.
TEST_F(ElasticCli, FeedForwardIsFollowed) {
  const std::string plan = "trajectory arm.toml --to 1,0.5,-0.5 --time 0.6 --profile septic --feed-forward";
  const json motion = run_json(plan + " --samples 7");
  ASSERT_EQ(motion["tau"][3].size(), 6U);
  EXPECT_EQ(motion["tau"][3][1], 0.0);
  EXPECT_GT(std::abs(motion["tau"][3][4].get<double>()), 1.0);
  ASSERT_EQ(run(plan + " --samples 601 -o motion.csv").status, 0);
  const json moved =
      run_json("simulate arm.toml --torque feedforward --trajectory motion.csv --kp 0 --kd 0 --time 0.6 --samples 7");
  for (std::size_t k = 0; k < 7; ++k)
    for (std::size_t j = 0; j < 6; ++j)
      EXPECT_NEAR(moved["q"][k][j].get<double>(), motion["q"][k][j].get<double>(), 1e-5) << k << " " << j;
  EXPECT_NE(refused("trajectory arm.toml --to 1,0,0 --time 1 --feed-forward").find("--profile septic"),
            std::string::npos);
  EXPECT_NE(
      refused("trajectory stiff.toml --to 1,0,0 --time 1 --profile septic --feed-forward").find("none of its joints"),
      std::string::npos);
}

TEST_F(ElasticCli, RefusesInOneLine) {
  const auto says = [&](const std::string& from, const std::string& to, const std::string& words) {
    EXPECT_NE(refused("inertia " + with(from, to)).find(words), std::string::npos) << to;
  };
  says("stiffness = 5000.0", "stiffness = 0", "elastic: stiffness 0 must be positive");
  says("stiffness = 5000.0", "damping = 1", "stiffness is missing");
  says("stiffness = 5000.0", "stiffness = 1, damping = -2", "must not be negative");
  says("stiffness = 5000.0", "stiffness = 1, coupling = \"some\"", "\"reduced\" or \"full\"");
  says("inertia = 3e-5, gear_ratio = 100", "gear_ratio = 100", "needs a rotor");
  EXPECT_NE(refused("equations arm.toml").find("--stiff"), std::string::npos);
  EXPECT_NE(refused("inertia arm.toml --passive elbow").find("passive and cannot be elastic"), std::string::npos);
}

}  // namespace
}  // namespace catena::elastic_cli_test

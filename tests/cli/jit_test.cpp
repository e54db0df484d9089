// catena COMMAND --engine: the same numbers from compiled code, and one line when the generic path has to serve.
#include <cmath>

#include "catena/batch.hpp"
#include "support/program.hpp"

namespace catena::jit_cli_test {
namespace {

class JitCli : public ProgramTest {
 protected:
  JitCli() { ::setenv("CATENA_CACHE_DIR", (folder_ / "cache").c_str(), 1); }
  ~JitCli() override { ::unsetenv("CATENA_CACHE_DIR"); }

  static void flatten(const nlohmann::json& value, std::vector<double>& numbers) {
    if (!value.is_array()) return numbers.push_back(value.get<double>());
    for (const auto& entry : value) flatten(entry, numbers);
  }
  static void expect_same(const nlohmann::json& a, const nlohmann::json& b, const std::string& what) {
    std::vector<double> x, y;
    flatten(a, x), flatten(b, y);
    ASSERT_EQ(x.size(), y.size()) << what;
    for (std::size_t k = 0; k < x.size(); ++k) EXPECT_NEAR(x[k], y[k], 1e-11 * (1.0 + std::abs(y[k]))) << what;
  }
  // Status 0, this engine, nothing said on stderr but what begins like this.
  nlohmann::json expect_engine(const std::string& arguments, const std::string& engine, const std::string& said) const {
    const Result result = run(arguments + " --json");
    EXPECT_EQ(result.status, 0) << result.err;
    const auto json = nlohmann::json::parse(result.out);
    EXPECT_EQ(json["engine"], engine) << arguments;
    EXPECT_EQ(json.contains("compile_seconds"), engine == "compiled") << arguments;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), said.empty() ? 0 : 1) << result.err;
    EXPECT_NE(result.err.find(said), std::string::npos) << result.err;
    return json;
  }
};

TEST_F(JitCli, EveryCommandHasIt) {
  const std::string q = " --q 0.1,-1,1,0.3,0.2,0", qd = " --qd 0.1,0.2,0.3,0.4,0.5,0.6";
  const std::pair<std::string, std::string> commands[] = {{"inverse ur5" + q + qd + " --qdd 1,2,3,4,5,6", "tau"},
                                                          {"gravity ur5" + q, "g"},
                                                          {"static ur5" + q, "tau"},
                                                          {"inertia ur5" + q, "M"},
                                                          {"bias ur5" + q + qd, "b"},
                                                          {"coriolis ur5" + q + qd, "C"},
                                                          {"forward ur5" + q + qd + " --tau 1,-40,-10,0,1,2", "qdd"}};
  for (const auto& [command, key] : commands) {
    const auto generic = expect_engine(command, "generic", "");
    const auto compiled = expect_engine(command + " --engine compiled", "compiled", "");
    expect_same(compiled[key], generic[key], command);
  }
  EXPECT_NE(refused("inverse ur5 --engine fast").find("--engine"), std::string::npos);
}

// Bodies that are so long that they are compiled in parts, for one state and for many.
TEST_F(JitCli, LongBodiesGiveTheSame) {
  std::string chain = "name = \"chain\"\nconvention = \"classic\"\n", q, qd;
  for (int j = 0; j < 9; ++j) {
    chain +=
        "[[link]]\njoint = \"revolute\"\nalpha = 1.2\na = 0.1\nd = 0.2\nmass = 1.5\ncom = [0.01, 0.02, 0.03]\n"
        "inertia = [0.01, 0.02, 0.025]\n";
    q += (j > 0 ? "," : "") + std::to_string(0.3 * j - 1.0), qd += (j > 0 ? "," : "") + std::to_string(0.1 * j);
  }
  make("chain.toml", chain);
  const std::string command = "response chain.toml --q=" + q + " --qd=" + qd;
  const auto generic = expect_engine(command, "generic", "");
  const auto compiled = expect_engine(command + " --engine compiled", "compiled", "");
  for (const char* key : {"qdd_q", "qdd_qd", "qdd_tau"}) expect_same(compiled[key], generic[key], key);
  make("to_npy.py", "import numpy\nnumpy.save('in.npy', numpy.array([[" + q + "], [" + qd + "]]))\n");
  ASSERT_EQ(shell(CATENA_PYTHON " to_npy.py").status, 0);
  const std::string batch = "run chain.toml --compute response --states in.npy -o ";
  ASSERT_EQ(run(batch + "generic.npy").status, 0);
  ASSERT_EQ(run(batch + "compiled.npy --engine compiled").status, 0);
  const Result unnamed = run(batch + "unnamed.npy --json");  // whatever the cache now holds
  EXPECT_EQ(nlohmann::json::parse(unnamed.out)["jobs"]["response"]["engine"],
            std::string(batch_engine_name(default_engine)));
  make("compare.py",
       "import numpy\na, b = numpy.load('generic.npy'), numpy.load('compiled.npy')\n"
       "assert a.shape == b.shape and abs(a - b).max() < 1e-9 * abs(a).max(), abs(a - b).max()\n");
  EXPECT_EQ(shell(CATENA_PYTHON " compare.py").status, 0);
}

TEST_F(JitCli, AutoTakesWhatIsCached) {
  expect_engine("gravity pelican --engine auto", "generic", "");
  EXPECT_GT(expect_engine("gravity pelican --engine compiled", "compiled", "")["compile_seconds"], 0.0);
  EXPECT_EQ(expect_engine("gravity pelican --engine auto", "compiled", "")["compile_seconds"], 0.0);
  expect_engine("gravity pelican", std::string(batch_engine_name(default_engine)), "");
  // Another method is another program.
  const auto json = expect_engine("gravity pelican --engine compiled --method denoc", "compiled", "");
  EXPECT_EQ(json["method"], "denoc");
}

TEST_F(JitCli, Tables) {
  make("states.csv", "q1,q2,qd1,qd2,qdd1,qdd2\n0.1,0.2,0.3,0.4,0.5,0.6\n1,2,3,4,5,6\n");
  const auto generic = expect_engine("inverse pelican --states states.csv", "generic", "");
  const auto compiled = expect_engine("inverse pelican --states states.csv --engine compiled", "compiled", "");
  expect_same(compiled["tau"], generic["tau"], "table");
  make("bad.csv", "q1,q2,qd1,qd2\n0.1,0.2,0.3,0.4\n1,2,1e200,1e200\n");
  const std::string said = refused("inverse pelican --states bad.csv --engine compiled", 1);
  EXPECT_EQ(said, refused("inverse pelican --states bad.csv", 1));
  EXPECT_NE(said.find("bad.csv:3: the torque is not finite"), std::string::npos) << said;
}

TEST_F(JitCli, WrenchesActOnCompiledCodeToo) {
  const std::pair<std::string, std::string> keys[] = {
      {"inverse", "tau"}, {"gravity", "g"}, {"static", "tau"}, {"bias", "b"}, {"forward", "qdd"}};
  for (const auto& [job, key] : keys) {
    const std::string pushed = job + " ur5 --q 0,-1,1,0,0.3,0 --wrench tool0:0,0,-10,1,0,0 --wrench-axes world";
    const auto compiled = expect_engine(pushed + " --engine compiled", "compiled", "");
    const auto generic = expect_engine(pushed, "generic", "");
    expect_same(compiled[key], generic[key], job);
    EXPECT_NE(generic[key], expect_engine(job + " ur5 --q 0,-1,1,0,0.3,0", "generic", "")[key]);
  }
}

TEST_F(JitCli, WhatCompiledCodeCannotDo) {
  const Result along = run("inverse ur5 --to 1,-1,1,0,0,0 --time 2 --rate 2 --engine compiled --json");
  EXPECT_EQ(along.status, 0);
  EXPECT_NE(along.err.find("catena: compiled code cannot follow motions and their limits"), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(along.out)["engine"], "generic");
}

TEST_F(JitCli, WithoutACompilerOrACache) {
  const auto with = [&](const std::string& variable) {
    return shell("export " + variable + "; \"$CATENA\" gravity ur5 --engine compiled --json");
  };
  const auto expected = expect_engine("gravity ur5", "generic", "")["g"];
  const std::pair<std::string, std::string> troubles[] = {
      {"CC=/nonexistent/cc", "no C compiler: $CC is '/nonexistent/cc', which cannot be run"},
      {"CC=false", "failed with status 1"},
      {"CATENA_CACHE_DIR=/proc/none", "cannot make the folder '/proc/none'"}};
  for (const auto& [variable, why] : troubles) {
    const Result result = with(variable);
    EXPECT_EQ(result.status, 0);
    EXPECT_EQ(nlohmann::json::parse(result.out)["engine"], "generic");
    expect_same(nlohmann::json::parse(result.out)["g"], expected, variable);
    EXPECT_EQ(result.err.find("catena: "), 0U);
    EXPECT_NE(result.err.find(why), std::string::npos) << result.err;
    EXPECT_NE(result.err.find("; the generic engine is used instead\n"), std::string::npos) << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1);
  }
  const Result quiet = shell("CC=/nonexistent/cc \"$CATENA\" gravity ur5 --engine auto --json");
  EXPECT_EQ(quiet.err, "");
  EXPECT_EQ(nlohmann::json::parse(quiet.out)["engine"], "generic");
}

TEST_F(JitCli, Simulation) {
  const std::string fall = "simulate planar3r --time 0.5 --samples 11";
  const auto generic = expect_engine(fall, "generic", "");
  const auto compiled = expect_engine(fall + " --engine compiled", "compiled", "");
  std::vector<double> q, expected;
  flatten(compiled["q"], q), flatten(generic["q"], expected);
  for (std::size_t k = 0; k < q.size(); ++k) EXPECT_NEAR(q[k], expected[k], 1e-7);
}

// A singular robot is refused with the same words, after the line that says who found out.
TEST_F(JitCli, SingularRobots) {
  make("light.toml",
       "name = \"light\"\nconvention = \"classic\"\n"
       "[[link]]\njoint = \"revolute\"\na = 1.0\nmass = 1.0\ncom = [-0.5, 0, 0]\ninertia = [0, 0.1, 0.1]\n"
       "[[link]]\njoint = \"revolute\"\na = 1.0\nmass = 0.0\n");
  const Result generic = run("forward light.toml 2>&1"), compiled = run("forward light.toml --engine compiled 2>&1");
  EXPECT_EQ(generic.status, 1);
  EXPECT_EQ(compiled.status, 1);
  EXPECT_NE(compiled.out.find("moves no inertia of its own"), std::string::npos) << compiled.out;
  const std::string last = generic.out.substr(generic.out.rfind("catena: "));
  EXPECT_NE(compiled.out.find(last), std::string::npos) << compiled.out << last;
}

}  // namespace
}  // namespace catena::jit_cli_test

// simulate --wrench and --wrench-table, as typed.
#include <gtest/gtest.h>

#include "support/program.hpp"

namespace catena::wrench_cli_test {
namespace {

class WrenchCli : public ProgramTest {};

constexpr const char* run_of_ur5 = "simulate ur5 --q 0,-1,1,0,0,0 --time 0.3 --samples 4 ";

TEST_F(WrenchCli, ATableOfOneRowIsAConstantWrench) {
  make("w.csv", "t,fx,fy,fz,mx,my,mz\n0,1,2,-30,0.5,0,0.25\n");
  make("mixed.csv", "mz, my ,mx,fz,fy,fx,t\n0.25,0,0.5,-30,2,1,7\n");
  ASSERT_EQ(shell(CATENA_PYTHON " -c \"import numpy as np; np.save('w.npy', [[0, 1, 2, -30, 0.5, 0, 0.25]]); "
                                "np.savez('w.npz', t=[0.], fx=[1.], fy=[2.], fz=[-30.], mx=[.5], my=[0.], mz=[.25])\"")
                .status,
            0);
  const nlohmann::json typed = run_json(run_of_ur5 + std::string("--wrench tool0:1,2,-30,0.5,0,0.25"));
  EXPECT_NE(typed["q"][3], run_json(run_of_ur5)["q"][3]);
  EXPECT_LT(typed["balance"].get<double>(), 1e-7);
  EXPECT_NE(typed["external"][3], 0.0);
  for (const char* file : {"w.csv", "mixed.csv", "w.npy", "w.npz"}) {
    const nlohmann::json tabled = run_json(run_of_ur5 + std::string("--wrench-table tool0:") + file);
    EXPECT_EQ(tabled["q"], typed["q"]) << file;
    EXPECT_EQ(tabled["external"], typed["external"]) << file;
  }
  const nlohmann::json both =
      run_json(run_of_ur5 + std::string("--wrench-table tool0:w.csv --wrench tool0:-1,-2,30,-0.5,0,-0.25"));
  const nlohmann::json none = run_json(run_of_ur5);
  for (std::size_t j = 0; j < 6; ++j) EXPECT_NEAR(both["q"][3][j].get<double>(), none["q"][3][j].get<double>(), 1e-9);
}

// What holds an arm against a wrench by `static` holds it in a run with the wrench, in the axes of the base as well.
TEST_F(WrenchCli, TorquesOfStaticHoldARunUnderTheSameWrench) {
  for (const char* axes : {"frame", "world"}) {
    const std::string wrench = std::string(
                                   " --wrench tool0:1,2,-30,0.5,0,0.25 --wrench forearm_link:0,3,0,0,1,0 "
                                   "--wrench-axes ") +
                               axes;
    const nlohmann::json tau = run_json("static ur5 --q 0,-1,1,0,0.5,0" + wrench)["tau"];
    std::string typed;
    for (const auto& t : tau) typed += (typed.empty() ? "" : ",") + t.dump();
    const nlohmann::json result =
        run_json("simulate ur5 --q 0,-1,1,0,0.5,0 --time 0.2 --samples 2 --torque constant --tau=" + typed + wrench);
    const double start[] = {0.0, -1.0, 1.0, 0.0, 0.5, 0.0};
    for (std::size_t j = 0; j < 6; ++j) EXPECT_NEAR(result["q"][1][j].get<double>(), start[j], 1e-9) << axes;
  }
}

TEST_F(WrenchCli, ItActsBesidePayloadStopsFrictionAndEventsThatChangeTheRobot) {
  const std::string part = std::string(CATENA_SOURCE_DIR) + "/examples/crucible.toml";
  const nlohmann::json changing = run_json(
      "simulate pelican --time 1 --payload link2:0.5,0,0,0 --wrench link2:0,3,0,0,0,0 --wrench "
      "load_crucible:0,0,0,0,0,0.1 --torque pd-gravity --event \"t=0.4 attach " +
      part + " at link2 as revolute called load\" --event \"t=0.8 detach load\"");
  EXPECT_LT(changing["balance"].get<double>(), 1e-6);
  ASSERT_EQ(changing["segments"].size(), 3U);
  EXPECT_NE(changing["segments"][2]["external"].back(), changing["segments"][0]["external"].back());
  const Result table = run("simulate planar2r --time 0.1 --samples 2 --wrench link2:0,3,0,0,0,0");
  EXPECT_EQ(table.out.substr(0, table.out.find('\n')),
            "t,q1,q2,qd1,qd2,tau1,tau2,kinetic,potential,work,losses,external");
}

TEST_F(WrenchCli, WhatIsWrongIsSaidInOneLine) {
  make("short.csv", "t,fx,fy\n0,1,2\n");
  make("late.csv", "t,fx,fy,fz,mx,my,mz\n1,0,0,0,0,0,0\n0.5,0,0,0,0,0,0\n");
  make("more.csv", "t,fx,fy,fz,mx,my,mz,extra\n1,0,0,0,0,0,0,0\n");
  make("word.csv", "t,fx,fy,fz,mx,my,mz\n1,0,0,zero,0,0,0\n");
  make("none.csv", "t,fx,fy,fz,mx,my,mz\n");
  ASSERT_EQ(shell(CATENA_PYTHON " -c \"import numpy as np; np.save('six.npy', np.zeros((2, 6)))\"").status, 0);
  const std::pair<const char*, const char*> cases[] = {
      {"--wrench-table tool0:short.csv", "short.csv:1: the header has no column fz"},
      {"--wrench-table tool0:late.csv", "late.csv:3: t = 0.5 comes after 1; times must increase"},
      {"--wrench-table tool0:more.csv", "column 'extra': the columns are t, fx, fy, fz, mx, my, mz"},
      {"--wrench-table tool0:word.csv", "word.csv:2: column fz: 'zero' is not a number"},
      {"--wrench-table tool0:none.csv", "none.csv: has no rows"},
      {"--wrench-table tool0:six.npy", "six.npy: the array has 6 columns; give 7 (t, fx, fy, fz, mx, my, mz)"},
      {"--wrench-table hand:late.csv", "no frame 'hand'"},
      {"--wrench-table late.csv", "write FRAME:FILE"},
      {"--wrench tool0:1,2,3", "has 3 numbers; give fx,fy,fz,mx,my,mz"},
      {"--wrench hand:1,2,3,4,5,6", "no frame 'hand'"},
      {"--wrench-axes world", "--wrench"}};
  for (const auto& [arguments, what] : cases)
    EXPECT_NE(refused(run_of_ur5 + std::string(arguments)).find(what), std::string::npos)
        << arguments << ": " << refused(run_of_ur5 + std::string(arguments));
}

}  // namespace
}  // namespace catena::wrench_cli_test

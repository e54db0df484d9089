// Options of the program as such: those that mean nothing without another, values that are empty, help.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "catena/job.hpp"
#include "support/program.hpp"

namespace catena::options_cli_test {
namespace {

class OptionsCli : public ProgramTest {
 protected:
  void expect_refused(const std::string& arguments, const std::string& option, const std::string& companion) const {
    const std::string err = refused(arguments);
    EXPECT_EQ(err.find("catena: "), 0U) << err;
    EXPECT_NE(err.find(option), std::string::npos) << arguments << ": " << err;
    EXPECT_NE(err.find(companion), std::string::npos) << arguments << ": " << err;
  }
};

struct Pair {
  std::string command, option, companion;
};

// Those of LogOptions.
std::vector<Pair> log_pairs(const std::string& command) {
  std::vector<Pair> all;
  for (const char* option :
       {"--column q1=a", "--unit q=deg", "--offset q1=pi", "--swap q1,q2", "--columns t,q1", "--gear model",
        "--rate 100", "--from 1", "--to 2", "--cutoff 5", "--order 2", "--derivative savgol", "--derived-speeds",
        "--decimate 2", "--gap 3", "--rest keep", "--dead-band 0.1"})
    all.push_back({command, option, "--log"});
  return all;
}

// Those of what is done with measurements.
std::vector<Pair> measuring_pairs() {
  const std::string identify = "identify ur5 --states gone.csv", excite = "excite ur5 --time 5",
                    sensitivity = "calibrate ur5 --sensitivity", poses = "calibrate ur5 --poses gone.csv";
  std::vector<Pair> all{{identify, "--forgetting 3", "--online"},
                        {identify, "--loaded gone.csv", "--load"},
                        {identify, "--load tool:1,0,0,0", "--loaded"},
                        {identify, "--payload-mass 1", "--payload-at"},
                        {identify, "--prior 1", "--physical or -o"},
                        {identify, "--prior-model ur5", "--physical or -o"},
                        {identify, "--mass-bounds 1,2", "--physical or -o"},
                        {identify, "--centre-within 1", "--payload-at"},
                        {excite, "--radius 0.1", "--floor"},
                        {excite, "--sphere tool0,0,0,0,0.1", "--floor"},
                        {sensitivity, "--known base", "--poses"},
                        {sensitivity, "--keep x", "--poses"},
                        {sensitivity, "--unit mm", "--poses"},
                        {sensitivity, "--outlier 3", "--poses"},
                        {sensitivity, "--validate gone.csv", "--poses"},
                        {sensitivity, "--folds 3", "--poses"},
                        {sensitivity, "-o x.toml", "--poses"},
                        {poses, "--q 0,0,0,0,0,0", "--sensitivity"},
                        {poses, "--force", "-o"}};
  for (const std::string& command : {std::string("filter ur5"), identify})
    for (const Pair& pair : log_pairs(command)) all.push_back(pair);
  return all;
}

// An option that depends on another, for every command: `command` is all that is there beside the option.
std::vector<Pair> motion_pairs() {
  std::vector<Pair> all;
  const std::string move = "trajectory planar2r --to 1,1 --time 1";
  all.push_back({move, "--phase-plot a.svg", "--time-optimal"});
  for (const char* command : {"trajectory planar2r --to 1,1 --time 1", "inverse ur5", "simulate ur5 --time 1"})
    all.push_back({command, "--jerks 100", "--time-optimal"});
  for (const char* option : {"--power 10", "--total-power 10"})
    all.push_back({move, option, "--check or --scale-to-limits"});
  for (const char* option : {"--rigid", "--snap 1e-6"})
    all.push_back({move, option, "--check, --scale-to-limits, --time-optimal or --feed-forward"});
  for (const char* option : {"--payload link2:1,0,0,0", "--friction joint1:1", "--only link2", "--gravity 0,0,0"})
    all.push_back({move, option, "--check, --scale-to-limits, --time-optimal, --report or --feed-forward"});
  for (const char* option : {"--samples 5", "--rate 100"}) all.push_back({move + " --check", option, "-o"});
  all.push_back({move, "--speeds 1", "--accelerations"});
  return all;
}

std::vector<Pair> pairs() {
  std::vector<Pair> all{
      {"kinematics ur5", "--deg", "--q"},
      {"cartesian ur5", "--deg", "--q"},
      {"links ur5", "--deg", "--q"},
      {"denoc ur5", "--deg", "--q"},
      {"denoc ur5", "--symbols all", "--format"},
      {"assemble ur5 panda --at tool0 -o both.toml", "--axis 0,0,1", "--joint"},
      {"convert ur5 --to toml", "--force", "-o"},
      {"convert ur5 -o rows.toml", "--convention modified", "--to"},
      {"identify ur5 --states gone.csv", "--force", "-o or --report"},
      {"factor ur5", "--translation", "--frame"},
      {"linearize ur5", "--discrete 0.01", "--state-space"},
      {"linearize ur5", "--lqr", "--state-space"},
      {"simulate ur5 --time 1", "--gain kp=1", "--torque"},
      {"simulate ur5 --time 1", "--directions all", "--torque"},
      {"generate ur5", "--gain kp=1", "--law"},
      {"generate ur5", "--directions all", "--law"},
      {"generate ur5", "--trajectory gone.csv", "--law"},
      {"generate ur5", "--weights 1,1,1", "--law"},
      {"linearize ur5 --state-space", "--weights 1,1,1", "--lqr"},
      {"linearize ur5 --state-space", "--method dual", "--state-space"},
      {"linearize ur5", "--frame tool0", "--cartesian"},
      {"linearize ur5", "--coordinates rpy", "--cartesian"},
      {"linearize ur5", "--rows x", "--cartesian"},
      {"linearize ur5", "--damping 0.1", "--cartesian"},
      {"linearize ur5", "--parameters m1", "--wrt"},
      {"linearize ur5", "--rate 100", "--trajectory"},
      {"linearize ur5 --trajectory gone.csv", "--rate 100", "--rate"},
      {"linearize ur5 --trajectory gone.csv --wrt parameters", "--wrench tool0:1,0,0,0,0,0", "--wrench"},
      {"linearize ur5 --trajectory gone.csv --state-space", "--q 0,0,0,0,0,0", "--trajectory"},
      {"linearize ur5 --state-space", "--wrt parameters", "--wrt"},
      {"cartesian ur5", "--wrench-axes world", "--wrench"},
      {"equilibrium pelican_crucible", "--wrench-axes world", "--wrench"},
      {"equilibrium pelican_crucible", "--deg", "--q"},
      {"regressor ur5 --base", "--method tensor", "--base"},
      {"regressor ur5 --parameters", "--method tensor", "--parameters"},
      {"simulate ur5 --time 1", "--deg", "--q"},
      {"simulate ur5 --time 1", "--restitution 0.5", "--stops"},
      {"simulate ur5 --time 1", "--wrench-axes world", "--wrench"},
      {"linearize ur5", "--plot a.svg", "--trajectory"},
      {"simulate ur5 --time 1", "--speeds 1", "--accelerations"},
      {"simulate ur5 --time 1 --torque pd", "--rate 100", "--trajectory"},
      {"trajectory ur5", "--from 0,0,0,0,0,0", "--to"},
  };
  for (const char* option : {"--convention modified", "--format csv"}) all.push_back({"info ur5", option, "--dh"});
  for (const char* option : {"--profile cubic", "--times 0,1", "--accelerations 1", "--time-optimal"})
    all.push_back({"simulate ur5 --time 1", option, "--to"});
  for (const Pair& pair : motion_pairs()) all.push_back(pair);
  for (const char* option :
       {"--time 1", "--times 0,1", "--accelerations 1", "--profile cubic", "--samples 5", "--time-optimal"})
    all.push_back({"inverse planar2r", option, "--to or --via"});
  for (const char* option : {"--rate 10", "--power 1", "--total-power 1", "--scale-to-limits", "--plot a.svg"})
    all.push_back({"inverse planar2r", option, "--to, --via or --trajectory"});
  all.push_back({"inverse planar2r", "--from 0,0", "--to"});
  all.push_back({"inverse planar2r --to 1,1 --time 1", "--speeds 1", "--accelerations"});
  all.push_back({"inverse planar2r --trajectory gone.csv", "--profile cubic", "--to or --via"});
  std::vector<std::string> commands{"static ur5", "run ur5 --compute inverse"};
  for (const JobInfo& job : jobs()) commands.push_back(std::string(job.name) + " ur5");
  for (const std::string& command : commands) {
    all.push_back({command, "-o out.csv", "--states"});
    all.push_back({command, "--deg", "--q"});
  }
  for (const JobInfo& job : jobs())
    if (job.feels_wrenches()) all.push_back({std::string(job.name) + " ur5", "--wrench-axes world", "--wrench"});
  all.push_back({"static ur5", "--wrench-axes world", "--wrench"});
  all.push_back({"run ur5 --compute inverse", "--wrench-axes frame", "--wrench"});
  for (const Pair& pair : measuring_pairs()) all.push_back(pair);
  for (const char* option : {"--threads 2", "--precision float", "--restart", "--device cuda"})
    all.push_back({"run ur5 --compute inverse", option, "--states"});
  all.push_back({"run ur5 --compute inertia", "--frame tool0", "--compute"});
  all.push_back({"run ur5 --compute inertia", "--wrench tool0:0,0,0,0,0,0", "--compute"});
  all.push_back({"run ur5 --compute inertia", "--qd 0,0,0,0,0,0", "--compute"});
  return all;
}

TEST_F(OptionsCli, AnOptionWithoutItsCompanionIsRefused) {
  for (const Pair& pair : pairs())
    expect_refused(pair.command + " " + pair.option, pair.option.substr(0, pair.option.find(' ')), pair.companion);
}

// "goes with" in a help is a promise: each such option is refused where it stands alone.
TEST_F(OptionsCli, WhatHelpSaysGoesWithAnotherIsRefusedAlone) {
  std::set<std::string> tested;
  for (const Pair& pair : pairs())
    tested.insert(pair.command.substr(0, pair.command.find(' ')) + " " + pair.option.substr(0, pair.option.find(' ')));
  int seen = 0;
  for (const std::string& command : commands()) {
    std::string help = run(command + " --help").out;
    std::string option;
    std::istringstream lines(help);
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("  -")) option = line.substr(2, line.find_first_of(" ,", 2) - 2);
      if (line.find("goes with") == std::string::npos || command == "generate" || command == "equations" ||
          command == "count" || command == "compare")
        continue;
      EXPECT_TRUE(tested.contains(command + " " + option)) << command << " " << option << ": " << line;
      ++seen;
    }
  }
  EXPECT_GT(seen, 40);
}

TEST_F(OptionsCli, WithItsCompanionItActs) {
  make("q.csv", "q1,q2\n0,90\n");
  for (const char* arguments :
       {"kinematics planar2r --deg --q 90,0", "inertia planar2r --deg --q 90,0",
        "inverse planar2r --deg --states q.csv", "inverse planar2r --wrench link2:0,0,1,0,0,0 --wrench-axes world",
        "factor planar3r --q 0,1,1 --frame link3 --translation",
        "inverse planar2r --to 90,0 --deg --time 1 --profile cubic --samples 3",
        "inverse planar2r --to 1,0 --accelerations 2 --speeds 1 --samples 3 -o out.csv",
        "trajectory planar2r --to 1,1 --time 1 --check --rate 100 -o m.csv",
        "trajectory planar2r --to 1,1 --time 1 --check --gravity 0,0,0 --rigid --power 100"}) {
    const Result result = run(arguments);
    // A frame of a planar arm cannot be pushed everywhere: that failure is the computation's.
    EXPECT_TRUE(result.status == 0 || (result.status == 1 && std::string(arguments).starts_with("factor")))
        << arguments << ": " << result.err;
  }
  EXPECT_EQ(run("inverse planar2r --time 1 --help").status, 0);  // help is given whatever else is there
}

TEST_F(OptionsCli, AnEmptyValueIsNoValue) {
  make("q.csv", "q1,q2\n0,0\n");
  for (const char* arguments :
       {"inverse planar2r --states q.csv -o ''", "inverse planar2r --states ''", "inverse planar2r --method ''",
        "pose planar2r --frame ''", "inverse planar2r --trajectory ''", "inverse planar2r --gravity ''",
        "trajectory planar2r --to 1,1 --time 1 -o ''", "trajectory planar2r --to 1,1 --time ''", "convert ur5 -o ''",
        "simulate planar2r --time 1 -o ''", "generate ur5 -o ''", "equations planar2r -o ''", "methods --compute ''"})
    EXPECT_NE(refused(arguments).find("the value is empty"), std::string::npos) << arguments;
}

TEST_F(OptionsCli, HelpListsTheOptionsOfACommandFirst) {
  for (const std::string& command : commands()) {
    const std::string help = run(command + " --help").out;
    std::size_t before = 0;
    for (const char* heading :
         {"\nOptions:\n", "\nChanges to the robot:\n", "\nReading the robot:\n", "\nGeneral options:\n"}) {
      const std::size_t at = help.find(heading);
      if (at == std::string::npos) continue;
      EXPECT_GT(at, before) << command << heading;
      before = at;
    }
    EXPECT_GT(help.find("-h,--help"), help.find("\nGeneral options:\n")) << command;
    if (const std::size_t lock = help.find("\n  --lock "); lock != std::string::npos) {
      EXPECT_GT(lock, help.find("\nChanges to the robot:\n")) << command;
    }
  }
  // No option is left out for want of a heading.
  const std::string completion = run("completion bash").out, help = run("inverse --help").out;
  for (const char* option : {"--q ", "--payload ", "--gravity ", "--xacro ", "--strict ", "--quiet ", "--report "}) {
    EXPECT_NE(completion.find(option), std::string::npos) << option;
    EXPECT_NE(help.find(std::string("\n  ") + option), std::string::npos) << option;
  }
}

// What docs/commands.md promises: a schema that comes first, and keys that stay while its version stays.
TEST_F(OptionsCli, JsonSaysItsSchemaAndKeepsItsKeys) {
  make("motion.csv", "t,q1,q2\n0,0,0\n1,0.1,0.2\n2,0,0\n");
  const std::pair<const char*, std::vector<const char*>> kept[] = {
      {"info planar2r", {"name", "dof", "joints", "mass", "limits", "links", "frames", "tree", "gravity"}},
      {"check planar2r", {"name", "dof", "warnings"}},
      {"kinematics planar2r --q 0.1,0.2", {"frame", "pose", "J"}},
      {"inverse planar2r", {"tau", "method", "engine"}},
      {"forward planar2r", {"qdd", "method", "engine"}},
      {"inertia planar2r", {"M", "method", "engine"}},
      {"energy planar2r", {"kinetic_energy", "potential_energy"}},
      {"run planar2r --compute bias,pose", {"b", "T", "jobs"}},
      {"linearize planar2r --state-space", {"A", "B"}},
      {"simulate planar2r --time 0.01", {"t", "q", "qd"}},
      {"trajectory planar2r --to 1,1 --time 1", {"t", "q", "qd", "qdd"}},
      {"equilibrium planar2r --passive joint2", {"passive", "equilibria"}},
      {"count planar2r", {"compute", "counts"}},
      {"hash planar2r --steps 2", {"steps", "robots", "digest"}},
      {"jobs", {"jobs"}},
      {"laws", {"laws"}},
      {"methods", {"methods"}},
      {"gpu", {"usable", "devices"}},
  };
  for (const auto& [command, keys] : kept) {
    const Result result = run(std::string(command) + " --json");
    const std::string name = std::string(command).substr(0, std::string(command).find(' '));
    EXPECT_EQ(result.out.find("{\"schema\": \"catena/" + name + "/1\", "), 0u)
        << command << ": " << result.out.substr(0, 80);
    for (const char* key : keys)
      EXPECT_NE(result.out.find(std::string("\"") + key + "\": "), std::string::npos) << command << ": " << key;
  }
}

TEST_F(OptionsCli, HelpIsACommandToo) {
  EXPECT_EQ(run("help").out, run("--help").out);
  const std::vector<std::string> names = commands();
  EXPECT_GT(names.size(), 20U);
  for (const std::string& command : names) {
    const Result result = run("help " + command);
    EXPECT_EQ(result.status, 0);
    EXPECT_EQ(result.out, run(command + " --help").out);
    EXPECT_EQ(result.err, "");
  }
  EXPECT_EQ(refused("help invers"),
            "catena: unknown command 'invers'; did you mean 'inverse'? (see 'catena help --help')\n");
}

// What somebody new types.
TEST_F(OptionsCli, LikelySlipsAreToldWhatWasMeant) {
  make("q.csv", "q1;q2\n0;0\n");
  const std::vector<std::pair<std::string, std::string>> slips{
      {"ur5 inverse", "the command comes first: catena inverse ur5"},
      {"inverse ur5 --q 0 0 0 0 0 0",
       "unexpected argument '0'; a list of numbers is one argument with commas and no spaces: 0.1,-2,3"},
      {"trajectory planar2r --via 0,0 1,1 --time 1", "\"0,0;1,1\""},
      {"inverse planar2r q.csv", "a table goes after --states"},
      {"convert ur5 out.urdf", "an output file goes after -o"},
      {"run ur5 --compute inverse inertia", "jobs go after --compute, separated by commas"},
      {"methods inverse", "jobs go after --compute"},
      {"inverse ur5 --degrees", "unknown option '--degrees'; did you mean '--deg'?"},
      {"inverse ur5 --JSON", "did you mean '--json'?"},
      {"inverse ur5 -q 0,0,0,0,0,0", "did you mean '--q'?"},
      {"trajectory ur5 --accel 1", "did you mean '--accelerations'?"},
      {"version", "did you mean '--version'?"},
      {"Inverse ur5", "did you mean 'inverse'?"},
      {"inverse UR5", "no shipped model has this name; did you mean 'ur5'? (shipped: "},
      {"inverse ur5.urdf", "did you mean 'ur5'?"},
      {"inverse planar2r --states q.csv", "separated by commas, but is 'q1;q2'"},
      {"inverse planar2r --states q.csv -o out.mat", "separated by commas"},
      {"trajectory planar2r --to 1,1 --time 1 -o out.mat", "out.mat: a table is written as CSV, .npy or .npz"},
      {"trajectory planar2r --to 1,1 --time 1 -o out.json", "a table is written as CSV, .npy or .npz"},
      {"trajectory planar2r --to 1,1 --time 1s", "--time: '1s' is not a number"},
      {"trajectory planar2r --to 1,1 --time 1 --samples 1e3", "--samples: '1e3' is not a whole number"},
      {"inverse planar2r --q 0,0 --q 1,1", "--q is given 2 times"},
      {"inverse planar2r --states", "--states needs a value: FILE"},
      {"inverse planar2r --q 1,1 --deg=3", "--deg takes no value"},
      {"inverse planar2r --engine fast", "generic,compiled,auto"},
      {"pose ur5 --frame Tool0", "its frames are base_link"},
      {"inverse ur5 --method quick", "known: uicker-kahn"},
      {"inverse ur5 --wrench 0,0,1,0,0,0", "write FRAME:fx,fy,fz,mx,my,mz"},
      {"run ur5 --compute all", "no job 'all'; known: inverse"},
      {"trajectory planar2r --to 1,1", "give --time or --times, or --accelerations"},
      {"convert ur5", "give an output file, -o OUT.toml"},
      {"info", "MODEL is required"},
      {"inverse planar2r --states .", "is a folder"},
  };
  for (const auto& [arguments, what] : slips) {
    const std::string said = refused(arguments);
    EXPECT_NE(said.find(what), std::string::npos) << arguments << ": " << said;
  }
}

TEST_F(OptionsCli, AClosedPipeIsSilent) {
  std::string rows = "q1,q2\n";
  for (int k = 0; k < 40000; ++k) rows += "0.125,0.5\n";
  make("in.csv", rows);
  for (const char* command :
       {"info ur5", "--help", "help", "inverse planar2r --json", "inverse planar2r --states in.csv",
        "inverse planar2r --states in.csv --json", "trajectory planar2r --to 1,1 --time 1 --samples 20000",
        "simulate planar2r --time 1 --samples 20001", "generate ur5", "equations planar2r", "completion bash"}) {
    // The reader is gone before the program starts to write.
    const Result gone = shell("{ sleep 0.1; \"$CATENA\" " + std::string(command) + "; echo $? >status; } | true");
    EXPECT_EQ(gone.err, "") << command;
    EXPECT_EQ(contents(folder_ / "status"), "141\n") << command;
  }
  // And one that leaves in the middle.
  const Result head = shell("\"$CATENA\" inverse planar2r --states in.csv | head -1");
  EXPECT_EQ(head.out, "tau1,tau2\n");
  EXPECT_EQ(head.err, "");
  // Messages that nobody reads do not end a run.
  const Result quiet =
      shell("{ sleep 0.1; \"$CATENA\" inverse planar2r --to 1,1 --time 1 -o out.csv 2>&1; echo $? >status; } | true");
  EXPECT_EQ(contents(folder_ / "status"), "0\n");
  EXPECT_EQ(quiet.err, "");
}

// A terminal that hangs up while the bar is drawn.
TEST_F(OptionsCli, AProgressBarNobodySeesDoesNotEndARun) {
  std::string rows = "q1,q2\n";
  for (int k = 0; k < 1600000; ++k) rows += "0.125,0.5\n";  // longer than it takes until the bar is shown
  make("in.csv", rows);
  make("hang_up.py",
       "import os, pty, subprocess, sys\n"
       "master, terminal = pty.openpty()\n"
       "program = subprocess.Popen(sys.argv[1:], stderr=terminal)\n"
       "os.close(terminal)\n"
       "os.read(master, 1)\n"  // the bar is there
       "os.close(master)\n"
       "sys.exit(program.wait())\n");
  const Result result = shell(CATENA_PYTHON " hang_up.py \"$CATENA\" inverse planar2r --states in.csv -o out.csv");
  EXPECT_EQ(result.status, 0) << result.err;
  const std::string out = contents(folder_ / "out.csv");
  EXPECT_EQ(std::count(out.begin(), out.end(), '\n'), 1600001);
}

}  // namespace
}  // namespace catena::options_cli_test

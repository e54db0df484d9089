// Runs that end before their time: what a signal leaves behind, and what cannot be written.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <functional>

#include "support/processes.hpp"
#include "support/program.hpp"

namespace catena::ending_cli_test {
namespace {

namespace fs = std::filesystem;

class Ending : public ProgramTest {
 protected:
  Ending() { ::setenv("CATENA_CACHE_DIR", (folder_ / "cache").c_str(), 1); }
  ~Ending() override { ::unsetenv("CATENA_CACHE_DIR"); }

  // `catena ARGUMENTS` beside the test; a shell would have its jobs ignore Ctrl-C.
  pid_t start(const std::string& arguments) const {
    const pid_t process = ::fork();
    if (process != 0) return process;
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::signal(signal, SIG_DFL);
    ::setenv("CATENA", CATENA_PROGRAM, 1);
    const std::string line = "cd '" + folder_.string() + "' && exec \"$CATENA\" " + arguments + " >out 2>err";
    ::execl("/bin/sh", "sh", "-c", line.c_str(), nullptr);
    ::_exit(127);
  }
  // Within ten seconds, with a busy machine in mind.
  static bool comes_true(const std::function<bool()>& what) {
    for (int k = 0; k < 1000 && !what(); ++k) ::usleep(10'000);
    return what();
  }
  // As a shell has it: 128 and the signal, where one ended it.
  static int status_of(pid_t process) {
    int status = 0;
    ::waitpid(process, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  std::vector<std::string> temporaries(const std::string& folder = "") const {
    std::vector<std::string> found;
    for (const auto& file : fs::directory_iterator(folder_ / folder)) {
      const std::string name = file.path().filename().string();
      if (name.find(".tmp") != std::string::npos) found.push_back(name);
    }
    return found;
  }
  static pid_t gone() {
    const pid_t process = ::fork();
    if (process == 0) ::_exit(0);
    ::waitpid(process, nullptr, 0);
    return process;
  }

  // A compiler that works for minutes, and has somebody else work too.
  void slow_compiler() const {
    make("slow_cc", "#!/bin/sh\nsleep 300 & echo $$ $! > started.tmp; mv started.tmp started; wait\n");
    fs::permissions(folder_ / "slow_cc", fs::perms::owner_all);
    ::setenv("CC", (folder_ / "slow_cc").c_str(), 1);
  }
  // Waits until the compiler works, sends the signal: how the program ends. The compiler ends too.
  int status_after(int signal, const std::string& arguments) const {
    slow_compiler();
    fs::remove(folder_ / "started");
    const pid_t program = start(arguments);
    ::unsetenv("CC");
    EXPECT_TRUE(comes_true([&] { return fs::exists(folder_ / "started"); }));
    pid_t compiler = 0, part = 0;
    std::ifstream(folder_ / "started") >> compiler >> part;
    EXPECT_TRUE(test::is_running(compiler) && test::is_running(part));
    ::kill(program, signal);
    const int status = status_of(program);
    EXPECT_TRUE(comes_true([&] { return !test::is_running(compiler) && !test::is_running(part); })) << signal;
    return status;
  }
};

TEST_F(Ending, NoCompilerAndNoFileStayAfterASignal) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    EXPECT_EQ(status_after(signal, "gravity ur5 --engine compiled"), 128 + signal);
    EXPECT_EQ(temporaries("cache"), std::vector<std::string>{}) << signal;
  }
}

// Nothing can be done in the process itself: who watches over the compiler ends it, the next run removes the files.
TEST_F(Ending, NoCompilerStaysOfAKilledProgram) {
  EXPECT_EQ(status_after(SIGKILL, "gravity ur5 --engine compiled"), 128 + SIGKILL);
  EXPECT_EQ(temporaries("cache").size(), 1U);
  EXPECT_EQ(run_json("gravity ur5 --engine compiled")["engine"], "compiled");
  EXPECT_EQ(temporaries("cache"), std::vector<std::string>{});
}

// A command that finishes its file after Ctrl-C does not wait for the compiler first.
TEST_F(Ending, ACommandThatKeepsItsSamplesEndsItsCompiler) {
  EXPECT_EQ(status_after(SIGINT, "simulate ur5 --time 1 --engine compiled -o fall.csv"), 130);
  EXPECT_EQ(temporaries(), std::vector<std::string>{});
}

TEST_F(Ending, NoTemporaryFileStaysAfterASignal) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const pid_t program = start("excite planar2r --time 5 --steps 1 --samples 100000000 -o motion.csv");
    EXPECT_TRUE(comes_true([&] { return !temporaries().empty(); })) << contents(folder_ / "err");
    ::kill(program, signal);
    EXPECT_EQ(status_of(program), 128 + signal);
    EXPECT_EQ(temporaries(), std::vector<std::string>{});
    EXPECT_FALSE(fs::exists(folder_ / "motion.csv"));
  }
}

TEST_F(Ending, TheNextRunRemovesWhatAKilledOneLeft) {
  pid_t program = start("excite planar2r --time 5 --steps 1 --samples 100000000 -o motion.csv");
  EXPECT_TRUE(comes_true([&] { return !temporaries().empty(); })) << contents(folder_ / "err");
  ::kill(program, SIGKILL);
  status_of(program);
  EXPECT_EQ(temporaries().size(), 1U);
  EXPECT_EQ(run("excite planar2r --time 5 --steps 1 -o motion.csv").status, 0);
  EXPECT_EQ(temporaries(), std::vector<std::string>{});
}

// Beside the same name, of a process that is gone: nothing else.
TEST_F(Ending, OnlyLeftoversAreRemoved) {
  const std::string dead = std::to_string(gone()), alive = std::to_string(::getpid());
  make("arm.toml." + dead + ".0.tmp", "half");
  const std::vector<std::string> others = {"arm.toml." + alive + ".0.tmp", "arm.toml." + dead + ".tmp",
                                           "arm.toml.x." + dead + ".0.tmp", "barm.toml." + dead + ".0.tmp"};
  for (const std::string& name : others) make(name, "mine");
  EXPECT_EQ(run("convert ur5 -o arm.toml").status, 0);
  EXPECT_FALSE(fs::exists(folder_ / ("arm.toml." + dead + ".0.tmp")));
  for (const std::string& name : others) EXPECT_TRUE(fs::exists(folder_ / name)) << name;
}

// Status 1 and one line from every command: no folder, a folder in the way, a full disk.
TEST_F(Ending, WhatCannotBeWrittenIsOneStatus) {
  make("in.csv", "q1,q2\n0,0\n");
  make("motion.csv", "t,q1,q2,qd1,qd2,qdd1,qdd2\n0,0,0,0,0,0,0\n1,1,1,0,0,0,0\n");
  ASSERT_EQ(run("inverse planar2r --states in.csv -o in.npy").status, 0);
  const std::pair<const char*, const char*> commands[] = {{"convert planar2r", "o.toml"},
                                                          {"assemble planar2r pelican --at tool --prefix p_", "o.toml"},
                                                          {"equations planar2r", "o.tex"},
                                                          {"generate planar2r", "o.c"},
                                                          {"generate planar2r --lang python", "o.py"},
                                                          {"generate planar2r --lang latex", "o.tex"},
                                                          {"inverse planar2r --states in.csv", "o.csv"},
                                                          {"inverse planar2r --states in.csv", "o.npz"},
                                                          {"inverse planar2r --trajectory motion.csv", "o.csv"},
                                                          {"linearize planar2r --trajectory motion.csv", "o.csv"},
                                                          {"run planar2r --compute gravity --states in.npy", "o.npy"},
                                                          {"trajectory planar2r --to 1,1 --time 1", "o.csv"},
                                                          {"simulate planar2r --time 0.1", "o.csv"},
                                                          {"excite planar2r --time 5 --steps 1", "o.csv"}};
  for (const auto& [command, name] : commands) {
    const std::string whole = std::string("\"$CATENA\" --quiet ") + command + " -o ";
    const auto fails = [&](const std::string& script, const std::string& why) {
      const Result result = shell(script);
      EXPECT_EQ(result.status, 1) << script << result.err;
      EXPECT_EQ(result.out, "") << script;
      EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << script << result.err;
      EXPECT_NE(result.err.find("cannot be written: " + why), std::string::npos) << script << result.err;
    };
    fails(whole + "no/such/folder/" + name, "No such file or directory");
    fails("said=$({ ulimit -f 0; " + whole + name + "; } 2>&1); status=$?; echo \"$said\" >&2; exit $status",
          "File too large");
    shell(std::string("rm -f ") + name + ".part*");  // which is kept for the same command
    EXPECT_EQ(temporaries(), std::vector<std::string>{}) << command;
    EXPECT_FALSE(fs::exists(folder_ / name)) << command;
  }
}

}  // namespace
}  // namespace catena::ending_cli_test

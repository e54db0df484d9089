// Programs that are run: what they print, their environment, their end.
#include "system/process.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <string>

#include "system/ending.hpp"

namespace catena::process_test {
namespace {

using system::Finished;
using system::Program;
using system::run_program;

Program shell(const std::string& script) { return {.words = {"/bin/sh", "-c", script}}; }

TEST(Process, KeepsWhatAProgramPrints) {
  Program program = shell("echo out; echo err >&2; exit 3");
  EXPECT_EQ(run_program(program).output, "out\nerr\n");
  program.errors_apart = true;
  const Finished finished = run_program(program);
  EXPECT_EQ(finished.output, "out\n");
  EXPECT_EQ(finished.errors, "err\n");
  EXPECT_EQ(finished.status, 3);
}

TEST(Process, VariablesReplaceOrJoinThoseOfTheProcess) {
  ::setenv("CATENA_TEST_A", "1", 1);
  ::setenv("CATENA_TEST_AB", "2", 1);
  Program program = shell("echo $CATENA_TEST_A $CATENA_TEST_AB $CATENA_TEST_C");
  program.variables = {"CATENA_TEST_A=x y", "CATENA_TEST_C=3"};
  EXPECT_EQ(run_program(program).output, "x y 2 3\n");
  ::unsetenv("CATENA_TEST_A");
  ::unsetenv("CATENA_TEST_AB");
}

TEST(Process, EndsWhenItsTimeIsUpOrItsOutputIsFull) {
  const auto start = std::chrono::steady_clock::now();
  Program program = shell("sleep 100 & sleep 100");
  program.timeout = 0.2;
  EXPECT_TRUE(run_program(program).timed_out);
  program = shell("while :; do echo line; done");
  program.most_output = 10'000;
  program.ends_when_full = true;
  const Finished full = run_program(program);
  EXPECT_TRUE(full.full);
  EXPECT_FALSE(full.timed_out);
  EXPECT_LT(full.output.size(), 20'000U);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
}

// A signal that comes after a program was started and before it is known is not lost: it would be waited for.
TEST(Process, EndsWhereASignalCameBeforeItWasKnown) {
  const unsigned ended_before = system::times_ended.load();
  const pid_t program = ::fork();
  if (program == 0) {
    ::setpgid(0, 0);
    ::alarm(60);
    ::pause();
    ::_exit(0);
  }
  ::setpgid(program, program);
  system::end_programs();  // as a handler does
  { const system::RunningGroup known(program, ended_before); }
  int status = 0;
  ASSERT_EQ(::waitpid(program, &status, 0), program);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGTERM);
}

TEST(Process, AProgramThatIsNotThereIsAnError) {
  EXPECT_THROW(run_program({.words = {"/nowhere/program"}}), system::StartError);
  EXPECT_EQ(system::on_path("no-such-program-anywhere"), "");
  EXPECT_EQ(system::on_path("/bin/sh"), "/bin/sh");
}

}  // namespace
}  // namespace catena::process_test

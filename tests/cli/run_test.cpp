// catena run from one .npy file to another: interrupted and continued, refused, larger than what it may take of memory.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cmath>
#include <cstring>
#include <fstream>

#include "catena/tables.hpp"
#include "support/nightly.hpp"
#include "support/program.hpp"
#include "support/random_robot.hpp"

namespace catena::run_cli_test {
namespace {

class RunCli : public ProgramTest {
 protected:
  // Random states of a robot with so many columns.
  template <class S = double>
  void make_states(const std::string& name, std::size_t rows, std::size_t columns, std::size_t bad = 0) const {
    test::Random random(3);
    std::ofstream out(folder_ / name, std::ios::binary);
    out << array_header(rows, columns, sizeof(S) == sizeof(float));
    std::vector<S> row(columns);
    for (std::size_t k = 1; k <= rows; ++k) {
      for (S& value : row) value = S(random.between(-3.0, 3.0));
      if (k == bad) row[1] = std::numeric_limits<S>::quiet_NaN();
      out.write(reinterpret_cast<const char*>(row.data()), std::streamsize(columns * sizeof(S)));
    }
  }
  std::vector<double> numbers(const std::string& name) const {
    ArrayFile file((folder_ / name).string());
    std::vector<double> values;
    file.read(0, file.rows(), values);
    return values;
  }
  bool exists(const std::string& name) const { return std::filesystem::exists(folder_ / name); }
};

TEST_F(RunCli, GivesWhatTheCommandsGiveRowByRow) {
  make_states("states.npy", 300, 18);
  ASSERT_EQ(run("inverse ur5 --states states.npy -o tau.npy").status, 0);
  for (const char* engine : {"generic", "compiled"}) {
    const Result result =
        run(std::string("run ur5 --compute inverse,inertia --states states.npy -o both.npy --engine ") + engine);
    ASSERT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_NE(result.err.find("both.npy: 300 rows, columns tau 1-6, M 7-42"), std::string::npos) << result.err;
    const auto tau = numbers("tau.npy"), both = numbers("both.npy");
    ASSERT_EQ(both.size(), 300U * 42U);
    for (std::size_t k = 0; k < 300; ++k)
      for (std::size_t j = 0; j < 6; ++j) EXPECT_NEAR(both[k * 42 + j], tau[k * 6 + j], 1e-11);
    EXPECT_FALSE(exists("both.npy.part"));
    EXPECT_FALSE(exists("both.npy.part.journal"));
  }
}

TEST_F(RunCli, TakesFewerColumnsAndOtherTypesAndGivesFloats) {
  make_states("q.npy", 50, 6);
  make_states<float>("states.npy", 50, 18);
  ASSERT_EQ(run("run ur5 --compute inverse --states q.npy -o at_rest.npy").status, 0);
  ASSERT_EQ(run("run ur5 --compute gravity --states q.npy -o gravity.npy").status, 0);
  const auto at_rest = numbers("at_rest.npy"), gravity = numbers("gravity.npy");
  for (std::size_t k = 0; k < gravity.size(); ++k) EXPECT_NEAR(at_rest[k], gravity[k], 1e-12);
  ASSERT_EQ(run("run ur5 --compute inverse --states states.npy -o double.npy").status, 0);
  ASSERT_EQ(run("run ur5 --compute inverse --states states.npy -o float.npy --precision float --threads 2").status, 0);
  EXPECT_EQ(std::filesystem::file_size(folder_ / "float.npy"), 128U + 50U * 6U * 4U);
  const auto full = numbers("double.npy"), single = numbers("float.npy");
  for (std::size_t k = 0; k < full.size(); ++k) EXPECT_NEAR(single[k], full[k], 1e-3);
}

TEST_F(RunCli, MarksStatesWithoutResultAndSaysSo) {
  make_states("states.npy", 1000, 18, 700);
  const Result result = run("run ur5 --compute inverse --states states.npy -o tau.npy --quiet");
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.err,
            "states.npy: row 700: q[1] is not a finite number; 1 of 1000 rows have no result and are NaN in tau.npy\n");
  const auto tau = numbers("tau.npy");
  for (std::size_t k = 0; k < 1000; ++k) EXPECT_EQ(std::isnan(tau[k * 6]), k == 699) << k;
}

TEST_F(RunCli, ContinuesAfterBeingKilledTwice) {
  // A slow formulation: seconds of work, of which the journal keeps something four times a second.
  make_states("states.npy", test::every() == 1 ? 150000 : 50000, 21);
  const std::string command = "run panda --compute linearize --method dual --states states.npy -o out.npy --threads 1";
  const std::string whole = "run panda --compute linearize --method dual --states states.npy -o whole.npy --threads 2";
  ASSERT_EQ(run(whole).status, 0);
  // Killed as soon as the journal says that something more is kept, twice.
  const std::string killed =
      "kept() { grep -s '^done' out.npy.part.journal | wc -l; }; n=$(kept); \"$CATENA\" " + command +
      " & pid=$!; while kill -0 $pid 2>/dev/null && [ $(kept) -le $n ]; do sleep 0.02; done; kill -9 $pid; wait $pid";
  for (int repeat = 0; repeat < 2; ++repeat) {
    shell(killed);
    EXPECT_FALSE(exists("out.npy"));
    ASSERT_TRUE(exists("out.npy.part"));
    EXPECT_NE(contents(folder_ / "out.npy.part.journal").find("done "), std::string::npos);
  }
  const std::string other = refused("run panda --compute inverse --states states.npy -o out.npy");
  EXPECT_NE(
      other.find("out.npy.part: was begun with another --compute (linearize, now inverse); --restart starts over"),
      std::string::npos)
      << other;
  EXPECT_NE(refused(command + " --payload panda_link8:1,0,0,0").find("another model, option or engine"),
            std::string::npos);
  EXPECT_NE(refused(command + " --precision float").find("another --precision"), std::string::npos);
  const Result last = run(command);
  ASSERT_EQ(last.status, 0) << last.err;
  EXPECT_NE(last.err.find("continuing after "), std::string::npos) << last.err;
  EXPECT_EQ(shell("cmp out.npy whole.npy").status, 0);
  EXPECT_FALSE(exists("out.npy.part"));
  EXPECT_FALSE(exists("out.npy.part.journal"));
}

TEST_F(RunCli, AnInterruptKeepsWhatIsDone) {
  make_states("states.npy", 100000, 21);
  const std::string command = "run panda --compute linearize --method dual --states states.npy -o out.npy --threads 1";
  const Result stopped = shell(
      "\"$CATENA\" " + command +
      " & pid=$!; while [ ! -s out.npy.part.journal ]; do sleep 0.02; done; sleep 0.1; kill -INT $pid; wait $pid");
  EXPECT_EQ(stopped.status, 130) << stopped.err;
  EXPECT_NE(stopped.err.find(" of 100000 states are done; the same command continues"), std::string::npos);
  EXPECT_FALSE(exists("out.npy"));
  EXPECT_EQ(run(command + " --restart").status, 0);
  EXPECT_EQ(numbers("out.npy").size(), 100000U * 147U);
}

TEST_F(RunCli, StaysWithinItsMemory) {
  make_states("states.npy", 1500000, 18);  // 216 MB
  const Result result = shell(
      "\"$CATENA\" run ur5 --compute inverse --states states.npy -o out.npy --quiet & pid=$!; most=0; "
      "while kill -0 $pid 2>/dev/null; do now=$(awk '/VmHWM/ {print $2}' /proc/$pid/status 2>/dev/null); "
      "most=${now:-$most}; sleep 0.02; done; wait $pid && echo $most");
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_LT(std::stol(result.out), 200000) << "kB";
  EXPECT_GT(std::stol(result.out), 1000) << "kB";
}

TEST_F(RunCli, RefusesWhatDoesNotGoTogether) {
  make_states("states.npy", 10, 18);
  make("states.csv", "q1,q2,q3,q4,q5,q6\n0,0,0,0,0,0\n");
  EXPECT_NE(refused("run ur5 --compute gravity --states states.csv -o out.npy --threads 2").find("--states FILE.npy"),
            std::string::npos);
  EXPECT_NE(refused("run ur5 --compute gravity --states states.npy -o out.csv --precision float").find("-o FILE.npy"),
            std::string::npos);
  EXPECT_NE(refused("run ur5 --compute gravity --states states.npy -o out.npy --deg --threads 2").find("--deg"),
            std::string::npos);
  EXPECT_NE(refused("run panda --compute inverse --states states.npy -o out.npy")
                .find("the array has 18 columns; this robot takes 7 (q) or 14 (q, qd) or 21 (q, qd, qdd)"),
            std::string::npos);
  EXPECT_NE(refused("run ur5 --compute inverse --states states.npy -o gone/out.npy", 1).find("cannot be written"),
            std::string::npos);
  std::ofstream(folder_ / "states.npy", std::ios::app) << "more";
  EXPECT_NE(refused("run ur5 --compute inverse --states states.npy -o out.npy").find("4 bytes follow"),
            std::string::npos);
}

}  // namespace
}  // namespace catena::run_cli_test

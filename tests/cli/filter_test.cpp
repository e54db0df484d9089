// catena filter as a person uses it: a raw log to a clean table, and what is wrong with it.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>
#include <string>

#include "support/program.hpp"

namespace catena::filter_cli_test {
namespace {

using nlohmann::json;

class FilterCli : public ProgramTest {
 protected:
  // A motion with torques: motion.csv has all of it, raw.csv t, q and tau alone.
  void measure() const {
    const Result made = shell(
        "\"$CATENA\" excite planar2r --quiet --time 8 --starts 1 --steps 10 --samples 1600 -o motion.csv && "
        "\"$CATENA\" inverse planar2r --states motion.csv -o torques.csv && cut -d, -f2- torques.csv | "
        "paste -d, motion.csv - > all.csv && cut -d, -f1-3,8-9 all.csv > raw.csv");
    ASSERT_EQ(made.status, 0) << made.err;
  }
  bool warns(const std::string& arguments, const std::string& words) const {
    const Result result = run("filter planar2r --check --log " + arguments);
    EXPECT_EQ(result.status, 0) << result.err;
    return result.err.find("warning: ") != std::string::npos && result.err.find(words) != std::string::npos;
  }
};

TEST_F(FilterCli, ARawLogBecomesAMotion) {
  measure();
  const json all = run_json("filter planar2r --log raw.csv");
  ASSERT_EQ(all["t"].size(), 1600U);
  const Result text = shell("sed -n 801p motion.csv");
  std::stringstream row(text.out);
  std::vector<double> truth;
  for (std::string field; std::getline(row, field, ',');) truth.push_back(std::stod(field));
  EXPECT_NEAR(all["t"][799].get<double>(), truth[0], 1e-9);
  for (std::size_t j = 0; j < 2; ++j) {
    EXPECT_NEAR(all["q"][799][j].get<double>(), truth[1 + j], 1e-4);
    EXPECT_NEAR(all["qd"][799][j].get<double>(), truth[3 + j], 1e-3);
    EXPECT_NEAR(all["qdd"][799][j].get<double>(), truth[5 + j], 2e-2);
  }
  EXPECT_EQ(all["rows_read"], 1600);
  EXPECT_GT(all["cutoff"].get<double>(), 0.5);
  bool cutoff = false;
  for (const json& own : all["findings"]) cutoff = cutoff || own["kind"] == "cutoff";
  EXPECT_TRUE(cutoff);
  EXPECT_EQ(run("filter planar2r --log raw.csv --quiet -o clean.csv").err, "");
  EXPECT_EQ(run("filter planar2r --log raw.csv --decimate 4 --quiet | wc -l").out, "401\n");
  EXPECT_TRUE(contents(folder_ / "clean.csv").starts_with("t,q1,q2,qd1,qd2,qdd1,qdd2,tau1,tau2\n0,"));
  // What it writes is a table of states, and gives the model again.
  const json found = run_json("identify planar2r --states clean.csv");
  EXPECT_NEAR(found["estimates"][0]["value"].get<double>(), found["estimates"][0]["nominal"].get<double>(), 0.03);
}

TEST_F(FilterCli, ColumnsUnitsAndMotorsAsTheyCome) {
  measure();
  ASSERT_EQ(
      shell(
          "awk -F, 'NR == 1 {print \"time_ms,a,b\"; next} {printf \"%.9f,%.9f,%.9f\\n\", 1000*$1, 32*$2, "
          "32*($2+$3)}' raw.csv > angles.csv; "
          "awk -F, 'NR == 1 {print \"a,b\"; next} {printf \"%.9f,%.9f\\n\", ($4-$5)/32, $5/32}' raw.csv > efforts.csv")
          .status,
      0);
  const json plain = run_json("filter planar2r --log raw.csv --cutoff 5"),
             motors = run_json(
                 "filter planar2r --log angles.csv,efforts.csv --cutoff 5 --gear 32 --column q1=1:a "
                 "--column q2=1:b-1:a --column tau1=2:a+2:b --column tau2=2:b");
  for (const char* group : {"q", "qdd", "tau"})
    for (std::size_t j = 0; j < 2; ++j)
      EXPECT_NEAR(plain[group][700][j].get<double>(), motors[group][700][j].get<double>(), 1e-4) << group;
  EXPECT_FALSE(warns("raw.csv", "warning: "));
  EXPECT_TRUE(warns("raw.csv --unit t=1000", "--unit t=ms"));
  EXPECT_TRUE(warns("raw.csv --unit q=50", "--gear"));
  EXPECT_TRUE(warns("raw.csv --unit tau1=-1", "--unit tau1=-1"));
  EXPECT_TRUE(warns("raw.csv --unit q=0.0000000001", "nothing moves"));
}

TEST_F(FilterCli, StrictEndsWithStatusOne) {
  measure();
  EXPECT_EQ(run("filter planar2r --log raw.csv --check --strict").status, 0);
  const Result wrong = run("filter planar2r --log raw.csv --unit t=1000 --strict -o never.csv");
  EXPECT_EQ(wrong.status, 1);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "never.csv"));
  const Result quiet = run("filter planar2r --log raw.csv --unit t=1000 --strict --quiet");
  EXPECT_EQ(std::count(quiet.err.begin(), quiet.err.end(), '\n'), 1) << quiet.err;
}

TEST_F(FilterCli, AnyTable) {
  std::string text = "t,load,temp\n";
  for (int k = 0; k < 2000; ++k) {
    char row[80];
    const double t = 0.001 * k;
    std::snprintf(row, sizeof row, "%.6f,%.9f,%.9f\n", t, std::sin(6.0 * t) + 0.01 * std::sin(900.0 * t), 20.0 + t);
    text += row;
  }
  make("any.csv", text);
  const json out = run_json("filter --table any.csv --cutoff 10");
  EXPECT_NEAR(out["load"][1000].get<double>(), std::sin(6.0), 1e-5);
  EXPECT_NEAR(out["temp"][1500].get<double>(), 21.5, 1e-9);
  EXPECT_TRUE(run("filter --table any.csv --cutoff 10 --quiet").out.starts_with("t,load,temp\n0,"));
}

TEST_F(FilterCli, SaysWhatIsMissing) {
  measure();
  EXPECT_NE(refused("filter planar2r").find("filter needs --log"), std::string::npos);
  EXPECT_NE(refused("filter").find("give MODEL and --log, or --table"), std::string::npos);
  EXPECT_NE(refused("filter planar2r --table raw.csv").find("--table"), std::string::npos);
  EXPECT_NE(refused("filter planar2r --log gone.csv").find("gone.csv: cannot be opened"), std::string::npos);
  EXPECT_NE(refused("filter planar2r --log raw.csv --from 3 --to 2").find("--to must be after --from"),
            std::string::npos);
  EXPECT_NE(refused("filter planar2r --log raw.csv --from 90").find("no row lies in the segment"), std::string::npos);
  EXPECT_NE(refused("filter planar2r --log raw.csv --cutoff 500").find("below half the rate"), std::string::npos);
  EXPECT_NE(refused("filter planar2r --log raw.csv --gear 1,2,3").find("3 numbers for 2 joints"), std::string::npos);
  EXPECT_NE(refused("filter planar2r --log raw.csv --unit q=ell").find("'ell' is not a unit"), std::string::npos);
  EXPECT_NE(refused("filter planar2r --log raw.csv --column q1=nowhere").find("neither a column nor a number"),
            std::string::npos);
  EXPECT_NE(refused("filter planar2r --log raw.csv --decimate 0").find("a whole number from 1"), std::string::npos);
  EXPECT_NE(refused("filter ur5 --log raw.csv").find("no column for q1"), std::string::npos);
}

}  // namespace
}  // namespace catena::filter_cli_test

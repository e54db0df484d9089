// Logs as programs write them: separators, names, units, several files; and what is refused.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "catena/log.hpp"
#include "catena/tables.hpp"
#include "support/temporary_folder.hpp"

namespace catena::read_log_test {
namespace {

const LogFormat two{.joints = {"hip", "knee"}};

class ReadLog : public testing::Test {
 protected:
  Log read(const std::string& text, LogFormat format = two) const {
    return read_log({folder_.write("log.csv", text).string()}, format);
  }
  std::string refused(const std::string& text, const LogFormat& format = two) const {
    try {
      read(text, format);
    } catch (const std::exception& error) {
      return error.what();
    }
    return "";
  }
  test::TemporaryFolder folder_;
};

LogFormat with(std::vector<std::string> columns, std::vector<std::string> units = {}) {
  LogFormat format = two;
  format.columns = std::move(columns), format.units = std::move(units);
  return format;
}
const std::vector<double> q{1, 2, 3, 4}, tau{5, 6, 7, 8}, t{0, 0.5};

TEST_F(ReadLog, AllSeparatorsAndWaysToWriteNumbers) {
  for (const std::string text :
       {"t,q1,q2,tau1,tau2\n0,1,2,5,6\n0.5,3,4,7,8\n", "t;q1;q2;tau1;tau2\n0;1,0;2;5;6\n0,5;3;4;7;8\n",
        "t\tq1\tq2\ttau1\ttau2\n0\t1\t2\t5\t6\n0.5\t3\t4\t7\t8\n", "t q1  q2 tau1 tau2\n0 1 2 5 6\n 0.5 3 4 7 8 \n",
        "# t,q1,q2,tau1,tau2\n\n0,1,2,5,6\n# a remark\n0.5,+3,4e0,7,8\n",
        "\xEF\xBB\xBF\"t\",\"q1\",q2,tau1,tau2,\r\n0,1,2,5,6,\r\n0.5,3,4,7,8,\r\n"}) {
    const Log log = read(text);
    EXPECT_EQ(log.t, t) << text;
    EXPECT_EQ(log.q, q) << text;
    EXPECT_EQ(log.tau, tau) << text;
    EXPECT_TRUE(log.qd.empty());
  }
}

TEST_F(ReadLog, ArchivesNameTheirColumns) {
  const std::string path = (folder_.path() / "log.npz").string();
  TableWriter writer(path, {"t", "q1", "q2", "tau1", "tau2"});
  writer.write({{0.0, 1.0, 2.0, 5.0, 6.0}});
  writer.write({{0.5, 3.0, 4.0, 7.0, 8.0}});
  writer.finish();
  const Log log = read_log({path}, two);
  EXPECT_EQ(log.t, t);
  EXPECT_EQ(log.q, q);
  EXPECT_EQ(log.tau, tau);
  LogFormat named = two;
  named.header = {"t", "q1", "q2", "tau1", "tau2"};
  EXPECT_THROW(read_log({path}, named), TableError);
}

TEST_F(ReadLog, UsualNamesAreKnown) {
  for (const std::string names :
       {"time,actual_q_0,actual_q_1,actual_current_0,actual_current_1",
        "timestamp,position[0],position[1],effort[0],effort[1]", "t,q:hip,q:knee,tau:hip,tau:knee",
        "t,hip_pos,knee_pos,hip_torque,knee_torque", "T,Q1,Q2,I1,I2"}) {
    const Log log = read(names + "\n0,1,2,5,6\n0.5,3,4,7,8\n");
    EXPECT_EQ(log.q, q) << names;
    EXPECT_EQ(log.tau, tau) << names;
  }
  EXPECT_EQ(read("time_ms,q1,q2\n0,1,2\n500,3,4\n").t, t);
}

TEST_F(ReadLog, ColumnsAreNamedNumberedAndAdded) {
  const std::string text = "stamp,a_1,a_2,i-1,i-2,pos(1)\n0,1,2,5,6,9\n0.5,3,4,7,8,9\n";
  const Log log = read(text, with({"q#=a_#", "tau#=i-#"}));
  EXPECT_EQ(log.q, q);
  EXPECT_EQ(log.tau, tau);
  const Log sums = read(text, with({"q#=a_#", "q2=a_2/2 - 3*a_1+pi/2", "tau#=i-#", "tau:knee=-i-1"}));
  EXPECT_DOUBLE_EQ(sums.q[1], 1.0 - 3.0 + 0.5 * std::numbers::pi);
  EXPECT_EQ(sums.tau[1], -5.0);
}

TEST_F(ReadLog, UnitsGearsOffsetsAndSwaps) {
  LogFormat format = with({}, {"t=ms", "q=deg", "tau=mNm", "tau2=0.12"});
  const std::string text = "t,q1,q2,tau1,tau2\n0,180,90,5000,6\n500,3,4,7,8\n";
  Log log = read(text, format);
  EXPECT_DOUBLE_EQ(log.t[1], 0.5);
  EXPECT_DOUBLE_EQ(log.q[0], std::numbers::pi);
  EXPECT_DOUBLE_EQ(log.tau[0], 5.0);
  EXPECT_DOUBLE_EQ(log.tau[1], 0.72);
  format.slides = {true, false};  // no degrees for what slides
  EXPECT_DOUBLE_EQ(read(text, format).q[0], 180.0);
  format.gears = {10.0, -20.0}, format.offsets = {"q2=-pi/2"}, format.units = {};
  log = read(text, format);
  EXPECT_DOUBLE_EQ(log.q[0], 18.0);
  EXPECT_DOUBLE_EQ(log.q[1], -4.5 - 0.5 * std::numbers::pi);
  EXPECT_DOUBLE_EQ(log.tau[1], -120.0);
  format = two, format.swaps = {"q1,q2"};
  EXPECT_EQ(read(text, format).q[0], 90.0);
}

TEST_F(ReadLog, FilesWithoutHeaderClockOrAllFields) {
  LogFormat format = two;
  format.header = {"t", "q1", "q2", "tau1", "tau2"};
  EXPECT_EQ(read("0,1,2,5,6\n0.5,3,4,7,8\n", format).q, q);
  format = two, format.period = 0.002;
  const Log log = read("q1,q2\n1,2\n3,4\n", format);
  EXPECT_TRUE(log.t.empty());
  EXPECT_EQ(log.period, 0.002);
  const Log holes = read("t,q1,q2\n0,1,\n0.5,nan,4\n1,5\n");
  EXPECT_TRUE(std::isnan(holes.q[1]) && std::isnan(holes.q[2]) && std::isnan(holes.q[5]));
  EXPECT_EQ(holes.rows(), 3U);
}

TEST_F(ReadLog, FilesSideBySide) {
  const std::string a = folder_.write("a.csv", "t,J1,J2\n0,1,2\n0.5,3,4\n").string(),
                    b = folder_.write("b.csv", "J1,J2\n5,6\n7,8\n").string();
  const Log log = read_log({a, b}, with({"q#=1:J#", "tau#=2:J#"}));
  EXPECT_EQ(log.q, q);
  EXPECT_EQ(log.tau, tau);
  const std::string longer = folder_.write("c.csv", "J1,J2\n5,6\n7,8\n9,9\n").string();
  EXPECT_THROW(read_log({a, longer}, with({"q#=1:J#", "tau#=2:J#"})), TableError);
}

TEST_F(ReadLog, SaysWhatItCannotRead) {
  const std::string good = "t,q1,q2\n0,1,2\n";
  EXPECT_NE(refused("t,a,b\n0,1,2\n").find("no column for q1 (--column q#=NAME_#); there are t, a, b"),
            std::string::npos);
  EXPECT_NE(refused("q1,q2\n1,2\n").find("no clock"), std::string::npos);
  EXPECT_NE(refused("0,1,2\n").find("starts with numbers; name its 3 columns"), std::string::npos);
  EXPECT_NE(refused("").find("empty"), std::string::npos);
  EXPECT_NE(refused("t,q1,q2\n").find("no rows"), std::string::npos);
  EXPECT_NE(refused("t,q1,q2\n0,1,2,3\n").find("log.csv:2: 4 columns"), std::string::npos);
  EXPECT_NE(refused(good, with({"q3=q1"})).find("'q3' is not a column of a log"), std::string::npos);
  EXPECT_NE(refused(good, with({"q1=q9"})).find("'q9' is neither a column nor a number"), std::string::npos);
  EXPECT_NE(refused(good, with({"q1=q1*q2"})).find("multiplied by numbers only"), std::string::npos);
  EXPECT_NE(refused(good, with({"q1=q1/0"})).find("zero"), std::string::npos);
  EXPECT_NE(refused(good, with({"q1"})).find("no ="), std::string::npos);
  EXPECT_NE(refused(good, with({"q=q1"})).find("q#=name_#"), std::string::npos);
  EXPECT_NE(refused(good, with({}, {"q=furlong"})).find("'furlong' is not a unit"), std::string::npos);
  LogFormat format = two;
  format.gears = {1.0};
  EXPECT_NE(refused(good, format).find("1 gears for 2 joints"), std::string::npos);
  format = two, format.header = {"t", "q1"};
  EXPECT_NE(refused(good, format).find("has 3 columns; 2 are named"), std::string::npos);
  EXPECT_THROW(read_log({(folder_ / "gone.csv").string()}, two), TableError);
}

}  // namespace
}  // namespace catena::read_log_test

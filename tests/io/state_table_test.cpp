// Tables of states: what is written reads back to the same bits, and what is wrong is named with its place.
#include "catena/tables.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "support/temporary_folder.hpp"

namespace catena::state_table_test {
namespace {

namespace fs = std::filesystem;

class StateTable : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string make(const std::string& name, const std::string& content) const {
    return folder_.write(name, content).string();
  }
  static std::string contents(const std::string& file) { return test::contents(file); }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_.path())) names.push_back(entry.path().filename().string());
    return names;
  }
  // All rows, or the error without the folder's name.
  static std::vector<std::vector<double>> read(const std::string& file, const TableFormat& format) {
    TableReader reader(file, format);
    std::vector<std::vector<double>> rows;
    for (TableRow row; reader.next(row);) rows.emplace_back(row.values.begin(), row.values.end());
    return rows;
  }
  std::string error_of(const std::string& content, const TableFormat& format, const std::string& name = "t.csv") const {
    try {
      read(make(name, content), format);
    } catch (const TableError& error) {
      const std::string text = error.what();
      return text.starts_with(folder_.string()) ? text.substr(folder_.string().size() + 1) : text;
    }
    return "no error";
  }

  TableFormat two_{.joints = 2, .results = {"tau"}};

 private:
  test::TemporaryFolder folder_;
};

using Rows = std::vector<std::vector<double>>;

std::string npy(const std::string& dictionary, const std::string& data) {
  std::string text = "\x93NUMPY";
  text += std::string("\x01\x00", 2);
  text += static_cast<char>(dictionary.size());
  text += '\0';
  return text + dictionary + data;
}

template <class T>
std::string bytes_of(const std::vector<T>& values) {
  std::string out(values.size() * sizeof(T), '\0');
  std::memcpy(out.data(), values.data(), out.size());
  return out;
}

TEST_F(StateTable, ColumnsMayBeCalledByJoints) {
  const std::vector<std::string> names{"left,arm", "q1"};
  EXPECT_EQ(joint_column("tau", 0), "tau1");
  EXPECT_EQ(joint_column("tau", 0, names), "\"tau:left,arm\"");
  EXPECT_EQ(joint_column("tau", 1, names), "tau:q1");
  TableFormat format = two_;
  format.joint_names = names;
  const std::string named = make("named.csv", "q:q1,\"q:left,arm\",tau:q1,note:x\n1,2,3,4\n");
  EXPECT_EQ(read(named, format), (std::vector<std::vector<double>>{{2, 1, 0, 0, 0, 0}}));
  EXPECT_TRUE(TableReader(named, format).named());
  EXPECT_EQ(TableReader(named, format).carried_header(), "note:x");
  const std::string numbered = make("numbered.csv", "q2,q1\n1,2\n");  // a joint called q1 does not change what q1 means
  EXPECT_EQ(read(numbered, format), (std::vector<std::vector<double>>{{2, 1, 0, 0, 0, 0}}));
  EXPECT_FALSE(TableReader(numbered, format).named());
  EXPECT_EQ(error_of("q:q1,q:q1\n", format), "t.csv:1: column 'q:q1' is given twice");
  EXPECT_EQ(error_of("q:q1,q:left\n", format),
            "t.csv:1: column 'q:left': the robot has no joint 'left'; its joints are left,arm, q1");
}

TEST_F(StateTable, CsvColumnsAreFoundByName) {
  EXPECT_EQ(read(make("a.csv", "qd2,q1,q2,qd1\n4,1,2,3\n"), two_), (Rows{{1, 2, 3, 4, 0, 0}}));
  EXPECT_EQ(read(make("b.csv", "q1,q2\n1,-2.5e-3\n+3,.5\n"), two_),
            (Rows{{1, -2.5e-3, 0, 0, 0, 0}, {3, .5, 0, 0, 0, 0}}));
}

TEST_F(StateTable, CsvAsOtherProgramsWriteIt) {
  const Rows expected{{1, 2, 0, 0, 0, 0}};
  EXPECT_EQ(read(make("crlf.csv", "q1,q2\r\n1,2\r\n"), two_), expected);
  EXPECT_EQ(read(make("bom.csv", "\xEF\xBB\xBFq1,q2\n1,2"), two_), expected);
  EXPECT_EQ(read(make("savetxt.csv", "# q1,q2\n1,2\n"), two_), expected);
  EXPECT_EQ(read(make("quoted.csv", "\"q1\", q2 \n\"1\", 2 \n\n"), two_), expected);
  EXPECT_EQ(read(make("header.csv", "q1,q2\n"), two_), Rows{});
}

TEST_F(StateTable, OtherColumnsAreCarriedAsTheyCame) {
  TableReader reader(make("a.csv", "t,q1,note,q2,tau1\n0.10,1,\"a,\"\"b\"\", c\",2,9\n"), two_);
  EXPECT_EQ(reader.carried_header(), "t,note");
  TableRow row;
  ASSERT_TRUE(reader.next(row));
  EXPECT_EQ(row.carried, "0.10,\"a,\"\"b\"\", c\"");
  EXPECT_TRUE(reader.place().ends_with("a.csv:2"));
  EXPECT_FALSE(reader.next(row));
}

TEST_F(StateTable, BadCsvIsRefusedWithItsPlace) {
  EXPECT_EQ(error_of("", two_), "t.csv:1: the table is empty; its first line names the columns: q1,q2,…");
  EXPECT_EQ(error_of("1,2\n", two_),
            "t.csv:1: the header has no columns q1, q2; the first line must name the columns, separated by commas, but "
            "is '1,2'");
  EXPECT_EQ(error_of("q1,q2,qd1\n", two_), "t.csv:1: the header has no column qd2");
  EXPECT_EQ(error_of("q1,q2,q3\n", two_), "t.csv:1: column 'q3': the robot has 2 joints, q1 to q2");
  EXPECT_EQ(error_of("q1,q2,q0\n", two_), "t.csv:1: column 'q0': the robot has 2 joints, q1 to q2");
  EXPECT_EQ(error_of("q1,q2,q1\n", two_), "t.csv:1: column 'q1' is given twice");
  EXPECT_EQ(error_of("q1,q2\n1,2\n\n1\n", two_), "t.csv:4: 1 column; the header names 2");
  EXPECT_EQ(error_of("q1,q2\n1,2,3\n", two_), "t.csv:2: 3 columns; the header names 2");
  EXPECT_EQ(error_of("q1,q2\n1,2\n1,2x\n", two_), "t.csv:3: column q2: '2x' is not a number");
  EXPECT_EQ(error_of("q1,q2\n1,\n", two_), "t.csv:2: column q2: '' is not a number");
  EXPECT_EQ(error_of("q1,q2\nnan,1\n", two_), "t.csv:2: column q1: 'nan' is not a finite double");
  EXPECT_EQ(error_of("q1,q2\n1e999,1\n", two_), "t.csv:2: column q1: '1e999' is not a finite double");
  EXPECT_EQ(error_of(std::string(20 << 20, 'x'), two_), "t.csv: a line of more than 16 MiB; this is not a CSV table");
}

TEST_F(StateTable, RandomBytesEndInAnErrorOrRows) {
  std::mt19937 random(7);
  const std::string alphabet = "q12d,\n\r\"# +-.einf\x93NUMPY<f8'(" + std::string(1, '\0');
  for (int k = 0; k < 500; ++k) {
    std::string text = k % 2 == 0 ? "q1,q2,note\n" : "";
    for (std::size_t i = random() % 200; i > 0; --i) text += alphabet[random() % alphabet.size()];
    try {
      for (const auto& row : read(make("fuzz.csv", text), two_))
        for (const double value : row) ASSERT_TRUE(std::isfinite(value));
    } catch (const TableError&) {
    }
  }
}

TEST_F(StateTable, NpyIsReadAsNumpyWritesIt) {
  const std::string shape = "'fortran_order': False, 'shape': (2, 4), }         \n";
  const std::vector<double> values{1, 2, 3, 4, 5, 6, 7, 8.5};
  const Rows expected{{1, 2, 3, 4, 0, 0}, {5, 6, 7, 8.5, 0, 0}};
  EXPECT_EQ(read(make("d.npy", npy("{'descr': '<f8', " + shape, bytes_of(values))), two_), expected);
  const std::vector<float> singles(values.begin(), values.end());
  EXPECT_EQ(read(make("f.npy", npy("{'descr': '<f4', " + shape, bytes_of(singles))), two_), expected);
}

TEST_F(StateTable, BadNpyIsRefused) {
  const auto head = [](const std::string& type, const std::string& order, const std::string& shape) {
    return "{'descr': '" + type + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }\n";
  };
  const std::string row = bytes_of(std::vector<double>{1, 2});
  const auto error = [&](const std::string& dictionary, const std::string& data) {
    return error_of(npy(dictionary, data), two_, "t.npy");
  };
  for (const std::string type : {"<c8", "|b1", "<U3", "<f2", "<f9", "|O", ">f16", "|f8"})
    EXPECT_EQ(error(head(type, "False", "(1, 2)"), row),
              "t.npy: the array's type is '" + type + "'; save numbers, float64 or float32 or integers");
  EXPECT_EQ(error("{'descr': [('q1', '<f8'), ('q2', '<f8')], 'fortran_order': False, 'shape': (1, 2), }\n", row),
            "t.npy: the array's type is [('q1', '<f8'), ('q2', '<f8')], 'fortran...; save numbers, float64 or float32 "
            "or integers");
  EXPECT_EQ(error(head("<i8", "False", "(1, 2)"), row), "t.npy: row 1: column 1 is an integer beyond 2^53");
  for (const std::string shape : {"(2,)", "()", "(1, 1, 1, 2)"})
    EXPECT_EQ(error(head("<f8", "False", shape), row),
              "t.npy: the array's shape is " + shape +
                  "; a table is (rows, columns) or (tables, rows, columns), one row per state");
  EXPECT_EQ(error(head("<f8", "False", "(1, 2)"), row + row),
            "t.npy: 16 bytes follow the 1 rows that the header announces");
  EXPECT_EQ(error(head("<f8", "False", "(9223372036854775807, 2)"), row),
            "t.npy: the array's shape is (9223372036854775807, 2), more than any file holds");
  EXPECT_EQ(error(head("<f8", "False", "(4294967296, 4294967296, 2)"), row),
            "t.npy: the array's shape is (4294967296, 4294967296, 2), more than any file holds");
  EXPECT_EQ(error(head("<f8", "True", "(100000000000, 2)"), row),
            "t.npy: the file is cut off: its header announces 100000000000 rows, and it holds 1");
  for (const std::string dictionary :
       {"{}", "", "{'descr': '<f8'}", "{'descr': '<f8', 'fortran_order': Maybe, 'shape': (1, 2), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (-1, 2), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2",
        "{'descr': '<f8', 'fortran_order': False, 'shape': 2, }"})
    EXPECT_EQ(error(dictionary, row), "t.npy: the .npy header is damaged: it must name descr, fortran_order and shape");
  EXPECT_EQ(error(head("<f8", "False", "(1, 3)"), row + row),
            "t.npy: the array has 3 columns; a robot of 2 joints takes 2 (q) or 4 (q, qd) or 6 (q, qd, qdd)");
  EXPECT_EQ(error(head("<f8", "False", "(5, 2)"), row + row),
            "t.npy: the file is cut off: its header announces 5 rows, and it holds 2");
  const std::string bad = bytes_of(std::vector<double>{1, std::numeric_limits<double>::quiet_NaN()});
  EXPECT_EQ(error(head("<f8", "False", "(2, 2)"), row + bad), "t.npy: row 2: column 2 is not finite");
  EXPECT_EQ(error_of("hello", two_, "t.npy"), "t.npy: is not a .npy file (it does not start as one)");
  EXPECT_EQ(error_of("\x93NUMPY", two_, "t.npy"), "t.npy: .npy version 0 is not known");
}

TEST_F(StateTable, WrittenValuesReadBackToTheSameBits) {
  std::mt19937_64 random(3);
  Rows rows;
  while (rows.size() < 5000) {
    std::vector<double> row(2);
    for (double& value : row) {
      const std::uint64_t bits = random();
      std::memcpy(&value, &bits, sizeof value);
      if (!std::isfinite(value)) value = -0.0;
    }
    rows.push_back(row);
  }
  const TableFormat format{.joints = 2, .groups = {"tau"}};
  for (const char* name : {"out.csv", "out.npy"}) {
    TableWriter writer(path(name), {"tau1", "tau2"});
    for (const auto& row : rows) writer.write(row);
    writer.finish();
    EXPECT_EQ(writer.rows(), rows.size());
    EXPECT_EQ(read(path(name), format), rows) << name;
  }
}

TEST_F(StateTable, NothingStandsUnderTheNameBeforeTheEnd) {
  make("out.csv", "old");
  {
    TableWriter writer(path("out.csv"), {"tau1"}, "t");
    for (int k = 0; k < 100000; ++k) writer.write(std::vector<double>{0.5}, "1");
    EXPECT_EQ(contents(path("out.csv")), "old");
  }
  EXPECT_EQ(contents(path("out.csv")), "old");
  EXPECT_EQ(files(), std::vector<std::string>{"out.csv"});
  TableWriter writer(path("out.csv"), {"tau1"}, "t");
  writer.write(std::vector<double>{0.5}, "1");
  writer.finish();
  EXPECT_EQ(contents(path("out.csv")), "t,tau1\n1,0.5\n");
  EXPECT_EQ(files(), std::vector<std::string>{"out.csv"});
}

// Rows are missing because somebody ended the run: they stay beside the file, in each format.
TEST_F(StateTable, APartOfATableStaysBesideIt) {
  for (const std::string name : {"out.csv", "out.npy", "out.npz"}) {
    make(name, "old");
    TableWriter writer(path(name), {"tau1"});
    writer.write(std::vector<double>{0.5});
    EXPECT_EQ(writer.keep(), path(name) + ".part");
    EXPECT_EQ(contents(path(name)), "old");
    fs::rename(path(name) + ".part", path("part_" + name));
    EXPECT_FALSE(contents(path("part_" + name)).empty());
  }
  EXPECT_EQ(contents(path("part_out.csv")), "tau1\n0.5\n");
  EXPECT_EQ(ArrayFile(path("part_out.npy")).rows(), 1U);
  EXPECT_EQ(files().size(), 6U);
}

// Without the check, reading beyond the end would end the process.
TEST_F(StateTable, AnArrayThatBecomesShorterIsSaid) {
  TableWriter writer(path("a.npy"), {"tau1"});
  for (int k = 0; k < 10000; ++k) writer.write(std::vector<double>{0.5});
  writer.finish();
  ArrayFile array(path("a.npy"));
  std::vector<double> rows;
  array.read(0, 10000, rows);
  EXPECT_EQ(rows.back(), 0.5);
  fs::resize_file(path("a.npy"), 5000);
  try {
    array.read(5000, 5000, rows);
    ADD_FAILURE() << "should be refused";
  } catch (const TableError& error) {
    EXPECT_EQ(std::string(error.what()), path("a.npy") + ": became shorter while it was read");
  }
}

TEST_F(StateTable, UnwritableIsSaid) {
  EXPECT_THROW(TableWriter(path("no/such/folder.csv"), {"tau1"}), WriteError);
  EXPECT_THROW(TableWriter("/dev/null.npy/x", {"tau1"}), WriteError);
  TableWriter full("/dev/full", {"tau1"});
  full.write(std::vector<double>{1.0});
  EXPECT_THROW(full.finish(), WriteError);
}

}  // namespace
}  // namespace catena::state_table_test

// What a file may ask for at most, and what is said where it asks for more: the table of docs/reliability.md.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>

#include "catena/robot_file.hpp"
#include "catena/tables.hpp"
#include "io/column_file.hpp"
#include "io/limits.hpp"
#include "io/mjcf_mesh.hpp"
#include "io/zip_archive.hpp"
#include "support/temporary_folder.hpp"

namespace catena::limits_test {
namespace {

std::string times(std::size_t count, const std::string& text) {
  std::string out;
  out.reserve(count * text.size());
  for (std::size_t k = 0; k < count; ++k) out += text;
  return out;
}
std::string numbered(std::size_t count, const std::function<std::string(const std::string&)>& text) {
  std::string out;
  for (std::size_t k = 0; k < count; ++k) out += text(std::to_string(k));
  return out;
}

// What is said of a text, without its beginning "FILE:LINE: ".
template <class Error = ModelError, class Read>
std::string why_not(const Read& read) {
  try {
    read();
  } catch (const Error& error) {
    const std::string text = error.what();
    const std::size_t colon = text.find(": ");
    return colon == std::string::npos ? text : text.substr(colon + 2);
  }
  return "it was read";
}
std::string of_robot(const std::string& text, const std::string& file) {
  return why_not([&] { parse_robot(text, file); });
}
std::string of_urdf(const std::string& inside) {
  return of_robot("<robot name=\"r\">" + inside + "</robot>", "r.urdf");
}

const std::string long_name(io::limits::name + 1, 'n');
const std::string said_of_long_name =
    "the name '" + std::string(60, 'n') + "...' has 1001 bytes; names have at most 1000";

TEST(Limits, OfSize) {
  const std::string large = "name = 'x'\n" + std::string(io::limits::file, '#');
  for (const char* file : {"r.toml", "r.urdf", "r.mjcf", "r.sdf"})
    EXPECT_EQ(of_robot(large, file), "larger than 64 MiB; this is not a robot file");
}

TEST(Limits, OfElementsAndValues) {
  const std::string many = times(io::limits::marks + 1, "<a/>");
  const std::string said = "more than 1000000 elements or attributes; this is not a robot file";
  EXPECT_EQ(of_urdf(many), said);
  EXPECT_EQ(of_robot("<mujoco>" + many + "</mujoco>", "r.mjcf"), said);
  EXPECT_EQ(of_robot("<sdf version='1.9'>" + many + "</sdf>", "r.sdf"), said);
  EXPECT_EQ(of_urdf("<a" + times(io::limits::marks + 1, " b=''") + "/>"), said);
  EXPECT_EQ(of_robot("a = [" + times(io::limits::marks + 1, "1,") + "]", "r.toml"),
            "more than 1000000 values; this is not a robot file");
}

TEST(Limits, OfNesting) {
  const auto nested = [](std::size_t depth, const std::string& element) {
    return times(depth, "<" + element + ">") + times(depth, "</" + element + ">");
  };
  EXPECT_EQ(of_urdf(nested(200, "a")), "XML syntax: elements are nested more than 100 deep");
  EXPECT_EQ(of_robot("<mujoco><worldbody>" + nested(1200, "body") + "</worldbody></mujoco>", "r.mjcf"),
            "elements are nested more than 960 deep");
  EXPECT_NE(of_robot("a = " + std::string(300, '['), "r.toml").find("exceeded maximum nested value depth of 256"),
            std::string::npos);
  EXPECT_EQ(of_robot("a" + times(65, ".a") + " = 1", "r.toml"),
            "more than 64 dots on a line; no key or list in a robot file is that long");
}

TEST(Limits, OfParts) {
  const auto link = [](const std::string& k) { return "<link name='l" + k + "'/>"; };
  const auto joint = [](const std::string& k) {
    return "<joint name='j" + k + "' type='fixed'><parent link='l0'/><child link='l1'/></joint>";
  };
  EXPECT_EQ(of_urdf(numbered(10'001, link)), "more than 10000 links; this is not a robot file");
  EXPECT_EQ(of_urdf(numbered(2, link) + numbered(10'001, joint)), "more than 10000 joints; this is not a robot file");
  const auto frame = [](const std::string& k) { return "<site name='s" + k + "'/>"; };
  EXPECT_EQ(of_robot("<mujoco><worldbody><body name='b'>" + numbered(10'001, frame) + "</body></worldbody></mujoco>",
                     "r.mjcf"),
            "more than 10000 frames; this is not a robot file");
  const std::string loop = "<loop name='l' type='fixed'><frame name='l0'/><frame name='l1'/></loop>";
  EXPECT_EQ(of_urdf(numbered(2, link) + "<catena>" + times(10'001, loop) + "</catena>"),
            "more than 10000 closed loops; this is not a robot file");
  const std::string coupling =
      "<catena><coupling>" + times(10'001, "<term joint='j0' factor='1'/>") + "</coupling></catena>";
  EXPECT_EQ(of_urdf(numbered(2, link) + "<joint name='j' type='continuous'><parent link='l0'/><child link='l1'/>" +
                    coupling + "</joint>"),
            "more than 10000 terms of couplings; this is not a robot file");
}

TEST(Limits, OfNames) {
  EXPECT_EQ(of_urdf("<link name='" + long_name + "'/>"), said_of_long_name);
  EXPECT_EQ(of_robot("name = '" + long_name + "'\n[base]\n", "r.toml"), said_of_long_name);
  EXPECT_EQ(of_robot("convention = 'frames'\n[[link]]\njoint = 'planar'\njoint_name = '" + long_name + "'\nmass = 0\n",
                     "r.toml"),
            "the name '" + std::string(60, 'n') + "...' has 1008 bytes; names have at most 1000");
  // A name that is made of others: every replica's, and every part's of nested models.
  const std::string most(io::limits::name, 'n');
  EXPECT_EQ(of_robot("<mujoco><worldbody><replicate count='2' sep='" + most +
                         "'><replicate count='2' sep='n'>"
                         "<body/></replicate></replicate><body/></worldbody></mujoco>",
                     "r.mjcf"),
            "world: the name '" + std::string(60, 'n') + "...' has 1002 bytes; names have at most 1000");
  EXPECT_EQ(
      of_robot("<sdf version='1.9'><model name='m'><model name='" + most + "'><link name='l'/></model></model></sdf>",
               "r.sdf"),
      "the name '" + std::string(60, 'n') + "...' has 1003 bytes; names have at most 1000");
}

TEST(Limits, OfProblems) {
  const auto joint = [](const std::string& k) { return "<joint name='j" + k + "' type='odd'/>\n"; };
  const std::string said = "x: " + of_urdf("<link name='l'/>" + numbered(500, joint));
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 100);
  EXPECT_TRUE(said.ends_with("\nr.urdf: more than 100 problems; the others are not listed")) << said;
  const std::string line = of_robot("<" + std::string(1'000'000, 'r') + "/>", "r.urdf");
  EXPECT_EQ(line.size(), 2003U);
  EXPECT_TRUE(line.ends_with("rrr..."));
}

TEST(Limits, OfNotes) {
  std::vector<std::string> notes;
  const std::string parts = numbered(2000, [](const std::string& k) { return "<odd" + k + "/>"; });
  parse_robot("<robot name='r'><link name='l'/>" + parts + "</robot>", "r.urdf", {.notes = &notes});
  EXPECT_EQ(notes.size(), 1000U);
}

TEST(Limits, OfMeshes) {
  const auto of_faces = [](int faces) {
    std::string text, face = "f";
    for (int k = 1; k <= 1000; ++k) {
      text += "v " + std::to_string(k) + " " + std::to_string(k * k) + " 0\n";
      face += " " + std::to_string(k);
    }
    for (int k = 0; k < faces; ++k) text += face + "\n";
    return why_not([&] { io::read_mesh(text, ".obj"); });
  };
  EXPECT_EQ(of_faces(2), "it was read");
  EXPECT_EQ(of_faces(3), "its polygons have too many corners; cut them into triangles");
}

class Tables : public testing::Test {
 protected:
  template <class Read>
  std::string why(const std::string& bytes, const Read& read) {
    const std::string path = folder_.write("table", bytes);
    return why_not<TableError>([&] { read(path); });
  }
  std::string of_states(const std::string& bytes) {
    return why(bytes, [](const std::string& path) {
      TableReader reader(path, {.joints = 2});
      TableRow row;
      while (reader.next(row)) {
      }
    });
  }
  std::string of_log(const std::string& bytes) {
    return why(bytes, [](const std::string& path) { io::ColumnFile(path, {}); });
  }
  test::TemporaryFolder folder_;
};

// A .npy file of float64 without data.
std::string array(const std::string& shape, bool fortran = false) {
  std::string header =
      "{'descr': '<f8', 'fortran_order': " + std::string(fortran ? "True" : "False") + ", 'shape': " + shape + "}";
  header.resize(117, ' ');
  return std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + "\n";
}

TEST_F(Tables, HaveSoManyColumns) {
  EXPECT_EQ(of_states(times(100'001, "a,") + "b\n"), "more than 100000 columns");
  EXPECT_EQ(of_log(times(100'001, "a,") + "b\n"), "100002 columns; at most 100000 are read");
}

TEST_F(Tables, HaveLinesOfSoManyBytes) {
  const std::string line = "q1,q2\n" + std::string((std::size_t{16} << 20U) + (std::size_t{1} << 20U), '1');
  EXPECT_EQ(of_states(line), "a line of more than 16 MiB; this is not a CSV table");
  EXPECT_EQ(of_states(array("(1, 2)").substr(0, 8) + "\xFF\xFF\xFF\xFF"), "the .npy header is cut off");
}

// The end of an archive's directory, of this many members.
TEST_F(Tables, HaveArchivesOfSoManyFiles) {
  std::string end("PK\x05\x06", 4);
  end += std::string(6, '\0') + std::string("\x88\x13", 2) + std::string(10, '\0');
  EXPECT_EQ(of_log(end), "holds 5000 files; an archive of a table has at most 4096");
}

// Shapes without an item, whose rows would be larger than anything, or which divide by nothing.
TEST_F(Tables, HaveShapesThatCanBe) {
  EXPECT_EQ(of_states(array("(0, 5, 2)", true)), "it was read");
  EXPECT_EQ(why_not<TableError>([&] { ArrayFile file(folder_.write("a", array("(0, 2305843009213693952)"))); }),
            "the array's shape is (0, 2305843009213693952), more than any file holds");
}

}  // namespace
}  // namespace catena::limits_test

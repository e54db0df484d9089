// SDF files that are refused: what changes the answer and is not understood, mistakes, and hostile files.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "catena/robot_file.hpp"
#include "support/hostile_xml.hpp"
#include "support/temporary_folder.hpp"

namespace catena::test::sdf_refusals_test {
namespace {

namespace fs = std::filesystem;

const fs::path folder = fs::path(CATENA_SOURCE_DIR) / "tests" / "data" / "sdf";

std::string refusal(const std::string& text, const std::string& file = "robot.sdf", bool lenient = false) {
  try {
    parse_robot(text, file, {.strict = false, .lenient = lenient});
  } catch (const ModelError& e) {
    return e.what();
  }
  return "";
}

const std::string inertial =
    "<inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>";
const std::string axis = "<axis><xyz>0 1 0</xyz></axis>";
const std::string second = "<link name='c'>" + inertial + "</link>";

// Line 4 is in the link, line 8 in the joint, line 10 in the model.
std::string small(const std::string& in_joint, const std::string& in_link = "", const std::string& in_model = "",
                  const std::string& type = "revolute") {
  return "<sdf version='1.9'><model name='m'>\n<link name='b'>\n" + inertial + "\n" + in_link +
         "\n</link>\n<joint name='j' type='" + type + "'>\n<parent>world</parent><child>b</child>\n" + in_joint +
         "\n</joint>\n" + in_model + "\n</model></sdf>\n";
}
std::string joined(const std::string& type, const std::string& more, const std::string& name = "k") {
  return "<joint name='" + name + "' type='" + type + "'><parent>b</parent><child>c</child>" + more + "</joint>";
}

TEST(Sdf, WhatChangesTheAnswerIsRefusedByName) {
  const auto check = [](const std::string& text, const std::string& expected) {
    const std::string said = refusal(text);
    EXPECT_EQ(said.substr(0, expected.size()), expected);
    EXPECT_EQ(said.find('\n'), std::string::npos) << said;
    const Robot robot = parse_robot(text, "robot.sdf", {.strict = false, .lenient = true});
    ASSERT_EQ(robot.warnings.size(), 1U) << said;
    EXPECT_NE(robot.warnings[0].text.find("it is ignored, which changes the results"), std::string::npos);
  };
  const auto dynamics = [](const std::string& what) {
    return "<axis><xyz>0 1 0</xyz>\n<dynamics>" + what + "</dynamics></axis>";
  };
  check(small(dynamics("<spring_stiffness>3</spring_stiffness>"), "", "", "ball"),
        "robot.sdf:9: joint 'j': <spring_stiffness> of a ball joint");
  check(small(dynamics("<damping>3</damping>"), "", "", "ball"), "robot.sdf:9: joint 'j': <damping> of a ball joint");
  check(small(axis, "<kinematic>true</kinematic>"), "robot.sdf:2: link 'b': <kinematic> true");
  check(small(axis, "<velocity_decay><linear>0.1</linear></velocity_decay>"),
        "robot.sdf:4: link 'b': <velocity_decay> linear");
  const std::string hover = "<link name='c'>" + inertial + "<gravity>false</gravity></link>";
  check(small(axis, "", hover + joined("revolute", axis)), "robot.sdf:10: link 'c': <gravity> is false");
  const std::string fluid =
      "<link name='c'><inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia>"
      "<fluid_added_mass><xx>2</xx></fluid_added_mass></inertial></link>";
  check(small(axis, "", fluid + joined("revolute", axis)), "robot.sdf:10: link 'c': <fluid_added_mass>");
  const std::string automatic =
      "<link name='c'><inertial auto='true'><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy>"
      "<izz>1</izz></inertia></inertial></link>";
  check(small(axis, "", automatic + joined("revolute", axis)), "robot.sdf:10: link 'c': <inertial> auto");
  check(small(axis, "<pose frame='x'/>"), "robot.sdf:4: link 'b': <pose> frame 'x'");
  const std::string loop = second + joined("revolute", axis) +
                           "\n<joint name='l' type='screw'><parent>world</parent><child>c</child>" + axis +
                           "<screw_thread_pitch>1</screw_thread_pitch></joint>";
  check(small(axis, "", loop), "robot.sdf:11: joint 'l': a screw joint that closes a loop");
  const std::string gearbox =
      "<axis><xyz>0 0 1</xyz></axis><axis2><xyz>0 0 1</xyz></axis2>"
      "<gearbox_reference_body>b</gearbox_reference_body>";
  check(small(axis, "", second + joined("revolute", axis) + joined("gearbox", gearbox, "g")),
        "robot.sdf:10: joint 'g': a gearbox whose parent and child do not each turn");
}

TEST(Sdf, WhatDoesNotIsSilent) {
  const Robot robot = parse_robot(
      small(axis + "<physics><ode><cfm>1</cfm><implicit_spring_damper>1</implicit_spring_damper></ode></physics>"
                   "<sensor name='s' type='force_torque'/>",
            "<visual name='v'><geometry/></visual><collision name='v'/><sensor name='s' type='imu'/>"
            "<enable_wind>true</enable_wind><self_collide>true</self_collide><light name='x'/>",
            "<plugin name='p' filename='libmotor.so'/><enable_wind>true</enable_wind><gripper name='g'/>"
            "<gz:extension/>"),
      "x.sdf");
  EXPECT_TRUE(robot.warnings.empty());
  const Robot wing = parse_robot(small(axis, "", "<plugin name='p' filename='gz-sim-lift-drag-system'/>"), "x.sdf");
  ASSERT_EQ(wing.warnings.size(), 1U);
  EXPECT_EQ(wing.warnings[0].text,
            "x.sdf:10: warning: model 'm': <plugin> 'gz-sim-lift-drag-system': its forces are not read");
}

TEST(Sdf, MistakesHaveTheirLine) {
  const auto check = [](const std::string& text, const std::string& expected) { EXPECT_EQ(refusal(text), expected); };
  const std::string robot = "robot.sdf:";
  check(small("<axis><xyz>0 1</xyz></axis>"),
        robot + "8: joint 'j': <xyz> '0 1' must be 3 numbers separated by blanks, not 2");
  check(small("<axis><xyz>0 nan 1</xyz></axis>"), robot + "8: joint 'j': <xyz>: 'nan' is not a finite number");
  check(small("<axis><xyz>0 0 0</xyz></axis>"),
        robot + "8: joint 'j': <xyz> [0 0 0] has zero length; give a direction, e.g. 0 0 1");
  check(small(axis, "<pose>1 2 3</pose>"),
        robot + "4: link 'b': <pose> '1 2 3' must be 6 numbers separated by blanks, not 3");
  check(small(axis, "<pose rotation_format='rpy'/>"),
        robot + "4: link 'b': <pose> rotation_format 'rpy' must be \"euler_rpy\" or \"quat_xyzw\"");
  check(small(axis, "<pose relative_to='bb'/>"),
        robot + "4: link 'b': <pose> relative_to 'bb' is not a link, joint, frame or model here");
  check(small(axis, "<pose relative_to='b'/>"),
        robot + "2: link 'b': its <pose> is relative to itself, by way of others");
  check(small(axis, "", "<frame name='f' attached_to='g'/><frame name='g' attached_to='f'/>"),
        robot + "10: frame 'f': it is attached to itself, by way of others\n" + robot +
            "10: frame 'f': its <pose> is relative to itself, by way of others");
  check(small(axis, "<inertail/>"), robot + "4: link 'b': unknown element <inertail>; did you mean 'inertial'?");
  check(small(axis, "", "", "hinge"),
        robot +
            "6: joint 'j': <joint> type 'hinge' must be revolute, continuous, prismatic, fixed, ball, universal, "
            "revolute2, screw or gearbox");
  check(small(axis, "", "<frame name='b'/>"), robot + "10: frame 'b': its name is used twice in this model");
  check(small(axis, "", second), robot +
                                     "10: link 'c': no joint connects it with the world, as others are; a robot must "
                                     "be fixed to the world, or free, as a whole");
  check(small("<axis><xyz>0 1 0</xyz><mimic joint='x'/></axis>"),
        robot + "8: joint 'j': <mimic> joint 'x' is not a joint here");
  check("<sdf version='1.9'/>", robot + "1: there is no <model>");
  check("<sdf version='2'/>", robot + "1: <sdf> version '2': versions 1.4 to 1.12 are read");
  check(
      "<sdf version='1.9'><world name='w'><model name='a'><link name='l'/></model><model name='b'><link name='l'/>"
      "</model></world></sdf>",
      robot +
          "1: world 'w': there are 2 models that are not static, 'a', 'b'; a file may hold only one robot: move it to "
          "its own file, or set <static>true</static> in the others");
}

TEST(Sdf, IsToldApartFromUrdfAndMjcf) {
  EXPECT_EQ(parse_robot("<?xml version='1.0'?>\n<!-- <robot> -->\n" + small(axis), "stdin").dof(), 1);
  EXPECT_EQ(parse_robot(small(axis), "r.world").dof(), 1);
  EXPECT_EQ(refusal(small(axis), "r.urdf"), "r.urdf:1: this is SDF; name the file .sdf");
}

// ---- included and hostile files ----

class SdfFiles : public testing::Test {
 protected:
  std::string said(const std::string& name, const std::string& text) const {
    const fs::path file = folder_.write(name, text);
    try {
      load_robot(file.string());
    } catch (const ModelError& e) {
      const std::string what = e.what();
      return what.substr(folder_.string().size() + 1);
    }
    return "";
  }
  static std::string including(const std::string& uri, const std::string& more = "") {
    return "<sdf version='1.9'><model name='m'>\n<include><uri>" + uri + "</uri>" + more + "</include></model></sdf>";
  }
  TemporaryFolder folder_;
};

TEST_F(SdfFiles, IncludesStayInTheFolderAndEnd) {
  const std::string hand = "<sdf version='1.9'><model name='hand'><link name='l'>" + inertial + "</link></model></sdf>";
  fs::create_directories(folder_ / "hand");
  folder_.write("hand/model.sdf", hand);
  for (const char* uri : {"hand", "hand/model.sdf", "model://hand", "file://hand/model.sdf", "model://hand/model.sdf"})
    EXPECT_EQ(said("a.sdf", including(uri)), "") << uri;
  for (const char* out : {"../secret.sdf", "/etc/passwd", "x/../../secret.sdf", "file:///etc/passwd"})
    EXPECT_EQ(said("a.sdf", including(out)),
              std::string("a.sdf:2: <include> '") + out + "': is outside the folder of the file");
  EXPECT_EQ(said("a.sdf", including("model://../etc/passwd")),
            "a.sdf:2: <include> 'model://../etc/passwd': a model is named by model://NAME, without '..'");
  fs::create_symlink("/etc", folder_ / "elsewhere");
  EXPECT_EQ(said("a.sdf", including("elsewhere/passwd")),
            "a.sdf:2: <include> 'elsewhere/passwd': is outside the folder of the file");
  EXPECT_EQ(said("a.sdf", including("a.sdf")), "a.sdf:2: <include> 'a.sdf': a file cannot include itself");
  folder_.write("loop.sdf", including("a.sdf"));
  EXPECT_EQ(said("a.sdf", including("loop.sdf")),
            "a.sdf:2: loop.sdf:2: <include> 'a.sdf': a file cannot include itself");
  EXPECT_EQ(said("a.sdf", including("https://example.org/hand")),
            "a.sdf:2: <include> 'https://example.org/hand': models are not downloaded; copy the model to a folder "
            "beside this file");
  folder_.write("hand/model.config", "<model><sdf version='1.5'>../../secret.sdf</sdf></model>");
  EXPECT_EQ(said("a.sdf", including("hand")),
            "a.sdf:2: <include> 'hand': its model.config names a file outside its folder");
  folder_.write("bad.sdf", "<sdf version='1.9'><model name='b'>\n<link name='l'><pose>x</pose></link></model></sdf>");
  EXPECT_EQ(said("a.sdf", including("bad.sdf")),
            "a.sdf:2: bad.sdf:2: link 'b::l': <pose> 'x' must be 6 numbers separated by blanks, not 1");
}

TEST_F(SdfFiles, ModelsAreFoundByTheEnvironment) {
  const TemporaryFolder elsewhere;
  fs::create_directories(elsewhere / "claw");
  elsewhere.write("claw/model.sdf",
                  "<sdf version='1.9'><model name='c'><link name='l'>" + inertial + "</link></model></sdf>");
  EXPECT_NE(said("a.sdf", including("model://claw")), "");
  ::setenv("GAZEBO_MODEL_PATH", ("/nowhere:" + elsewhere.string()).c_str(), 1);
  EXPECT_EQ(said("a.sdf", including("model://claw", "<name>other</name>")), "");
  ::unsetenv("GAZEBO_MODEL_PATH");
}

// Each file includes the next one twice.
TEST_F(SdfFiles, IncludesThatMultiplyEnd) {
  for (int k = 0; k < 30; ++k) {
    const std::string next = "<include><uri>f" + std::to_string(k + 1) + ".sdf</uri><name>";
    folder_.write("f" + std::to_string(k) + ".sdf", "<sdf version='1.9'><model name='m'><link name='l'/>" + next +
                                                        "x</name></include>" + next +
                                                        "y</name></include></model></sdf>");
  }
  folder_.write("f30.sdf", "<sdf version='1.9'><model name='m'><link name='l'/></model></sdf>");
  const std::string what = said("a.sdf", including("f0.sdf"));
  EXPECT_NE(what.find("more than 1000 files are included"), std::string::npos);
  EXPECT_LT(std::count(what.begin(), what.end(), '\n'), 40);
}

TEST_F(SdfFiles, EntitiesAreNotExpanded) {
  const std::string what = said("bomb.sdf", test::entity_bomb() + "<sdf version='1.9'><model name='&m;'/></sdf>");
  EXPECT_LT(what.size(), 300U);
  EXPECT_EQ(what.find('\n'), std::string::npos);
}

TEST_F(SdfFiles, DeepAndLongFilesEnd) {
  std::string nested, ends;
  for (int k = 0; k < 150; ++k) nested += "<model name='m'>", ends += "</model>";
  EXPECT_EQ(said("deep.sdf", "<sdf version='1.9'>" + nested + "<link name='l'/>" + ends + "</sdf>"),
            "deep.sdf:1: XML syntax: elements are nested more than 100 deep");
  std::string frames = "<frame name='f0'/>";
  for (int k = 1; k < 4000; ++k)
    frames += "<frame name='f" + std::to_string(k) + "' attached_to='f" + std::to_string(k - 1) + "'/>";
  EXPECT_EQ(said("long.sdf", small(axis, "<pose relative_to='f3999'/>", frames)).find('\n'), std::string::npos);
}

TEST(Sdf, MutatedFilesLoadOrAreRefused) { test::expect_mutants_load_or_are_refused(folder, ".sdf"); }

}  // namespace
}  // namespace catena::test::sdf_refusals_test

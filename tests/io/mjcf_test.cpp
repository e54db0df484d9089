// MJCF files: what they say arrives, what is not understood is refused by name, and nothing hostile does harm. The
// numbers of their dynamics are compared with MuJoCo's in tests/peers/check_mjcf.py.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <regex>
#include <string>
#include <vector>

#include "catena/mechanism.hpp"
#include "catena/robot_file.hpp"
#include "support/hostile_xml.hpp"

namespace catena::mjcf_test {
namespace {

namespace fs = std::filesystem;

const fs::path folder = fs::path(CATENA_SOURCE_DIR) / "tests" / "data" / "mjcf";

Robot load(const std::string& name) { return load_robot((folder / name).string()); }

const JointDescription& joint(const Robot& robot, const std::string& name) {
  const int k = robot.joint_index(name);
  EXPECT_GE(k, 0) << name;
  return robot.joints[static_cast<std::size_t>(std::max(k, 0))];
}

std::string refusal(const std::string& text, const std::string& file = "robot.xml", bool lenient = false) {
  try {
    parse_robot(text, file, {.strict = false, .lenient = lenient});
  } catch (const ModelError& e) {
    return e.what();
  }
  return "";
}

// A robot with one body and one joint, each with more of its own, and more behind the world.
std::string small(const std::string& in_joint, const std::string& in_body = "", const std::string& behind = "") {
  return "<mujoco>\n<worldbody>\n<body name='b'>\n<joint name='j' " + in_joint +
         "/>\n<inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>\n" + in_body + "\n</body>\n</worldbody>\n" + behind +
         "\n</mujoco>\n";
}

TEST(Mjcf, LimitsDrivesFramesAndGravity) {
  const Robot robot = load("orientations.xml");
  EXPECT_EQ(robot.name, "orientations");
  EXPECT_EQ(robot.dof(), 5);
  EXPECT_EQ(robot.gravity, (Vec3<double>{0.3, -0.2, -9.7}));
  const JointDescription& shoulder = joint(robot, "shoulder");
  EXPECT_EQ(shoulder.limits.lower, -1.5);
  EXPECT_EQ(shoulder.limits.upper, 2.0);
  EXPECT_EQ(shoulder.limits.effort, 100.0);  // of a control of 2 through a gear of 50
  EXPECT_EQ(shoulder.drive.viscous, 0.4);
  EXPECT_EQ(shoulder.drive.coulomb, 0.3);
  EXPECT_EQ(shoulder.drive.gear_ratio, 50.0);
  EXPECT_NEAR(shoulder.drive.rotor_inertia * 2500.0, 0.11, 1e-15);
  EXPECT_EQ(joint(robot, "elbow").limits.effort, 40.0);
  EXPECT_NEAR(joint(robot, "nod").drive.rotor_inertia * 9.0, 0.01 + 9.0 * 0.002, 1e-15);
  EXPECT_EQ(joint(robot, "slide").type, JointType::prismatic);
  ASSERT_EQ(robot.frames.size(), 1U);
  EXPECT_EQ(robot.frames[0].name, "tip");
  EXPECT_TRUE(robot.warnings.empty());
  const Robot degrees = parse_robot(small("range='-90 45' actuatorfrcrange='-3 3'"), "x.xml");
  EXPECT_NEAR(joint(degrees, "j").limits.upper, std::atan(1.0), 1e-15);
  EXPECT_EQ(joint(degrees, "j").limits.effort, 3.0);
  EXPECT_TRUE(std::isinf(joint(parse_robot(small("range='-90 45' limited='false'"), "x.xml"), "j").limits.upper));
}

// Degrees where the compiler says so; a rest position is one of the joint, whatever its ref.
TEST(Mjcf, Springs) {
  const Robot robot = load("springs.xml");
  constexpr double degree = std::numbers::pi / 180.0;
  const auto check = [&](const char* name, double stiffness, double rest) {
    EXPECT_EQ(joint(robot, name).drive.spring, stiffness) << name;
    EXPECT_NEAR(joint(robot, name).drive.spring_rest, rest, 1e-15) << name;
  };
  check("shoulder", 35.0, 20.0 * degree);
  check("elbow", 12.0, 15.0 * degree);
  check("rail", 400.0, 0.07);
  check("wrist", 2.5, -40.0 * degree);
  EXPECT_EQ(joint(load("fourbar_springs.xml"), "rocker").drive.spring_rest, -0.2);
  EXPECT_EQ(joint(parse_robot(small("springdamper='0 1'"), "x.xml"), "j").drive.spring, 0.0);
  EXPECT_EQ(refusal(small("stiffness='-3'")), "robot.xml:4: joint 'j': stiffness -3 must not be negative");
}

TEST(Mjcf, FreeBasesAndBallJoints) {
  const Robot robot = load("walker.xml");
  EXPECT_EQ(robot.floating, "root");
  EXPECT_EQ(robot.dof(), 12);
  EXPECT_EQ(joint(robot, "left_hip_pitch").axis, (Vec3<double>{0.0, 1.0, 0.0}));
  const Coupling& toe = joint(robot, "left_toe").coupling;
  ASSERT_EQ(toe.terms.size(), 1U);
  EXPECT_EQ(toe.terms[0].joint, "left_ankle");
  EXPECT_EQ(toe.terms[0].factor, 0.5);
  EXPECT_EQ(joint(robot, "right_toe").coupling.terms.size(), 2U);
}

TEST(Mjcf, ClassesIncludesAndReplicas) {
  const Robot robot = load("classes.xml");
  for (const char* name : {"click_0", "click_1", "click_2", "oppose", "bend", "twist", "press", "turn"})
    EXPECT_TRUE(joint(robot, name).moves());
  EXPECT_EQ(joint(robot, "press").type, JointType::prismatic);
  EXPECT_EQ(joint(robot, "press").drive.rotor_inertia, 0.01);
  EXPECT_EQ(joint(robot, "turn").drive.rotor_inertia, 0.03);
  EXPECT_EQ(robot.frames.size(), 3U);
}

TEST(Mjcf, LoopsAndJointsThatStandStill) {
  const Robot robot = load("fourbar.xml");
  EXPECT_EQ(robot.dof(), 1);
  ASSERT_EQ(robot.loops.size(), 1U);
  EXPECT_EQ(robot.loops[0].type, LoopType::spherical);
  EXPECT_NEAR(robot.closed.at("rocker"), robot.closed.at("crank"), 1e-9);  // a parallelogram
  EXPECT_NEAR(robot.start.at("crank"), 0.3, 0.0);
  const Robot still = parse_robot(
      small("axis='0 1 0'", "", "<equality><joint joint1='j' polycoef='0.5 0 0 0 0'/></equality>"), "x.xml");
  EXPECT_EQ(still.dof(), 0);
  EXPECT_NEAR(joint(still, "j").origin.R.xz, std::sin(0.5), 1e-15);
}

// The four bars with one more joint where the <connect> was: a <weld> closes them, turned as relpose says.
TEST(Mjcf, WeldsHoldTheTurnToo) {
  const std::string end = "<body name='end' pos='0 0 0.2'><joint name='end' axis='0 1 0'/></body></body></worldbody>";
  for (const double turn : {0.0, 0.4}) {
    std::string text = test::contents(folder / "fourbar.xml");
    const std::string relpose =
        turn == 0.0 ? "" : fmt::format(" relpose='0.3 0 0 {} 0 {} 0'", std::cos(turn / 2), std::sin(turn / 2));
    text = std::regex_replace(text, std::regex("</body>\\s*</worldbody>"), end);
    text = std::regex_replace(text, std::regex("<connect[^>]*>"),
                              "<weld name='pin' body1='coupler' body2='end'" + relpose + "/>");
    text = std::regex_replace(text, std::regex("<keyframe>[^]*</keyframe>"), "");
    const Robot robot = parse_robot(text, "x.xml");
    EXPECT_EQ(robot.dof(), 1);
    EXPECT_EQ(robot.loops[0].type, LoopType::fixed);
    const auto at = [&](const char* name) { return robot.closed.at(name); };
    EXPECT_NEAR(at("crank") + at("coupler") + turn, at("rocker") + at("end"), 1e-9);
  }
}

TEST(Mjcf, WhatChangesTheAnswerIsRefusedByName) {
  const auto check = [](const std::string& text, const std::string& expected) {
    const std::string said = refusal(text);
    EXPECT_EQ(said.substr(0, expected.size()), expected);
    EXPECT_EQ(said.find('\n'), std::string::npos) << said;
    const Robot robot = parse_robot(text, "robot.xml", {.strict = false, .lenient = true});
    ASSERT_EQ(robot.warnings.size(), 1U) << said;
    EXPECT_NE(robot.warnings[0].text.find("it is ignored, which changes the results"), std::string::npos);
  };
  check(small("stiffness='3 1'"), "robot.xml:4: joint 'j': nonlinear stiffness");
  check(small("springdamper='1 1'"), "robot.xml:4: joint 'j': springdamper: give stiffness and damping");
  check(small("type='ball' stiffness='1'"),
        "robot.xml:4: joint 'j': stiffness of a joint with several degrees of freedom");
  check(small("damping='1 2'"), "robot.xml:4: joint 'j': nonlinear damping");
  check(small("type='ball' damping='1'"), "robot.xml:4: joint 'j': damping of a joint with several degrees of freedom");
  check(small("", "<flexcomp name='cloth' type='grid'/>"), "robot.xml:6: body 'b': <flexcomp>");
  check(small("", "<body name='c' gravcomp='1'/>"), "robot.xml:6: body 'c': gravcomp");
  check(small("", "", "<option density='1.2'/>"), "robot.xml:9: <option> density: forces of a fluid");
  check(small("", "", "<option><flag damper='disable'/></option>"), "robot.xml:9: <flag> damper=\"disable\"");
  check(small("", "<body name='c'><joint name='k'/><geom size='1'/></body>",
              "<equality><joint joint1='j' joint2='k' polycoef='0 1 2 0 0'/></equality>"),
        "robot.xml:9: joint: polycoef has a term of a higher order");
  check(small("", "", "<tendon><fixed name='t' stiffness='1'><joint joint='j' coef='1'/></fixed></tendon>"),
        "robot.xml:9: fixed 't': stiffness of a tendon");
  check(small("", "", "<actuator><motor name='m' site='s' armature='1'/></actuator>"),
        "robot.xml:9: motor 'm': armature of an actuator that drives no single joint");
  check(small("", "<body name='c'><geom type='mesh' mesh='m'/></body>",
              "<asset><mesh name='m' builtin='sphere' params='3'/></asset>"),
        "robot.xml:9: mesh 'm': its mass cannot be found: shapes that MuJoCo generates");
  check(small("", "<body name='c'><geom type='mesh' mesh='m'/></body>",
              "<asset><mesh name='m' inertia='convex' maxhullvert='5' vertex='0 0 0 1 0 0 0 1 0 0 0 1'/></asset>"),
        "robot.xml:9: mesh 'm': its mass cannot be found: a hull of a few vertices");
}

TEST(Mjcf, WhatDoesNotIsSilent) {
  const Robot robot = parse_robot(
      small(
          "group='2' solreflimit='1 1'", "<geom size='1'/><camera/><light/><site/>",
          "<asset><material name='m'/><texture file='no.png'/></asset><contact><exclude body1='b' body2='c'/></contact>"
          "<sensor><gyro site='s'/></sensor><visual/><statistic/><size/><custom/><option timestep='0.1'/>"
          "<actuator><muscle tendon='t'/></actuator><keyframe><key qpos='1'/></keyframe>"),
      "x.xml");
  EXPECT_TRUE(robot.warnings.empty());
  EXPECT_EQ(robot.mass(), 1.0);
}

// What `catena check` prints; other commands do not ask for it.
TEST(Mjcf, WhatIsPassedOverIsNoted) {
  std::vector<std::string> notes;
  const std::string text =
      small("group='2' solreflimit='1 1'",
            "<geom size='1' rgba='1 0 0 1'/>\n<geom size='1' rgba='1 0 0 1' friction='1'/><camera/><camera/>",
            "<sensor><gyro site='s'/></sensor>\n<actuator><position joint='j' kp='3'/></actuator>"
            "<keyframe><key qpos='1'/></keyframe>");
  const Robot robot = parse_robot(text, "r.xml", {.notes = &notes});
  EXPECT_TRUE(robot.warnings.empty());
  const std::string end = ": not used, which does not change the results";
  EXPECT_EQ(notes, (std::vector<std::string>{
                       "r.xml:4: note: <joint> group, solreflimit" + end,
                       "r.xml:6: note: <geom> rgba, friction" + end + " (2 times, the first here)",
                       "r.xml:7: note: <camera>" + end + " (2 times, the first here)", "r.xml:10: note: <sensor>" + end,
                       "r.xml:11: note: <position> kp" + end, "r.xml:11: note: <keyframe>" + end}));
  notes.clear();
  parse_robot(
      "<robot name='r'>\n<link name='a'>\n<visual/><visual/></link>\n<gazebo><springStiffness/></gazebo>\n"
      "<gazebo/><sofa/></robot>",
      "r.urdf", {.notes = &notes});
  const std::string open = ": not used, and it is not known whether that changes the results";
  EXPECT_EQ(notes, (std::vector<std::string>{"r.urdf:3: note: <visual>" + end + " (2 times, the first here)",
                                             "r.urdf:4: note: <springStiffness> in <gazebo>" + open,
                                             "r.urdf:5: note: <gazebo>" + end, "r.urdf:5: note: <sofa>" + open}));
}

TEST(Mjcf, NamesThatNobodyKnowsAreWarnings) {
  const Robot robot = parse_robot(small("armatur='1'"), "r.xml");
  ASSERT_EQ(robot.warnings.size(), 1U);
  EXPECT_EQ(
      robot.warnings[0].text,
      "r.xml:4: warning: <joint> has an attribute 'armatur' that MJCF does not know; it is left out; did you mean "
      "'armature'?");
}

TEST(Mjcf, UnevenForcesAreTold) {
  const Robot robot = parse_robot(small("actuatorfrcrange='-2 3'"), "r.xml");
  EXPECT_EQ(joint(robot, "j").limits.effort, 3.0);
  ASSERT_EQ(robot.warnings.size(), 1U);
  EXPECT_EQ(
      robot.warnings[0].text,
      "r.xml:4: warning: joint 'j': actuatorfrcrange [-2, 3] has two sides that differ; effort is limited to 3 in "
      "both directions");
  EXPECT_TRUE(parse_robot(small("actuatorfrcrange='-3 3'"), "r.xml").warnings.empty());
}

// Deeper than the XML reader goes: names and lines are those of the file.
TEST(Mjcf, LongChains) {
  const auto chain = [](int bodies, const std::string& at_the_end) {
    std::string text = "<mujoco>\n<worldbody>\n", end;
    for (int k = 0; k < bodies; ++k) {
      text += fmt::format(
          "<body name='b{}' pos='0 0 1'>\n<!-- > </body> --><joint name='j{}' range='-1 1'/>"
          "<inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>\n",
          k, k);
      end += "</body>\n";
    }
    return text + at_the_end + end + "</worldbody>\n</mujoco>";
  };
  const Robot robot = parse_robot(chain(300, ""), "r.xml");
  EXPECT_EQ(robot.dof(), 300);
  EXPECT_EQ(robot.links.back().name, "b299");
  EXPECT_EQ(robot.links.back().line, 2 + 2 * 299 + 1);
  EXPECT_EQ(refusal(chain(300, "<joint type='x' name='bad'/>")),
            "robot.xml:603: joint 'bad': type 'x' must be hinge, slide, ball or free");
  EXPECT_EQ(refusal(chain(3000, "")), "robot.xml:1919: elements are nested more than 960 deep");
  EXPECT_EQ(refusal(chain(300, "<body>")).substr(0, 25), "robot.xml:3: XML syntax: ");
}

TEST(Mjcf, MistakesHaveTheirLine) {
  EXPECT_EQ(refusal(small("armature='x'")), "robot.xml:4: joint 'j': <joint> armature: 'x' is not a finite number");
  EXPECT_EQ(refusal(small("axis='0 0 nan'")), "robot.xml:4: joint 'j': <joint> axis: 'nan' is not a finite number");
  EXPECT_EQ(refusal(small("class='none'")), "robot.xml:4: joint 'j': <joint> class 'none' is not a class of <default>");
  EXPECT_EQ(refusal(small("type='hinges'")),
            "robot.xml:4: joint 'j': type 'hinges' must be hinge, slide, ball or free");
  EXPECT_EQ(refusal(small("", "<joints/>")), "robot.xml:6: body 'b': unknown element <joints>; did you mean 'joint'?");
  EXPECT_EQ(refusal("<mujoco>\n<worldbodies/></mujoco>").substr(0, 41), "robot.xml:1: there is no <body> in <world");
  EXPECT_EQ(
      refusal("<mujoco><worldbody><replicate count='99999'><replicate count='99999'><body/></replicate></replicate>"
              "</worldbody></mujoco>"),
      "robot.xml:1: world: <replicate> makes more than 20000 elements");
}

TEST(Mjcf, IsToldApartFromUrdf) {
  EXPECT_EQ(parse_robot("<?xml version='1.0'?>\n<!-- <robot> -->\n" + small(""), "stdin").dof(), 1);
  EXPECT_EQ(parse_robot("<robot name='r'><link name='a'/></robot>", "r.xml").dof(), 0);
  EXPECT_EQ(refusal(small(""), "r.urdf"), "r.urdf:1: this is MJCF; name the file .xml");
}

TEST(Mjcf, MutatedFilesLoadOrAreRefused) { test::expect_mutants_load_or_are_refused(folder, ".xml"); }

}  // namespace
}  // namespace catena::mjcf_test

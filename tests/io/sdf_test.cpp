// SDF files: what they say arrives, what is not understood is refused by name, and nothing hostile does harm. The files
// in tests/data/sdf are compared with libsdformat in tests/peers/check_sdf.py; here robots are written as SDF, poses
// and axes given from any frame, and read back.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <numbers>
#include <random>
#include <regex>
#include <string>
#include <vector>

#include "catena/robot_file.hpp"
#include "model/free_base.hpp"
#include "support/nightly.hpp"
#include "support/random_robot.hpp"
#include "support/same_robot.hpp"
#include "support/temporary_folder.hpp"

namespace catena::test::sdf_test {
namespace {

namespace fs = std::filesystem;

const fs::path folder = fs::path(CATENA_SOURCE_DIR) / "tests" / "data" / "sdf";

Robot load(const std::string& name) { return load_robot((folder / name).string()); }

const JointDescription& joint(const Robot& robot, const std::string& name) {
  const int k = robot.joint_index(name);
  EXPECT_GE(k, 0) << name;
  return robot.joints[static_cast<std::size_t>(std::max(k, 0))];
}

const std::string inertial =
    "<inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>";

// A robot with one link on the world, by one joint; more in each of them and in the model.
std::string small(const std::string& in_joint, const std::string& in_link = "", const std::string& in_model = "",
                  const std::string& version = "1.9", const std::string& type = "revolute") {
  return "<sdf version='" + version + "'><model name='m'>\n<link name='b'>\n" + inertial + "\n" + in_link +
         "\n</link>\n<joint name='j' type='" + type + "'>\n<parent>world</parent><child>b</child>\n" + in_joint +
         "\n</joint>\n" + in_model + "\n</model></sdf>\n";
}
const std::string axis = "<axis><xyz>0 1 0</xyz></axis>";
// A second link, on the first one.
const std::string second = "<link name='c'>" + inertial + "</link>";
std::string joined(const std::string& type, const std::string& more, const std::string& name = "k") {
  return "<joint name='" + name + "' type='" + type + "'><parent>b</parent><child>c</child>" + more + "</joint>";
}

// ---- written as SDF ----

std::string numbers(const Vec3<double>& v) { return fmt::format("{} {} {}", v.x, v.y, v.z); }

// Poses and axes are given from a frame that chance chooses, and some joints point towards the base.
class Written {
 public:
  Written(const Robot& robot, std::uint64_t seed, bool is_free) : robot_(robot), random_(seed), is_free_(is_free) {
    Robot still = robot;
    for (JointDescription& one : still.joints) one.coupling = {};
    rest_ = poses(still, std::vector<double>(static_cast<std::size_t>(still.dof())));
  }

  std::string text() {
    std::string out = fmt::format("<sdf version='1.11'><world name='w'><gravity>{}</gravity><model name='{}'>",
                                  numbers(robot_.gravity), robot_.name);
    for (const LinkDescription& link : robot_.links)
      if (link.name != "world") out += link_text(link);
    for (const JointDescription& one : robot_.joints) out += joint_text(one);
    for (const FrameDescription& frame : robot_.frames)
      out += fmt::format("<frame name='{}' attached_to='{}'>{}</frame>", frame.name, name(frame.link),
                         pose_text(rest_.at(frame.name), any_frame()));
    return out + "</model></world></sdf>";
  }

 private:
  const std::string& name(int link) const { return robot_.links[static_cast<std::size_t>(link)].name; }
  // Links are placed in the model or by earlier links, so that no pose goes round in circles.
  std::string any_frame() {
    const int k = random_.below(static_cast<int>(robot_.links.size()) + 1) - 1;
    return k < 0 ? "__model__" : name(k);
  }
  Pose<double> at(const std::string& frame) const {
    return frame.empty() || frame == "__model__" ? Pose<double>{} : rest_.at(frame);
  }

  std::string pose_text(const Pose<double>& there, const std::string& from) const {
    const Pose<double> pose = at(from).inverse() * there;
    const std::string place = from.empty() ? "" : " relative_to='" + from + "'";
    return fmt::format("<pose{}>{} {}</pose>", place, numbers(pose.p), numbers(rpy_from_rotation(pose.R)));
  }

  std::string link_text(const LinkDescription& link) {
    const int index = robot_.link_index(link.name), k = random_.below(index + 1) - 1;
    const Sym3<double>& i = link.inertial.inertia;
    return fmt::format(
        "<link name='{}'>{}<inertial><pose>{} 0 0 0</pose><mass>{}</mass><inertia><ixx>{}</ixx><iyy>{}</iyy>"
        "<izz>{}</izz><ixy>{}</ixy><ixz>{}</ixz><iyz>{}</iyz></inertia></inertial></link>",
        link.name, pose_text(rest_.at(link.name), k < 0 ? "" : name(k)), numbers(link.inertial.com), link.inertial.mass,
        i.xx, i.yy, i.zz, i.xy, i.xz, i.yz);
  }

  std::string joint_text(const JointDescription& one) {
    const bool turned = !is_free_ && random_.chance(0.3);
    const std::string seen_from = any_frame();
    const Pose<double> place = rest_.at(name(one.parent)) * one.origin;
    const Vec3<double> direction = (turned ? -1.0 : 1.0) * (at(seen_from).R.transpose() * (place.R * one.axis));
    std::string more;
    for (const CouplingTerm& term : one.coupling.terms)
      more = fmt::format("<mimic joint='{}'><multiplier>{}</multiplier><offset>{}</offset></mimic>", term.joint,
                         term.factor, one.coupling.offset);
    const char* type = one.type == JointType::fixed       ? "fixed"
                       : one.type == JointType::prismatic ? "prismatic"
                                                          : "revolute";
    return fmt::format(
        "<joint name='{}' type='{}'>{}<parent>{}</parent><child>{}</child><axis><xyz expressed_in='{}'>{}</xyz>"
        "<limit><lower>{}</lower><upper>{}</upper><velocity>{}</velocity><effort>{}</effort></limit>"
        "<dynamics><damping>{}</damping><friction>{}</friction><spring_stiffness>{}</spring_stiffness>"
        "<spring_reference>{}</spring_reference></dynamics>{}</axis></joint>",
        one.name, type, pose_text(place, any_frame()), name(turned ? one.child : one.parent),
        name(turned ? one.parent : one.child), seen_from, numbers(direction), one.limits.lower, one.limits.upper,
        one.limits.velocity, one.limits.effort, one.drive.viscous, one.drive.coulomb, one.drive.spring,
        one.drive.spring_rest, more);
  }

  const Robot& robot_;
  Random random_;
  bool is_free_;
  std::map<std::string, Pose<double>> rest_;
};

// One that follows another, which follows none.
void follow_some(Random& random, Robot& robot) {
  const std::vector<int> moving = robot.moving_joints();
  for (std::size_t k = 1; k < moving.size(); k += 3) {
    JointDescription& one = robot.joints[static_cast<std::size_t>(moving[k])];
    one.coupling = {{{robot.joints[static_cast<std::size_t>(moving[k - 1])].name, random.between(0.5, 2.0)}},
                    random.between(-0.3, 0.3)};
  }
}

Robot some_robot(std::uint64_t seed, int joints) {
  Random random(seed);
  Robot robot = random_robot(
      random, {.joints = joints, .shape = seed % 2 == 0 ? Shape::chain : Shape::tree, .massless_links = seed % 3 == 0});
  robot.gravity = random.vector(9.81);
  for (JointDescription& one : robot.joints) {
    one.limits = {};
    one.drive = {};
    if (!one.moves()) one.axis = JointDescription{}.axis;
    if (!one.moves()) continue;
    one.limits = {-random.unit(), random.unit(), random.chance(0.5) ? 3.0 : std::numeric_limits<double>::infinity(),
                  random.between(1.0, 9.0)};
    one.drive.viscous = random.unit();
    one.drive.coulomb = random.unit();
    if (random.chance(0.5)) one.drive.spring = 9.0 * random.unit(), one.drive.spring_rest = random.between(-1.0, 1.0);
  }
  robot.add_frame("somewhere", static_cast<int>(robot.links.size()) - 1, {random.rotation(), random.vector(0.3)});
  if (seed % 4 > 1) follow_some(random, robot);
  return robot;
}

TEST(Sdf, RandomRobotsAreReadBack) {
  for (const std::uint64_t seed : test::seeds(0, 120)) {
    SCOPED_TRACE(seed);
    const int joints = seed % 10 == 0 ? 40 : 1 + static_cast<int>(seed % 10);
    Robot robot = some_robot(seed, joints);
    robot.links[static_cast<std::size_t>(robot.root())] = {"world"};
    const Robot read = parse_robot(Written(robot, seed, false).text(), "robot.sdf");
    robot.tool = read.tool_name();
    ASSERT_NO_FATAL_FAILURE(expect_same(robot, read));
    EXPECT_TRUE(read.floating.empty());
  }
}

TEST(Sdf, RandomRobotsOnAFreeBaseAreReadBack) {
  for (const std::uint64_t seed : test::seeds(1000, 1040)) {
    SCOPED_TRACE(seed);
    const Robot robot = some_robot(seed, 1 + static_cast<int>(seed % 12));
    Robot read = parse_robot(Written(robot, seed, true).text(), "robot.sdf");
    EXPECT_EQ(read.floating, "floating_base");
    Robot expected = on_free_base(robot);
    expected.tool = read.tool_name();
    expected.floating.clear();  // compared joint by joint, the six of the base too
    read.floating.clear();
    ASSERT_NO_FATAL_FAILURE(expect_same(expected, read));
  }
}

TEST(Sdf, EqualsTheSameRobotInUrdf) {
  const std::string body =
      "<inertial><origin xyz='0.1 0 0.2' rpy='0.3 0.2 0.1'/><mass value='2'/>"
      "<inertia ixx='.1' iyy='.2' izz='.25' ixy='.01' ixz='.02' iyz='0'/></inertial>";
  const std::string same =
      "<inertial><pose>0.1 0 0.2 0.3 0.2 0.1</pose><mass>2</mass><inertia><ixx>.1</ixx><iyy>.2</iyy><izz>.25</izz>"
      "<ixy>.01</ixy><ixz>.02</ixz><iyz>0</iyz></inertia></inertial>";
  const Robot urdf = parse_robot(
      "<robot name='r'><link name='world'/><link name='a'>" + body + "</link><link name='b'>" + body + "</link>" +
          "<joint name='one' type='revolute'><origin xyz='0 0 1' rpy='0.1 0 0'/><axis xyz='0 1 0'/>" +
          "<parent link='world'/><child link='a'/><limit lower='-1' upper='2' effort='5' velocity='6'/>" +
          "<dynamics damping='0.3' friction='0.2'/></joint>" +
          "<joint name='two' type='prismatic'><origin xyz='0.2 0 0.1' rpy='0 0.4 0'/><axis xyz='1 0 0'/>" +
          "<parent link='a'/><child link='b'/><limit lower='0' upper='1' effort='5' velocity='6'/>" +
          "<mimic joint='one' multiplier='0.5' offset='0.25'/></joint></robot>",
      "r.urdf");
  const Robot sdf = parse_robot(
      "<sdf version='1.11'><model name='r'><link name='a'><pose>0 0 1 0.1 0 0</pose>" + same + "</link>" +
          "<link name='b'><pose relative_to='a'>0.2 0 0.1 0 0.4 0</pose>" + same + "</link>" +
          "<joint name='one' type='revolute'><parent>world</parent><child>a</child><axis><xyz>0 1 0</xyz>" +
          "<limit><lower>-1</lower><upper>2</upper><effort>5</effort><velocity>6</velocity></limit>" +
          "<dynamics><damping>0.3</damping><friction>0.2</friction></dynamics></axis></joint>" +
          "<joint name='two' type='prismatic'><parent>a</parent><child>b</child><axis><xyz>1 0 0</xyz>" +
          "<limit><lower>0</lower><upper>1</upper><effort>5</effort><velocity>6</velocity></limit>" +
          "<mimic "
          "joint='one'><multiplier>0.5</multiplier><offset>0.5</offset><reference>0.5</reference></mimic></axis>" +
          "</joint></model></sdf>",
      "r.sdf");
  expect_same(urdf, sdf);
}

// ---- single features ----

TEST(Sdf, LimitsDrivesFramesAndGravity) {
  const Robot arm = load("arm.sdf");
  EXPECT_EQ(arm.name, "arm");
  EXPECT_EQ(arm.dof(), 8);
  EXPECT_EQ(arm.gravity, Robot{}.gravity);
  EXPECT_EQ(joint(arm, "pan").limits.upper, 2.5);
  EXPECT_EQ(joint(arm, "pan").limits.effort, 90.0);
  EXPECT_EQ(joint(arm, "pan").drive.viscous, 0.4);
  EXPECT_EQ(joint(arm, "pan").drive.coulomb, 0.3);
  EXPECT_EQ(joint(arm, "wrist_axis2").limits.lower, -1.0);
  EXPECT_TRUE(std::isinf(joint(arm, "roll").limits.upper));
  EXPECT_EQ(arm.frames.size(), 2U);
  EXPECT_TRUE(arm.warnings.empty());
  const Robot old = load("old.sdf");
  EXPECT_EQ(old.name, "scara");
  EXPECT_EQ(old.gravity, (Vec3<double>{0.3, -0.4, -9.7}));
  EXPECT_TRUE(std::isinf(joint(old, "swing").limits.lower));
  EXPECT_TRUE(std::isinf(joint(old, "swing").limits.effort));
}

TEST(Sdf, JointsOfEveryType) {
  const auto motions = [](const std::string& type, const std::string& more) {
    std::vector<std::string> names;
    const Robot robot = parse_robot(small(more, "", "", "1.10", type), "x.sdf");
    for (const JointDescription& one : robot.joints)
      if (one.moves()) names.push_back(one.name);
    return names;
  };
  using Names = std::vector<std::string>;
  const std::string axis2 = "<axis2><xyz>1 0 0</xyz></axis2>";
  EXPECT_EQ(motions("fixed", ""), Names{});
  for (const char* type : {"revolute", "continuous", "prismatic"}) EXPECT_EQ(motions(type, axis), Names{"j"});
  for (const char* type : {"universal", "revolute2"})
    EXPECT_EQ(motions(type, axis + axis2), (Names{"j_axis", "j_axis2"}));
  EXPECT_EQ(motions("ball", ""), (Names{"j_yaw", "j_pitch", "j_roll"}));
  EXPECT_EQ(motions("screw", axis + "<screw_thread_pitch>0.2</screw_thread_pitch>"), (Names{"j_turn", "j_slide"}));
  const auto pitch = [](const std::string& more) {
    return joint(parse_robot(small(axis + more, "", "", "1.10", "screw"), "x.sdf"), "j_slide").coupling.terms[0].factor;
  };
  EXPECT_NEAR(pitch("<screw_thread_pitch>0.2</screw_thread_pitch>"), 0.1 / std::numbers::pi, 1e-16);
  EXPECT_NEAR(pitch("<thread_pitch>-50</thread_pitch>"), 0.02, 1e-16);
  EXPECT_NEAR(pitch("<thread_pitch>7</thread_pitch><screw_thread_pitch>0.2</screw_thread_pitch>"),
              0.1 / std::numbers::pi, 1e-16);
}

TEST(Sdf, AxesOfOldVersions) {
  const std::string turned = "<pose>0 0 0 0 0 1</pose>", flag = "<use_parent_model_frame>true</use_parent_model_frame>";
  const auto x_of = [&](const std::string& version, const std::string& more) {
    return joint(parse_robot(small(turned + "<axis><xyz>1 0 0</xyz>" + more + "</axis>", "", "", version), "x.sdf"),
                 "j")
        .axis.x;
  };
  EXPECT_EQ(x_of("1.6", ""), 1.0);
  EXPECT_NEAR(x_of("1.6", flag), std::cos(1.0), 1e-15);
  EXPECT_NEAR(x_of("1.4", ""), std::cos(1.0), 1e-15);
  EXPECT_EQ(x_of("1.7", flag), 1.0);
}

TEST(Sdf, Couplings) {
  const Robot robot = load("coupled.sdf");
  EXPECT_EQ(robot.dof(), 3);
  EXPECT_EQ(joint(robot, "follow").coupling.terms[0].factor, -2.0);
  EXPECT_NEAR(joint(robot, "follow").coupling.offset, 0.7, 1e-15);
  EXPECT_EQ(joint(robot, "pinion_axle").coupling.terms[0].joint, "wheel_axle");
  EXPECT_EQ(joint(robot, "pinion_axle").coupling.terms[0].factor, -3.0);
}

TEST(Sdf, LoopsOfEveryType) {
  EXPECT_EQ(load("fourbar.sdf").dof(), 1);
  const std::string across = "<axis><xyz>0 0 1</xyz></axis><axis2><xyz>1 0 0</xyz></axis2>";
  const std::vector<std::pair<std::string, LoopType>> types{
      {"revolute", LoopType::revolute}, {"continuous", LoopType::revolute}, {"prismatic", LoopType::prismatic},
      {"ball", LoopType::spherical},    {"universal", LoopType::universal}, {"revolute2", LoopType::universal},
      {"fixed", LoopType::fixed}};
  for (const auto& [type, expected] : types) {
    const std::string more = type == "ball" || type == "fixed" ? "" : across;
    // A ball and a slide leave the second link every motion that these loops need.
    const std::string model = second + "<link name='d'>" + inertial + "</link>" + joined("ball", "") +
                              "<joint name='l' type='prismatic'><parent>world</parent><child>d</child>" + axis +
                              "</joint><joint name='loop' type='" + type +
                              "'><pose>0.1 0.2 0.3 0 0.4 0</pose><parent>d</parent><child>c</child>" + more +
                              "</joint>";
    const Robot robot = parse_robot(small("", "", model, "1.9", "ball"), "x.sdf");
    ASSERT_EQ(robot.loops.size(), 1U) << type;
    EXPECT_EQ(robot.loops[0].type, expected) << type;
    const auto at = poses(opened(robot), std::vector<double>(static_cast<std::size_t>(opened(robot).dof())));
    expect_near(at.at("loop_1"), at.at("loop_2"));
    if (!more.empty()) expect_near(at.at("loop_1").R.column_z(), rotation_from_rpy({0.0, 0.4, 0.0}).column_z());
    if (expected == LoopType::universal)
      expect_near(at.at("loop_2").R.column_x(), rotation_from_rpy({0.0, 0.4, 0.0}).column_x());
  }
}

TEST(Sdf, NestedAndMergedModels) {
  const Robot robot = load("cell.sdf");
  EXPECT_EQ(robot.name, "robot");
  EXPECT_EQ(robot.dof(), 5);
  for (const char* name : {"left::palm", "left::jaw", "palm", "jaw"}) EXPECT_GE(robot.link_index(name), 0) << name;
  EXPECT_EQ(joint(robot, "left::squeeze").limits.effort, 20.0);
  // Merged or nested, and placed by a frame: the same place.
  std::vector<Pose<double>> jaws;
  for (const char* merge : {"", " merge='true'"}) {
    const std::string included = std::string("<include") + merge +
                                 "><uri>hand</uri><placement_frame>flange</placement_frame>"
                                 "<pose relative_to='b'>1 2 3 0.1 0.2 0.3</pose></include>";
    const std::string palm = *merge == '\0' ? "hand::palm" : "palm", jaw = *merge == '\0' ? "hand::jaw" : "jaw";
    const std::string model =
        included + "<joint name='k' type='revolute'><parent>b</parent><child>" + palm + "</child>" + axis + "</joint>";
    const Robot read = parse_robot(small(axis, "<pose>0 1 0 0 0 1</pose>", model), (folder / "x.sdf").string());
    jaws.push_back(poses(read, {0.0, 0.0, 0.0}).at(jaw));
  }
  const Pose<double> link{rotation_from_rpy({0.0, 0.0, 1.0}), {0.0, 1.0, 0.0}},
      placed{rotation_from_rpy({0.1, 0.2, 0.3}), {1.0, 2.0, 3.0}},
      flange{rotation_from_rpy({0.0, 0.1, 0.0}), {0.0, 0.0, -0.1}},
      jaw_in_hand{rotation_from_rpy({0.0, 0.0, 0.4}), {0.03, 0.0, 0.08}};
  for (const Pose<double>& jaw : jaws) expect_near(jaw, link * placed * flange.inverse() * jaw_in_hand);
}

TEST(Sdf, ModelsOfAWorldJoinedByItsJoints) {
  const auto model = [](const std::string& name, const std::string& more = "") {
    return "<model name='" + name + "'>" + more + "<link name='l'>" + inertial + "</link></model>";
  };
  const std::string on = "<static>true</static><pose>0 0 2 0 0 0</pose>";
  const Robot robot =
      parse_robot("<sdf version='1.11'><world name='w'>" + model("desk", on) + model("tree", on) + model("arm") +
                      model("hand") + "<joint name='j' type='revolute'><parent>desk</parent><child>arm::l</child>" +
                      axis + "</joint>" + "<joint name='k' type='revolute'><parent>arm::l</parent><child>hand</child>" +
                      axis + "</joint></world></sdf>",
                  "x.sdf");
  EXPECT_EQ(robot.dof(), 2);
  EXPECT_EQ(robot.gravity, (Vec3<double>{0.0, 0.0, -9.8}));
  EXPECT_GE(robot.link_index("desk::l"), 0);
  EXPECT_LT(robot.link_index("tree::l"), 0);
  EXPECT_EQ(poses(robot, {0.0, 0.0}).at("desk::l").p.z, 2.0);
}

TEST(Sdf, BasesAreFixedStaticOrFree) {
  EXPECT_EQ(load("walker.sdf").floating, "floating_base");
  const std::string body = "<link name='b'><pose>0 0 1 0 0 0</pose>" + inertial + "</link>";
  const std::string model = body + second + joined("revolute", axis);
  const Robot held =
      parse_robot("<sdf version='1.9'><model name='m'><static>1</static>" + model + "</model></sdf>", "x");
  EXPECT_TRUE(held.floating.empty());
  EXPECT_EQ(held.dof(), 1);
  EXPECT_EQ(held.warnings.size(), 1U);
  EXPECT_EQ(poses(held, {0.0}).at("b").p.z, 1.0);
  const std::string none = "<gravity>false</gravity>";
  EXPECT_EQ(parse_robot(small(axis, none), "x.sdf").gravity, Vec3<double>{});
}

TEST(Sdf, DefaultsOfSdfAreTold) {
  const auto warnings = [](const std::string& in_link) {
    const Robot robot =
        parse_robot("<sdf version='1.9'><model name='m'><link name='b'>" + in_link + "</link></model></sdf>", "x.sdf");
    EXPECT_EQ(robot.mass(), 1.0);
    EXPECT_EQ(robot.links[1].inertial.inertia.yy, 1.0);
    return robot.warnings.size();
  };
  EXPECT_EQ(warnings(""), 1U);
  EXPECT_EQ(warnings("<inertial/>"), 2U);
  EXPECT_EQ(warnings("<inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy></inertia></inertial>"), 1U);
  EXPECT_EQ(warnings(inertial), 0U);
}

}  // namespace
}  // namespace catena::test::sdf_test

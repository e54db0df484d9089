// Closed loops in robot files: what is read, and that what is written reads back the same.
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <numbers>
#include <string>
#include <vector>

#include "catena/robot_file.hpp"
#include "support/four_bar.hpp"
#include "support/same_robot.hpp"

namespace catena::test::loops_test {
namespace {

constexpr double pi = std::numbers::pi;

using Names = std::vector<std::string>;

std::string link(const std::string& name, const std::string& joint, const std::string& parent, const std::string& row) {
  return "[[link]]\nname = \"" + name + " bar\"\njoint = \"" + joint + "\"\njoint_name = \"" + name +
         "\"\nparent = \"" + parent + "\"\nmass = 1\ncom = [0, 0, 0]\ninertia = [1, 1, 1]\n" + row;
}
std::string frame(const std::string& name, const std::string& on, const std::string& pose) {
  return "[[frame]]\nname = \"" + name + "\"\nlink = \"" + on + " bar\"\n" + pose;
}

// Four bars of 0.3 m, which are a square where the crank and the rocker stand at 90 degrees and the coupler at -90. All
// names end in `number`.
std::string square(const std::string& convention, const std::string& number = "") {
  const bool far = convention == "classic";  // the link frame is at the far end of its bar
  const std::string row = convention == "frames" ? "xyz = [0.3, 0, 0]\n" : "a = 0.3\n";
  const std::string first = far ? row : "", end = far ? "" : "xyz = [0.3, 0, 0]\n";
  const std::string crank = "crank" + number, coupler = "coupler" + number, post = "post" + number,
                    rocker = "rocker" + number;
  return link(crank, "revolute", "base", first) + link(coupler, "revolute", crank + " bar", row) +
         link(post, "fixed", "base", row) + link(rocker, "revolute", post + " bar", first) +
         frame("a" + number, coupler, end) + frame("b" + number, rocker, end);
}
std::string starts(const std::string& number = "") {
  return "crank" + number + " = 1.5, coupler" + number + " = -1.6, rocker" + number + " = 1.5";
}
std::string loop(const std::string& lines, const std::string& number = "") {
  return "[[loop]]\nframes = [\"a" + number + "\", \"b" + number + "\"]\n" + lines;
}

Robot read(const std::string& convention, const std::string& top, const std::string& rest) {
  return parse_toml("convention = \"" + convention + "\"\n" + top + rest, "x.toml");
}

TEST(Loops, AreReadInEveryConvention) {
  for (const std::string convention : {"classic", "modified", "frames"}) {
    SCOPED_TRACE(convention);
    const Robot robot = read(convention, "independent = [\"crank\"]\nstart = { " + starts() + " }\n",
                             square(convention) + loop("name = \"closure\"\ntype = \"cylindrical\"\n"));
    ASSERT_EQ(robot.loops.size(), 1U);
    EXPECT_EQ(robot.loops[0].name, "closure");
    EXPECT_EQ(robot.loops[0].type, LoopType::cylindrical);
    EXPECT_EQ(robot.loops[0].frames, (std::array<std::string, 2>{"a", "b"}));
    EXPECT_GT(robot.loops[0].line, 40);
    EXPECT_EQ(robot.independent, Names{"crank"});
    EXPECT_EQ(robot.start, (std::map<std::string, double>{{"crank", 1.5}, {"coupler", -1.6}, {"rocker", 1.5}}));
    expect_round_trips(robot);
  }
}

TEST(Loops, AreNumberedWhereTheyHaveNoName) {
  const std::string type = "type = \"revolute\"\n";
  const Robot robot = read("frames", "start = { " + starts("1") + ", " + starts("2") + ", " + starts("3") + " }\n",
                           square("frames", "1") + square("frames", "2") + square("frames", "3") + loop(type, "1") +
                               loop(type + "name = \"x\"\n", "2") + loop(type, "3"));
  ASSERT_EQ(robot.loops.size(), 3U);
  EXPECT_EQ(robot.loops[0].name, "loop1");
  EXPECT_EQ(robot.loops[1].name, "x");
  EXPECT_EQ(robot.loops[2].name, "loop3");
  EXPECT_TRUE(robot.independent.empty());
  EXPECT_NE(to_toml(robot).find("name = \"loop3\""), std::string::npos);
  expect_round_trips(robot);
}

// Degrees are for what turns, also for a part of a joint that turns and slides.
TEST(Loops, StartInTheUnitOfTheFile) {
  const std::string nut =
      "[[link]]\nname = \"nut\"\njoint = \"cylindrical\"\njoint_name = \"j\"\n"
      "mass = 1\ncom = [0.1, 0, 0]\ninertia = [1, 1, 1]\n";
  const Robot robot = read(
      "frames",
      "angles = \"deg\"\nindependent = [\"elbow\", \"j_turn\"]\n"
      "start = { j_slide = 0.2, j_turn = 30, elbow = -90 }\n",
      link("elbow", "revolute", "base", "") + nut + "[[loop]]\ntype = \"spherical\"\nframes = [\"nut\", \"base\"]\n");
  EXPECT_EQ(robot.start,
            (std::map<std::string, double>{{"elbow", -0.5 * pi}, {"j_slide", 0.2}, {"j_turn", 30 * pi / 180.0}}));
  expect_round_trips(robot);
}

TEST(Loops, AreChildrenOfCatenaInUrdf) {
  const std::string text = to_urdf(four_bar());
  EXPECT_NE(text.find(R"(tool="rocker bar">
    <loop name="closure" type="revolute"><frame name="coupler end"/><frame name="rocker end"/></loop>
    <independent>
      <joint name="crank"/>
    </independent>
    <start>
      <joint name="coupler" position="0.54"/>
      <joint name="rocker" position="0.96"/>
    </start>
  </catena>
)"),
            std::string::npos)
      << text;
  const Robot robot = parse_urdf(text, "x.urdf");
  ASSERT_EQ(robot.loops.size(), 1U);
  EXPECT_EQ(robot.loops[0].line, 4);
  EXPECT_GE(robot.link_index("coupler end"), 0);
  expect_same(four_bar(), robot);
}

TEST(Loops, StandAtTheTopAndTheEndInToml) {
  const std::string text = to_toml(four_bar());
  EXPECT_NE(text.find("independent = [\"crank\"]\nstart = { \"coupler\" = 0.54, \"rocker\" = 0.96 }\n\n[base]\n"),
            std::string::npos)
      << text;
  EXPECT_TRUE(
      text.ends_with("\n[[loop]]\nname = \"closure\"\ntype = \"revolute\"\nframes = [\"coupler end\", "
                     "\"rocker end\"]\n"))
      << text;
}

TEST(Loops, ARobotWithoutThemSaysNothing) {
  Robot robot = four_bar();
  robot.loops.clear(), robot.independent.clear(), robot.start.clear();
  for (const std::string& text : {to_toml(robot), to_urdf(robot)})
    for (const char* word : {"loop", "independent", "start"}) EXPECT_EQ(text.find(word), std::string::npos) << text;
}

// Eight joints, whose end meets the base where they all stand at zero.
Robot ring(LoopType type) {
  Robot robot;
  robot.add_link("base");
  for (int k = 0; k < 8; ++k) {
    JointDescription joint;
    joint.name = "j" + std::to_string(k);
    joint.parent = k;
    joint.child =
        robot.add_link("l" + std::to_string(k), {1.0, {0.1, 0.0, 0.2}, Sym3<double>::diagonal(0.1, 0.1, 0.1)});
    joint.axis = k % 3 == 0 ? Vec3<double>{1, 0, 0} : k % 3 == 1 ? Vec3<double>{0, 1, 0} : Vec3<double>{0, 0, 1};
    joint.origin.p = {0.1 * (k % 2), 0.2 * (k % 3), 0.3 * (k % 4)};
    robot.add_joint(joint);
  }
  robot.add_frame("anchor", 0, poses(robot, std::vector<double>(8)).at("l7"));
  robot.loops = {{"ring", type, {"anchor", "l7"}, 0}};
  return robot;
}

TEST(Loops, OfEveryTypeAreReadBack) {
  for (std::size_t k = 0; k < loop_type_names.size(); ++k) {
    SCOPED_TRACE(loop_type_names[k]);
    const Robot robot = ring(static_cast<LoopType>(k));
    EXPECT_NE(to_toml(robot).find("type = \"" + std::string(loop_type_names[k]) + "\""), std::string::npos);
    expect_round_trips(robot);
  }
}

TEST(Loops, OfAnyNameAreReadBack) {
  Robot robot = four_bar();
  robot.loops[0].name = R"(a "closed" \ loop & <more> 'é前)";
  robot.frames[0].name = robot.loops[0].frames[0] = R"(tip \ "&<')";
  robot.links[3].name = R"(rocker & "bar")";
  robot.joints[0].name = robot.independent[0] = R"(crank.\ "&<')";
  robot.joints[1].name = R"(coupler = "&<' 1)";
  robot.start = {{robot.joints[1].name, 0.54321}, {"rocker", 0.96}};
  expect_round_trips(robot);
  expect_round_trips(four_bar());
}

std::string refusal(const std::string& top, const std::string& rest) {
  try {
    read("frames", top, rest);
  } catch (const ModelError& error) {
    return error.what();
  }
  return "";
}

// Everything else that is refused has a file in models/bad.
TEST(Loops, AreToldApartFromTheTopOfTheFile) {
  EXPECT_EQ(refusal("", link("arm", "revolute", "base", "") +
                            "[[loop]]\ntype = \"fixed\"\nframes = [\"base\", \"arm bar\"]\nindependent = [\"arm\"]\n"),
            "x.toml:13: loop 'loop1': unknown key 'independent' here: it belongs to the top of the file, before the "
            "first [table]");
  EXPECT_EQ(refusal("loop = { type = \"fixed\" }\n", link("arm", "revolute", "base", "")),
            "x.toml:2: loop must be tables: write [[loop]] above each");
}

}  // namespace
}  // namespace catena::test::loops_test

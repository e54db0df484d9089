// What is written reads back to the same robot: names, order of q, frames, limits, drives, and the torques.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "catena/robot_file.hpp"
#include "support/nightly.hpp"
#include "support/random_robot.hpp"
#include "support/same_robot.hpp"

namespace catena::test::round_trip_test {
namespace {

constexpr double pi = std::numbers::pi;
constexpr double inf = std::numeric_limits<double>::infinity();

TEST(RoundTrip, RandomChainsAndTrees) {
  for (const std::uint64_t seed : test::seeds(0, 60)) {
    Robot robot = sample(seed, 1 + static_cast<int>(seed % 12)).robot;
    SCOPED_TRACE(seed);
    Random random(seed);
    robot.gravity = random.vector(9.81);
    for (JointDescription& j : robot.joints) {
      if (random.chance(0.2)) j.limits.lower = -inf;
      if (random.chance(0.2)) j.limits.upper = inf;
      if (random.chance(0.2)) j.limits.velocity = inf;
      if (random.chance(0.2)) j.limits.effort = inf;
    }
    if (seed % 2 == 0) couple_some(random, robot);
    expect_round_trips(robot);
  }
}

// Every field of a Robot, all at once.
TEST(RoundTrip, NothingOfARobotIsLost) {
  for (const std::uint64_t seed : test::seeds(100, 400)) {
    SCOPED_TRACE(seed);
    Robot robot = sample(seed, 1 + static_cast<int>(seed % 12)).robot;
    Random random(seed);
    vary_everything(random, robot);
    expect_round_trips(robot);
    const Robot again = parse_toml(to_toml(robot), "again.toml");
    ASSERT_EQ(again.frames.size(), robot.frames.size());
    for (std::size_t k = 0; k < robot.frames.size(); ++k) EXPECT_EQ(again.frames[k].name, robot.frames[k].name);
    for (std::size_t k = 0; k < robot.joints.size(); ++k) EXPECT_EQ(again.joints[k].name, robot.joints[k].name);
  }
}

// As many files: the base, "world", is the last link and the flange with a tool on it comes before its joints.
TEST(RoundTrip, TheToolStaysTheTool) {
  const std::string body =
      "<inertial><mass value='1'/><inertia ixx='.1' iyy='.1' izz='.1' ixy='0' ixz='0' iyz='0'/></inertial>";
  const std::string joint = "'><origin xyz='0 0 .1'/><axis xyz='0 1 0'/><limit effort='1' velocity='1'/>";
  const Robot robot = parse_urdf(
      "<robot name='arm'><link name='base_link'/><link name='tool0'/><link name='upper'>" + body + "</link>" +
          "<link name='flange'>" + body + "</link><link name='base'/><link name='world'/>" +
          "<joint name='a' type='continuous" + joint + "<parent link='base_link'/><child link='upper'/></joint>" +
          "<joint name='b' type='continuous" + joint + "<parent link='upper'/><child link='flange'/></joint>" +
          "<joint name='t' type='fixed'><parent link='flange'/><child link='tool0'/></joint>" +
          "<joint name='f' type='fixed'><parent link='base_link'/><child link='base'/></joint>" +
          "<joint name='w' type='fixed'><parent link='world'/><child link='base_link'/></joint></robot>",
      "arm.urdf");
  EXPECT_EQ(robot.tool_name(), "tool0");
  EXPECT_EQ(parse_toml(to_toml(robot), "arm.toml").tool_name(), "tool0");
  EXPECT_EQ(parse_urdf(to_urdf(robot), "arm.urdf").tool_name(), "tool0");
  expect_round_trips(robot);
}

TEST(RoundTrip, DhRows) {
  const std::string body = "mass = 1\ncom = [0, 0, 0]\ninertia = [1, 1, 1]\n";
  for (const char* convention : {"classic", "modified"}) {
    const std::string rows = "a = 0.3\nalpha = 90\nd = 0.1\ntheta = -45\n";
    const Robot robot = parse_toml("angles = \"deg\"\nconvention = \"" + std::string(convention) + "\"\n" +
                                       "[[link]]\njoint = \"revolute\"\n" + rows + body +
                                       "[[link]]\njoint = \"prismatic\"\ngamma = 30\nepsilon = 0.2\n" + rows + body,
                                   "x.toml");
    expect_round_trips(robot);
  }
}

TEST(RoundTrip, AnglesNextToTheGimbal) {
  // 1.57079633 is how files write π/2: roll and yaw are then nearly, not quite, about one axis.
  for (const double pitch : {pi / 2.0, 1.57079633, 1.5707963, -1.570796326794, pi / 2.0 - 1e-12, 1.0}) {
    Robot robot;
    robot.add_link("base");
    robot.add_link("tip", {1.0, {0.1, 0.2, 0.3}, Sym3<double>::diagonal(0.1, 0.1, 0.1)});
    JointDescription j;
    j.name = "j";
    j.parent = 0;
    j.child = 1;
    j.origin.R = rotation_from_rpy({0.4, pitch, 0.7});
    robot.add_joint(j);
    expect_round_trips(robot);
  }
}

TEST(RoundTrip, AwkwardNames) {
  Robot robot;
  robot.name = "a \"quoted\" \\ robot & <more> 'é前🦾";
  robot.add_link("base \"0\"");
  robot.add_link("l&1<>");
  robot.add_link("l&1<>_joint");  // the name the URDF writer would like to use
  for (int k = 0; k < 2; ++k) {
    robot.links[static_cast<std::size_t>(k) + 1].inertial = {1.0, {}, Sym3<double>::diagonal(0.1, 0.1, 0.1)};
    JointDescription j;
    j.name = k == 0 ? "l&1<>_frame" : "j'\\2";
    j.parent = k;
    j.child = k + 1;
    j.child_frame.p = {0.1, 0.2, 0.3};
    robot.add_joint(j);
  }
  robot.add_frame("tcp \\ \"x\"", 2, {rotation_from_rpy({0.1, 0.2, 0.3}), {1.0, 2.0, 3.0}});
  expect_round_trips(robot);
}

TEST(RoundTrip, InvalidRobotsAreNotWritten) {
  EXPECT_THROW(to_toml(Robot{}), ModelError);
  EXPECT_THROW(to_urdf(Robot{}), ModelError);
}

TEST(RoundTrip, ShippedModels) {
  const std::vector<std::string> names = shipped_models();
  for (const std::string& name : names) {
    SCOPED_TRACE(name);
    expect_round_trips(load_robot(find_model(name)));
  }
}

}  // namespace
}  // namespace catena::test::round_trip_test

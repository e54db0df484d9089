// What only MJCF does with a Robot: bodies that MuJoCo accepts, and what it has no words for.
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <string>

#include "catena/changes.hpp"
#include "catena/robot_file.hpp"
#include "model/free_base.hpp"
#include "support/loop_robots.hpp"
#include "support/nightly.hpp"
#include "support/random_robot.hpp"
#include "support/same_robot.hpp"

namespace catena::test::mjcf_writer_test {
namespace {

Robot read(const std::string& text) { return parse_robot(text, "robot.mjcf"); }

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

void expect_refused(const Robot& robot, const std::string& words) {
  try {
    to_mjcf(robot);
    ADD_FAILURE() << "written, though " << words;
  } catch (const ModelError& e) {
    EXPECT_TRUE(has(e.what(), words)) << e.what();
    EXPECT_FALSE(has(e.what(), "\n")) << e.what();
  }
}

// A pendulum with this body.
Robot pendulum(const Inertial& body) {
  Robot robot;
  robot.add_link("base");
  robot.add_link("rod", body);
  JointDescription joint;
  joint.name = "pivot";
  joint.parent = 0;
  joint.child = 1;
  robot.add_joint(joint);
  return robot;
}

TEST(MjcfWriter, FreeBases) {
  for (const std::uint64_t seed : test::seeds(0, 60)) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Robot robot = random_free(random, 1 + static_cast<int>(seed % 9), seed % 2 == 0, seed % 3 == 0);
    if (seed % 4 == 1) robot.joints.front().origin = {random.rotation(), random.vector(1.0)};
    if (seed % 4 == 2) robot.joints[5].child_frame = {random.rotation(), random.vector(1.0)};
    Robot again = read(to_mjcf(robot));
    EXPECT_EQ(again.floating, robot.floating);
    ASSERT_EQ(again.joints.size(), robot.joints.size());
    expect_near(again.joints.front().origin, robot.joints.front().origin);
    expect_near(again.joints[5].child_frame, robot.joints[5].child_frame);
    robot.floating = again.floating = "";  // to compare its six joints as others
    for (JointDescription& joint : robot.joints)
      if (!joint.moves()) joint.limits = {};
    expect_same(robot, again);
  }
}

TEST(MjcfWriter, ClosedLoops) {
  const std::vector<std::vector<LoopType>> kinds{
      {LoopType::revolute}, {LoopType::spherical}, {LoopType::fixed}, {LoopType::revolute, LoopType::spherical}};
  for (const std::uint64_t seed : test::seeds(0, 40)) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Robot robot = random_loops(random, {.joints = 12}, kinds[seed % 4]).robot;
    expect_round_trips_as_mjcf(robot);
  }
}

TEST(MjcfWriter, TheLoopsThatItHasNoWordFor) {
  for (const LoopType type : {LoopType::prismatic, LoopType::cylindrical, LoopType::universal, LoopType::planar}) {
    Random random(3);
    expect_refused(random_loops(random, {.joints = 12}, {type}).robot, "is " + std::string(name_of(type)));
  }
}

// MuJoCo refuses a moving body without mass or moments.
TEST(MjcfWriter, BodiesWithoutMass) {
  const std::string massless = to_mjcf(pendulum({}));
  EXPECT_TRUE(has(massless, "mass=\"1e-15\" diaginertia=\"1e-15 1e-15 1e-15\"")) << massless;
  EXPECT_EQ(read(massless).links[1].inertial.mass, 0.0);
  EXPECT_EQ(read(massless).links[1].inertial.inertia, Sym3<double>{});
  const Inertial point{2.0, {0.1, 0.0, 0.0}, {}}, rod{2.0, {0.1, 0.0, 0.0}, Sym3<double>::diagonal(0.0, 0.3, 0.3)};
  for (const Inertial& body : {point, rod}) {
    const Robot again = read(to_mjcf(pendulum(body)));
    EXPECT_EQ(again.links[1].inertial.mass, body.mass);
    EXPECT_EQ(again.links[1].inertial.inertia, body.inertia);
  }
  Random random(5);
  for (int k = 0; k < 50; ++k) {  // turned rods and plates: their moments are at the edge of what a body can have
    const double a = random.between(0.0, 0.1), b = k % 2 == 0 ? 0.0 : random.between(0.0, 0.1);
    const Inertial body{1.0, {}, congruence(random.rotation(), Sym3<double>::diagonal(a, b, a + b))};
    const Sym3<double> inertia = read(to_mjcf(pendulum(body))).links[1].inertial.inertia;
    expect_near(inertia.column_x(), body.inertia.column_x());
    expect_near(inertia.column_y(), body.inertia.column_y());
    expect_near(inertia.column_z(), body.inertia.column_z());
  }
}

TEST(MjcfWriter, MomentsThatNoBodyHas) {
  expect_refused(pendulum({1.0, {}, Sym3<double>::diagonal(1.0, 1.0, 2.1)}),
                 "link 'rod': no body has the principal moments 1, 1, 2.1");
  EXPECT_NO_THROW(to_mjcf(pendulum({1.0, {}, Sym3<double>::diagonal(1.0, 1.0, 2.0)})));
}

TEST(MjcfWriter, NamesWithAnotherMeaning) {
  Robot robot = pendulum({1.0, {}, Sym3<double>::diagonal(1.0, 1.0, 1.0)});
  robot.links[1].name = "world";
  expect_refused(robot, "link 'world' must be the base and have no mass");
  robot.links[1].name = "rod";
  robot.links[0] = {"world", robot.links[1].inertial};
  expect_refused(robot, "link 'world' must be the base and have no mass");
  robot.links[0].inertial = {};
  EXPECT_FALSE(has(to_mjcf(robot), "catena:base"));
  expect_round_trips_as_mjcf(robot);
  robot.add_frame("catena:tool", 1);
  expect_refused(robot, "must not start with 'catena:'");
}

// What readers of XML would find too deep is not written.
TEST(MjcfWriter, LongChains) {
  const auto chain = [](int joints) {
    Random random(1);
    return random_robot(random, {.joints = joints, .fixed_links = false});
  };
  expect_round_trips_as_mjcf(chain(40));
  int written = 0;
  for (int joints = 90; joints < 110; ++joints) try {
      EXPECT_EQ(read(to_mjcf(chain(joints))).dof(), joints);
      ++written;
    } catch (const ModelError& e) {
      EXPECT_TRUE(has(e.what(), "as MJCF: bodies would be nested more than")) << e.what();
    }
  EXPECT_GE(written, 5);
  EXPECT_LT(written, 20);
}

// What others wrote as MJCF: ball joints, several joints in a body, loops, couplings, a free base, sites.
TEST(MjcfWriter, FilesOfOthers) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(CATENA_SOURCE_DIR) + "/tests/data/mjcf")) {
    if (entry.path().extension() != ".xml") continue;
    SCOPED_TRACE(entry.path().filename().string());
    Robot robot = load_robot(entry.path().string());
    ++files;
    if (robot.floating.empty()) {
      expect_round_trips(robot);
      continue;
    }
    Robot toml = parse_toml(to_toml(robot), "a.toml"), urdf = parse_urdf(to_urdf(robot), "a.urdf"),
          mjcf = read(to_mjcf(robot));
    robot.floating = toml.floating = urdf.floating = mjcf.floating = "";  // to compare its six joints as others
    expect_same(robot, toml);
    expect_same(robot, urdf);
    expect_same(robot, mjcf, 1e-14);
  }
  EXPECT_GE(files, 7);
}

// A number that was changed by hand in MuJoCo's words is not overruled by ours.
TEST(MjcfWriter, WhatIsSaidTwice) {
  Robot robot = pendulum({1.0, {}, Sym3<double>::diagonal(1.0, 1.0, 1.0)});
  robot.joints[0].drive.rotor_inertia = 1e-3;
  robot.joints[0].drive.gear_ratio = 10.0;
  std::string text = to_mjcf(robot);
  const std::string armature = "armature=\"0.1\"";
  ASSERT_TRUE(has(text, armature)) << text;
  text.replace(text.find(armature), armature.size(), "armature=\"0.2\"");
  EXPECT_DOUBLE_EQ(read(text).joints[0].drive.rotor_inertia, 2e-3);
  EXPECT_EQ(read(text).joints[0].drive.gear_ratio, 10.0);
}

TEST(MjcfWriter, EntriesThatAreWrong) {
  const std::string text = to_mjcf(pendulum({1.0, {}, Sym3<double>::diagonal(1.0, 1.0, 1.0)}));
  for (const char* entry :
       {"<numeric name='catena:velocity nobody' data='1'/>", "<numeric name='catena:velocity pivot' data='fast'/>",
        "<numeric name='catena:colour pivot' data='1'/>", "<text name='catena:loop x' data='revolute'/>",
        "<text name='catena:fixed rod' data='x'/>", "<numeric name='catena:free_origin' data='0 0 0 0 0 0'/>",
        "<numeric name='catena:order x' data='1'/>", "<text name='catena:tool' data='x'/>",
        "<numeric name='catena:order pivot' data='1'/><numeric name='catena:order pivot' data='2'/>"}) {
    std::string wrong = text;
    wrong.insert(wrong.find("</custom>"), entry);
    EXPECT_THROW(read(wrong), ModelError) << entry;
  }
}

}  // namespace
}  // namespace catena::test::mjcf_writer_test

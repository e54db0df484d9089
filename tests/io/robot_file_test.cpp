// Robot files: what is read is what was meant, whatever the file is called and wherever it lies. Round trips have a
// room of their own.
#include "catena/robot_file.hpp"

#include <gtest/gtest.h>
#ifndef _WIN32
#include <sys/resource.h>
#endif
#include <unistd.h>

#include <algorithm>
#include <clocale>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "support/random_robot.hpp"
#include "support/same_robot.hpp"

namespace catena::test::robot_file_test {
namespace {

namespace fs = std::filesystem;

constexpr double pi = std::numbers::pi;
constexpr double inf = std::numeric_limits<double>::infinity();

// ---- TOML ----

const std::string body = "mass = 1\ncom = [0, 0, 0]\ninertia = [1, 1, 1]\n";

TEST(Toml, ReadsTheExampleOfTheManual) {
  const Robot robot = parse_toml(R"(
name = "two-link arm"
convention = "classic"
angles = "deg"
tool = "tcp"
[base]
name = "pedestal"
[[link]]
name = "upper arm"
joint = "revolute"
joint_name = "shoulder"
parent = "pedestal"
a = 0.5
alpha = 90.0
d = 0.1
theta = 30
mass = 4.2
com = [-0.2, 0.0, 0.0]
inertia = [0.01, 0.09, 0.09]
limits = { lower = -170, upper = 170, velocity = 180, effort = 60 }
friction = { viscous = 0.1, coulomb = 0.4 }
rotor = { inertia = 2e-4, gear_ratio = 100 }
[[frame]]
name = "tcp"
link = "upper arm"
xyz = [0.1, 0.0, 0.0]
rpy = [0.0, 0.0, 90.0]
)",
                                 "arm.toml");
  EXPECT_EQ(robot.name, "two-link arm");
  EXPECT_EQ(robot.tool, "tcp");
  EXPECT_EQ(robot.gravity, (Vec3<double>{0.0, 0.0, -9.81}));
  ASSERT_EQ(robot.links.size(), 2U);
  EXPECT_EQ(robot.links[0].name, "pedestal");
  EXPECT_EQ(robot.links[1].line, 8);
  EXPECT_EQ(robot.links[1].inertial.mass, 4.2);
  EXPECT_EQ(robot.links[1].inertial.com, (Vec3<double>{-0.2, 0.0, 0.0}));
  ASSERT_EQ(robot.joints.size(), 1U);
  const JointDescription& joint = robot.joints[0];
  EXPECT_EQ(joint.name, "shoulder");
  EXPECT_DOUBLE_EQ(joint.limits.upper, 170.0 * pi / 180.0);
  EXPECT_DOUBLE_EQ(joint.limits.velocity, pi);
  EXPECT_EQ(joint.limits.effort, 60.0);
  EXPECT_EQ(joint.drive.gear_ratio, 100.0);
  const auto where = poses(robot, {0.3});
  const double turn = 0.3 + pi / 6.0;
  const Pose<double> expected{rotation_about({0.0, 0.0, 1.0}, turn) * rotation_about({1.0, 0.0, 0.0}, pi / 2.0),
                              {0.5 * std::cos(turn), 0.5 * std::sin(turn), 0.1}};
  expect_near(where.at("upper arm"), expected);
  expect_near(where.at("tcp").p, expected.p + expected.R * Vec3<double>{0.1, 0.0, 0.0});
  EXPECT_TRUE(robot.warnings.empty());
}

TEST(Toml, DefaultsAndShortForms) {
  const Robot robot = parse_toml("convention = \"frames\"\n[[link]]\njoint = \"prismatic\"\naxis = [0, 3, 4]\n" + body +
                                     "[[link]]\njoint = \"fixed\"\nmass = 0\n",
                                 "x.toml");
  EXPECT_EQ(robot.name, "robot");
  EXPECT_EQ(robot.links[0].name, "base");
  EXPECT_EQ(robot.links[2].name, "link2");
  EXPECT_EQ(robot.joints[1].name, "joint2");
  EXPECT_EQ(robot.joints[1].parent, 1);
  EXPECT_EQ(robot.joints[0].axis, (Vec3<double>{0.0, 0.6, 0.8}));
  EXPECT_EQ(robot.joints[0].limits.upper, inf);
  EXPECT_EQ(robot.dof(), 1);
}

TEST(Toml, InertiaInThreeForms) {
  const auto inertia = [](const std::string& text) {
    const std::string head = "convention = \"classic\"\n[[link]]\njoint = \"revolute\"\nmass = 1\ncom = [0, 0, 0]\n";
    return parse_toml(head + "inertia = " + text + "\n", "x.toml").links[1].inertial.inertia;
  };
  EXPECT_EQ(inertia("[2, 3, 4]"), (Sym3<double>{2, 3, 4, 0, 0, 0}));
  EXPECT_EQ(inertia("[2, 3, 4, 0.1, 0.2, 0.3]"), (Sym3<double>{2, 3, 4, 0.1, 0.2, 0.3}));
  EXPECT_EQ(inertia("[[2, 0.1, 0.2], [0.1, 3, 0.3], [0.2, 0.3, 4]]"), (Sym3<double>{2, 3, 4, 0.1, 0.2, 0.3}));
}

// Saha's Table 3: r runs from the mass centre to the origin of the next joint's frame.
TEST(Toml, MassCentresAsTheTablesOfSahaGiveThem) {
  const std::string link =
      "convention = \"classic\"\n[[link]]\njoint = \"revolute\"\na = 0.4\nalpha = 0.3\n"
      "mass = 2\ninertia = [1, 1, 1]\n";
  const Robot by_r = parse_toml(link + "r = [0.1, -0.2, 0]\n", "a"),
              by_com = parse_toml(link + "com = [-0.1, 0.2, 0]\n", "a");
  EXPECT_EQ(by_r.links[1].inertial.com, by_com.links[1].inertial.com);
  EXPECT_FALSE(std::signbit(by_r.links[1].inertial.com.z));
  const Robot stanford = load_robot(std::string(CATENA_SOURCE_DIR) + "/models/stanford.toml");
  const Vec3<double> up{0.0, 0.1, 0.0}, none{};
  const Vec3<double> expected[] = {up, none, none, up, none, none};
  for (std::size_t k = 0; k < 6; ++k) EXPECT_EQ(stanford.links[k + 1].inertial.com, expected[k]) << k;
}

TEST(Toml, ParentsMayStandAnywhere) {
  const Robot robot = parse_toml(
      "convention = \"modified\"\n"
      "[[link]]\nname = \"tip\"\nparent = \"root\"\njoint = \"revolute\"\n" +
          body + "[[link]]\nname = \"root\"\nparent = \"base\"\njoint = \"revolute\"\n" + body,
      "x.toml");
  EXPECT_EQ(robot.joints[0].parent, 2);
  EXPECT_EQ(robot.joints[1].parent, 0);
}

// ---- URDF ----

std::string urdf(const std::string& inside) { return "<robot name=\"r\">" + inside + "</robot>"; }
const std::string heavy =
    "<inertial><mass value=\"1\"/><inertia ixx=\"1\" ixy=\"0\" ixz=\"0\" iyy=\"2\" iyz=\"0\" izz=\"2\"/>";
const std::string two_links = "<link name=\"a\"/><link name=\"b\">" + heavy + "</inertial></link>";
std::string joint(const std::string& type, const std::string& inside) {
  return "<joint name=\"j\" type=\"" + type + "\"><parent link=\"a\"/><child link=\"b\"/>" + inside + "</joint>";
}
JointDescription read_joint(const std::string& type, const std::string& inside, const std::string& beside = "") {
  return parse_urdf(urdf(two_links + joint(type, inside) + beside), "x.urdf").joints.at(0);
}

TEST(Urdf, DefaultsOfTheSpecification) {
  const JointDescription plain = read_joint("revolute", "");
  EXPECT_EQ(plain.axis, (Vec3<double>{1.0, 0.0, 0.0}));
  EXPECT_EQ(plain.origin, Pose<double>{});
  EXPECT_EQ(plain.limits.upper, inf);
  EXPECT_EQ(read_joint("revolute", "<limit effort=\"1\" velocity=\"1\"/>").limits.upper, 0.0);
  EXPECT_EQ(read_joint("continuous", "<limit lower=\"-1\" upper=\"1\" effort=\"5\" velocity=\"2\"/>").limits.upper,
            inf);
  EXPECT_EQ(read_joint("continuous", "<limit effort=\"5\" velocity=\"2\"/>").limits.effort, 5.0);
  EXPECT_EQ(read_joint("fixed", "<axis xyz=\"0 0 0\"/>").type, JointType::fixed);
}

TEST(Urdf, AxesFrictionAndGears) {
  EXPECT_EQ(read_joint("prismatic", "<axis xyz=\" 0 -3\t4 \"/>").axis, (Vec3<double>{0.0, -0.6, 0.8}));
  EXPECT_EQ(read_joint("prismatic", "<axis xyz=\"0 1e-300 0\"/>").axis, (Vec3<double>{0.0, 1.0, 0.0}));
  const JointDescription rubbing = read_joint("revolute", "<dynamics damping=\"+0.5\" friction=\"1.5\" K=\"7000\"/>");
  EXPECT_EQ(rubbing.drive.viscous, 0.5);
  EXPECT_EQ(rubbing.drive.coulomb, 1.5);
  const std::string gear =
      "<transmission name=\"t\"><joint name=\"j\"/><actuator name=\"m\"><mechanicalReduction> 160 "
      "</mechanicalReduction></actuator></transmission>";
  EXPECT_EQ(read_joint("revolute", "", gear).drive.gear_ratio, 160.0);
  const JointDescription own = read_joint("revolute", "<catena rotor_inertia=\"1e-4\" gear_ratio=\"50\"/>", gear);
  EXPECT_EQ(own.drive.gear_ratio, 50.0);
  EXPECT_EQ(own.drive.rotor_inertia, 1e-4);
}

TEST(Urdf, OrientationOfOriginAndInertia) {
  expect_near(read_joint("fixed", "<origin rpy=\"0 0 1.5707963267948966\"/>").origin.R,
              rotation_about({0.0, 0.0, 1.0}, pi / 2.0));
  expect_near(read_joint("fixed", "<origin quat_xyzw=\"0 0 1 1\"/>").origin.R,
              rotation_about({0.0, 0.0, 1.0}, pi / 2.0));
  const Robot turned = parse_urdf(
      urdf("<link name=\"b\">" + heavy + "<origin xyz=\"1 2 3\" rpy=\"0 0 1.5707963267948966\"/></inertial></link>"),
      "x.urdf");
  EXPECT_EQ(turned.links[0].inertial.com, (Vec3<double>{1.0, 2.0, 3.0}));
  EXPECT_NEAR(turned.links[0].inertial.inertia.xx, 2.0, 1e-12);
  EXPECT_NEAR(turned.links[0].inertial.inertia.yy, 1.0, 1e-12);
}

TEST(Urdf, IgnoresWhatIsNotDynamics) {
  const Robot robot =
      parse_urdf("\xEF\xBB\xBF<?xml version=\"1.0\"?><!DOCTYPE robot><!-- x -->" +
                     urdf("<material name=\"m\"/><gazebo><static>1</static></gazebo><ros2_control name=\"c\"/>"
                          "<link name=\"a\"><visual><origin xyz=\"oops\"/></visual><collision/><sensor/></link>"),
                 "x.urdf");
  EXPECT_EQ(robot.links.size(), 1U);
  EXPECT_TRUE(robot.warnings.empty());
}

#ifndef _WIN32  // its limits and locales are POSIX's
// A locale with a decimal comma, made for the test (Debian: locales has its definition).
TEST(Urdf, NumbersDoNotDependOnTheLocale) {
  const fs::path made = fs::temp_directory_path() / ("catena_locale_" + std::to_string(::getpid()));
  fs::create_directories(made);
  const std::string name = (made / "de_DE.UTF-8").string();
  ASSERT_EQ(std::system(("localedef --no-archive -i de_DE -f UTF-8 " + name).c_str()), 0);
  const std::string saved = std::setlocale(LC_ALL, nullptr);
  ASSERT_EQ(::setenv("LOCPATH", made.c_str(), 1), 0);
  const bool is_set = std::setlocale(LC_ALL, "de_DE.UTF-8") != nullptr;
  const char comma = *std::localeconv()->decimal_point;
  const double read = read_joint("fixed", "<origin xyz=\"0.5 0 0\"/>").origin.p.x;
  std::setlocale(LC_ALL, saved.c_str());
  ::unsetenv("LOCPATH");
  fs::remove_all(made);
  ASSERT_TRUE(is_set);
  EXPECT_EQ(comma, ',');
  EXPECT_EQ(read, 0.5);
}
#endif

// ---- files ----

class Folder : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    path_ = fs::temp_directory_path() / ("catena_" + std::string(test->name()) + "_" + std::to_string(::getpid()));
    fs::create_directories(path_);
    before_ = fs::current_path();
  }
  void TearDown() override {
    fs::current_path(before_);
    fs::remove_all(path_);
  }
  std::string file(const std::string& name) const { return (path_ / name).string(); }
  std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(path_), fs::directory_iterator{}));
  }

  fs::path path_, before_;
};

using RobotFile = Folder;
using FindModel = Folder;

TEST_F(RobotFile, SavesByEndingAndLoadsByContent) {
  Robot robot = sample(3, 5).robot;
  for (JointDescription& joint : robot.joints)
    if (!joint.moves()) joint.limits = {};  // .xml is MJCF, which has no joint there
  for (const char* name : {"r.toml", "r.urdf", "r.xml"}) {
    save_robot(robot, file(name));
    save_robot(robot, file(name));  // a second time over the first
    expect_same(robot, load_robot(file(name)));
    fs::copy_file(file(name), file("unnamed"), fs::copy_options::overwrite_existing);
    expect_same(robot, load_robot(file("unnamed")));
  }
  EXPECT_EQ(entries(), 4U);
  EXPECT_THROW(save_robot(robot, file("r.yaml")), ModelError);
}

#ifndef _WIN32
TEST_F(RobotFile, SavingFailsWithAReasonAndLeavesTheOldFile) {
  const Robot robot = sample(3, 30).robot;
  EXPECT_THROW(save_robot(robot, file("no/such/folder.toml")), WriteError);
  fs::create_directory(path_ / "folder.toml");
  EXPECT_THROW(save_robot(robot, file("folder.toml")), WriteError);

  std::ofstream(file("old.toml")) << "old";
  // A file that may not grow stands in for a full disk.
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit small = before;
  small.rlim_cur = 100;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  std::string message;
  try {
    save_robot(robot, file("old.toml"));
  } catch (const WriteError& e) {
    message = e.what();
  }
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(message, file("old.toml") + ": cannot be written: File too large");
  std::string kept;
  std::ifstream(file("old.toml")) >> kept;
  EXPECT_EQ(kept, "old");
  EXPECT_EQ(entries(), 2U);
}
#endif

TEST_F(RobotFile, SavingThroughALinkKeepsTheLink) {
  const Robot robot = sample(3, 3).robot;
  save_robot(robot, file("target.toml"));
  fs::create_symlink("target.toml", path_ / "link.toml");
  save_robot(robot, file("link.toml"));
  EXPECT_TRUE(fs::is_symlink(path_ / "link.toml"));
}

TEST_F(FindModel, LooksWhereItSays) {
  fs::current_path(path_);
  fs::create_directory("models");
  std::ofstream("models/gripper.urdf") << "x";
  std::ofstream("models/wrist.toml") << "x";
  std::ofstream("here.toml") << "x";
  std::ofstream("plain") << "x";
  ::setenv("CATENA_MODELS", (path_ / "models").string().c_str(), 1);
  EXPECT_EQ(find_model("gripper"), (path_ / "models" / "gripper.urdf").string());
  EXPECT_EQ(find_model("gripper.urdf"), (path_ / "models" / "gripper.urdf").string());
  EXPECT_EQ(find_model("wrist"), (path_ / "models" / "wrist.toml").string());
  EXPECT_EQ(find_model("here.toml"), "here.toml");
  EXPECT_EQ(find_model("./anything"), "./anything");
  EXPECT_EQ(find_model("plain"), "plain");
  const std::vector<std::string> names = shipped_models();
  EXPECT_NE(std::find(names.begin(), names.end(), "gripper"), names.end());
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  for (const char* missing : {"gripperr", "", "models", "wrist.urdf"}) {
    try {
      find_model(missing);
      ADD_FAILURE() << missing;
    } catch (const ModelError& e) {
      EXPECT_NE(std::string(e.what()).find("gripper, "), std::string::npos) << e.what();
    }
  }
  ::unsetenv("CATENA_MODELS");
}

}  // namespace
}  // namespace catena::test::robot_file_test

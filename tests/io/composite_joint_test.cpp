// Joints of several degrees of freedom: what they are made of moves as the whole joint would.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "catena/dynamics.hpp"
#include "catena/robot_file.hpp"
#include "support/random_robot.hpp"
#include "support/same_robot.hpp"

namespace catena::test::composite_joint_test {
namespace {

constexpr double pi = std::numbers::pi;
const std::string body = "mass = 2\ncom = [0.1, 0.2, 0.3]\ninertia = [0.3, 0.4, 0.5, 0.01, 0.02, 0.03]\n";

Robot with_joint(const std::string& type, const std::string& more = "") {
  return parse_toml(
      "convention = \"frames\"\n[[link]]\nname = \"body\"\njoint_name = \"j\"\nxyz = [0.1, 0.2, 0.3]\nrpy = [0.4, 0.5, "
      "0.6]\n"
      "frame_xyz = [0.01, 0.02, 0.03]\njoint = \"" +
          type + "\"\n" + more + body,
      "j.toml");
}

using Names = std::vector<std::string>;
Names names(const Robot& robot) {
  Names out;
  for (const int k : robot.moving_joints()) out.push_back(robot.joints[static_cast<std::size_t>(k)].name);
  return out;
}

// Of the body's frame in the base, where the joint itself does `motion`.
void expect_motion(const Robot& robot, const std::vector<double>& q, const Pose<double>& motion) {
  const Pose<double> origin{rotation_from_rpy({0.4, 0.5, 0.6}), {0.1, 0.2, 0.3}}, frame{{}, {0.01, 0.02, 0.03}};
  expect_near(poses(robot, q).at("body"), origin * motion * Pose<double>{Mat3<double>::identity(), frame.p});
}

Mat3<double> about(double x, double y, double z, double angle) { return rotation_about({x, y, z}, angle); }

TEST(CompositeJoints, MoveAsTheWholeJointWould) {
  const Mat3<double> none = Mat3<double>::identity();
  EXPECT_EQ(names(with_joint("planar")), (Names{"j_x", "j_y", "j_turn"}));
  expect_motion(with_joint("planar"), {0.3, -0.7, 1.1}, {about(0, 0, 1, 1.1), {0.3, -0.7, 0}});
  EXPECT_EQ(names(with_joint("universal")), (Names{"j_x", "j_y"}));
  expect_motion(with_joint("universal"), {0.3, -0.7}, {about(1, 0, 0, 0.3) * about(0, 1, 0, -0.7), {}});
  EXPECT_EQ(names(with_joint("cylindrical", "axis = [0, 2, 0]\n")), (Names{"j_turn", "j_slide"}));
  expect_motion(with_joint("cylindrical", "axis = [0, 2, 0]\n"), {0.3, -0.7}, {about(0, 1, 0, 0.3), {0, -0.7, 0}});
  EXPECT_EQ(names(with_joint("screw", "pitch = 0.1\n")), Names{"j_turn"});
  expect_motion(with_joint("screw", "pitch = 0.1\n"), {2 * pi}, {none, {0, 0, 0.1}});
  expect_motion(with_joint("screw", "pitch = -0.1\n"), {0.5}, {about(0, 0, 1, 0.5), {0, 0, -0.1 * 0.5 / (2 * pi)}});
  EXPECT_EQ(names(with_joint("spherical")), (Names{"j_yaw", "j_pitch", "j_roll"}));
  expect_motion(with_joint("spherical"), {0.3, -0.7, 1.1}, {rotation_from_rpy({1.1, -0.7, 0.3}), {}});
}

// x and y are across the axis and right-handed with it, whatever it is; z itself leaves them alone.
TEST(CompositeJoints, KeepTheirAxesAcross) {
  Random random(3);
  std::vector<Vec3<double>> axes{{0, 0, 1}, {0, 0, -1}, {1, 0, 0}, {0, -1, 0}, {1e-9, 0, -1}, {0, 1e-12, 1}};
  for (int k = 0; k < 200; ++k) axes.push_back(random.direction());
  for (const Vec3<double>& axis : axes) {
    char text[160];
    std::snprintf(text, sizeof text, "axis = [%.17g, %.17g, %.17g]\n", axis.x, axis.y, axis.z);
    const Robot robot = with_joint("planar", text);
    ASSERT_EQ(robot.joints.size(), 3U);
    const Vec3<double> x = robot.joints[0].axis, y = robot.joints[1].axis, z = robot.joints[2].axis;
    expect_near(cross(x, y), z);
    EXPECT_NEAR(dot(x, x), 1.0, 1e-14);
    EXPECT_NEAR(dot(x, z), 0.0, 1e-14);
  }
  EXPECT_EQ(with_joint("planar").joints[0].axis, (Vec3<double>{1, 0, 0}));
  EXPECT_EQ(with_joint("planar", "axis = [1, 0, 0]\n").joints[0].axis, (Vec3<double>{0, 0, -1}));
}

TEST(CompositeJoints, HaveLimitsDrivesAndFollowersByPart) {
  const Robot robot = parse_toml(
      "convention = \"frames\"\nangles = \"deg\"\n[[link]]\nname = \"cart\"\njoint_name = \"floor\"\njoint = "
      "\"planar\"\n"
      "x = { limits = { lower = -2, upper = 3 }, friction = { viscous = 0.5 } }\n"
      "turn = { limits = { lower = -90 }, passive = true }\n" +
          body +
          "[[link]]\njoint_name = \"wheel\"\njoint = \"revolute\"\nmimic = { joint = \"floor_x\", multiplier = 10 }\n" +
          body +
          "[[link]]\njoint_name = \"lid\"\nparent = \"cart\"\njoint = \"screw\"\npitch = 0.01\nslide = { limits = { "
          "upper = 0.1 } }\n" +
          body + "[[frame]]\nname = \"eye\"\nlink = \"cart\"\n",
      "cart.toml");
  EXPECT_EQ(names(robot), (Names{"floor_x", "floor_y", "floor_turn", "lid_turn"}));
  EXPECT_EQ(robot.links[1].name, "cart");  // the links between come last
  EXPECT_EQ(robot.links.back().name, "lid_turn_link");
  EXPECT_EQ(robot.joints[0].limits.lower, -2.0);
  EXPECT_EQ(robot.joints[0].drive.viscous, 0.5);
  EXPECT_EQ(robot.joints[2].limits.lower, -pi / 2);
  EXPECT_TRUE(robot.joints[2].passive);
  EXPECT_EQ(make_mechanism(robot).limits(Coordinate(3)).upper, 0.1 / (0.01 / (2 * pi)));
  EXPECT_EQ(robot.frames[0].link, 1);
  EXPECT_TRUE(robot.warnings.empty());
  expect_round_trips(robot);
}

TEST(CompositeJoints, OfUrdfArePlanarAcrossTheirAxis) {
  const std::string file =
      "<robot name='cart'><link name='ground'/><link name='cart'><inertial><mass value='1'/>"
      "<inertia ixx='.1' iyy='.1' izz='.1' ixy='0' ixz='0' iyz='0'/></inertial></link>"
      "<joint name='floor' type='planar'><parent link='ground'/><child link='cart'/>"
      "<origin xyz='1 2 3'/><axis xyz='0 0 1'/></joint></robot>";
  const Robot robot = parse_urdf(file, "cart.urdf");
  EXPECT_EQ(names(robot), (Names{"floor_x", "floor_y", "floor_turn"}));
  EXPECT_EQ(robot.tool_name(), "cart");
  expect_near(poses(robot, {0.5, -0.5, 0.2}).at("cart"), {about(0, 0, 1, 0.2), {1.5, 1.5, 3}});
  expect_round_trips(robot);
}

// The torques of a screw: those of its turn, and the pitch times the force along it.
TEST(CompositeJoints, AScrewCarriesItsLoad) {
  const double pitch = 0.02, mass = 2.0, spin = 0.5;  // inertia about the axis through the mass centre, on the axis
  const Robot robot = parse_toml(
      "convention = \"frames\"\n[[link]]\njoint = \"screw\"\npitch = 0.02\nmass = 2\ncom = [0, 0, 0.3]\ninertia = [1, "
      "1, 0.5]\n",
      "screw.toml");
  InverseDynamics<double> inverse(make_mechanism(robot));
  std::vector<double> tau(1);
  const double lead = pitch / (2 * pi);
  inverse(std::vector{0.7}, std::vector{3.0}, std::vector{5.0}, tau);
  EXPECT_NEAR(tau[0], (spin + mass * lead * lead) * 5.0 + mass * 9.81 * lead, 1e-14);
  std::vector<double> qdd(1);
  ForwardDynamics<double>{make_mechanism(robot)}(std::vector{0.7}, std::vector{3.0}, tau, qdd);
  EXPECT_NEAR(qdd[0], 5.0, 1e-12);
}

// Forward dynamics finds what inverse dynamics was given, and refuses the singular pose.
TEST(CompositeJoints, ASphericalJointIsOneBody) {
  const Robot robot = with_joint("spherical");
  Random random(5);
  for (int k = 0; k < 20; ++k) {
    const State x = random_state(random, 3);
    std::vector<double> tau(3), qdd(3);
    InverseDynamics<double>{make_mechanism(robot)}(x.q, x.qd, x.qdd, tau);
    ForwardDynamics<double>{make_mechanism(robot)}(x.q, x.qd, tau, qdd);
    for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(qdd[j], x.qdd[j], 1e-6 / std::abs(std::cos(x.q[1])));
  }
  std::vector<double> qdd(3);
  ForwardDynamics<double> forward(make_mechanism(robot));
  const std::vector<double> zero(3), locked{0.2, pi / 2, 0.1};
  EXPECT_THROW(forward(locked, zero, zero, qdd), std::domain_error);
}

// Euler's equation about the ball's centre, with the columns of ω = J q̇ by hand: z, then y, then x, each turned by
// those before it.
TEST(CompositeJoints, ASphericalJointObeysEulersEquation) {
  const double mass = 2.0;
  const Vec3<double> com{0.1, 0.2, 0.3}, gravity{0.0, 0.0, -9.81};
  const Sym3<double> inertia{0.3, 0.4, 0.5, 0.01, 0.02, 0.03};
  const Robot robot = parse_toml("convention = \"frames\"\n[[link]]\njoint = \"spherical\"\n" + body, "ball.toml");
  InverseDynamics<double> inverse(make_mechanism(robot));
  Random random(6);
  for (int k = 0; k < 50; ++k) {
    const State x = random_state(random, 3);
    std::vector<double> tau(3);
    inverse(x.q, x.qd, x.qdd, tau);
    const Mat3<double> yaw = about(0, 0, 1, x.q[0]), pitched = yaw * about(0, 1, 0, x.q[1]),
                       R = pitched * about(1, 0, 0, x.q[2]);
    const Vec3<double> J[] = {{0, 0, 1}, yaw.column_y(), pitched.column_x()};
    Vec3<double> omega{}, omega_dot{};
    for (std::size_t j = 0; j < 3; ++j) {
      omega_dot += x.qdd[j] * J[j] + x.qd[j] * cross(omega, J[j]);
      omega += x.qd[j] * J[j];
    }
    const Vec3<double> c = R * com;
    const auto momentum = [&](const Vec3<double>& w) {  // about the centre
      return R * (inertia * (R.transpose() * w)) + mass * cross(c, cross(w, c));
    };
    const Vec3<double> moment = momentum(omega_dot) + cross(omega, momentum(omega)) - mass * cross(c, gravity);
    for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(tau[j], dot(J[j], moment), 1e-12 * (1.0 + std::abs(tau[j]))) << k;
  }
}

}  // namespace
}  // namespace catena::test::composite_joint_test

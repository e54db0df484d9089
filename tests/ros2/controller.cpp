// The controller of catena/ros_controller.hpp, and the plug-in of examples/ros2 with stand-ins for ROS's headers.
#include <gtest/gtest.h>
#include <catena_controller.hpp>

#include <array>
#include <fstream>
#include <iterator>
#include <limits>

#include "catena/dynamics.hpp"
#include "support/allocations.hpp"

std::unique_ptr<controller_interface::ControllerInterface> make_exported();  // what the plug-in exports

namespace catena::test {
namespace {

using Outcome = RosController::Outcome;

// A turning column, an elbow, a gripper whose second finger follows the first.
constexpr const char* arm = R"(<robot name="arm"><link name="base"/>
  <link name="a"><inertial><origin xyz="0.2 0 0.1"/><mass value="2"/><inertia ixx="0.02" iyy="0.03" izz="0.04" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="b"><inertial><origin xyz="0.1 0.05 0"/><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="f"><inertial><origin xyz="0 0 0.02"/><mass value="0.2"/><inertia ixx="1e-4" iyy="1e-4" izz="1e-4" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="g"><inertial><origin xyz="0 0 0.02"/><mass value="0.2"/><inertia ixx="1e-4" iyy="1e-4" izz="1e-4" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="column" type="continuous"><parent link="base"/><child link="a"/><axis xyz="0 1 0"/></joint>
  <joint name="elbow" type="continuous"><parent link="a"/><child link="b"/><origin xyz="0.4 0 0"/><axis xyz="0 1 0"/></joint>
  <joint name="left" type="prismatic"><parent link="b"/><child link="f"/><origin xyz="0.3 0 0"/><axis xyz="0 0 1"/>
    <limit lower="0" upper="0.04" effort="20" velocity="1"/></joint>
  <joint name="right" type="prismatic"><parent link="b"/><child link="g"/><origin xyz="0.3 0 0"/><axis xyz="0 0 -1"/>
    <limit lower="0" upper="0.04" effort="20" velocity="1"/><mimic joint="left"/></joint></robot>)";
constexpr double dt = 1e-3;

RosControllerOptions options(std::vector<std::string> joints, LawOptions law = gravity_compensation()) {
  return {arm, std::move(joints), std::move(law)};
}

std::string refusal(const RosControllerOptions& asked) {
  try {
    const RosController made(asked);
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

TEST(RosControllerTest, torques_are_in_the_order_of_the_names) {
  RosController own(options({"left", "elbow", "right", "column"}));
  const std::array<double, 4> q{0.01, 0.7, 0.01, -0.3}, still{};
  std::array<double, 4> tau{};
  ASSERT_EQ(own.activate(q), Outcome::ok);
  ASSERT_EQ(own.update(q, still, dt, tau), Outcome::ok);
  Call<double> gravity(make_mechanism(parse_urdf(arm, "arm")), "gravity");
  const std::array<double, 3> ordered{-0.3, 0.7, 0.01};
  std::array<double, 3> g{};
  gravity({.q = ordered}, g);
  EXPECT_DOUBLE_EQ(tau[3], g[0]);
  EXPECT_DOUBLE_EQ(tau[1], g[1]);
  EXPECT_DOUBLE_EQ(tau[0], g[2]);
  EXPECT_EQ(tau[2], 0.0) << "a finger that follows has no effort of its own";
  EXPECT_NE(g[0], 0.0);
}

TEST(RosControllerTest, joints_that_are_not_named_are_held_or_refused) {
  EXPECT_EQ(refusal(options({"column", "elbow"})),
            "joint 'left' of the URDF is to be named once among the joints, or held");
  EXPECT_NE(refusal(options({"column", "elbow", "left", "wrist"})).find("no joint 'wrist'"), std::string::npos);
  EXPECT_NE(refusal(options({"column", "column", "elbow", "left"})).find("named once"), std::string::npos);
  RosControllerOptions held = options({"elbow", "column"});
  held.held = {{"left", 0.02}};
  EXPECT_EQ(RosController(held).robot().nv(), 2);
  held.held = {{"thumb", 0.0}};
  EXPECT_NE(refusal(held).find("thumb"), std::string::npos);
  RosControllerOptions lost = options({"column", "elbow", "left"}, {"impedance"});
  lost.frame = "nowhere";
  EXPECT_EQ(refusal(lost), "the URDF has no link or frame 'nowhere'");
  EXPECT_NE(refusal(options({"column", "elbow", "left"}, {"no such law"})), "");
  EXPECT_NE(refusal({"<robot", {}, {}}), "");
}

// Memory is taken when it is made, and not after that.
TEST(RosControllerTest, every_law_runs_without_memory) {
  const std::string urdf = to_urdf(load_robot(find_model("ur5")));
  const std::vector<std::string> names{"wrist_1_joint",      "wrist_2_joint",       "wrist_3_joint",
                                       "shoulder_pan_joint", "shoulder_lift_joint", "elbow_joint"};
  const std::array<double, 6> q{-1.0, 1.2, 0.3, 0.2, -1.1, 1.3}, qd{0.1, 0.02, -0.2, 0.3, 0.1, -0.1};
  std::array<double, 6> bad = q;
  bad[4] = std::numeric_limits<double>::quiet_NaN();
  int ran = 0;
  for (const LawInfo& law : control_laws()) {
    SCOPED_TRACE(law.name);
    if (law.takes_schedule || law.takes_force) continue;  // gains along a motion, and a measured force
    LawOptions asked{std::string(law.name)};
    asked.directions = Directions::translation;
    RosController own({urdf, names, asked});
    std::array<double, 6> tau{};
    {
      const NoAlloc guard;
      EXPECT_EQ(own.activate(q), Outcome::ok);
      EXPECT_EQ(own.want(qd), Outcome::ok);
      for (int k = 0; k < 10; ++k) EXPECT_EQ(own.update(q, qd, dt, tau), Outcome::ok);
      EXPECT_EQ(own.update(bad, qd, dt, tau), Outcome::not_finite);
      EXPECT_EQ(own.update(q, qd, 0.0, tau), Outcome::not_finite);
      EXPECT_EQ(own.update(q, std::span(qd).first(2), dt, tau), Outcome::wrong_size);
    }
    EXPECT_TRUE(std::all_of(tau.begin(), tau.end(), [](double t) { return std::isfinite(t) && t != 0.0; }));
    ++ran;
  }
  EXPECT_GE(ran, 8);
}

// Where there is no torque the efforts stay, and nothing is thrown out.
TEST(RosControllerTest, a_singular_place_is_an_outcome) {
  LawOptions asked{"operational"};
  asked.directions = Directions::translation;
  RosController own(options({"column", "elbow", "left"}, asked));  // moves in a plane
  const std::array<double, 3> q{0.1, 0.2, 0.01}, still{};
  std::array<double, 3> tau{1.0, 2.0, 3.0};
  EXPECT_EQ(own.update(q, still, dt, tau), Outcome::no_torque);
  EXPECT_EQ(tau, (std::array{1.0, 2.0, 3.0}));
}

TEST(RosControllerTest, computed_torque_is_inverse_dynamics_at_the_target) {
  RosController own(options({"elbow", "left", "column"}, {"computed"}));
  const std::array<double, 3> q{0.7, 0.01, -0.3}, qd{0.1, 0.02, -0.2}, qdd{1.0, 0.3, -0.5};
  std::array<double, 3> tau{};
  ASSERT_EQ(own.activate(q), Outcome::ok);
  ASSERT_EQ(own.want(q, qd, qdd), Outcome::ok);
  ASSERT_EQ(own.update(q, qd, dt, tau), Outcome::ok);
  InverseDynamics<double> inverse(own.robot());
  std::array<double, 3> expected{};
  inverse(std::array{-0.3, 0.7, 0.01}, std::array{-0.2, 0.1, 0.02}, std::array{-0.5, 1.0, 0.3}, expected);
  EXPECT_DOUBLE_EQ(tau[0], expected[1]);
  EXPECT_DOUBLE_EQ(tau[1], expected[2]);
  EXPECT_DOUBLE_EQ(tau[2], expected[0]);
}

// As a controller manager would: an arm under it comes to its target and stays.
TEST(RosControllerTest, the_plug_in_brings_an_arm_to_its_target) {
  const std::unique_ptr<controller_interface::ControllerInterface> loaded = make_exported();
  auto& own = dynamic_cast<catena_controllers::CatenaController&>(*loaded);
  own.description = arm;
  auto& parameters = own.get_node()->parameters;
  parameters["joints"] = std::vector<std::string>{"elbow", "column", "left", "right"};
  parameters["law"] = std::string("computed");
  parameters["gains.kp"] = std::vector<double>{400.0};
  using controller_interface::CallbackReturn, controller_interface::return_type;
  ASSERT_EQ(own.on_init(), CallbackReturn::SUCCESS);
  ASSERT_EQ(own.on_configure({}), CallbackReturn::SUCCESS) << own.get_node()->logged;
  EXPECT_EQ(own.command_interface_configuration().names[0], "elbow/effort");
  EXPECT_EQ(own.state_interface_configuration().names[3], "column/velocity");
  std::vector<double> states(8), commands(4);
  own.assign(states, commands);
  ASSERT_EQ(own.on_activate({}), CallbackReturn::SUCCESS);
  const std::array<double, 4> target{0.4, -0.6, 0.02, 0.0};
  ASSERT_EQ(own.controller().want(target), Outcome::ok);
  ForwardDynamics<double> forward(make_mechanism(parse_urdf(arm, "arm")));
  std::array<double, 3> q{}, qd{}, qdd{};
  for (int k = 0; k < 2000; ++k) {
    const std::array<std::size_t, 4> of{1, 0, 2, 2};
    for (std::size_t j = 0; j < 4; ++j) states[2 * j] = q[of[j]], states[2 * j + 1] = qd[of[j]];
    {
      const NoAlloc guard;
      ASSERT_EQ(own.update({}, rclcpp::Duration(dt)), return_type::OK);
    }
    forward(q, qd, std::array{commands[1], commands[0], commands[2]}, qdd);
    for (std::size_t j = 0; j < 3; ++j) qd[j] += dt * qdd[j], q[j] += dt * qd[j];
  }
  EXPECT_NEAR(q[0], -0.6, 1e-6);
  EXPECT_NEAR(q[1], 0.4, 1e-6);
  EXPECT_NEAR(q[2], 0.02, 1e-6);
  own.on_deactivate({});
  EXPECT_EQ(commands[0], 0.0);
  states[0] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(own.update({}, rclcpp::Duration(dt)), return_type::ERROR);
  parameters["law"] = std::string("unknown");
  EXPECT_EQ(own.on_configure({}), CallbackReturn::ERROR);
  EXPECT_NE(own.get_node()->logged.find("unknown"), std::string::npos);
}

}  // namespace
}  // namespace catena::test

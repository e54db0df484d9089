// Joints locked and payloads added: the changed robot computes what the whole one does.
#include "catena/changes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "catena/dynamics.hpp"
#include "catena/model_options.hpp"
#include "catena/robot_file.hpp"
#include "catena/validate.hpp"
#include "support/formulations.hpp"
#include "support/four_bar.hpp"
#include "support/nightly.hpp"
#include "support/random_robot.hpp"
#include "support/same_robot.hpp"
#include "support/tolerances.hpp"

namespace catena::test::changes_test {
namespace {

Values torques(const Robot& robot, const State& x) {
  Values tau(x.q.size());
  InverseDynamics<double> inverse(make_mechanism(robot));
  inverse(x.q, x.qd, x.qdd, tau);
  return tau;
}

std::string joint_of_q(const Robot& robot, std::size_t q) {
  return robot.joints[static_cast<std::size_t>(robot.moving_joints()[q])].name;
}

// A random robot, its state, and a few of its joints locked where they stand.
struct Locked {
  Robot whole, robot;
  State x, rest;                  // of the whole robot, of the joints that still move
  std::vector<std::size_t> kept;  // which those are
};

Locked locked_sample(std::uint64_t seed) {
  const int n = 2 + static_cast<int>(seed % 11);
  RobotSample drawn = sample(seed, n);
  Random random(seed + 7);
  Locked out{drawn.robot, {}, random_state(random, n), {}, {}};
  std::vector<JointValue> locks;
  for (std::size_t j = 0; j < static_cast<std::size_t>(n); ++j) {
    if (random.chance(0.4) && locks.size() + 1 < static_cast<std::size_t>(n)) {
      out.x.qd[j] = out.x.qdd[j] = 0.0;
      locks.push_back({joint_of_q(out.whole, j), out.x.q[j]});
      continue;
    }
    out.kept.push_back(j);
    out.rest.q.push_back(out.x.q[j]);
    out.rest.qd.push_back(out.x.qd[j]);
    out.rest.qdd.push_back(out.x.qdd[j]);
  }
  out.robot = lock_joints(out.whole, locks);
  return out;
}

TEST(LockedJoints, TheOthersNeedTheTorquesOfTheWholeRobot) {
  for (const std::uint64_t seed : test::seeds(0, 200)) {
    SCOPED_TRACE(seed);
    const Locked s = locked_sample(seed);
    const Values all = torques(s.whole, s.x), some = torques(s.robot, s.rest);
    ASSERT_EQ(some.size(), s.kept.size());
    for (std::size_t k = 0; k < some.size(); ++k) {
      EXPECT_EQ(joint_of_q(s.robot, k), joint_of_q(s.whole, s.kept[k]));
      EXPECT_TRUE(near(some[k], all[s.kept[k]], std::max(1.0, largest(all)), relative(1e-12)));
    }
  }
}

TEST(LockedJoints, FramesAndToolStayWhereTheyAre) {
  for (const std::uint64_t seed : test::seeds(0, 100)) {
    SCOPED_TRACE(seed);
    const Locked s = locked_sample(seed);
    EXPECT_EQ(s.robot.tool_name(), s.whole.tool_name());
    const auto places = poses(s.robot, s.rest.q);
    for (const auto& [name, pose] : poses(s.whole, s.x.q)) expect_near(pose, places.at(name));
    expect_round_trips(s.robot);
  }
}

Robot gripper() {
  Robot robot;
  robot.name = "gripper";
  robot.add_link("palm");
  for (const char* name : {"left", "right", "tip"}) {
    JointDescription joint;
    joint.name = name;
    joint.type = JointType::prismatic;
    joint.parent = robot.links.size() == 3 ? 2 : 0;
    joint.child = robot.add_link(std::string(name) + "_finger", {1.0, {}, Sym3<double>::diagonal(0.1, 0.1, 0.1)});
    joint.limits.lower = 0.0, joint.limits.upper = 0.04;
    robot.add_joint(joint);
  }
  robot.joints[1].coupling = {{{"left", -2.0}}, 0.06};
  robot.joints[2].coupling = {{{"right", 1.0}}, 0.0};
  return robot;
}

std::vector<std::string> texts(const Robot& robot) {
  std::vector<std::string> out;
  for (const Warning& warning : robot.warnings) out.push_back(warning.text);
  return out;
}

using Lines = std::vector<std::string>;

TEST(LockedJoints, TakeThoseThatFollowThemAlong) {
  const Robot robot = lock_joints(gripper(), {{"left", 0.02}});
  EXPECT_EQ(robot.dof(), 0);
  EXPECT_NEAR(robot.joints[1].origin.p.z, 0.02, 1e-15);  // -2 x 0.02 + 0.06
  EXPECT_NEAR(robot.joints[2].origin.p.z, 0.02, 1e-15);
  EXPECT_EQ(texts(robot),
            (Lines{"warning: joint 'right': is coupled to 'left', so that it is locked with it, at 0.02",
                   "warning: joint 'tip': is coupled to 'right', so that it is locked with it, at 0.02"}));
  EXPECT_EQ(lock_joints(gripper(), {{"tip", 0.0}}).dof(), 1);
  const Robot own = lock_joints(gripper(), {{"left", 0.02}, {"right", 0.01}, {"tip", 0.03}});
  EXPECT_EQ(own.joints[1].origin.p.z, 0.01);
  EXPECT_TRUE(own.warnings.empty());
}

// A joint that follows two, one of which is locked, follows the other still.
TEST(LockedJoints, StayInTheOffsetOfThoseThatFollowThemAndOthers) {
  Robot robot = gripper();
  robot.joints[1].coupling = {};
  robot.joints[2].coupling = {{{"left", 0.5}, {"right", -2.0}}, 0.1};
  ASSERT_EQ(robot.dof(), 2);
  const Robot one = lock_joints(robot, {{"right", 0.03}});
  EXPECT_EQ(one.dof(), 1);
  EXPECT_TRUE(one.warnings.empty());
  ASSERT_EQ(one.joints[2].coupling.terms.size(), 1U);
  EXPECT_EQ(one.joints[2].coupling.terms[0].joint, "left");
  EXPECT_EQ(one.joints[2].coupling.terms[0].factor, 0.5);
  EXPECT_NEAR(one.joints[2].coupling.offset, 0.1 - 2.0 * 0.03, 1e-15);
  const Robot both = lock_joints(robot, {{"right", 0.03}, {"left", -0.01}});
  EXPECT_NEAR(both.joints[2].origin.p.z, 0.1 - 2.0 * 0.03 - 0.5 * 0.01, 1e-15);
  EXPECT_EQ(both.warnings.size(), 2U);  // tip is locked with them, left stands outside its limits
}

// What the robot with locks computes is what the whole one computes there.
TEST(LockedJoints, OfCoupledRobotsChangeNoPose) {
  int followers = 0;
  for (const std::uint64_t seed : test::seeds(0, 60)) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Robot whole = sample(seed, 3 + static_cast<int>(seed % 7)).robot;
    couple_some(random, whole, 0.4);
    const State x = random_state(random, whole.dof());
    if (whole.dof() < 2) continue;
    const auto at = static_cast<std::size_t>(random.below(whole.dof()));
    const Robot robot = lock_joints(whole, {{joint_of_q(whole, at), x.q[at]}});
    EXPECT_EQ(robot.dof(), whole.dof() - 1);
    followers += static_cast<int>(whole.tree_joints().size() - robot.tree_joints().size()) - 1;
    std::vector<double> rest = x.q;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(at));
    const auto places = poses(robot, rest);
    for (const auto& [name, pose] : poses(whole, x.q)) expect_near(pose, places.at(name));
    expect_round_trips(robot);
  }
  EXPECT_GT(followers, test::sampled(10));
}

TEST(LockedJoints, TakeBackWhatWasSaidOfThem) {
  Robot light = gripper();
  light.joints[2].coupling = {};
  light.links[3].inertial = {};
  const Robot robot = parse_urdf(to_urdf(light), "gripper.urdf");
  EXPECT_EQ(robot.warnings.size(), 1U);  // 'tip' moves no mass
  EXPECT_TRUE(lock_joints(robot, {{"tip", 0.0}}).warnings.empty());
  EXPECT_EQ(lock_joints(robot, {{"right", 0.0}}).warnings.size(), 1U);
  EXPECT_TRUE(add_payload(robot, "tip_finger", {1.0, {}, {}}).warnings.empty());
}

TEST(LockedJoints, AreNoLongerThoseOfALoop) {
  Robot robot = four_bar();
  robot.closed = {{"rocker", 1.0}};
  robot.joints[1].dependent = robot.joints[2].dependent = true;
  robot.start["crank"] = 0.1;
  const Robot held = lock_joints(robot, {{"crank", 0.2}});
  EXPECT_TRUE(held.independent.empty());
  EXPECT_EQ(held.start, four_bar().start);
  ASSERT_EQ(held.loops.size(), 1U);
  EXPECT_EQ(held.loops[0].frames, four_bar().loops[0].frames);
  EXPECT_EQ(held.dof(), 0);  // closed again: the others follow
  Robot closed = four_bar();
  close_loops(closed);
  const Robot other = lock_joints(closed, {{"rocker", closed.closed.at("rocker")}});
  EXPECT_TRUE(other.independent.empty());
  EXPECT_EQ(other.dof(), 0);
  ASSERT_EQ(other.warnings.size(), 1U);
  EXPECT_EQ(other.warnings[0].kind, "independent");
  EXPECT_EQ(other.start, (std::map<std::string, double>{{"coupler", 0.54}}));
}

// A joint without mass of its own is moved by the mass of those that follow it, until they are locked.
TEST(LockedJoints, LeaveAMasterWithoutMass) {
  Robot light = gripper();
  light.links[1].inertial = {};
  const Robot robot = parse_urdf(to_urdf(light), "gripper.urdf");
  EXPECT_TRUE(robot.warnings.empty());
  const Robot bare = lock_joints(robot, {{"right", 0.0}});
  ASSERT_EQ(bare.warnings.size(), 2U);  // 'tip' is locked with it
  EXPECT_EQ(bare.warnings[1].kind, "moves no mass");
  EXPECT_EQ(bare.warnings[1].who, "joint 'left'");
}

std::string refusal(const std::vector<JointValue>& locks) {
  try {
    lock_joints(gripper(), locks);
  } catch (const ModelError& error) {
    return error.what();
  }
  return "";
}

TEST(LockedJoints, RefuseWhatCannotBe) {
  EXPECT_EQ(refusal({{"thumb", 0.0}}), "gripper: no joint 'thumb' that could be locked");
  EXPECT_EQ(refusal({{"tip", 0.0}, {"tip", 0.0}}),
            "gripper: joint 'tip' cannot be locked: it is fixed, or named twice");
  EXPECT_EQ(refusal({{"tip", std::numeric_limits<double>::infinity()}}),
            "gripper: joint 'tip' cannot be locked at inf");
  EXPECT_EQ(texts(lock_joints(gripper(), {{"tip", 0.05}})),
            Lines{"warning: joint 'tip': locked at 0.05, outside its limits 0 to 0.04"});
}

// The same mass distribution put into the link that carries it, by the parallel axis theorem.
void merge(Inertial& body, const Inertial& other) {
  const double mass = body.mass + other.mass;
  const Vec3<double> com = (1.0 / mass) * (body.mass * body.com + other.mass * other.com);
  body.inertia =
      body.inertia + body.mass * steiner(body.com - com) + other.inertia + other.mass * steiner(other.com - com);
  body.mass = mass;
  body.com = com;
}

TEST(Payload, IsAPartOfTheLinkThatCarriesIt) {
  for (const std::uint64_t seed : test::seeds(0, 200)) {
    SCOPED_TRACE(seed);
    const int n = 1 + static_cast<int>(seed % 9);
    const Robot robot = sample(seed, n).robot;
    Random random(seed);
    const Inertial payload = random_inertial(random);
    Robot merged = robot;
    const bool on_frame = random.chance(0.5);
    std::size_t link = static_cast<std::size_t>(random.below(static_cast<int>(robot.links.size())));
    std::string where = robot.links[link].name;
    Inertial placed = payload;
    if (on_frame) {
      const FrameDescription& frame = robot.frames.front();
      link = static_cast<std::size_t>(frame.link), where = frame.name;
      placed.com = frame.pose.p + frame.pose.R * payload.com;
      placed.inertia = congruence(frame.pose.R, payload.inertia);
    }
    merge(merged.links[link].inertial, placed);
    const Robot loaded = add_payload(robot, where, payload);
    EXPECT_EQ(loaded.tool_name(), robot.tool_name());
    EXPECT_EQ(loaded.dof(), n);
    const State x = random_state(random, n);
    const Values expected = torques(merged, x);
    EXPECT_TRUE(near(torques(loaded, x), expected, std::max(1.0, largest(expected)), relative(1e-12)));
    expect_round_trips(loaded);
  }
}

TEST(Payload, MayComeTwiceAndAtTheTool) {
  const Robot arm = load_robot(find_model("ur5"));
  const Robot twice = add_payload(add_payload(arm, "", {1.0, {}, {}}), "", {2.0, {}, {}});
  EXPECT_EQ(twice.links.back().name, "payload_2");
  EXPECT_NEAR(twice.mass(), arm.mass() + 3.0, 1e-12);
  const State x{{0.1, -1.0, 1.0, 0.3, 0.2, 0.1}, Values(6, 0.3), Values(6, -0.4)};
  EXPECT_TRUE(near(torques(twice, x), torques(add_payload(arm, "tool0", {3.0, {}, {}}), x), relative(1e-12)));
}

TEST(Payload, RefusesWhatCannotBeAndWarnsOfTheRest) {
  const Robot arm = load_robot(find_model("ur5"));
  EXPECT_THROW(add_payload(arm, "hand", {1.0, {}, {}}), ModelError);
  EXPECT_THROW(add_payload(arm, "tool0", {-1.0, {}, {}}), ModelError);
  EXPECT_THROW(add_payload(arm, "tool0", {1.0, {}, Sym3<double>::diagonal(1, 1, -1)}), ModelError);
  const Robot odd = add_payload(arm, "tool0", {1.0, {}, Sym3<double>::diagonal(1, 1, 3)});
  ASSERT_EQ(odd.warnings.size(), 1U);
  EXPECT_EQ(odd.warnings[0].kind, "triangle inequality");
  // A joint that moved nothing moves the payload.
  Robot bare;
  bare.add_link("base");
  bare.add_link("hand");
  JointDescription joint;
  joint.name = "wrist", joint.parent = 0, joint.child = 1;
  bare.add_joint(joint);
  const Robot read = parse_urdf(to_urdf(bare), "bare.urdf");
  EXPECT_EQ(read.warnings.size(), 1U);
  EXPECT_TRUE(add_payload(read, "hand", {1.0, {0.1, 0, 0}, {}}).warnings.empty());
}

// --- inertias that no body has ---

const std::string impossible =
    "<robot name='r'><link name='base'/><link name='thigh'><inertial><origin xyz='0 0 0.1'/><mass value='1'/>"
    "<inertia ixx='0.01' iyy='0.01' izz='-0.02' ixy='0' ixz='0' iyz='0'/></inertial></link>"
    "<joint name='hip' type='continuous'><parent link='base'/><child link='thigh'/><axis xyz='0 0 1'/></joint></robot>";

TEST(Lenient, TakesAnImpossibleInertiaAsWritten) {
  EXPECT_THROW(parse_urdf(impossible, "r.urdf"), ModelError);
  const Robot robot = parse_urdf(impossible, "r.urdf", {.lenient = true});
  ASSERT_EQ(robot.warnings.size(), 1U);
  EXPECT_NE(robot.warnings[0].text.find("taken as written"), std::string::npos);
  EXPECT_TRUE(near(torques(robot, {{0.3}, {0.0}, {2.0}}), {-0.04}, relative(1e-12)));
}

TEST(Lenient, EveryFormulationGivesTheTorquesOfWhatIsWritten) {
  for (const std::uint64_t seed : test::seeds(0, 60)) {
    SCOPED_TRACE(seed);
    RobotSample drawn = sample(seed, 1 + static_cast<int>(seed % 9));
    Robot& robot = drawn.robot;
    Random random(seed);
    for (LinkDescription& link : robot.links) link.inertial.inertia.zz -= random.between(0.0, 1.0);
    robot.lenient = true;
    const oracle::Torques expected = oracle::inverse_dynamics(robot, drawn.state.q, drawn.state.qd, drawn.state.qdd);
    for (const std::string_view method : inverse_methods())
      EXPECT_TRUE(
          near(torques(make_mechanism(robot), method, drawn.state), expected.tau, expected.scale, ulps<double>(64)))
          << method;
    robot.lenient = false;
    if (robot.dof() > 0 && !validate(robot).ok()) {
      EXPECT_THROW(make_mechanism(robot), ModelError);
    }
  }
}

TEST(OptionTexts, ChangeARobotAsTheFunctionsDo) {
  const Robot panda = load_robot(find_model("panda"));
  const auto changed = [&](const char* line) { return parse_model_options(line).applied(panda); };
  expect_same(changed("--payload tool:2,0.1,0.2,0.3,0.01,0.02,0.03"),
              add_payload(panda, "", {2.0, {0.1, 0.2, 0.3}, {0.01, 0.02, 0.03, 0.0, 0.0, 0.0}}));
  expect_same(changed("--lock panda_joint3=0.4 --lock=panda_joint5=-1"),
              lock_joints(panda, {{"panda_joint3", 0.4}, {"panda_joint5", -1.0}}));
  Robot rubbed = panda;
  rubbed.joints[index(panda.joint_index("panda_joint2"))].drive = {.viscous = 0.5, .coulomb = 1.5};
  rubbed.joints[index(panda.joint_index("panda_joint4"))].passive = true;
  rubbed.gravity = {0.0, 1.0, -9.0};
  expect_same(changed("--friction 'panda_joint2:0.5, 1.5' --passive panda_joint4 --gravity \"0, 1,-9\""), rubbed);
  EXPECT_EQ(changed("--floating-base").dof(), panda.dof() + 6);
  const ModelChanges all = parse_model_options("--rigid\t--stiff --snap 1e-6\n--lenient --xacro a:=b --package-path x");
  EXPECT_TRUE(all.rigid && all.stiff && all.lenient && !all.any());
  EXPECT_EQ(all.mechanism_options().snap, 1e-6);
  EXPECT_EQ(all.reading().xacro, std::vector<std::string>{"a:=b"});
}

}  // namespace
}  // namespace catena::test::changes_test

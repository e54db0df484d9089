// Two robots joined are the robot that somebody wrote as one: field by field, job by job, through both file formats.
#include "catena/changes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "catena/job.hpp"
#include "catena/robot_file.hpp"
#include "catena/validate.hpp"
#include "oracle/newton_world.hpp"
#include "support/formulations.hpp"
#include "support/four_bar.hpp"
#include "support/generic_job.hpp"
#include "support/nightly.hpp"
#include "support/random_robot.hpp"
#include "support/same_robot.hpp"
#include "support/tolerances.hpp"

namespace catena::test::join_test {
namespace {

// A robot cut at one of its joints: what is left, what came off with the joint's child for its base, and the whole with
// its parts in the order of the two halves.
struct Cut {
  Robot whole, a, b;
  JointDescription joint;
};

std::vector<bool> beyond(const Robot& robot, int child) {
  std::vector<bool> off(robot.links.size(), false);
  off[static_cast<std::size_t>(child)] = true;
  for (bool more = true; more;) {
    more = false;
    for (const JointDescription& joint : robot.joints) {
      if (!off[static_cast<std::size_t>(joint.parent)] || off[static_cast<std::size_t>(joint.child)]) continue;
      off[static_cast<std::size_t>(joint.child)] = more = true;
    }
  }
  return off;
}

// Impl of `from` whose links satisfy `wanted` go to `to`, by the calls with which people build robots.
void copy_parts(const Robot& from, const std::function<bool(int)>& wanted, int but, Robot& to) {
  for (int k = 0; k < static_cast<int>(from.links.size()); ++k)
    if (wanted(k))
      to.add_link(from.links[static_cast<std::size_t>(k)].name, from.links[static_cast<std::size_t>(k)].inertial);
  const auto there = [&](int k) { return to.link_index(from.links[static_cast<std::size_t>(k)].name); };
  for (int j = 0; j < static_cast<int>(from.joints.size()); ++j) {
    JointDescription joint = from.joints[static_cast<std::size_t>(j)];
    if (j == but || !wanted(joint.child)) continue;
    joint.parent = there(joint.parent), joint.child = there(joint.child);
    to.add_joint(joint);
  }
  for (const FrameDescription& frame : from.frames)
    if (wanted(frame.link)) to.add_frame(frame.name, there(frame.link), frame.pose);
}

Cut cut(const Robot& robot, int at) {
  const JointDescription& joint = robot.joints[static_cast<std::size_t>(at)];
  const std::vector<bool> off = beyond(robot, joint.child);
  const auto kept = [&](int k) { return !off[static_cast<std::size_t>(k)]; };
  const auto fallen = [&](int k) { return static_cast<bool>(off[static_cast<std::size_t>(k)]); };
  Cut out;
  out.joint = joint;
  out.a.name = "stem", out.b.name = "branch";
  out.a.gravity = robot.gravity, out.b.gravity = {1.0, 2.0, 3.0};
  copy_parts(robot, kept, at, out.a);
  copy_parts(robot, fallen, at, out.b);
  out.whole = out.a;
  out.whole.name = "stem with branch";
  const int first = static_cast<int>(out.whole.links.size());
  for (const LinkDescription& link : out.b.links) out.whole.add_link(link.name, link.inertial);
  JointDescription between = joint;
  between.parent = out.whole.link_index(robot.links[static_cast<std::size_t>(joint.parent)].name);
  between.child = out.whole.link_index(robot.links[static_cast<std::size_t>(joint.child)].name);
  out.whole.add_joint(between);
  for (JointDescription own : out.b.joints) {
    own.parent += first, own.child += first;
    out.whole.add_joint(own);
  }
  for (const FrameDescription& frame : out.b.frames) out.whole.add_frame(frame.name, frame.link + first, frame.pose);
  out.whole.tool = out.b.dof() > 0 ? out.b.tool_name() : out.a.tool_name();
  return out;
}

Robot fresh(std::uint64_t seed) {
  Robot robot = sample(seed, 2 + static_cast<int>(seed % 9)).robot;
  Random random(seed);
  for (int k = 0; k < 3; ++k)
    robot.add_frame("mark" + std::to_string(k), random.below(static_cast<int>(robot.links.size())),
                    {random.rotation(), random.vector(0.5)});
  return robot;
}

void expect_same_fields(const Robot& joined, const Robot& whole) {
  ASSERT_EQ(joined.links.size(), whole.links.size());
  ASSERT_EQ(joined.joints.size(), whole.joints.size());
  ASSERT_EQ(joined.frames.size(), whole.frames.size());
  for (std::size_t k = 0; k < whole.links.size(); ++k) EXPECT_EQ(joined.links[k].name, whole.links[k].name);
  for (std::size_t k = 0; k < whole.joints.size(); ++k) {
    const JointDescription &a = joined.joints[k], &b = whole.joints[k];
    EXPECT_EQ(a.name, b.name);
    EXPECT_EQ(a.parent, b.parent) << b.name;
    EXPECT_EQ(a.child, b.child) << b.name;
    EXPECT_EQ(a.origin, b.origin) << b.name;
    EXPECT_EQ(a.axis, b.axis) << b.name;
    EXPECT_EQ(a.child_frame, b.child_frame) << b.name;
  }
  for (std::size_t k = 0; k < whole.frames.size(); ++k) {
    EXPECT_EQ(joined.frames[k].name, whole.frames[k].name);
    EXPECT_EQ(joined.frames[k].link, whole.frames[k].link);
    EXPECT_EQ(joined.frames[k].pose, whole.frames[k].pose);
  }
  expect_same(whole, joined);
  expect_same(joined, whole);
}

// Every job in a random state, to the bit: the robots are the same, and so is what is computed.
void expect_same_results(const Robot& joined, const Robot& whole, std::uint64_t seed) {
  const Mechanism mine = make_mechanism(joined), theirs = make_mechanism(whole);
  Random random(seed);
  const State x = random_state(random, whole.dof());
  const std::vector<double> tau = random_state(random, whole.dof()).qdd;
  const auto outcome = [&](const Mechanism& robot, std::string_view job) {
    try {
      return std::pair(generic_job(job, robot, x, tau, robot.tool), std::string());
    } catch (const std::domain_error& error) {  // a robot with massless links may have no accelerations
      return std::pair(std::vector<double>(), std::string(error.what()));
    }
  };
  for (const JobInfo& job : jobs()) EXPECT_EQ(outcome(mine, job.name), outcome(theirs, job.name)) << job.name;
}

TEST(Join, PutsARobotTogetherThatWasCutInTwo) {
  int cuts = 0;
  for (const std::uint64_t seed : test::seeds(0, 120)) {
    SCOPED_TRACE(seed);
    const Robot robot = fresh(seed);
    Random random(seed + 1000);
    const Cut c = cut(robot, random.below(static_cast<int>(robot.joints.size())));
    if (c.whole.dof() == 0) continue;
    const std::string parent = robot.links[static_cast<std::size_t>(c.joint.parent)].name;
    const Robot joined = join(c.a, parent, c.b, c.joint);
    expect_same_fields(joined, c.whole);
    expect_same_results(joined, c.whole, seed);
    expect_round_trips(joined);
    ++cuts;
  }
  EXPECT_GT(cuts, test::sampled(100));
}

// Hung on a frame, turned and shifted, two of a kind: everything of the second is renamed.
TEST(Join, HangsTheSameRobotOnItselfWithOtherNames) {
  for (const std::uint64_t seed : test::seeds(0, 60)) {
    SCOPED_TRACE(seed);
    const Robot robot = fresh(seed);
    Random random(seed + 5);
    JointDescription joint;
    joint.name = "coupling";
    joint.type = static_cast<JointType>(seed % 3);
    joint.axis = random.direction();
    joint.origin = {random.rotation(), random.vector(0.3)};
    joint.limits.upper = 2.0, joint.drive.viscous = 0.5;
    const Robot twice = join(robot, "mark1", robot, joint, "second_");
    Robot hand = robot;
    hand.name = robot.name + " with " + robot.name;
    const FrameDescription& mark = robot.frames[robot.frames.size() - 2];  // mark1
    const int first = static_cast<int>(robot.links.size());
    for (const LinkDescription& link : robot.links) hand.add_link("second_" + link.name, link.inertial);
    joint.parent = mark.link, joint.child = first + robot.root();
    joint.origin = mark.pose * joint.origin;
    hand.add_joint(joint);
    for (JointDescription own : robot.joints) {
      own.name = "second_" + own.name;
      own.parent += first, own.child += first;
      hand.add_joint(own);
    }
    for (const FrameDescription& frame : robot.frames)
      hand.add_frame("second_" + frame.name, frame.link + first, frame.pose);
    hand.tool = "second_" + robot.tool_name();
    expect_same_fields(twice, hand);
    expect_same_results(twice, hand, seed);
    expect_round_trips(twice);
    const State x = random_state(random, twice.dof());
    EXPECT_TRUE(near(torques(make_mechanism(twice), {}, x), oracle::inverse_dynamics(twice, x.q, x.qd, x.qdd, {}).tau,
                     relative(1e-10)));
  }
}

Robot finger(const std::string& name) {
  Robot robot;
  robot.name = name;
  robot.add_link("palm", {0.5, {}, Sym3<double>::diagonal(0.1, 0.1, 0.1)});
  for (const char* joint_name : {"left", "right"}) {
    JointDescription joint;
    joint.name = joint_name;
    joint.parent = 0;
    joint.child = robot.add_link(std::string(joint_name) + "_tip", {0.1, {0.1, 0, 0}, Sym3<double>::diagonal(1, 1, 1)});
    robot.add_joint(joint);
  }
  robot.joints[1].coupling.terms = {{"left", -1.0}};
  return robot;
}

const std::string& master(const Robot& robot, std::size_t joint) {
  return robot.joints[joint].coupling.terms.at(0).joint;
}

TEST(Join, RenamesCouplingsWithTheirMasters) {
  const Robot pair = join(finger("hand"), "palm", finger("hand"), {});
  ASSERT_EQ(pair.joints.size(), 5U);
  EXPECT_EQ(pair.joints[2].name, "palm_joint");
  EXPECT_EQ(pair.joints[3].name, "hand_left");
  EXPECT_EQ(master(pair, 4), "hand_left");
  EXPECT_EQ(master(pair, 1), "left");
  EXPECT_EQ(pair.dof(), 3);
  Robot orphan = finger("hand");
  orphan.joints[0].name = "own", orphan.joints[1].name = "other";  // follows 'left', which it does not have
  EXPECT_THROW(join(finger("hand"), "palm", orphan, {}), ModelError);
  orphan.joints[1].coupling = {};
  JointDescription taken;
  taken.name = "left";  // a has it
  EXPECT_EQ(join(finger("hand"), "palm", orphan, taken, "b_").joints[2].name, "b_left");
  EXPECT_THROW(join(finger("hand"), "palm", finger("claw"), taken), ModelError);  // two of them would be claw_left
  taken.name = "own";                                                             // b has it, and makes way
  EXPECT_EQ(join(finger("hand"), "palm", orphan, taken).joints[2].name, "own");
  EXPECT_EQ(join(finger("hand"), "palm", orphan, taken).joints[3].name, "hand_own");
}

using Positions = std::map<std::string, double>;

TEST(Join, RenamesLoopsWithTheirFramesAndJoints) {
  Robot one = four_bar();
  one.loops[0].line = 7;
  one.closed = {{"rocker", 1.0}};
  one.joints[2].dependent = true;
  const Robot pair = join(one, "ground", one, {}, "b_");
  ASSERT_EQ(pair.loops.size(), 2U);
  EXPECT_EQ(pair.loops[0].name, "closure");
  EXPECT_EQ(pair.loops[0].frames, one.loops[0].frames);
  EXPECT_EQ(pair.loops[0].line, 7);
  EXPECT_EQ(pair.loops[1].name, "b_closure");
  EXPECT_EQ(pair.loops[1].type, LoopType::revolute);
  EXPECT_EQ(pair.loops[1].frames, (std::array<std::string, 2>{"b_coupler end", "b_rocker end"}));
  EXPECT_EQ(pair.loops[1].line, 0);
  EXPECT_EQ(pair.independent, (std::vector<std::string>{"crank", "b_crank"}));
  EXPECT_EQ(pair.start, (Positions{{"coupler", 0.54}, {"rocker", 0.96}, {"b_coupler", 0.54}, {"b_rocker", 0.96}}));
  EXPECT_EQ(pair.dof(), 3);  // two cranks and the joint between, closed again
  EXPECT_NEAR(pair.closed.at("rocker"), pair.closed.at("b_rocker"), 1e-10);
  expect_round_trips(pair);
}

// Only what would clash is renamed, and the joint between counts.
TEST(Join, KeepsTheNamesOfLoopsThatAreFree) {
  const Robot both = join(finger("hand"), "palm", four_bar(), {});
  ASSERT_EQ(both.loops.size(), 1U);
  EXPECT_EQ(both.loops[0].name, "closure");
  EXPECT_EQ(both.loops[0].frames, four_bar().loops[0].frames);
  EXPECT_EQ(both.independent, four_bar().independent);
  EXPECT_EQ(join(four_bar(), "ground", finger("hand"), {}).start, four_bar().start);
  JointDescription between;
  between.name = "rocker";
  const Robot pushed = join(finger("hand"), "palm", four_bar(), between, "b_");
  EXPECT_EQ(pushed.start, (Positions{{"coupler", 0.54}, {"b_rocker", 0.96}}));
}

TEST(Join, ChoosesToolAndGravity) {
  Robot a = finger("hand"), b = finger("claw"), lump;
  a.gravity = {0, 0, 1}, b.gravity = {0, 1, 0};
  a.tool = "left_tip";
  lump.name = "lump";
  lump.add_link("lump", {1.0, {}, Sym3<double>::diagonal(1, 1, 1)});
  EXPECT_EQ(join(a, "palm", b, {}).gravity, a.gravity);
  EXPECT_EQ(join(a, "palm", b, {}).tool_name(), "claw_" + b.tool_name());
  EXPECT_EQ(join(a, "palm", lump, {}).tool_name(), "left_tip");
  lump.tool = "lump";
  EXPECT_EQ(join(a, "palm", lump, {}).tool_name(), "lump");
  EXPECT_EQ(join(a, "", lump, {}).joints[2].parent, a.link_index("left_tip"));
}

std::string refusal(const Robot& a, std::string_view frame, const Robot& b, const JointDescription& joint,
                    std::string_view prefix = {}) {
  try {
    join(a, frame, b, joint, prefix);
  } catch (const ModelError& error) {
    return error.what();
  }
  return "";
}

TEST(Join, RefusesWhatCannotBe) {
  const Robot hand = finger("hand");
  EXPECT_EQ(refusal(hand, "wrist", finger("claw"), {}), "hand: no link or frame 'wrist' that 'claw' could hang on");
  JointDescription joint;
  joint.axis = {};
  joint.name = "mount";
  EXPECT_EQ(refusal(hand, "palm", finger("claw"), joint),
            "hand with claw: joint 'mount': axis [0 0 0] has zero length; give a direction");
  joint.axis = {0, 0, 2};
  EXPECT_NE(refusal(hand, "palm", finger("claw"), joint).find("give it length 1"), std::string::npos);
  Robot full = hand;
  full.links[0].name = "claw_palm";
  full.add_frame("palm", 1);
  EXPECT_EQ(refusal(full, "palm", finger("claw"), {}),
            "hand with claw: link 'claw_palm' is used twice, even with the prefix 'claw_'; give another prefix");
  EXPECT_EQ(refusal(full, "palm", finger("claw"), {}, "b_"), "");
  Robot broken = hand;
  broken.joints[0].axis = {};
  EXPECT_NE(refusal(hand, "palm", broken, {}), "");
  EXPECT_NE(refusal(broken, "palm", hand, {}), "");
  Robot closed = four_bar(), other = four_bar();
  closed.loops.push_back(closed.loops[0]);
  closed.loops[1].name = "b_closure";
  for (LinkDescription& link : other.links) link.name = "other " + link.name;
  EXPECT_EQ(refusal(closed, "ground", other, {}, "b_"),
            "four-bar with four-bar: loop 'b_closure' is used twice, even with the prefix 'b_'; give another prefix");
}

std::set<std::string> texts(const Robot& robot) {
  std::set<std::string> out;
  for (const Warning& warning : robot.warnings) out.insert(warning.text);
  return out;
}

TEST(Join, KeepsTheWarningsThatStillHold) {
  const Robot arm = parse_urdf(
      "<robot name='arm'><link name='base'/><link name='hook'/><joint name='turn' type='continuous'>"
      "<parent link='base'/><child link='hook'/><axis xyz='0 0 1'/></joint></robot>",
      "arm.urdf");
  ASSERT_EQ(arm.warnings.size(), 1U);  // it moves no mass
  Robot stiff = finger("hand");
  stiff.joints[1].type = JointType::fixed;
  const Robot hand = parse_urdf(to_urdf(stiff), "hand.urdf");
  ASSERT_EQ(hand.warnings.size(), 1U);  // a fixed joint that follows another
  const Robot both = join(arm, "hook", hand, {});
  EXPECT_EQ(texts(both), texts(hand));
  EXPECT_EQ(texts(join(hand, "left_tip", arm, {})).size(), 3U);  // the joint between moves no mass either
  const Robot twice = join(hand, "palm", hand, {});
  EXPECT_EQ(twice.warnings.size(), 2U);
  EXPECT_EQ(twice.warnings[1].who, "joint 'hand_right'");
}

// --- robots as people have them ---

std::string wild(const std::string& name) { return CATENA_SOURCE_DIR "/tests/data/wild/" + name + ".urdf"; }

// The joined robot against Newton, and through both file formats.
void expect_sound(const Robot& robot) {
  Random random(3);
  const Mechanism mechanism = make_mechanism(robot);
  for (int k = 0; k < 5; ++k) {
    const State x = random_state(random, robot.dof());
    EXPECT_TRUE(
        near(torques(mechanism, {}, x), oracle::inverse_dynamics(robot, x.q, x.qd, x.qdd, {}).tau, relative(1e-10)));
  }
  expect_round_trips(robot);
}

TEST(Join, AHandOnAnArm) {
  const Robot arm = load_robot(find_model("ur5")), hand = load_robot(wild("sprig_hand"));
  JointDescription flange;
  flange.type = JointType::fixed;
  const Robot robot = join(arm, "tool0", hand, flange);
  EXPECT_EQ(robot.dof(), arm.dof() + hand.dof());
  EXPECT_NEAR(robot.mass(), arm.mass() + hand.mass(), 1e-12);
  EXPECT_GE(robot.link_index("palm"), 0);
  expect_sound(robot);
}

TEST(Join, AnArmOnAGantry) {
  const Robot gantry = load_robot(wild("lintel_gantry")), arm = load_robot(wild("quill6"));
  JointDescription foot;
  foot.type = JointType::fixed;
  foot.origin.R = rotation_from_rpy({3.14159265358979, 0.0, 0.0});
  const Robot robot = join(gantry, "carriage_plate", arm, foot);
  EXPECT_EQ(robot.dof(), gantry.dof() + arm.dof());
  expect_sound(robot);
}

}  // namespace
}  // namespace catena::test::join_test

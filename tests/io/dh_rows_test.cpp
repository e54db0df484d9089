// A robot in Denavit-Hartenberg rows is the same robot: written, read again, and compared by poses, torques and inertia
// matrices. Rows of well-known arms are those that are published.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>
#include <vector>

#include "catena/call.hpp"
#include "catena/changes.hpp"
#include "catena/dh_rows.hpp"
#include "catena/robot_file.hpp"
#include "support/free_robots.hpp"
#include "support/nightly.hpp"
#include "support/random_robot.hpp"
#include "support/same_robot.hpp"

namespace catena::test::dh_rows_test {
namespace {

constexpr double pi = std::numbers::pi, accuracy = 1e-12;
constexpr DhConvention conventions[] = {DhConvention::classic, DhConvention::modified};

Values computed(const Mechanism& robot, const char* job, const State& x) {
  Call<double> call(robot, job);
  Values out(call.size());
  call({.q = x.q, .qd = x.qd, .qdd = x.qdd}, out);
  return out;
}

// The largest difference of two results, by the largest of their entries or 1.
double difference(const Values& a, const Values& b) {
  double largest = 0.0, scale = 1.0;
  for (const double value : a) scale = std::max(scale, std::abs(value));
  for (std::size_t k = 0; k < a.size(); ++k) largest = std::max(largest, std::abs(a[k] - b[k]));
  return a.size() == b.size() ? largest / scale : 1.0;
}

void expect_same_drives(const Robot& a, const Robot& b) {
  const std::vector<int> own = a.tree_joints(), others = b.tree_joints();
  ASSERT_EQ(own.size(), others.size());
  for (std::size_t k = 0; k < own.size(); ++k) {
    const JointDescription &joint = a.joints[static_cast<std::size_t>(own[k])],
                           &other = b.joints[static_cast<std::size_t>(others[k])];
    EXPECT_EQ(joint.name, other.name);
    EXPECT_EQ(joint.type, other.type);
    EXPECT_EQ(joint.limits.lower, other.limits.lower);
    EXPECT_EQ(joint.limits.upper, other.limits.upper);
    EXPECT_EQ(joint.limits.velocity, other.limits.velocity);
    EXPECT_EQ(joint.limits.effort, other.limits.effort);
    EXPECT_EQ(joint.drive.viscous, other.drive.viscous);
    EXPECT_EQ(joint.drive.coulomb, other.drive.coulomb);
    EXPECT_EQ(joint.drive.rotor_inertia, other.drive.rotor_inertia);
    EXPECT_EQ(joint.drive.gear_ratio, other.drive.gear_ratio);
    EXPECT_EQ(joint.drive.spring, other.drive.spring);
    EXPECT_EQ(joint.drive.spring_rest, other.drive.spring_rest);
    EXPECT_EQ(joint.drive.offset, other.drive.offset);
    EXPECT_EQ(joint.drive.stribeck, other.drive.stribeck);
    EXPECT_EQ(joint.drive.stribeck_speed, other.drive.stribeck_speed);
    EXPECT_EQ(joint.passive, other.passive);
    EXPECT_EQ(joint.coupling.terms.size(), other.coupling.terms.size());
    EXPECT_EQ(joint.coupling.offset, other.coupling.offset);
  }
}

// Every name of the first is a name of the second, in the same place; torques and inertia matrices are the same.
void expect_same_dynamics(const Robot& robot, const Robot& rows) {
  EXPECT_EQ(robot.name, rows.name);
  EXPECT_EQ(robot.tool_name(), rows.tool_name());
  EXPECT_EQ(robot.gravity, rows.gravity);
  EXPECT_NEAR(robot.mass(), rows.mass(), accuracy * robot.mass());
  EXPECT_EQ(robot.moving_joints().size(), rows.moving_joints().size());
  expect_same_drives(robot, rows);
  Random random(7);
  const Mechanism a = make_mechanism(robot), b = make_mechanism(rows);
  const State x = random_state(random, a);
  EXPECT_LT(difference(computed(a, "inverse", x), computed(b, "inverse", x)), accuracy);
  EXPECT_LT(difference(computed(a, "inertia", x), computed(b, "inertia", x)), accuracy);
  const Robot tree = opened(robot), tree_rows = opened(rows);
  const State y = random_state(random, tree.dof());
  const auto places = poses(tree_rows, y.q);
  for (const auto& [name, pose] : poses(tree, y.q)) {
    ASSERT_TRUE(places.contains(name)) << name;
    expect_near(pose, places.at(name));
  }
}

void expect_rows_are_the_robot(const Robot& robot) {
  for (const DhConvention convention : conventions) {
    SCOPED_TRACE(name_of(convention));
    const DhForm form = dh_form(robot, convention);
    ASSERT_EQ(form.rows.size(), form.robot.joints.size());
    const std::string text = to_toml(form);
    EXPECT_NE(text.find("convention = \"" + std::string(name_of(convention)) + "\""), std::string::npos);
    expect_same_dynamics(robot, parse_toml(text, "rows.toml", {.lenient = robot.lenient}));
  }
}

TEST(DhRows, RandomChainsAndTrees) {
  for (const std::uint64_t seed : test::seeds(0, 300)) {
    SCOPED_TRACE(seed);
    Robot robot = sample(seed, 1 + static_cast<int>(seed % 12)).robot;
    Random random(seed);
    if (seed % 3 == 0) couple_some(random, robot);
    expect_rows_are_the_robot(robot);
  }
}

TEST(DhRows, NothingThatAFileHoldsIsLost) {
  for (const std::uint64_t seed : test::seeds(400, 440)) {
    SCOPED_TRACE(seed);
    Robot robot = sample(seed, 1 + static_cast<int>(seed % 12)).robot;
    Random random(seed);
    vary_everything(random, robot);
    expect_rows_are_the_robot(robot);
  }
}

TEST(DhRows, FortyJoints) {
  for (const std::uint64_t seed : test::seeds(0, 4)) {
    SCOPED_TRACE(seed);
    expect_rows_are_the_robot(sample(seed, 40).robot);
  }
}

TEST(DhRows, FreeBases) {
  for (const std::uint64_t seed : test::seeds(0, 40)) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Robot robot = random_free(random, 1 + static_cast<int>(seed % 9), seed % 2 == 0, seed % 3 == 0);
    if (seed % 4 == 0) robot.joints[0].origin = {random.rotation(), random.vector(0.5)};
    if (seed % 4 < 2) robot.joints[5].child_frame = {random.rotation(), random.vector(0.5)};
    for (const DhConvention convention : conventions) {
      const Robot rows = parse_toml(to_toml(dh_form(robot, convention)), "rows.toml");
      EXPECT_EQ(rows.floating, robot.floating);
      const Mechanism a = make_mechanism(robot), b = make_mechanism(rows);
      State x = start(random, a, 1.0);
      x.qdd = x.qd;
      for (std::size_t k = 0; k < 6; ++k) x.q[k] = 0.1 * static_cast<double>(k + 1);
      x.q[6] = std::sqrt(1.0 - 0.16 - 0.25 - 0.36);
      EXPECT_LT(difference(computed(a, "inverse", x), computed(b, "inverse", x)), accuracy);
      EXPECT_LT(difference(computed(a, "inertia", x), computed(b, "inertia", x)), accuracy);
    }
  }
}

TEST(DhRows, ShippedModels) {
  for (const std::string& name : shipped_models()) {
    SCOPED_TRACE(name);
    expect_rows_are_the_robot(load_robot(find_model(name)));
  }
}

// Axes that are a few seconds of arc apart meet far away: a fixed row between keeps lengths short and digits alive.
TEST(DhRows, NearlyParallelAxes) {
  for (const double tilt : {1e-13, 3e-12, 1e-9, 2.7e-8, 1e-5, 1e-3, 0.008, 0.01, 0.1}) {
    SCOPED_TRACE(tilt);
    Robot robot = load_robot(find_model("planar3r"));
    for (JointDescription& joint : robot.joints)
      joint.origin.R = rotation_from_rpy({tilt, 0.5 * tilt, 0.3}) * joint.origin.R;
    expect_rows_are_the_robot(robot);
    for (const DhConvention convention : conventions)
      for (const DhRow& row : dh_form(robot, convention).rows) EXPECT_LT(std::abs(row.d), 500.0);
  }
}

// ---- published rows ----

// Rows of the joints that move.
std::vector<DhRow> rows_of(const std::string& model, DhConvention convention) {
  const DhForm form = dh_form(load_robot(find_model(model)), convention);
  std::vector<DhRow> rows;
  for (std::size_t k = 0; k < form.rows.size(); ++k)
    if (form.robot.joints[k].moves()) rows.push_back(form.rows[k]);
  return rows;
}

void expect_rows(const std::vector<DhRow>& rows, const std::vector<DhRow>& published) {
  ASSERT_EQ(rows.size(), published.size());
  for (std::size_t k = 0; k < rows.size(); ++k) {
    SCOPED_TRACE(k + 1);
    EXPECT_NEAR(rows[k].a, published[k].a, accuracy);
    EXPECT_NEAR(rows[k].d, published[k].d, accuracy);
    EXPECT_EQ(rows[k].alpha, published[k].alpha);
    EXPECT_EQ(rows[k].theta, published[k].theta);
    EXPECT_EQ(rows[k].gamma, 0.0);
    EXPECT_EQ(rows[k].epsilon, 0.0);
  }
}

TEST(DhRows, Puma560) {
  expect_rows(rows_of("puma560", DhConvention::classic), {{.alpha = pi / 2, .d = 0.672},
                                                          {.a = 0.4318},
                                                          {.a = 0.0203, .alpha = -pi / 2, .d = 0.15005},
                                                          {.alpha = pi / 2, .d = 0.4318},
                                                          {.alpha = -pi / 2},
                                                          {}});
}

TEST(DhRows, Stanford) {
  expect_rows(rows_of("stanford", DhConvention::classic), {{.alpha = -pi / 2, .d = 0.2},
                                                           {.alpha = -pi / 2, .d = 0.1},
                                                           {},
                                                           {.alpha = pi / 2, .d = 0.6},
                                                           {.alpha = -pi / 2},
                                                           {}});
}

// The freedom of a classic table: x of frame i may point the other way.
void reverse_x(std::vector<DhRow>& rows, std::size_t i) {
  rows[i].a = -rows[i].a;
  rows[i].alpha = -rows[i].alpha;
  for (const std::size_t k : {i, i + 1}) rows[k].theta = std::remainder(rows[k].theta + pi, 2.0 * pi);
}
Pose<double> tip(const std::vector<DhRow>& rows, double q) {
  Pose<double> pose;
  for (DhRow row : rows) {
    row.theta += q;
    const JointDescription joint = classic_dh(row, JointType::revolute);
    pose = pose * joint.origin * joint.child_frame;
  }
  return pose;
}

// Universal Robots' table begins in the frame "base", half a turn from base_link: θ1 is that half turn.
TEST(DhRows, Ur5) {
  std::vector<DhRow> rows = rows_of("ur5", DhConvention::classic);
  ASSERT_EQ(rows.size(), 6U);
  const Pose<double> before = tip(rows, 0.3);
  for (std::size_t i = 0; i < 5; ++i) reverse_x(rows, i);
  expect_near(before, tip(rows, 0.3));
  EXPECT_NEAR(std::abs(rows[0].theta), pi, accuracy);
  rows[0].theta = 0.0;
  expect_rows(rows, {{.alpha = pi / 2, .d = 0.089159},
                     {.a = -0.425},
                     {.a = -0.39225},
                     {.alpha = pi / 2, .d = 0.10915},
                     {.alpha = -pi / 2, .d = 0.09465},
                     {.d = 0.0823}});
}

TEST(DhRows, Panda) {
  expect_rows(rows_of("panda", DhConvention::modified), {{.d = 0.333},
                                                         {.alpha = -pi / 2},
                                                         {.alpha = pi / 2, .d = 0.316},
                                                         {.a = 0.0825, .alpha = pi / 2},
                                                         {.a = -0.0825, .alpha = -pi / 2, .d = 0.384},
                                                         {.alpha = pi / 2},
                                                         {.a = 0.088, .alpha = pi / 2}});
  const DhForm form = dh_form(load_robot(find_model("panda")), DhConvention::modified);
  ASSERT_EQ(form.robot.frames.size(), 1U);
  EXPECT_EQ(form.robot.frames.front().name, "panda_link8");
  EXPECT_EQ(form.robot.frames.front().pose.p, (Vec3<double>{0.0, 0.0, 0.107}));
}

bool same_places(const Robot& a, const Robot& b) {
  return std::equal(a.joints.begin(), a.joints.end(), b.joints.begin(), b.joints.end(),
                    [](const auto& x, const auto& y) {
                      return x.origin == y.origin && x.axis == y.axis && x.child_frame == y.child_frame;
                    });
}

// What was written as rows stays rows, with every bit, through any number of files.
TEST(DhRows, RowsOfFilesAreWrittenAsRows) {
  for (const char* model : {"stanford", "puma560", "pelican", "pelican_crucible", "five_bar", "slider_crank"}) {
    SCOPED_TRACE(model);
    const Robot robot = load_robot(find_model(model));
    const std::string text = to_toml(robot);
    EXPECT_EQ(text.find("convention = \"frames\""), std::string::npos);
    const Robot again = parse_toml(text, "again.toml");
    EXPECT_TRUE(same_places(robot, again));
    EXPECT_EQ(to_toml(again), text);
  }
  for (const std::uint64_t seed : test::seeds(0, 60)) {
    SCOPED_TRACE(seed);
    const DhForm form = dh_form(sample(seed, 1 + static_cast<int>(seed % 9)).robot, conventions[seed % 2]);
    const Robot robot = parse_toml(to_toml(form), "rows.toml");
    const std::string text = to_toml(robot);
    EXPECT_NE(text.find("convention = \"" + std::string(name_of(form.convention)) + "\""), std::string::npos);
    EXPECT_TRUE(same_places(robot, parse_toml(text, "again.toml")));
  }
  EXPECT_EQ(to_toml(load_robot(find_model("ur5"))).find("alpha"), std::string::npos);
}

// A payload, a locked joint: fixed joints among rows have poses. A joint that was moved has no row, nor has the robot.
TEST(DhRows, RowsOutliveChanges) {
  const Robot robot = load_robot(find_model("stanford"));
  Robot changed = add_payload(lock_joints(robot, {{"joint4", 0.3}}), "", {2.0, {0.0, 0.1, 0.0}, {}});
  changed.links[2].inertial.mass = 7.5;
  const Robot again = parse_toml(to_toml(changed), "again.toml");
  EXPECT_NE(to_toml(changed).find("convention = \"classic\""), std::string::npos);
  ASSERT_TRUE(rows_as_written(again));
  EXPECT_EQ(rows_as_written(again)->rows[0].d, 0.2);
  expect_same_dynamics(changed, again);
  changed.joints[1].origin.p.x = 0.05;
  EXPECT_FALSE(rows_as_written(changed));
  EXPECT_NE(to_toml(changed).find("convention = \"frames\""), std::string::npos);
  expect_same_dynamics(changed, parse_toml(to_toml(changed), "again.toml"));
}

TEST(DhRows, AFixedJointHasARowOrAPose) {
  const std::string head = "convention = \"classic\"\n[[link]]\njoint = \"fixed\"\nmass = 0\nxyz = [0, 0.1, 0.2]\n";
  const Robot robot =
      parse_toml(head + "rpy = [0.3, 0, 0]\n[[link]]\njoint = \"revolute\"\nmass = 0\na = 0.4\n", "a.toml");
  EXPECT_EQ(robot.joints[0].origin.p, (Vec3<double>{0.0, 0.1, 0.2}));
  EXPECT_TRUE(same_places(robot, parse_toml(to_toml(robot), "again.toml")));
  try {
    parse_toml(head + "a = 0.4\n", "b.toml");
    FAIL() << "both were taken";
  } catch (const ModelError& error) {
    EXPECT_NE(std::string(error.what()).find("give one of them"), std::string::npos) << error.what();
  }
}

TEST(DhRows, InvalidRobotsAreRefused) { EXPECT_THROW(dh_form(Robot{}, DhConvention::classic), ModelError); }

}  // namespace
}  // namespace catena::test::dh_rows_test

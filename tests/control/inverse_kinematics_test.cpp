// Inverse kinematics: poses made from positions within the limits are found again, limits hold always, and what is out
// of reach is said.
#include "catena/inverse_kinematics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <stdexcept>

#include "catena/kinematics.hpp"
#include "catena/robot_file.hpp"
#include "support/allocations.hpp"
#include "support/nightly.hpp"
#include "support/random_robot.hpp"

namespace catena::test::inverse_kinematics_test {
namespace {

using std::numbers::pi;

Mechanism model(const std::string& name) {
  return make_mechanism(load_robot(CATENA_SOURCE_DIR "/models/" + name + ".toml"));
}
Pose<double> pose_at(const Mechanism& robot, std::span<const double> q) {
  Kinematics<double> kinematics(robot);
  kinematics.update(q);
  return kinematics.pose(robot.tool);
}
std::vector<double> within_limits(Random& random, const Mechanism& robot) {
  std::vector<double> q(index(robot.nv()));
  for (const auto& link : robot.links) {
    const JointLimits& limits = robot.coordinates.joint_limits[link.q];
    const double far = link.revolute ? pi : 0.5;
    q[index(link.q)] = random.between(std::max(limits.lower, -far), std::min(limits.upper, far));
  }
  return q;
}
bool keeps_limits(const Mechanism& robot, std::span<const double> q) {
  for (std::size_t j = 0; j < q.size(); ++j) {
    const JointLimits& limits = robot.limits(Coordinate(j));
    if (!(q[j] >= limits.lower && q[j] <= limits.upper)) return false;
  }
  return true;
}
// An independent look at what is left: lengths, and the angle by the chord between the rotations.
double distance(const Pose<double>& a, const Pose<double>& b) {
  const Vec3<double> p = a.p - b.p;
  return std::sqrt(dot(p, p));
}
double angle(const Pose<double>& a, const Pose<double>& b) {
  double chord = 0.0;
  for (const auto column : {&Mat3<double>::column_x, &Mat3<double>::column_y, &Mat3<double>::column_z}) {
    const Vec3<double> d = (a.R.*column)() - (b.R.*column)();
    chord += dot(d, d);
  }
  return 2.0 * std::asin(std::min(1.0, std::sqrt(chord / 8.0)));
}

struct Tally {
  int asked = 0, found = 0, first_start = 0, iterations = 0, most_starts = 0;
};
void solve_random_targets(const Mechanism& robot, Aim aim, int count, std::uint64_t seed, Tally& tally) {
  Random random(seed);
  InverseKinematics solver(robot, robot.tool, aim);
  for (int k = 0; k < count; ++k) {
    const Pose<double> target = pose_at(robot, within_limits(random, robot));
    const InverseKinematicsResult& result = solver.solve(target);
    ++tally.asked;
    ASSERT_TRUE(keeps_limits(robot, result.q)) << robot.name << ", target " << k;
    const Pose<double> reached = pose_at(robot, result.q);
    const bool there =
        distance(reached, target) <= 1.1e-9 && (aim == Aim::position || angle(reached, target) <= 1.1e-9);
    ASSERT_EQ(result.reached, there) << robot.name << ", target " << k;
    tally.found += there;
    tally.first_start += there && result.starts == 1;
    tally.iterations += result.iterations;
    tally.most_starts = std::max(tally.most_starts, result.starts);
  }
}
void expect_found(const Tally& tally, const std::string& name) {
  EXPECT_GE(tally.found, 0.99 * tally.asked) << name;
  testing::Test::RecordProperty("asked", tally.asked);
  testing::Test::RecordProperty("found", tally.found);
  testing::Test::RecordProperty("found_from_the_first_start", tally.first_start);
  testing::Test::RecordProperty("iterations", tally.iterations);
  testing::Test::RecordProperty("most_starts", tally.most_starts);
}

class Arms : public testing::TestWithParam<const char*> {};
TEST_P(Arms, PosesMadeFromPositionsAreFoundAgain) {
  Tally tally;
  solve_random_targets(model(GetParam()), Aim::pose, 2000, 5, tally);
  expect_found(tally, GetParam());
}
INSTANTIATE_TEST_SUITE_P(InverseKinematics, Arms, testing::Values("ur5", "panda", "iiwa14", "stanford", "puma560"),
                         [](const auto& arm) { return std::string(arm.param); });

TEST(InverseKinematics, PosesOfRandomChainsAreFoundAgain) {
  Tally tally;
  for (const std::uint64_t seed : test::seeds(0, 400)) {
    SCOPED_TRACE("robot " + std::to_string(seed));
    Random random(seed);
    RobotOptions options{.joints = 3 + static_cast<int>(seed % 8)};
    Robot robot = random_robot(random, options);
    for (JointDescription& joint : robot.joints)  // every other joint with limits
      if (random.chance(0.5)) joint.limits = {random.between(-2.0, -0.2), random.between(0.2, 2.0)};
    solve_random_targets(make_mechanism(robot), Aim::pose, 5, seed, tally);
  }
  expect_found(tally, "random chains");
}

// Fewer joints than the pose has numbers: the position can be had all the same.
TEST(InverseKinematics, PositionsOfThreeJointsAndOfPlanarArms) {
  Tally tally;
  solve_random_targets(model("planar2r"), Aim::position, 500, 1, tally);
  solve_random_targets(model("planar3r"), Aim::position, 500, 2, tally);
  solve_random_targets(model("panda"), Aim::position, 500, 3, tally);
  for (const std::uint64_t seed : test::seeds(0, 200)) {
    Random random(seed);
    solve_random_targets(make_mechanism(random_robot(random, {.joints = 3})), Aim::position, 5, seed, tally);
  }
  expect_found(tally, "positions");
}

// Frames anywhere on a tree: the joints that do not carry the frame stay where they were.
TEST(InverseKinematics, JointsThatDoNotCarryTheFrameStay) {
  Random random(3);
  const Mechanism robot = make_mechanism(random_robot(random, {.joints = 9, .shape = Shape::tree}));
  Kinematics<double> kinematics(robot);
  std::vector<JacobianColumn<double>> columns(9);
  for (int frame = 0; frame < static_cast<int>(robot.frames.size()); ++frame) {
    const State x = random_state(random, 9), start = random_state(random, 9);
    kinematics.update(x.q);
    kinematics.jacobian(frame, columns);
    InverseKinematics solver(robot, frame, Aim::pose);
    const InverseKinematicsResult& result = solver.solve(kinematics.pose(frame), start.q, {.limits = false});
    EXPECT_TRUE(result.reached) << robot.frames[index(frame)].name;
    for (std::size_t j = 0; j < 9 && result.starts == 1; ++j) {
      const bool carries = columns[j].linear != Vec3<double>{} || columns[j].angular != Vec3<double>{};
      EXPECT_TRUE(carries || result.q[j] == start.q[j]);
    }
  }
}

TEST(InverseKinematics, SaysWhatIsOutOfReachAndTheNearest) {
  const Mechanism robot = model("planar2r");
  const double reach = distance(pose_at(robot, std::vector<double>{0.0, 0.0}), {});
  InverseKinematics solver(robot, robot.tool, Aim::position);
  const Vec3<double> direction = pose_at(robot, std::vector<double>{0.3, 0.0}).p;
  const InverseKinematicsResult& far = solver.solve({.p = 2.0 * direction}, std::vector<double>{0.1, 0.2});
  EXPECT_FALSE(far.reached);
  EXPECT_NEAR(far.position_error, reach, 1e-6);  // stretched toward it
  EXPECT_NEAR(far.q[0], 0.3, 1e-3);
  EXPECT_NEAR(far.q[1], 0.0, 1e-3);
  try {
    joint_positions(robot, robot.tool, Aim::position, {.p = 2.0 * direction});
    FAIL() << "it was reached";
  } catch (const std::domain_error& error) {
    EXPECT_NE(std::string(error.what()).find("m are left at the nearest q found"), std::string::npos) << error.what();
  }
  const Mechanism six = model("ur5");
  EXPECT_FALSE(InverseKinematics(six, six.tool, Aim::pose).solve({.p = {3.0, 0.0, 0.0}}).reached);
}

// What the limits forbid is not reached, and the result says which limit it stands at; without limits it is.
TEST(InverseKinematics, LimitsBind) {
  Robot robot = load_robot(CATENA_SOURCE_DIR "/models/planar2r.toml");
  const Pose<double> target = pose_at(make_mechanism(robot), std::vector<double>{1.2, 0.4});
  for (JointDescription& joint : robot.joints)
    if (joint.type != JointType::fixed) joint.limits.lower = -0.5, joint.limits.upper = 0.5;
  const Mechanism limited = make_mechanism(robot);
  InverseKinematics solver(limited, limited.tool, Aim::position);
  const InverseKinematicsResult& bound = solver.solve(target);
  EXPECT_FALSE(bound.reached);
  EXPECT_TRUE(keeps_limits(limited, bound.q));
  ASSERT_FALSE(bound.at_limit.empty());
  EXPECT_EQ(bound.at_limit.front(), 0);
  EXPECT_EQ(bound.q[0], 0.5);
  EXPECT_TRUE(solver.solve(target, {}, {.limits = false}).reached);
}

// A target at the very edge of the limits and of the reach.
TEST(InverseKinematics, ReachesLimitsAndTheStretchedArm) {
  const Mechanism robot = model("panda");
  std::vector<double> q(7);
  for (const Coordinate j : robot.coordinates.all())
    q[index(j)] = j % 2 == 0 ? robot.limits(j).upper : robot.limits(j).lower;
  const Pose<double> corner = pose_at(robot, q);
  const InverseKinematicsResult found = InverseKinematics(robot, robot.tool, Aim::pose).solve(corner);
  EXPECT_TRUE(found.reached) << out_of_reach(found, Aim::pose);
  const Mechanism planar = model("planar2r");
  const Pose<double> stretched = pose_at(planar, std::vector<double>{0.7, 0.0});
  const std::vector<double> start{0.0, 1.0};
  EXPECT_TRUE(InverseKinematics(planar, planar.tool, Aim::position).solve(stretched, start).reached);
}

// From a start next to the answer the answer is the next one, whatever number of turns the start has.
TEST(InverseKinematics, StaysNearTheStart) {
  const Mechanism robot = model("ur5");
  Random random(8);
  InverseKinematics solver(robot, robot.tool, Aim::pose);
  for (int k = 0; k < 100; ++k) {
    std::vector<double> q = within_limits(random, robot), start = q;
    q[4] = start[4] = 1.0 + random.unit();  // away from the singular wrist
    q[2] = start[2] = 1.0 + random.unit();
    for (double& s : start) s += random.between(-0.01, 0.01);
    const InverseKinematicsResult& result = solver.solve(pose_at(robot, q), start, {.limits = false});
    ASSERT_TRUE(result.reached);
    if (result.starts > 1) continue;
    for (std::size_t j = 0; j < q.size(); ++j) EXPECT_NEAR(result.q[j], q[j], 1e-5) << k;
  }
}

TEST(InverseKinematics, IsTheSameEveryTimeAndAllocatesNothing) {
  const Mechanism robot = model("ur5");
  InverseKinematics solver(robot, robot.tool, Aim::pose);
  Random random(1);
  const Pose<double> target = pose_at(robot, within_limits(random, robot)), beyond{.p = {3.0, 0.0, 0.0}};
  const InverseKinematicsResult first = solver.solve(target);
  {
    NoAlloc guard;
    solver.solve(beyond);
    solver.solve(target);
  }
  EXPECT_EQ(solver.solve(target).q, first.q);
  EXPECT_EQ(InverseKinematics(robot, robot.tool, Aim::pose).solve(target).q, first.q);
}

TEST(InverseKinematics, RefusesWhatMakesNoSense) {
  const Mechanism robot = model("panda");
  InverseKinematics solver(robot, robot.tool, Aim::pose);
  const std::vector<double> outside(7, 0.0), three(3);
  const Pose<double> target = pose_at(robot, solver.middle());
  EXPECT_THROW(solver.solve(target, outside), std::invalid_argument);  // joint 4 of panda has no 0
  EXPECT_THROW(solver.solve(target, three), std::invalid_argument);
  EXPECT_THROW(solver.solve(target, {}, {.position_tolerance = 0.0}), std::invalid_argument);
  Pose<double> bad = target;
  bad.R.xx += 0.1;
  EXPECT_THROW(solver.solve(bad), std::invalid_argument);
  bad = target, bad.p.x = std::nan("");
  EXPECT_THROW(solver.solve(bad), std::invalid_argument);
  EXPECT_THROW(InverseKinematics(robot, 999, Aim::pose), std::invalid_argument);
}

// The vector of a rotation gives the rotation back, from no turn to half a turn.
TEST(InverseKinematics, RotationVectors) {
  Random random(4);
  for (const double turn : {0.0, 1e-12, 1e-6, 0.1, 1.0, 3.0, pi - 1e-9, pi}) {
    const Vec3<double> axis = random.direction();
    const Vec3<double> v = rotation_vector(rotation_about(axis, turn));
    const double sense = dot(v, axis) < 0.0 ? -1.0 : 1.0;  // half a turn has two
    EXPECT_TRUE(sense == 1.0 || turn > pi - 1e-6);
    EXPECT_NEAR(v.x, sense * turn * axis.x, 1e-15 + 1e-14 * turn);
    EXPECT_NEAR(v.y, sense * turn * axis.y, 1e-15 + 1e-14 * turn);
    EXPECT_NEAR(v.z, sense * turn * axis.z, 1e-15 + 1e-14 * turn);
  }
}

}  // namespace
}  // namespace catena::test::inverse_kinematics_test

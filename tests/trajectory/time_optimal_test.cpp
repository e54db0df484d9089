// Time-optimal motions: closed forms, limits between the points of the grid, a search over all speeds as oracle,
// friction, payloads, coupled joints and closed loops.
#include "catena/time_optimal.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "catena/changes.hpp"
#include "catena/robot_file.hpp"
#include "support/random_robot.hpp"

namespace catena::time_optimal_test {
namespace {

Robot slider(double mass, double effort, double viscous = 0.0, double coulomb = 0.0) {
  Robot robot;
  robot.name = "slider";
  robot.gravity = {0.0, 0.0, -9.81};
  robot.links.resize(2);
  robot.links[0].name = "base", robot.links[1].name = "block";
  robot.links[1].inertial.mass = mass;
  JointDescription joint;
  joint.name = "rail", joint.type = JointType::prismatic, joint.parent = 0, joint.child = 1,
  joint.axis = {1.0, 0.0, 0.0};
  joint.limits.effort = effort;
  joint.drive.viscous = viscous, joint.drive.coulomb = coulomb;
  robot.joints.push_back(joint);
  return robot;
}

TEST(TimeOptimal, ABlockThatIsPushedAndBraked) {
  const Mechanism block = make_mechanism(slider(2.0, 5.0));
  const TimeOptimal found = time_optimal(block, {{0.0}, {1.5}});
  EXPECT_NEAR(found.motion.duration(), 2.0 * std::sqrt(1.5 / 2.5), 1e-5);  // 2 √(d m/F)
  EXPECT_LE(found.idle, 1);
}

TEST(TimeOptimal, DryFrictionHelpsToBrake) {
  const Mechanism block = make_mechanism(slider(2.0, 5.0, 0.0, 1.0));
  const double up = 2.0, down = 3.0, d = 1.5;  // accelerations
  const double top = std::sqrt(2.0 * d * up * down / (up + down));
  EXPECT_NEAR(time_optimal(block, {{0.0}, {d}}).motion.duration(), top / up + top / down, 1e-5);
}

TEST(TimeOptimal, ViscousFriction) {
  // m v̇ = F - b v up to the speed w, then m v̇ = -F - b v to rest: with T = m/b, V = F/b
  //   way up = -T (w + V log(1 - w/V)), way down = T (w - V log(1 + w/V)).
  const double m = 2.0, F = 5.0, b = 3.0, d = 1.5, T = m / b, V = F / b;
  double low = 0.0, high = V;
  const auto way = [&](double w) { return -T * (w + V * std::log(1.0 - w / V)) + T * (w - V * std::log(1.0 + w / V)); };
  for (int k = 0; k < 200; ++k) (way(0.5 * (low + high)) < d ? low : high) = 0.5 * (low + high);
  const double expected = -T * std::log(1.0 - low / V) + T * std::log(1.0 + low / V);
  const Mechanism block = make_mechanism(slider(m, F, b));
  for (const int intervals : {100, 1000}) {
    const TimeOptimal found = time_optimal(block, {{0.0}, {d}}, {.intervals = intervals});
    EXPECT_NEAR(found.motion.duration(), expected, expected * 3.0 / intervals);
    EXPECT_GE(found.motion.duration(), expected * (1.0 - 1e-6));
  }
}

std::vector<JointPoint> random_points(test::Random& random, int joints, int count, double reach) {
  std::vector<JointPoint> points(index(count), JointPoint(index(joints), 0.0));
  for (JointPoint& point : points)
    for (double& q : point) q = random.between(-reach, reach);
  return points;
}

// Efforts and speeds, wherever the path goes.
Mechanism anywhere(Mechanism robot) {
  for (const Coordinate c : robot.coordinates.all())
    robot.coordinates.limits[c].lower = -1e9, robot.coordinates.limits[c].upper = 1e9;
  return robot;
}

void expect_fastest(const Mechanism& robot, const std::vector<JointPoint>& points, const TimeOptimalOptions& options) {
  const TimeOptimal found = time_optimal(robot, points, options);
  const LimitReport report = check_limits(found.motion, robot);
  for (const Violation& violation : report.violations)
    EXPECT_LT(std::abs(violation.peak.value), violation.peak.limit * (1.0 + 1e-6))
        << robot.name << ' ' << name_of(violation.peak.kind) << ' ' << violation.peak.joint;
  EXPECT_LE(found.idle, 1) << robot.name;
  EXPECT_LT(found.motion.duration(), found.least * 1.002) << robot.name;
  EXPECT_GE(found.motion.duration(), found.least * (1.0 - 1e-9)) << robot.name;
  // At rest at both ends, at the points.
  const std::size_t n = points.front().size();
  std::vector<double> q(n), qd(n), qdd(n);
  found.motion.at(found.motion.start(), q, qd, qdd);
  for (std::size_t j = 0; j < n; ++j) {
    EXPECT_NEAR(q[j], points.front()[j], 1e-12);
    EXPECT_NEAR(qd[j], 0.0, 1e-12);
  }
  found.motion.at(found.motion.end(), q, qd, qdd);
  for (std::size_t j = 0; j < n; ++j) {
    EXPECT_NEAR(q[j], points.back()[j], 1e-12);
    EXPECT_NEAR(qd[j], 0.0, 1e-9);
  }
  // No even stretch of the same path is faster.
  std::vector<double> times;
  for (std::size_t k = 0; k < points.size(); ++k) times.push_back(double(k));
  if (points.size() > 2) return;
  for (const ProfileKind kind : {ProfileKind::trapezoidal, ProfileKind::quintic, ProfileKind::cycloid}) {
    const Trajectory other = Trajectory::through(kind, points, times);
    const TimeScale scale = check_limits(other, robot).time_scale;
    EXPECT_LT(found.motion.duration(), scale.factor * other.duration() * (1.0 + 1e-9)) << robot.name << name_of(kind);
  }
}

TEST(TimeOptimal, KeepsLimitsBetweenThePointsAndIsNeverSlowerThanAStretch) {
  test::Random random(31);
  for (const char* name : {"ur5", "panda", "iiwa14", "puma560"}) {
    const Robot robot = load_robot(find_model(name));
    const Mechanism plain = anywhere(make_mechanism(robot));
    const Mechanism loaded = anywhere(make_mechanism(add_payload(robot, "", {1.0, {0.0, 0.02, 0.05}, {}})));
    for (const int count : {2, 5})
      for (const Mechanism* own : {&plain, &loaded})
        expect_fastest(*own, random_points(random, plain.nv(), count, 0.7), {.intervals = 500});
  }
}

// The best over a grid of speeds: no code of ours but the torques.
double by_search(const Mechanism& robot, const JointPoint& from, const JointPoint& to, int intervals, int levels,
                 double fastest) {
  InverseDynamics<double> inverse(robot);
  const std::size_t n = from.size();
  const double length = std::hypot(to[0] - from[0], to[1] - from[1]), step = length / intervals;
  const auto allowed = [&](int i, double x, double u) {
    std::vector<double> q(n), qd(n), qdd(n), tau(n);
    for (std::size_t j = 0; j < n; ++j) {
      const double slope = (to[j] - from[j]) / length;
      q[j] = from[j] + slope * step * i, qd[j] = slope * std::sqrt(x), qdd[j] = slope * u;
    }
    inverse(q, qd, qdd, tau);
    for (std::size_t j = 0; j < n; ++j)
      if (std::abs(tau[j]) > robot.limits(Coordinate(int(j))).effort) return false;
    return true;
  };
  constexpr double never = 1e30;
  std::vector<double> times(std::size_t(levels) + 1, never);
  times[0] = 0.0;
  const auto x_of = [&](int level) { return std::pow(fastest * level / levels, 2.0); };
  for (int i = intervals - 1; i >= 0; --i) {
    std::vector<double> before(times.size(), never);
    for (int a = 0; a <= levels; ++a)
      for (int b = 0; b <= levels; ++b) {
        if (a + b == 0 || times[std::size_t(b)] == never) continue;
        const double u = (x_of(b) - x_of(a)) / (2.0 * step);
        const double t = 2.0 * step / (std::sqrt(x_of(a)) + std::sqrt(x_of(b))) + times[std::size_t(b)];
        if (t < before[std::size_t(a)] && allowed(i, x_of(a), u) && allowed(i + 1, x_of(b), u))
          before[std::size_t(a)] = t;
      }
    times = before;
  }
  return times[0];
}

TEST(TimeOptimal, NoProfileOfASearchIsFaster) {
  Robot robot = load_robot(find_model("planar2r"));
  const double efforts[] = {60.0, 20.0};
  for (int j = 0; j < 2; ++j)
    robot.joints[std::size_t(robot.moving_joints()[std::size_t(j)])].limits.effort = efforts[j];
  const Mechanism arm = make_mechanism(robot);
  const JointPoint from{-0.3, 0.4}, to{0.9, -0.8};
  const TimeOptimal found = time_optimal(arm, {from, to}, {.intervals = 24});
  double fastest = 0.0;
  for (const PathPoint& point : found.path) fastest = std::max(fastest, point.speed);
  const double searched = by_search(arm, from, to, 24, 120, 1.3 * fastest);
  EXPECT_GT(searched, found.least * (1.0 - 1e-9));
  EXPECT_LT(searched, found.least * 1.08);
}

TEST(TimeOptimal, AccelerationsSpeedsAndJerks) {
  test::Random random(33);
  const Mechanism robot = anywhere(make_mechanism(load_robot(find_model("ur5"))));
  const std::vector<JointPoint> points = random_points(random, 6, 4, 0.8);
  TimeOptimalOptions options{.speeds = std::vector<double>(6, 1.5), .accelerations = std::vector<double>(6, 8.0)};
  const TimeOptimal abrupt = time_optimal(robot, points, options);
  options.jerks.assign(6, 150.0);
  const TimeOptimal smooth = time_optimal(robot, points, options);
  EXPECT_GT(smooth.motion.duration(), abrupt.motion.duration());
  EXPECT_LT(smooth.motion.duration(), 1.5 * abrupt.motion.duration());
  EXPECT_TRUE(check_limits(smooth.motion, robot).respected());
  std::vector<double> q(6), qd(6), before(6), after(6);
  const double h = 1e-5 * smooth.motion.duration();
  for (std::size_t j = 0; j < 6; ++j) {
    for (const TimeOptimal* found : {&abrupt, &smooth}) {
      EXPECT_LT(found->motion.peaks(j).velocity, 1.5 * (1.0 + 1e-6));
      EXPECT_LT(found->motion.peaks(j).acceleration, 8.0 * (1.0 + 1e-4));
    }
  }
  for (int k = 0; k < 5000; ++k) {
    const double t = smooth.motion.duration() * (k + 0.5) / 5000;
    smooth.motion.at(t - h, q, qd, before), smooth.motion.at(t + h, q, qd, after);
    for (std::size_t j = 0; j < 6; ++j) EXPECT_LT(std::abs(after[j] - before[j]) / (2.0 * h), 150.0 * 1.05);
  }
}

TEST(TimeOptimal, StopsWhereItIsTold) {
  test::Random random(34);
  const Mechanism robot = anywhere(make_mechanism(load_robot(find_model("ur5"))));
  const std::vector<JointPoint> points = random_points(random, 6, 3, 0.8);
  const TimeOptimal whole = time_optimal(robot, points, {.stops = true});
  const double first = time_optimal(robot, {points[0], points[1]}).motion.duration();
  std::vector<double> q(6), qd(6), qdd(6);
  whole.motion.at(first, q, qd, qdd);
  for (std::size_t j = 0; j < 6; ++j) {
    EXPECT_NEAR(q[j], points[1][j], 1e-9);
    EXPECT_NEAR(qd[j], 0.0, 1e-7);
  }
  EXPECT_TRUE(check_limits(whole.motion, robot).respected());
}

TEST(TimeOptimal, CoupledJointsAndClosedLoops) {
  for (const char* name : {"five_bar", "palletizer", "gripper"}) {
    Mechanism robot = anywhere(make_mechanism(load_robot(find_model(name))));
    std::vector<double> start(index(robot.nv()), 0.1), end(index(robot.nv()), 0.25);
    InverseDynamics<double> inverse(robot);
    std::vector<double> tau(index(robot.nv()));
    inverse.gravity(start, tau);
    for (const Coordinate c : robot.coordinates.all())
      robot.coordinates.limits[c].effort = 3.0 * std::abs(tau[index(c)]) + 100.0,
      robot.coordinates.limits[c].velocity = 2.0;
    expect_fastest(robot, {start, end}, {.intervals = 300});
  }
}

TEST(TimeOptimal, SaysWhatIsWrong) {
  const auto message = [](const Mechanism& robot, const std::vector<JointPoint>& points,
                          const TimeOptimalOptions& set) {
    try {
      time_optimal(robot, points, set);
    } catch (const std::exception& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const Mechanism ur5 = make_mechanism(load_robot(find_model("ur5")));
  const JointPoint zero(6, 0.0), one(6, 1.0);
  EXPECT_EQ(message(ur5, {zero}, {}), "a trajectory needs at least two points, not 1");
  EXPECT_EQ(message(ur5, {zero, zero}, {}), "points 1 and 2 are the same");
  EXPECT_EQ(message(ur5, {zero, one}, {.speeds = {1.0}}), "1 speeds for 6 joints");
  EXPECT_EQ(message(ur5, {zero, one}, {.accelerations = std::vector<double>(6, 0.0)}),
            "accelerations must be positive, not 0");
  EXPECT_NE(message(make_mechanism(load_robot(find_model("planar2r"))), {{0, 0}, {1, 1}}, {}).find("no effort limits"),
            std::string::npos);
  Mechanism weak = ur5;
  weak.coordinates.limits[Coordinate(1)].effort = 1.0;
  EXPECT_NE(message(weak, {zero, one}, {}).find("joint 2 needs"), std::string::npos) << message(weak, {zero, one}, {});
}

}  // namespace
}  // namespace catena::time_optimal_test

// Profiles and trajectories: ends, derivatives, continuity, limits that are touched exactly, and bad input.
#include "catena/trajectory.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <string>
#include <vector>

#include "catena/dynamics.hpp"
#include "catena/robot_file.hpp"
#include "support/allocations.hpp"
#include "support/tolerances.hpp"

namespace catena::test::trajectory_test {
namespace {

constexpr double pi = std::numbers::pi;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr ProfileKind kinds[] = {ProfileKind::cycloid, ProfileKind::cubic, ProfileKind::quintic,
                                 ProfileKind::trapezoidal, ProfileKind::septic};

Profile rest_to_rest(ProfileKind kind, double from, double to, double duration) {
  const std::vector<JointPoint> points{{from}, {to}};
  switch (kind) {
    case ProfileKind::cubic:
      return Profile::cubic(from, to, duration);
    case ProfileKind::quintic:
      return Profile::quintic(from, to, duration);
    case ProfileKind::trapezoidal:
      return Profile::trapezoidal(from, to, duration, 0.2);
    case ProfileKind::septic:
      return Profile::septic(from, to, duration);
    default:
      return Profile::cycloid(from, to, duration);
  }
}

struct JointMotion {
  Values q, qd, qdd;
};
JointMotion at(const Trajectory& trajectory, double t) {
  const std::size_t n = trajectory.joints();
  JointMotion m{Values(n), Values(n), Values(n)};
  trajectory.at(t, m.q, m.qd, m.qdd);
  return m;
}

// What std::invalid_argument says, or nothing.
std::string complaint(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(Profile, StartsAndEndsAtRest) {
  for (const ProfileKind kind : kinds) {
    SCOPED_TRACE(name_of(kind));
    const Profile p = rest_to_rest(kind, -0.3, 1.7, 2.5);
    EXPECT_EQ((Values{p.at(0.0).q, p.at(2.5).q, p.at(-1.0).q, p.at(9.0).q}), (Values{-0.3, 1.7, -0.3, 1.7}));
    EXPECT_TRUE(near({p.at(0.0).qd, p.at(2.5).qd}, {0.0, 0.0}, 1.0, ulps<double>(32)));
    if (kind == ProfileKind::cycloid || kind == ProfileKind::quintic) {
      EXPECT_TRUE(near({p.at(0.0).qdd, p.at(2.5).qdd}, {0.0, 0.0}, 1.0, ulps<double>(64)));
    }
    EXPECT_NEAR(p.at(1.25).q, 0.7, 1e-15);  // all are symmetric
    EXPECT_EQ(profile_kind(name_of(kind)), kind);
  }
}

TEST(Profile, KeepsGivenEndMotion) {
  const Profile cubic = Profile::cubic(1.0, 2.0, 0.5, -3.0, 4.0);
  EXPECT_TRUE(near({cubic.at(0.0).q, cubic.at(0.5).q, cubic.at(0.0).qd, cubic.at(0.5).qd}, {1.0, 2.0, -3.0, 4.0},
                   ulps<double>(32)));
  const Profile quintic = Profile::quintic(1.0, 2.0, 0.5, {-3.0, 5.0}, {4.0, -6.0});
  const Profile::Point start = quintic.at(0.0), end = quintic.at(0.5);
  EXPECT_TRUE(near({start.q, start.qd, start.qdd, end.q, end.qd, end.qdd}, {1.0, -3.0, 5.0, 2.0, 4.0, -6.0},
                   ulps<double>(256)));
}

TEST(Profile, FollowsItsFormula) {
  const double T = 3.0, way = 1.4, t = 1.1, u = t / T, x = 2.0 * pi * u;
  const Profile::Point c = Profile::cycloid(0.2, 0.2 + way, T).at(t);
  EXPECT_TRUE(near(
      {c.q, c.qd, c.qdd},
      {0.2 + way / (2 * pi) * (x - std::sin(x)), way / T * (1 - std::cos(x)), 2 * pi * way / (T * T) * std::sin(x)},
      ulps<double>(16)));
  EXPECT_NEAR(Profile::cubic(0.0, way, T).at(t).q, way * u * u * (3 - 2 * u), 1e-15);
  EXPECT_NEAR(Profile::quintic(0.0, way, T).at(t).q, way * u * u * u * (10 - 15 * u + 6 * u * u), 1e-15);
}

// 30 u² (1 - u)² Δ/T and 6 u (1 - u) Δ/T have all their digits, and so their sign, as near to the end as doubles go.
TEST(Profile, SlowsDownToRestWithoutRounding) {
  const double way = -1.3, T = 2.0;
  for (int k = 1; k <= 52; ++k) {
    const double left = std::ldexp(1.0, -k), u = 1.0 - left;
    const double quintic = Profile::quintic(0.7, 0.7 + way, T).at(u * T).qd;
    const double cubic = Profile::cubic(0.7, 0.7 + way, T).at(u * T).qd;
    EXPECT_NEAR(quintic / (30.0 * u * u * left * left * way / T), 1.0, 1e-14) << k;
    EXPECT_NEAR(cubic / (6.0 * u * left * way / T), 1.0, 1e-14) << k;
  }
}

TEST(Profile, VelocityAndAccelerationAreItsDerivatives) {
  std::vector<Profile> profiles{Profile::cubic(1.0, -2.0, 1.3, 0.7, -2.0),
                                Profile::quintic(1.0, -2.0, 1.3, {0.7, 3.0}, {-2.0, 1.0})};
  for (const ProfileKind kind : kinds) profiles.push_back(rest_to_rest(kind, 1.0, -2.0, 1.3));
  for (const Profile& p : profiles) {
    const double h = 1e-6 * p.duration();
    for (int k = 1; k < 40; ++k) {
      const double t = p.duration() * (k + 0.31) / 40.6;  // away from the corners of the trapezoid
      const Profile::Point before = p.at(t - h), here = p.at(t), after = p.at(t + h);
      EXPECT_NEAR((after.q - before.q) / (2 * h), here.qd, 1e-8);
      EXPECT_NEAR((after.qd - before.qd) / (2 * h), here.qdd, 1e-7);
      EXPECT_NEAR((after.qdd - before.qdd) / (2 * h), here.jerk, 1e-6);
      EXPECT_NEAR((after.jerk - before.jerk) / (2 * h), here.snap, 1e-5);
    }
  }
}

TEST(Profile, PeaksAreThoseOfADenseSearch) {
  std::vector<Profile> profiles{Profile::cubic(1.0, -2.0, 1.3, 0.7, -2.0), Profile::cubic(0.0, 1.0, 0.7, 9.0, 8.0),
                                Profile::quintic(1.0, -2.0, 1.3, {0.7, 3.0}, {-2.0, 1.0}),
                                Profile::quintic(0.0, 0.1, 2.0, {5.0, -8.0}, {-1.0, 30.0})};
  for (const ProfileKind kind : kinds) profiles.push_back(rest_to_rest(kind, 1.0, -2.0, 1.3));
  for (const Profile& p : profiles) {
    Rates found{0.0, 0.0};
    constexpr int steps = 200000;
    for (int k = 0; k <= steps; ++k) {
      const Profile::Point x = p.at(p.duration() * k / steps);
      found = {std::max(found.velocity, std::abs(x.qd)), std::max(found.acceleration, std::abs(x.qdd))};
    }
    const Rates peaks = p.peaks();
    EXPECT_NEAR(peaks.velocity, found.velocity, 1e-8 * peaks.velocity);
    EXPECT_NEAR(peaks.acceleration, found.acceleration, 1e-8 * peaks.acceleration);
    EXPECT_GE(peaks.velocity, found.velocity * (1 - 1e-14));
    EXPECT_GE(peaks.acceleration, found.acceleration * (1 - 1e-14));
  }
}

TEST(Profile, TrapezoidTouchesItsLimitsAndTakesTheShortestTime) {
  const Profile long_way = Profile::trapezoidal(1.0, -4.0, Rates{2.0, 4.0});
  EXPECT_NEAR(long_way.duration(), 5.0 / 2.0 + 2.0 / 4.0, 1e-14);  // way/v + v/a
  EXPECT_NEAR(long_way.peaks().velocity, 2.0, 1e-14);
  EXPECT_NEAR(long_way.peaks().acceleration, 4.0, 1e-13);
  EXPECT_NEAR(long_way.at(0.25).qdd, -4.0, 1e-13);
  EXPECT_NEAR(long_way.at(1.5).qd, -2.0, 1e-14);
  EXPECT_EQ(long_way.at(1.5).qdd, 0.0);
  EXPECT_NEAR(long_way.at(2.9).qdd, 4.0, 1e-13);
  const Profile short_way = Profile::trapezoidal(0.0, 0.25, Rates{2.0, 4.0});
  EXPECT_NEAR(short_way.duration(), 2.0 * std::sqrt(0.25 / 4.0), 1e-15);  // a triangle: 2 √(way/a)
  EXPECT_EQ(short_way.ramp(), 0.5);
  EXPECT_NEAR(short_way.peaks().velocity, 1.0, 1e-15);
  EXPECT_NEAR(short_way.peaks().acceleration, 4.0, 1e-14);
  EXPECT_EQ(Profile::trapezoidal(0.0, 1.0, Rates{infinity, 1.0}).ramp(), 0.5);
}

TEST(Profile, JointsFinishTogetherOnAStraightWay) {
  const Values from{0.0, 1.0, -1.0, 0.5}, to{1.0, -2.0, -1.0, 0.6};
  const std::vector<Rates> limits{{1.0, 9.0}, {8.0, 5.0}, {0.1, 0.1}, {infinity, 1.0}};
  for (const ProfileKind kind : kinds) {
    SCOPED_TRACE(name_of(kind));
    const std::vector<Profile> joints = synchronized(kind, from, to, limits);
    double closest = 0.0;
    for (std::size_t j = 0; j < joints.size(); ++j) {
      EXPECT_EQ(joints[j].duration(), joints[0].duration());
      const Rates peak = joints[j].peaks();
      const double use = std::max(peak.velocity / limits[j].velocity, peak.acceleration / limits[j].acceleration);
      EXPECT_LE(use, 1.0 + 1e-14);
      closest = std::max(closest, use);
      for (const double t : {0.2, 0.5, 1.1}) {
        const double share = (joints[1].at(t).q - from[1]) / (to[1] - from[1]);
        EXPECT_NEAR(joints[j].at(t).q, from[j] + share * (to[j] - from[j]), 1e-14);
      }
    }
    EXPECT_NEAR(closest, 1.0, 1e-14);
  }
}

const std::vector<JointPoint> via{{0.0, 0.0}, {1.0, -0.5}, {0.5, 0.5}, {2.0, 1.0}};
const Values via_times{1.0, 2.0, 2.5, 4.0};

TEST(Trajectory, PassesItsPointsWithContinuousMotion) {
  for (const ProfileKind kind : kinds) {
    SCOPED_TRACE(name_of(kind));
    const Trajectory trajectory = Trajectory::through(kind, via, via_times);
    for (std::size_t k = 0; k < via.size(); ++k)
      EXPECT_TRUE(near(at(trajectory, via_times[k]).q, via[k], ulps<double>(16)));
    for (const double t : trajectory.breaks()) {
      const JointMotion before = at(trajectory, t - 1e-9), after = at(trajectory, t + 1e-9);
      const bool inside = t > trajectory.start() && t < trajectory.end();
      EXPECT_TRUE(near(before.q, after.q, 1.0, relative(1e-7)));
      EXPECT_TRUE(near(before.qd, after.qd, 1.0, relative(1e-6))) << t;
      if (inside && kind != ProfileKind::trapezoidal) {
        EXPECT_TRUE(near(before.qdd, after.qdd, 1.0, relative(1e-5))) << t;
      }
    }
    const bool stops = kind != ProfileKind::cubic && kind != ProfileKind::quintic;
    for (std::size_t k = 0; k < via.size(); ++k) {
      const Values qd = at(trajectory, via_times[k]).qd;
      const bool end = k == 0 || k + 1 == via.size();
      if (stops || end) {
        EXPECT_TRUE(near(qd, {0.0, 0.0}, 1.0, ulps<double>(256)));
      } else {
        EXPECT_GT(largest(qd), 0.05);
      }
    }
  }
}

TEST(Trajectory, CubicSplineReproducesACubic) {
  // q = t² (3 - 2t) has zero velocity at 0 and 1: the clamped spline through any of its points is the curve itself.
  const auto curve = [](double t) { return t * t * (3 - 2 * t); };
  const Values times{0.0, 0.1, 0.35, 0.6, 0.9, 1.0};
  std::vector<JointPoint> points;
  for (const double t : times) points.push_back({curve(t)});
  const Trajectory trajectory = Trajectory::through(ProfileKind::cubic, points, times);
  for (double t = 0.0; t <= 1.0; t += 0.01) {
    EXPECT_NEAR(at(trajectory, t).q[0], curve(t), 1e-14);
    EXPECT_NEAR(at(trajectory, t).qdd[0], 6 - 12 * t, 1e-12);
  }
}

TEST(Trajectory, QuinticPassesItsPointsLikeTheSpline) {
  const Trajectory cubic = Trajectory::through(ProfileKind::cubic, via, via_times);
  const Trajectory quintic = Trajectory::through(ProfileKind::quintic, via, via_times);
  for (const double t : {via_times[1], via_times[2]}) {
    EXPECT_TRUE(near(at(quintic, t).qd, at(cubic, t).qd, relative(1e-13)));
    EXPECT_TRUE(near(at(quintic, t).qdd, at(cubic, t).qdd, relative(1e-13)));
  }
  EXPECT_EQ(largest(at(quintic, via_times[0]).qdd), 0.0);
}

TEST(Trajectory, StandsStillOutsideItsTime) {
  const Trajectory trajectory = Trajectory::through(ProfileKind::cubic, via, via_times);
  for (const auto& [t, point] : {std::pair{0.5, via.front()}, {5.0, via.back()}, {infinity, via.back()}}) {
    const JointMotion m = at(trajectory, t);
    EXPECT_TRUE(near(m.q, point, ulps<double>(16)));
    EXPECT_EQ(m.qd, (Values{0.0, 0.0}));
    EXPECT_EQ(m.qdd, (Values{0.0, 0.0}));
  }
}

TEST(Trajectory, WithinLimitsTouchesOne) {
  const std::vector<Rates> limits{{1.5, 4.0}, {0.8, 20.0}};
  for (const ProfileKind kind : kinds) {
    SCOPED_TRACE(name_of(kind));
    const Trajectory trajectory = Trajectory::within(kind, via, limits);
    EXPECT_EQ(trajectory.start(), 0.0);
    double closest = 0.0;
    for (std::size_t j = 0; j < 2; ++j) {
      const Rates peak = trajectory.peaks(j);
      closest = std::max({closest, peak.velocity / limits[j].velocity, peak.acceleration / limits[j].acceleration});
    }
    EXPECT_NEAR(closest, 1.0, 1e-13);
    EXPECT_TRUE(near(at(trajectory, trajectory.end()).q, via.back(), ulps<double>(16)));
  }
}

TEST(Trajectory, ScalingDividesVelocityAndAcceleration) {
  for (const ProfileKind kind : kinds) {
    const Trajectory as_given = Trajectory::through(kind, via, via_times), slow = as_given.scaled(2.5);
    EXPECT_NEAR(slow.duration(), 7.5, 1e-14);
    EXPECT_EQ(slow.start(), 1.0);
    for (const double t : {0.13, 0.9, 1.27, 2.2}) {
      const JointMotion a = at(as_given, 1.0 + t), b = at(slow, 1.0 + 2.5 * t);
      for (std::size_t j = 0; j < 2; ++j) {
        EXPECT_NEAR(b.q[j], a.q[j], 1e-14);
        EXPECT_NEAR(b.qd[j], a.qd[j] / 2.5, 1e-13);
        EXPECT_NEAR(b.qdd[j], a.qdd[j] / 6.25, 1e-12);
      }
    }
  }
}

TEST(Trajectory, EvaluationAllocatesNothing) {
  for (const ProfileKind kind : kinds) {
    const Trajectory trajectory = Trajectory::through(kind, via, via_times);
    Values q(2), qd(2), qdd(2);
    NoAlloc guard;
    for (int k = 0; k < 100; ++k) trajectory.at(0.05 * k, q, qd, qdd);
  }
}

// Saha's planar arm and Stanford arm along their cycloids, at a quarter and the middle of ten seconds.
TEST(Trajectory, GivesTheTorquesOfSahasExamples) {
  const auto expect = [](const char* model, const JointPoint& from, const JointPoint& to, double t, const Values& tau) {
    const Mechanism robot = make_mechanism(load_robot(find_model(model)));
    const Values times{0.0, 10.0};
    const JointMotion m = at(Trajectory::through(ProfileKind::cycloid, {from, to}, times), t);
    Values found(tau.size());
    InverseDynamics<double> inverse(robot);
    inverse(m.q, m.qd, m.qdd, found);
    EXPECT_TRUE(near(found, tau, relative(1e-10))) << model << " at t = " << t;
  };
  expect("planar3r", Values(3, 0.0), Values(3, pi), 2.5, {41.5641225266, 17.1599009038, 3.76641445976});
  expect("planar3r", Values(3, 0.0), Values(3, pi), 5.0, {-17.4784892323, -15.109784176, 0.789568352087});
  const JointPoint start{0.0, pi / 2, 0.0, 0.0, 0.0, 0.0}, end{pi / 3, pi / 3, 0.1, pi / 3, pi / 3, pi / 3};
  const JointPoint printed{pi, 1.5 * pi, pi, pi, pi, pi};
  expect("stanford", start, end, 2.5,
         {0.104302575299, 13.8227158279, -2.78629403168, 0.000327195163163, 4.69065879427e-05, 0.000268387534329});
  expect("stanford", start, printed, 5.0,
         {-0.48053129908, 8.63602828175, 55.5213277656, 0.00110539569292, 0.00371097125481, -0.00315827340835});
}

TEST(Trajectory, BadInputIsNamed) {
  const auto through = [](const std::vector<JointPoint>& points, const Values& times) {
    return complaint([&] { Trajectory::through(ProfileKind::quintic, points, times); });
  };
  EXPECT_EQ(through({{0.0}}, {0.0}), "a trajectory needs at least two points, not 1");
  EXPECT_EQ(through({{}, {}}, {0.0, 1.0}), "a trajectory needs at least one joint");
  EXPECT_EQ(through({{0.0}, {1.0, 2.0}}, {0.0, 1.0}), "point 2 has 2 joints, point 1 has 1");
  EXPECT_EQ(through({{0.0}, {nan}}, {0.0, 1.0}), "point 2, joint 1: nan is not a finite number");
  EXPECT_EQ(through({{0.0}, {1.0}}, {0.0}), "1 times for 2 points; one per point is needed");
  EXPECT_EQ(through({{0.0}, {1.0}}, {0.0, infinity}), "time 2 is inf, not a finite number");
  EXPECT_EQ(through({{0.0}, {1.0}, {2.0}}, {0.0, 2.0, 2.0}), "times must increase: time 3 is 2, the one before is 2");
  const auto within = [](const std::vector<JointPoint>& points, const std::vector<Rates>& limits) {
    return complaint([&] { Trajectory::within(ProfileKind::trapezoidal, points, limits); });
  };
  EXPECT_EQ(within({{0.0}, {1.0}}, {}), "0 limits for 1 joints");
  EXPECT_EQ(within({{0.0}, {1.0}, {1.0}}, {{1.0, 1.0}}), "points 2 and 3 are the same; give times to wait there");
  EXPECT_EQ(within({{0.0}, {1.0}}, {{0.0, 1.0}}), "a velocity limit of 0; it must be positive");
  EXPECT_EQ(within({{0.0}, {1.0}}, {{1.0, infinity}}), "an acceleration limit of inf; it must be positive and finite");
  EXPECT_EQ(complaint([] { Profile::cycloid(0.0, 1.0, 0.0); }), "a profile of 0 s; its duration must be positive");
  EXPECT_EQ(complaint([] { Profile::cubic(0.0, nan, 1.0); }), "the end of a profile is nan, not a finite number");
  EXPECT_NE(complaint([] { Profile::trapezoidal(0.0, 1.0, 1.0, 0.6); }), "");
  EXPECT_NE(complaint([] { profile_kind("nonic"); }), "");
  const Trajectory trajectory = Trajectory::through(ProfileKind::cubic, via, via_times);
  EXPECT_EQ(complaint([&] { trajectory.scaled(0.0); }), "a time scale of 0; it must be positive");
  EXPECT_EQ(complaint([&] { at(trajectory, nan); }), "the time is not a number");
  Values one(1), two(2);
  EXPECT_EQ(complaint([&] { trajectory.at(0.0, two, two, one); }), "q, qd and qdd must have 2 values, one per joint");
}

}  // namespace
}  // namespace catena::test::trajectory_test

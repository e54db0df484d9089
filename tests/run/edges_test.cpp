// Numbers at the edge of what robots are: every job beside the same formulation in extended precision. A result is
// within a bound, or there is none and a message says why. CATENA_TABLES=yes prints the tables of docs/reliability.md.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <numbers>
#include <set>

#include "catena/call.hpp"
#include "catena/dynamics.hpp"
#include "catena/robot_file.hpp"
#include "oracle/newton_world.hpp"
#include "run/make_runner.hpp"
#include "support/edges.hpp"
#include "support/extended_loops.hpp"
#include "support/four_bar.hpp"
#include "support/nightly.hpp"
#include "support/tolerances.hpp"

namespace catena {
// tests/CMakeLists.txt: catena_on_extended
template <>
std::unique_ptr<Runner<Extended>> make_runner(std::string_view job, std::shared_ptr<const Mechanism> robot,
                                              std::string_view formulation);
}  // namespace catena

namespace catena::test::edges_test {
namespace {

constexpr double digit = std::numeric_limits<double>::epsilon(), share = 16.0 * digit;
constexpr double bound = 1e-13, bound_of_solved = 1e-12;  // of jobs that invert M

std::vector<Extended> wide(const std::vector<double>& values) { return {values.begin(), values.end()}; }

// All that the job gives, in extended precision.
std::vector<Extended> exactly(const JobInfo& job, std::string_view formulation, const EdgeCase& at) {
  const auto runner = make_runner<Extended>(job.name, std::make_shared<const Mechanism>(at.robot), formulation);
  const std::vector<Extended> q = wide(at.x.q), qd = wide(at.x.qd), qdd = wide(at.x.qdd), base = wide(at.base),
                              tau(qd.size(), 1.0L);
  std::vector<Extended> out(index(job.size(sizes_of(at.robot))));
  runner->run(with_others<Extended>({.q = q, .qd = qd, .qdd = qdd, .tau = tau, .base = base}, qdd), out);
  return out;
}

// The largest entry of each output; NaN if one is no number.
std::vector<long double> sizes(const JobInfo& job, const EdgeCase& at, const std::vector<Extended>& a,
                               const std::vector<Extended>& less = {}) {
  std::vector<long double> out;
  std::size_t k = 0;
  for (const OutputInfo& output : job.outputs) {
    long double& own = out.emplace_back(0.0L);
    for (const std::size_t end = k + index(output.size(sizes_of(at.robot))); k < end; ++k)
      if (const long double size = std::abs((less.empty() ? a[k] : a[k] - less[k]).value); !(size <= own)) own = size;
  }
  return out;
}

// How far a result is off: over its largest entry, and over what other data would change it by, if that is more. A
// result that is left of larger numbers has fewer digits, and so has one of a matrix that is nearly singular.
struct Error {
  double of_largest = 0.0, of_shaken = 0.0;
  std::string where = "none";

  void take(const Error& other) {
    if (!(other.of_shaken <= of_shaken)) of_shaken = other.of_shaken, where = other.where;
    if (!(other.of_largest <= of_largest)) of_largest = other.of_largest;
  }
};
Error error_of(const JobInfo& job, const EdgeCase& at, const std::vector<EdgeCase>& shaken,
               std::string_view formulation, const std::vector<double>& out) {
  const std::vector<Extended> expected = exactly(job, formulation, at);
  std::vector<long double> size = sizes(job, at, expected);
  for (long double& own : size) own = std::max<long double>(own, std::numeric_limits<double>::min() / digit);
  const std::vector<long double> off = sizes(job, at, wide(out), expected), largest = size;
  for (const EdgeCase& other : shaken) {
    const std::vector<long double> moved = sizes(job, at, exactly(job, formulation, other), expected);
    for (std::size_t k = 0; k < size.size(); ++k) size[k] = std::max(size[k], moved[k] / share);
  }
  Error error;
  for (std::size_t k = 0; k < size.size(); ++k)
    error.take({double(off[k] / largest[k]), double(off[k] / size[k]), std::string(job.name)});
  return error;
}

// What became of an edge, or of a kind of robots.
struct Row {
  int results = 0, refused = 0;
  Error plain{}, solved{}, forward{};
  double of_bound = 0.0, described = 0.0, gap = 0.0;
};

// Of inverse dynamics by the law of particles, in long double, from the robot as it is described: what is lost where a
// robot is prepared is in it too.
double error_from_description(const EdgeCase& at) {
  if (!at.robot.coordinates.is_plain()) return 0.0;
  const oracle::Torques expected = oracle::inverse_dynamics(at.described, at.x.q, at.x.qd, at.x.qdd);
  std::vector<double> tau(expected.tau.size());
  InverseDynamics<double>(at.robot)(at.x.q, at.x.qd, at.x.qdd, tau);
  double worst = 0.0;
  for (std::size_t k = 0; k < tau.size(); ++k)
    worst = std::max(worst, std::abs(tau[k] - expected.tau[k]) / std::max(expected.scale[k], 1e-290));
  return worst;
}
// Of the positions that closed the loops, over what other data would change them by.
double gap_of(const EdgeCase& at, const std::vector<EdgeCase>& shaken) {
  const std::vector<Extended> expected = closed_exactly(at.robot, at.x.q);
  const auto off = [&](const std::vector<Extended>& x) {
    double worst = 0.0;
    for (std::size_t k = 0; k < x.size(); ++k) worst = std::max(worst, std::abs(double((x[k] - expected[k]).value)));
    return worst;
  };
  double moved = 1.0;
  for (const EdgeCase& other : shaken) moved = std::max(moved, off(closed_exactly(other.robot, other.x.q)) / share);
  return off(closed_exactly(at.robot, at.x.q, false)) / moved;
}

// Every job on a robot in a state.
void hold(const EdgeCase& at, const Edge& edge, const std::string& where, const std::vector<Row*>& rows) {
  SCOPED_TRACE(where);
  Random random(7);
  std::vector<EdgeCase> own, all;
  for (int k = 0; k < 2; ++k) {
    own.push_back(shaken(at, share, Measure::by_own, random));
    all.push_back(shaken(at, share, Measure::by_largest, random));
  }
  const double described = error_from_description(at), gap = gap_of(at, own);
  EXPECT_LT(described, bound * edge.times * std::max(1.0, largest(at.x.q)));
  EXPECT_LT(gap, bound * edge.times);
  for (Row* row : rows) row->described = std::max(row->described, described), row->gap = std::max(row->gap, gap);
  const std::vector<double> tau(at.x.qd.size(), 1.0);
  for (const JobInfo& job : jobs()) {
    Call<double> call(at.robot, job.name);
    std::vector<double> out(call.size());
    try {
      call(with_others<double>({.q = at.x.q, .qd = at.x.qd, .qdd = at.x.qdd, .tau = tau, .base = at.base}, at.x.qdd),
           out);
    } catch (const std::domain_error& error) {
      EXPECT_NE(std::string_view(error.what()).find("'"), std::string_view::npos) << job.name << ": " << error.what();
      for (Row* row : rows) ++row->refused;
      continue;
    }
    const bool solves = job.inverts_inertia;
    const Error error = error_of(job, at, solves ? all : own, call.formulation().name, out);
    const double twice = job.name == "response_curvature" ? edge.times_solved_twice : 1.0;
    const double most = solves ? bound_of_solved * edge.times_solved * twice : bound * edge.times;
    EXPECT_LT(error.of_shaken, most) << job.name;
    for (Row* row : rows) {
      ++row->results;
      row->of_bound = std::max(row->of_bound, error.of_shaken / most);
      (solves ? row->solved : row->plain).take(error);
      if (job.gives(Kind::acceleration) && !job.gives(Kind::found_torque)) row->forward.take(error);
    }
  }
}

bool prints() { return std::getenv("CATENA_TABLES") != nullptr; }  // NOLINT(concurrency-mt-unsafe)
void print(const std::string& name, const Edge& edge, const Row& row) {
  const auto& [results, refused, plain, solved, forward, of_bound, described, gap] = row;
  if (prints())
    std::printf("| %s | %.0e | %.0e (%s) | %.0e | %.0e (%s) | %.0e | %d of %d | %.0e | %.0e |\n", name.c_str(),
                bound * edge.times, plain.of_shaken, plain.where.c_str(),
                bound_of_solved * edge.times_solved * edge.times_solved_twice, solved.of_shaken, solved.where.c_str(),
                forward.of_largest, refused, results + refused, described, gap);
}

TEST(Edges, EveryJobIsWithinItsBoundOrRefused) {
  const std::vector<KindOfRobot> kinds = kinds_at_edges();
  std::map<std::string, Row> by_kind;
  for (const Edge& edge : edges()) {
    Row row;
    for (const std::uint64_t k : test::seeds(0, kinds.size())) {
      const KindOfRobot& kind = kinds[k];
      if (edge.takes(kind.robot))
        hold(kind.at(edge), edge, std::string(edge.name) + ", " + kind.name + ": " + kind.robot.name,
             {&row, &by_kind[kind.name]});
    }
    EXPECT_GT(row.results, 20) << edge.name;
    print(edge.name, edge, row);
  }
  for (const auto& [name, row] : by_kind)
    if (prints())
      std::printf("| %s | %d | %d | %.2f |\n", name.c_str(), row.results + row.refused, row.refused, row.of_bound);
}

// A last joint that turns a rod about its axis, whose moment is rounding: whatever formulation is asked, and whatever
// is around the tree, its acceleration is refused, not made up.
TEST(Edges, WhatOneFormulationCannotDivideByNoneDivides) {
  const auto rods = std::find_if(edges().begin(), edges().end(),
                                 [](const Edge& edge) { return std::string_view(edge.name) == "the same, 1e-20"; });
  ASSERT_NE(rods, edges().end());
  int kinds = 0;
  for (const KindOfRobot& kind : kinds_at_edges()) {
    SCOPED_TRACE(kind.name + ": " + kind.robot.name);
    const EdgeCase at = kind.at(*rods);
    const std::vector<double> tau(at.x.qd.size(), 1.0);
    std::set<std::string> refusals, given;
    for (const JobInfo& job : jobs())
      for (const FormulationInfo& formulation : job.formulations) {
        if (!job.inverts_inertia || job.name == "hybrid") continue;  // which divides by a part of the matrix
        // On a long chain its moments about the base have more rounding than the joint has inertia.
        if (formulation.name == "base-origin" && at.x.qd.size() == 40) continue;
        const std::string who = std::string(job.name) + " by " + std::string(formulation.name);
        try {
          Call<double> call(at.robot, job.name, formulation.name);
          std::vector<double> out(call.size());
          call(with_others<double>({.q = at.x.q, .qd = at.x.qd, .qdd = at.x.qdd, .tau = tau, .base = at.base}, tau),
               out);
          given.insert(who);
        } catch (const std::invalid_argument&) {  // it does not take such robots
        } catch (const std::domain_error& error) {
          const std::string message = error.what();
          EXPECT_EQ(message.substr(0, 7), "joint '") << who << ": " << message;
          refusals.insert(message.substr(0, message.find(':')));
        }
      }
    EXPECT_LE(refusals.size(), 1u) << *refusals.begin() << *refusals.rbegin();
    EXPECT_TRUE(refusals.empty() || given.empty()) << *given.begin() << " and " << given.size() - 1 << " others divide";
    kinds += !refusals.empty();
  }
  EXPECT_GE(kinds, 5);  // rounding decides how many
}

struct DeadPoint {
  double crank, rocker;
};
DeadPoint dead_point(const Bars& bars) {
  const auto& [crank, coupler, c, g] = bars;
  const double reach = crank + coupler;
  const double rocker = std::numbers::pi - std::acos((g * g + c * c - reach * reach) / (2.0 * g * c));
  return {std::atan2(c * std::sin(rocker), g + c * std::cos(rocker)), rocker};
}

// Crank and coupler of a four-bar are nearly in line, and the crank is to follow from the rocker. Second derivatives of
// its torques grow the most and cancel in those of its accelerations: response_curvature loses a digit with each.
TEST(Edges, ALoopNearItsDeadPoint) {
  Random random(5);
  for (const double before : {1e-2, 1e-4, 1e-6, 1e-8, 1e-10, 1e-12, 1e-14, 0.0}) {
    Row row;
    std::array<char, 80> name{};
    std::snprintf(name.data(), name.size(), "a crank %.0e rad before its dead point", before);
    const Edge edge{"", {}, {}, 1.0, 1e2, std::max(1.0, 1e-5 / before)};
    for (int k = 0; k < 7; ++k) {
      const double longer = k == 0 ? 0.0 : 0.03;
      const auto about = [&](double length) { return length + longer * random.between(-1.0, 1.0); };
      const Bars bars{about(0.3), about(0.8), about(0.5)};
      Robot robot = four_bar(bars);
      const Mechanism turned = make_mechanism(robot);
      robot.independent = {"rocker"};
      hold({with_all_positions(make_mechanism(robot)),
            with_all_positions(turned, {{dead_point(bars).crank - before}, {0.5}, {1.0}}),
            {},
            {}},
           edge, name.data(), {&row});
    }
    EXPECT_EQ(row.refused, before < 1e-13 ? 7 * int(jobs().size()) : 0) << name.data();
    print(name.data(), edge, row);
  }
  // The same places are looked for: a rocker 1e-8 rad before its own is a crank 2e-4 rad before it.
  Robot robot = four_bar();
  robot.independent = {"rocker"};
  const Mechanism arm = make_mechanism(robot);
  for (const double before : {1e-2, 1e-4, 1e-6, 1e-8, 1e-10, 1e-12, 0.0, -1e-8}) try {
      const EdgeCase at{arm, with_all_positions(arm, {{dead_point({}).rocker + before}, {0.5}, {1.0}}), {}, {}};
      EXPECT_LT(gap_of(at, {shaken(at, share, Measure::by_own, random)}), bound) << before;
      EXPECT_GT(before, 1e-9);
    } catch (const std::domain_error& error) {
      EXPECT_LT(before, 1e-8) << error.what();
      EXPECT_NE(std::string_view(error.what()).find("loop 'closure' cannot close"), std::string_view::npos);
    }
}

void expect_refused(const std::string& words, const std::function<void()>& made) {
  try {
    made();
    ADD_FAILURE() << "taken, not: " << words;
  } catch (const ModelError& error) {
    EXPECT_NE(std::string_view(error.what()).find(words), std::string_view::npos) << error.what();
  }
}

// In files an axis has any length, in code 1. What has no digits left is refused.
TEST(Edges, AxesAndMassesThatAreNearlyZero) {
  const auto torque = [](const std::string& axis) {
    const std::string link =
        "[[link]]\njoint = \"revolute\"\nmass = 1.0\ncom = [0.5, 0.1, 0.2]\n"
        "inertia = [0.02, 0.03, 0.04]\nxyz = [0.3, 0.0, 0.1]\naxis = ";
    std::vector<double> tau(2);
    InverseDynamics<double>(make_mechanism(
        parse_toml("convention = \"frames\"\n" + link + "[0, 0, 1]\n" + link + "[" + axis + "]\n", "arm.toml")))(
        std::vector{0.4, -0.7}, std::vector{1.0, 2.0}, std::vector{3.0, -1.0}, tau);
    return tau;
  };
  for (const std::string by : {"e-300", "e-160", "e-12", "e12", "e160", "e300"})
    EXPECT_TRUE(near(torque("1" + by + ", 2" + by + ", -2" + by), torque("1, 2, -2"), relative(1e-14))) << by;
  for (const char* none : {"0, 0, 0", "0, 0, 5e-324", "1e-310, 0, -1e-310"})
    expect_refused("has zero length; give a direction", [&] { torque(none); });
  Robot robot = four_bar();
  for (const double length : {0.0, 5e-324, 1e-160, 1e-12, 1.0 + 1e-8, 1e160}) {
    robot.joints[1].axis = {0.0, 0.0, length};
    expect_refused("joint 'coupler': axis", [&] { make_mechanism(robot); });
  }
  robot = four_bar();
  for (const double mass : {5e-324, 1e-310}) {
    robot.links[2].inertial.mass = mass;
    expect_refused("link 2 'coupler bar': mass", [&] { make_mechanism(robot); });
  }
}

}  // namespace
}  // namespace catena::test::edges_test

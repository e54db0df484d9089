// Numbers at the edge of what robots are: every job beside the same formulation in extended precision. A result is
// within a bound, or there is none and a message says why. CATENA_TABLES=yes prints the table of docs/reliability.md.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>

#include "catena/call.hpp"
#include "dense/dense.hpp"
#include "run/make_runner.hpp"
#include "support/extended.hpp"
#include "support/random_robot.hpp"

namespace catena {
// tests/CMakeLists.txt: catena_on_extended
template <>
std::unique_ptr<Runner<Extended>> make_runner(std::string_view job, std::shared_ptr<const Mechanism> robot,
                                              std::string_view formulation);
}  // namespace catena

namespace catena::test::edges_test {
namespace {

constexpr double bound = 1e-13;  // of an error, over the largest entry of the result; times κ(M) where M is inverted

void stretch(JointDescription& joint, double by) {
  joint.origin.p = by * joint.origin.p;
  joint.child_frame.p = by * joint.child_frame.p;
}
// All lengths of a link: it stays a body that can exist.
void stretch(Inertial& body, double by) {
  body.com = by * body.com;
  body.inertia = (by * by) * body.inertia;
}
void make_heavy(Inertial& body, double by) {
  body.mass *= by;
  body.inertia = by * body.inertia;
}
void scale(std::vector<double>& values, double by) {
  for (double& value : values) value *= by;
}
void scale(const Robot& robot, std::vector<double>& values, JointType type, double by) {
  const std::vector<int> moving = robot.moving_joints();
  for (std::size_t k = 0; k < moving.size(); ++k)
    if (robot.joints[index(moving[k])].type == type) values[k] *= by;
}

struct Edge {
  const char* name;
  std::function<void(Robot&)> robot;
  std::function<void(const Robot&, State&)> state;
  double times = 1.0;  // the bound
};
const std::vector<Edge>& edges() {
  static const auto same = [](auto&...) {};
  static const auto slides = [](double by) {
    return [by](const Robot& robot, State& x) { scale(robot, x.q, JointType::prismatic, by); };
  };
  static const auto lengths = [](double by) {
    return [by](Robot& robot) {
      for (JointDescription& joint : robot.joints) stretch(joint, by);
      for (LinkDescription& link : robot.links) stretch(link.inertial, by);
    };
  };
  static const std::vector<Edge> list{
      {"ordinary", same, same},
      {"masses 1e-6 and 1e6 in turn",
       [](Robot& robot) {
         for (std::size_t k = 0; k < robot.links.size(); ++k)
           make_heavy(robot.links[k].inertial, k % 2 == 0 ? 1e-6 : 1e6);
       },
       same},
      {"1e12 more mass at the tip", [](Robot& robot) { make_heavy(robot.links.back().inertial, 1e12); }, same, 1e9},
      {"1e12 more mass at the base", [](Robot& robot) { make_heavy(robot.links[1].inertial, 1e12); }, same, 1e8},
      {"lengths of 1e-6 m", lengths(1e-6), slides(1e-6), 1e5},
      {"lengths of 1e6 m", lengths(1e6), slides(1e6), 1e3},
      {"links of 1e-3 and 1e3 m in turn",
       [](Robot& robot) {
         for (std::size_t k = 0; k < robot.joints.size(); ++k) {
           const double by = k % 2 == 0 ? 1e-3 : 1e3;
           stretch(robot.joints[k], by);
           stretch(robot.links[index(robot.joints[k].child)].inertial, by);
         }
       },
       same, 1e5},
      {"angles to 1e8 rad", same, [](const Robot& robot, State& x) { scale(robot, x.q, JointType::revolute, 1e8); },
       1e8},
      {"speeds of 1e8 rad/s", same, [](const Robot&, State& x) { scale(x.qd, 1e8); }, 1e6},
      {"subnormal speeds and accelerations", same,
       [](const Robot&, State& x) {
         scale(x.qd, 1e-310);
         scale(x.qdd, 1e-310);
       }},
      {"a last link of 1e-12", [](Robot& robot) { make_heavy(robot.links.back().inertial, 1e-12); }, same},
  };
  return list;
}

double condition_of(const Mechanism& robot, const State& x) {
  Call<double> inertia(robot, "inertia");
  dense::Matrix M(index(robot.nv()), index(robot.nv()));
  inertia({.q = x.q}, {M.data(), M.size()});
  const std::vector<double> values = dense::symmetric_eigenvalues(M);
  return values.front() > 0.0 ? values.back() / values.front() : std::numeric_limits<double>::infinity();
}

// All that the job gives, in extended precision.
std::vector<Extended> exactly(const JobInfo& job, const Mechanism& robot, const State& x) {
  const auto runner = make_runner<Extended>(job.name, std::make_shared<const Mechanism>(robot),
                                            Call<double>(robot, job.name).formulation().name);
  const std::vector<Extended> q(x.q.begin(), x.q.end()), qd(x.qd.begin(), x.qd.end()), qdd(x.qdd.begin(), x.qdd.end()),
      tau(x.qd.size(), 1.0L);
  std::vector<Extended> out(index(job.size(sizes_of(robot))));
  runner->run(with_others<Extended>({.q = q, .qd = qd, .qdd = qdd, .tau = tau}, qdd), out);
  return out;
}

// The difference of each output, over its largest entry; the largest of the outputs.
template <class Numbers>
double difference_of(const JobInfo& job, const Mechanism& robot, const Numbers& got,
                     const std::vector<Extended>& expected) {
  double worst = 0.0;
  std::size_t k = 0;
  for (const OutputInfo& output : job.outputs) {
    const std::size_t end = k + index(output.size(sizes_of(robot)));
    long double difference = 0.0L, largest = 0.0L;
    for (; k < end; ++k) {
      difference = std::max(difference, std::abs((Extended(got[k]) - expected[k]).value));
      largest = std::max(largest, std::abs(expected[k].value));
    }
    // Below the smallest normal number there are fewer digits.
    largest = std::max<long double>(largest, std::numeric_limits<double>::min() / bound);
    worst = std::max(worst, double(difference / largest));
  }
  return worst;
}

// None if there is no result; then a message says why.
std::optional<double> error_of(const JobInfo& job, const Mechanism& robot, const State& x) {
  const std::vector<double> tau(x.qd.size(), 1.0);
  Call<double> call(robot, job.name);
  std::vector<double> out(call.size());
  try {
    call(with_others<double>({.q = x.q, .qd = x.qd, .qdd = x.qdd, .tau = tau}, x.qdd), out);
  } catch (const std::domain_error& error) {
    EXPECT_GT(std::string_view(error.what()).size(), 20U) << job.name;
    return std::nullopt;
  }
  return difference_of(job, robot, out, exactly(job, robot, x));
}

TEST(Edges, EveryJobIsWithinItsBoundOrRefused) {
  const bool print = std::getenv("CATENA_TABLES") != nullptr;  // NOLINT(concurrency-mt-unsafe)
  for (const Edge& edge : edges()) {
    double most = 0.0, condition = 0.0, most_solved = 0.0, most_over = 0.0;
    int results = 0, refused = 0;
    std::string worst;
    for (std::uint64_t seed = 1; seed <= 24; ++seed) {
      Random random(seed);
      Robot robot = random_robot(random, {.joints = seed % 3 == 0 ? 1 : 7,
                                          .shape = seed % 2 == 0 ? Shape::tree : Shape::chain,
                                          .fixed_links = false,
                                          .massless_links = false,
                                          .shuffled = false});
      edge.robot(robot);
      const Mechanism mechanism = make_mechanism(robot);
      State x = random_state(random, mechanism);
      edge.state(robot, x);
      const double kappa = condition_of(mechanism, x);
      condition = std::max(condition, kappa);
      for (const JobInfo& job : jobs()) {
        const std::optional<double> error = error_of(job, mechanism, x);
        (error ? results : refused) += 1;
        if (!error) continue;
        EXPECT_LT(*error, bound * edge.times * (job.inverts_inertia ? kappa : 1.0))
            << edge.name << ", seed " << seed << ": " << job.name << ", condition " << kappa;
        if (job.inverts_inertia) {
          most_solved = std::max(most_solved, *error);
          most_over = std::max(most_over, *error / kappa);
        } else if (*error > most) {
          most = *error;
          worst = job.name;
        }
      }
    }
    EXPECT_GT(results, 500) << edge.name;
    if (print)
      std::printf("| %s | %.0e | %.0e (%s) | %.0e | %.0e | %.0e | %d | %d |\n", edge.name, bound * edge.times, most,
                  worst.c_str(), condition, most_solved, most_over, results, refused);
  }
}

}  // namespace
}  // namespace catena::test::edges_test

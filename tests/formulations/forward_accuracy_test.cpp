// Forward dynamics of robots whose inertia matrix is ill-conditioned: every formulation against 113 bits, and the
// choice of the default.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "catena/dynamics.hpp"
#include "catena/formulation/conditioning.hpp"
#include "oracle/newton_world.hpp"
#include "oracle/wide_forward.hpp"
#include "support/nightly.hpp"
#include "support/random_robot.hpp"
#include "support/runners.hpp"

namespace catena::test::forward_accuracy_test {
namespace {

using Values = std::vector<double>;

enum class Load { tip, growing };  // all at the tip, or masses that grow outward by equal factors

// Rods of 1 m and 1 kg in all, the last `heaviest` times as heavy; joints turn about axes at right angles, so that no
// number of the description is rounded.
Robot heavy_chain(Random& random, int n, Load load, double heaviest) {
  Robot robot;
  robot.name = "heavy";
  robot.gravity = {0.0, 0.0, -9.81};
  robot.add_link("base");
  const double length = 1.0 / n;
  for (int k = 0; k < n; ++k) {
    const double share = n == 1 ? 1.0 : double(k) / (n - 1);
    const double mass = (load == Load::growing ? std::pow(heaviest, share) : k == n - 1 ? heaviest : 1.0) / n;
    const double across = mass * length * length / 12;
    Inertial body;
    body.mass = mass;
    body.com = {length * random.between(0.45, 0.55), 0.1 * length * random.between(-1, 1),
                0.1 * length * random.unit()};
    body.inertia = {.xx = across / 10, .yy = across, .zz = across};
    JointDescription joint;
    joint.name = "joint" + std::to_string(k + 1);
    joint.parent = k;
    joint.child = robot.add_link("link" + std::to_string(k + 1), body);
    joint.origin.R = random.right_angle_rotation();
    if (k > 0) joint.origin.p = {length, 0.1 * length * random.between(-1, 1), 0.05 * length};
    joint.axis = random.chance(0.5) ? Vec3<double>{0, 0, 1} : Vec3<double>{0, 1, 0};
    robot.add_joint(joint);
  }
  return robot;
}

enum class Motion { falling, driven };  // without torques; with those of some other accelerations

struct Errors {
  double condition = 0.0;                   // the largest met
  std::map<std::string, double> of_method;  // relative to the largest acceleration; "" is the default
};

Errors measure(Random& random, const Robot& robot, Motion motion, int states) {
  const Mechanism mechanism = make_mechanism(robot);
  const std::size_t n = index(mechanism.nv());
  std::vector<std::string> methods{""};
  for (const FormulationInfo& f : formulations("forward"))
    if (job_info("forward").serves(mechanism, f.name)) methods.emplace_back(f.name);
  Errors errors;
  for (int k = 0; k < states; ++k) {
    const State x = random_state(random, mechanism.nv());
    Values tau(n);
    if (motion == Motion::driven) InverseDynamics<double>{mechanism}(x.q, x.qd, x.qdd, tau);
    for (double& t : tau) t *= random.between(0.5, 1.5);
    const auto exact = oracle::wide_forward_dynamics(robot, x.q, x.qd, tau);
    errors.condition = std::max(errors.condition, exact.condition);
    double scale = 0.0;
    for (const double v : exact.qdd) scale = std::max(scale, std::abs(v));
    for (const std::string& method : methods) {
      Values qdd(n);
      ForwardDynamics<double>(mechanism, method)(x.q, x.qd, tau, qdd);
      double& worst = errors.of_method[method];
      for (std::size_t j = 0; j < n; ++j) worst = std::max(worst, std::abs(qdd[j] - exact.qdd[j]) / scale);
    }
  }
  return errors;
}

// The oracle itself: where M is well-conditioned it must agree with the other one, which is in long double and knows no
// mass centres, Jacobians or elimination.
TEST(ForwardAccuracy, TheWideOracleUndoesTheOtherOraclesInverseDynamics) {
  for (const std::uint64_t seed : test::seeds(0, 60)) {
    auto [robot, x] = sample(seed, 1 + static_cast<int>(seed % 7), seed % 2 == 0);
    for (JointDescription& joint : robot.joints) joint.drive.coulomb = joint.drive.stribeck = 0.0;
    for (LinkDescription& link : robot.links)
      if (link.inertial.mass == 0.0) link.inertial = {.mass = 1.0, .inertia = {.xx = 0.1, .yy = 0.1, .zz = 0.1}};
    const auto torques = oracle::inverse_dynamics(robot, x.q, x.qd, x.qdd);
    const auto found = oracle::wide_forward_dynamics(robot, x.q, x.qd, torques.tau);
    double scale = 1.0;
    for (const double v : x.qdd) scale = std::max(scale, std::abs(v));
    for (std::size_t j = 0; j < x.qdd.size(); ++j)
      EXPECT_NEAR(found.qdd[j], x.qdd[j], 1e-14 * found.condition * scale) << "robot " << seed << ", joint " << j;
  }
}

// The table of docs/equations/composite_ldlt.md: the largest error over 20 falls at each condition. What it shows is
// asserted with room for other machines: no formulation loses more than its condition, and the default keeps what the
// recursion keeps (it runs on other origins, so that its rounding is another).
TEST(ForwardAccuracy, IsBoundedByTheConditionAndTheDefaultIsAmongTheBest) {
  std::cout << std::setprecision(1) << std::scientific;
  for (const int n : {3, 6, 9, 12, 24})
    for (const double heaviest : {1.0, 1e2, 1e4, 1e6, 1e8, 1e10}) {
      Random random(static_cast<std::uint64_t>(n));
      const Errors errors = measure(random, heavy_chain(random, n, Load::tip, heaviest), Motion::falling, 20);
      std::cout << n << " joints, tip times " << heaviest << ", condition " << errors.condition << ":";
      for (const auto& [method, worst] : errors.of_method)
        std::cout << "  " << (method.empty() ? "default" : method) << " " << worst;
      std::cout << "\n";
      const double rounding = 2.3e-16 * errors.condition;
      for (const auto& [method, worst] : errors.of_method)
        EXPECT_LT(worst, 100 * rounding + 1e-13) << method << ", " << n << " joints, tip times " << heaviest;
      const double recursive = errors.of_method.at("articulated-body"), chosen = errors.of_method.at("");
      EXPECT_LE(chosen, 5e-12 + 4 * recursive) << n << " joints, tip times " << heaviest;
    }
}

// Under torques that do not come from a fall the two formulations that never form M and solve for all joints at once
// lose nothing at all.
TEST(ForwardAccuracy, WithoutTheMatrixNothingIsLostUnderTorques) {
  for (const Load load : {Load::tip, Load::growing})
    for (const int n : {6, 12, 24}) {
      Random random(static_cast<std::uint64_t>(100 + n));
      const Errors errors = measure(random, heavy_chain(random, n, load, 1e10), Motion::driven, 10);
      EXPECT_GT(errors.condition, 1e5);
      EXPECT_LT(errors.of_method.at("noc"), 1e-11) << n << " joints, condition " << errors.condition;
      EXPECT_LT(errors.of_method.at("conjugate-gradient"), 1e-10) << n << " joints";
      EXPECT_GT(errors.of_method.at("composite-ldlt"), errors.of_method.at("noc"));
    }
}

// Every third joint follows the one before it: the default goes over clusters, and forms no matrix either.
TEST(ForwardAccuracy, CoupledJointsKeepTheirDigits) {
  for (const int n : {6, 12, 24})
    for (const double heaviest : {1.0, 1e6, 1e10}) {
      Random random(static_cast<std::uint64_t>(200 + n));
      Robot robot = heavy_chain(random, n, Load::growing, heaviest);
      for (std::size_t k = 2; k < robot.joints.size(); k += 3)
        robot.joints[k].coupling.terms = {{robot.joints[k - 1].name, -0.5}};
      const Errors errors = measure(random, robot, Motion::falling, 10);
      EXPECT_EQ(errors.of_method.size(), 3U);  // the default and two others
      EXPECT_EQ(job_info("forward").standard_for(make_mechanism(robot)),
                heaviest > 1e5 ? "articulated-body" : "composite-ldlt");
      EXPECT_LE(errors.of_method.at(""), 5e-12 + 4 * errors.of_method.at("articulated-body"));
      if (n == 24 && heaviest > 1e5) {
        EXPECT_LT(100 * errors.of_method.at("articulated-body"), errors.of_method.at("composite-ldlt"));
      }
    }
}

std::string_view default_of(const Robot& robot, std::string_view job) {
  return job_info(job).standard_for(make_mechanism(robot));
}

TEST(ForwardAccuracy, TheDefaultFormsNoMatrixWherePivotsMayBeLost) {
  Random random(5);
  const Robot light = heavy_chain(random, 6, Load::tip, 1.0), heavy = heavy_chain(random, 6, Load::tip, 1e6);
  EXPECT_FALSE(forming_loses_digits(make_mechanism(light).tree()));
  EXPECT_TRUE(forming_loses_digits(make_mechanism(heavy).tree()));
  EXPECT_EQ(default_of(light, "forward"), "composite-ldlt");
  EXPECT_EQ(default_of(heavy, "forward"), "articulated-body");
  EXPECT_EQ(job_info("forward").candidates(make_mechanism(heavy)), std::vector<std::string_view>{"articulated-body"});
  EXPECT_GT(job_info("forward").candidates(make_mechanism(light)).size(), 2U);
  for (const JobInfo& job : jobs()) {
    if (!job.inverts_inertia) {
      EXPECT_EQ(default_of(light, job.name), default_of(heavy, job.name)) << job.name;
    } else {
      EXPECT_EQ(default_of(heavy, job.name), job.standard(1000)) << job.name;
    }
  }
  // A rotor behind a gear feels what the link does not.
  Robot geared = heavy;
  for (JointDescription& joint : geared.joints) joint.drive = {.rotor_inertia = 1.0, .gear_ratio = 1000.0};
  EXPECT_EQ(default_of(geared, "forward"), "composite-ldlt");
}

}  // namespace
}  // namespace catena::test::forward_accuracy_test

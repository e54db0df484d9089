// The model that is written predicts what the fit predicts: Stribeck friction, offsets and dry friction that differs by
// direction are in the file, which is read back here.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "catena/call.hpp"
#include "catena/identify.hpp"
#include "catena/model/parameters.hpp"
#include "catena/robot_file.hpp"
#include "support/simulated_log.hpp"
#include "support/tolerances.hpp"

namespace catena::test::written_model_test {
namespace {

// An arm whose joints rub as those of gears do: more at rest, and not the same in both directions.
Robot rubbing(const std::string& name) {
  Robot robot = test::arm(name);
  double k = 1.0;
  for (const int j : robot.moving_joints()) {
    JointDrive& drive = robot.joints[index(j)].drive;
    drive.viscous = 0.4 * k, drive.coulomb = 1.5 * k;
    drive.stribeck = 0.8 * k, drive.stribeck_speed = 0.08 + 0.02 * k;
    drive.offset = 0.3 * k * (j % 2 == 0 ? 1.0 : -1.0);
    k *= 0.9;
  }
  return robot;
}
// The same arm, of which all that is unknown.
Robot unknown(Robot robot) {
  for (JointDescription& joint : robot.joints) {
    const JointDrive before = joint.drive;
    joint.drive = {};
    joint.drive.rotor_inertia = before.rotor_inertia, joint.drive.gear_ratio = before.gear_ratio;
  }
  return robot;
}
LogOfArm noisy(const Robot& robot, std::uint64_t seed, double share = 0.02) {
  LogOfArm log = log_of(robot, {.duration = 25.0, .seed = seed});
  Random random(seed + 100);
  add_noise(log, share, 0.02, random);
  return log;
}
Robot read_back(const Robot& robot) { return parse_robot(to_toml(robot), "written.toml"); }

// What a model leaves of torques, by joint.
Values left(const Mechanism& robot, const Measurements& data) {
  const std::size_t n = index(robot.nv()), rows = data.q.size() / n;
  Call<double> inverse(robot, "inverse");
  Values squares(n), tau(n);
  for (std::size_t k = 0; k < rows; ++k) {
    const auto at = [&](const Values& v) { return std::span(v).subspan(k * n, n); };
    inverse({.q = at(data.q), .qd = at(data.qd), .qdd = at(data.qdd)}, tau);
    for (std::size_t j = 0; j < n; ++j) squares[j] += std::pow(data.tau[k * n + j] - tau[j], 2);
  }
  for (double& own : squares) own = std::sqrt(own / static_cast<double>(rows));
  return squares;
}

TEST(WrittenModel, PredictsHeldOutTorquesAsTheFitDoes) {
  for (const std::string& name : six_arms()) {
    SCOPED_TRACE(name);
    const Robot truth = rubbing(name), start = unknown(truth);
    const Mechanism model = make_mechanism(start);
    const LogOfArm log = noisy(truth, 1), other = noisy(truth, 2);
    const Identification found = identify(
        model, log.data, {.weights_from_residuals = true, .friction = {JointFriction::stribeck}, .offsets = true});
    const PhysicalFit fit = fit_physical(model, found);
    const Robot written = read_back(with_parameters(start, fit.parameters, fit.stribeck_speeds));
    const Validation held_out = validate(model, found, &fit, other.data);
    const Values by_file = left(make_mechanism(written), other.data);
    const std::vector<int> moving = written.moving_joints();
    for (std::size_t j = 0; j < log.n; ++j) {
      EXPECT_NEAR(by_file[j], held_out.written.rms[j], 1e-3 * held_out.written.rms[j]) << j;
      EXPECT_LT(by_file[j], 1.02 * held_out.least_squares.rms[j]) << j;
      const JointDrive &drive = written.joints[index(moving[j])].drive, &own = truth.joints[index(moving[j])].drive;
      EXPECT_NEAR(drive.offset, own.offset, 0.3 * std::abs(own.offset)) << j;
      EXPECT_NEAR(drive.dry_friction(), own.dry_friction(), 0.2 * own.dry_friction()) << j;
    }
    // The file as the model: no option is needed, and nothing is lost.
    const Mechanism known = make_mechanism(written);
    const Identification again = identify(known, log.data, {.weights_from_residuals = true});
    const PhysicalFit same = fit_physical(known, again);
    const Values once_more =
        left(make_mechanism(read_back(with_parameters(written, same.parameters, same.stribeck_speeds))), other.data);
    for (std::size_t j = 0; j < log.n; ++j) {
      EXPECT_EQ(again.friction[j].kind, JointFriction::stribeck) << j;
      EXPECT_EQ(again.friction[j].width, written.joints[index(moving[j])].drive.stribeck_speed) << j;
      EXPECT_LT(once_more[j], 1.02 * held_out.least_squares.rms[j]) << j;
    }
  }
}

// Dry friction of its own in each direction is its mean and an offset.
TEST(WrittenModel, HasDryFrictionThatDiffersByDirection) {
  const Robot start = unknown(test::arm("ur5"));
  const Mechanism model = make_mechanism(start);
  LogOfArm log = log_of(start, {.duration = 25.0});
  for (std::size_t j = 0; j < log.n; ++j) add_to_torque(log, j, [&](double v) { return v > 0.0 ? 2.0 : -1.0; });
  const Identification found = identify(model, log.data, {.friction = {JointFriction::asymmetric}});
  const PhysicalFit fit = fit_physical(model, found);
  const Robot written = read_back(with_parameters(start, fit.parameters, fit.stribeck_speeds));
  for (const int j : written.moving_joints()) {
    EXPECT_NEAR(written.joints[index(j)].drive.coulomb, 1.5, 1e-3) << j;
    EXPECT_NEAR(written.joints[index(j)].drive.offset, 0.5, 1e-3) << j;
  }
}

// A kind that is asked for replaces the model's friction; what the kind leaves out is not in the file.
TEST(WrittenModel, LeavesOutWhatTheKindLeavesOut) {
  const Robot truth = rubbing("ur5");
  const Mechanism model = make_mechanism(truth);
  const LogOfArm log = noisy(truth, 3, 0.0);
  for (const auto& [kind, viscous, dry] : {std::tuple{JointFriction::none, false, false},
                                           {JointFriction::viscous, true, false},
                                           {JointFriction::coulomb, true, true}}) {
    const Identification found = identify(model, log.data, {.friction = {kind}});
    const PhysicalFit fit = fit_physical(model, found);
    const Robot written = with_parameters(truth, fit.parameters, fit.stribeck_speeds);
    for (const int j : written.moving_joints()) {
      const JointDrive& drive = written.joints[index(j)].drive;
      EXPECT_EQ(drive.viscous > 0.0, viscous) << j;
      EXPECT_EQ(drive.coulomb > 0.0, dry) << j;
      EXPECT_EQ(drive.stribeck, 0.0) << j;
    }
    for (std::size_t j = 0; j < log.n; ++j) EXPECT_EQ(found.friction[j].kind, kind);
  }
  // By itself the fit finds the model's own numbers.
  const Identification found = identify(model, log.data);
  const PhysicalFit fit = fit_physical(model, found);
  const Values theta = standard_parameters(model);
  for (std::size_t k = 0; k < theta.size(); ++k)
    if (k % parameters_per_joint == 12 || k % parameters_per_joint == 15) {
      EXPECT_NEAR(fit.parameters[k], theta[k], 2e-2 * (0.1 + std::abs(theta[k]))) << k;
    }
  for (const Estimate& own : found.estimates)
    EXPECT_NEAR(own.value, own.parameter.nominal, 1e-6 * (1.0 + std::abs(own.parameter.nominal))) << own.parameter.text;
}

// A spring and an offset are one constant: the offset stays the model's, the rest position moves.
TEST(WrittenModel, KeepsSpringsBesideOffsets) {
  Robot robot = rubbing("ur5");
  const std::vector<int> moving = robot.moving_joints();
  JointDrive& sprung = robot.joints[index(moving[2])].drive;
  sprung.spring = 12.0, sprung.spring_rest = -0.4;
  const LogOfArm log = noisy(robot, 4, 0.0);
  sprung.spring = 9.0, sprung.spring_rest = 0.0;
  const Mechanism model = make_mechanism(robot);
  for (const bool offsets : {false, true}) {
    const Identification found = identify(model, log.data, {.offsets = offsets});
    const PhysicalFit fit = fit_physical(model, found);
    const Robot written = read_back(with_parameters(robot, fit.parameters, fit.stribeck_speeds));
    EXPECT_NEAR(written.joints[index(moving[2])].drive.spring, 12.0, 0.05);
    EXPECT_NEAR(written.joints[index(moving[2])].drive.spring_rest, -0.4, 0.01);
    for (std::size_t j = 0; j < log.n; ++j) EXPECT_LT(left(make_mechanism(written), log.data)[j], 0.05) << j;
  }
}

// Of one link and its drive alone, and where the motion does not show all.
TEST(WrittenModel, FitsPartsToo) {
  const Robot truth = rubbing("ur5");
  Robot wrong = truth;
  const int elbow = wrong.moving_joints()[2];
  wrong.joints[index(elbow)].drive.stribeck *= 0.5, wrong.joints[index(elbow)].drive.offset = 1.0;
  const Mechanism model = make_mechanism(wrong);
  const LogOfArm log = noisy(truth, 5, 0.0);
  const int link = model.frames[index(wrong.joints[index(elbow)].child)].link;
  for (const IdentificationOptions& options :
       {IdentificationOptions{.only = {static_cast<int>(model.link(link).q)}}, IdentificationOptions{.subset = true}}) {
    const PhysicalFit fit = fit_physical(model, identify(model, log.data, options));
    const Robot written = with_parameters(wrong, fit.parameters, fit.stribeck_speeds);
    const JointDrive& own = written.joints[index(elbow)].drive;
    EXPECT_NEAR(own.stribeck, truth.joints[index(elbow)].drive.stribeck, 0.01);
    EXPECT_NEAR(own.offset, truth.joints[index(elbow)].drive.offset, 0.01);
    EXPECT_EQ(own.stribeck_speed, truth.joints[index(elbow)].drive.stribeck_speed);
  }
}

}  // namespace
}  // namespace catena::test::written_model_test

// What is fitted beside base parameters: friction, offsets, loads, gains, some links alone, estimates along a log.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "catena/changes.hpp"
#include "catena/identify.hpp"
#include "catena/model/parameters.hpp"
#include "catena/validate.hpp"
#include "support/simulated_log.hpp"

namespace catena::test::fit_test {
namespace {

Robot with_friction(const std::string& name, double viscous = 0.4, double dry = 1.5) {
  Robot robot = arm(name);
  for (JointDescription& joint : robot.joints) joint.drive.viscous = viscous, joint.drive.coulomb = dry;
  return robot;
}

const Estimate& estimate(const std::vector<Estimate>& all, const std::string& text) {
  for (const Estimate& own : all)
    if (own.parameter.text.starts_with(text)) return own;
  throw std::out_of_range(text);
}

TEST(FrictionFit, CurvesAreThoseOfTheDocuments) {
  FrictionCurve curve{JointFriction::coulomb, 0.5, 2.0, 0.7, 3.0, 0.0, 0.25, 9.0};
  const auto expect = [&](JointFriction kind, double excess, double forth, double back) {
    curve.kind = kind, curve.excess = excess;
    EXPECT_NEAR(curve.at(0.2), forth, 1e-15) << name_of(kind);
    EXPECT_NEAR(curve.at(-0.2), back, 1e-15) << name_of(kind);
    EXPECT_EQ(curve.at(0.0), 0.0) << name_of(kind);
  };
  using enum JointFriction;
  expect(asymmetric, 0.0, 0.5 * 0.2 + 2.0, -0.7 * 0.2 - 3.0);
  curve.viscous_back = 0.5, curve.coulomb_back = 2.0;
  const double more = 1.5 * std::exp(-0.64), dry = 2.0 * std::tanh(0.8);
  expect(coulomb, 0.0, 0.5 * 0.2 + 2.0, -0.5 * 0.2 - 2.0);
  expect(stribeck, 1.5, 0.5 * 0.2 + 2.0 + more, -0.5 * 0.2 - 2.0 - more);
  expect(tanh, 0.0, 0.5 * 0.2 + dry, -0.5 * 0.2 - dry);
}

TEST(FrictionFit, IsRightAlthoughAThirdOfTheRowsStandStill) {
  for (const std::string& name : six_arms()) {
    SCOPED_TRACE(name);
    LogOfArm log = log_of(with_friction(name, 4.0, 8.0), {.rest = 1.0 / 3.0});
    Random random(5);
    add_noise(log, 0.01, 0.02, random);
    for (double& speed : log.data.qd) speed += 2e-4 * normal(random);  // of an encoder, differentiated
    const Identification with_rest = identify(log.robot, log.data, {.weights_from_residuals = true});
    leave_out_rest(log, 1e-3);
    const Identification found = identify(log.robot, log.data, {.weights_from_residuals = true});
    double lowest = 8.0;
    for (std::size_t j = 0; j < log.n; ++j) {
      EXPECT_NEAR(found.friction[j].coulomb, 8.0, 0.05 * 8.0) << j;
      EXPECT_NEAR(found.friction[j].viscous, 4.0, 0.05 * 4.0) << j;
      lowest = std::min(lowest, with_rest.friction[j].coulomb);
    }
    EXPECT_LT(lowest, 7.5);  // where rest is taken for motion, friction comes out low
  }
}

// The curves of pictures are the numbers of the fit: residuals, and friction as it was put in.
TEST(FrictionFit, ComparedTorquesAreThoseOfTheFit) {
  LogOfArm log = log_of(with_friction("ur5", 4.0, 8.0), {.rest = 0.2});
  Random random(9);
  add_noise(log, 0.01, 0.02, random);
  const Identification found = identify(log.robot, log.data, {.offsets = true});
  const PhysicalFit fit = fit_physical(log.robot, found);
  const ComparedTorques all = compare_torques(log.robot, found, &fit, log.data);
  ASSERT_EQ(all.measured.size(), found.samples * log.n);
  for (std::size_t j = 0; j < log.n; ++j) {
    double left = 0.0, possible = 0.0;
    for (std::size_t at = j; at < all.measured.size(); at += log.n) {
      left += std::pow(all.measured[at] - all.least_squares[at], 2);
      possible += std::pow(all.measured[at] - all.physical[at], 2);
      EXPECT_NEAR(all.friction[at], found.friction[j].at(all.speed[at]), 1e-9) << at;
    }
    const auto rows = static_cast<double>(found.samples);
    EXPECT_NEAR(std::sqrt(left / rows) / found.residuals[j], 1.0, 1e-9) << j;
    EXPECT_NEAR(std::sqrt(possible / rows) / fit.residuals[j], 1.0, 1e-9) << j;
  }
  // Filtered: whatever stands in rows that do not count shows nowhere, and the level of the others is kept.
  leave_out_rest(log, 1e-3);
  LogOfArm spoiled = log;
  for (std::size_t k = 0; k < log.data.tau.size(); ++k)
    if (!log.data.used[k]) spoiled.data.tau[k] = 1e9;
  const IdentificationOptions options{.cutoff = 8.0, .decimate = 2};
  const Identification filtered = identify(log.robot, log.data, options);
  const ComparedTorques clean = compare_torques(log.robot, filtered, nullptr, log.data),
                        other = compare_torques(log.robot, identify(log.robot, spoiled.data, options), nullptr,
                                                spoiled.data);
  std::size_t gaps = 0, counted = 0;
  for (std::size_t at = 0; at < clean.measured.size(); ++at) {
    gaps += std::isnan(clean.measured[at]) ? 1U : 0U, counted += clean.used[at];
    if (clean.used[at] == 0) continue;
    EXPECT_EQ(clean.measured[at], other.measured[at]);
    EXPECT_NEAR(clean.measured[at], clean.least_squares[at], 8.0 * filtered.residuals[at % log.n]) << at;
  }
  EXPECT_GT(gaps, 0U);
  EXPECT_GT(counted, clean.used.size() / 2);
}

TEST(FrictionFit, CrossValidationFindsTheKind) {
  const LogOfArm exact = log_of(with_friction("ur5", 0.5, 0.0), {.duration = 30.0});
  using enum JointFriction;
  LogOfArm log = exact;
  const auto sign = [](double v) { return v > 0.0 ? 1.0 : -1.0; };
  add_to_torque(log, 1, [&](double v) { return 2.0 * sign(v); });
  add_to_torque(log, 2, [&](double v) { return sign(v) * (2.0 + 3.0 * std::exp(-(v / 0.15) * (v / 0.15))); });
  add_to_torque(log, 3, [&](double v) { return 3.0 * std::tanh(v / 0.3); });
  add_to_torque(log, 4, [&](double v) { return v > 0.0 ? 1.0 * v + 3.0 : -1.0; });
  Random random(3);
  add_noise(log, 0.02, 0.02, random);
  const Identification found =
      identify(log.robot, log.data, {.weights_from_residuals = true, .friction = {best}, .offsets = false});
  EXPECT_EQ(found.friction[0].kind, viscous);
  EXPECT_EQ(found.friction[1].kind, coulomb);
  EXPECT_EQ(found.friction[2].kind, stribeck);
  EXPECT_EQ(found.friction[3].kind, tanh);
  EXPECT_EQ(found.friction[4].kind, asymmetric);
  EXPECT_NEAR(found.friction[2].excess, 3.0, 0.5);
  EXPECT_NEAR(found.friction[2].width, 0.15, 0.02);
  EXPECT_NEAR(found.friction[3].width, 0.3, 0.06);
  EXPECT_NEAR(found.friction[3].coulomb, 3.0, 0.3);
  EXPECT_NEAR(found.friction[4].coulomb, 3.0, 0.3);
  EXPECT_NEAR(found.friction[4].viscous, 1.5, 0.3);
  EXPECT_NEAR(found.friction[4].coulomb_back, 1.0, 0.3);
  const Estimate& width = estimate(found.estimates, "speed of friction 3");
  EXPECT_LT(width.lower, 0.15);
  EXPECT_GT(width.upper, 0.15);
  // Of tanh the file has viscous and dry friction, near the curve at the speeds of the log; Stribeck's curve it has.
  const PhysicalFit fit = fit_physical(log.robot, found);
  for (std::size_t j = 0; j < 6; ++j) EXPECT_LT(fit.residuals[j], 1.02 * found.residuals[j]) << j;
  for (std::size_t j = 0; j < 3; ++j) EXPECT_LT(fit.written.rms[j], 1.02 * found.residuals[j]) << j;
  EXPECT_GT(fit.written.rms[3], found.residuals[3]);
  EXPECT_GT(fit.written.explained[3], 0.9);
}

// A joint that goes back in one fold alone: without that fold nothing tells its friction from an offset.
TEST(FrictionFit, FoldsThatDoNotShowAParameterKeepIt) {
  LogOfArm log = log_of(with_friction("planar2r"), {.duration = 12.0});
  const std::size_t third = log.data.q.size() / 3;
  for (std::size_t k = 0; k < log.data.q.size(); k += 2)
    if ((log.data.qd[k] > 0.0) != (k > third)) log.data.qd[k] *= -1.0;
  Call<double> inverse(log.robot, "inverse");
  for (std::size_t k = 0; k < log.data.q.size(); k += 2) {
    const auto at = [&](std::vector<double>& v) { return std::span(v).subspan(k, 2); };
    inverse({.q = at(log.data.q), .qd = at(log.data.qd), .qdd = at(log.data.qdd)}, at(log.data.tau));
  }
  Random random(14);
  add_noise(log, 0.01, 0.02, random);
  const Identification found = identify(log.robot, log.data, {.offsets = true, .folds = 3});
  for (const double share : cross_validate(log.robot, found, nullptr).least_squares.explained) EXPECT_GT(share, 0.99);
}

// Whatever is asked for together: an offset beside friction that has one of its own is left to that, by name.
TEST(FrictionFit, EveryKindGoesWithEveryOption) {
  for (const std::string name : {"ur5", "stanford"}) {
    LogOfArm log = log_of(with_friction(name), {.duration = 12.0, .rate = 30.0, .fastest = 2.5});
    const std::size_t n = log.n;
    for (std::size_t j = 0; j < n; ++j) add_to_torque(log, j, [](double v) { return v > 0.0 ? 0.7 * v + 1.0 : 0.2; });
    Random random(13);
    add_noise(log, 0.01, 0.02, random);
    using enum JointFriction;
    std::vector<JointFriction> mixed(n, coulomb);
    mixed[1] = asymmetric, mixed[2] = stribeck, mixed[3] = best, mixed[4] = none;
    for (const std::vector<JointFriction>& kinds :
         {std::vector{none}, {viscous}, {coulomb}, {tanh}, {stribeck}, {asymmetric}, {best}, mixed}) {
      const bool simple = kinds.size() == 1 && (kinds[0] == none || kinds[0] == viscous || kinds[0] == coulomb);
      if (name != "ur5" && kinds.size() == 1 && kinds[0] != best) continue;
      for (int bits = 0; bits < 16; bits += simple ? 5 : 1) {
        IdentificationOptions options{.weights_from_residuals = true, .friction = kinds, .threads = 1};
        options.offsets = (bits & 1) != 0, options.subset = (bits & 2) != 0;
        if ((bits & 4) != 0) options.only = {1, 2};
        if ((bits & 8) != 0) options.folds = (bits & 1) != 0 ? 3 : 2;
        SCOPED_TRACE(name + " " + std::string(name_of(kinds[0])) + " " + std::to_string(bits));
        const Identification found = identify(log.robot, log.data, options);
        if (bits % 5 == 0) {
          for (const double left : fit_physical(log.robot, found).residuals) ASSERT_TRUE(std::isfinite(left));
        }
        if (options.folds > 0) {
          EXPECT_EQ(cross_validate(log.robot, found, nullptr).least_squares.rms.size(), n);
        }
        for (std::size_t j = 0; j < n; ++j) {
          const bool fitted = options.only.empty() || j == 1 || j == 2;
          if (!fitted || found.friction[j].kind != asymmetric) continue;
          EXPECT_EQ(found.friction[j].offset, 0.0);
          const bool held = std::any_of(found.held.begin(), found.held.end(), [&](const HeldParameter& own) {
            return own.parameter.text.starts_with("offset" + std::to_string(j + 1) + ",");
          });
          EXPECT_EQ(held, options.offsets);
        }
        for (const Estimate& own : found.estimates) ASSERT_TRUE(own.standard_error > 0.0) << own.parameter.text;
      }
    }
  }
}

TEST(FrictionFit, OffsetsAndNoFriction) {
  LogOfArm log = log_of(with_friction("panda", 0.0, 0.0));
  for (std::size_t j = 0; j < log.n; ++j)
    add_to_torque(log, j, [&](double) { return 0.1 * static_cast<double>(j + 1); });
  const Identification found = identify(log.robot, log.data, {.friction = {JointFriction::none}, .offsets = true});
  for (std::size_t j = 0; j < log.n; ++j)
    EXPECT_NEAR(found.friction[j].offset, 0.1 * static_cast<double>(j + 1), 1e-6) << j;
  for (const Estimate& own : found.estimates) EXPECT_FALSE(own.parameter.text.starts_with("fv")) << own.parameter.text;
}

TEST(PartialFit, FitsOneLinkWhereTheOthersAreKnown) {
  Robot heavier = arm("ur5");
  const LogOfArm known = log_of(heavier);
  for (LinkDescription& link : heavier.links)
    if (link.name == "forearm_link") link.inertial.mass *= 1.3;
  const LogOfArm log = log_of(heavier);
  const int link = known.robot.frames[index(known.robot.frame_index("forearm_link"))].link;
  const int joint = known.robot.link(link).q;
  const Identification found = identify(known.robot, log.data, {.only = {joint}});
  for (const Estimate& own : found.estimates)
    for (const ParameterTerm& term : own.parameter.terms) EXPECT_EQ(term.parameter / parameters_per_joint, joint);
  const PhysicalFit fit = fit_physical(known.robot, found);
  const std::vector<double> truth = standard_parameters(log.robot), nominal = standard_parameters(known.robot);
  for (std::size_t k = 0; k < truth.size(); ++k)
    if (static_cast<int>(k) / parameters_per_joint != joint) {
      EXPECT_EQ(fit.parameters[k], nominal[k]) << k;
    }
  for (std::size_t j = 0; j < 6; ++j) EXPECT_LT(found.residuals[j], 1e-6);
}

TEST(PartialFit, SubsetHoldsAndNamesWhatTheMotionDoesNotShow) {
  // What stands still is part of the link before: on the Panda, with a mass that is not on its axis.
  for (const auto& [name, still] : {std::pair{"ur5", std::vector<std::size_t>{5}}, {"panda", {6}}, {"panda", {3, 6}}}) {
    SCOPED_TRACE(name + std::to_string(still.size()));
    LogOfArm log = log_of(with_friction(name));
    const std::size_t n = log.n;
    Call<double> inverse(log.robot, "inverse");
    for (std::size_t k = 0; k < log.data.q.size(); k += n) {
      for (const std::size_t j : still) log.data.q[k + j] = log.data.qd[k + j] = log.data.qdd[k + j] = 0.0;
      const auto at = [&](std::vector<double>& v) { return std::span(v).subspan(k, n); };
      inverse({.q = at(log.data.q), .qd = at(log.data.qd), .qdd = at(log.data.qdd)}, at(log.data.tau));
    }
    EXPECT_THROW(identify(log.robot, log.data), std::domain_error);
    const Identification found = identify(log.robot, log.data, {.subset = true});
    ASSERT_FALSE(found.held.empty());
    for (const std::size_t j : still)
      EXPECT_TRUE(std::any_of(found.held.begin(), found.held.end(), [&](const HeldParameter& own) {
        return own.parameter.text == "fv" + std::to_string(j + 1);
      }));
    EXPECT_LT(found.condition, 1e3);
    for (const Estimate& own : found.estimates)
      EXPECT_NEAR(own.value, own.parameter.nominal, 1e-5 * (1.0 + std::abs(own.parameter.nominal)))
          << own.parameter.text;
    const PhysicalFit fit = fit_physical(log.robot, found);
    for (std::size_t j = 0; j < n; ++j) EXPECT_LT(fit.residuals[j], 0.02) << j;
  }
}

TEST(PayloadFit, FindsAWeighedLoad) {
  const Inertial load{2.5, {0.01, -0.02, 0.08}, {0.008, 0.009, 0.004, 0.0, 0.001, 0.0}};
  for (const std::string name : {"panda", "ur5", "puma560", "stanford", "iiwa14"}) {
    SCOPED_TRACE(name);
    const Robot robot = with_friction(name);
    const Mechanism alone = make_mechanism(robot);
    LogOfArm log = log_of(add_payload(robot, "", load), {.duration = 30.0});
    Random random(9);
    add_noise(log, 0.02, 0.02, random);
    for (const bool known : {false, true}) {
      PayloadOptions options;
      options.fit.weights_from_residuals = true;
      if (known) options.mass = 2.5;
      const PayloadFit fit = identify_payload(alone, log.data, alone.tool, options);
      EXPECT_NEAR(fit.body.mass, 2.5, known ? 0.0 : 0.025);
      EXPECT_NEAR(fit.body.com.x, 0.01, 0.002);
      EXPECT_NEAR(fit.body.com.y, -0.02, 0.002);
      EXPECT_NEAR(fit.body.com.z, 0.08, 0.002);
      EXPECT_NEAR(fit.centre[2].value, 0.08, 5.0 * fit.centre[2].standard_error + 1e-6);
      EXPECT_TRUE(validate(add_payload(robot, "", fit.body)).ok());
      EXPECT_GT(fit.without.rms[1], fit.least_squares.rms[1]);
    }
    PayloadOptions bounded;
    bounded.bounds = {.least_mass = 1.0, .most_mass = 2.0};
    EXPECT_NEAR(identify_payload(alone, log.data, alone.tool, bounded).body.mass, 2.0, 1e-3);
    bounded.bounds = {.least_mass = 3.0, .most_mass = 5.0};
    EXPECT_NEAR(identify_payload(alone, log.data, alone.tool, bounded).body.mass, 3.0, 1e-3);
  }
}

// Without noise all ten parameters come out, also at a frame that stands away from its link's.
TEST(PayloadFit, IsExactWithoutNoise) {
  const Inertial load{2.5, {0.01, -0.02, 0.08}, {0.008, 0.009, 0.004, 0.0005, 0.001, -0.0003}};
  Robot robot = with_friction("panda");
  const int last = robot.joints[index(robot.moving_joints().back())].child;
  robot.add_frame("aside", last, {rotation_about({0.6, 0.0, 0.8}, 0.7), {0.1, -0.2, 0.3}});
  const Mechanism alone = make_mechanism(robot);
  ASSERT_GT(alone.frames[index(alone.tool)].in_link.p.z, 0.05);
  const Sym3<double> J = load.inertia + load.mass * steiner(load.com);
  const double truth[] = {2.5, 0.025, -0.05, 0.2, J.xx, J.yy, J.zz, J.xy, J.xz, J.yz};
  for (const std::string name : {"", "aside"}) {
    const LogOfArm log = log_of(add_payload(robot, name, load));
    const PayloadFit fit = identify_payload(alone, log.data, name.empty() ? alone.tool : alone.frame_index(name));
    ASSERT_EQ(fit.estimates.size(), 10U);
    for (std::size_t k = 0; k < 10; ++k)
      EXPECT_NEAR(fit.estimates[k].value, truth[k], 1e-9) << name << fit.estimates[k].parameter.text;
    EXPECT_NEAR(fit.body.inertia.xy, load.inertia.xy, 1e-4);
  }
}

// In a plane a load shows its mass, where it is there, and one moment of inertia; of its height nothing is known.
TEST(PayloadFit, SaysWhatIsNotShown) {
  constexpr double none = std::numeric_limits<double>::infinity();
  const Inertial load{2.5, {0.1, -0.02, 0.0}, {0.008, 0.009, 0.004, 0.0, 0.0, 0.0}};
  const Robot robot = with_friction("planar2r");
  const Mechanism alone = make_mechanism(robot);
  const PayloadFit fit = identify_payload(alone, log_of(add_payload(robot, "", load)).data, alone.tool);
  EXPECT_EQ(fit.estimates.size(), 4U);
  EXPECT_NEAR(fit.estimates[0].value, 2.5, 1e-9);
  EXPECT_NEAR(fit.centre[0].value, 0.1, 1e-9);
  EXPECT_NEAR(fit.centre[1].value, -0.02, 1e-9);
  EXPECT_EQ(fit.centre[2].standard_error, none);
  EXPECT_EQ(fit.centre[2].lower, -none);
  EXPECT_EQ(fit.centre[2].upper, none);
}

TEST(DriveGains, FromARunWithAndOneWithoutAWeighedLoad) {
  const Inertial load{4.0, {0.0, 0.0, 0.1}, {0.01, 0.01, 0.01, 0.0, 0.0, 0.0}};
  for (const std::string name : {"ur5", "puma560", "panda"}) {
    SCOPED_TRACE(name);
    const Robot robot = with_friction(name);
    LogOfArm without = log_of(robot, {.duration = 40.0, .fastest = 2.5}),
             with = log_of(add_payload(robot, "", load), {.duration = 40.0, .fastest = 2.5});
    std::vector<double> theta = standard_parameters(with.robot);
    const std::vector<double> own = standard_parameters(without.robot);
    for (std::size_t k = 0; k < theta.size(); ++k) theta[k] -= own[k];
    Random random(4);
    std::vector<double> gains;
    for (std::size_t j = 0; j < with.n; ++j) gains.push_back(random.between(5.0, 15.0));
    for (LogOfArm* log : {&without, &with}) {
      add_noise(*log, 0.005, 0.01, random);
      for (std::size_t k = 0; k < log->data.tau.size(); ++k) log->data.tau[k] /= gains[k % log->n];
    }
    const Identification found = identify_gains(without.robot, without.data, with.data, theta);
    for (std::size_t j = 0; j < with.n; ++j) {
      EXPECT_NEAR(found.gains[j].value / gains[j], 1.0, 0.01) << j;
      EXPECT_NEAR(found.gains[j].value, gains[j], 5.0 * found.gains[j].standard_error) << j;
      const Estimate& gain = found.gains[j];
      EXPECT_NEAR(gain.upper - gain.value, gain.value - gain.lower, 1e-9 * gain.value) << j;
      EXPECT_NEAR((gain.upper - gain.value) / gain.standard_error, 2.0, 0.2) << j;
    }
  }
}

// A load on the last axis, which that joint does not feel.
TEST(DriveGains, NamesAJointThatDoesNotFeelTheLoad) {
  const Inertial load{4.0, {0.0, 0.0, 0.1}, {}};
  const Robot robot = with_friction("ur5");
  LogOfArm without = log_of(robot), with = log_of(add_payload(robot, "", load));
  std::vector<double> theta = standard_parameters(with.robot);
  const std::vector<double> own = standard_parameters(without.robot);
  for (std::size_t k = 0; k < theta.size(); ++k) theta[k] -= own[k];
  Random random(4);
  add_noise(without, 0.005, 0.01, random), add_noise(with, 0.005, 0.01, random);
  try {
    identify_gains(without.robot, without.data, with.data, theta);
    ADD_FAILURE();
  } catch (const std::domain_error& error) {
    EXPECT_EQ(std::string(error.what()).find("the load does not affect the current of 'wrist_3_joint': the gain"), 0U)
        << error.what();
  }
}

TEST(OnlineFit, EndsWhereTheBatchEndsAndFollowsAChange) {
  LogOfArm log = log_of(with_friction("ur5"));
  Random random(8);
  add_noise(log, 0.01, 0.0, random);
  const std::size_t n = log.n;
  RecursiveIdentification all(log.robot), forgetful(log.robot, true, std::exp(-1.0 / 300.0));
  for (std::size_t k = 0; k < log.data.q.size(); k += n) {
    if (k > log.data.q.size() / 2) log.data.tau[k + 1] += log.data.qd[k + 1] > 0.0 ? 2.0 : -2.0;  // friction grows
    const auto at = [&](const std::vector<double>& v) { return std::span(v).subspan(k, n); };
    all.add(at(log.data.q), at(log.data.qd), at(log.data.qdd), at(log.data.tau));
    forgetful.add(at(log.data.q), at(log.data.qd), at(log.data.qdd), at(log.data.tau));
  }
  const Identification batch = identify(log.robot, log.data);
  for (std::size_t k = 0; k < batch.estimates.size(); ++k) {
    EXPECT_NEAR(all.values()[k], batch.estimates[k].value, 1e-3 * batch.estimates[k].standard_error + 1e-6) << k;
    if (batch.estimates[k].parameter.text == "fc2") {
      EXPECT_NEAR(forgetful.values()[k], 3.5, 0.3);
      EXPECT_LT(all.values()[k], 3.0);
    }
  }
  EXPECT_THROW(RecursiveIdentification(log.robot, true, 1.5), std::invalid_argument);
}

}  // namespace
}  // namespace catena::test::fit_test

// Elastic joints: closed forms, energies, the limit of stiff joints, feed-forward, every job by every formulation.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <map>

#include "catena/call.hpp"
#include "catena/changes.hpp"
#include "catena/compile.hpp"
#include "catena/control.hpp"
#include "catena/elastic.hpp"
#include "catena/robot_file.hpp"
#include "catena/simulation.hpp"
#include "catena/trajectory.hpp"
#include "catena/validate.hpp"
#include "support/formulations.hpp"
#include "support/nightly.hpp"
#include "support/random_robot.hpp"
#include "support/runs.hpp"
#include "support/same_robot.hpp"
#include "support/tolerances.hpp"

namespace catena::test::elastic_test {
namespace {

constexpr double inertia = 0.8, rotor = 2e-4, ratio = 50.0, reflected = rotor * ratio * ratio, stiffness = 300.0;

// A wheel behind a spring, without gravity.
Robot wheel(double damping = 0.0) {
  Robot robot;
  robot.name = "wheel";
  robot.gravity = {};
  robot.add_link("base");
  JointDescription joint;
  joint.name = "hub";
  joint.parent = 0;
  joint.child = robot.add_link("rim", {2.0, {}, {inertia, inertia, inertia}});
  joint.drive.rotor_inertia = rotor;
  joint.drive.gear_ratio = ratio;
  joint.elastic = {stiffness, damping};
  robot.add_joint(joint);
  return robot;
}

// Links of some mass each on joints about alternating axes; every joint elastic.
Robot arm(int joints, double softness = 1.0, bool full = false, double damping = 0.0) {
  Robot robot;
  robot.name = "arm";
  robot.add_link("base");
  for (int k = 0; k < joints; ++k) {
    const double length = 2.0 / joints, mass = 6.0 / joints;
    JointDescription joint;
    joint.name = "j" + std::to_string(k + 1);
    joint.parent = k;
    const double across = mass * length * length / 12 + 0.02 / joints;
    joint.child =
        robot.add_link("l" + std::to_string(k + 1), {mass, {0.5 * length, 0.0, 0.0}, {0.02 / joints, across, across}});
    joint.axis = k % 2 == 0 ? Vec3<double>{0.0, 1.0, 0.0} : Vec3<double>{0.0, 0.0, 1.0};
    joint.origin.p = {k == 0 ? 0.0 : length, 0.0, 0.0};
    joint.drive.rotor_inertia = 1e-4 / joints;
    joint.drive.gear_ratio = 60.0 + k;
    joint.elastic = {3000.0 / softness, damping, full};
    robot.add_joint(joint);
  }
  return robot;
}

std::string complaint(const Robot& robot) {
  try {
    with_motors(robot);
  } catch (const ModelError& error) {
    return error.what();
  }
  return "";
}

// Two masses on a spring turn about their common centre, and their twist swings by K (1/I + 1/B).
TEST(Elastic, ALinkIsTwoMassesOnASpring) {
  for (const double damping : {0.0, 1.5}) {
    SCOPED_TRACE(damping);
    const Mechanism robot = make_mechanism(wheel(damping));
    ASSERT_EQ(robot.nv(), 2);
    EXPECT_EQ(coordinate_names(robot), (std::vector<std::string>{"hub", "hub_motor"}));
    const double both = 1.0 / inertia + 1.0 / reflected;
    const std::complex<double> swing = std::sqrt(
                                   std::complex<double>(damping * damping * both * both / 4.0 - stiffness * both)),
                               pole = -0.5 * damping * both + swing;
    const StateSpace model = Linearization(robot).under(Values{0.1, 0.2}, Values{0.0, 0.0}, Values{0.0, 0.0});
    int found = 0, still = 0;
    for (const std::complex<double>& p : eigenvalues(model.A)) {
      found += std::abs(p - pole) < 1e-8 || std::abs(p - std::conj(pole)) < 1e-8;
      still += std::abs(p) < 1e-6;
    }
    EXPECT_EQ(found, 2);
    EXPECT_EQ(still, 2);
    Simulation simulation(robot, zero_torque(), tight(1e-11));
    const double q = 0.3, theta = -0.1, drift = 0.4;  // at the start both turn by the same speed
    const SimulationResult result = simulation.run(Values{q, theta}, Values{drift, drift}, grid(0.6, 60));
    ASSERT_TRUE(result.complete) << result.ended_by;
    for (const Sample& s : result.samples) {
      const std::complex<double> other = std::conj(pole);
      const std::complex<double> decays =
          (other * std::exp(pole * s.t) - pole * std::exp(other * s.t)) / (other - pole);
      const double twist = (q - theta) * decays.real();
      const double centre = (inertia * q + reflected * theta) / (inertia + reflected) + drift * s.t;
      EXPECT_NEAR(s.q[0], centre + reflected / (inertia + reflected) * twist, 1e-8);
      EXPECT_NEAR(s.q[1], centre - inertia / (inertia + reflected) * twist, 1e-8);
    }
  }
}

// What is whose: friction, offset, rotor and effort are the motor's, springs and stops the link's.
TEST(Elastic, PartsGoToTheirSides) {
  Robot robot = wheel(0.7);
  JointDescription& hub = robot.joints[0];
  hub.drive.viscous = 1.0, hub.drive.coulomb = 2.0, hub.drive.stribeck = 0.5, hub.drive.stribeck_speed = 0.1;
  hub.drive.offset = 3.0, hub.drive.spring = 4.0, hub.drive.spring_rest = 0.5;
  hub.limits = {-1.0, 2.0, 5.0, 60.0};
  const Robot split = with_motors(robot);
  const JointDescription &link = split.joints[0], &motor = split.joints[1], &twist = split.joints[2];
  EXPECT_TRUE(link.passive && !motor.passive && twist.is_coupled());
  EXPECT_EQ(link.drive.dry_friction() + link.drive.viscous + link.drive.offset + link.drive.rotor_inertia, 0.0);
  EXPECT_EQ(link.drive.spring, 4.0);
  EXPECT_EQ(motor.drive.dry_friction() + motor.drive.viscous + motor.drive.offset, 6.5);
  EXPECT_EQ(motor.drive.spring, 0.0);
  EXPECT_EQ(link.limits.upper, 2.0);
  EXPECT_EQ(link.limits.effort, JointLimits{}.effort);
  EXPECT_EQ(motor.limits.effort, 60.0);
  EXPECT_EQ(motor.limits.upper, JointLimits{}.upper);
  const double q = 0.3, theta = 0.1, qd = -1.0, thetad = 2.0, qdd = 0.5, thetadd = -0.8;
  const double force = stiffness * (q - theta) + 0.7 * (qd - thetad);
  const Values tau = result_of(make_mechanism(robot), "inverse",
                               {.q = Values{q, theta}, .qd = Values{qd, thetad}, .qdd = Values{qdd, thetadd}});
  EXPECT_NEAR(tau[0], inertia * qdd + 4.0 * (q - 0.5) + force, 1e-12);
  EXPECT_NEAR(tau[1], reflected * thetadd + 2.0 + 2.0 + 0.5 * std::exp(-400.0) + 3.0 - force, 1e-12);
  const Values stiff = result_of(make_mechanism(robot, {.stiff = true}), "inverse",
                                 {.q = Values{q}, .qd = Values{qd}, .qdd = Values{qdd}});
  EXPECT_NEAR(stiff[0], (inertia + reflected) * qdd - 3.0 - 0.5 * std::exp(-100.0) + 3.0 + 4.0 * (q - 0.5), 1e-12);
  EXPECT_EQ(make_mechanism(robot, {.rigid = true}).nv(), 1);
}

TEST(Elastic, ArmsKeepAccountOfEnergy) {
  for (const bool full : {false, true}) {
    SCOPED_TRACE(full);
    Robot robot = arm(10, 1.0, full, 0.5);
    for (JointDescription& joint : robot.joints) joint.drive.viscous = 0.3;
    const Mechanism mechanism = make_mechanism(robot);
    ASSERT_EQ(mechanism.nv(), 20);
    Random random(7);
    const State x = random_state(random, 20);
    Simulation simulation(mechanism, constant_torque(Values(20, 0.7)), tight(1e-11));
    const SimulationResult result = simulation.run(x.q, x.qd, grid(0.3, 20));
    ASSERT_TRUE(result.complete) << result.ended_by;
    EXPECT_LT(result.balance, 1e-8 * result.largest_energy);
    EXPECT_GT(result.samples.back().losses, 1.0);
  }
}

// Under one law of torques, the links of a robot whose springs are n times stiffer are n times nearer to the stiff one.
TEST(Elastic, JointsBecomeStiffByOneOverK) {
  const Values start{0.3, -0.4, 0.7};
  const Mechanism stiff = make_mechanism(arm(3), {.stiff = true});
  const Values held = result_of(stiff, "gravity", {.q = start});
  const auto law = [&](std::size_t first) {
    return TorqueLaw([held, first](double t, std::span<const double>, std::span<const double>, std::span<double> tau) {
      std::fill(tau.begin(), tau.end(), 0.0);
      for (std::size_t j = 0; j < 3; ++j)
        tau[first + j] = held[j] + (3.0 - static_cast<double>(j)) * std::pow(std::sin(4.0 * t), 4);
    });
  };
  const Values times = grid(0.7, 7);
  const SimulationResult reference = Simulation(stiff, law(0), tight(1e-11)).run(start, Values(3), times);
  ASSERT_TRUE(reference.complete) << reference.ended_by;
  std::vector<double> errors;
  for (const double softness : {0.25, 0.0625, 0.015625}) {
    const Robot robot = arm(3, softness);
    Values x = start;
    for (std::size_t j = 0; j < 3; ++j) x.push_back(start[j] + held[j] / robot.joints[j].elastic->stiffness);
    const SimulationResult result = Simulation(make_mechanism(robot), law(3), tight(1e-11)).run(x, Values(6), times);
    ASSERT_TRUE(result.complete) << result.ended_by;
    double worst = 0.0;
    for (std::size_t k = 0; k < times.size(); ++k)
      for (std::size_t j = 0; j < 3; ++j)
        worst = std::max(worst, std::abs(result.samples[k].q[j] - reference.samples[k].q[j]));
    errors.push_back(worst);
  }
  EXPECT_GT(errors.back(), 1e-7);
  for (std::size_t k = 1; k < errors.size(); ++k) EXPECT_NEAR(errors[k - 1] / errors[k], 4.0, 0.4) << errors[k];
}

// Derivatives of the torques against differences of inverse dynamics along a motion; trees, sliding and coupled joints.
TEST(Elastic, LinkTorquesHaveTheirRates) {
  for (const std::uint64_t seed : test::seeds(0, 12)) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Robot robot = random_robot(random, {.joints = 2 + static_cast<int>(seed % 5),
                                        .shape = seed % 2 ? Shape::tree : Shape::chain,
                                        .massless_links = false});
    if (seed % 3 == 0) couple_some(random, robot);
    for (JointDescription& joint : robot.joints) {
      if (!joint.moves()) continue;
      joint.drive = {0.4, 0.3, 1e-3, 20.0, random.between(0.0, 50.0), random.between(-1.0, 1.0)};
      if (!joint.is_coupled() && random.chance(0.7)) joint.elastic = {random.between(200.0, 2000.0), 0.0};
    }
    if (!has_elastic_joints(robot)) continue;
    ElasticInverse inverse(robot);
    const auto n = index(inverse.links().nv());
    std::vector<Values> c(7, Values(n));
    for (Values& of_power : c)
      for (double& value : of_power) value = random.between(-1.0, 1.0);
    const auto at = [&](double t, int derivative) {
      Values out(n);
      for (int p = derivative; p < 7; ++p) {
        double factor = std::pow(t, p - derivative);
        for (int d = 0; d < derivative; ++d) factor *= p - d;
        for (std::size_t j = 0; j < n; ++j) out[j] += factor * c[index(p)][j];
      }
      return out;
    };
    const auto torque = [&](double t) {
      return result_of(inverse.links(), "inverse", {.q = at(t, 0), .qd = at(t, 1), .qdd = at(t, 2)});
    };
    const double t = 0.3, h = 2e-3;
    Values tau(n), rate(n), second(n);
    inverse.link_torques({at(t, 0), at(t, 1), at(t, 2), at(t, 3), at(t, 4)}, tau, rate, second);
    const Values now = torque(t), a = torque(t + h), b = torque(t - h), a2 = torque(t + 2 * h), b2 = torque(t - 2 * h);
    Values slope(n), bend(n);
    for (std::size_t j = 0; j < n; ++j) {
      slope[j] = (8.0 * (a[j] - b[j]) - (a2[j] - b2[j])) / (12.0 * h);
      bend[j] = (16.0 * (a[j] + b[j]) - (a2[j] + b2[j]) - 30.0 * now[j]) / (12.0 * h * h);
    }
    EXPECT_TRUE(near(tau, now, relative(1e-12)));
    EXPECT_TRUE(near(rate, slope, std::max(largest(rate), largest(now)), relative(1e-6)));
    EXPECT_TRUE(near(second, bend, std::max(largest(second), largest(now)), relative(1e-5)));
  }
}

// The torques of feed-forward, as a function of time alone, keep the robot with its motors on the motion.
TEST(Elastic, FeedForwardMakesTheMotion) {
  Robot robot = arm(4, 2.0);
  for (JointDescription& joint : robot.joints) joint.drive.viscous = 0.8, joint.drive.offset = 0.2;
  robot.joints[2].elastic.reset();  // one joint is stiff
  const Trajectory motion =
      Trajectory::through(ProfileKind::septic, {{0.2, -0.3, 0.5, 0.1}, {0.9, 0.4, -0.6, 0.8}}, Values{0.0, 0.8});
  ElasticInverse inverse(robot);
  const std::size_t n = 4, all = index(inverse.motors().nv());
  ASSERT_EQ(all, 7U);
  std::vector<Values> links(5, Values(n)), motors(4, Values(all));
  const auto follow = [&](double t) {
    motion.at(t, links[0], links[1], links[2], links[3], links[4]);
    inverse({links[0], links[1], links[2], links[3], links[4]}, {motors[0], motors[1], motors[2], motors[3]});
  };
  follow(0.0);
  EXPECT_LT(largest(motors[1]), 1e-12);  // at rest at the start
  const Values start = motors[0];
  const TorqueLaw law = [&](double t, std::span<const double>, std::span<const double>, std::span<double> tau) {
    follow(t);
    std::copy(motors[3].begin(), motors[3].end(), tau.begin());
  };
  const SimulationResult result =
      Simulation(inverse.motors(), law, tight(1e-11)).run(start, Values(all), grid(0.8, 16));
  ASSERT_TRUE(result.complete) << result.ended_by;
  double bent = 0.0;
  for (const Sample& s : result.samples) {
    follow(s.t);
    EXPECT_TRUE(near(s.q, motors[0], 1.0, relative(1e-7))) << s.t;
    EXPECT_TRUE(near(s.qd, motors[1], 1.0, relative(1e-6))) << s.t;
    bent = std::max(bent, std::abs(s.q[0] - s.q[4]));
  }
  EXPECT_GT(bent, 1e-3);
  follow(0.37);  // and the link's equations hold by themselves
  const Values whole = result_of(inverse.motors(), "inverse", {.q = motors[0], .qd = motors[1], .qdd = motors[2]});
  for (const std::size_t link : {0U, 1U, 3U}) EXPECT_NEAR(whole[link], 0.0, 1e-10 * largest(whole));
}

// Full coupling takes rotors out of the link that carries them: one fits into this one, a second does not.
TEST(Elastic, ALinkCarriesNoMoreRotorsThanItHasInertia) {
  Robot robot = arm(2, 1.0, true);
  robot.joints[1].drive.rotor_inertia = 0.9 * robot.links[1].inertial.inertia.xx;
  EXPECT_TRUE(validate(robot).ok());
  JointDescription second = robot.joints[1];
  second.name = "beside";
  second.child = robot.add_link("l3", robot.links[2].inertial);
  second.axis = {1.0, 0.0, 0.0};
  robot.add_joint(second);
  const Findings findings = validate(robot);
  ASSERT_EQ(findings.errors.size(), 1U);
  EXPECT_NE(findings.errors[0].text.find("out of link 1 'l1', after that of 'j2', and the inertia"), std::string::npos)
      << findings.errors[0].text;
  robot.joints.back().elastic->full = false;
  EXPECT_TRUE(validate(robot).ok());
}

TEST(Elastic, FeedForwardRefusesWhatFourDerivativesDoNotSay) {
  const auto refused = [](const Robot& robot) {
    try {
      ElasticInverse inverse(robot);
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(refused(arm(2, 1.0, false, 0.1)).find("damping"), std::string::npos);
  EXPECT_NE(refused(arm(2, 1.0, true)).find("full coupling"), std::string::npos);
  EXPECT_EQ(refused(arm(1, 1.0, true)), "");  // its motor stands on the base
  EXPECT_NE(refused(with_stiff_joints(arm(2))).find("none of its joints"), std::string::npos);
  Robot passive = arm(2);
  passive.joints[1].elastic.reset(), passive.joints[1].passive = true;
  EXPECT_NE(refused(passive).find("passive"), std::string::npos);
}

// Every formulation of every job gives numbers, and those of one job the same, where its result is one matrix or
// vector that all of them define alike.
TEST(Elastic, EveryJobByEveryFormulation) {
  for (const int joints : {1, 7, 40}) {
    SCOPED_TRACE(joints);
    Robot robot = arm(joints, 1.0, joints == 7, 0.2);
    for (JointDescription& joint : robot.joints) joint.drive.viscous = 0.5, joint.drive.coulomb = 0.3;
    robot = add_payload(robot, "", {1.0, {0.05, 0.0, 0.02}, {0.01, 0.01, 0.01}});
    if (joints > 1) robot = lock_joints(robot, {{"j2", 0.4}});
    const Mechanism mechanism = make_mechanism(robot);
    const int moving = joints > 1 ? joints - 1 : 1;
    ASSERT_EQ(mechanism.nv(), 2 * moving);
    Random random(static_cast<std::uint64_t>(joints));
    State x = random_state(random, mechanism.nv());
    const Values tau = random_state(random, mechanism.nv()).q;
    const std::vector<ExternalWrench<double>> push{{mechanism.tool, {3.0, -2.0, 1.0}, {0.2, 0.1, -0.3}}};
    int compared = 0;
    for (const JobInfo& job : jobs()) {
      if (job.name == "loop_forces") continue;
      std::map<std::string, Values> results;
      for (const std::string_view method : names_of(job.name)) {
        Inputs<double> in{.q = x.q, .qd = x.qd, .qdd = x.qdd, .tau = tau};
        if (job.feels_wrenches()) in.wrenches = push;
        Values out;
        try {
          out = result_of(mechanism, job.name, in, method);
        } catch (const std::invalid_argument&) {
          continue;  // a formulation for plain chains only
        }
        for (const double value : out) ASSERT_TRUE(std::isfinite(value)) << method << " of " << job.name;
        results.emplace(std::string(method), out);
      }
      if (job.name == "coriolis" || job.name == "factor") continue;  // not one alone is right
      for (const auto& [method, out] : results) {
        EXPECT_TRUE(near(out, results.begin()->second, relative(1e-7))) << method << " of " << job.name;
        ++compared;
      }
    }
    EXPECT_GT(compared, test::sampled(40));
  }
}

TEST(Elastic, CompiledCodeAgrees) {
  const Mechanism mechanism = make_mechanism(arm(3, 1.0, true, 0.4));
  Random random(3);
  const State x = random_state(random, mechanism.nv());
  const Values tau = random_state(random, mechanism.nv()).q;
  for (const char* job : {"inverse", "forward", "linearize"}) {
    Call<double> compiled = compile_or_generic(mechanism, job);
    const Inputs<double> in{.q = x.q, .qd = x.qd, .qdd = x.qdd, .tau = tau};
    Values out(compiled.size());
    compiled(in, out);
    EXPECT_TRUE(near(out, result_of(mechanism, job, in), relative(1e-9))) << job;
  }
}

TEST(Elastic, GoesWithItsJointAndIntoFiles) {
  Robot robot = arm(3, 1.0, false, 0.25);
  robot.joints[1].elastic->full = true;
  EXPECT_FALSE(lock_joints(robot, {{"j2", 0.2}}).joints[1].elastic);
  EXPECT_FALSE(has_elastic_joints(only_links(robot, {"l2"})));
  const auto check = [&](const Robot& read) {
    for (std::size_t k = 0; k < 3; ++k) {
      ASSERT_TRUE(read.joints[k].elastic) << k;
      EXPECT_EQ(read.joints[k].elastic->stiffness, robot.joints[k].elastic->stiffness);
      EXPECT_EQ(read.joints[k].elastic->damping, 0.25);
      EXPECT_EQ(read.joints[k].elastic->full, k == 1);
    }
    EXPECT_EQ(read.dof(), 3);
  };
  check(parse_toml(to_toml(robot), "arm.toml"));
  check(parse_urdf(to_urdf(robot), "arm.urdf"));
  check(parse_robot(to_mjcf(robot), "arm.xml"));
}

TEST(Elastic, RulesAreSaidInOneLine) {
  const auto changed = [](const auto& change) {
    Robot robot = arm(2);
    change(robot.joints[1]);
    return complaint(robot);
  };
  EXPECT_EQ(complaint(arm(2)), "");
  EXPECT_NE(changed([](JointDescription& j) { j.elastic->stiffness = 0.0; }).find("stiffness 0 must be positive"),
            std::string::npos);
  EXPECT_NE(changed([](JointDescription& j) { j.elastic->damping = -1.0; }).find("must not be negative"),
            std::string::npos);
  EXPECT_NE(changed([](JointDescription& j) { j.drive.rotor_inertia = 0.0; }).find("needs a rotor"), std::string::npos);
  EXPECT_NE(changed([](JointDescription& j) { j.passive = true; }).find("cannot be elastic"), std::string::npos);
  EXPECT_NE(changed([](JointDescription& j) {
              j.coupling = {{{"j1", 1.0}}, 0.0};
            }).find("cannot be elastic"),
            std::string::npos);
  EXPECT_NE(changed([](JointDescription& j) { j.name = "j1_motor"; }).find("'j1_motor'"), std::string::npos);
  const std::string heavy = changed([](JointDescription& j) { j.elastic->full = true, j.drive.rotor_inertia = 5.0; });
  EXPECT_NE(heavy.find("too small"), std::string::npos);
  EXPECT_EQ(std::count(heavy.begin(), heavy.end(), '\n'), 0);
}

}  // namespace
}  // namespace catena::test::elastic_test

// Base parameters, identification from torques with errors, and motions to measure along.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "catena/call.hpp"
#include "catena/identify.hpp"
#include "catena/model/parameters.hpp"
#include "catena/robot_file.hpp"
#include "catena/simulation.hpp"
#include "catena/validate.hpp"
#include "support/nightly.hpp"
#include "support/random_robot.hpp"
#include "support/tolerances.hpp"

namespace catena::test::identify_test {
namespace {

Mechanism shipped(const std::string& name) {
  return make_mechanism(load_robot(std::string(CATENA_SOURCE_DIR "/models/") + name + ".toml"));
}

Values run(const Mechanism& robot, std::string_view job, const State& x) {
  Call<double> call(robot, job);
  Values out(call.size());
  call({.q = x.q, .qd = x.qd, .qdd = x.qdd}, out);
  return out;
}

State any_state(Random& random, const Mechanism& robot) {
  State x;
  for (int j = 0; j < robot.nv(); ++j) {
    x.q.push_back(random.between(-2.0, 2.0));
    x.qd.push_back(random.between(-1.5, 1.5));
    x.qdd.push_back(random.between(-3.0, 3.0));
  }
  return x;
}

// The rank of regressors one below the other: columns of length 1, the longest that is left first.
int rank_of_regressors(const Mechanism& robot, std::uint64_t seed, bool drives) {
  Random random(seed);
  const std::size_t width = index(robot.joints()) * parameters_per_joint;
  std::vector<Values> columns(width);
  for (int sample = 0; sample < 40; ++sample) {
    const Values Y = run(robot, "regressor", any_state(random, robot));
    for (std::size_t k = 0; k < Y.size(); ++k) columns[k % width].push_back(Y[k]);
  }
  const auto length = [](const Values& v) {
    double sum = 0.0;
    for (const double x : v) sum += x * x;
    return std::sqrt(sum);
  };
  for (std::size_t k = 0; k < width; ++k) {
    const double own = length(columns[k]);
    const bool kept = own > 1e-9 && (drives || k % parameters_per_joint < link_parameters) &&
                      is_identified(robot, static_cast<int>(k));
    for (double& x : columns[k]) x = kept ? x / own : 0.0;
  }
  for (int rank = 0;; ++rank) {
    std::size_t best = 0;
    for (std::size_t k = 1; k < width; ++k)
      if (length(columns[k]) > length(columns[best])) best = k;
    const double size = length(columns[best]);
    if (size < 1e-8) return rank;
    Values direction = columns[best];
    for (double& x : direction) x /= size;
    for (Values& column : columns) {
      double along = 0.0;
      for (std::size_t i = 0; i < column.size(); ++i) along += direction[i] * column[i];
      if (along == 0.0) continue;
      for (std::size_t i = 0; i < column.size(); ++i) column[i] -= along * direction[i];
    }
  }
}

// Torques of the base parameters alone, with their nominal values.
void expect_same_torques(const Mechanism& robot, const std::vector<BaseParameter>& parameters, std::uint64_t seed) {
  Random random(seed);
  for (int k = 0; k < 3; ++k) {
    const State x = any_state(random, robot);
    const Values tau = run(robot, "inverse", x), W = base_regressors(robot, parameters, x.q, x.qd, x.qdd);
    Values sums(tau.size());
    double size = 0.0;
    for (std::size_t i = 0; i < W.size(); ++i) {
      sums[i / parameters.size()] += W[i] * parameters[i % parameters.size()].nominal;
      size = std::max(size, std::abs(W[i] * parameters[i % parameters.size()].nominal));
    }
    EXPECT_TRUE(near(sums, tau, size, relative(1e-9))) << "robot " << seed;
  }
}

TEST(BaseParameters, AreAsManyAsTheRankOfRegressorsAndGiveTheTorques) {
  for (const std::uint64_t seed : test::seeds(0, 60)) {
    const Mechanism robot = make_mechanism(sample(seed, 1 + static_cast<int>(seed % 7)).robot);
    const std::vector<BaseParameter> all = base_parameters(robot);
    EXPECT_EQ(static_cast<int>(all.size()), rank_of_regressors(robot, seed + 1000, true)) << "robot " << seed;
    if (!all.empty()) expect_same_torques(robot, all, seed);
  }
}

TEST(BaseParameters, OfShippedRobots) {
  for (const char* name : {"panda", "ur5", "stanford", "puma560", "iiwa14"}) {
    SCOPED_TRACE(name);
    const Mechanism robot = shipped(name);
    for (const bool drives : {true, false})
      EXPECT_EQ(static_cast<int>(base_parameters(robot, drives).size()), rank_of_regressors(robot, 5, drives));
    expect_same_torques(robot, base_parameters(robot), 11);
  }
  // Published: 36 for six revolute joints with a vertical first axis (Khalil and Dombre), 43 for the Panda.
  EXPECT_EQ(base_parameters(shipped("puma560"), false).size(), 36U);
  EXPECT_EQ(base_parameters(shipped("panda"), false).size(), 43U);
}

// The planar arm, whose frames stand at the far ends of its links of 1 m.
TEST(BaseParameters, HaveNamesThatAPersonKnows) {
  const std::vector<BaseParameter> found = base_parameters(shipped("planar2r"), false);
  std::vector<std::string> names;
  for (const BaseParameter& parameter : found) names.push_back(parameter.text);
  EXPECT_EQ(names, (std::vector<std::string>{"m1 cx1 + 1 m1 + 1 m2", "m1 cy1", "Jzz1 - 1 m1 - 1 m2", "m2 cx2 + 1 m2",
                                             "m2 cy2", "Jzz2 - 1 m2"}));
}

// What cancels is 0, not the rounding of its terms.
TEST(BaseParameters, HaveNoRoundingForZero) {
  Robot robot = load_robot(find_model("planar2r"));
  robot.links[1].inertial.mass = 0.1;
  robot.links[1].inertial.com = {-3.0, 0.0, 0.0};
  robot.links[2].inertial.mass = 0.2;
  const double sum = 0.1 * -3.0 + 0.1 + 0.2;
  ASSERT_NE(sum, 0.0);
  const std::vector<BaseParameter> found = base_parameters(make_mechanism(robot), false);
  ASSERT_EQ(found[0].text, "m1 cx1 + 1 m1 + 1 m2");
  EXPECT_EQ(found[0].nominal, 0.0);
}

// --- identification ---

struct Noisy {
  Random random;
  explicit Noisy(std::uint64_t seed) : random(seed) {}
  double normal() {  // Box and Muller
    return std::sqrt(-2.0 * std::log(1.0 - random.unit())) * std::cos(2.0 * 3.141592653589793 * random.unit());
  }
};

Measurements along(const Mechanism& robot, const FourierMotion& motion, std::size_t samples) {
  const std::size_t n = index(robot.nv());
  Measurements data;
  Call<double> inverse(robot, "inverse");
  Values q(n), qd(n), qdd(n), tau(n);
  for (std::size_t k = 0; k < samples; ++k) {
    motion.at(motion.period * static_cast<double>(k) / static_cast<double>(samples), q, qd, qdd);
    inverse({.q = q, .qd = qd, .qdd = qdd}, tau);
    for (const auto& [to, from] : {std::pair{&data.q, &q}, {&data.qd, &qd}, {&data.qdd, &qdd}, {&data.tau, &tau}})
      to->insert(to->end(), from->begin(), from->end());
  }
  return data;
}
Excitation quick_excitation(const Mechanism& robot, bool drives = true) {
  ExcitationOptions options;
  options.drives = drives;
  options.starts = 2, options.steps = 40;
  return find_excitation(robot, options);
}

TEST(Identification, FindsTheParametersThatMadeTheTorques) {
  for (const char* name : {"panda", "ur5", "stanford", "planar2r"}) {
    SCOPED_TRACE(name);
    const Mechanism robot = shipped(name);
    const Identification found = identify(robot, along(robot, quick_excitation(robot).motion, 200));
    EXPECT_EQ(found.samples, 200U);
    for (const Estimate& own : found.estimates)
      EXPECT_NEAR(own.value, own.parameter.nominal, 1e-7 * (1.0 + std::abs(own.parameter.nominal)))
          << own.parameter.text;
  }
}

// The intervals say what they claim: over 200 draws of noise, 95 % of them hold the true value. Joints have noise of
// different size; weights make up for it.
TEST(Identification, IntervalsHoldTheTrueValuesAsOftenAsTheyShould) {
  const Mechanism panda = shipped("panda");
  const Measurements exact = along(panda, quick_excitation(panda).motion, 100);
  const Values sigma{1.0, 1.0, 0.8, 0.8, 0.2, 0.2, 0.1};
  IdentificationOptions options;
  for (const double s : sigma) options.weights.push_back(1.0 / (s * s));
  Noisy noise(2024);
  std::size_t inside = 0, all = 0;
  double squares = 0.0;
  for (int draw = 0; draw < 200; ++draw) {
    Measurements data = exact;
    for (std::size_t k = 0; k < data.tau.size(); ++k) data.tau[k] += sigma[k % 7] * noise.normal();
    for (const Estimate& own : identify(panda, data, options).estimates) {
      inside += own.lower <= own.parameter.nominal && own.parameter.nominal <= own.upper ? 1 : 0;
      squares += std::pow((own.value - own.parameter.nominal) / own.standard_error, 2);
      ++all;
    }
  }
  const double coverage = static_cast<double>(inside) / static_cast<double>(all);
  RecordProperty("coverage", std::to_string(coverage));
  EXPECT_GT(coverage, 0.93);
  EXPECT_LT(coverage, 0.97);
  EXPECT_NEAR(squares / static_cast<double>(all), 1.0, 0.1);  // and errors are as large as they are said to be
}

TEST(Identification, WeightsFromResidualsAreThoseOfTheNoise) {
  const Mechanism ur5 = shipped("ur5");
  Measurements data = along(ur5, quick_excitation(ur5).motion, 600);
  const Values sigma{2.0, 2.0, 1.0, 0.1, 0.1, 0.05};
  Noisy noise(7);
  for (std::size_t k = 0; k < data.tau.size(); ++k) data.tau[k] += sigma[k % 6] * noise.normal();
  IdentificationOptions options;
  options.weights_from_residuals = true;
  const Identification found = identify(ur5, data, options), plain = identify(ur5, data);
  for (std::size_t j = 0; j < 6; ++j) EXPECT_NEAR(found.residuals[j] / sigma[j], 1.0, 0.1) << j;
  for (std::size_t j = 0; j < 6; ++j)  // one over the variance of the noise
    EXPECT_NEAR(found.weights[j] / found.weights[0] * std::pow(sigma[j] / sigma[0], 2), 1.0, 0.3) << j;
  EXPECT_LT(found.estimates.back().standard_error, 0.5 * plain.estimates.back().standard_error);
}

std::string refusal(const Mechanism& robot, const Measurements& data, const IdentificationOptions& options = {}) {
  try {
    identify(robot, data, options);
  } catch (const std::domain_error& error) {
    return std::string("domain: ") + error.what();
  } catch (const std::invalid_argument& error) {
    return std::string("invalid: ") + error.what();
  }
  return "none";
}

TEST(Identification, NamesWhatTheDataDoNotShow) {
  const Mechanism arm = shipped("planar2r");
  Measurements data = along(arm, quick_excitation(arm).motion, 50);
  for (std::size_t k = 1; k < data.q.size(); k += 2) data.q[k] = data.qd[k] = data.qdd[k] = 0.0;  // the elbow is stiff
  const std::string text = refusal(arm, data);
  EXPECT_TRUE(text.starts_with("domain: ")) << text;
  for (const char* name : {"fv2", "fc2", "Jr2"}) EXPECT_NE(text.find(name), std::string::npos) << text;
  EXPECT_EQ(text.find("fv1"), std::string::npos) << text;
}

TEST(Identification, RefusesDataThatDoNotFit) {
  const Mechanism arm = shipped("planar2r");
  const Measurements good = along(arm, quick_excitation(arm).motion, 50);
  Measurements data = good;
  data.tau.pop_back();
  EXPECT_EQ(refusal(arm, data), "invalid: tau has 99 numbers, which are no rows of 2 joints");
  data.tau.pop_back();
  EXPECT_EQ(refusal(arm, data), "invalid: tau has 49 samples where q has 50");
  data = good;
  data.qdd[7] = std::nan("");
  EXPECT_EQ(refusal(arm, data), "invalid: qdd of joint 2 in sample 4 is not a finite number");
  EXPECT_EQ(refusal(arm, good, {.weights = {1.0}}), "invalid: 1 weights for 2 joints");
  EXPECT_NE(refusal(arm, good, {.weights = {1.0, 0.0}}).find("a weight must be a positive number"), std::string::npos);
  data = {};
  EXPECT_NE(refusal(arm, data).find("samples are needed"), std::string::npos) << refusal(arm, data);
}

TEST(Identification, StudentsFactors) {  // tables
  EXPECT_NEAR(student_95(1), 12.706205, 1e-6);
  EXPECT_NEAR(student_95(2), 4.302653, 1e-6);
  EXPECT_NEAR(student_95(5), 2.570582, 1e-6);
  EXPECT_NEAR(student_95(10), 2.228139, 1e-6);
  EXPECT_NEAR(student_95(30), 2.042272, 1e-6);
  EXPECT_NEAR(student_95(200), student_95(201), 1e-4);
  EXPECT_NEAR(student_95(100000000), 1.959964, 1e-6);
}

// The share of Student's distribution within the factor, by Simpson's rule over its density, Γ((ν+1)/2) / (√(νπ)
// Γ(ν/2)) (1 + x²/ν)^-(ν+1)/2.
TEST(Identification, StudentsFactorsHoldTheirShare) {
  for (const std::size_t degrees : {1, 2, 3, 4, 7, 12, 33, 100, 199, 200, 201, 250, 1000}) {
    const double nu = static_cast<double>(degrees), t = student_95(degrees);
    const auto density = [&](double x) {
      return std::exp(std::lgamma(0.5 * (nu + 1.0)) - std::lgamma(0.5 * nu) -
                      0.5 * (nu + 1.0) * std::log1p(x * x / nu)) /
             std::sqrt(nu * std::numbers::pi);
    };
    const int steps = 4000;
    double sum = density(0.0) + density(t);
    for (int k = 1; k < steps; ++k) sum += (k % 2 == 1 ? 4.0 : 2.0) * density(t * k / steps);
    EXPECT_NEAR(2.0 * sum * t / (3.0 * steps), 0.95, 1e-9) << degrees;
  }
}

// --- parameters that a robot can have ---

Robot shipped_robot(const std::string& name) {
  return load_robot(std::string(CATENA_SOURCE_DIR "/models/") + name + ".toml");
}

TEST(PhysicalFit, FindsTheModelAgainFromExactTorques) {
  for (const char* name : {"panda", "ur5", "stanford"}) {
    SCOPED_TRACE(name);
    const Mechanism robot = shipped(name);
    const Measurements data = along(robot, quick_excitation(robot).motion, 150);
    const Identification found = identify(robot, data);
    const PhysicalFit fit = fit_physical(robot, found);
    for (std::size_t j = 0; j < fit.residuals.size(); ++j) EXPECT_LT(fit.residuals[j], 1e-3) << j;
    const Robot written = with_parameters(shipped_robot(name), fit.parameters);
    EXPECT_TRUE(validate(written).ok());
    EXPECT_TRUE(near(standard_parameters(make_mechanism(written)), fit.parameters, relative(1e-9)));
  }
}

// With much noise the estimates are those of no robot; what comes out of the fit is, and lies within the noise.
TEST(PhysicalFit, IsPossibleWhereTheEstimatesAreNot) {
  const Mechanism panda = shipped("panda");
  const Measurements exact = along(panda, quick_excitation(panda).motion, 100);
  Noisy noise(99);
  for (int draw = 0; draw < 5; ++draw) {
    Measurements data = exact;
    for (double& tau : data.tau) tau += 0.5 * noise.normal();
    const Identification found = identify(panda, data);
    const PhysicalFit fit = fit_physical(panda, found);
    bool negative = false;  // Jzz7 is an inertia alone, friction is none below zero
    for (const Estimate& own : found.estimates)
      negative = negative || (own.value < 0.0 && (own.parameter.text.starts_with("f") || own.parameter.text == "Jzz7"));
    EXPECT_TRUE(negative);
    EXPECT_LT(fit.distance, 1.5);
    EXPECT_TRUE(validate(with_parameters(shipped_robot("panda"), fit.parameters)).ok());
    for (std::size_t k = 10; k < fit.parameters.size(); k += parameters_per_joint) EXPECT_GE(fit.parameters[k], 0.0);
  }
}

TEST(PhysicalFit, RobotsGiveTheTorquesOfTheirParameters) {
  for (const std::uint64_t seed : test::seeds(0, 40)) {
    const Robot robot = sample(seed, 1 + static_cast<int>(seed % 7)).robot;
    const Mechanism mechanism = make_mechanism(robot);
    Random random(seed);
    const State x = any_state(random, mechanism);
    const Robot same = with_parameters(robot, standard_parameters(mechanism));
    EXPECT_TRUE(near(run(make_mechanism(same), "inverse", x), run(mechanism, "inverse", x), relative(1e-9)))
        << "robot " << seed;
  }
  EXPECT_THROW(with_parameters(shipped_robot("ur5"), Values(3)), std::invalid_argument);
}

// The robot with one of its parameters changed: mass, moment or inertia of the link that a joint moves, or its drive.
Robot with_parameter(Robot robot, int place, double change) {
  const auto joint = robot.moving_joints()[index(place / parameters_per_joint)];
  JointDescription& drive = robot.joints[index(joint)];
  Inertial& body = robot.links[index(drive.child)].inertial;
  double m = body.mass;
  Vec3<double> moment = m * body.com;
  Sym3<double> J = body.inertia + m * steiner(body.com);
  double* const entries[parameters_per_joint] = {&m,
                                                 &moment.x,
                                                 &moment.y,
                                                 &moment.z,
                                                 &J.xx,
                                                 &J.yy,
                                                 &J.zz,
                                                 &J.xy,
                                                 &J.xz,
                                                 &J.yz,
                                                 &drive.drive.viscous,
                                                 &drive.drive.coulomb,
                                                 &drive.drive.stribeck,
                                                 &drive.drive.rotor_inertia,
                                                 &drive.drive.spring,
                                                 &drive.drive.offset};
  // An offset is what a spring gives at zero: one of more stiffness rests where the offset stays.
  const double preload = drive.drive.spring * drive.drive.spring_rest;
  *entries[place % parameters_per_joint] += change;
  drive.drive.spring_rest = preload / drive.drive.spring;
  body.mass = m;
  body.com = (1.0 / m) * moment;
  body.inertia = J + (-m) * steiner(body.com);
  return robot;
}

// A run repeated with every parameter a little larger and a little smaller, one after the other.
TEST(Sensitivity, AgreesWithDifferencesOfRuns) {
  for (const std::uint64_t seed : test::seeds(0, 8)) {
    Random random(seed);
    const int n = 1 + static_cast<int>(seed % 4);
    Robot robot = random_robot(random, {.joints = n,
                                        .shape = seed % 2 ? Shape::tree : Shape::chain,
                                        .fixed_links = false,
                                        .massless_links = false,
                                        .drives = true});
    for (JointDescription& joint : robot.joints)
      joint.drive = {// smooth, and room to go down
                     .viscous = 0.3, .coulomb = 0.0,     .rotor_inertia = 0.2, .gear_ratio = 1.0,
                     .spring = 4.0,  .spring_rest = 0.3, .offset = -0.7};
    const State x = random_state(random, n);
    std::vector<Values> torques(2, Values(index(n)));
    for (Values& row : torques)
      for (double& tau : row) tau = random.between(-3.0, 3.0);
    Values times;
    for (int k = 0; k <= 10; ++k) times.push_back(0.03 * k);
    const auto run = [&](const Robot& changed) {
      SimulationOptions options;
      options.rtol = 1e-12, options.atol = 1e-14;
      Simulation simulation(make_mechanism(changed), torque_table({0.0, 0.3}, torques), options);
      const SimulationResult result = simulation.run(x.q, x.qd, times);
      EXPECT_TRUE(result.complete) << result.ended_by;
      return result;
    };
    const Mechanism mechanism = make_mechanism(robot);
    ParameterSensitivity sensitivity(mechanism);
    const SimulationResult nominal = run(robot);
    for (const catena::Sample& s : nominal.samples)
      s.t == 0.0 ? sensitivity.start(s.t, s.q, s.qd, s.tau) : sensitivity.advance(s.t, s.q, s.qd, s.tau);
    const std::span<const double> S = sensitivity.values();
    const std::size_t p = sensitivity.parameters(), rows = 2 * index(n);
    double scale = 0.0;
    for (const double value : S) scale = std::max(scale, std::abs(value));
    for (std::size_t k = 0; k < p; ++k) {
      if (k % parameters_per_joint == 11 || k % parameters_per_joint == 12) continue;  // dry friction is not smooth
      const double h = 1e-4 * (1.0 + std::abs(standard_parameters(mechanism)[k]));
      const SimulationResult more = run(with_parameter(robot, static_cast<int>(k), h)),
                             less = run(with_parameter(robot, static_cast<int>(k), -h));
      for (std::size_t i = 0; i < rows; ++i) {
        const auto end = [&](const SimulationResult& r) {
          const catena::Sample& s = r.samples.back();
          return i < index(n) ? s.q[i] : s.qd[i - index(n)];
        };
        EXPECT_NEAR(S[i * p + k], (end(more) - end(less)) / (2.0 * h), 2e-5 * scale) << "robot " << seed << ", " << k;
      }
    }
    // At one state, and of one parameter alone.
    Values both(index(n) * p), one(index(n));
    const catena::Sample& s = nominal.samples.back();
    sensitivity.accelerations(s.q, s.qd, s.tau, both);
    ParameterSensitivity(mechanism, {3}).accelerations(s.q, s.qd, s.tau, one);
    for (std::size_t i = 0; i < index(n); ++i) EXPECT_EQ(one[i], both[i * p + 3]);
  }
  Robot robot = random_robot(*std::make_unique<Random>(1), {.joints = 2});
  EXPECT_THROW(ParameterSensitivity(make_mechanism(robot), {2 * parameters_per_joint}), std::invalid_argument);
  const Mechanism mechanism = make_mechanism(robot);
  ParameterSensitivity sensitivity(mechanism);
  const Values zeros(2);
  sensitivity.start(0.0, zeros, zeros, zeros);
  try {
    sensitivity.advance(0.1, zeros, zeros, zeros, 0.0);
    ADD_FAILURE();
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "the step must be positive");
  }
}

}  // namespace
}  // namespace catena::test::identify_test

// Control laws: as C they do what they do here, on every kind of robot that they take.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>

#include "catena/dynamics.hpp"
#include "support/allocations.hpp"
#include "support/kinds_of_robots.hpp"
#include "support/law_trials.hpp"
#include "support/nightly.hpp"
#include "support/random_robot.hpp"
#include "support/shared_library.hpp"

namespace catena::test {
namespace laws_test {

struct Case {
  std::string robot;
  std::vector<double> q;
};

// The same run with the law's C.
TorqueLaw as_c(const Trial& run, const std::shared_ptr<SharedLibrary>& library) {
  const auto layout = std::make_shared<Controller>(run.robot, run.options);
  using Step = void (*)(double*, const double*, const double*, double, double*);
  using Reset = void (*)(double*);
  const auto step = reinterpret_cast<Step>(library->symbol("controller_step"));
  const auto reset = reinterpret_cast<Reset>(library->symbol("controller_reset"));
  const auto state = std::make_shared<std::vector<double>>(layout->state().size() + 1);
  return sampled_law(
      run.robot, *layout,
      [=](std::span<const double> m, std::span<const double> r, double dt, std::span<double> tau) {
        (void)layout, (void)library;
        step(state->data(), m.data(), r.data(), dt, tau.data());
      },
      [=] { reset(state->data()); }, run.reference, run.period);
}

void expect_same_as_c(const Trial& run, double tolerance) {
  SCOPED_TRACE(run.robot.name + " " + run.options.law);
  CodeOptions code;
  code.name = "controller";
  const Code text = print_controller(run.robot, run.options, code);
  const auto library =
      std::make_shared<SharedLibrary>(text.source, "-std=c99 -O1 -ffp-contract=off -Wall -Wextra -Werror -pedantic");
  const SimulationResult own = run.run(), other = run.run(as_c(run, library));
  ASSERT_EQ(own.samples.size(), other.samples.size());
  double largest = 0.0;
  for (std::size_t k = 0; k < own.samples.size(); ++k)
    for (std::size_t j = 0; j < own.samples[k].q.size(); ++j)
      largest = std::max(largest, std::abs(own.samples[k].q[j] - other.samples[k].q[j]));
  EXPECT_LE(largest, tolerance);
  std::printf("%-12s %-12s C against C++ over %g s: %.1e\n", run.robot.name.c_str(), run.options.law.c_str(), run.time,
              largest);
}

TEST(Laws, AsCTheyAreTheSameOverTenSeconds) {
  const std::vector<Case> cases{{"ur5", {0.1, -1.0, 1.2, 0.3, 0.8, 0.2}},
                                {"panda", {0.1, -0.5, 0.2, -1.8, 0.1, 1.5, 0.3}},
                                {"gripper", {0.1}},
                                {"pelican_crucible", {0.1, 0.2, -0.3}},
                                {"palletizer", {0.0, 0.0, 0.0, 0.0}}};
  int count = 0;
  for (const auto& [name, q] : cases)
    for (const LawInfo& law : control_laws()) {
      const Mechanism robot = make_mechanism(shipped_robot(name));
      if (!takes(law, robot) || (count++ % 3 != 0 && !nightly())) continue;
      expect_same_as_c(trial_of(law, robot, q), 1e-12);
    }
}

// --- every kind of robot: one step as a program against one step here ---

std::vector<double> some(Random& random, std::size_t size, double half) {
  std::vector<double> out(size);
  for (double& v : out) v = random.between(-half, half);
  return out;
}

TEST(Laws, AProgramDoesWhatAStepDoes) {
  Random random(7);
  int compared = 0;
  for (const Robot& described : kinds_of_robots()) {
    const Mechanism robot = make_mechanism(described);
    for (const LawInfo& law : control_laws()) {
      if (!takes(law, robot) || (robot.nv() == 40 && law.follows != LawInfo::Follows::joints)) continue;
      SCOPED_TRACE(described.name + " " + std::string(law.name) + " " + std::to_string(robot.nv()));
      const State x = with_all_positions(robot, random_state(random, robot));
      LawOptions options;
      try {
        options = options_for(law, robot, std::vector<double>(index(robot.nv())));
        Controller controller(robot, options);
        std::vector<double> measurement = x.q, reference, torque(index(robot.nv()));
        measurement.insert(measurement.end(), x.qd.begin(), x.qd.end());
        for (const LawPart& part : controller.measurement())
          if (part.name == "force") measurement.resize(measurement.size() + index(part.size), 2.0);
        for (const LawPart& part : controller.reference()) {
          const std::vector<double> more = some(random, index(part.size), 0.5);
          reference.insert(reference.end(), more.begin(), more.end());
        }
        const Program program = law_program(robot, options);
        for (int k = 0; k < 3; ++k) {
          std::vector<double> in(controller.state().begin(), controller.state().end());
          in.insert(in.end(), measurement.begin(), measurement.end());
          in.insert(in.end(), reference.begin(), reference.end());
          if (law.takes_schedule) {
            const double part = 1e-3 * k / 0.1;
            for (std::size_t e = 0; e < options.schedule.gains[0].size(); ++e)
              in.push_back((1.0 - part) * options.schedule.gains[0][e] + part * options.schedule.gains[1][e]);
          }
          in.push_back(1e-3);
          controller.step(measurement, reference, 1e-3, torque);
          const std::vector<double> found = program.evaluate(in);
          double scale = 1.0;
          for (const double v : torque) scale = std::max(scale, std::abs(v));
          for (std::size_t j = 0; j < torque.size(); ++j) EXPECT_NEAR(found[j], torque[j], 1e-9 * scale);
          for (std::size_t e = 0; e < controller.state().size(); ++e)
            EXPECT_NEAR(found[torque.size() + e], controller.state()[e],
                        1e-9 * std::max(1.0, std::abs(controller.state()[e])));
        }
        ++compared;
      } catch (const std::invalid_argument& error) {
        std::printf("%s, %s: %s\n", described.name.c_str(), std::string(law.name).c_str(), error.what());
      } catch (const std::domain_error& error) {
        std::printf("%s, %s: %s\n", described.name.c_str(), std::string(law.name).c_str(), error.what());
      }
    }
  }
  EXPECT_GT(compared, 70);
}

TEST(Laws, AStepAllocatesNothing) {
  for (const char* name : {"ur5", "panda", "palletizer"}) {
    const Mechanism robot = make_mechanism(shipped_robot(name));
    for (const LawInfo& law : control_laws()) {
      if (!takes(law, robot)) continue;
      SCOPED_TRACE(std::string(law.name));
      const State x = with_all_positions(
          robot, State{std::vector<double>(index(robot.nv()), 0.01), std::vector<double>(index(robot.nv()), 0.1), {}});
      Controller controller(robot, options_for(law, robot, std::vector<double>(index(robot.nv()), 0.01)));
      std::vector<double> measurement = x.q, reference, torque(index(robot.nv()));
      measurement.insert(measurement.end(), x.qd.begin(), x.qd.end());
      if (law.name == "hybrid") measurement.resize(measurement.size() + (robot.nv() >= 6 ? 6 : 3));
      for (const LawPart& part : controller.reference()) reference.resize(reference.size() + index(part.size), 0.1);
      const NoAlloc guard;
      for (int k = 0; k < 3; ++k) controller.step(measurement, reference, 1e-3, torque);
    }
  }
}

TEST(Laws, WhatTheyCannotDoIsSaid) {
  const Mechanism arm = make_mechanism(shipped_robot("ur5")),
                  passive = make_mechanism(shipped_robot("pelican_crucible"));
  const auto refusal = [](const Mechanism& robot, const LawOptions& options) -> std::string {
    try {
      Controller controller(robot, options);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  LawOptions options;
  options.law = "passivty";
  EXPECT_NE(refusal(arm, options).find("there are pid, computed"), std::string::npos);
  options.law = "passivity";
  EXPECT_NE(refusal(passive, options).find("is passive"), std::string::npos);
  options.parameters["ki"] = {1.0};
  EXPECT_EQ(refusal(arm, options), "law 'passivity' has no parameter 'ki'; it has rate, kd");
  options.parameters = {{"kd", {1.0, 2.0}}};
  EXPECT_EQ(refusal(arm, options), "kd needs one value, or 6: 2 were given");
  options.parameters = {{"kd", {NAN}}};
  EXPECT_EQ(refusal(arm, options), "kd must be finite");
  options = {.law = "null-space"};
  EXPECT_NE(refusal(arm, options).find("more joints than directions"), std::string::npos);
  options = {.law = "lqr"};
  EXPECT_NE(refusal(arm, options).find("needs gains"), std::string::npos);
  options = {.law = "hybrid", .parameters = {{"along", {0.5}}}};
  EXPECT_NE(refusal(arm, options).find("along must have 1"), std::string::npos);
}

}  // namespace laws_test
}  // namespace catena::test

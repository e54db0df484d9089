// Every job of a robot by every formulation, beside the same results of another robot.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "catena/call.hpp"
#include "support/runners.hpp"

namespace catena::test {

// In a state, for a moving base with a motion, at torques and multipliers like the accelerations. NaN where they
// are about a centre of mass and nothing that moves has mass.
template <class S>
std::vector<S> results_of(const Mechanism& robot, std::string_view job, std::string_view formulation, const State& x) {
  Call<S> call(robot, job, formulation);
  const std::vector<S> q = as<S>(x.q), qd = as<S>(x.qd), qdd = as<S>(x.qdd),
                       base = as<S>({0.4, -0.3, 0.2, 0.5, -0.6, 0.3, 0.7, 0.2, -0.5, -0.4, 0.8, 0.6});
  Inputs<S> in = with_others<S>({.q = q, .qd = qd, .qdd = qdd, .tau = qdd}, qdd);
  if (robot.coordinates.is_moving()) in.base = base;
  std::vector<S> out(call.size(), std::numeric_limits<S>::quiet_NaN());
  try {
    call(in, out);
  } catch (const std::domain_error& error) {
    EXPECT_TRUE(job == "centroidal" || job == "momentum") << error.what();
    out.assign(out.size(), std::numeric_limits<S>::quiet_NaN());
  }
  return out;
}

// Outputs that are chosen(job, output) and have the same size for both robots; returns how many numbers these are.
template <class S, class Chosen>
int expect_same_results(const Mechanism& robot, const State& x, const Mechanism& other, const State& there,
                        double bound, const Chosen& chosen) {
  int compared = 0;
  for (const JobInfo& job : jobs()) {
    for (const std::string_view formulation : names_of(job.name)) {
      if (!formulation.empty() && !job.serves(robot, formulation)) continue;
      SCOPED_TRACE(std::string(job.name) + " by " + std::string(formulation));
      const std::vector<S> got = results_of<S>(robot, job.name, formulation, x);
      const std::vector<double> expected = results_of<double>(other, job.name, "", there);
      std::size_t a = 0, b = 0;
      for (const OutputInfo& output : job.outputs) {
        const std::size_t size = index(output.size(sizes_of(robot))), as_many = index(output.size(sizes_of(other)));
        for (std::size_t k = 0; size == as_many && chosen(job, output) && k < size; ++k, ++compared)
          EXPECT_NEAR(got[a + k], expected[b + k], bound * (1.0 + std::abs(expected[b + k]))) << output.name << k;
        a += size, b += as_many;
      }
    }
  }
  return compared;
}

}  // namespace catena::test

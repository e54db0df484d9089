// Formulations in tests: any job, by name, on any scalar, through its runner.
#pragma once

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "catena/job.hpp"
#include "jobs/runner.hpp"
#include "support/random_robot.hpp"

namespace catena::test {

template <class S>
std::vector<S> as(const std::vector<double>& values) {
  std::vector<S> out;
  for (const double v : values) out.push_back(S(static_cast<ConstantOf<S>>(v)));
  return out;
}

template <class Visitor>
void for_each_formulation(std::string_view job, Visitor visit) {
  for (const FormulationInfo& formulation : formulations(job)) visit(formulation);
}

// Every way to ask for a job by name; the empty name is the default, which runs on the optimized mechanism.
inline std::vector<std::string_view> names_of(std::string_view job) {
  std::vector<std::string_view> names;
  for_each_formulation(job, [&](const FormulationInfo& formulation) { names.push_back(formulation.name); });
  names.push_back({});
  return names;
}

// All outputs in a row, friction and rotors included.
template <class S>
std::vector<S> run_on(Runner<S>& runner, std::string_view job, const MechanismFor<S>& robot, const Inputs<S>& in) {
  std::vector<S> out(index(job_info(job).size(sizes_of(robot))), S(ConstantOf<S>(-1)));  // an unwritten one shows
  runner.run(in, out);
  return out;
}
template <class S>
std::vector<S> run_on(std::string_view job, std::string_view formulation, const MechanismFor<S>& robot,
                      const Inputs<S>& in) {
  return run_on<S>(*make_runner<S>(job, robot, formulation), job, robot, in);
}

// A runner that has seen another state, or numbers that are none, gives the bits of a fresh one: nothing stale is read.
inline void expect_nothing_left_over(std::string_view job, const Mechanism& robot, const State& x) {
  const std::vector<double> nan(x.q.size(), std::numeric_limits<double>::quiet_NaN());
  const Inputs<double> in = with_others<double>({.q = x.q, .qd = x.qd, .qdd = x.qdd, .tau = x.qdd}, x.qdd);
  const Inputs<double> other = with_others<double>({.q = x.qd, .qd = x.qdd, .qdd = x.q, .tau = x.q}, x.q);
  const Inputs<double> none = with_others<double>({.q = nan, .qd = nan, .qdd = nan, .tau = nan}, nan);
  for_each_formulation(job, [&](const FormulationInfo& formulation) {
    SCOPED_TRACE(std::string(job) + " by " + std::string(formulation.name));
    const std::vector<double> fresh = run_on(job, formulation.name, robot, in);
    const auto runner = make_runner<double>(job, robot, formulation.name);
    run_on(*runner, job, robot, none);
    EXPECT_EQ(run_on(*runner, job, robot, in), fresh);
    EXPECT_EQ(run_on(*runner, job, robot, in), fresh);
    run_on(*runner, job, robot, other);
    EXPECT_EQ(run_on(*runner, job, robot, in), fresh);
    EXPECT_EQ(run_on(*runner->clone(), job, robot, in), fresh);
  });
}

}  // namespace catena::test

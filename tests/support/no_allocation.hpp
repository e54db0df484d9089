// Objects that compute by a formulation allocate when they are made and never in a call.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "catena/dynamics.hpp"
#include "support/allocations.hpp"
#include "support/formulations.hpp"

namespace catena::test {

template <class S>
struct StateIn {
  using Scalar = S;
  std::vector<S> q, qd, qdd;
};

// prepare(robot, method, state) makes whatever a call needs and returns the call, for every method.
template <class S, class Methods, class Prepare>
void expect_no_allocation(const Mechanism& robot, const State& x, const Methods& methods, const Prepare& prepare) {
  const StateIn<S> state{as<S>(x.q), as<S>(x.qd), as<S>(x.qdd)};
  for (const std::string_view method : methods) {
    SCOPED_TRACE(std::string(method));
    auto call = prepare(robot, method, state);
    NoAlloc guard;  // the very first call counts: nothing is put off until then
    for (int repeat = 0; repeat < 3; ++repeat) call();
  }
}

// The same in double and in float, on 20 robots with up to 20 joints.
template <class Methods, class Prepare>
void expect_no_allocation(std::uint64_t first_seed, const Methods& methods, const Prepare& prepare) {
  for (std::uint64_t seed = first_seed; seed < first_seed + 20; ++seed) {
    const auto [robot, x] = sample(seed, 1 + static_cast<int>(seed % 20));
    const Mechanism mechanism = make_mechanism(robot);
    expect_no_allocation<double>(mechanism, x, methods, prepare);
    expect_no_allocation<float>(mechanism, x, methods, prepare);
  }
}

template <class S>
std::vector<ExternalWrench<S>> wrench_on_every_frame(const Mechanism& robot) {
  std::vector<ExternalWrench<S>> wrenches;
  for (int k = 0; k < static_cast<int>(robot.frames.size()); ++k)
    wrenches.push_back({k, {S(1), S(2), S(3)}, {S(4), S(5), S(6)}, k % 2 == 0 ? Axes::frame : Axes::world});
  return wrenches;
}

}  // namespace catena::test
